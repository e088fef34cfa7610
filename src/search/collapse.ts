/** Which publications are one result: those of an application, of a family, or none. */
import type { NativeSnapshot, Selection } from '../index/native.js';
import { FAMILY_LISTED } from '../limits.js';
import type { Country } from '../patent/country.js';
import type { Publications } from '../store/publications.js';
import { deduplicates } from './filter.js';
import type { Collapse, Filters } from './query.js';
import type { CollapsedMember } from './types.js';

/** As the addon takes it. */
export interface Grouping {
  dedupe: boolean;
  family?: true;
  prefer?: Country[];
}

/** Whether publications are one result. Without `collapse` an application and its grant are, for doc_type "all". */
export function groupingOf({ collapse, filters }: { collapse?: Collapse; filters: Filters }): Grouping {
  if (collapse === undefined) return { dedupe: deduplicates(filters) };
  const { by, prefer } = collapse;
  if (by !== 'family') return { dedupe: by === 'application' };
  return { dedupe: true, family: true, ...(prefer === undefined ? {} : { prefer }) };
}

/** The publications for which each of some documents stands, itself included: document ids. */
export interface Groups {
  /** The group of document i is `docs[at[i] .. at[i + 1]]`. */
  docs: Uint32Array;
  at: Uint32Array;
}

/** @param allowed what the filter allows: other publications are not members */
export function groupsOf(
  native: NativeSnapshot,
  allowed: Selection,
  docs: Uint32Array,
  { dedupe, family }: Grouping,
): Groups {
  if (dedupe) return native.members(allowed, docs, family === true);
  return { docs, at: Uint32Array.from({ length: docs.length + 1 }, (_, n) => n) };
}

/** A part of some groups: those of the documents from `from` to `to`. */
export function someGroups({ docs, at }: Groups, from: number, to: number): Groups {
  const part = at.slice(from, to + 1);
  const [first = 0] = part;
  return { docs: docs.slice(first, part.at(-1) ?? first), at: part.map((place) => place - first) };
}

/**
 * The members of the nth group as an answer shows them, by patent_id, `FAMILY_LISTED` at most; undefined if the state that is read
 * lacks one.
 * @param own the publication that is shown for the group
 */
export function membersOf(
  headOf: (doc: number) => { patent_id: string; country: Country; kind_code: string } | undefined,
  { docs, at }: Groups,
  n: number,
  own: number,
): CollapsedMember[] | undefined {
  const members: CollapsedMember[] = [];
  const group = docs.subarray(at[n], at[n + 1]);
  const listed = group.length <= FAMILY_LISTED ? group : [own, ...firstOthers(group, own)];
  for (const doc of listed) {
    const head = headOf(doc);
    if (head === undefined) return undefined;
    members.push({ patent_id: head.patent_id, country: head.country, kind_code: head.kind_code });
  }
  return members.sort((a, b) => (a.patent_id < b.patent_id ? -1 : 1));
}

function firstOthers(group: Uint32Array, own: number): Uint32Array {
  return group
    .subarray(0, FAMILY_LISTED)
    .filter((doc) => doc !== own)
    .subarray(0, FAMILY_LISTED - 1);
}

/** patent_ids of the other publications of the same groups, which the filter allows. */
export function othersOf(
  store: Publications,
  native: NativeSnapshot,
  allowed: Selection,
  docs: Uint32Array,
  grouping: Grouping,
): string[] {
  const own = new Set(docs);
  const others = [...groupsOf(native, allowed, docs, grouping).docs].filter((doc) => !own.has(doc));
  return others.flatMap((doc) => store.documents.get(doc)?.patent_id ?? []);
}
