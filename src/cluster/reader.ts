/**
 * One search on the cluster, on one state of its index. It fetches what the search may need into a working set, where the
 * code of the embedded engine answers it.
 */
import type { Calibration } from '../embed/calibration.js';
import { leastCosine } from '../embed/calibration.js';
import type { FilterClause } from '../index/native.js';
import type { OpenSnapshot } from '../index/segment.js';
import { TOP_K } from '../limits.js';
import type { Models } from '../models/load.js';
import { leastSimilarity } from '../search/analytics.js';
import { depthOf, wordsCount } from '../search/candidates.js';
import { groupingOf } from '../search/collapse.js';
import { clausesOf, fieldConditions } from '../search/filter.js';
import { translationShares, wordCandidates } from '../search/fusion.js';
import type { AnalyticsQuery, Balance, SemanticQuery } from '../search/query.js';
import { IndexReader } from '../search/reader.js';
import type { Subject } from '../search/subject.js';
import { wordsOf } from '../search/words.js';
import type { ModelIdentity } from '../store/manifest.js';
import { filterOf } from './clauses.js';
import { type Json, type OneState, together } from './client.js';
import { asking, bagsOf, type Field } from './documents.js';
import {
  bestGroups,
  fetchGroups,
  fieldOf,
  type GroupField,
  type Groups,
  type Key,
  keyOf,
  keyOfHead,
  nearestGroups,
  scoresOfGroups,
} from './groups.js';
import { fulfilling, knownCounts, partsHeld } from './known.js';
import { fetchByIds, fetchFigures, idsWhere, KEYS, PATENT_ID, withIds } from './lookups.js';
import { type Near, nearest, nearestBy, nearOf, type Scan, scanOf } from './nearest.js';
import { askingProducts, productsOf } from './products.js';
import type { PublicationsInMemory } from './publications.js';
import type { Totals } from './totals.js';
import { type LexicalQuery, lexicalQuery } from './words.js';
import {
  type KnownOfAll,
  openWorkingSet,
  SCORE_QUESTION,
  scoredDocuments,
  type WorkingDocument,
  type WorkingSet,
} from './working.js';

/** Documents beyond those wanted, because some are one result with others. */
const BESIDES = 50;
/** Documents that one request returns without vectors. */
const HEADS_EACH = 2_000;
/** Documents that a search reads at most, for statistics of 10,000 results. */
const DOCUMENTS_MOST = 40_000;
/** Groups of `balance` that are searched each for itself. */
const GROUPS_MOST = 12;

/** What all searches of a state have in common. */
export interface Collection extends Totals {
  state: OneState;
  model: ModelIdentity;
  /** Passages up to which all are compared with the question. Default: that of `scanOf`. */
  exactPassages?: number | undefined;
}

/** What the words of a question found. */
interface FoundByWords {
  /** Undefined if the words neither count nor are shown. */
  lexical: LexicalQuery | undefined;
  /** Documents of each group that hold words, best first, with their lexical scores. */
  holding: Near[][];
  /** Documents of each group that become candidates, at most. */
  candidates: number;
  /** Whether no other document that the filter allows holds a word. */
  isWhole: boolean;
}

export class ClusterReader extends IndexReader {
  readonly #collection: Collection;
  readonly #publications: PublicationsInMemory;
  #open: WorkingSet;
  #gathered: Scan | undefined;
  /** The vector of the question, after `gather`. */
  vector: Float32Array = new Float32Array();

  constructor(collection: Collection, publications: PublicationsInMemory, models: Models) {
    super({ store: publications, snapshot: (): OpenSnapshot => this.#open }, models);
    this.#collection = collection;
    this.#publications = publications;
    this.#open = openWorkingSet(publications, [], collection);
  }

  /** Replaces the working set. */
  use(
    documents: readonly WorkingDocument[],
    known: KnownOfAll,
    { dimensions, empty }: { dimensions?: number; empty?: ReadonlySet<string> } = {},
  ): WorkingSet {
    this.#open.native.close();
    const options = { ...this.#collection, known, ...(empty === undefined ? {} : { empty }) };
    const set = dimensions === undefined ? options : { ...options, dimensions };
    this.#open = openWorkingSet(this.#publications, documents, set);
    return this.#open;
  }

  close(): void {
    this.#open.native.close();
  }

  override gather(
    query: SemanticQuery | AnalyticsQuery,
    subject: Subject,
    calibration: Calibration,
  ): Promise<void> {
    this.vector = subject.vector;
    return 'topK' in query
      ? this.#gatherSearch(query, subject)
      : this.#gatherStatistics(query, subject, calibration);
  }

  override get gathered(): Scan | undefined {
    return this.#gathered;
  }

  /** Fetches the texts that an answer shows, and the names of drawings. */
  override gatherTexts(docs: readonly number[]): Promise<void> | undefined {
    const missing = docs.filter((doc) => this.#publications.stored(doc)?.texts === undefined);
    const figures = this.#publications.unknownFigures(docs);
    return missing.length + figures.length === 0 ? undefined : this.#fetchShown(missing, figures);
  }

  async #fetchShown(texts: readonly number[], figures: readonly string[]): Promise<void> {
    const { state } = this.#collection;
    const ids = texts.map((doc) => this.#publications.stored(doc)!.head.patent_id);
    await together([
      fetchByIds(state, this.#publications, ids, ['head', 'texts']),
      fetchFigures(state, this.#publications, figures),
    ]);
  }

  async #gatherSearch(query: SemanticQuery, subject: Subject): Promise<void> {
    const { state } = this.#collection;
    const clauses = this.#clausesOf(query, subject);
    const filter = filterOf(clauses);
    const grouping = groupingOf(query);
    const [field, key] = [fieldOf(grouping), keyOf(grouping)];
    const wanted = depthOf(this, query) + subject.first.length;
    const filters = query.balance ? await this.#filtersOf(query.balance, filter) : [filter];
    const [near, words] = await together([
      this.#nearOf(query, subject, filter, filters, field, wanted),
      this.#wordsOf(query, subject, filters, wanted),
    ]);
    const isReranked = query.rerank !== 'off';
    const fields: Field[] = ['head', ...(isReranked ? (['bags'] as const) : [])];
    if (isReranked && !this.reranker.scoreFound) fields.push('texts');
    const asked = { ...asking(fields), ...askingProducts(subject.vector, this.embedder.languages) };
    // The filter may not allow them.
    const named: Groups = { field: PATENT_ID, keys: new Set(subject.first), filter: [] };
    const firsts = await fetchGroups(state, this.#publications, named, asked);
    const keys = new Set([
      ...firsts.map((doc) => keyOfHead(key, this.#publications.stored(doc)!.head)),
      ...near.map(key),
    ]);
    for (const holding of words.holding) {
      const best = bestGroups(holding, key, keys, words.candidates + subject.first.length);
      for (const group of best) keys.add(group);
    }
    const groups = { field, keys, filter };
    const [found, scores] = await together([
      fetchGroups(state, this.#publications, groups, asked),
      this.#scoresOf(words, groups),
    ]);
    const docs = [...new Set([...found, ...firsts])];
    const { documents, languages } = this.#documents(docs);
    if (isReranked) {
      // Late interaction reads the texts of documents without its bags, other rerankers those of all.
      const read = documents.filter(({ bags }) => !this.reranker.scoreFound || bags === undefined);
      await this.gatherTexts(read.map(({ doc }) => doc));
    }
    const ids = docs.map((doc) => this.#publications.stored(doc)!.head.patent_id);
    const [counts, fulfil, parts] = await together([
      knownCounts(
        state,
        query,
        fieldConditions(query.filters, this.#publications, subject.first),
        subject.hidden,
      ),
      fulfilling(state, clauses, ids),
      partsHeld(state, this.#publications, query, ids),
    ]);
    const known: KnownOfAll = {
      scoreQuestion: SCORE_QUESTION,
      lexical: words.lexical && { scores: this.#byDocument(scores, docs), used: words.lexical.used },
      ...{ counts, fulfil, parts, languages },
    };
    this.use(documents, known, { dimensions: SCORE_QUESTION.length, empty: unreadBy(clauses) });
  }

  /** The documents whose vectors are near, of each of `filters` the nearest. @param filter the whole of them */
  async #nearOf(
    query: SemanticQuery,
    { vector }: Subject,
    filter: Json[],
    filters: readonly Json[][],
    field: GroupField,
    wanted: number,
  ): Promise<Near[]> {
    const { state } = this.#collection;
    const scan = query.exact ? 'exact' : await this.#scanOf(filter);
    this.#gathered = scan;
    const size = query.balance ? Math.min(wanted, TOP_K.max) : wanted;
    const found = await together(
      filters.map((of) => nearestGroups(state, { vector, filter: of, scan, size, onePer: field })),
    );
    return found.flat();
  }

  /** A filter for each of the commonest countries or languages, and one for all others. */
  async #filtersOf(by: Balance, filter: Json[]): Promise<Json[][]> {
    const field = `columns.${by}`;
    const { aggregations } = await this.#collection.state.search({
      size: 0,
      query: { bool: { filter } },
      aggs: { values: { terms: { field, size: GROUPS_MOST } } },
    });
    const { buckets } = aggregations!['values'] as { buckets: { key: string }[] };
    const values = buckets.map(({ key: value }) => value);
    const others = { bool: { must_not: [{ terms: { [field]: values } }] } };
    const groups: Json[] = [...values.map((value) => ({ term: { [field]: value } })), others];
    return groups.map((group) => [...filter, group]);
  }

  /** The lexical score of the question, and the documents of each filter that have the best ones if they are candidates. */
  async #wordsOf(
    query: SemanticQuery,
    subject: Subject,
    filters: readonly Json[][],
    wanted: number,
  ): Promise<FoundByWords> {
    const counts = wordsCount(this, query);
    const none = { lexical: undefined, holding: [], candidates: 0, isWhole: true };
    if (!counts && !query.explain && !query.highlight) return none;
    const words = wordsOf(subject.words ?? query.query);
    if (words.count === 0) return none;
    const { state } = this.#collection;
    const lexical = await lexicalQuery(
      state,
      this.#collection,
      words.forms(),
      translationShares(words.whole),
    );
    if (lexical.query === undefined) return { ...none, lexical };
    if (!counts) return { ...none, lexical, isWhole: false };
    const candidates = wordCandidates(words.whole, query.balance);
    const size = 2 * candidates + wanted;
    const bodies = filters.map(
      (filter): Json => ({
        ...asking([], KEYS),
        size,
        query: { bool: { filter, must: [lexical.query] } },
        track_total_hits: false,
      }),
    );
    const answers = await state.searchAll(bodies);
    const holding = answers.map(({ hits }) => hits.hits.map((hit) => nearOf(hit, hit._score!)));
    return { lexical, holding, candidates, isWhole: holding.every(({ length }) => length < size) };
  }

  /** Lexical scores above 0 of the documents of some groups, by patent_id. */
  async #scoresOf({ lexical, holding, isWhole }: FoundByWords, groups: Groups): Promise<Map<string, number>> {
    const known = new Map(holding.flat().map(({ patentId, score }) => [patentId, score]));
    if (isWhole || lexical?.query === undefined) return known;
    return scoresOfGroups(this.#collection.state, groups, lexical.query);
  }

  #byDocument(scores: ReadonlyMap<string, number>, docs: readonly number[]): Map<number, number> {
    const found = docs.flatMap((doc): [number, number][] => {
      const score = scores.get(this.#publications.stored(doc)!.head.patent_id);
      return score === undefined ? [] : [[doc, score]];
    });
    return new Map(found);
  }

  async #gatherStatistics(query: AnalyticsQuery, subject: Subject, calibration: Calibration): Promise<void> {
    const { state } = this.#collection;
    const { vector, first } = subject;
    const clauses = this.#clausesOf(query, subject);
    const filter = filterOf(clauses);
    const grouping = groupingOf(query);
    const key = keyOf(grouping);
    const scan = query.exact ? 'exact' : await this.#scanOf(filter);
    const least = leastCosine(leastSimilarity(query, subject), calibration);
    const near = await this.#nearDocuments(vector, filter, scan, query.maxResults + first.length, key, least);
    const scores = new Map(near.map(({ patentId, score }) => [patentId, score]));
    const add = async (ids: readonly string[]) => {
      for (let at = 0; at < ids.length; at += DOCUMENTS_MOST) {
        const some = withIds(ids.slice(at, at + DOCUMENTS_MOST));
        const found = await nearest(state, { vector, filter: [some], scan: 'exact', size: DOCUMENTS_MOST });
        for (const { patentId, score } of found) scores.set(patentId, score);
      }
    };
    await add(first);
    if (grouping.dedupe && (query.collapse || first.length > 0)) {
      const others = await this.#groupsOf(new Set(first), near, key, filter, fieldOf(grouping));
      await add(others);
    }
    const ids = [...scores.keys()];
    await fetchByIds(state, this.#publications, ids, ['head'], HEADS_EACH);
    const documents = ids
      .map((id) => ({ doc: this.#publications.docOf(id)!, scores: [scores.get(id)!] }))
      .sort((a, b) => a.doc - b.doc);
    const [counts, fulfil] = await together([
      knownCounts(
        state,
        query,
        fieldConditions(query.filters, this.#publications, subject.first),
        subject.hidden,
        clauses,
      ),
      fulfilling(state, clauses, ids),
    ]);
    const known = { counts, fulfil, scoreQuestion: SCORE_QUESTION };
    this.use(scoredDocuments(documents), known, { dimensions: SCORE_QUESTION.length });
  }

  #scanOf(filter: readonly Json[]): Promise<Scan> {
    const { state, passages, exactPassages } = this.#collection;
    return scanOf(state, filter, passages, exactPassages);
  }

  #clausesOf({ filters }: SemanticQuery | AnalyticsQuery, subject: Subject): FilterClause[] {
    return [...clausesOf(filters, this.#publications, subject.first), ...subject.clauses];
  }

  /** The nearest documents, at least as many as make a number of groups: with all members of these. */
  async #nearDocuments(
    vector: Float32Array,
    filter: Json[],
    scan: Scan,
    groups: number,
    key: Key,
    least?: number,
  ): Promise<Near[]> {
    for (let size = groups + BESIDES; ; size *= 2) {
      const most = Math.min(size, DOCUMENTS_MOST);
      const options = { vector, filter, scan, size: most, least };
      const { near, scan: used } = await nearestBy(this.#collection.state, options);
      this.#gathered = used;
      const enough = new Set(near.map(key)).size >= groups;
      if (enough || near.length < most || most === DOCUMENTS_MOST) return near;
    }
  }

  /** patent_ids of the publications that are one result with some others. @param named publications without keys */
  async #groupsOf(
    named: ReadonlySet<string>,
    found: readonly Near[],
    key: Key,
    filter: Json[],
    field: GroupField,
  ): Promise<string[]> {
    const keys = new Set(found.map(key));
    for (const id of named) {
      const doc = this.#publications.docOf(id);
      const head = doc === undefined ? undefined : this.#publications.stored(doc)?.head;
      if (head) keys.add(keyOfHead(key, head));
    }
    const all: string[] = [];
    const list = [...keys];
    for (let at = 0; at < list.length; at += HEADS_EACH) {
      const some = { terms: { [field]: list.slice(at, at + HEADS_EACH) } };
      all.push(...(await idsWhere(this.#collection.state, [...filter, some])));
    }
    return all;
  }

  #documents(docs: readonly number[]): { documents: WorkingDocument[]; languages: KnownOfAll['languages'] } {
    const { bags: bagsModel } = this.reranker;
    const languages = new Map<number, Uint8Array>();
    const scored = docs
      .toSorted((a, b) => a - b)
      .map((doc) => {
        const stored = this.#publications.stored(doc)!;
        const bags = bagsOf(stored);
        const products = productsOf(stored.products!, this.embedder.languages);
        if (products.languages) languages.set(doc, products.languages);
        // A segment holds bags of one model.
        return { doc, scores: products.scores, bags: bags?.model === bagsModel?.model ? bags : undefined };
      });
    return {
      documents: scoredDocuments(scored),
      languages: this.embedder.languages === undefined ? undefined : languages,
    };
  }
}

/** Columns of names and classes: they have most of the values, and only their filters read them. */
const SELDOM_READ = ['applicant', 'applicant_name', 'inventor_name', 'ipc', 'cpc'] as const;

/** Columns of a search's working set that nothing reads. */
function unreadBy(clauses: readonly FilterClause[]): Set<string> {
  const read = new Set(clauses.flatMap(({ column, or = [] }) => [column, ...or]));
  return new Set(SELDOM_READ.filter((name) => !read.has(name)));
}
