/** Codes and numbers within a question, beside other words: those of classes, publications, claims and drawings. */
import { SUBCLASSES } from './subclasses.js';

/** What has the form of a subclass, `H01M`, or is a group of the IPC or CPC: `H01M10/0525`, `H01M 10/0525`. */
const CLASS = String.raw`[A-HY]\d\d[A-Z](?:\s?[1-9]\d{0,3}\/\d{1,6})?`;
/** A publication number with its office: `CN110006408A`, `KR 10-2020-0104349`, `US 9,971,313 B2`, `WO/2018/062001`; `PCT/KR2018/016728`. */
const NUMBER = String.raw`(?:(?:US|KR|JP|CN|EP)\s?|WO[\s/]?)\d[\d,/-]{5,15}\d(?:\s?[A-Z]\d?)?|PCT\/?[A-Z]{2}\d{2,4}\/?\d{5,6}`;
const SUBCLASS = /^[A-HY]\d\d[A-Z]$/;
const CODES = new RegExp(String.raw`(?<![\p{L}\d])(?:${CLASS}|${NUMBER})(?![\p{L}\d])`, 'gu');

/** Whether four characters beside other words may be a word, and are not sure to be a class. */
type MayBeWord = (code: string) => boolean;

/**
 * A question without codes and numbers, if it has other words. Models know no meaning of codes, and their vector is near to
 * anything. What only has the form of a subclass stays: G12C of `KRAS G12C inhibitor`.
 */
export function withoutCodes(question: string): string {
  return without(question, (code) => !SUBCLASSES.has(code));
}

/**
 * The same for the words of a question, which keep subclasses, too: one that a text holds may be a word there. A group never
 * is.
 */
export function withoutGroups(question: string): string {
  return without(question, () => true);
}

function without(question: string, mayBeWord: MayBeWord): string {
  const rest = question
    .replace(CODES, (code) => (SUBCLASS.test(code) && mayBeWord(code) ? code : ' '))
    .trim();
  return /\p{L}{2}/u.test(rest) || /[\p{Script=Han}]/u.test(rest) ? rest : question;
}

/** Numerals of a pasted claim, at least, unless it begins with its number. `silicon (111) and (100)` has two. */
const LEAST_NUMERALS = 3;
/** Numerals of a drawing: `(10)`, `(12a)`, `（１０）`, `(10, 12)`. */
const NUMERALS = /[(（]\p{Nd}{1,4}[a-z]?(?:[,，、]\s?\p{Nd}{1,4}[a-z]?){0,9}[)）]/gu;
/** The number of a claim before its text: `1. `, `【請求項１】`, `[청구항 1]`, `权利要求1`. */
const CLAIM =
  /^\s*(?:\p{Nd}{1,3}\s?[.．、](?!\p{Nd})|[【[]?(?:請求項|청구항|权利要求|權利要求)\s?\p{Nd}{1,3}[】\]]?)/u;

/**
 * A pasted claim without its number and the numerals of its drawings. They say nothing about a subject, but documents of another
 * language hold the same ones.
 */
export function withoutNumerals(question: string): string {
  const text = question.replace(CLAIM, '');
  const rest = text.replace(NUMERALS, ' ');
  if (!/\p{L}/u.test(rest)) return question;
  const numerals = new Set(text.match(NUMERALS)).size;
  return numerals >= (text === question ? LEAST_NUMERALS : 1) ? rest : text;
}
