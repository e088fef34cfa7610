/** Malicious bodies at every POST endpoint: the status is right, and the process survives. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from '../property.js';
import { ANALYTICS, DETAILS, onEachAdapter, SEMANTIC, Service } from './service.js';

const GOOD: Record<string, string> = {
  [SEMANTIC]: '"query":"q"',
  [ANALYTICS]: '"query":"q"',
  [DETAILS]: '"patent_ids":["x"]',
};

onEachAdapter('malicious bodies', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  async function expects(path: string, body: string | Uint8Array, ...statuses: number[]): Promise<string> {
    const answer = await service.post(path, body);
    const shown = String(body).slice(0, 80);
    assert.ok(
      statuses.includes(answer.status),
      `${answer.status} for ${shown}: ${answer.text.slice(0, 200)}`,
    );
    if (answer.status !== 200) {
      assert.deepEqual(Object.keys(answer.json), ['detail']);
      assert.ok(answer.text.length < 2_000, 'the answer repeats the request');
      assert.doesNotMatch(answer.text, /\.[jt]s:|node_modules|\n\s+at /);
    }
    return answer.text;
  }

  for (const [path, good] of Object.entries(GOOD)) {
    const field = path === DETAILS ? 'patent_ids' : 'query';

    it(`SPEC 7 400 malformed JSON, nested deeply or not: ${path}`, async () => {
      for (const depth of [10, 1_000, 100_000, 500_000]) {
        await expects(path, '['.repeat(depth), 400);
        await expects(path, '{"a":'.repeat(Math.min(depth, 150_000)), 400);
      }
      for (const depth of [10, 1_000, 5_000])
        await expects(path, `{${good},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`, 400, 422);
      for (const body of [
        '{',
        '}',
        '"',
        '{"a"}',
        '{,}',
        'NaN',
        '{"a":1e}',
        '\ufeff{',
        "{'a':1}",
        '{"a":\u0001}',
      ])
        await expects(path, body, 400);
      for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0, 0, 0, 0x7b]])
        await expects(path, Uint8Array.from(bytes), 400);
    });

    it(`a huge number has the wrong type or is out of range: ${path}`, async () => {
      for (const number of ['1e999', '-1e999', '9'.repeat(10_000), '1e-999', '0.1e1000000000', '-0'])
        for (const name of [field, 'top_k', 'page', 'page_size'])
          if (name === field || path === ANALYTICS || (path === SEMANTIC && name === 'top_k'))
            await expects(path, `{${name === field ? '' : `${good},`}"${name}":${number}}`, 422);
    });

    it(`prototypes are not changed, and names such as __proto__ are unknown fields: ${path}`, async () => {
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])
        for (const value of ['{"polluted":true}', '"x"', 'null', '{"__proto__":{"polluted":1}}'])
          await expects(path, `{${good},"${name}":${value}}`, 422);
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    });

    it(`the last of duplicate fields counts, as in JSON.parse: ${path}`, async () => {
      await expects(path, `{"${field}":5,${good}}`, 200);
      await expects(path, `{${good},"${field}":5}`, 422);
    });

    it(`lone surrogates and NUL are valid in texts: ${path}`, async () => {
      for (const text of ['\\ud800', 'a\\udc00b', 'x\\u0000y', '\\ud83d\\ude00'])
        await expects(path, path === DETAILS ? `{"patent_ids":["${text}"]}` : `{"query":"${text}"}`, 200);
      if (path === DETAILS) await expects(path, '{"patent_ids":["\\u0000"]}', 200);
      else await expects(path, '{"query":"\\u0000"}', 422);
      await expects(path, `{${good},"\\ud800":1}`, 422);
      await expects(path, `{${good},"\\u0000":1}`, 422);
    });

    it(`a hundred thousand unknown fields or entries take little time: ${path}`, async () => {
      const fields = Array.from({ length: 80_000 }, (_, i) => `"f${i}":0`).join(',');
      const started = process.cpuUsage();
      await expects(path, `{${good},${fields}}`, 422);
      await expects(path, `{"${field}":[${'0,'.repeat(200_000)}0]}`, 422);
      await expects(path, `{"${field}":"${'x'.repeat(900_000)}"}`, 422);
      const { user } = process.cpuUsage(started);
      assert.ok(user < 5_000_000, `${user} µs of processor time`);
    });

    it(`DECISIONS order of checks: a body of more than a mebibyte is 413: ${path}`, async () => {
      await expects(path, `{${good},"x":"${'x'.repeat(1 << 20)}"}`, 413);
    });

    it(`no JSON causes an internal error: ${path}`, async () => {
      const names = fc.constantFrom(
        field,
        'top_k',
        'countries',
        'sections',
        'page',
        'date_range',
        'applicant',
      );
      const value = fc.jsonValue({ maxDepth: 4 });
      const body = fc.oneof(value, fc.dictionary(fc.oneof(names, fc.string()), value));
      await fc.assert(
        fc.asyncProperty(body, async (json) => {
          const answer = await service.post(path, JSON.stringify(json));
          assert.ok([200, 400, 422].includes(answer.status), `${answer.status} for ${JSON.stringify(json)}`);
        }),
        { numRuns: 150 },
      );
    });
  }

  it('the process survives, and its answers are unchanged', async () => {
    assert.equal((await service.call('/livez')).status, 200);
    assert.equal((await service.search({ query: 'q' })).json.total, 10);
    const errors = service.logLines.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(errors, []);
  });
});
