/**
 * Finds the claims that a claim refers to in its text, for sources that do not mark references:
 * `according to claim 1 or 2`, `nach einem der Ansprüche 1 bis 3`, `selon la revendication 1`, `請求項１又は２に記載の`,
 * `제1항 내지 제3항 중`, `如权利要求1所述的`.
 */

/** Words of references that printed lines split: `내 지`, `또 는`, `청 구항`. */
const BROKEN = /내 지|또 는|청 구 ?항|청구 항/g;

/*
 * The text has single blanks. With two adjacent `\s*`, a run of blanks could be divided in many ways, and
 * matching would be slow.
 */

/** A word that begins with 항, without a particle behind it: `제1항원`, `제2 항체`, the first antigen and the second antibody. */
const WORD = ' ?항(?!에(?!스트)|[의중과와을를은는및]|으로|내지|또는|이나|있어|부터|까지)[가-힣]';
const NUMBER = `\\d{1,4}(?!\\d|${WORD})`;
/** Between the ends of a range. NFKC leaves all these dashes as they are. */
const TO = '乃至|ないし|から|至|到|[〜~∼\\-‐–—―−]|to|through|bis|à|내지|부터';
/** Between the numbers of a list. The longer word comes first, so that each text is read in one way. */
const CONJUNCTION =
  '及び|および|または|又は|若しくは|もしくは|以及|及|或者|或|和|與|与|or|and(?:\\/or)?|oder|und(?:\\/oder)?|et(?:\\/ou)?|ou|또는|및(?:\\/또는)?|혹은';
/** Between the numbers of one reference, with the word repeated if it is: `, 2 and 4`, `, or 3`, `bis 3`, `から請求項３`. */
const JOIN = ` ?(?:[,、](?: ?(?:${CONJUNCTION}))?|${TO}|${CONJUNCTION}) ?`;
const WORDS = 'claims?|(?:patent)?anspr[uü]che?[ns]?|revendications?|請求項|権利要求|权利要求|청구항';
/** Korean may separate all parts with blanks: `제 1 항`. */
const ITEM = '(?: ?(?:項|항))?';
/** A word before a further number. */
const AGAIN = '(?:(?:제|第|請求項|权利要求|청구항|claims?) ?)?';
const MORE = `${JOIN}(?:any (?:one )?of )?${AGAIN}${NUMBER}`;
const LIST = `${NUMBER}${ITEM}(?:${MORE}${ITEM})*`;
/** Most numbers before the 항 of the last one, as in `제1, 2, 4항`. Without a bound, `제1, 제1, …` would take quadratic time. */
const SHARING_MAX = 30;
const KOREAN_LIST = `${NUMBER}(?:${MORE}){0,${SHARING_MAX}} ?항(?:${MORE}${ITEM})*`;
const REFERENCE = new RegExp(`(?:${WORDS}) ?(?:[제第] ?)?(${LIST})|제 ?(${KOREAN_LIST})`, 'giu');
const RANGE = new RegExp(`(${NUMBER}) ?(?:[項항] ?)?(?:${TO}) ?${AGAIN}(${NUMBER})`, 'giu');

/** Numbers of the earlier claims that a text names, ascending. The web page uses it, so it is small. */
export function claimReferences(text: string, own: number): number[] {
  const found = new Set<number>();
  const add = (number: number): void => {
    if (number > 0 && number < own) found.add(number);
  };
  const whole = text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(BROKEN, (word) => word.replaceAll(' ', ''));
  for (const match of whole.matchAll(REFERENCE)) {
    const list = match[1] ?? match[2] ?? '';
    for (const [, from, to] of list.matchAll(RANGE)) {
      for (let number = Number(from); number <= Math.min(Number(to), own - 1); number++) add(number);
    }
    for (const [number] of list.matchAll(/\d+/g)) add(Number(number));
  }
  return [...found].sort((a, b) => a - b);
}
