/**
 * Kind codes of the five offices: applications, grants, utility models and designs. Sources: WIPO ST.16 and
 * the offices' own lists. All filters by document type use this table.
 */
import type { Country } from './country.js';
import type { Patent } from './record.js';

export type KindClass =
  | 'application'
  | 'grant'
  | 'utility_application'
  | 'utility_grant'
  | 'design'
  /** A code that is not in the table. Found only by kind_codes. */
  | 'other';

/** Kind codes, separated by blanks. Plant patents count as patents: US P1 is an application, P2 and P3 are grants. */
const KINDS: Record<Country, Partial<Record<KindClass, string>>> = {
  US: {
    application: 'A1 A2 A9 P1 P4 P9',
    // `A` is a grant up to 2000, before applications were published; E a reissue, H a statutory invention
    // registration, B/C/F/J/K certificates of reexamination, review and trial.
    grant: 'A B B1 B2 B3 C1 C2 C3 E E1 E2 F1 F2 H H1 H2 I4 I5 J1 J2 K1 K2 O1 P P2 P3',
    design: 'S S1',
  },
  KR: {
    application: 'A A1 A2',
    grant: 'B B1 B2',
    utility_application: 'U U1',
    utility_grant: 'Y Y1 Y2',
    design: 'S S1',
  },
  JP: {
    // T is the translation of a PCT application, A1 its re-publication. B alone is the examined publication
    // up to 1996.
    application: 'A A1 A2 A5 A6 A7 T T1 T2 T5',
    grant: 'B B1 B2 B4 B5 B6 B8 B9',
    // U is a registered utility model since 1994. Earlier it was an unexamined application;
    // `publicationClass` distinguishes these by date and number.
    utility_grant: 'U U1 U6 Y Y1 Y2',
    design: 'S S1',
  },
  CN: {
    application: 'A A1 A8 A9',
    grant: 'B B1 B2 B8 B9 C C1 C2 C3 C8 C9',
    utility_grant: 'U U8 U9 Y Y1 Y2 Y8 Y9',
    design: 'S S1 S8 S9 D D1 D2 D3 D8 D9',
  },
  EP: {
    application: 'A A1 A2 A3 A4 A8 A9',
    grant: 'B B1 B2 B3 B8 B9',
  },
};

const CLASS_OF = new Map<string, KindClass>();
for (const [country, classes] of Object.entries(KINDS)) {
  for (const [kindClass, codes] of Object.entries(classes)) {
    for (const code of codes.split(' ')) CLASS_OF.set(`${country}${code}`, kindClass as KindClass);
  }
}

/** Class of a kind code (as printed, upper case) at an office. Unknown codes are `other`. */
export function kindClass(country: Country, kindCode: string): KindClass {
  return CLASS_OF.get(country + kindCode) ?? 'other';
}

/**
 * Whether a kind code means a granted or registered right (patent, plant, utility model). JP U before 1994 is none:
 * `isGrantPublication` knows it.
 */
export function isGrant(country: Country, kindCode: string): boolean {
  const found = kindClass(country, kindCode);
  return found === 'grant' || found === 'utility_grant';
}

/** The law of 1994 changed JP `U` from an application laid open to a registration. */
const JP_REGISTRATION_FROM = '1994-01-01';

/**
 * Class of a publication. It is the class of its kind code except for JP `U`. That is an application before
 * 1994, and later if its number begins with a year (`07012345`). Registration numbers begin at 3,000,001.
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

/** Whether a publication is a granted or registered right (patent, plant, utility model). */
export function isGrantPublication(publication: Parameters<typeof publicationClass>[0]): boolean {
  const found = publicationClass(publication);
  return found === 'grant' || found === 'utility_grant';
}

/** All known kind codes of an office, for messages and forms. */
export function knownKinds(country: Country): string[] {
  return Object.values(KINDS[country]).flatMap((codes) => codes.split(' '));
}

/** Kind codes of an office, by class. */
export function kindsByClass(country: Country): Readonly<Partial<Record<KindClass, readonly string[]>>> {
  const lists = Object.entries(KINDS[country]).map(([name, codes]) => [name, codes.split(' ')]);
  return Object.fromEntries(lists) as Partial<Record<KindClass, string[]>>;
}

/** Kinds of a Japanese translation of an international application. */
const TRANSLATION = /^[AT]$/;

/**
 * Whether a kind code after a number in a question means a record's kind. One letter includes all its kinds
 * (`B` finds B1 and B2). In Japan, `A` and `T` find each other: databases list a translation (T) as A.
 */
export function sameKind(country: Country, asked: string, actual: string): boolean {
  if (asked === actual) return true;
  if (country === 'JP' && TRANSLATION.test(asked) && TRANSLATION.test(actual)) return true;
  return asked.length === 1 && actual.startsWith(asked);
}

/**
 * Kinds under which a publication is found: its own, and those of the publications that it corrects and
 * replaces, or that are the same under another kind.
 */
export function kindsOf({
  kind_code,
  corrects = [],
  country,
  number,
}: Pick<Patent, 'kind_code' | 'corrects' | 'country' | 'number'>): string[] {
  return [...new Set([kind_code, ...corrects.map((id) => id.slice(country.length + number.length))])];
}
