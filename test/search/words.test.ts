/** The words of a question: filters by words, explanations and highlights, compared with the texts themselves. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { RERANK_ROUNDS } from '../../src/limits.js';
import type { Patent } from '../../src/patent/record.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import type { SearchResult } from '../../src/search/types.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { openBefore } from './collection.js';

/** Words that have no other endings in the fixtures, so that a text holds one if it contains its letters. */
const EXACT = ['전해질', '배터리', '電池', 'センサ', '传感器', '황화물계', 'LiPF6'];

/** Simplified forms of Han characters. */
const HAN = new Map(
  readFileSync(new URL('../../../native/core/src/lexical/han.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t') as [string, string]),
);
const folded = (text: string) =>
  Array.from(text.normalize('NFKC').toLowerCase(), (character) => HAN.get(character) ?? character).join('');

describe('words', () => {
  const fixtures = openBefore(FIXTURES);

  /** patent_ids of the publications whose texts contain a word, by reading them. */
  const holding = (word: string) => {
    const holds = (patent: Patent) =>
      lexicalTexts(patent).some(({ text }) => folded(text).includes(folded(word)));
    return fixtures.patents.filter(holds).map(({ patent_id }) => patent_id);
  };

  const found = async (filter: { must_terms?: string[]; must_not_terms?: string[] }) => {
    const ids = [];
    for await (const { patent_id } of fixtures.engine.patents({ filter })) ids.push(patent_id);
    const request = { query: 'a', collapse: 'none', include_utility_model: true, top_k: 100 } as const;
    const { results } = await fixtures.engine.search({ ...request, ...filter }, { exact: true });
    return { ids: ids.sort(), searched: results.map(({ patent_id }) => patent_id) };
  };

  it('must_terms allow the documents that hold all of them, must_not_terms those that hold none', async () => {
    let some = 0;
    for (const word of EXACT) {
      const held = holding(word).sort();
      some += Number(held.length > 0);
      const must = await found({ must_terms: [word] });
      assert.deepEqual(must.ids, held, word);
      assert.ok(
        must.searched.every((id) => held.includes(id)),
        word,
      );
      const rest = fixtures.patents.map(({ patent_id }) => patent_id).filter((id) => !held.includes(id));
      assert.deepEqual((await found({ must_not_terms: [word] })).ids, rest.sort(), word);
    }
    assert.ok(some >= 5, `only ${some} words are in the fixtures`);
    const both = await found({ must_terms: ['배터리', '전해질'] });
    assert.deepEqual(
      both.ids,
      holding('배터리')
        .filter((id) => holding('전해질').includes(id))
        .sort(),
    );
  });

  it('a phrase is found by stem, with hyphens or without, and only in its order', async () => {
    const { ids } = await found({ must_terms: ['thermal runaway'] });
    const read = fixtures.patents.filter((patent) =>
      lexicalTexts(patent).some(({ text }) => /thermal[\s-]+runaways?\b/i.test(text)),
    );
    assert.ok(read.length > 0);
    assert.deepEqual(ids, read.map(({ patent_id }) => patent_id).sort());
    assert.deepEqual((await found({ must_terms: ['Thermal-Runaways'] })).ids, ids);
    assert.deepEqual((await found({ must_terms: ['runaway thermal'] })).ids, []);
  });

  it('a filter that excludes everything gives an empty answer and no count', async () => {
    const filter = { must_terms: ['전해질'], must_not_terms: ['전해질'] };
    const found = await fixtures.engine.search({ query: 'battery', ...filter });
    assert.deepEqual(found, { total: 0, results: [] });
    const explained = await fixtures.engine.search({
      query: 'battery',
      explain: true,
      countries: ['KR'],
      ...filter,
    });
    const holders = holding('전해질').length;
    const others = fixtures.patents.filter(({ country }) => country !== 'KR').length;
    const byField = Object.fromEntries((explained.excluded_by ?? []).map((one) => [one.filter, one]));
    assert.deepEqual(byField['must_not_terms'], {
      filter: 'must_not_terms',
      publications: holders,
      terms: ['전해질'],
    });
    assert.equal(byField['must_terms']?.publications, fixtures.patents.length - holders);
    assert.deepEqual(byField['countries'], { filter: 'countries', publications: others });
    assert.equal(
      (await fixtures.engine.analyze({ query: 'battery', min_score: 0, ...filter })).total_matched,
      0,
    );
  });

  it('an empty answer names the field of each condition, as the request has it', async () => {
    const { engine, patents } = fixtures;
    const fieldsOf = async (request: SemanticRequest) =>
      new Map(
        ((await engine.search({ query: 'battery', explain: true, ...request })).excluded_by ?? []).map(
          ({ filter, publications }) => [filter, publications],
        ),
      );
    const both = await fieldsOf({ as_of: '0001-01-01', publication_date_from: '2999-01-01' });
    assert.equal(both.get('as_of'), patents.length);
    assert.equal(both.get('publication_date'), patents.length);
    assert.equal((await fieldsOf({ as_of: '0001-01-01' })).has('publication_date'), false);
    // The office of an application number belongs to its condition.
    const application = await fieldsOf({ application_number: 'US9999999999' });
    assert.deepEqual([...application], [['application_number', patents.length]]);
    // What like and unlike hide.
    const { patent_id, application_number, country } = patents[0]!;
    const siblings = patents.filter(
      (p) => p === patents[0] || (p.country === country && p.application_number === application_number),
    );
    for (const field of ['like', 'unlike'] as const) {
      const hidden = await fieldsOf({ publication_number: patent_id, [field]: [patent_id] });
      assert.equal(hidden.get('publication_number'), patents.length - 1);
      assert.equal(hidden.get(field), application_number === undefined ? 1 : siblings.length);
    }
  });

  it('refuses a term without a letter or digit, naming it', async () => {
    await assert.rejects(fixtures.engine.search({ query: 'x', must_terms: ['ok', '--'] }), {
      code: 'invalid_request',
      message: /must_terms\[1\].*letter or digit/,
    });
  });

  it('required terms are matches and highlights, and the answer says which parts hold them', async () => {
    const asked = { explain: true, highlight: true } as const;
    let shown = 0;
    for (const must of [['sensor'], ['전해질'], ['电池'], ['thermal runaway']]) {
      const { results } = await fixtures.engine.search({ query: 'camera', ...asked, must_terms: must });
      assert.ok(results.length > 0, must[0]);
      for (const { patent_id, chunks, explanation } of results) {
        const held = explanation!.must_terms!;
        assert.deepEqual(
          held.map(({ term }) => term),
          must,
        );
        const texts = lexicalTexts(fixtures.patents.find((patent) => patent.patent_id === patent_id)!);
        const isIn = (text: string) =>
          folded(text)
            .replace(/[\s-]+/g, ' ')
            .includes(folded(must[0]!));
        const parts = new Set(texts.filter(({ text }) => isIn(text)).map(({ part }) => part));
        assert.deepEqual(new Set(held[0]!.in), parts, patent_id);
        const matches = explanation!.matches.filter(({ required }) => required);
        for (const { term, chunk, from, to, documents } of matches) {
          assert.equal(term, must[0]);
          assert.ok(isIn(chunks[chunk]!.text.slice(from, to)), patent_id);
          assert.equal(documents, holding(must[0]!).length);
          assert.ok(chunks[chunk]!.highlights!.some((range) => range.from <= from && to <= range.to));
        }
        const inChunks = chunks.some(({ text }) => isIn(text));
        assert.equal(matches.length > 0, inChunks, patent_id);
        shown += matches.length;
      }
    }
    assert.ok(shown > 0);
    const [plain] = (await fixtures.engine.search({ query: 'camera', explain: true })).results;
    assert.ok(plain && !('must_terms' in plain.explanation!));
  });

  it('the parts of a score add up, and offsets are the words shown', async () => {
    let [hits, matches, translated] = [0, 0, 0];
    for (const query of [...questions(60), 'PM2.5', 'battery', '전해질', '电池 sensor', '???']) {
      const { results } = await fixtures.engine.search({ query, top_k: 100, explain: true, highlight: true });
      for (const [n, result] of results.entries()) {
        assertExplained(query, result, n + 1);
        hits += 1;
        matches += result.explanation!.matches.length;
        translated += result.explanation!.matches.filter((match) => match.translation_of).length;
      }
    }
    assert.ok(hits > 4_000 && matches > 3_000, `${hits} hits, ${matches} matches`);
    assert.ok(translated > 500, `${translated} translations`);
    const [plain] = (await fixtures.engine.search({ query: 'battery' })).results;
    assert.ok(plain && !('explanation' in plain) && plain.chunks.every((chunk) => !('highlights' in chunk)));
  });
});

/** People and companies whose names are stems or forms of words, and texts with these words. */
const NAMED = [
  { patent_id: 'US20200000001A1', title: 'Gear', inventors: ['PARK, Ji Sung'] },
  { patent_id: 'US20200000002A1', title: 'Gear', applicants: ['Ｐａｒｋｉｎｇ Systems Inc.'] },
  { patent_id: 'US20200000003A1', title: 'Gear', inventors: [{ name: '홍길동', name_en: 'LOCK, Jon' }] },
  { patent_id: 'US20200000004A1', title: 'Car parks', inventors: ['MOON, Ae'] },
  { patent_id: 'US20200000005A1', title: 'Parking locks' },
];

describe('words in names', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-names-'));
  let engine: Engine;
  before(async () => {
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    const records = NAMED.map((record) => ({ ...record, country: 'US', kind_code: 'A1', language: 'en' }));
    assert.equal((await engine.ingest(records)).ingested, NAMED.length);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  it('count as they are written, in filters and questions; words in texts by their stems', async () => {
    for (const [term, numbers] of [
      ['parking', [2, 4, 5]],
      ['PARKING', [2, 4, 5]],
      ['parks', [4, 5]],
      ['park', [1, 4, 5]],
      ['Park Ji Sung', []],
      ['park, ji sung', [1]],
      ['parking systems', [2]],
      ['parking system', []],
      ['locks', [5]],
      ['lock', [3, 5]],
      ['moon', [4]],
      ['moons', []],
    ] as const) {
      const expected = numbers.map((number) => `US2020000000${number}A1`);
      const of = async (filter: { must_terms?: string[]; must_not_terms?: string[] }) => {
        const ids = [];
        for await (const { patent_id } of engine.patents({ filter })) ids.push(patent_id);
        return ids.sort();
      };
      assert.deepEqual(await of({ must_terms: [term] }), expected, term);
      const others = NAMED.map(({ patent_id }) => patent_id).filter((id) => !expected.includes(id));
      assert.deepEqual(await of({ must_not_terms: [term] }), others, term);
      if (term.includes(' ')) continue;
      const request = { query: term, top_k: 10, explain: true, collapse: 'none' } as const;
      const { results } = await engine.search(request, { exact: true });
      const scored = results.filter(({ explanation }) => explanation!.lexical > 0);
      assert.deepEqual(scored.map(({ patent_id }) => patent_id).sort(), expected, term);
    }
  });

  it('are said to hold a required term only if they do', async () => {
    const request = { query: 'gear', must_terms: ['parking'], explain: true, collapse: 'none' } as const;
    const { results } = await engine.search(request);
    const parts = Object.fromEntries(
      results.map(({ patent_id, explanation }) => [patent_id, explanation!.must_terms![0]!.in]),
    );
    assert.deepEqual(parts, {
      US20200000002A1: ['names'],
      US20200000004A1: ['title'],
      US20200000005A1: ['title'],
    });
  });
});

function assertExplained(query: string, result: SearchResult, rank: number): void {
  const label = `${query}: ${result.patent_id}`;
  const { explanation, chunks } = result;
  assert.ok(explanation, label);
  const { reranker, lexical, lexical_weight: weight, language, matches } = explanation;
  assert.ok(Math.abs(reranker + weight * lexical + language - result.rerank_score) < 2e-5, label);
  assert.equal(explanation.rank, rank, label);
  assert.equal(explanation.found_by === 'similarity', explanation.rank_by_similarity !== undefined, label);
  const { decided_by: decidedBy } = explanation;
  assert.ok(Math.abs(chunks[decidedBy!]!.rerank_score - reranker) < 2e-6, label);
  // Only the nearest passages of the others count.
  if (rank <= RERANK_ROUNDS.documents) assert.equal(decidedBy, 0, label);
  for (const { term, translation_of: original, chunk, from, to } of matches) {
    const shown = folded(chunks[chunk]!.text.slice(from, to));
    if (original !== undefined) {
      assert.equal(shown, folded(term), label);
      assert.ok(query.includes(original), `${label}: ${original}`);
      continue;
    }
    assert.ok(query.includes(term), `${label}: ${term}`);
    // A word of another ending shares its beginning; a code may have other joiners.
    const plain = (text: string) => folded(text).replace(/[^\p{L}\p{N}]/gu, '');
    assert.equal(plain(shown).slice(0, 2), plain(term).slice(0, 2), `${label}: ${term}, ${shown}`);
  }
  for (const [n, { text, highlights }] of chunks.entries()) {
    assert.ok(highlights, label);
    const places = (ranges: readonly { from: number; to: number }[]) =>
      new Set(ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)));
    assert.deepEqual(places(highlights), places(matches.filter(({ chunk }) => chunk === n)), label);
    assert.ok(
      highlights.every(({ to }, at) => to <= text.length && (highlights[at + 1]?.from ?? Infinity) > to),
      `expected highlights in order within ${text.length} characters: ${JSON.stringify(highlights)}`,
    );
  }
}
