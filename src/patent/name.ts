/**
 * Comparison keys for names of companies and people. The original name is kept for display. Names are not
 * translated: a Korean name finds Korean names only.
 */
import { withoutInvisible } from './invisible.js';

/**
 * Abbreviations in brackets, removed before punctuation: without brackets, `주` may be the end of a place
 * name.
 */
const BRACKETED = ['株', '有', '合', '資', '名', '주', '유', '합', '재', '사', '학'];

/** East Asian legal forms, removed from either end of a name. */
const EAST_ASIAN_FORMS = [
  ...['国立研究開発法人', '地方独立行政法人', '公立大学法人', '国立大学法人', '独立行政法人', '公益財団法人'],
  ...[
    '公益社団法人',
    '一般財団法人',
    '一般社団法人',
    '特定非営利活動法人',
    '学校法人',
    '株式会社',
    '有限会社',
  ],
  ...['合同会社', '合資会社', '合名会社', '주식회사', '유한책임회사', '유한회사', '합자회사', '합명회사'],
  ...[
    '재단법인',
    '사단법인',
    '학교법인',
    '股份有限公司',
    '有限责任公司',
    '有限責任公司',
    '股份公司',
    '有限公司',
  ],
];

/** Characters of these forms that Korea, Taiwan and Japan before 1946 write otherwise. */
const OLD_CHARACTERS: readonly [string, string][] = [
  ['会', '會'],
  ['学', '學'],
  ['国', '國'],
  ['団', '團'],
  ['独', '獨'],
  ['営', '營'],
];

/** The forms in old characters: `株式會社`, `學校法人`. Indexes that were written before hold names with them. */
const OLD_FORMS = [
  ...EAST_ASIAN_FORMS.map((form) =>
    OLD_CHARACTERS.reduce((found, [now, old]) => found.replaceAll(now, old), form),
  ).filter((form) => !EAST_ASIAN_FORMS.includes(form)),
  ...['財團法人', '社團法人'],
];

const longestFirst = (a: string, b: string): number => b.length - a.length;
EAST_ASIAN_FORMS.sort(longestFirst);
const EAST_ASIAN = [...EAST_ASIAN_FORMS, ...OLD_FORMS].sort(longestFirst);

/**
 * Legal forms in Latin script, removed as whole words at the end (`kabushiki kaisha` also at the beginning);
 * longest first.
 */
const LATIN = [
  ...['kabushiki kaisha', 'kabushiki gaisha', 'yugen kaisha', 'co ltd', 'company limited', 'company ltd'],
  ...['private limited', 'pvt ltd', 'pty ltd', 'pte ltd', 'sdn bhd', 'gmbh & co kgaa', 'gmbh & co kg'],
  ...['gmbh und co kg', 'ag & co kgaa', 'ag & co kg', 'sa de cv', 'srl de cv', 'limited liability company'],
  ...['aktiengesellschaft', 'gesellschaft mit beschrankter haftung', 'societe anonyme', 'incorporated'],
  ...[
    'corporation',
    'company',
    'limited',
    'corp',
    'inc',
    'ltd',
    'llc',
    'llp',
    'lp',
    'plc',
    'co',
    'gmbh',
    'ag',
  ],
  ...['kgaa', 'kg', 'ohg', 'ug', 'se', 'sa', 'sas', 'sasu', 'sarl', 'scs', 'snc', 'spa', 'srl', 'sl', 'slu'],
  ...['bv', 'nv', 'cv', 'vof', 'kk', 'yk', 'gk', 'oy', 'oyj', 'ab', 'as', 'asa', 'aps', 'kft', 'zrt', 'nyrt'],
  ...['sro', 'doo', 'ooo', 'oao', 'zao', 'pao', 'jsc', 'pjsc', 'bhd', 'pte', 'pty', 'pvt', 'ltda', 'eood'],
].sort((a, b) => b.length - a.length);

const SPACED_CJK =
  /(?<=[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}ー]) | (?=[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

const IS_ASCII = /^\p{ASCII}*$/u;

/**
 * Applies NFKC and case folding, and removes invisible characters, and accents from Latin letters: `L'Oréal` and
 * `L'OREAL` become equal.
 */
function fold(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase().normalize('NFKC');
  if (IS_ASCII.test(lower)) return lower;
  // Only Latin letters: NFD would also decompose Hangul and Japanese voicing marks.
  return withoutInvisible(lower)
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize('NFD').replace(/\p{M}/gu, ''))
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l');
}

/** `S.A.` → `sa`, `Co.,Ltd.` → `co ltd`. `&` stays, since forms such as `GmbH & Co. KG` contain it. */
function plain(text: string): string {
  return text
    .replace(/(?<=\p{L})\.(?=\p{L}(?:\.|\b))|['’`´]/gu, '')
    .replace(/(?<=^| )([a-z])\/([a-z])(?= |$)/g, '$1$2')
    .replace(/[^\p{L}\p{N}\p{M}&ー]+/gu, ' ')
    .trim();
}

const BRACKETED_FORM = new RegExp(
  `^\\s*\\((?:${BRACKETED.join('|')})\\)|\\((?:${BRACKETED.join('|')})\\)\\s*$`,
  'gu',
);

function withoutBracketed(text: string): string {
  return text.replace(BRACKETED_FORM, ' ');
}

function withoutOneForm(name: string, eastAsian: readonly string[]): string {
  for (const form of eastAsian) {
    if (name.startsWith(form)) return name.slice(form.length).trim();
    if (name.endsWith(form)) return name.slice(0, -form.length).trim();
  }
  for (const form of LATIN) {
    if (name.endsWith(` ${form}`)) return name.slice(0, -form.length - 1).trim();
  }
  for (const form of ['kabushiki kaisha', 'yugen kaisha']) {
    if (name.startsWith(`${form} `)) return name.slice(form.length + 1);
  }
  return name;
}

/** Longest name that is compared, characters. Longer ones are lists or damage, and time grows with the square. */
const COMPARED_CHARS = 1000;

/**
 * Key of a company's name. It ignores legal forms, punctuation, case, width and accents: `삼성전자 주식회사`,
 * `삼성전자(주)` and `㈜삼성전자` share a key, and so do `Foo Co., Ltd.` and `FOO CO LTD`. A name that consists of a
 * legal form stays unchanged. Names with the same beginning of `COMPARED_CHARS` share a key. Search terms get the same
 * key.
 */
export function companyKey(name: string): string {
  return keyWithout(EAST_ASIAN, name);
}

/**
 * Keys by which a name is found: its own, and the one that it had before forms in old characters were known. Without the second, an
 * index that was written before would lose `株式會社가나` for a search of the exact name.
 */
export function companyKeys(name: string): string[] {
  return [...new Set([companyKey(name), keyWithout(EAST_ASIAN_FORMS, name)])];
}

function keyWithout(eastAsian: readonly string[], name: string): string {
  let key = plain(withoutBracketed(fold(name).slice(0, COMPARED_CHARS)));
  for (let before = ''; before !== key; ) {
    before = key;
    // Spacing within East Asian names varies, so it is removed: `삼성 전자` becomes `삼성전자`. Without blanks or
    // brackets, parts of a Korean syllable may become adjacent; NFC joins them.
    key = key.replace(SPACED_CJK, '').normalize('NFC');
    key = withoutOneForm(key, eastAsian).replace(/^ ?& ?| ?& ?$/g, '') || key;
    // Ampersands are removed last, since legal forms may contain them.
    if (key === before) key = key.replace(/ ?&[ &]*/g, ' ').trim() || key;
  }
  return key;
}

const FORMS: ReadonlySet<string> = new Set([...EAST_ASIAN, ...LATIN]);

/** Whether a key has no letter or digit. Every name contains such a key. */
export const isEmptyKey = (key: string): boolean => !/[\p{L}\p{N}]/u.test(key);

/** Whether a name consists of a legal form: `Co., Ltd.`, `株式会社`, `㈜`. `KG Corp.` is the name of a company. */
export function isLegalForm(name: string): boolean {
  const folded = fold(name);
  const rest = plain(withoutBracketed(folded)).replace(SPACED_CJK, '');
  return rest === '' ? plain(folded) !== '' : FORMS.has(rest);
}

/** Short legal forms that are also names of people: Se, Sa, Asa. */
const NAME_LIKE = /^[a-z]{1,3}$/;

/** Whether an inventor term consists of a legal form and is not a person's name. */
export function isLegalFormOnly(inventor: string): boolean {
  return isLegalForm(inventor) && !NAME_LIKE.test(personKey(inventor));
}

/** Compares an applicant term with a name, both as `companyKey`. */
export function companyMatches(key: string, term: string, match: 'contains' | 'prefix' | 'exact'): boolean {
  if (match === 'exact') return key === term;
  return match === 'prefix' ? key.startsWith(term) : key.includes(term);
}

/** Key of a person's name or of an inventor term: `BAIK, In Sub` → `baik in sub`. */
export function personKey(name: string): string {
  const key = plain(fold(name)).replaceAll('&', ' ').replace(SPACED_CJK, '').replace(/ +/g, ' ').trim();
  return key.normalize('NFC');
}

/** Longest name, in words, whose word order is varied. Longer names are lists or companies. */
const MAX_WORDS = 6;

/**
 * Keys that find a person by prefix. Offices print `BAIK, In Sub`, and people search for `In Sub Baik` or
 * `Baik`: the words are rotated, so that a term may start at any word.
 */
export function personKeys(name: string): string[] {
  const key = personKey(name);
  const words = key.split(' ');
  if (words.length === 1 || words.length > MAX_WORDS) return [key];
  return words.map((_, at) => [...words.slice(at), ...words.slice(0, at)].join(' '));
}

/** Whether an inventor term (a `personKey`) is a prefix of the name in one of its word orders. */
export function personMatches(name: string, term: string): boolean {
  return personKeys(name).some((key) => key.startsWith(term));
}
