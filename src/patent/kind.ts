/**
 * Kind codes of the five offices, once: which of them are applications, grants, utility models and designs.
 * Source: WIPO ST.16 and the offices' own lists. Everything that filters by document type asks this table.
 */
import type { Country } from './country.js';
import type { Patent } from './record.js';

export type KindClass =
  | 'application'
  | 'grant'
  | 'utility_application'
  | 'utility_grant'
  | 'design'
  /** A code that no table knows; found only when kind_codes names it. */
  | 'other';

/** Plants count as the patents they are: US P1 is an application, P2 and P3 are grants. */
const KINDS: Record<Country, Partial<Record<KindClass, readonly string[]>>> = {
  US: {
    application: ['A1', 'A2', 'A9', 'P1', 'P4', 'P9'],
    // `A` is the grant of the years before applications were published (to 2000); E reissue, H statutory
    // invention registration, B/C/F/J/K certificates of reexamination, review and trial.
    grant: [
      'A',
      'B',
      'B1',
      'B2',
      'B3',
      'C1',
      'C2',
      'C3',
      'E',
      'E1',
      'E2',
      'F1',
      'F2',
      'H',
      'H1',
      'H2',
      'I4',
    ].concat(['I5', 'J1', 'J2', 'K1', 'K2', 'O1', 'P', 'P2', 'P3']),
    design: ['S', 'S1'],
  },
  KR: {
    application: ['A', 'A1', 'A2'],
    grant: ['B', 'B1', 'B2'],
    utility_application: ['U', 'U1'],
    utility_grant: ['Y', 'Y1', 'Y2'],
    design: ['S', 'S1'],
  },
  JP: {
    // T is the translation of a PCT application, A1 its re-publication; B alone is the examined
    // publication of the years to 1996.
    application: ['A', 'A1', 'A2', 'A5', 'A6', 'A7', 'T', 'T1', 'T2', 'T5'],
    grant: ['B', 'B1', 'B2', 'B4', 'B5', 'B6', 'B8', 'B9'],
    // U has been the registered utility model since 1994; before, it was the unexamined application, which
    // `publicationClass` tells by date and number.
    utility_grant: ['U', 'U1', 'U6', 'Y', 'Y1', 'Y2'],
    design: ['S', 'S1'],
  },
  CN: {
    application: ['A', 'A1', 'A8', 'A9'],
    grant: ['B', 'B1', 'B2', 'B8', 'B9', 'C', 'C1', 'C2', 'C3', 'C8', 'C9'],
    utility_grant: ['U', 'U8', 'U9', 'Y', 'Y1', 'Y2', 'Y8', 'Y9'],
    design: ['S', 'S1', 'S8', 'S9', 'D', 'D1', 'D2', 'D3', 'D8', 'D9'],
  },
  EP: {
    application: ['A', 'A1', 'A2', 'A3', 'A4', 'A8', 'A9'],
    grant: ['B', 'B1', 'B2', 'B3', 'B8', 'B9'],
  },
};

const CLASS_OF = new Map<string, KindClass>();
for (const [country, classes] of Object.entries(KINDS)) {
  for (const [kindClass, codes] of Object.entries(classes)) {
    for (const code of codes) CLASS_OF.set(`${country}${code}`, kindClass as KindClass);
  }
}

/** What a kind code (as printed, upper case) means at an office. Unknown codes are `other`. */
export function kindClass(country: Country, kindCode: string): KindClass {
  return CLASS_OF.get(country + kindCode) ?? 'other';
}

/** Whether a kind code stands for a granted or registered right (patents, plants, utility models). */
export function isGrant(country: Country, kindCode: string): boolean {
  const found = kindClass(country, kindCode);
  return found === 'grant' || found === 'utility_grant';
}

/** The law of 1994: what had been JP `U` before was an application laid open, since then it is a registration. */
const JP_REGISTRATION_FROM = '1994-01-01';

/**
 * What a publication is. As its kind code says, but for JP `U`: before 1994, and for years after it where the
 * number is one of a year (`07012345`) and none of the registrations, which began with 3,000,001.
 */
export function publicationClass(
  publication: Pick<Patent, 'country' | 'kind_code' | 'number' | 'publication_date'>,
): KindClass {
  const { country, kind_code, number, publication_date: date } = publication;
  if (country === 'JP' && kind_code === 'U') {
    const isOld = date !== undefined && date < JP_REGISTRATION_FROM;
    if (isOld || !/^0[3-9]/.test(number) || (/^0[4-9]/.test(number) && (date ?? '') < '1999')) {
      return 'utility_application';
    }
  }
  return kindClass(country, kind_code);
}

/** Whether a publication is that of a granted or registered right. */
export function isGrantPublication(publication: Parameters<typeof publicationClass>[0]): boolean {
  const found = publicationClass(publication);
  return found === 'grant' || found === 'utility_grant';
}

/** Every kind code the table knows for an office, for messages and forms. */
export function knownKinds(country: Country): string[] {
  return Object.values(KINDS[country]).flat();
}

/** The kind codes of an office by what they mean there. */
export function kindsByClass(country: Country): Readonly<Partial<Record<KindClass, readonly string[]>>> {
  return KINDS[country];
}

/**
 * Whether a kind code that somebody wrote after a number means the kind of a record. One letter stands for
 * the whole family (`B` finds B1 and B2), and JP `A` finds the translation `T`, which databases list as A.
 */
export function sameKind(country: Country, asked: string, actual: string): boolean {
  if (asked === actual) return true;
  if (country === 'JP' && asked === 'A' && actual === 'T') return true;
  return asked.length === 1 && actual.startsWith(asked);
}

/** The kind of a publication and of those that it, a correction, has taken the place of: it is found under each. */
export function kindsOf({
  kind_code,
  corrects = [],
  country,
  number,
}: Pick<Patent, 'kind_code' | 'corrects' | 'country' | 'number'>): string[] {
  return [...new Set([kind_code, ...corrects.map((id) => id.slice(country.length + number.length))])];
}
