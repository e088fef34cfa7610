/**
 * IPC and CPC codes, written `H01M 10/0525`: section, class, subclass, main group, subgroup. A **key** is the
 * code without its space (`H01M10/0525`). All codes with a prefix are one range of sorted keys.
 */

import { PriorartError } from '../errors.js';
import { beforeFirst } from './scan.js';

const FULL = /^([A-HY])(\d{2})([A-Z])0*(\d{1,4})[/:](\d{1,6})(?:[^\d].*)?$/;
const GROUP_ONLY = /^([A-HY])(\d{2})([A-Z])0*(\d{1,4})$/;
const SUBCLASS = /^([A-HY])(\d{2})([A-Z])$/;
/** Fixed columns of the red book before IPC 8: `A45F  504` is A45F, group 5 in three columns, subgroup 04. */
const COLUMNS = /^([A-H]\d{2}[A-Z])([ \d]{2}\d)(\d{2,6})$/;
const PREFIX = /^([A-HY])(?:(\d{2})(?:([A-Z])(?:0*([1-9]\d{0,3})(\/\d{0,6})?)?)?)?$/;

/**
 * Normalises a code from a source (`H01M10/0525`, `A41D001/06`, `A45F  504`, `H01M 10/0525 (2010.01)`,
 * `H01M  10/0525 20100101AFI`) to `H01M 10/0525`. A bare subclass stays `H01M`. `undefined` if the text is
 * not a code.
 */
export function normaliseClassification(text: string): string | undefined {
  const plain = text.normalize('NFKC').toUpperCase().trim();
  const columns = COLUMNS.exec(plain);
  if (columns) return `${columns[1]} ${Number(columns[2])}/${columns[3]}`;
  // A version date in brackets, or the columns after the symbol, are not part of the code.
  const symbol = upToSubgroup(beforeFirst(plain, /\(/));
  const packed = symbol.replace(/\s+/g, '');
  const full = FULL.exec(packed);
  if (full) return `${full[1]}${full[2]}${full[3]} ${full[4]}/${full[5]}`;
  const group = GROUP_ONLY.exec(packed);
  if (group) return `${group[1]}${group[2]}${group[3]} ${group[4]}/00`;
  return SUBCLASS.test(packed) ? packed : undefined;
}

/** `H01M  10/0525 20100101AFI` → `H01M  10/0525` */
function upToSubgroup(text: string): string {
  const subgroup = /\/\s*\d+(?=\s)/.exec(text);
  return subgroup === null ? text : text.slice(0, subgroup.index + subgroup[0].length);
}

/** Normalised codes of a list, in order, without duplicates and invalid codes. */
export function normaliseClassifications(texts: Iterable<string>): string[] {
  const codes = new Set<string>();
  for (const text of texts) {
    const code = normaliseClassification(text);
    if (code !== undefined) codes.add(code);
  }
  return [...codes];
}

/** The key of a normalised code: `H01M 10/0525` → `H01M10/0525`. */
export function classificationKey(code: string): string {
  return code.replace(' ', '');
}

/** The four-character subclass of a normalised code: `H01M`. */
export function subclassOf(code: string): string {
  return code.slice(0, 4);
}

/** The code of the field on a title page, and the name of the system before a code: `(51) Int. Cl.7`, `IPC:`, `국제특허분류`. */
const FIELD = /^[([]5\d[)\]]\s?/;
const SYSTEM =
  /^(?:INT\.?\s?CL\.?\s?\d?(?=[\s.:]|[A-HY]\d)|(?:IPC|CPC)\d?|국제(?:특허)?분류|(?:国际|國際|国際)?(?:专利|專利|特許)?(?:分类|分類))(?:분류|分类|分類)?(?:번호|기호|코드|番号|记号|記号|号|號)?(?:\((?:IPC|CPC)\))?[\s.:-]{0,3}/;
/** The version behind a code, and what databases print behind it: `(2006.01)I`, `20060101AFI`. */
const VERSION = /\s?(?:\((?:19|20)\d\d\.\d\d\)|\s(?:19|20)\d{6})\s?[A-Z]{0,3}$/;
/** WIPO's standard ST.8: four digits of the main group, six of the subgroup. */
const ST8 = /^([A-HY]\d\d[A-Z])(\d{4})(\d{2})(\d{4})$/;
/** Longest code with its surroundings, characters. */
const PRINTED_CHARS = 80;

/** A text in capitals without the field of a title page and the name of the system before a code. */
export function withoutSystem(text: string): string {
  return text.replace(FIELD, '').replace(SYSTEM, '');
}

/**
 * A code without what is printed around it, in capitals: `Int. Cl. C08F 265 / 04 (2006.01)` → `C08F265/04`. Texts without a code keep
 * all but blanks.
 */
export function plainCode(text: string): string {
  const bare = text.normalize('NFKC').toUpperCase().trim();
  if (bare.length > PRINTED_CHARS) return bare.replace(/\s+/g, '');
  const code = withoutSystem(bare).replace(VERSION, '');
  const [, subclass, group, subgroup, more = ''] = ST8.exec(code) ?? [];
  if (subclass) return `${subclass}${Number(group)}/${subgroup}${more.replace(/0{1,4}$/, '')}`;
  return code.replace(/^([A-HY]\d\d[A-Z])\s?-\s?(?=\d)/, '$1').replace(/\s+/g, '');
}

/**
 * The key prefix of a code as people write and offices print it: a code matches if and only if its key starts with the result. A
 * main group is complete (`H01M10` → `H01M10/`, so H01M 100 does not match). A subgroup may be cut anywhere (`H01M10/05` →
 * `H01M10/05`). Spaces and case do not matter. Undefined if the text is not a code.
 */
export function classificationPrefix(text: string): string | undefined {
  const [, section, cls = '', subclass = '', group, subgroup] = PREFIX.exec(plainCode(text)) ?? [];
  if (section === undefined) return undefined;
  const head = `${section}${cls}${subclass}`;
  return group === undefined ? head : `${head}${group}${subgroup ?? '/'}`;
}

/**
 * `classificationPrefix` of a filter.
 * @throws PriorartError `bad_classification`
 */
export function parseClassificationPrefix(text: string, field = 'classification'): string {
  const prefix = classificationPrefix(text);
  if (prefix !== undefined) return prefix;
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  throw new PriorartError(
    'bad_classification',
    `${field}: malformed code ${JSON.stringify(shown)}; expected a prefix of section, class, subclass, group ` +
      'and subgroup such as H, H01, H01M, H01M10 or H01M 10/0525',
  );
}

/** Whether a normalised code falls under a key prefix from `parseClassificationPrefix`. */
export function matchesPrefix(code: string, keyPrefix: string): boolean {
  return classificationKey(code).startsWith(keyPrefix);
}
