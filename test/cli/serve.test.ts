/** `priorart serve` in a separate process, and `priorart search --json`: equal answers, byte for byte. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CLI, type Ended, FIXTURES, launch, priorart } from '../crash/folder.js';

/** Filters as flags and as a body. */
const CASES: [flags: string[], body: Record<string, unknown>][] = [
  [[], {}],
  [['--top-k', '3', '--countries', 'KR, JP'], { top_k: 3, countries: ['KR', 'JP'] }],
  [
    ['--doc-type', 'grant', '--ipc-codes', 'H01M,F25D', '--filing-date-from', '2015-01-01'],
    { doc_type: 'grant', ipc_codes: ['H01M', 'F25D'], filing_date_from: '2015-01-01' },
  ],
  [
    ['--include-utility-model', '--applicant', '대한', '--applicant-match', 'prefix'],
    { include_utility_model: true, applicant: '대한', applicant_match: 'prefix' },
  ],
  [['--kind-codes', 'S,S1', '--top-k', '100'], { kind_codes: ['S', 'S1'], top_k: 100 }],
  [['--publication-number', 'EP03893001'], { publication_number: 'EP03893001' }],
  [
    ['--family-id', 'KR1020180098231', '--grant-date-to', '2030-01-01'],
    { family_id: 'KR1020180098231', grant_date_to: '2030-01-01' },
  ],
];

describe('serve', () => {
  let dir: string;
  let data: string;
  let key: string;
  let url: string;
  let server: ReturnType<typeof launch>;
  let ended: Ended | undefined;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-serve-'));
    data = join(dir, 'data');
    assert.equal((await priorart('ingest', '--data', data, ...FIXTURES)).code, 0);
    key = JSON.parse(
      (await priorart('keys', 'create', '--json', '--account', 'A', '--data', data)).stdout,
    ).secret;
    server = launch(CLI, ['serve', '--data', data, '--port', '0', '--workers', '1']);
    url = await new Promise<string>((found, fail) => {
      let shown = '';
      const look = (text: string) => {
        shown += text;
        const at = /at (http:\/\/\S+)/.exec(shown)?.[1];
        if (at) found(at);
      };
      server.child.stderr!.on('data', look);
      void server.ended.then((end) => fail(new Error(`the server ended: ${end.stderr}`)));
    });
  });
  after(async () => {
    server.child.kill('SIGTERM');
    ended ??= await server.ended;
    rmSync(dir, { recursive: true });
  });

  it('answers equal those of the command line, byte for byte', async () => {
    const queries = ['황화물계 고체 전해질', 'How does a "robot" dock?\n\u2028 <&>', '电池 😀 Zürich'];
    for (const [n, [flags, body]] of CASES.entries()) {
      const query = queries[n % queries.length]!;
      const response = await fetch(`${url}/api/v1/search/semantic`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ query, ...body }),
      });
      assert.equal(response.status, 200);
      const printed = await priorart('search', query, ...flags, '--json', '--data', data);
      assert.equal(printed.code, 0, printed.stderr);
      assert.equal(printed.stdout, `${await response.text()}\n`);
      assert.equal(printed.stderr, '');
    }
  });

  it('refuses the same input as the command line, with the same message but for the name of the field', async () => {
    const response = await fetch(`${url}/api/v1/search/semantic`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'x', filing_date_from: '2020-13-01' }),
    });
    assert.equal(response.status, 400);
    const printed = await priorart('search', 'x', '--filing-date-from', '2020-13-01', '--data', data);
    const { detail } = (await response.json()) as { detail: string };
    const inOptions = detail.replace('filing_date_from', '--filing-date-from');
    assert.deepEqual([printed.code, printed.stderr], [2, `priorart: ${inOptions}\n`]);
  });

  it('SIGTERM ends it in order', async () => {
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    server.child.kill('SIGTERM');
    ended = await server.ended;
    assert.deepEqual([ended.code, ended.signal], [0, null], ended.stderr);
    assert.ok(ended.ms > 0);
    await assert.rejects(fetch(`${url}/livez`));
  });
});
