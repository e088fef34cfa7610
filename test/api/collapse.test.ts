/** `collapse` and `prefer_countries` over HTTP, against records with known families. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { analyticsResponseSchema, searchResponseSchema } from '../../src/search/answer-schema.js';
import { ANALYTICS, onEachAdapter, SEMANTIC } from './service.js';
import { idsWhere, isPatent, serveWorld } from './world.js';

onEachAdapter('collapse', (adapter) => {
  const served = serveWorld(adapter);

  /** Members by result, in search and statistics alike. */
  async function found(fields: Record<string, unknown>): Promise<Record<string, string[]>> {
    const search = await served.service.search({ query: 'pump', top_k: 100, ...fields });
    assert.equal(search.status, 200, search.text);
    const { results } = searchResponseSchema.parse(search.json);
    const counted = await served.service.post(ANALYTICS, {
      query: 'pump',
      min_score: 0,
      page_size: 100,
      ...fields,
    });
    assert.equal(counted.status, 200, counted.text);
    const statistics = analyticsResponseSchema.parse(counted.json);
    const list = (all: readonly { patent_id: string; members?: { patent_id: string }[] }[]) =>
      Object.fromEntries(
        all.map(({ patent_id, members }) => [patent_id, members!.map((member) => member.patent_id)]),
      );
    assert.deepEqual(list(statistics.results), list(results));
    assert.equal(statistics.total_matched, results.length);
    return list(results);
  }

  const FAMILY = ['KR1020200000001A', 'KR1023000010000B1', 'US11000001B2'];

  it('none: each publication, and each is its only member', async () => {
    const ids = idsWhere(isPatent);
    assert.deepEqual(await found({ collapse: 'none' }), Object.fromEntries(ids.map((id) => [id, [id]])));
  });

  it('application: also if doc_type or kind_codes is stated', async () => {
    const groups = Object.values(await found({ collapse: 'application' }));
    assert.ok(
      groups.some((members) => members.join() === FAMILY.slice(0, 2).join()),
      `expected a group of ${FAMILY.slice(0, 2)}: ${JSON.stringify(groups)}`,
    );
    assert.equal(groups.flat().length, idsWhere(isPatent).length);
    const kinds = Object.values(
      await found({ collapse: 'application', kind_codes: ['A', 'B1'], countries: ['KR'] }),
    );
    assert.deepEqual(kinds, [FAMILY.slice(0, 2)]);
  });

  it('family: one of each; the member of the first preferred country that the filters allow', async () => {
    const all = await found({ collapse: 'family' });
    assert.deepEqual(
      Object.values(all).filter((members) => members.length > 1),
      [FAMILY],
    );
    assert.equal(Object.values(all).flat().length, idsWhere(isPatent).length);
    const prefer = async (prefer_countries: string[], fields = {}) =>
      Object.keys(await found({ collapse: 'family', family_id: 'F1', prefer_countries, ...fields }));
    assert.deepEqual(await prefer(['US', 'KR']), ['US11000001B2']);
    assert.match((await prefer(['JP', 'KR'])).join(), /^KR10\d+(A|B1)$/);
    assert.deepEqual(await prefer(['KR', 'US'], { countries: ['US'] }), ['US11000001B2']);
    assert.deepEqual(await prefer(['KR'], { doc_type: 'application' }), ['KR1020200000001A']);
    assert.deepEqual(
      Object.values(await found({ collapse: 'family', prefer_countries: ['US'] })),
      Object.values(all),
      'the order is that of the best members',
    );
    // A utility model and a design: both are found by family_id.
    assert.equal(Object.keys(await found({ collapse: 'family', family_id: 'F2' })).length, 1);
  });

  it('balance: each office by turns, in search and statistics', async () => {
    const fields = { collapse: 'application', balance: 'country' };
    const offices = Object.keys(await found(fields)).map((id) => id.slice(0, 2));
    assert.deepEqual([...offices.slice(0, 5)].sort(), ['CN', 'EP', 'JP', 'KR', 'US']);
    assert.deepEqual(await found({ ...fields, balance: 'none' }), await found({ collapse: 'application' }));
    const languages = await found({ ...fields, balance: 'language' });
    assert.equal(Object.keys(languages).length, offices.length);
  });

  it('422 for other values, and for prefer_countries without a family', async () => {
    const refusals: [Record<string, unknown>, RegExp][] = [
      [{ collapse: 'all' }, /collapse: got "all"; expected one of none, application, family/],
      [{ collapse: 'family', prefer_countries: ['DE'] }, /expected one of US, KR, JP, CN, EP/],
      [
        { collapse: 'application', prefer_countries: ['KR'] },
        /prefer_countries: .*expected collapse "family"/,
      ],
      [{ balance: 'applicant' }, /balance: got "applicant"; expected one of none, country, language/],
      [{ prefer_countries: ['KR'] }, /prefer_countries: got \["KR"\]; expected collapse "family" with it/],
    ];
    for (const [fields, detail] of refusals) {
      for (const path of [SEMANTIC, ANALYTICS]) {
        const answer = await served.service.post(path, { query: 'pump', ...fields });
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.json.detail, detail);
      }
    }
  });
});
