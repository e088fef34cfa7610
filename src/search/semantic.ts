/** Semantic search: embed → filter → plan → candidates → exact scores → group → rerank → answer. */
import { type Calibration, calibrationFor, SHOWN_DECIMALS, shown, similarity } from '../embed/calibration.js';
import { PriorartError } from '../errors.js';
import { calling } from '../index/native.js';
import { CHUNKS_PER_RESULT, RERANK_RESERVE_MS, RERANK_SURE, TOP_K, WORD_CANDIDATES } from '../limits.js';
import type { RerankScores } from '../rerank/reranker.js';
import { modelName } from '../store/manifest.js';
import { withApplicantNames } from './applicants.js';
import { asOfDay } from './as-of.js';
import { collect, collectBalanced, inTurns } from './balance.js';
import { type Cancellation, uncancelled } from './cancel.js';
import { groupingOf, groupsOf, membersOf } from './collapse.js';
import { signalFor } from './embed-query.js';
import { bestSimilarity, type Explanation, seemsUnrelated } from './explanation.js';
import { clausesOf } from './filter.js';
import { firstOf, withoutFirst } from './first.js';
import { Found } from './found.js';
import { fuse, type LexicalWeight, lexicalWeight } from './fusion.js';
import {
  explanationOf,
  highlighted,
  matchesIn,
  type QuestionWords,
  type ScoreParts,
  type Wanted,
} from './hit-explanation.js';
import { invalidField } from './invalid.js';
import type { Balance, SemanticQuery } from './query.js';
import type { IndexReader } from './reader.js';
import { selectionOf } from './selections.js';
import { applicantOf, datesOf, titleOf } from './show.js';
import { type Subject, subjectOf } from './subject.js';
import type { Chunk, CollapsedMember, SearchResponse, SearchResult } from './types.js';
import { onlyVectors, withFirst, withWords, wordsOf } from './words.js';

const NO_WORDS: LexicalWeight = { weight: 0, rare: false };

/** Answers a query. `explanation` says how the answer was found. */
export async function searchSemantic(
  reader: IndexReader,
  query: SemanticQuery,
  cancellation: Cancellation = uncancelled,
): Promise<{ response: SearchResponse; explanation: Explanation }> {
  if (query.rerank === 'on' && reader.reranker.name === 'none') {
    throw invalidField('rerank', 'on', '"auto" or "off", because this index has no reranker');
  }
  const clock = stopwatch();
  const subject = await subjectOf(reader, query, cancellation);
  const { vector } = subject;
  const calibration = calibrationFor(reader.embedder, vector);
  const asked = rerankingOf(query, subject);
  const embed = clock();
  cancellation.check();

  // No await from here to the last text that is read, so that manifest, segments and texts are of one state.
  const { manifest, native } = reader.snapshot();
  const { asOf } = query.filters;
  const priorArt = asOf === undefined ? {} : { asOf: asOfDay(reader.store, asOf) };
  const { hits, firsts, members, plan, filter, knn, question, names, ...candidates } = calling(() => {
    const { store } = reader;
    const { filters, names } = withApplicantNames(native, store, query.filters);
    const own = [...clausesOf(filters, store), ...subject.clauses];
    const grouping = groupingOf(query);
    const shown = { ...calibration, decimals: SHOWN_DECIMALS };
    const asking = { chunks: CHUNKS_PER_RESULT, ...grouping, shown, minScore: -2 };
    const documentsFirst = { ...asking, documents: subject.first.length };
    const first = firstOf(store, native, filters, subject, documentsFirst);
    const clauses = [...own, ...withoutFirst(store, native, own, first, subject, grouping)];
    const selection = selectionOf(native, clauses);
    const filter = clock();
    // Independent of top_k, so that the answer for a small top_k is the beginning of the answer for a large one.
    const depth = asked.rerank === 'off' ? 0 : reader.reranker.depth;
    const documents = Math.max(TOP_K.max, depth);
    const how = { exact: query.exact, sure: RERANK_SURE };
    const options = { ...asking, documents };
    const search = { store, native, manifest, vector, clauses, selection, options, grouping, plan: how };
    const { hits: rest, plan } = query.balance ? collectBalanced(search, query.balance) : collect(search);
    const { dedupe } = grouping;
    if (!grouping.family && !query.balance)
      reader.checks?.offer({ native, vector, clauses, dedupe, shown, plan, hits: rest });
    const knn = clock();
    // Balanced candidates are collected by groups. A reranker that takes no words would not reach theirs.
    const added = query.balance || !reader.reranker.takesWords ? 0 : WORD_CANDIDATES;
    const words = asked.rerank === 'off' ? undefined : wordsOf(asked.query);
    const found = words
      ? withWords(native, words, vector, selection, rest, { ...asking, documents: added })
      : onlyVectors(rest);
    const all = first ? withFirst(first, found) : found;
    const groups = query.collapse && groupsOf(native, selectionOf(native, own), all.hits.docs, grouping);
    const members =
      groups && Array.from(all.hits.docs, (_, n) => membersOf((doc) => store.documents.get(doc), groups, n));
    return { ...all, question: words, firsts: first?.docs.length ?? 0, members, plan, filter, knn, names };
  });
  const words = clock();
  cancellation.check();
  const found = new Found(reader.store, native, hits, reader.embedder.languages);
  // Before the reranker, because found documents cannot be read after an await.
  const takesWords = reader.reranker.takesWords === true;
  const { weight, rare } = takesWords ? lexicalWeight(candidates.used, manifest.documents) : NO_WORDS;
  const foreign = weight > 0 && candidates.lexical ? found.foreign?.(asked.query) : undefined;
  const scoring = scored(reader, asked, found, cancellation);
  const reranked = scoring instanceof Promise ? await scoring : scoring;
  if (asked.rerank === 'on') requireComplete(reader, found, reranked);
  const { lexical } = candidates;
  const fused =
    weight > 0 && lexical
      ? fuse({ reranker: reranked.documents, lexical, similarity: hits.scores, foreign, weight, rare })
      : undefined;
  const scores = fused ? { ...reranked, documents: fused.scores } : reranked;
  const parts = (n: number): ScoreParts => ({
    reranker: shown(reranked.documents[n] ?? scores.documents[n]!),
    lexical: shown((fused && lexical?.[n]) ?? 0),
    weight,
    language: shown(fused?.language[n] ?? 0),
    ...foundBy(n, { firsts, added: candidates.added, total: hits.docs.length }),
  });
  const rerank = clock();
  const results = resultsOf(
    calibration,
    {
      topK: query.topK,
      firsts,
      members,
      balance: query.balance,
      wanted: { explain: query.explain === true, highlight: query.highlight === true },
      parts,
      question: { words: question, used: candidates.used },
    },
    found,
    scores,
  );
  const best = bestSimilarity(results);
  const { calibrated } = reader.embedder;
  const explanation: Explanation = {
    plan,
    ...priorArt,
    ...(subject.reading === undefined ? {} : { reading: subject.reading }),
    model: modelName(reader.embedder),
    calibrated,
    ...(best === undefined ? {} : { best }),
    unrelated: seemsUnrelated(best, calibrated),
    reranker: asked.rerank === 'off' ? 'none' : reader.reranker.name,
    documents: wentToReranker(reader, found),
    reranked: scores.scored ?? wentToReranker(reader, found),
    read: asked.rerank === 'off' ? 0 : (scores.read ?? hits.docs.length),
    scored: hits.rowsScored,
    candidates: hits.candidates,
    widened: hits.widened,
    rescanned: hits.rescanned,
    words: {
      used: candidates.used.map(({ text, documents }) => ({ text, documents })),
      weight,
      added: candidates.added,
    },
    timings: { embed, filter, knn, words, rerank, fetch: clock() },
  };
  const named = names ? { applicant_names: names } : {};
  return { response: { total: results.length, ...named, results }, explanation };
}

/** The text for the reranker, and whether there is one. */
function rerankingOf(query: SemanticQuery, { text }: Subject): SemanticQuery {
  return text === undefined ? { ...query, rerank: 'off' } : { ...query, query: text };
}

/**
 * Scores of all candidates; without a reranker, their similarities. Texts that may be shown after an `await` are read before
 * it.
 */
function scored(
  { reranker }: IndexReader,
  { query, rerank }: SemanticQuery,
  found: Found,
  cancellation: Cancellation,
): RerankScores | Promise<RerankScores> {
  if (rerank === 'off') return { documents: found.hits.scores, passages: found.hits.passageScores };
  const { deadline } = cancellation;
  const limits = {
    signal: signalFor(reranker, cancellation),
    deadline: deadline === undefined ? undefined : deadline - RERANK_RESERVE_MS,
  };
  return (
    reranker.scoreFound?.(query, found) ??
    reranker.score(query, found.fetch().slice(0, reranker.depth), limits)
  );
}

/** @throws PriorartError `overloaded` if the reranker did not score all in time */
function requireComplete(reader: IndexReader, found: Found, { scored }: RerankScores): void {
  const wanted = wentToReranker(reader, found);
  if (scored !== undefined && scored < wanted) {
    const message = `the reranker scored ${scored} of ${wanted} documents in time; try again, or ask with rerank "auto"`;
    throw new PriorartError('overloaded', message, { retryAfter: 1 });
  }
}

/** What made the nth candidate one, and its rank among those of the vectors. */
function foundBy(
  n: number,
  { firsts, added, total }: { firsts: number; added: number; total: number },
): Pick<ScoreParts, 'foundBy' | 'rankBySimilarity'> {
  if (n < firsts) return { foundBy: 'number', rankBySimilarity: undefined };
  if (n >= total - added) return { foundBy: 'words', rankBySimilarity: undefined };
  return { foundBy: 'similarity', rankBySimilarity: n - firsts + 1 };
}

/** Late interaction scores the candidates of the words, too; other rerankers as many as their depth. */
function wentToReranker({ reranker }: IndexReader, { hits }: Found): number {
  return reranker.scoreFound ? hits.docs.length : Math.min(reranker.depth, hits.docs.length);
}

interface ResultOptions {
  topK: number;
  /** Number of hits, from the first, that come first. */
  firsts: number;
  /** Members of each hit's group; undefined if they are not shown. */
  members: (CollapsedMember[] | undefined)[] | undefined;
  /** Results of each country or language by turns. */
  balance: Balance | undefined;
  wanted: Wanted;
  /** The parts of the score of the nth hit. */
  parts: (n: number) => ScoreParts;
  question: QuestionWords;
}

/**
 * Results in the order of rerank score, similarity and patent_id, behind those of the first `firsts` hits. Scores are
 * compared as they are shown, so that the order can be checked in the answer.
 */
function resultsOf(
  calibration: Calibration,
  { topK, firsts, members, balance, wanted, parts, question }: ResultOptions,
  found: Found,
  given: RerankScores,
): SearchResult[] {
  const scores = withRest(given, found);
  const similarityOf = (cosine: number) => shown(similarity(cosine, calibration));
  const { hits } = found;
  const order = Array.from(hits.docs, (_, n) => ({
    n,
    similarity: similarityOf(hits.scores[n]!),
    rerank: shown(scores.documents[n]!),
  }));
  order.sort(
    (a, b) =>
      Number(b.n < firsts) - Number(a.n < firsts) ||
      b.rerank - a.rerank ||
      b.similarity - a.similarity ||
      (found.head(a.n).patent_id < found.head(b.n).patent_id ? -1 : 1),
  );
  const rest = order.slice(firsts);
  const turns = balance ? inTurns(rest, ({ n }) => found.head(n)[balance] ?? '') : rest;
  return [...order.slice(0, firsts), ...turns].slice(0, topK).map(({ n, similarity, rerank }, at) => {
    const head = found.head(n);
    const figure = found.figure(n);
    const chunks = chunksOf(found, n, scores, similarityOf);
    const matches = wanted.explain || wanted.highlight ? matchesIn(question, chunks) : [];
    return {
      patent_id: head.patent_id,
      title: titleOf(head),
      applicant: applicantOf(head),
      ...datesOf(head),
      ipc_codes: head.ipc_codes ?? [],
      kind_code: head.kind_code,
      country: head.country,
      similarity_score: similarity,
      rerank_score: rerank,
      ...(figure === undefined ? {} : { representative_figure: figure }),
      chunks: wanted.highlight ? highlighted(chunks, matches) : chunks,
      ...(members === undefined ? {} : { members: members[n] ?? [] }),
      ...(wanted.explain ? { explanation: explanationOf(parts(n), at + 1, matches) } : {}),
    };
  });
}

/**
 * Adds scores for the documents that the reranker did not reach, by its depth or its deadline: one score for all, below any
 * that it gave, so that they follow in the order of similarity.
 */
function withRest(given: RerankScores, found: Found): RerankScores {
  const { hits } = found;
  const scored = given.scored ?? given.documents.length;
  if (scored >= hits.docs.length) return given;
  const lowest = given.documents
    .subarray(0, scored)
    .reduce((least, score) => Math.min(least, score), Infinity);
  const floor = Math.min(0, lowest - 10 ** -SHOWN_DECIMALS);
  const documents = new Float32Array(hits.docs.length).fill(floor);
  const passages = new Float32Array(hits.passages.length).fill(floor);
  documents.set(given.documents.subarray(0, scored));
  passages.set(given.passages.subarray(0, found.firstPassage(scored)));
  return { documents, passages };
}

/** The passages of a candidate by rerank score; of equal ones the most similar first. */
function chunksOf(
  found: Found,
  n: number,
  scores: RerankScores,
  similarityOf: (cosine: number) => number,
): Chunk[] {
  const first = found.firstPassage(n);
  const chunks = found.passages(n).map(
    (passage, at): Chunk => ({
      ...passage,
      similarity_score: similarityOf(found.hits.passageScores[first + at]!),
      rerank_score: shown(scores.passages[first + at]!),
    }),
  );
  return chunks.sort((a, b) => b.rerank_score - a.rerank_score);
}

/** Returns a function that gives the milliseconds since its last call. */
export function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    return Math.round(elapsed * 1000) / 1000;
  };
}
