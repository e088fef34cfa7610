/** Numbers, classification codes, `like` and `unlike` over HTTP, against records with known answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { analyticsResponseSchema, searchResponseSchema } from '../../src/search/answer-schema.js';
import { ANALYTICS, onEachAdapter, SEMANTIC } from './service.js';
import { idsWhere, isPatent, serveWorld } from './world.js';

onEachAdapter('numbers, codes and examples', (adapter) => {
  const served = serveWorld(adapter);

  async function found(body: Record<string, unknown>): Promise<string[]> {
    const answer = await served.service.search({ top_k: 100, ...body });
    assert.equal(answer.status, 200, answer.text);
    return searchResponseSchema.parse(answer.json).results.map(({ patent_id }) => patent_id);
  }
  async function counted(body: Record<string, unknown>) {
    const answer = await served.service.post(ANALYTICS, { page_size: 100, ...body });
    assert.equal(answer.status, 200, answer.text);
    return analyticsResponseSchema.parse(answer.json);
  }

  it('a number: its publication first, then the others', async () => {
    const all = idsWhere(isPatent);
    for (const query of ['US 11,000,001 B2', 'us11000001b2', '16/123,456']) {
      const ids = await found({ query });
      assert.equal(ids[0], 'US11000001B2', query);
      // KR1020200000001A and its grant are one.
      assert.equal(ids.length, all.length - 1);
      const { results, total_matched } = await counted({ query, min_score: 0 });
      assert.equal(results[0]?.patent_id, 'US11000001B2', query);
      assert.equal(total_matched, all.length - 1);
    }
    // Each publication of an application, by its own number.
    for (const id of ['KR1020200000001A', 'KR1023000010000B1'])
      assert.equal((await found({ query: id }))[0], id);
    // A utility model, which a search without its number leaves out.
    const model = 'KR2020200000005Y1';
    const counts = async (stated: Record<string, unknown>) =>
      (await counted({ query: model, min_score: 0, ...stated })).results.map(({ patent_id }) => patent_id);
    for (const stated of [
      {},
      { doc_type: null, include_utility_model: null },
      { include_utility_model: true },
    ]) {
      assert.equal((await found({ query: model, ...stated }))[0], model);
      assert.equal((await counts(stated))[0], model);
    }
    // Stated kinds hold for it, too, defaults among them.
    for (const stated of [
      { doc_type: 'grant' },
      { doc_type: 'all' },
      { include_utility_model: false },
      { kind_codes: ['B1'] },
    ]) {
      assert.ok(!(await found({ query: model, ...stated })).includes(model), JSON.stringify(stated));
      assert.ok(!(await counts(stated)).includes(model), JSON.stringify(stated));
    }
  });

  it('a classification code: what is classified under it, in statistics the whole class', async () => {
    const pumps = idsWhere((r) => isPatent(r) && (r['ipc_codes'] as string[])[0]!.startsWith('F04D'));
    for (const query of ['F04D', 'f04d']) {
      assert.deepEqual((await found({ query })).sort(), pumps);
      const { results, min_score_used } = await counted({ query });
      assert.deepEqual(results.map(({ patent_id }) => patent_id).sort(), pumps);
      assert.equal(min_score_used, 0);
    }
    // CPC only.
    assert.deepEqual(await found({ query: 'Y02E 60/10' }), ['US11000001B2']);
    assert.deepEqual(await found({ query: 'Y02E 60/10', countries: ['KR'] }), []);
    assert.equal((await counted({ query: 'F04D', min_score: 1 })).min_score_used, 1);
    const readAs = async (query: string, explain = true) => {
      const { json } = await served.service.search({ query, explain });
      return json.classification;
    };
    assert.equal(await readAs('f04d'), 'F04D');
    assert.equal(await readAs('Y02E 60/10'), 'Y02E60/10');
    assert.equal(await readAs('F04D', false), undefined, 'only with explain');
    assert.equal(await readAs('B99Z'), undefined, 'nothing is classified under it');
    assert.equal(await readAs('pump'), undefined);
  });

  it('a number or a code that the index does not have: explain names it', async () => {
    const missing = async (query: string, explain = true) => {
      const named = (await served.service.search({ query, explain })).json.not_in_index;
      assert.equal((await counted({ query, explain })).not_in_index, named, query);
      return named;
    };
    assert.equal(await missing('US 99999999 B2'), 'number');
    for (const query of ['B99Z 1/00', 'F04D 29/00-29/40', 'H01M 0/00'])
      assert.equal(await missing(query), 'classification', query);
    assert.equal(await missing('US 99999999 B2', false), undefined, 'only with explain');
    assert.equal(await missing('B99Z'), undefined, 'it may be a name');
    for (const query of ['KR1020200000001A', 'F04D', 'pump'])
      assert.equal(await missing(query), undefined, query);
  });

  it('like and unlike: with and without a query, without the named publications', async () => {
    const others = idsWhere(isPatent).filter((id) => !/^KR10|^US11/.test(id));
    assert.deepEqual((await found({ like: ['KR 10-2020-0000001 A', 'US11000001B2'] })).sort(), others);
    const body = { query: 'pump', like: ['KR1020200000001A'], unlike: ['US11000001B2'] };
    assert.deepEqual((await found(body)).sort(), others);
    const { total_matched, query } = await counted({ ...body, min_score: 0 });
    assert.equal(total_matched, others.length);
    assert.equal(query, 'pump');
    assert.equal((await counted({ like: ['US11000001B2'], min_score: 0 })).query, '');
  });

  it('like and unlike leave out families where a family is one result', async () => {
    const like = ['KR1020200000001A'];
    assert.ok((await found({ like })).includes('US11000001B2'));
    const ids = idsWhere(isPatent);
    const others = ids.filter(
      (id) => !['KR1020200000001A', 'KR1023000010000B1', 'US11000001B2'].includes(id),
    );
    assert.deepEqual((await found({ like, collapse: 'family' })).sort(), others);
    const unlike = { query: 'pump', unlike: like, collapse: 'family' };
    assert.deepEqual((await found(unlike)).sort(), others);
    assert.equal((await counted({ ...unlike, min_score: 0 })).total_matched, others.length);
  });

  it('422 for unknown numbers, naming all of them, and for wrong lists', async () => {
    const refusals: [Record<string, unknown>, RegExp][] = [
      [
        { like: ['US9999999B2', 'US11000001B2', 'nothing'] },
        /like: .* "US9999999B2", "nothing"; expected numbers/,
      ],
      [{ query: 'pump', unlike: ['EP9999999A1'] }, /unlike: .* "EP9999999A1"; expected/],
      // An application and a grant of different applications have this number.
      [
        { like: ['EP03500001'] },
        /like: "EP03500001" is the number of EP03500001A1, EP03500001B1; expected one/,
      ],
      [{ like: [] }, /like: got \[\]; expected a list of 1 to 20 publication numbers/],
      [{ like: Array(21).fill('US11000001B2') }, /expected a list of 1 to 20 publication numbers/],
      [{ like: 'US11000001B2' }, /like: got "US11000001B2"; expected a list/],
      [{ like: ['US11000001B2'], query: '' }, /query: got ""/],
    ];
    for (const [body, detail] of refusals) {
      for (const path of [SEMANTIC, ANALYTICS]) {
        const answer = await served.service.post(path, body);
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.json.detail, detail);
      }
    }
  });
});
