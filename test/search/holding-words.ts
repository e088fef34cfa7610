/** Publications of three countries of which only the words of a question find some. */

/** A term, as each country's publications have it; their texts that are near it, and texts about something else. */
const TEXTS = {
  KR: { language: 'ko', term: '외골격', near: '골격과 뼈의 고정 장치', far: '카펫을 짜는 직기의 북' },
  CN: { language: 'zh', term: '外骨骼', near: '骨骼固定装置', far: '用于编织地毯的织机的梭子' },
  US: { language: 'en', term: 'exoskeleton', near: 'Skeleton fixation', far: 'Shuttle of a carpet loom' },
} as const;
export type Office = keyof typeof TEXTS;
export const OFFICES = ['KR', 'CN', 'US'] as const;
export const QUESTION = TEXTS.US.term;
/** Publications of each country that are nearer than those with the term: more than the vectors collect. */
const NEARER = 130;
/** Publications with the term: of one country more than words collect, and with the term in their titles. */
export const HOLDING: Record<Office, number> = { KR: 120, CN: 3, US: 1 };

const publication = (country: Office, n: number, holds: boolean) => {
  const { language, term, near, far } = TEXTS[country];
  const number = `${holds ? 1 : 2}${String(n).padStart(6, '0')}`;
  return {
    patent_id: { KR: `KR102020${number}A`, CN: `CN10${number}A`, US: `US2020${number}A1` }[country],
    country,
    language,
    kind_code: country === 'US' ? 'A1' : 'A',
    application_number: `2019${number}`,
    publication_date: '2020-09-01',
    title: holds ? (country === 'KR' ? `${far}, ${term}` : far) : near,
    abstract: holds ? `${far} ${n}. ${far}, ${term}.` : `${near} ${n}.`,
    // Each family has members in several countries.
    ...(holds ? { family_id: `family${n % HOLDING.CN}` } : {}),
  };
};

export const ALL = OFFICES.flatMap((country) => [
  ...Array.from({ length: NEARER }, (_, n) => publication(country, n, false)),
  ...Array.from({ length: HOLDING[country] }, (_, n) => publication(country, n, true)),
]);

/** patent_ids of the publications of a country that hold the term. */
export const idsWith = (country: Office) =>
  Array.from({ length: HOLDING[country] }, (_, n) => publication(country, n, true).patent_id);
