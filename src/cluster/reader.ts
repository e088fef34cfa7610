/**
 * One search on the cluster, on one state of its index. It fetches what the search may need into a working set, where the
 * code of the embedded engine answers it.
 */
import type { Calibration } from '../embed/calibration.js';
import { leastCosine } from '../embed/calibration.js';
import type { FilterClause } from '../index/native.js';
import type { OpenSnapshot } from '../index/segment.js';
import { TOP_K, WORD_CANDIDATES } from '../limits.js';
import type { Models } from '../models/load.js';
import { leastSimilarity } from '../search/analytics.js';
import { depthOf, wordsCount } from '../search/candidates.js';
import { groupingOf } from '../search/collapse.js';
import { clausesOf } from '../search/filter.js';
import { translationShare } from '../search/fusion.js';
import type { AnalyticsQuery, Balance, SemanticQuery } from '../search/query.js';
import { IndexReader } from '../search/reader.js';
import type { Subject } from '../search/subject.js';
import { wordsOf } from '../search/words.js';
import type { ModelIdentity } from '../store/manifest.js';
import { filterOf } from './clauses.js';
import type { Json, OneState } from './client.js';
import { applicationGroup, bagsOf, familyGroup, vectorsOf } from './documents.js';
import { fulfilling, knownCounts, partsHeld } from './known.js';
import { fetchByIds, idsWhere, KEYS, keyOfHit, PATENT_ID, withIds } from './lookups.js';
import { type Near, nearest, nearOf, type Scan, scanOf } from './nearest.js';
import type { PublicationsInMemory } from './publications.js';
import { type LexicalQuery, lexicalQuery } from './words.js';
import {
  type KnownOfAll,
  openWorkingSet,
  SCORE_QUESTION,
  scoreVector,
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
export interface Collection {
  state: OneState;
  model: ModelIdentity;
  documents: number;
  passages: number;
}

type Key = (near: Pick<Near, 'patentId' | 'application' | 'family'>) => string;

export class ClusterReader extends IndexReader {
  readonly #collection: Collection;
  readonly #publications: PublicationsInMemory;
  #open: WorkingSet;
  /** The vector of the question, after `gather`. */
  vector: Float32Array = new Float32Array();

  constructor(collection: Collection, publications: PublicationsInMemory, models: Models) {
    super({ store: publications, snapshot: (): OpenSnapshot => this.#open }, models);
    this.#collection = collection;
    this.#publications = publications;
    this.#open = openWorkingSet(publications, [], collection);
  }

  /** Replaces the working set. */
  use(documents: readonly WorkingDocument[], known: KnownOfAll, dimensions?: number): WorkingSet {
    this.#open.native.close();
    const options = { ...this.#collection, known, ...(dimensions === undefined ? {} : { dimensions }) };
    this.#open = openWorkingSet(this.#publications, documents, options);
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

  async #gatherSearch(query: SemanticQuery, subject: Subject): Promise<void> {
    const { state } = this.#collection;
    const clauses = this.#clausesOf(query, subject);
    const filter = filterOf(clauses);
    const grouping = groupingOf(query);
    const key = keyOf(grouping);
    const depth = depthOf(this, query);
    const scan = query.exact ? 'exact' : await scanOf(state, filter);
    const wanted = depth + subject.first.length;
    const near = query.balance
      ? await this.#nearOfGroups(subject.vector, filter, scan, Math.min(depth, TOP_K.max), query.balance, key)
      : await this.#nearGroups(subject.vector, filter, scan, wanted, key);
    const lexical = await this.#lexicalOf(query);
    const counts = wordsCount(this, query) && !query.balance;
    const words =
      lexical?.query && counts
        ? await this.#holding(lexical.query, filter, 2 * WORD_CANDIDATES + wanted)
        : [];
    const ids = new Set(
      [...subject.first, ...near, ...words].map((one) => (typeof one === 'string' ? one : one.patentId)),
    );
    if (grouping.dedupe)
      for (const id of await this.#groupsOf(ids, [...near, ...words], key, filter, grouping.family))
        ids.add(id);
    await fetchByIds(state, this.#publications, [...ids], ['head', 'texts', 'vectors', 'bags']);
    const known: KnownOfAll = {
      lexical: lexical && { scores: await this.#scoresOf(lexical.query, [...ids]), used: lexical.used },
      counts: await knownCounts(state, query, clausesOf(query.filters, this.#publications)),
      fulfil: await fulfilling(state, clauses, [...ids]),
      parts: await partsHeld(state, this.#publications, query, [...ids]),
    };
    this.use(this.#documents([...ids]), known);
  }

  async #gatherStatistics(query: AnalyticsQuery, subject: Subject, calibration: Calibration): Promise<void> {
    const { state } = this.#collection;
    const { vector, first } = subject;
    const clauses = this.#clausesOf(query, subject);
    const filter = filterOf(clauses);
    const grouping = groupingOf(query);
    const key = keyOf(grouping);
    const scan = await scanOf(state, filter);
    const least = leastCosine(leastSimilarity(query, subject), calibration);
    const near = await this.#nearGroups(vector, filter, scan, query.maxResults + first.length, key, least);
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
      const others = await this.#groupsOf(new Set(first), near, key, filter, grouping.family);
      await add(others);
    }
    const ids = [...scores.keys()];
    await fetchByIds(state, this.#publications, ids, ['head'], HEADS_EACH);
    const documents = ids
      .map((id) => ({ doc: this.#publications.docOf(id)!, vectors: scoreVector(scores.get(id)!) }))
      .sort((a, b) => a.doc - b.doc);
    const known = { fulfil: await fulfilling(state, clauses, ids), scoreQuestion: SCORE_QUESTION };
    this.use(documents, known, SCORE_QUESTION.length);
  }

  #clausesOf({ filters }: SemanticQuery | AnalyticsQuery, subject: Subject): FilterClause[] {
    return [...clausesOf(filters, this.#publications), ...subject.clauses];
  }

  /** The nearest documents, at least as many as make a number of groups. */
  async #nearGroups(
    vector: Float32Array,
    filter: Json[],
    scan: Scan,
    groups: number,
    key: Key,
    least?: number,
  ): Promise<Near[]> {
    for (let size = groups + BESIDES; ; size *= 2) {
      const most = Math.min(size, DOCUMENTS_MOST);
      const near = await nearest(this.#collection.state, { vector, filter, scan, size: most, least });
      const enough = new Set(near.map(key)).size >= groups;
      if (enough || near.length < most || most === DOCUMENTS_MOST) return near;
    }
  }

  /** The nearest documents of each country or language. */
  async #nearOfGroups(
    vector: Float32Array,
    filter: Json[],
    scan: Scan,
    each: number,
    by: Balance,
    key: Key,
  ): Promise<Near[]> {
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
    const found = await Promise.all(
      groups.map((group) => this.#nearGroups(vector, [...filter, group], scan, each, key)),
    );
    return found.flat();
  }

  async #lexicalOf(query: SemanticQuery): Promise<LexicalQuery | undefined> {
    if (!wordsCount(this, query) && !query.explain && !query.highlight) return undefined;
    const words = wordsOf(query.query);
    if (words.count === 0) return undefined;
    return lexicalQuery(this.#collection.state, words.forms(), translationShare(words.whole));
  }

  /** The documents with the best lexical scores. */
  async #holding(lexical: Json, filter: Json[], size: number): Promise<Near[]> {
    const { hits } = await this.#collection.state.search({
      size,
      query: { bool: { filter, must: [lexical] } },
      _source: false,
      track_total_hits: false,
      docvalue_fields: KEYS,
    });
    return hits.hits.map((hit) => nearOf(hit, 0));
  }

  /** patent_ids of the publications that are one result with some others. @param named publications without keys */
  async #groupsOf(
    named: ReadonlySet<string>,
    found: readonly Near[],
    key: Key,
    filter: Json[],
    byFamily: boolean | undefined,
  ): Promise<string[]> {
    const field = byFamily ? 'family_group' : 'application_group';
    const keys = new Set(found.map(key));
    for (const id of named) {
      const doc = this.#publications.docOf(id);
      const head = doc === undefined ? undefined : this.#publications.stored(doc)?.head;
      if (head)
        keys.add(key({ patentId: id, application: applicationGroup(head), family: familyGroup(head) }));
    }
    const all: string[] = [];
    const list = [...keys];
    for (let at = 0; at < list.length; at += HEADS_EACH) {
      const some = { terms: { [field]: list.slice(at, at + HEADS_EACH) } };
      all.push(...(await idsWhere(this.#collection.state, [...filter, some])));
    }
    return all;
  }

  /** Lexical scores above 0 of some documents, by document id. */
  async #scoresOf(query: Json | undefined, ids: string[]): Promise<Map<number, number>> {
    const scores = new Map<number, number>();
    if (query === undefined || ids.length === 0) return scores;
    const { hits } = await this.#collection.state.search({
      size: ids.length,
      query: { bool: { filter: [withIds(ids)], must: [query] } },
      _source: false,
      docvalue_fields: [PATENT_ID],
      track_total_hits: false,
    });
    for (const hit of hits.hits) {
      scores.set(this.#publications.docOf(keyOfHit(hit, PATENT_ID))!, hit._score!);
    }
    return scores;
  }

  #documents(ids: readonly string[]): WorkingDocument[] {
    const { bags: bagsModel } = this.reranker;
    return ids
      .map((id): WorkingDocument => {
        const doc = this.#publications.docOf(id)!;
        const stored = this.#publications.stored(doc)!;
        const bags = bagsOf(stored);
        // A segment holds bags of one model.
        return { doc, vectors: vectorsOf(stored), bags: bags?.model === bagsModel?.model ? bags : undefined };
      })
      .sort((a, b) => a.doc - b.doc);
  }
}

/** What publications of one result share. */
function keyOf({ dedupe, family }: { dedupe: boolean; family?: true }): Key {
  if (!dedupe) return ({ patentId }) => patentId;
  return family ? (near) => near.family : (near) => near.application;
}
