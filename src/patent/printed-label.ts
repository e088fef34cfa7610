/**
 * Words before a number, in any combination: the name of a country, what is numbered, and the word for a number: `한국 등록특허번호 제`,
 * `美国专利`, `Korean Patent Registration No.`, `Europäische Patentschrift`. number-label.ts has those that sources of records use, too.
 */
import type { Country } from './country.js';

/** What a word says of the number behind it. */
type Role =
  | Country
  | 'application'
  | 'publication'
  | 'translation'
  | 'examined'
  | 'grant'
  | 'model'
  | 'patent'
  | 'number'
  | 'filler'
  | 'D'
  | 'PP'
  | 'RE';

/** What the words before a number say, and the number. */
export interface PrintedLabel {
  roles: ReadonlySet<Role>;
  country: Country | undefined;
  /** Whether it is the number of an application, and not of its publication. */
  isApplication: boolean;
  /** Whether the words name a series as Japan does. */
  isEastAsian: boolean;
  rest: string;
}

/** Words for each role. Han characters are in Japanese forms, see `HAN`. */
const EAST_ASIAN: readonly [Role, string][] = [
  ['KR', '대한민국 한국 국내 大韓民国 韓国'],
  ['JP', '일본 日本国 日本'],
  ['US', '미국 米国 美国'],
  ['CN', '중국 中国'],
  ['EP', '유럽 欧州 欧洲'],
  ['application', '출원 出願 申請'],
  ['publication', '공개 공보 公開 公布 公報'],
  ['translation', '공표 公表'],
  ['examined', '공고 公告'],
  ['grant', '등록 登録 授権'],
  ['model', '실용신안 実用新案 実用新型'],
  ['patent', '특허 특허증 特許 特許証 専利'],
  ['number', '번호 番号 号'],
  ['filler', '제 第 発明 발명'],
];

const WESTERN: readonly [Role, string][] = [
  ['KR', 'KR KOREA KOREAN KOREANISCHES KOREANISCHE CORÉEN'],
  ['JP', 'JP JAPAN JAPANESE JAPANISCHES JAPANISCHE JAPONAIS'],
  ['US', 'US U.S USA USP AMERICAN AMERIKANISCHES AMERIKANISCHE AMÉRICAIN'],
  ['CN', 'CN CHINA CHINESE CHINESISCHES CHINESISCHE CHINOIS'],
  ['EP', 'EP EUROPEAN EUROPÄISCHES EUROPÄISCHE EUROPÄISCHEN EUROPÉEN EUROPÉENNE'],
  ['application', 'APPLICATION APPL APPLN APP PATENTANMELDUNG ANMELDENUMMER ANMELDUNG DEMANDE'],
  ['publication', 'PUBLICATION PUB PUBL PUBLISHED LAID OPEN VERÖFFENTLICHUNGSNUMMER OFFENLEGUNGSSCHRIFT'],
  ['grant', 'REGISTERED REGISTRATION REG GRANTED'],
  ['patent', 'PATENT PAT PATENTSCHRIFT PATENTNUMMER PS BREVET'],
  ['number', 'NO NOS NR N NUMBER NUMMER NUMÉRO SERIAL SER'],
  ['filler', 'SOUTH REPUBLIC OF THE DE UNEXAMINED EXAMINED UTILITY MODEL INVENTION'],
  ['D', 'DESIGN DES'],
  ['PP', 'PLANT'],
  ['RE', 'REISSUE'],
];

const rolesOf = (words: readonly [Role, string][]) =>
  words.flatMap(([role, list]) => list.split(' ').map((word) => [word, role] as const));

const EAST_ASIAN_WORDS = rolesOf(EAST_ASIAN).sort(([a], [b]) => b.length - a.length);
const WESTERN_WORDS = new Map(rolesOf(WESTERN));
/** Words that say by themselves that a number of a patent follows. */
const SURE = new Set(['USP', 'ANMELDENUMMER', 'VERÖFFENTLICHUNGSNUMMER']);

/** Traditional and simplified characters of the words, and their Japanese forms. */
const HAN: ReadonlyMap<string, string> = new Map(
  '國国 號号 号号 韩韓 專専 专専 请請 开開 佈布 權権 权権 錄録 录録 實実 实実 许許 愿願 發発 发発 报報 歐欧 證証 证証 應応'
    .split(' ')
    .map(([form = '', japanese = '']) => [form, japanese]),
);

/** The Han characters of a short text in Japanese forms. */
export function inJapaneseForms(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (character) => HAN.get(character) ?? character);
}

/** Blanks and punctuation between words. */
const BETWEEN = /^[\s:()[\]【】「」・-]{1,4}/;
/** The kind in the name of a gazette: `公開特許公報(A)`. */
const KIND = /^\([ABCUYT]\d?\)/;
/** A word and the points, colons and blanks behind it. */
const WORD = /^([A-ZÀ-Þ]+(?:\.[A-Z](?=\.))?)[\s.:,°#-]{0,3}/;
/** More words than any number has before it. */
const MOST_WORDS = 9;

/**
 * Reads the words before a number.
 * @param text a short text in capitals, NFKC, with plain hyphens
 * @returns undefined if it does not begin with words that say that a number follows
 */
export function readPrintedLabel(text: string): PrintedLabel | undefined {
  return eastAsian(inJapaneseForms(text)) ?? western(text);
}

function eastAsian(text: string): PrintedLabel | undefined {
  const roles = new Set<Role>();
  let isKorean = false;
  let isChinese = false;
  let rest = text;
  for (let count = 0; count < MOST_WORDS; count++) {
    rest = rest.replace(KIND, '').replace(BETWEEN, '');
    const found = EAST_ASIAN_WORDS.find(([word]) => rest.startsWith(word));
    if (found === undefined) break;
    const [word, role] = found;
    roles.add(role);
    isKorean ||= /^\p{Script=Hangul}/u.test(word);
    isChinese ||= /[専授申布]/.test(word);
    rest = rest.slice(word.length);
  }
  rest = rest.replace(/^NO[.:\s]{1,3}/, '');
  const says = [...roles].filter((role) => role !== 'filler');
  const isCountryAlone = says.length === 1 && says[0]!.length === 2;
  if (says.length === 0 || (isCountryAlone && !KOREAN.test(rest))) return undefined;
  const language = isKorean ? 'KR' : isChinese ? 'CN' : KOREAN.test(rest) ? 'KR' : 'JP';
  return labelled(roles, rest, language);
}

/** Korean numbers have the kind of right first. */
const KOREAN = /^[1-3]0[- ](?:(?:19|20)\d\d[- ])?\d{7}(?!\d)/;

function western(text: string): PrintedLabel | undefined {
  const roles = new Set<Role>();
  let isSure = /^DES\./.test(text);
  let rest = text;
  for (let count = 0; count < MOST_WORDS; count++) {
    const [whole = '', word = ''] = WORD.exec(rest) ?? [];
    const role = WESTERN_WORDS.get(word);
    if (role === undefined) break;
    roles.add(role);
    isSure ||= SURE.has(word);
    rest = rest.slice(whole.length);
  }
  const isOfCountry = COUNTRY_ROLES.some((country) => roles.has(country));
  const isNamed = roles.has('patent') || (isOfCountry && (roles.has('application') || roles.has('D')));
  return isSure || isNamed ? labelled(roles, rest) : undefined;
}

const COUNTRY_ROLES = ['KR', 'JP', 'US', 'CN', 'EP'] as const;

function labelled(roles: ReadonlySet<Role>, rest: string, language?: Country): PrintedLabel {
  const isPublished = ['publication', 'translation', 'examined'].some((role) => roles.has(role as Role));
  return {
    roles,
    country: COUNTRY_ROLES.find((country) => roles.has(country)) ?? language,
    isApplication: roles.has('application') && !isPublished,
    isEastAsian: language !== undefined,
    rest,
  };
}
