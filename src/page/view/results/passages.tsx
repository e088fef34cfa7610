/** The passages that match, with the words of the question marked. */
import { useState } from 'preact/hooks';
import type { Chunk } from '../../../search/public-types.js';
import { isolated } from '../../model/isolated.js';
import { piecesOf } from '../../model/passages.js';
import { useTexts } from '../context.js';

/** Characters from which on a passage is shown in part. */
const LONG = 280;

interface Props {
  chunks: readonly Chunk[];
  /** Place of the passage that decided the rank, which is shown first. */
  first: number;
  language: string | undefined;
}

export function Passages({ chunks, first, language }: Props) {
  const { results } = useTexts();
  const [areAll, setAll] = useState(false);
  const ordered = [chunks[first], ...chunks.filter((_, at) => at !== first)].filter((chunk) => !!chunk);
  const shown = areAll ? ordered : ordered.slice(0, 1);
  return (
    <div class="passages">
      {shown.map((chunk, at) => (
        <Passage key={at} chunk={chunk} language={language} />
      ))}
      {ordered.length > 1 && (
        <button type="button" class="button plain" aria-expanded={areAll} onClick={() => setAll(!areAll)}>
          {areAll ? results.fewerPassages : results.morePassages(ordered.length - 1)}
        </button>
      )}
    </div>
  );
}

function Passage({ chunk, language }: { chunk: Chunk; language: string | undefined }) {
  const { results } = useTexts();
  const isLong = chunk.text.length > LONG;
  const [isWhole, setWhole] = useState(false);
  return (
    <blockquote class="passage">
      <p class="passage-place">{placeOf(chunk, results)}</p>
      <p class={isLong && !isWhole ? 'passage-text part' : 'passage-text'} lang={language}>
        {piecesOf(
          isLong && !isWhole ? fromFirstWord(chunk) : chunk.text,
          shifted(chunk, isLong && !isWhole),
        ).map((piece, at) => (piece.isMarked ? <mark key={at}>{piece.text}</mark> : piece.text))}
      </p>
      {isLong && (
        <button type="button" class="button plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? results.shorterPassage : results.wholePassage}
        </button>
      )}
    </blockquote>
  );
}

/** Where the part of a long passage begins: a little before its first marked word. */
function startOf({ text, highlights = [] }: Chunk): number {
  const first = highlights[0]?.from ?? 0;
  if (first < LONG / 2) return 0;
  const blank = text.lastIndexOf(' ', first - 40);
  const start = blank > first - 90 ? blank + 1 : first - 40;
  // Never between the halves of a surrogate pair.
  return /[\uDC00-\uDFFF]/.test(text[start] ?? '') ? start - 1 : start;
}

function fromFirstWord(chunk: Chunk): string {
  const start = startOf(chunk);
  return (start > 0 ? '… ' : '') + chunk.text.slice(start);
}

function shifted(chunk: Chunk, isPart: boolean): NonNullable<Chunk['highlights']> {
  const start = isPart ? startOf(chunk) : 0;
  const by = start > 0 ? 2 - start : 0;
  return (chunk.highlights ?? []).map(({ from, to }) => ({ from: from + by, to: to + by }));
}

type Results = ReturnType<typeof useTexts>['results'];

/** `Claims · Claim 1`, `Technical Field · paragraph 12–14`. */
export function placeOf(chunk: Chunk, results: Results): string {
  const standard: Readonly<Record<string, string>> = {
    Title: results.title,
    Abstract: results.abstract,
    Claims: results.claims,
    Description: results.description,
  };
  const section = standard[chunk.section_name] ?? isolated(chunk.section_name);
  if (chunk.claim_numbers.length > 0) return results.claim(ranges(chunk.claim_numbers));
  if (chunk.paragraph_numbers.length > 0)
    return `${section} · ${results.paragraph(ranges(chunk.paragraph_numbers))}`;
  return section;
}

/** `[1, 2, 3, 7]` as `1–3, 7`. */
function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
