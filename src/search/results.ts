/** Results of a search: the candidates in order, as an answer shows them. */
import { type Calibration, SHOWN_DECIMALS, shown, similarity } from '../embed/calibration.js';
import type { SearchHits } from '../index/native.js';
import type { Passage } from '../patent/passage.js';
import type { RerankScores } from '../rerank/reranker.js';
import type { DocumentHead } from '../store/document.js';
import { inTurns } from './balance.js';
import type { Cancellation } from './cancel.js';
import type { Found } from './found.js';
import {
  explanationOf,
  highlighted,
  matchesIn,
  type QuestionWords,
  type ScoreParts,
  type Wanted,
} from './hit-explanation.js';
import type { Balance } from './query.js';
import { metadataOf } from './show.js';
import type { Chunk, CollapsedMember, SearchResult } from './types.js';

/** A publication that an answer shows: its place among found ones, and the scores of their passages. */
export interface Shown {
  found: Found;
  n: number;
  scores: Pick<RerankScores, 'passages'>;
}

export interface ResultOptions {
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

/** A candidate that an answer shows. */
export interface Placed {
  n: number;
  similarity: number;
  rerank: number;
}

/**
 * The candidates that an answer shows: those of the first `firsts` hits, then the others in the order of rerank score,
 * similarity and patent_id. Scores are compared as they are shown, so that the order can be checked in the answer. For the
 * same reason the first ones have at least the best score of the others.
 * @param headOf the publication that is shown for the nth hit
 * @param scores from `withRest`
 */
export function placesOf(
  calibration: Calibration,
  { topK, firsts, balance }: Pick<ResultOptions, 'topK' | 'firsts' | 'balance'>,
  hits: SearchHits,
  headOf: (n: number) => DocumentHead,
  scores: RerankScores,
): Placed[] {
  const order = Array.from(hits.docs, (_, n) => ({
    n,
    similarity: shown(similarity(hits.scores[n]!, calibration)),
    rerank: shown(scores.documents[n]!),
  }));
  if (firsts > 0) {
    const best = order.slice(firsts).reduce((most, { rerank }) => Math.max(most, rerank), -Infinity);
    for (const first of order.slice(0, firsts)) first.rerank = Math.max(first.rerank, best);
  }
  order.sort(
    (a, b) =>
      Number(b.n < firsts) - Number(a.n < firsts) ||
      b.rerank - a.rerank ||
      b.similarity - a.similarity ||
      (headOf(a.n).patent_id < headOf(b.n).patent_id ? -1 : 1),
  );
  const rest = order.slice(firsts);
  const turns = balance ? inTurns(rest, ({ n }) => headOf(n)[balance] ?? '') : rest;
  return [...order.slice(0, firsts), ...turns].slice(0, topK);
}

/**
 * Results with their texts.
 * @param scores from `withRest`
 * @param instead the publication that is shown for the nth hit; undefined: the hit itself
 * @param cancellation checked before each result: the words of many long passages take seconds to find
 */
export function resultsOf(
  calibration: Calibration,
  { members, wanted, parts, question }: Omit<ResultOptions, 'topK' | 'firsts' | 'balance'>,
  found: Found,
  scores: RerankScores,
  places: readonly Placed[],
  instead: (n: number) => Shown | undefined,
  cancellation: Cancellation,
): SearchResult[] {
  const similarityOf = (cosine: number) => shown(similarity(cosine, calibration));
  return places.map(({ n, rerank }, at) => {
    cancellation.check();
    const shown = instead(n) ?? { found, n, scores };
    const head = shown.found.head(shown.n);
    const figure = shown.found.figure(shown.n);
    const score = parts(n);
    const { chunks, decidedBy } = chunksOf(shown, similarityOf, score.decidedBy);
    const rankedBy = shown.found === found ? undefined : found.head(n).patent_id;
    const matches = wanted.explain || wanted.highlight ? matchesIn(question, chunks) : [];
    return {
      patent_id: head.patent_id,
      ...metadataOf(head),
      // A passage that is only shown may be better than those that ranked the document.
      similarity_score: similarityOf(found.hits.scores[n]!),
      rerank_score: rerank,
      ...(figure === undefined ? {} : { representative_figure: figure }),
      chunks: wanted.highlight ? highlighted(chunks, matches) : chunks,
      ...(members === undefined ? {} : { members: members[n] ?? [] }),
      ...(wanted.explain
        ? {
            explanation: explanationOf(
              score,
              at + 1,
              rankedBy,
              decidedBy,
              matches,
              question.required?.parts(n),
            ),
          }
        : {}),
    };
  });
}

/**
 * Adds scores for the documents that the reranker did not reach, by its depth or its deadline: one score for all, below any
 * that it gave, so that they follow in the order of similarity.
 */
export function withRest(given: RerankScores, found: Found): RerankScores {
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

/** Whether a passage is the title, which replaces a missing abstract (src/ingest/passages.ts). */
const isTitle = ({ chunk_type, text }: Passage, title: string | undefined): boolean =>
  chunk_type === 'abstract' && text === title;

/**
 * The passages of a candidate by rerank score, of equal ones the most similar first; and the place of the one that decided.
 * @param decidedBy its number; undefined: the first
 */
function chunksOf(
  { found, n, scores }: Shown,
  similarityOf: (cosine: number) => number,
  decidedBy: number | undefined,
): { chunks: Chunk[]; decidedBy: number } {
  const first = found.firstPassage(n);
  const title = found.head(n).title?.trim();
  const chunks = found.passages(n).map(
    (passage, at): Chunk => ({
      ...passage,
      section_name: isTitle(passage, title) ? 'Title' : passage.section_name,
      similarity_score: similarityOf(found.hits.passageScores[first + at]!),
      rerank_score: shown(scores.passages[first + at]!),
    }),
  );
  const decided = found.hits.passages.subarray(first, first + chunks.length).indexOf(decidedBy ?? -1);
  const one = chunks[decided];
  chunks.sort((a, b) => b.rerank_score - a.rerank_score);
  return { chunks, decidedBy: one === undefined ? 0 : chunks.indexOf(one) };
}
