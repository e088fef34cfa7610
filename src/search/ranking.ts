/** Scores of the candidates: those of the reranker, and what their words add. */
import { shown } from '../embed/calibration.js';
import { PriorartError } from '../errors.js';
import { RERANK_RESERVE_MS } from '../limits.js';
import type { RerankScores } from '../rerank/reranker.js';
import type { Cancellation } from './cancel.js';
import type { Candidates } from './candidates.js';
import { signalFor } from './embed-query.js';
import type { Found } from './found.js';
import { type Scored as Fusing, fuse, fuseAgain, type LexicalWeight, lexicalWeight } from './fusion.js';
import type { ScoreParts } from './hit-explanation.js';
import type { IndexReader } from './reader.js';
import { type Reranked, scoresOfFound } from './reranked.js';
import { withRest } from './results.js';
import { forSecondRound, type Round, type Scored, withBestPassages } from './rounds.js';

/** The scores by which candidates are ordered. */
export interface Ranking extends Scored {
  /** Weight of the lexical score. */
  weight: number;
  /** The parts of the score of the nth hit. */
  parts: (n: number) => ScoreParts;
  /**
   * Adds all passages that results show of some of the candidates.
   * @param scores those of the ranking, complete
   */
  withShown: (scores: RerankScores, places: readonly number[]) => Scored;
}

const NO_WORDS: LexicalWeight = { weight: 0, rare: false, codes: 0 };

/**
 * Scores the candidates: at once, unless the reranker must be awaited. `withShown` reads segments if the reranker has rounds,
 * so it must be called before the caller awaits.
 * @param query its text is what is reranked
 * @param vector of the question
 * @param size number of documents of the index
 */
export function rankingOf(
  reader: IndexReader,
  query: Reranked,
  vector: Float32Array,
  candidates: Candidates,
  found: Found,
  size: number,
  cancellation: Cancellation,
): Ranking | Promise<Ranking> {
  const { hits, lexical, used, countsWords, plan } = candidates;
  const fit = countsWords ? lexicalWeight(used, size) : NO_WORDS;
  const { weight } = fit;
  // Before the reranker, because found documents cannot be read after an await.
  const words =
    weight > 0 && lexical !== undefined
      ? { lexical, similarity: hits.scores, foreign: found.foreign?.(query.query), ...fit }
      : undefined;
  const round = { reader, query, vector, exact: plan.exact };
  const ranked = (scores: RerankScores) => {
    if (query.rerank === 'on') requireComplete(reader, found, scores);
    return { ...inRounds(round, { found, scores }, candidates, words, weight), weight };
  };
  const scoring = scored(reader, query, found, cancellation);
  return scoring instanceof Promise ? scoring.then(ranked) : ranked(scoring);
}

/**
 * Orders the candidates by the scores of the first round, and, if the reranker has rounds, of a second one.
 * @param words what is fused with the scores; undefined if words do not count
 * @param weight of the lexical score, as it is shown
 */
function inRounds(
  round: Round,
  first: Scored,
  candidates: Candidates,
  words: Omit<Fusing, 'reranker'> | undefined,
  weight: number,
): Omit<Ranking, 'weight'> {
  const { rerank, balance } = round.query;
  const rounds = rerank === 'off' ? undefined : round.reader.reranker.rounds;
  const fused = words && fuse({ ...words, reranker: first.scores.documents });
  const best = rounds
    ? forSecondRound(
        rounds.documents,
        fused?.scores ?? first.scores.documents,
        words?.rare ? words.lexical : undefined,
        candidates.firsts,
        balance && ((n) => first.found.head(n)[balance] ?? ''),
      )
    : [];
  const { found, scores } = withBestPassages(round, first, best);
  const reranker = scores.documents;
  const documents = words && fused ? fuseAgain({ ...words, reranker }, fused.language) : reranker;
  const known = new Set(best);
  // A reranker without rounds may not reach all documents.
  const complete = rounds ? reranker : withRest(scores, found).documents;
  const parts = (n: number): ScoreParts => ({
    reranker: shown(complete[n]!),
    lexical: shown(words?.lexical[n] ?? 0),
    weight,
    language: shown(fused?.language[n] ?? 0),
    decidedBy: rounds === undefined || known.has(n) ? undefined : found.hits.passages[found.firstPassage(n)],
    ...foundBy(n, candidates, balance !== undefined),
  });
  const withShown = (order: RerankScores, places: readonly number[]) => {
    if (rounds === undefined) return { found, scores: order };
    const others = places.filter((n) => !known.has(n)).sort((a, b) => a - b);
    const all = withBestPassages(round, { found, scores: order }, others);
    // The order stays, whatever the other passages are.
    return { ...all, scores: { ...all.scores, documents } };
  };
  return { found, scores: { ...scores, documents }, parts, withShown };
}

/**
 * Scores of all candidates; without a reranker, their similarities. Texts that may be shown after an `await` are read before
 * it.
 */
export function scored(
  { reranker }: IndexReader,
  query: Reranked,
  found: Found,
  cancellation: Cancellation,
): RerankScores | Promise<RerankScores> {
  if (query.rerank === 'off') return { documents: found.hits.scores, passages: found.hits.passageScores };
  const { deadline } = cancellation;
  const limits = {
    signal: signalFor(reranker, cancellation),
    deadline: deadline === undefined ? undefined : deadline - RERANK_RESERVE_MS,
  };
  return (
    scoresOfFound(reranker, query, found) ??
    reranker.score(query.query, found.fetch().slice(0, reranker.depth), limits)
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

/**
 * What made the nth candidate one, and its rank among those of the vectors.
 * @param isByTurns whether these stand by turns of groups, and not in the order of similarity
 */
function foundBy(
  n: number,
  { firsts, added, hits }: Candidates,
  isByTurns: boolean,
): Pick<ScoreParts, 'foundBy' | 'rankBySimilarity'> {
  if (n < firsts) return { foundBy: 'number', rankBySimilarity: undefined };
  const end = hits.docs.length - added;
  if (n >= end) return { foundBy: 'words', rankBySimilarity: undefined };
  if (!isByTurns) return { foundBy: 'similarity', rankBySimilarity: n - firsts + 1 };
  const own = hits.scores[n]!;
  const before = hits.scores
    .subarray(firsts, end)
    .reduce((count, score, at) => count + Number(score > own || (score === own && firsts + at < n)), 0);
  return { foundBy: 'similarity', rankBySimilarity: before + 1 };
}

/** Late interaction scores the candidates of the words, too; other rerankers as many as their depth. */
export function wentToReranker({ reranker }: IndexReader, { hits }: Found): number {
  return reranker.scoreFound ? hits.docs.length : Math.min(reranker.depth, hits.docs.length);
}
