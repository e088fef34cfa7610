/** Joins and parts lists of hits. */
import type { BestPassages, SearchHits } from '../index/native.js';

/** Two lists of hits, one behind the other. */
export function inFront(a: SearchHits, b: SearchHits): SearchHits {
  const before = a.passages.length;
  return {
    docs: joinedNumbers(a.docs, b.docs),
    scores: joinedNumbers(a.scores, b.scores),
    passageAt: joinedNumbers(
      a.passageAt,
      b.passageAt.subarray(1).map((at) => at + before),
    ),
    passages: joinedNumbers(a.passages, b.passages),
    passageScores: joinedNumbers(a.passageScores, b.passageScores),
    rowsScored: a.rowsScored + b.rowsScored,
    visited: a.visited + b.visited,
    candidates: a.candidates + b.candidates,
    widened: a.widened + b.widened,
    rescanned: a.rescanned + b.rescanned,
  };
}

/** The hits at some places of a list. */
export function someHits(hits: SearchHits, places: readonly number[]): SearchHits {
  const from = (n: number) => hits.passageAt[n]!;
  const passageAt = new Uint32Array(places.length + 1);
  for (const [at, n] of places.entries()) passageAt[at + 1] = passageAt[at]! + from(n + 1) - from(n);
  return {
    ...hits,
    docs: Uint32Array.from(places, (n) => hits.docs[n]!),
    scores: Float32Array.from(places, (n) => hits.scores[n]!),
    passageAt,
    passages: Uint32Array.from(places.flatMap((n) => [...hits.passages.subarray(from(n), from(n + 1))])),
    passageScores: Float32Array.from(
      places.flatMap((n) => [...hits.passageScores.subarray(from(n), from(n + 1))]),
    ),
  };
}

/**
 * Hits with the passages `best` of some of them. A better passage than the best one known raises the score of its document.
 * @param places of the documents that `best` is of
 */
export function withPassages(hits: SearchHits, places: readonly number[], best: BestPassages): SearchHits {
  const count = hits.docs.length;
  const among = new Map(places.map((n, at) => [n, at]));
  const scores = hits.scores.slice();
  const passageAt = new Uint32Array(count + 1);
  const parts = Array.from(hits.docs, (_, n) => {
    const at = among.get(n);
    const from = at === undefined ? hits : best;
    const [start, end] = [from.passageAt[at ?? n]!, from.passageAt[(at ?? n) + 1]!];
    if (at !== undefined && start < end) scores[n] = Math.max(scores[n]!, best.passageScores[start]!);
    passageAt[n + 1] = passageAt[n]! + end - start;
    return { from, start, end };
  });
  const passages = new Uint32Array(passageAt[count]!);
  const passageScores = new Float32Array(passages.length);
  for (const [n, { from, start, end }] of parts.entries()) {
    passages.set(from.passages.subarray(start, end), passageAt[n]);
    passageScores.set(from.passageScores.subarray(start, end), passageAt[n]);
  }
  return {
    ...hits,
    scores,
    passageAt,
    passages,
    passageScores,
    rowsScored: hits.rowsScored + best.rowsScored,
  };
}

/** Two arrays of numbers, one behind the other. */
export function joinedNumbers<T extends Float32Array | Uint32Array>(a: T, b: T): T {
  const both = new (a.constructor as new (length: number) => T)(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
