/**
 * The engine against search by its definition (truth.ts), over random filters drawn from the documents: candidates
 * for the reranker, results, and statistics. On the fixtures, in several segments with deletions; and on the offices'
 * own documents if they are available.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { calibrationFor, SHOWN_DECIMALS, shown, similarity } from '../../src/embed/calibration.js';
import { languageOf } from '../../src/embed/languages.js';
import { type Engine, open } from '../../src/engine.js';
import type { SearchOptions, Selection } from '../../src/index/native.js';
import { CHUNKS_PER_RESULT, RERANK_DEPTH, RERANK_ROUNDS } from '../../src/limits.js';
import { loadModels } from '../../src/models/load.js';
import { companyKey } from '../../src/patent/name.js';
import type { Passage } from '../../src/patent/passage.js';
import { type Patent, titlesOf } from '../../src/patent/record.js';
import { FIT } from '../../src/rerank/fit.js';
import { clausesOf, deduplicates } from '../../src/search/filter.js';
import { Folder } from '../../src/search/folder.js';
import { planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';

import type { AnalyticsRequest, SemanticRequest } from '../../src/search/schema.js';
import type { AnalyticsResponse, Chunk } from '../../src/search/types.js';
import { FIXTURES, noReal, questions, REAL_SOURCES, random } from '../crash/folder.js';
import { type Collection, collect } from './collection.js';
import { DATE_TYPES, type Filter, randomFilter } from './requests.js';
import {
  type Document,
  dateOf,
  deduplicated,
  documentsOf,
  kindOf,
  ranked,
  type Scored,
  score,
  tally,
} from './truth.js';

/** Sums of 256 products in single and in double precision differ by less. */
const ROUNDING = 2e-6;

const { embedder, reranker } = await loadModels();
/** The same difference after the calibration curve, whose maximum slope is a quarter of `slope`. */
const SHOWN_ROUNDING = (ROUNDING * embedder.calibration.slope) / 4 + 1e-6;
/** The calibration of the last question; each question has its own. */
let calibration = embedder.calibration;
const similarityOf = (cosine: number) => shown(similarity(cosine, calibration));

/** Folder, records and truth of a collection; made once for all its tests. */
class Case {
  collection!: Collection;
  engine!: Engine;
  folder!: Folder;
  documents: Document[] = [];
  patents: Patent[] = [];
  readonly #scored = new Map<string, { vector: Float32Array; scored: Scored[] }>();
  readonly queries: string[] = [];

  async open(sources: readonly string[], gone: number): Promise<void> {
    this.collection = await collect(sources);
    this.engine = await open(this.collection.dir, { workers: 1 });
    const doomed = [...this.collection.patents.keys()].filter((_, n) => n % 17 === 3).slice(0, gone);
    assert.deepEqual((await this.engine.delete(doomed)).deleted, doomed);
    for (const id of doomed) this.collection.patents.delete(id);
    this.folder = new Folder(this.collection.dir);
    const { native } = this.folder.snapshot();
    this.patents = [...this.collection.patents.values()];
    this.documents = documentsOf(this.patents, (patentId) => {
      const id = this.folder.store.ids.get(patentId);
      return native.vectorsOf(id ?? -1) ?? assert.fail(`${patentId} has no vectors`);
    });
    const titles = this.patents.flatMap((p) => [p.title, ...Object.values(p.titles ?? {})]);
    this.queries.push(
      ...questions(12),
      ...(titles.filter((t, n) => t && n % 41 === 0).slice(0, 12) as string[]),
    );
    // Nothing to embed: every score is 0, and only the rules for ties decide.
    this.queries.push('???');
  }

  async close(): Promise<void> {
    await this.folder?.close();
    await this.engine?.close();
    this.collection?.remove();
  }

  async scored(query: string): Promise<{ vector: Float32Array; scored: Scored[] }> {
    const known = this.#scored.get(query);
    if (known) {
      calibration = calibrationFor(embedder, known.vector);
      return known;
    }
    const vector = await embedder.embed([query], 'query');
    calibration = calibrationFor(embedder, vector);
    const made = { vector, scored: this.#asTheEngineScores(vector, score(this.documents, vector)) };
    this.#scored.set(query, made);
    return made;
  }

  /**
   * Replaces the definition's scores by those of the engine, which must be the same but for rounding. Whether two shown
   * scores are equal is then no matter of rounding.
   */
  #asTheEngineScores(vector: Float32Array, scored: Scored[]): Scored[] {
    const all = this.folder.snapshot().native.select([]);
    const options = { documents: scored.length, chunks: 1, dedupe: false, minScore: -2 };
    const found = new Map(this.#exact(vector, all, options).map(({ id, score }) => [id, score]));
    return scored.map((one) => {
      const { patent_id } = one.document.patent;
      const score = found.get(patent_id) ?? assert.fail(`${patent_id} is not found`);
      assert.ok(Math.abs(one.score - score) < ROUNDING, `${patent_id}: ${score}, by definition ${one.score}`);
      return { ...one, score };
    });
  }

  /** The results of a search by the definition, best first. */
  async truth(query: string, filter: Filter): Promise<Scored[]> {
    const allowed = (await this.scored(query)).scored.filter((s) => filter.matches(s.document.patent));
    const { doc_type = 'all', kind_codes } = filter.fields;
    const results = doc_type === 'all' && !kind_codes ? deduplicated(allowed, similarityOf) : allowed;
    return ranked(results, similarityOf);
  }

  /** The documents that the engine selects for the reranker. */
  async candidates(request: SemanticRequest, documents: number): Promise<{ id: string; score: number }[]> {
    const { query, filters } = parseSemantic(request);
    const { vector } = await this.scored(query);
    const selection = this.folder.snapshot().native.select(clausesOf(filters, this.folder.store));
    const shownAs = { ...calibration, decimals: SHOWN_DECIMALS };
    const dedupe = deduplicates(filters);
    return this.#exact(vector, selection, { documents, chunks: 1, dedupe, shown: shownAs, minScore: -2 });
  }

  #exact(
    vector: Float32Array,
    selection: Selection,
    options: SearchOptions,
  ): { id: string; score: number }[] {
    const { manifest, native } = this.folder.snapshot();
    const plan = planOf(manifest.segments, native.segments, selection, options.documents, { exact: true });
    const hits = native.search(vector, selection, scansOf(plan), options);
    return Array.from(hits.docs, (doc, n) => ({
      id: this.folder.store.documents.get(doc)!.patent_id,
      score: hits.scores[n]!,
    }));
  }
}

/** Equal shown scores in the same order; equal documents except for ties. */
function assertRanking(
  found: { id: string; score: number }[],
  truth: Scored[],
  most: number,
  label: string,
): void {
  assert.equal(found.length, Math.min(most, truth.length), `${label}: number of documents`);
  const scores = new Map(truth.map((s) => [s.document.patent.patent_id, s.score]));
  for (const [n, { id, score }] of found.entries()) {
    const own = scores.get(id);
    assert.ok(own !== undefined, `${label}: ${id} is wrong, or another publication represents it`);
    assert.equal(score, own, `${label}: score of ${id}`);
    assert.equal(similarityOf(score), similarityOf(truth[n]!.score), `${label}: score of place ${n + 1}`);
  }
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length, `${label}: a document twice`);
}

function suite(
  name: string,
  sources: readonly string[],
  counts: { filters: number; gone: number },
  skip: string | false,
): void {
  describe(`search by its definition: ${name}`, { skip }, () => {
    const it_ = new Case();
    before(() => it_.open(sources, counts.gone));
    after(() => it_.close());

    it('has every record with one vector for each passage, as the model gives it', async () => {
      assert.equal(it_.folder.store.ids.getCount(), it_.patents.length);
      for (const { patent, passages, vectors } of it_.documents.filter((_, n) => n % 29 === 0)) {
        const fresh = await embedder.embed(
          passages.map(({ text }) => text),
          'passage',
          titlesOf(patent),
        );
        assert.equal(vectors.length, fresh.length, patent.patent_id);
        // Half precision has eleven bits.
        const off = fresh.findIndex((x, i) => Math.abs(x - vectors[i]!) > 2 ** -11 * Math.abs(x) + 1e-7);
        assert.equal(off, -1, `${patent.patent_id}, component ${off}`);
      }
    });

    it(`selects the candidates for the reranker, under ${counts.filters} filters`, async () => {
      const next = random(11);
      const sizes = { none: 0, few: 0, many: 0 };
      for (let n = 0; n < counts.filters; n++) {
        const filter = randomFilter(next, it_.patents);
        const query = it_.queries[n % it_.queries.length]!;
        const truth = await it_.truth(query, filter);
        const most = [RERANK_DEPTH.lateInteraction, 100, 3][n % 3]!;
        const request = { query, ...filter.fields };
        assertRanking(await it_.candidates(request, most), truth, most, JSON.stringify(request));
        sizes[truth.length === 0 ? 'none' : truth.length <= 10 ? 'few' : 'many'] += 1;
      }
      for (const [size, count] of Object.entries(sizes)) {
        assert.ok(count > counts.filters / 20, `too few filters match ${size}: ${JSON.stringify(sizes)}`);
      }
    });

    it('returns them in the order of the reranker, with the best passages', async () => {
      const next = random(12);
      for (let n = 0; n < counts.filters / 4; n++) {
        const filter = randomFilter(next, it_.patents);
        const query = it_.queries[n % it_.queries.length]!;
        const topK = [10, 1, 100][n % 3]!;
        const truth = await it_.truth(query, filter);
        const request: SemanticRequest = { query, top_k: topK, ...filter.fields };
        await assertAnswer(it_, request, truth, topK);
      }
    });

    it('counts documents as it ranks them', async () => {
      const next = random(13);
      let compared = 0;
      // Thresholds too near to a score are skipped: about half of them near 0, where scores are dense.
      for (let n = 0; n < counts.filters / 2; n++) {
        const query = it_.queries[n % it_.queries.length]!;
        compared += Number(await assertCounts(it_, randomFilter(next, it_.patents), query, next));
      }
      assert.ok(compared > counts.filters / 8, `only ${compared} were compared`);
    });

    it('counts a document with min_score equal to its shown score', async () => {
      const request: AnalyticsRequest = { query: it_.queries[3]!, min_score: 0, page_size: 100 };
      const { results } = await it_.engine.analyze(request);
      // Documents with the shown score of the last one may follow after the page.
      const end = results.length === 100 ? results.at(-1)!.similarity_score : -1;
      const checked = results.filter(({ similarity_score }, n) => n % 9 === 0 && similarity_score > end);
      assert.ok(checked.length >= 5);
      for (const { similarity_score } of checked) {
        const { total_matched } = await it_.engine.analyze({ ...request, min_score: similarity_score });
        const shownAbove = results.filter((other) => other.similarity_score >= similarity_score).length;
        assert.equal(total_matched, shownAbove, `min_score ${similarity_score}`);
      }
    });
  });
}

/** The expected answer: the reranker's scores over the candidates of the definition. */
async function assertAnswer(
  it_: Case,
  request: SemanticRequest,
  truth: Scored[],
  topK: number,
): Promise<void> {
  const label = JSON.stringify(request);
  const depth = RERANK_DEPTH.lateInteraction;
  const { total, results } = await it_.engine.search({ ...request, explain: true }, { exact: true });
  assert.equal(total, results.length, label);
  assert.equal(total, Math.min(topK, truth.length), label);
  const inOrder = [...results].sort(
    (a, b) =>
      b.rerank_score - a.rerank_score ||
      b.similarity_score - a.similarity_score ||
      (a.patent_id < b.patent_id ? -1 : 1),
  );
  assert.deepEqual(results, inOrder, `${label}: order`);
  // If the cut of the candidates is within a tie, either document may be among them.
  if (truth[depth] && similarityOf(truth[depth - 1]!.score) === similarityOf(truth[depth]!.score)) return;
  const candidates = truth.slice(0, depth).map(({ document, score, passages }) => ({
    document,
    score,
    chunks: Array.from(passages, (cosine, at) => ({ cosine, at }))
      .sort((a, b) => b.cosine - a.cosine || a.at - b.at)
      .slice(0, CHUNKS_PER_RESULT),
  }));
  const scores = await reranker.score(
    request.query!,
    candidates.map(({ document, chunks }) => ({
      title: titlesOf(document.patent),
      abstract: document.passages[0]?.chunk_type === 'abstract' ? document.passages[0].text : '',
      passages: chunks.map(({ at }) => document.passages[at]!.text),
    })),
  );
  const asked = languageOf(request.query!);
  let at = 0;
  const expected = new Map(
    candidates.map(({ document, score, chunks }) => {
      const isForeign = languageOf(document.passages[chunks[0]!.at]!.text) !== asked;
      const added = isForeign ? FIT.foreign : 0;
      const own = chunks.map(({ cosine }) => scores.passages[at++]! + FIT.similarity * cosine + added);
      return [document.patent.patent_id, { document, score, chunks, own, best: Math.max(...own), isForeign }];
    }),
  );
  const last = results.at(-1)?.rerank_score ?? 0;
  for (const result of results) {
    const { explanation } = result;
    assert.ok(explanation, label);
    const { reranker: reranked, lexical, lexical_weight: weight, language } = explanation;
    // Each part is rounded to six decimals.
    assert.ok(Math.abs(result.rerank_score - reranked - weight * lexical - language) < 2e-5, label);
    const wanted = expected.get(result.patent_id);
    // Documents that only words found lie behind the depth of the definition.
    if (wanted === undefined && explanation.found_by === 'words') continue;
    if (wanted === undefined) assert.fail(`${label}: ${result.patent_id} is wrong`);
    const { document, score, chunks, own, best } = wanted;
    expected.delete(result.patent_id);
    // Of those behind, only the nearest passage counts.
    const possible = explanation.rank <= RERANK_ROUNDS.documents ? [best] : [best, own[0]!];
    const isOne = possible.some((score) => Math.abs(reranked - score) < ROUNDING);
    assert.ok(isOne, `${label}: ${result.patent_id}`);
    assert.equal(result.similarity_score, similarityOf(score), label);
    assert.equal(result.title, document.patent.title ?? Object.values(document.patent.titles ?? {})[0] ?? '');
    assert.equal(result.applicant, (document.patent.applicants ?? []).map((name) => name.name).join('; '));
    for (const field of ['filing_date', 'publication_date', 'kind_code', 'country'] as const) {
      assert.equal(result[field], document.patent[field], `${result.patent_id}: ${field}`);
    }
    assert.deepEqual(result.ipc_codes, document.patent.ipc_codes ?? []);
    assertChunks(result.chunks, document, chunks, own, `${label}: chunks of ${result.patent_id}`);
  }
  // Words only add to the score of a document in the question's language.
  for (const [id, { own, isForeign }] of expected) {
    assert.ok(isForeign || own[0]! <= last + ROUNDING, `${label}: ${id} is missing`);
  }
}

/** The best passages by inner product, equal to those of the record, in the order of the reranker. */
/** A passage as answers show it: that of a record without texts is its title. */
function answered({ patent, passages }: Document, at: number): Passage {
  const passage = passages[at]!;
  const titles = [patent.title, ...Object.values(patent.titles ?? {})];
  const isTitle = passage.chunk_type === 'abstract' && titles.some((title) => title?.trim() === passage.text);
  return isTitle ? { ...passage, section_name: 'Title' } : passage;
}

function assertChunks(
  found: Chunk[],
  document: Document,
  chunks: { cosine: number; at: number }[],
  reranked: number[],
  label: string,
): void {
  assert.equal(found.length, chunks.length, label);
  const places = new Set(chunks.map((_, n) => n));
  for (const { similarity_score, rerank_score, ...passage } of found) {
    // A passage may occur twice in a document; each is matched once.
    const place = [...places].find((n) => isDeepStrictEqual(answered(document, chunks[n]!.at), passage));
    assert.ok(place !== undefined, `${label}: not among the best passages: ${passage.text.slice(0, 60)}`);
    places.delete(place);
    assert.ok(Math.abs(rerank_score - reranked[place]!) < ROUNDING, label);
    const similar = similarityOf(chunks[place]!.cosine);
    assert.ok(Math.abs(similarity_score - similar) < SHOWN_ROUNDING, label);
  }
  const scores = found.map((chunk) => chunk.rerank_score);
  assert.deepEqual(
    scores,
    [...scores].sort((x, y) => y - x),
    label,
  );
}

/** Statistics and every page of a random analytics request. */
async function assertCounts(it_: Case, filter: Filter, query: string, next: () => number): Promise<boolean> {
  const dateType = DATE_TYPES[Math.floor(next() * 4)]!;
  const { fields, matches } = inRange(filter, dateType);
  const truth = await it_.truth(query, { fields, matches });
  const similar = truth.map((s) => similarityOf(s.score));
  // A threshold between the scores, not within rounding of any.
  const beside = 3 * SHOWN_ROUNDING;
  const between = similar[Math.floor(next() * similar.length)] ?? 0.5;
  const minScore = Math.min(1, Math.max(0, between + [beside, -beside, -1][Math.floor(next() * 3)]!));
  if (similar.some((s) => Math.abs(s - minScore) < 2 * SHOWN_ROUNDING)) return false;
  const maxResults = next() < 0.3 ? 1 + Math.floor(next() * 40) : 10_000;
  const above = truth.filter((_, n) => similar[n]! >= minScore);
  const [last, next_] = [above[maxResults - 1], above[maxResults]];
  if (last && next_ && similarityOf(last.score) === similarityOf(next_.score)) return false;
  const counted = above.slice(0, maxResults);
  const request: AnalyticsRequest = {
    query,
    ...fields,
    min_score: minScore,
    max_results: maxResults,
    date_type: dateType,
    stats_group_by: ['year', 'country', 'applicant', 'ipc'],
    page_size: 1 + Math.floor(next() * 60),
  };
  const label = JSON.stringify(request);
  const answers = await pages(it_.engine, request);
  const [first] = answers;
  assert.equal(first?.total_matched, counted.length, label);
  assert.equal(first?.total_pages, Math.ceil(counted.length / request.page_size!), label);
  assert.equal(first?.min_score_used, minScore);
  assertStats(first!, counted, dateType, label);
  assertPages(answers, counted, label);
  return true;
}

/** The date filter of a semantic search in the form of semantic-analytics: one range, of one type. */
function inRange(
  filter: Filter,
  type: string,
): { fields: Partial<AnalyticsRequest>; matches: Filter['matches'] } {
  const {
    [`${type}_date_from`]: from,
    [`${type}_date_to`]: to,
    ...rest
  } = filter.fields as Record<string, string>;
  const others = Object.keys(rest).filter((key) => /_date_(from|to)$/.test(key));
  // Filters with conditions on other dates are skipped, because semantic-analytics has one range.
  if (others.length > 0) return { fields: {}, matches: (p) => !/^none|^utility/.test(kindOf(p)) };
  const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
  return {
    fields: { ...rest, ...(from || to ? { date_range: range } : {}) } as Partial<AnalyticsRequest>,
    matches: filter.matches,
  };
}

async function pages(engine: Engine, request: AnalyticsRequest): Promise<AnalyticsResponse[]> {
  const answers = [await engine.analyze(request)];
  const last = answers[0]!.total_pages;
  for (let page = 2; page <= last + 1; page++) answers.push(await engine.analyze({ ...request, page }));
  return answers;
}

function assertStats({ stats }: AnalyticsResponse, counted: Scored[], dateType: string, label: string): void {
  const patents = counted.map((s) => s.document.patent);
  const years = patents.map((p) => dateOf(p, dateType)?.slice(0, 4)).filter((year) => year !== undefined);
  assert.deepEqual(stats.by_year, Object.fromEntries(tally(years)), label);
  assert.deepEqual(stats.by_country, Object.fromEntries(tally(patents.map((p) => p.country))), label);
  const subclasses = tally(
    patents.flatMap((p) => [...new Set((p.ipc_codes ?? []).map((code) => code.slice(0, 4)))]),
  );
  assertTop(
    stats.top_ipc!.map(({ code, count }) => [code, count]),
    subclasses,
    label,
  );
  const keys = tally(
    patents.flatMap((p) => [...new Set((p.applicants ?? []).map((name) => companyKey(name.name)))]),
  );
  assertTop(
    stats.top_applicants!.map(({ name, count }) => [companyKey(name), count]),
    keys,
    label,
  );
  const printed = new Set(patents.flatMap((p) => (p.applicants ?? []).map((name) => name.name)));
  for (const { name } of stats.top_applicants!) assert.ok(printed.has(name), `${label}: ${name}`);
}

/** The most frequent 20, in order; ties at the cut may be either. */
function assertTop(found: [string, number][], counts: [string, number][], label: string): void {
  assert.deepEqual(
    found.map(([, count]) => count),
    counts.slice(0, 20).map(([, count]) => count),
    label,
  );
  const all = new Map(counts);
  for (const [name, count] of found) assert.equal(all.get(name), count, `${label}: ${name}`);
  assert.equal(new Set(found.map(([name]) => name)).size, found.length, label);
}

function assertPages(answers: AnalyticsResponse[], counted: Scored[], label: string): void {
  const beyond = answers.at(-1)!;
  assert.equal(answers.length === 1 ? 0 : beyond.results.length, 0, `${label}: a page past the end is empty`);
  const results = answers.flatMap((answer) => answer.results);
  const size = answers[0]!.page_size;
  for (const answer of answers.slice(0, -2)) assert.equal(answer.results.length, size, label);
  const truth = new Map(counted.map((s) => [s.document.patent.patent_id, s]));
  assert.deepEqual(results.map((r) => r.patent_id).sort(), [...truth.keys()].sort(), label);
  const inOrder = [...results].sort(
    (a, b) =>
      b.similarity_score - a.similarity_score ||
      (b.publication_date ?? '').localeCompare(a.publication_date ?? '') ||
      (a.patent_id < b.patent_id ? -1 : 1),
  );
  assert.deepEqual(
    results.map((r) => r.patent_id),
    inOrder.map((r) => r.patent_id),
    `${label}: order`,
  );
  for (const result of results) {
    const { document, passages, score } = truth.get(result.patent_id)!;
    assert.equal(result.similarity_score, similarityOf(score), label);
    const best = document.passages.filter((_, n) => score - passages[n]! < ROUNDING).map(({ text }) => text);
    assert.ok(best.includes(result.chunk_text), `${label}: passage of ${result.patent_id}`);
  }
}

suite('fixtures', FIXTURES, { filters: 400, gone: 4 }, false);
suite('documents of the offices', REAL_SOURCES, { filters: 160, gone: 40 }, noReal);
