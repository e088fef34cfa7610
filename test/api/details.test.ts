/** Specification 4.3 and its decisions, over HTTP. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { detailsResponseSchema } from '../../src/search/answer-schema.js';
import { DETAILS, onEachAdapter } from './service.js';
import { serveWorld, WORLD } from './world.js';

onEachAdapter('4.3 POST /api/v1/patents/details', (adapter) => {
  const served = serveWorld(adapter);

  async function entries(body: Record<string, unknown>) {
    const answer = await served.service.post(DETAILS, body);
    assert.equal(answer.status, 200, answer.text);
    return detailsResponseSchema.parse(answer.json).patents;
  }

  it('SPEC 4.3 response; SPEC 2.5 fields of an entry', async () => {
    const [entry, ...others] = await entries({ patent_ids: ['US11000001B2'] });
    assert.deepEqual(others, []);
    assert.deepEqual(entry, {
      patent_id: 'US11000001B2',
      metadata: {
        title: 'Pump 2',
        applicant: 'Samsung Electronics Co., Ltd.',
        filing_date: '2019-05-05',
        publication_date: '2021-05-11',
        ipc_codes: ['H01M 10/0562', 'B60L 50/64'],
        kind_code: 'B2',
        country: 'US',
      },
      content: `# Pump 2\n\n## Abstract\n\n${WORLD[2]!['abstract']}\n`,
    });
  });

  it('DECISIONS optional fields: bibliography is absent unless asked for, and may be asked with sections', async () => {
    const patent_ids = ['US11000001B2', 'unknown'];
    for (const body of [
      { patent_ids },
      { patent_ids, bibliography: false },
      { patent_ids, bibliography: null },
    ]) {
      assert.ok((await entries(body)).every((entry) => entry.bibliography === undefined));
    }
    const [entry, unknown, again] = await entries({
      patent_ids: [...patent_ids, 'US11000001B2'],
      sections: 'title',
      bibliography: true,
    });
    assert.deepEqual(unknown, { patent_id: 'unknown', error: 'not_found' });
    assert.deepEqual(entry, again);
    assert.equal(entry!.bibliography!.family_id, 'F1');
    assert.equal(entry!.bibliography!.family.length, 2, 'the other members of family F1');
    const wrong = await served.service.post(DETAILS, { patent_ids, bibliography: 'yes' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /bibliography: got \\?"yes\\?"; expected true or false/);
  });

  it('SPEC 4.3 unknown ids: {patent_id, error: "not_found"} and still 200; SPEC 7.1', async () => {
    const ids = ['US99999999B2', 'KR1020200000001A', 'no number at all', '\u0000', '🙂'];
    const found = await entries({ patent_ids: ids });
    assert.deepEqual(
      found.filter((_, i) => i !== 1),
      ids.filter((_, i) => i !== 1).map((patent_id) => ({ patent_id, error: 'not_found' })),
    );
    assert.equal(found[1]!.patent_id, 'KR1020200000001A');
  });

  it('DECISIONS duplicate ids in details: an entry for each requested id, in request order', async () => {
    const ids = ['EP03500001B1', 'US11000001B2', 'EP03500001B1', 'unknown', 'US11000001B2'];
    const found = await entries({ patent_ids: ids });
    assert.deepEqual(
      found.map(({ patent_id }) => patent_id),
      ids,
    );
    assert.deepEqual(found[0], found[2]);
  });

  it('DECISIONS numbers as input: any spelling; several publications are ambiguous, with candidates', async () => {
    const spellings = ['us11000001b2', 'US 11,000,001 B2', 'US-11000001-B2', ' 11000001 '];
    for (const entry of await entries({ patent_ids: spellings }))
      assert.equal(entry.patent_id, 'US11000001B2');
    const [ambiguous] = await entries({ patent_ids: ['EP03500001'] });
    assert.deepEqual(ambiguous, {
      patent_id: 'EP03500001',
      error: 'ambiguous',
      candidates: ['EP03500001A1', 'EP03500001B1'],
    });
  });

  it('SPEC 4.3 sections: the subset in printing order, default and null: all; others are 422', async () => {
    const of = async (sections?: string | null) =>
      (await entries({ patent_ids: ['US11000001B2'], sections }))[0]!.content;
    assert.equal(await of('title'), '# Pump 2\n');
    assert.equal(await of(' abstract , title '), await of());
    assert.equal(await of(null), await of());
    assert.equal(await of('claims'), '');
    for (const sections of ['', 'title,', 'Title', 'title;abstract', 'body', 5, ['title']]) {
      const answer = await served.memory.post(DETAILS, { patent_ids: ['x'], sections });
      assert.equal(answer.status, 422, String(sections));
      assert.ok(answer.json.detail.includes('title, abstract, claims, description'), answer.json.detail);
    }
  });

  it('SPEC 4.3 patent_ids: required, 1 to 200 texts; SPEC 8 patent_ids', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `US${i}B2`);
    assert.equal((await entries({ patent_ids: ids })).length, 200);
    const wrong = [undefined, null, [], [...ids, 'one more'], 'US11000001B2', [5], [''], [' '], [null], {}];
    for (const patent_ids of wrong) {
      const answer = await served.memory.post(DETAILS, { patent_ids });
      assert.equal(answer.status, 422, JSON.stringify(patent_ids)?.slice(0, 50));
      assert.ok(answer.json.detail.includes('patent_ids'), answer.json.detail);
    }
    assert.equal(
      (await served.memory.post(DETAILS, { ids: ['x'], patent_ids: ['x'] })).status,
      422,
      'unknown field',
    );
    assert.equal(served.memory.engine.detailsQueries.length, 0);
  });

  it('an answer has an ETag of its content; conditional headers are ignored, because it is a POST', async () => {
    const body = { patent_ids: ['US11000001B2', 'unknown'] };
    const first = await served.service.post(DETAILS, body);
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{22}"$/);
    assert.equal(first.headers.get('cache-control'), 'private, no-cache');
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await served.service.post(DETAILS, body, { 'if-none-match': sent });
      assert.equal(again.status, 200, sent);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('etag'), etag);
    }
    const sections = await served.service.post(DETAILS, { ...body, sections: 'title' });
    assert.notEqual(sections.headers.get('etag'), etag);
  });
});
