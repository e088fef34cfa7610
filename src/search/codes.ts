/** Classification codes and numbers of publications within a question, beside other words. */

/** A subclass or group of the IPC or CPC: `H01M`, `H01M10/0525`, `H01M 10/0525`. */
const CLASS = String.raw`[A-HY]\d\d[A-Z](?:\s?[1-9]\d{0,3}\/\d{1,6})?`;
/** A publication number with its office: `CN110006408A`, `KR 10-2020-0104349`, `US 9,971,313 B2`. */
const NUMBER = String.raw`(?:US|KR|JP|CN|EP|WO)\s?\d[\d,/-]{5,15}\d(?:\s?[A-Z]\d?)?`;
const CODES = new RegExp(String.raw`(?<![\p{L}\d])(?:${CLASS}|${NUMBER})(?![\p{L}\d])`, 'gu');

/**
 * A question without codes and numbers, if it has other words. Models know no meaning of codes, and their vector is near to
 * anything.
 */
export function withoutCodes(question: string): string {
  const rest = question.replace(CODES, ' ').trim();
  return /\p{L}{2}/u.test(rest) || /[\p{Script=Han}]/u.test(rest) ? rest : question;
}
