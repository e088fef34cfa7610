/** Generates names of companies and people that do not exist. */
import type { Name } from '../../src/patent/record.js';
import { below, oneOf, type Random, stream, zipf } from './random.js';
import type { Office } from './shape.js';

/** Applicants of an office in a section of the classification, and the exponent of their Zipf distribution. */
const APPLICANTS = 4_000;
const APPLICANTS_EXPONENT = 0.95;
const PEOPLE = 100_000;

const SYLLABLES: Record<Office['language'], readonly string[]> = {
  en: [
    'al',
    'bor',
    'cas',
    'den',
    'el',
    'far',
    'gan',
    'hol',
    'in',
    'kor',
    'lum',
    'mar',
    'nev',
    'or',
    'pel',
    'quin',
  ].concat(['ros', 'sel', 'tan', 'ul', 'var', 'win', 'xen', 'yor', 'zan', 'bri', 'cle', 'dra', 'fle', 'gre']),
  ko: [
    '가',
    '나',
    '다',
    '라',
    '마',
    '바',
    '사',
    '아',
    '자',
    '차',
    '하',
    '건',
    '남',
    '대',
    '명',
    '보',
    '서',
    '영',
    '정',
    '한',
  ],
  ja: [
    '秋',
    '石',
    '上',
    '遠',
    '大',
    '川',
    '木',
    '倉',
    '佐',
    '島',
    '田',
    '高',
    '中',
    '西',
    '橋',
    '東',
    '藤',
    '松',
    '山',
    '吉',
  ],
  zh: [
    '安',
    '北',
    '成',
    '东',
    '方',
    '广',
    '海',
    '华',
    '金',
    '科',
    '力',
    '明',
    '宁',
    '青',
    '润',
    '盛',
    '天',
    '新',
    '阳',
    '中',
  ],
};
const COMPANY: Record<Office['language'], (stem: string) => string> = {
  en: (stem) => `${stem} Corporation`,
  ko: (stem) => `주식회사 ${stem}전자`,
  ja: (stem) => `${stem}工業株式会社`,
  zh: (stem) => `${stem}科技有限公司`,
};

/** The name of a company with patents in a section (A–H) at an office. */
export function applicantName(next: Random, { country, language }: Office, section: string): Name {
  const rank = zipf(next, APPLICANTS, APPLICANTS_EXPONENT, 1);
  const own = stream(country.charCodeAt(0), country.charCodeAt(1), section.charCodeAt(0), rank);
  const name = COMPANY[language](stemOf(own, language, 2 + below(own, 2)));
  return language === 'en' ? { name } : { name, name_en: COMPANY.en(stemOf(own, 'en', 3)) };
}

export function inventorName(next: Random, { country, language }: Office): Name {
  const own = stream(country.charCodeAt(0), 99, zipf(next, PEOPLE, 0.5, 1));
  const family = stemOf(own, language, 1);
  const given = stemOf(own, language, 2);
  const latin = `${stemOf(own, 'en', 2)}, ${stemOf(own, 'en', 2)}`;
  return language === 'en' ? { name: latin } : { name: family + given, name_en: latin };
}

function stemOf(own: Random, language: Office['language'], syllables: number): string {
  const text = Array.from({ length: syllables }, () => oneOf(own, SYLLABLES[language])).join('');
  return text[0]!.toUpperCase() + text.slice(1);
}
