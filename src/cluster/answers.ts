/** Answers of searches, details and coverage from the cluster. */
import { PriorartError } from '../errors.js';
import { calling } from '../index/native.js';
import { FAMILY_LISTED } from '../limits.js';
import type { Models } from '../models/load.js';
import { analyticsPage, pageOfRanking, type RankingPage, rankAnalytics } from '../search/analytics.js';
import type { Cancellation } from '../search/cancel.js';
import { detailsOf } from '../search/details.js';
import type { Explanation } from '../search/explanation.js';
import type { AnalyticsQuery, DetailsQuery, SemanticQuery } from '../search/query.js';
import { searchSemantic } from '../search/semantic.js';
import type { AnalyticsResponse, DetailsResponse, SearchResponse } from '../search/types.js';
import { currentDocuments } from '../store/pinned.js';
import { resolveShown } from '../store/resolve.js';
import { familyGroup, vectorsOf } from './documents.js';
import { fetchByIds, fetchFamilies, withPublications } from './lookups.js';
import { prepareQuestion } from './prepare-question.js';
import { PublicationsInMemory } from './publications.js';
import { ClusterReader, type Collection } from './reader.js';
import { openWorkingSet, SCORE_QUESTION } from './working.js';

/** What answers of one state need. */
export interface Asked extends Collection {
  /** Name of the index, for messages. */
  name: string;
  models: Models;
  cancellation: Cancellation;
}

async function withReader<T>(
  asked: Asked,
  work: (reader: ClusterReader, publications: PublicationsInMemory) => Promise<T>,
): Promise<T> {
  const publications = new PublicationsInMemory(asked.name);
  const reader = new ClusterReader(asked, publications, asked.models);
  try {
    return await work(reader, publications);
  } finally {
    reader.close();
  }
}

export function answerSearch(
  asked: Asked,
  query: SemanticQuery,
): Promise<{ response: SearchResponse; explanation: Explanation }> {
  return withReader(asked, async (reader, publications) => {
    const prepared = await prepareQuestion(asked.state, reader, publications, query);
    return searchSemantic(reader, prepared, asked.cancellation);
  });
}

export function answerAnalytics(asked: Asked, query: AnalyticsQuery): Promise<AnalyticsResponse> {
  return withReader(asked, async (reader, publications) => {
    const prepared = await prepareQuestion(asked.state, reader, publications, query);
    const ranking = await rankAnalytics(reader, prepared, asked.cancellation);
    const page = await withPassages(asked, reader, publications, pageOfRanking(ranking, query));
    const response = analyticsPage(currentDocuments(publications), query, page);
    if (response !== undefined) return response;
    throw new PriorartError('data_corrupt', 'a document of the index has vectors but no text');
  });
}

/** Fetches the documents of a page, and finds the best passage of each. */
async function withPassages(
  asked: Asked,
  { vector }: ClusterReader,
  publications: PublicationsInMemory,
  page: RankingPage,
): Promise<RankingPage> {
  const docs = [...page.docs];
  if (docs.length === 0) return page;
  const ids = docs.map((doc) => publications.stored(doc)!.head.patent_id);
  await fetchByIds(asked.state, publications, ids, ['head', 'texts', 'vectors']);
  const documents = docs
    .map((doc) => ({ doc, vectors: vectorsOf(publications.stored(doc)!) }))
    .sort((a, b) => a.doc - b.doc);
  const { native } = openWorkingSet(publications, documents, asked);
  try {
    const options = { documents: docs.length, chunks: 1, dedupe: false, minScore: -2 };
    const hits = calling(() => native.search(vector, native.select([]), [{}], options));
    const best = new Map([...hits.docs].map((doc, n) => [doc, hits.passages[hits.passageAt[n]!]!]));
    return { ...page, passages: Uint32Array.from(docs, (doc) => best.get(doc)!) };
  } finally {
    native.close();
  }
}

export async function answerDetails(asked: Asked, query: DetailsQuery): Promise<DetailsResponse> {
  const { state, cancellation } = asked;
  const publications = new PublicationsInMemory(asked.name);
  await withPublications(state, publications, ['head', 'body'], () => {
    for (const id of query.patentIds) resolveShown(publications, id);
  });
  if (query.bibliography) {
    const heads = Array.from({ length: publications.size }, (_, n) => publications.stored(n + 1)!.head);
    const groups = [...new Set(heads.map(familyGroup))];
    // One more than are listed: a document is a member of its own family.
    const families = await fetchFamilies(state, groups, FAMILY_LISTED + 1);
    for (const stored of families) publications.add(stored);
  }
  const vectors = new Float32Array(SCORE_QUESTION.length);
  const documents = Array.from({ length: publications.size }, (_, n) => ({ doc: n + 1, vectors }));
  const set = openWorkingSet(publications, documents, { ...asked, dimensions: SCORE_QUESTION.length });
  const folder = { store: publications, snapshot: () => set };
  try {
    // Members of families and cited documents are named only. The texts of those that are shown are there.
    return await withPublications(state, publications, ['head'], () =>
      detailsOf(folder, query, cancellation),
    );
  } finally {
    set.native.close();
  }
}
