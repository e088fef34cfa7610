/** `as_of` over HTTP, in search and statistics, against records with known dates. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANALYTICS, onEachAdapter, SEMANTIC } from './service.js';
import { idsWhere, isPatent, serveWorld, WORLD } from './world.js';

/** The same number at two offices, with different priority dates. */
const TWINS = [
  { patent_id: 'EP00000777B1', country: 'EP', kind_code: 'B1', filing_date: '2010-01-01' },
  { patent_id: 'JP00000777B1', country: 'JP', kind_code: 'B1', filing_date: '2011-01-01' },
];
/** It claims a priority without a day. */
const UNKNOWN = {
  patent_id: 'EP00000888A1',
  country: 'EP',
  kind_code: 'A1',
  filing_date: '2012-01-01',
  priorities: [{ country: 'FR', number: '1100001' }],
};

onEachAdapter('as_of', (adapter) => {
  const served = serveWorld(
    adapter,
    [...WORLD, ...TWINS, UNKNOWN].map((record) => ({ title: 'Pump', ...record })),
  );

  async function found(fields: Record<string, unknown>): Promise<string[]> {
    const ids: string[] = [];
    for (const doc_type of ['application', 'grant']) {
      const { status, text, json } = await served.service.search({
        query: 'pump',
        top_k: 100,
        doc_type,
        ...fields,
      });
      assert.equal(status, 200, text);
      ids.push(...json.results.map(({ patent_id }: { patent_id: string }) => patent_id));
    }
    return ids.sort();
  }

  const publishedBefore = (day: string) =>
    idsWhere(
      (r) => isPatent(r) && r['publication_date'] !== undefined && (r['publication_date'] as string) < day,
    );

  it('a day: documents published strictly before it', async () => {
    for (const day of ['2021-05-11', '2021-05-12', '1990-01-01']) {
      assert.deepEqual(await found({ as_of: day }), publishedBefore(day), day);
    }
    assert.deepEqual(await found({ as_of: null }), await found({}));
  });

  it('a publication: its priority date, or its filing date if it claims none', async () => {
    for (const number of ['KR1020200000001A', 'kr 10-2020-0000001 a', '10-2020-0000001'])
      assert.deepEqual(await found({ as_of: number }), publishedBefore('2019-06-01'), number);
    assert.deepEqual(await found({ as_of: 'US20210000002A1' }), publishedBefore('2020-06-06'));
    // Two publications with one filing date.
    assert.deepEqual(await found({ as_of: 'EP3500001' }), publishedBefore('2017-12-31'));
  });

  it('holds together with publication_date_to, and counts alike', async () => {
    assert.deepEqual(
      await found({ as_of: '2021-05-11', publication_date_to: '2020-02-02' }),
      publishedBefore('2020-02-03'),
    );
    assert.deepEqual(
      await found({ as_of: '2020-02-02', publication_date_to: '2021-05-11' }),
      publishedBefore('2020-02-02'),
    );
    const body = { query: 'pump', min_score: 0, doc_type: 'grant', as_of: '2021-05-11' };
    const { json } = await served.service.post(ANALYTICS, body);
    assert.equal(json.total_matched, publishedBefore('2021-05-11').filter((id) => /B\d?$/.test(id)).length);
  });

  it('422 for a number that is unknown, ambiguous or without a date; 400 for a day that does not exist', async () => {
    const refusals: [string, number, RegExp][] = [
      ['US9999999B2', 422, /^as_of: got "US9999999B2"; expected .*publication in the index$/],
      ['no number', 422, /^as_of: got "no number"; expected a day as YYYY-MM-DD/],
      ['777', 422, /their priority dates differ: EP00000777B1, JP00000777B1$/],
      ['EP00000888A1', 422, /does not know the priority date of EP00000888A1$/],
      ['2021-99', 422, /^as_of: got "2021-99"; expected a day as YYYY-MM-DD, or the number of a publication/],
      ...[
        '2021-02-29',
        '2020-1-5',
        '2020/01/05',
        '5.1.2020',
        '2020. 1. 5.',
        '2020年1月5日',
        '2020-01-05T09:00',
      ].map((day): [string, number, RegExp] => [
        day,
        400,
        RegExp(
          `^as_of: invalid date "${day}"; expected YYYY-MM-DD, or the number of a publication in the index$`,
        ),
      ]),
    ];
    for (const [as_of, status, detail] of refusals) {
      for (const path of [SEMANTIC, ANALYTICS]) {
        const answer = await served.service.post(path, { query: 'pump', as_of });
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.json.detail, detail);
      }
    }
  });
});
