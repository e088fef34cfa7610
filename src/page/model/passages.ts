/** Passages with the words of the question marked, and the words that were found. */
import type { Chunk, HitExplanation } from '../../search/public-types.js';

export interface Piece {
  text: string;
  isMarked: boolean;
}

/** Cuts a text at its highlights, which may overlap. */
export function piecesOf(text: string, highlights: NonNullable<Chunk['highlights']> = []): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { from, to } of highlights) {
    const begin = Math.max(from, at);
    if (to <= begin) continue;
    if (begin > at) pieces.push({ text: text.slice(at, begin), isMarked: false });
    const last = pieces.at(-1);
    if (last?.isMarked && begin === at) last.text += text.slice(begin, to);
    else pieces.push({ text: text.slice(begin, to), isMarked: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false });
  return pieces;
}

export interface MatchedWord {
  word: string;
  /** The word of the question that it translates. */
  translationOf?: string;
  /** Documents of the index that hold it, or the word that it translates. */
  documents: number;
}

/**
 * The words of the question in the passages, each once, without those that lie in a longer one: a word of a script without
 * blanks is found by its pairs of characters, too.
 */
export function matchedWords(matches: HitExplanation['matches']): MatchedWord[] {
  const longest = matches.filter(
    (match) =>
      !matches.some(
        (other) =>
          other.chunk === match.chunk &&
          other.from <= match.from &&
          other.to >= match.to &&
          other.to - other.from > match.to - match.from,
      ),
  );
  const words = new Map<string, MatchedWord>();
  for (const { term, translation_of, documents } of longest) {
    const key = term.toLowerCase();
    if (words.has(key)) continue;
    words.set(key, {
      word: term,
      documents,
      ...(translation_of === undefined ? {} : { translationOf: translation_of }),
    });
  }
  return [...words.values()].sort((a, b) => a.documents - b.documents);
}
