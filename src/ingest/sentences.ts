/** Places where a text may be cut: ends of sentences in the languages of the offices, and softer places. */

/**
 * Words before a full stop that does not end a sentence: figures, numbers, Latin and German abbreviations.
 */
const ABBREVIATIONS = new Set(
  (
    'fig figs no nos eq eqs ref refs e.g i.e etc al dr mr mrs ms prof vs approx ca cf ser pat pats appl app ' +
    'u.s inc co ltd corp vol vols pp p st jr sr ph.d chem int ed eds sec sect tab ex wt mol max min resp viz ' +
    'nr abb bzw usw vgl ggf z.b d.h u.a sog bspw evtl bd p.ex env art'
  ).split(' '),
);

const HANGUL = /[\uAC00-\uD7A3]/;
const CLOSERS = /["'”’»)\]}」』）】〉》]/;
const MARK = /[.!?。．！？｡\n]/g;

/** Longest word before a full stop that is checked, characters. */
const LONGEST_WORD = 24;

/** Whether the full stop at `at` ends a sentence. The current sentence begins at `start`. */
function endsSentence(text: string, at: number, start: number): boolean {
  const mark = text[at] ?? '';
  if (mark === '\n' || '。！？｡'.includes(mark)) return true;
  const next = text[at + 1] ?? ' ';
  if (mark === '．') return !/\p{N}/u.test(next);
  const before = text[at - 1] ?? '';
  // Korean sentences end in 다, 요, 음 …. Records often lack the space after the full stop.
  if (mark === '.' && HANGUL.test(before) && !/[\d.]/.test(next)) {
    return /\s/.test(next) || CLOSERS.test(next) || /[다요음함됨임]/.test(before);
  }
  let after = at + 1;
  while (CLOSERS.test(text[after] ?? '')) after++;
  if (!/\s/.test(text[after] ?? ' ')) return false;
  if (mark !== '.') return true;
  let from = at;
  while (from > Math.max(start, at - LONGEST_WORD) && /\S/.test(text[from - 1]!)) from--;
  const word = text.slice(from, at);
  const bare = word.replace(/^[("'“‘[]+/, '').toLowerCase();
  // `A.` is an initial. `1.` at the beginning is the number of a paragraph.
  if (ABBREVIATIONS.has(bare) || /^\p{L}$/u.test(bare)) return false;
  if (/^[\d.]+$/.test(bare) && text.slice(start, at).trim().length === word.length) return false;
  // A sentence does not begin with a lower-case letter.
  return !/^\s+\p{Ll}/u.test(text.slice(after, after + 8));
}

/** Cuts the text after each sentence. The joined parts are the text. */
export function sentences(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  MARK.lastIndex = 0;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    if (!endsSentence(text, found.index, start)) continue;
    let end = found.index + 1;
    while (end < text.length && CLOSERS.test(text[end] ?? '')) end++;
    while (end < text.length && /\s/.test(text[end] ?? '')) end++;
    parts.push(text.slice(start, end));
    start = end;
    MARK.lastIndex = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** Places to cut a sentence that is too long, in order of preference: clauses, then words. */
export const SOFT_BREAKS: readonly RegExp[] = [
  /(?<=[;；:：])(?=\s|\P{ASCII})/u,
  /(?<=[,，、])(?=\s|\P{ASCII})/u,
  /(?<=\s)(?=\S)/u,
];
