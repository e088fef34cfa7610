/** Why a result is there: the parts of its score, its ranks, and the words that it shares with the question. */
import type { UsedWord, Words } from '../index/native.js';
import { MATCHES_MAX } from '../limits.js';
import type { RequiredTerms } from './required-terms.js';
import type { Chunk, Highlight, HitExplanation } from './types.js';

/** What a request wants to know of each result. */
export interface Wanted {
  explain: boolean;
  highlight: boolean;
}

/** The words of the question, and those of them that were scored. */
export interface QuestionWords {
  words: Words | undefined;
  used: readonly UsedWord[];
  /** The terms that each result must hold. */
  required: RequiredTerms | undefined;
}

/** The parts of the score of a document. */
export interface ScoreParts {
  reranker: number;
  lexical: number;
  weight: number;
  language: number;
  /** Number of the passage that decided the reranker's score, if it was the only one that was scored; results show more. */
  decidedBy: number | undefined;
  foundBy: HitExplanation['found_by'];
  /** From 1; undefined if only words or a number found the document. */
  rankBySimilarity: number | undefined;
}

/** A word of the question in a passage. */
type Match = HitExplanation['matches'][number];

/** The words of a question and the required terms in the passages of a result, and their translations, required terms first. */
export function matchesIn(question: QuestionWords, chunks: readonly Chunk[]): Match[] {
  return [...requiredIn(question, chunks), ...wordsIn(question, chunks)];
}

function requiredIn({ required }: QuestionWords, chunks: readonly Chunk[]): Match[] {
  if (required === undefined) return [];
  return chunks.flatMap(({ text }, chunk) =>
    required.words.find(text).map(({ from, to, word, translationOf }): Match => {
      const place = { required: true as const, documents: required.documents[word]!, chunk, from, to };
      if (translationOf === undefined) return { term: required.terms[word]!, ...place };
      return { term: text.slice(from, to), translation_of: translationOf, ...place };
    }),
  );
}

function wordsIn({ words, used }: QuestionWords, chunks: readonly Chunk[]): Match[] {
  if (words === undefined || used.length === 0) return [];
  const scored = new Map(used.map((word) => [word.word, word]));
  const numbers = [...scored.keys()];
  return chunks.flatMap(({ text }, chunk) =>
    words.find(text, numbers).flatMap(({ from, to, word, translationOf }): Match[] => {
      const found = scored.get(word);
      if (!found) return [];
      const place = { documents: found.documents, chunk, from, to };
      if (translationOf === undefined) return [{ term: found.text, ...place }];
      return [{ term: text.slice(from, to), translation_of: translationOf, ...place }];
    }),
  );
}

/** The passages of a result with the places of the matches. */
export function highlighted(chunks: readonly Chunk[], matches: readonly Match[]): Chunk[] {
  return chunks.map((chunk, n) => ({ ...chunk, highlights: highlightsOf(matches, n) }));
}

/** Joined ranges of the matches in a passage, so that none overlaps another. */
function highlightsOf(matches: readonly Match[], chunk: number): Highlight[] {
  const ranges: Highlight[] = [];
  const own = matches.filter((match) => match.chunk === chunk).sort((a, b) => a.from - b.from);
  for (const { from, to } of own) {
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges;
}

/**
 * The explanation of a result. Its parts add up to rerank_score, but for rounding.
 * @param rankedBy patent_id of the best member of the family, if another is shown
 * @param decidedBy place of the passage that decided the reranker's score
 */
export function explanationOf(
  parts: ScoreParts,
  rank: number,
  rankedBy: string | undefined,
  decidedBy: number,
  matches: Match[],
  mustTerms: HitExplanation['must_terms'],
): HitExplanation {
  return {
    reranker: parts.reranker,
    lexical: parts.lexical,
    lexical_weight: parts.weight,
    language: parts.language,
    found_by: parts.foundBy,
    ...(parts.rankBySimilarity === undefined ? {} : { rank_by_similarity: parts.rankBySimilarity }),
    rank,
    ...(rankedBy === undefined ? { decided_by: decidedBy } : { ranked_by: rankedBy }),
    matches: matches.slice(0, MATCHES_MAX),
    ...(mustTerms === undefined ? {} : { must_terms: mustTerms }),
  };
}
