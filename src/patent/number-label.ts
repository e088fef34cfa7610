/** Words before a number that say which office it is of, or whose number it is: `등록번호`, `US Patent Application No.` */
import type { Country } from './country.js';

/** A number without the words before it. */
export interface Labelled {
  /** The office that the words name. */
  country?: Country;
  /** Whether the words say that this is the number of an application. It is not the number of its publication. */
  isApplication: boolean;
  /** Whether the words can mean nothing else. English ones may mean a published application, too. */
  isSure: boolean;
  /** The number. */
  rest: string;
}

type Meaning = { country?: Country; isApplication?: true };

/** East Asian labels, with the office whose word it is. Each may be followed by a colon. */
const EAST_ASIAN: readonly [RegExp, Meaning][] = [
  [/^(?:출원 ?번호|(?:특허|실용신안)?출원(?!공개)(?=[\s:제\d]))/, { country: 'KR', isApplication: true }],
  [/^(?:등록|공개|특허|공고)번호/, { country: 'KR' }],
  [/^(?:(?:特許)?出願番号|(?:特願|実願|意願)(?!公開))/, { country: 'JP', isApplication: true }],
  [/^(?:特許|実用新案登録|意匠登録)出願(?=[第平昭令\d])/, { country: 'JP', isApplication: true }],
  [/^(?:登録|公開|特許|公告|公表)番号/, { country: 'JP' }],
  [/^(?:(?:专利)?申请号|申請號|申请(?=\s?\d)|ZL(?=[\s\d]))/, { country: 'CN', isApplication: true }],
  // A Chinese patent number (专利号) is an application number after ZL, or a publication number after CN.
  [/^(?:专利号|專利號)[:\s]*ZL/, { country: 'CN', isApplication: true }],
  [/^(?:(?:公开|公告|公开\(公告\)|申请公布|授权公告|专利)号|(?:公開|公告|專利)號)/, { country: 'CN' }],
];

type Role = Country | 'publication' | 'application' | 'serial' | 'patent' | 'other';

/** English words, without a point at their end. */
const ENGLISH: Readonly<Record<string, Role>> = {
  ...{
    US: 'US',
    'U.S': 'US',
    'U S': 'US',
    'UNITED STATES': 'US',
    KR: 'KR',
    KOREAN: 'KR',
    JP: 'JP',
    JAPANESE: 'JP',
  },
  ...{ CN: 'CN', CHINESE: 'CN', EP: 'EP', EUROPEAN: 'EP' },
  ...{ PUBLICATION: 'publication', PUB: 'publication', PUBL: 'publication', 'LAID-OPEN': 'publication' },
  ...{ APPLICATION: 'application', APPL: 'application', APPLN: 'application', APP: 'application' },
  ...{ PROVISIONAL: 'application', PATENT: 'patent', PAT: 'patent', UNEXAMINED: 'other', EXAMINED: 'other' },
  ...{ NO: 'other', NUMBER: 'other', SERIAL: 'serial', SER: 'serial', USSN: 'serial', 'U.S.S.N': 'serial' },
};

/** The first word, and the points, colons and blanks behind it. */
const FIRST_WORD = /^(UNITED STATES|U\.S\.S\.N|U\.? ?S(?=[. ])|[A-Z]+(?:-OPEN)?(?!-))[.:]{0,2} ?/;
/** Short for "US serial number". */
const US_SERIAL = /^U\.?S\.?S\.?N$/;
/** `Japanese Unexamined Patent Application Publication No.` has six. */
const MOST_WORDS = 8;
const COUNTRY = /^(US|KR|JP|CN|EP)(?![A-Z]|-[A-Z])[\s-]?/;

/**
 * Reads the words before a number.
 * @param text in capitals, NFKC, without blanks at its ends
 * @returns undefined if the text does not begin with such words; the code of a country alone is none
 */
export function readLabel(text: string): Labelled | undefined {
  const label = readOne(text);
  // `出願番号: 特願2018-524120`, `Chinese Patent No. ZL201610298414.0`
  const inner = label && readOne(label.rest);
  if (!inner) return label;
  const country = inner.country ?? label.country;
  return {
    ...(country && { country }),
    isApplication: inner.isApplication || label.isApplication,
    isSure: inner.isSure || label.isSure,
    rest: inner.rest,
  };
}

function readOne(text: string): Labelled | undefined {
  for (const [words, { country, isApplication = false }] of EAST_ASIAN) {
    const found = words.exec(text);
    if (found === null) continue;
    const rest = text.slice(found[0].length).replace(/^[:\s]{1,4}/, '');
    // The code of an office in the number counts more than the language of the label.
    const own = COUNTRY.exec(rest);
    const office = (own?.[1] as Country | undefined) ?? country;
    return {
      ...(office && { country: office }),
      isApplication,
      isSure: true,
      rest: rest.slice(own?.[0].length ?? 0),
    };
  }
  return englishLabel(text);
}

function englishLabel(text: string): Labelled | undefined {
  const roles: Role[] = [];
  let rest = text;
  while (roles.length < MOST_WORDS) {
    const word = FIRST_WORD.exec(rest);
    const role = word?.[1] === undefined ? undefined : ENGLISH[word[1].replace('. ', '.')];
    if (word === null || role === undefined) break;
    if (US_SERIAL.test(word[1]!)) roles.push('US');
    roles.push(role);
    rest = rest.slice(word[0].length);
  }
  const country = roles.find((role): role is Country => role.length === 2);
  const rights = roles.filter((role) => role.length !== 2);
  if (rights.length === 0) return undefined;
  return { ...(country && { country }), isApplication: meansApplication(rights), isSure: false, rest };
}

/** Whether words mean an application. Patents have serial numbers, too: `U.S. Patent Serial No. 9,971,313`. */
function meansApplication(rights: readonly Role[]): boolean {
  if (rights.includes('publication')) return false;
  return rights.includes('application') || (rights.includes('serial') && !rights.includes('patent'));
}
