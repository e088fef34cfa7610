/**
 * Names of companies and people as keys for comparison. The original is kept for display. Nothing here
 * translates a name: one in Korean finds Korean names.
 */

/** Bracketed abbreviations, removed before punctuation is, since `주` alone may end a place name. */
const BRACKETED = ['株', '有', '合', '資', '名', '주', '유', '합', '재', '사', '학'];

/** Legal forms of East Asia, taken off either end as they stand; longest first. */
const EAST_ASIAN = [
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
].sort((a, b) => b.length - a.length);

/** Legal forms in Latin script, as whole words at the end (`kabushiki kaisha` also in front); longest first. */
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

/** NFKC, case folding, and accents off Latin letters: `L'Oréal` and `L'OREAL` are one. */
function fold(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase().normalize('NFKC');
  if (IS_ASCII.test(lower)) return lower;
  // Only marks on Latin letters: NFD would take Hangul and the Japanese voicing marks apart.
  return lower
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize('NFD').replace(/\p{M}/gu, ''))
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l');
}

/** `S.A.` → `sa`, `Co.,Ltd.` → `co ltd`; `&` stays so that forms such as `GmbH & Co. KG` are seen whole. */
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

function withoutOneForm(name: string): string {
  for (const form of EAST_ASIAN) {
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

/**
 * The key of a company's name: legal forms, punctuation, case, width and accents do not count.
 * `삼성전자 주식회사`, `삼성전자(주)` and `㈜삼성전자` share one key; so do `Foo Co., Ltd.` and `FOO CO LTD`.
 * A name that is nothing but a legal form stays as it is. The search term goes through the same function.
 */
export function companyKey(name: string): string {
  let key = plain(withoutBracketed(fold(name)));
  for (let before = ''; before !== key; ) {
    before = key;
    // Spacing inside East Asian names is a matter of taste; removed, `삼성 전자` is `삼성전자`.
    // Parts of a Korean syllable may have come together by that, or by brackets that are gone.
    key = key.replace(SPACED_CJK, '').normalize('NFC');
    key = withoutOneForm(key).replace(/^ ?& ?| ?& ?$/g, '') || key;
    // Ampersands go only when no form is left that holds one.
    if (key === before) key = key.replace(/ ?&[ &]*/g, ' ').trim() || key;
  }
  return key;
}

const FORMS: ReadonlySet<string> = new Set([...EAST_ASIAN, ...LATIN]);

/** Whether a name is nothing but a legal form: `Co., Ltd.`, `株式会社`, `㈜`. `KG Corp.` is a company's name. */
export function isLegalForm(name: string): boolean {
  const folded = fold(name);
  const rest = plain(withoutBracketed(folded)).replace(SPACED_CJK, '');
  return rest === '' ? plain(folded) !== '' : FORMS.has(rest);
}

/** Short forms that are people's names as well: Se, Sa, Asa. */
const NAME_LIKE = /^[a-z]{1,3}$/;

/** Whether an inventor term is nothing but a legal form, and nobody's name. */
export function isLegalFormOnly(inventor: string): boolean {
  return isLegalForm(inventor) && !NAME_LIKE.test(personKey(inventor));
}

/** How an applicant term is compared with a name, both given as `companyKey`s. */
export function companyMatches(key: string, term: string, match: 'contains' | 'prefix' | 'exact'): boolean {
  if (match === 'exact') return key === term;
  return match === 'prefix' ? key.startsWith(term) : key.includes(term);
}

/** The key of a person's name or of an inventor term: `BAIK, In Sub` → `baik in sub`. */
export function personKey(name: string): string {
  const key = plain(fold(name)).replaceAll('&', ' ').replace(SPACED_CJK, '').replace(/ +/g, ' ').trim();
  return key.normalize('NFC');
}

/** Longest name whose word order is varied; longer ones are lists or companies. */
const MAX_WORDS = 6;

/**
 * Every key under which a person is found by prefix: offices print `BAIK, In Sub` and people type
 * `In Sub Baik` or `Baik`, so the name's words are rotated and a term may start at any word.
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
