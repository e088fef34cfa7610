/**
 * `applicant_expand`: the applicant's names in other languages. They are learned from the records, at the time of the search:
 *
 * - A record that states a name in two languages (KIPRIS: 삼성전자주식회사, SAMSUNG ELECTRONICS CO., LTD.) pairs them.
 * - Publications of one family that have one applicant each pair the names. An invention can be sold between two filings,
 *   so a pair counts if it is seen in two families, and in most of the families of the name that have the other country.
 *
 * Names that were found are followed one step further.
 */
import { native as addon, type NativeSnapshot } from '../index/native.js';
import { companyKey, isEmptyKey, isLegalForm } from '../patent/name.js';
import type { Name } from '../patent/record.js';
import type { DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { type Cancellation, uncancelled } from './cancel.js';
import { type ApplicantMatch, type AskedApplicant, applicantCondition } from './filter-rows.js';
import type { Filters } from './query.js';
import { selectionOf } from './selections.js';

/** Publications that are read to learn names from, at most: an even sample of those of the applicant. */
const SAMPLE = 500;
/** Members of a family that are read, at most: an even sample of a larger one. A family_id of thousands of publications is no family. */
export const FAMILY_READ = 100;
/** Names that are added, at most: those that most records state. */
export const NAMES_MAX = 20;
/** Families that a pair of names needs. */
const FAMILIES_LEAST = 2;

/** Filters with the names that were added, as they are shown. */
export interface ExpandedFilters {
  filters: Filters;
  /** Absent unless the request has applicant_expand and an applicant. */
  names?: string[];
}

/**
 * Adds to the applicant of a filter its names in other languages, if the request wants them.
 * @param cancellation checked before each record: for an applicant with large families, tens of thousands are read
 */
export function withApplicantNames(
  native: NativeSnapshot,
  store: Publications,
  filters: Filters,
  cancellation: Cancellation = uncancelled,
): ExpandedFilters {
  const { applicant } = filters.values;
  if (!filters.applicantExpand || applicant === undefined) return { filters };
  if (applicant.names) return { filters, names: applicant.names };
  const readHead = (doc: number) => {
    cancellation.check();
    return store.documents.get(doc);
  };
  const names = namesOf(native, readHead, applicant);
  return {
    filters: { ...filters, values: { ...filters.values, applicant: { ...applicant, names } } },
    names,
  };
}

type ReadHead = (doc: number) => DocumentHead | undefined;

function namesOf(native: NativeSnapshot, readHead: ReadHead, { text, match }: AskedApplicant): string[] {
  const asked = nameKey(text);
  const first = pairedWith(native, readHead, applicantCondition(match, [asked]), (key) =>
    isFit(key, asked, match),
  );
  // One step further: from the Korean name to the English one, and from there to the Chinese one.
  const keys = new Set(first.map(nameKey));
  const isKnown = (key: string) => keys.has(key) || isFit(key, asked, match);
  const second =
    first.length > 0 ? pairedWith(native, readHead, applicantCondition('exact', [...keys]), isKnown) : [];
  return [...first, ...second].slice(0, NAMES_MAX);
}

/** Names that records pair with those of a condition, those of most records first. @param fits the known names, by key */
function pairedWith(
  native: NativeSnapshot,
  readHead: ReadHead,
  condition: ReturnType<typeof applicantCondition>,
  fits: (key: string) => boolean,
): string[] {
  const docs = native.sample(selectionOf(native, [condition]), SAMPLE);
  const found = new NameCounts((name) => fits(nameKey(name)));
  const heads = new Map<number, DocumentHead | undefined>();
  const headOf = (doc: number) => entryOf(heads, doc, () => readHead(doc));
  for (const doc of docs) {
    for (const name of headOf(doc)?.applicants ?? []) addOwn(found, name);
  }
  addFamilies(found, native, docs, headOf);
  return found.mostFrequent();
}

/** The other spellings of a name that a record states in two languages. */
function addOwn(found: NameCounts, { name, name_en }: Name): void {
  if (name_en === undefined) return;
  if (found.fits(name)) found.add(name_en);
  if (found.fits(name_en)) found.add(name);
}

/** Names of sole applicants in families, by country: name → country → other name → number of families. */
type FamilyNames = Map<string, Map<string, Map<string, number>>>;

function addFamilies(found: NameCounts, native: NativeSnapshot, docs: Uint32Array, headOf: ReadHead): void {
  // One publication for each family, name and country: the others have the same members.
  const asked = new Map<string, number>();
  for (const doc of docs) {
    const head = headOf(doc);
    const own = soleApplicant(head);
    if (head?.family_id === undefined || own === undefined || !found.fits(own.name)) continue;
    const key = JSON.stringify([head.family_id, nameKey(own.name), head.country]);
    if (!asked.has(key)) asked.set(key, doc);
  }
  const asking = Uint32Array.from(asked.values());
  const { docs: members, at } = native.members(selectionOf(native, []), asking, true);
  const seen: FamilyNames = new Map();
  const counted = new Set<string>();
  for (const [n, doc] of asking.entries()) {
    const head = headOf(doc)!;
    const from = nameKey(soleApplicant(head)!.name);
    const family = members.subarray(at[n]!, at[n + 1]!);
    const step = Math.max(1, Math.ceil(family.length / FAMILY_READ));
    for (let m = 0; m < family.length; m += step) {
      const other = headOf(family[m]!);
      const name = soleApplicant(other)?.name;
      if (!other || name === undefined || other.country === head.country) continue;
      const once = JSON.stringify([head.family_id, from, other.country, nameKey(name)]);
      if (counted.has(once)) continue;
      counted.add(once);
      const countries = entryOf(seen, from, () => new Map<string, Map<string, number>>());
      const names = entryOf(countries, other.country, () => new Map<string, number>());
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  for (const countries of seen.values()) {
    for (const names of countries.values()) {
      const all = [...names.values()].reduce((sum, count) => sum + count, 0);
      for (const [name, count] of names) {
        if (count >= FAMILIES_LEAST && count * 2 > all) found.add(name, count);
      }
    }
  }
}

function soleApplicant(head: DocumentHead | undefined): Name | undefined {
  return head?.applicants?.length === 1 ? head.applicants[0] : undefined;
}

/** The value of a key, made if it is missing. */
function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Names that are not yet known, with the number of records that pair each with a known one. */
class NameCounts {
  readonly fits: (name: string) => boolean;
  /** By key, so that spellings with other legal forms or characters are one name. */
  readonly #counts = new Map<string, { shown: string; count: number }>();

  constructor(fits: (name: string) => boolean) {
    this.fits = fits;
  }

  add(name: string, count = 1): void {
    const key = nameKey(name);
    // As a request may not name them.
    if (isEmptyKey(key) || isLegalForm(name)) return;
    if (this.fits(name)) return;
    const entry = entryOf(this.#counts, key, () => ({ shown: name, count: 0 }));
    entry.count += count;
  }

  mostFrequent(): string[] {
    return [...this.#counts.values()]
      .sort((a, b) => b.count - a.count || (a.shown < b.shown ? -1 : 1))
      .map(({ shown }) => shown);
  }
}

/** The key of a company's name, the same in all forms of its Han characters. */
function nameKey(name: string): string {
  return addon.simplified(companyKey(name));
}

/** Whether the key of a name meets the condition on an applicant, as the column decides it. */
function isFit(key: string, asked: string, match: ApplicantMatch): boolean {
  if (match === 'exact') return key === asked;
  return match === 'prefix' ? key.startsWith(asked) : key.includes(asked);
}
