/**
 * The second round of a reranking. Of most candidates, their nearest passage is enough to see that they are not among the
 * best. All passages that a result shows are scored only of the best candidates, and of those that are shown.
 */
import { calling } from '../index/native.js';
import { CHUNKS_PER_RESULT } from '../limits.js';
import type { RerankScores } from '../rerank/reranker.js';
import { inTurns } from './balance.js';
import type { Found } from './found.js';
import type { IndexReader } from './reader.js';
import { type Reranked, scoresOfFound } from './reranked.js';

/** Candidates with the scores of their passages. */
export interface Scored {
  found: Found;
  scores: RerankScores;
}

/** A reranking that has further rounds. */
export interface Round {
  reader: IndexReader;
  query: Reranked;
  /** Vector of the question. */
  vector: Float32Array;
  /** Whether every passage of a document is compared with it. Otherwise, those that the document's sketch proposes. */
  exact: boolean;
}

/**
 * Scores the best passages of some candidates. Their scores as documents rise if another passage is better than those
 * that were scored before.
 * @param places of the candidates, ascending
 */
export function withBestPassages(
  { reader, query, vector, exact }: Round,
  { found, scores }: Scored,
  places: readonly number[],
): Scored {
  if (places.length === 0) return { found, scores };
  const { docs, passages, scores: cosines } = found.hits;
  const best = calling(() =>
    found.native.bestPassages(
      vector,
      Uint32Array.from(places, (n) => docs[n]!),
      Uint32Array.from(places, (n) => passages[found.firstPassage(n)]!),
      Float32Array.from(places, (n) => cosines[n]!),
      CHUNKS_PER_RESULT,
      exact,
    ),
  );
  const all = found.withPassages(places, best);
  const part = all.part(places);
  const again = scoresOfFound(reader.reranker, query, part)!;
  const documents = scores.documents.slice();
  const ofPassages = new Float32Array(all.hits.passages.length);
  const chosen = new Set(places);
  for (const n of docs.keys()) {
    if (chosen.has(n)) continue;
    const own = scores.passages.subarray(found.firstPassage(n), found.firstPassage(n + 1));
    ofPassages.set(own, all.firstPassage(n));
  }
  for (const [at, n] of places.entries()) {
    documents[n] = Math.max(documents[n]!, again.documents[at]!);
    ofPassages.set(
      again.passages.subarray(part.firstPassage(at), part.firstPassage(at + 1)),
      all.firstPassage(n),
    );
  }
  return { found: all, scores: { ...scores, documents, passages: ofPassages } };
}

/**
 * Places of the candidates that the second round scores, ascending: the best `count` by their scores, and of a question
 * of a few rare words also the best by their lexical scores, because the passage that holds a word need not be the nearest.
 * @param scores of the first round
 * @param lexical scores, if the question is a few rare words
 * @param firsts number of candidates, from the first, that are always among them
 * @param groupOf group of a candidate, if the answer has results of each group by turns: so have the best
 */
export function forSecondRound(
  count: number,
  scores: Float32Array,
  lexical: Float32Array | undefined,
  firsts: number,
  groupOf?: (n: number) => string,
): number[] {
  const first = Array.from({ length: firsts }, (_, n) => n);
  const ordered = (of: Float32Array) => (groupOf ? inTurns(inOrder(of), groupOf) : inOrder(of));
  const best = ordered(scores);
  const holding = lexical ? ordered(lexical).filter((n) => lexical[n]! > 0) : [];
  const all = [...first, ...best.slice(0, count), ...holding.slice(0, count)];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Places, the greatest score first. */
function inOrder(scores: Float32Array): number[] {
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
}
