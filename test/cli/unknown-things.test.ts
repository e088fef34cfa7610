/** What a user names and what is not there is exit code 1 with a message that names it; a part that is there is done. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { invented, priorart, writeLines } from '../crash/folder.js';

describe('unknown things', () => {
  const [first, second] = invented(2).map(({ patent_id }) => patent_id) as [string, string];
  let dir: string;
  let data: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-unknown-'));
    data = join(dir, 'data');
    const file = writeLines(join(dir, 'all.jsonl'), invented(2));
    assert.equal((await priorart('ingest', '--data', data, file)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  const run = (line: string) => priorart(...line.split(' '), '--data', data);

  it('are exit code 1, and the message names them', async () => {
    for (const line of [
      'show NONE1',
      'delete NONE1',
      'search x --like NONE1',
      'search x --as-of NONE1',
      'stats x --like NONE1',
      'explain x --like NONE1',
      'keys revoke NONE1',
      'logs NONE1',
      'usage --key NONE1',
      'usage --account NONE1',
      'accounts change NONE1 --name x',
      'accounts password NONE1 --remove',
      'accounts sign-out NONE1',
      'grants list --account NONE1',
      'grants revoke NONE1',
      'ingest NONE1',
      'search x --models NONE1',
      'eval --queries NONE1 --qrels NONE1',
      'calibrate --queries NONE1 --qrels NONE1',
      'serve --settings NONE1',
    ]) {
      const { code, stderr } = await run(line);
      assert.equal(code, 1, `${line}: ${stderr}`);
      assert.match(stderr, /^priorart: [^\n]*NONE1[^\n]*\n$/, line);
    }
    assert.equal((await priorart('embed', 'NONE1')).code, 1);
    // Not unknown, but wrong.
    for (const day of ['2020-13-01', '2020/01/05', 'yesterday']) {
      const { code, stderr } = await run(`search x --as-of ${day}`);
      assert.equal(code, 2, day);
      assert.match(
        stderr,
        /^priorart: --as-of: .*; expected (a day as )?YYYY-MM-DD, or the number of a publ/,
      );
    }
  });

  it('are no reason to leave out the others', async () => {
    const shown = await run(`show ${first} NONE1`);
    assert.deepEqual([shown.code, shown.stderr], [1, 'priorart: not in the index: NONE1\n']);
    assert.ok(shown.stdout.startsWith(first), shown.stdout);
    const deleted = await run(`delete NONE1 ${first}`);
    assert.deepEqual([deleted.code, deleted.stdout], [1, `Deleted ${first}.\n`]);
    assert.equal(deleted.stderr, 'priorart: not in the index: NONE1\n');
    const again = await run(`delete ${first} ${second} --json`);
    assert.equal(again.code, 1);
    assert.deepEqual(JSON.parse(again.stdout), { deleted: [second], not_found: [first] });
  });
});
