/**
 * Merges records of one publication from several sources. A document may come in parts (bibliographic data in
 * one source, claims in another). It may be corrected: a publication whose kind ends in 8 (front page) or 9
 * (whole document) corrects the one before it of the same number (WIPO ST.16, ST.50). The rules:
 *
 * - A whole record replaces an earlier whole record of the same publication.
 * - A part fills the gaps of a whole record. If two parts have the same field, the later part is used.
 * - A correction replaces the publication that it corrects. Its fields take precedence, fields it lacks are
 *   kept (a front page has no claims), and it is found under both numbers. The latest correction takes
 *   precedence over earlier ones. A publication issued after a correction is not corrected by it: a European
 *   patent that is amended later (B2, B3) is a document of its own.
 * - A Japanese translation of an international application has the kind T in the gazette and A in databases.
 *   Both are one publication. T leads, and it is found under both kinds.
 * - A stated family is never replaced by a derived one.
 *
 * The record with precedence is called *leading*. A record lists the fields that were filled from others. A
 * later version of the leading publication replaces that publication's own fields only; a later version of
 * the filling record replaces the filled fields only.
 */
import type { Patent } from './record.js';

/** Whether a kind code means a correction. */
export function isCorrection(kindCode: string): boolean {
  return /^[A-Z][89]$/.test(kindCode);
}

/** Kinds of one Japanese publication: T in the gazette, A in databases. Its serial numbers begin at 500,001. */
const JP_TRANSLATION = /^JP\d\d[5-9]\d{5}[AT]$/;

/** The key that all versions of a document share: country, number and the letter of the kind. */
export function documentKey({ patent_id, country, number, kind_code }: Pick<Patent, IdentityField>): string {
  return country + number + (JP_TRANSLATION.test(patent_id) ? 'A' : (kind_code[0] ?? ''));
}

/**
 * Whether two publications are versions of one document, one of which corrects the other, or the kinds of a
 * Japanese translation. A separate search report (EP A3, A4) is a document of its own.
 */
export function isSameDocument(a: Version, b: Version): boolean {
  if (a.patent_id === b.patent_id) return true;
  if (documentKey(a) !== documentKey(b)) return false;
  if (isSeparate(a) || isSeparate(b)) return false;
  if (JP_TRANSLATION.test(a.patent_id) && JP_TRANSLATION.test(b.patent_id)) return true;
  if (isCorrection(a.kind_code)) return isCorrection(b.kind_code) || mayCorrect(a, b);
  return isCorrection(b.kind_code) && mayCorrect(b, a);
}

/**
 * Whether a correction can correct a publication of its document: one that it is known to correct, or one that
 * was issued before it. Without both days, that is the first publication and no amended one.
 */
function mayCorrect(correction: Version, published: Version): boolean {
  if (correction.corrects?.includes(published.patent_id)) return true;
  const [day, issued] = [correction.publication_date, published.publication_date];
  if (day === undefined || issued === undefined) return !isAmendedId(published.patent_id);
  return issued <= day;
}

/** Whether a patent_id is that of a European patent after opposition (B2) or limitation (B3). */
const isAmendedId = (patentId: string): boolean => /^EP\d+B[23]$/.test(patentId);

/** Whether a publication has no versions: a search report. */
export function isSeparate({ country, kind_code }: Pick<Patent, IdentityField>): boolean {
  return country === 'EP' && /^A[34]$/.test(kind_code);
}

type IdentityField = 'patent_id' | 'country' | 'number' | 'kind_code';
/** What tells whether one publication corrects another. */
type Version = Pick<Patent, IdentityField | 'corrects' | 'publication_date'>;

/** Merges a stored record with a later one of the same document (see the rules above). */
export function revised(stored: Patent, later: Patent): Patent {
  if (stored.patent_id === later.patent_id) return underAll(sameRevised(stored, later), stored, later);
  if (leads(later, stored)) {
    const found = isNewestCorrected(stored, later) ? filledFirst(later, stored) : completed(later, stored);
    return underAll(found, stored, later);
  }
  // Fields of an earlier correction take precedence over the corrected publication, even if that is read
  // again later. So do those of an amended patent over the patent as granted.
  const { corrects = [] } = stored;
  const isOldest =
    !isCorrection(later.kind_code) &&
    (corrects.some(isCorrectionId) || corrects.some((name) => isAmendedId(name) && name > later.patent_id));
  const found = isOldest
    ? completed(ownOf(stored), completed(fillingOf(stored), later))
    : filledFirst(stored, later);
  return underAll(found, stored, later);
}

/** Fills the gaps of the leading record: first from `other`, then from the records that filled them before. */
function filledFirst(leading: Patent, other: Patent): Patent {
  return completed(ownOf(leading), completed(other, fillingOf(leading)));
}

/** Whether a publication is the European patent as last amended of those that a merged correction corrects. */
function isNewestCorrected({ patent_id }: Patent, { corrects = [] }: Patent): boolean {
  return isAmendedId(patent_id) && corrects.every((name) => !isCorrectionId(name) && name <= patent_id);
}

/** Merges two records of one publication. A whole record leads over a part, and the later of two parts leads. */
function sameRevised(stored: Patent, later: Patent): Patent {
  if (stored.partial) return completed(later, stored);
  if (later.partial) return completed(ownOf(stored), completed(later, fillingOf(stored)));
  return stored.filled || stored.corrects ? completed(later, fillingOf(stored)) : later;
}

/** A merged record, found under the numbers of both. */
function underAll(found: Patent, stored: Patent, later: Patent): Patent {
  const names = [stored, later].flatMap(({ patent_id, corrects = [] }) => [patent_id, ...corrects]);
  const corrects = [...new Set(names)].filter((name) => name !== found.patent_id).sort();
  return corrects.length === 0 ? found : { ...found, corrects };
}

const isCorrectionId = (patentId: string): boolean => isCorrection(patentId.slice(-2));

/** The leading publication's own fields. */
function ownOf(patent: Patent): Patent {
  const { filled = [], ...found } = patent;
  return without(found, withMark(filled));
}

/** The fields that were filled from others, as a part. */
function fillingOf(patent: Patent): Patent {
  const { patent_id, country, number, kind_code, language, partial: _, filled = [], ...fields } = patent;
  const names = Object.entries(fields).flatMap(([name, value]) =>
    isByLanguage(name) ? Object.keys(value as object).map((spoken) => `${name}.${spoken}`) : [name],
  );
  const told = withMark(filled);
  const rest = names.filter((name) => !told.includes(name));
  const identity = { patent_id, country, number, kind_code, partial: true };
  return without({ ...fields, ...identity, ...(language === undefined ? {} : { language }) }, rest);
}

/** Filled fields. The mark of a derived family belongs to its id. */
function withMark(filled: readonly string[]): readonly string[] {
  return filled.includes('family_id') ? [...filled, 'family_derived'] : filled;
}

/** Removes fields from a record. A name such as `titles.en` means one language. */
function without(patent: Patent, names: readonly string[]): Patent {
  const found: Record<string, unknown> = { ...patent };
  for (const name of names) {
    const [field = '', language] = name.split('.');
    if (language === undefined) delete found[field];
    else {
      const { [language]: _, ...rest } = (found[field] ?? {}) as Record<string, unknown>;
      if (Object.keys(rest).length > 0) found[field] = rest;
      else delete found[field];
    }
  }
  return found as unknown as Patent;
}

/**
 * Whether `a` leads: a correction over the corrected publication, a later correction over an earlier one, T
 * over A.
 */
function leads(a: Patent, b: Patent): boolean {
  if (JP_TRANSLATION.test(a.patent_id) && JP_TRANSLATION.test(b.patent_id)) return a.kind_code === 'T';
  const [own, other] = [isCorrection(a.kind_code), isCorrection(b.kind_code)];
  if (own !== other) return own;
  const [date, otherDate] = [a.publication_date ?? '', b.publication_date ?? ''];
  return date === otherDate ? a.kind_code > b.kind_code : date > otherDate;
}

/** Fields that are taken from the leading publication only. */
const OWN_FIELDS = ['corrects', 'publication_date'] as const;
const BY_LANGUAGE = ['titles', 'abstracts', 'translated_claims', 'descriptions'] as const;
/** Fields whose origin is not recorded. */
const UNTOLD = [
  'patent_id',
  'country',
  'number',
  'kind_code',
  'language',
  'partial',
  'corrects',
  'family_derived',
];

function isByLanguage(name: string): boolean {
  return (BY_LANGUAGE as readonly string[]).includes(name);
}

/** Fills missing fields of a record from another record. */
function completed(leading: Patent, other: Patent): Patent {
  const language = languageOf(leading, other);
  const [main, gaps] = [inLanguage(leading, language), inLanguage(other, language)];
  const fill: Partial<Patent> = { ...gaps };
  if (leading.patent_id !== other.patent_id) for (const field of OWN_FIELDS) delete fill[field];
  delete fill.partial;
  const found: Patent = { ...fill, ...main };
  const filled = Object.keys(fill).filter((name) => !(name in main) && !UNTOLD.includes(name));
  for (const field of BY_LANGUAGE) {
    const merged = { ...gaps[field], ...main[field] };
    if (Object.keys(merged).length > 0) Object.assign(found, { [field]: merged });
    const added = Object.keys(gaps[field] ?? {}).filter((spoken) => !(spoken in (main[field] ?? {})));
    filled.push(...added.map((spoken) => `${field}.${spoken}`));
  }
  if (gaps.family_id !== undefined && !gaps.family_derived && main.family_derived) {
    found.family_id = gaps.family_id;
    delete found.family_derived;
    filled.push('family_id');
  } else if (!main.family_derived && main.family_id !== undefined) delete found.family_derived;
  // The leading record may be merged already. If its main language changed, its names of fields no longer hold.
  if (leading.language === undefined || leading.language === main.language)
    filled.push(...(leading.filled ?? []));
  delete found.filled;
  if (!(leading.partial && other.partial)) delete found.partial;
  const told = [...new Set(filled)].filter((name) => name !== 'filled' && !isByLanguage(name)).sort();
  return found.partial || told.length === 0 ? found : { ...found, filled: told };
}

/** Language of the claims and the description, which takes precedence over that of a title or an abstract. */
function languageOf(leading: Patent, other: Patent): string | undefined {
  const hasText = ({ claims, description }: Patent): boolean =>
    claims !== undefined || description !== undefined;
  if (!hasText(leading) && hasText(other)) return other.language ?? leading.language;
  return leading.language ?? other.language;
}

/**
 * The record with the texts of a language as its main texts, if it has them. The previous main texts become
 * translations.
 */
function inLanguage(patent: Patent, language: string | undefined): Patent {
  const own = patent.language;
  if (own === undefined || language === undefined || own === language) {
    return language === undefined ? patent : { ...patent, language };
  }
  const found: Patent = { ...patent, language };
  const turn = (
    single: 'title' | 'abstract' | 'claims' | 'description',
    many: (typeof BY_LANGUAGE)[number],
  ): void => {
    const all: Record<string, unknown> = {
      ...patent[many],
      ...(patent[single] === undefined ? {} : { [own]: patent[single] }),
    };
    const { [language]: main, ...rest } = all;
    for (const field of [single, many]) delete found[field];
    if (main !== undefined) Object.assign(found, { [single]: main });
    if (Object.keys(rest).length > 0) Object.assign(found, { [many]: rest });
  };
  turn('title', 'titles');
  turn('abstract', 'abstracts');
  turn('claims', 'translated_claims');
  turn('description', 'descriptions');
  return found;
}
