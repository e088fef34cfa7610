/**
 * Publication numbers of offices outside the five and WIPO: `DE 10 2007 003 914 A1`, `GB2345678A`, `TW201812345A`. No record has such a
 * number, but texts cite them.
 */

/** NO is left out: before digits it is the word for a number. */
const OFFICES =
  'AR AT AU BE BG BR CA CH CL CO CZ DD DE DK EA EE ES FI FR GB GR HK HR HU ID IE IL IN IS IT LT LU LV MD MX MY NL NZ PE PH PL PT RO RS RU SA SE SG SI SK SU TH TR TW UA VN ZA';

/** Kind between hyphens, as the EPO writes it, or the name of a German document: `DE-A-1234567`, `DE-OS 1 234 567`. */
const KIND_BEFORE = String.raw`-[A-Z]\d?-|-(?:OS|PS|AS|GM)[\s-]`;
/** Letters of a series: of Taiwan, and of Brazil. */
const SERIES = '[DIM]|PI|MU';
/** Years alone, such as `2018 2019`, and quantities are no numbers, so blanks stand only where offices print them. */
const DIGITS = [
  String.raw`\d{5,15}`,
  // FR 2 912 345, CH 706 543
  String.raw`\d{1,3}(?:[ ,.]\d{3}){1,4}`,
  // DE 197 12 345
  String.raw`\d{2,3} \d\d \d{3}`,
  // AU 2018/123456, DE 10 2007 003 914, BR 11 2018 012345
  String.raw`(?:\d\d ?)?(?:19|20)\d\d[ /-]?(?:\d{5,7}|\d{3} \d{3})`,
  // AU 12345/88
  String.raw`\d{5}\/\d\d`,
];
const CHECK_DIGIT = String.raw`(?:[.-]\d)?`;
const KIND = String.raw`[\s-]?\(?[A-Z]\d?\)?`;
const WHOLE = new RegExp(
  String.raw`^(?:${OFFICES.replaceAll(' ', '|')})(?:(${KIND_BEFORE})|[\s-]?(${SERIES})?)\s?(${DIGITS.join('|')})${CHECK_DIGIT}(${KIND})?$`,
);
/** Digits of a number with a kind or the letter of its series, and of one without. */
const LEAST_DIGITS = { marked: 5, bare: 7 } as const;

/**
 * Whether a text is the publication number of another office and nothing else.
 * @param text in capitals, NFKC, with plain hyphens
 */
export function isOfOtherOffice(text: string): boolean {
  const [, before, series, number = '', kind] = WHOLE.exec(text) ?? [];
  const isMarked = (before ?? series ?? kind) !== undefined;
  return number.replace(/\D/g, '').length >= LEAST_DIGITS[isMarked ? 'marked' : 'bare'];
}
