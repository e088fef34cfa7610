/** A question without what people copy along with a number or a code. */
import { withoutInvisible } from '../patent/invisible.js';

const PAIRS: readonly [string, string][] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['「', '」'],
  ['『', '』'],
  ['(', ')'],
  ['[', ']'],
  ['<', '>'],
];
const ENDS = new Set(['.', ',', ';', ':', '!', '?', '。', '、']);

/**
 * A short question in capitals, without quotes or brackets around it, punctuation at its end, and invisible characters. Longer
 * ones are returned as they are.
 * @param most characters of a number or code
 */
export function bareQuestion(question: string, most: number): string {
  if (question.length > 4 * most) return question;
  let text = withoutInvisible(question).normalize('NFKC').trim().toUpperCase();
  for (let before = ''; before !== text; ) {
    before = text;
    if (ENDS.has(text.at(-1) ?? '')) text = text.slice(0, -1).trim();
    const isAround = ([open, close]: readonly [string, string]) =>
      text.length > 1 && text.startsWith(open) && text.endsWith(close);
    if (PAIRS.some(isAround)) text = text.slice(1, -1).trim();
  }
  return text;
}
