/** What `priorart ingest` says of records that it cannot read, and its exit codes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { priorart } from '../crash/folder.js';

const GOOD = { patent_id: 'US20990000001A1', title: 'Drone' };

describe('the report of an ingest', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-report-'));
  after(() => rmSync(dir, { recursive: true }));
  let made = 0;

  async function ingest(text: string) {
    const file = join(dir, `${++made}.json`);
    writeFileSync(file, text);
    const data = join(dir, `data-${made}`);
    return { file, ...(await priorart('ingest', '--data', data, file)) };
  }

  it('names the first record that was skipped for each reason', async () => {
    const records = [GOOD, ...[1, 2].map((n) => ({ patent_id: `XX123456${n}A`, title: 'a' }))];
    const two = await ingest(records.map((record) => JSON.stringify(record)).join('\n'));
    assert.equal(two.code, 0);
    const country = 'country XX is not among US, KR, JP, CN, EP';
    assert.equal(two.stdout.split('\n')[1], `  skipped 2: ${country} (first: ${two.file}, line 2)`);
    const one = await ingest(
      records
        .slice(0, 2)
        .map((record) => JSON.stringify(record))
        .join('\n'),
    );
    assert.equal(one.stdout.split('\n')[1], `  skipped 1: ${country} (${one.file}, line 2)`);
  });

  it('counts more failures than it lists', async () => {
    const bad = Array.from({ length: 10_005 }, () => '{"title": 1}');
    const { code, stdout } = await ingest([JSON.stringify(GOOD), ...bad].join('\n'));
    assert.equal(code, 3);
    assert.match(stdout, /, 10,005 failed\n/);
    assert.match(stdout, /\n {2}failed 10,000: .*\n {2}… and 5 more failures\n/);
  });

  it('names record, byte and number of a bad record, and ends with 3 as a part was stored', async () => {
    const records = [
      GOOD,
      { patent_id: 'my-drone-1', title: 'a' },
      { patent_id: 'US20990000002A1', title: 'a', assignee: 'b' },
      { patent_id: 'US20990000003A1' },
      { title: 'a' },
    ];
    const pretty = JSON.stringify(records, null, 2);
    const { file, code, stdout } = await ingest(pretty);
    const byte = (text: string) => pretty.lastIndexOf('{', pretty.indexOf(text));
    const lines = stdout.split('\n');
    assert.equal(code, 3);
    assert.match(lines[0]!, /^1 publication in .* s: 1 new, .*, 4 failed$/);
    assert.deepEqual(lines.slice(1, 5), [
      `  ${file}, record 2, byte ${byte('my-drone-1')} (my-drone-1): country: missing, and patent_id "my-drone-1" ` +
        'does not name it; expected a number such as US20990000001A1',
      `  ${file}, record 3, byte ${byte('US20990000002A1')} (US20990000002A1): assignee: unknown field; did you mean applicants?`,
      `  ${file}, record 4, byte ${byte('US20990000003A1')} (US20990000003A1): no text: expected at least one of title, ` +
        'abstract, claims, description',
      `  ${file}, record 5, byte ${pretty.lastIndexOf('{')}: no number: expected patent_id, publication_number or number`,
    ]);
    assert.match(lines[5]!, /^Search them: /);
  });

  it('ends with 1 and offers no search if nothing could be read, with 0 if all was', async () => {
    const cases: [object, RegExp][] = [
      [
        { patent_id: 'US20990000001A1' },
        /^ {2}\S+, line 1: no text: expected at least one of title, abstract/m,
      ],
      [
        { id: 'US20990000001A1', title: 'a' },
        /, line 1: no number: expected patent_id, publication_number or number; found id, title$/m,
      ],
      [{ foo: 1 }, /, line 1: not a known format$/m],
    ];
    for (const [record, reason] of cases) {
      const { code, stdout } = await ingest(JSON.stringify(record));
      assert.equal(code, 1);
      assert.match(stdout, reason);
      assert.doesNotMatch(stdout, /Search them/);
    }
    assert.equal((await ingest(JSON.stringify(GOOD))).code, 0);
    const foreign = await ingest(JSON.stringify({ ...GOOD, patent_id: 'CA2987654A1' }));
    assert.equal(foreign.code, 0, 'a skipped publication is not a failure');
    assert.doesNotMatch(foreign.stdout, /Search them/);
  });

  it('names a PDF file that was asked for, and not those of a folder', async () => {
    const pdf = join(dir, 'EP1234567B1.pdf');
    writeFileSync(pdf, '%PDF-1.7\n');
    const named = await priorart('ingest', pdf, '--data', join(dir, 'pdf'));
    assert.equal(named.code, 1);
    assert.match(named.stdout, /EP1234567B1\.pdf, byte 0: a PDF file, which is not read/);
    mkdirSync(join(dir, 'with-pdf'));
    renameSync(pdf, join(dir, 'with-pdf', 'a.pdf'));
    writeFileSync(join(dir, 'with-pdf', 'a.jsonl'), JSON.stringify(GOOD));
    assert.equal((await priorart('ingest', join(dir, 'with-pdf'), '--data', join(dir, 'pdf'))).code, 0);
  });

  it('ends with 3 if only a known file and a damaged one are there', async () => {
    const folder = join(dir, 'cron');
    mkdirSync(folder);
    writeFileSync(join(folder, 'good.jsonl'), JSON.stringify(GOOD));
    const again = () => priorart('ingest', '--new', folder, '--data', join(dir, 'cron-data'));
    assert.equal((await again()).code, 0);
    writeFileSync(join(folder, 'bad.jsonl'), '{"foo": 1}');
    assert.equal((await again()).code, 3);
  });
});
