/** What the details endpoint adds to an entry with `bibliography`: names, codes, priorities, citations, family. */
import type { NativeSnapshot } from '../index/native.js';
import { FAMILY_LISTED } from '../limits.js';
import { claimedPriority } from '../patent/priority.js';
import type { Citation, Patent } from '../patent/record.js';
import type { Publications } from '../store/publications.js';
import { resolveCitation } from '../store/resolve.js';
import type { Cancellation } from './cancel.js';
import type { Bibliography, CitedDocument } from './types.js';

/** Fields that are shown as they are stored. */
const AS_STORED = ['grant_date', 'application_number', 'family_id', 'legal_status', 'priorities'] as const;

/**
 * The other publications of the family or the application of each document, by the document's id.
 * @param native segments of the state that the store reads
 * @param docs ids of stored documents
 */
export function familiesOf(
  store: Publications,
  native: NativeSnapshot,
  docs: readonly number[],
  cancellation: Cancellation,
): Map<number, string[]> {
  const all = native.select([]);
  const families = new Map<number, string[]>();
  for (const doc of new Set(docs)) {
    cancellation.check();
    const members = native.members(all, Uint32Array.of(doc), true).docs;
    const others = [...members.filter((member) => member !== doc).subarray(0, FAMILY_LISTED)];
    families.set(doc, others.flatMap((member) => store.documents.get(member)?.patent_id ?? []).sort());
  }
  return families;
}

export function bibliographyOf(store: Publications, patent: Patent, family: string[]): Bibliography {
  const stored = AS_STORED.filter((name) => patent[name] !== undefined).map((name) => [name, patent[name]]);
  const priority = claimedPriority(patent);
  return {
    applicants: patent.applicants ?? [],
    inventors: patent.inventors ?? [],
    cpc_codes: patent.cpc_codes ?? [],
    ...Object.fromEntries(stored),
    ...(priority === undefined ? {} : { priority_date: priority }),
    citations: (patent.citations ?? []).map((citation) => citedDocument(store, citation)),
    family,
  };
}

function citedDocument(store: Publications, citation: Citation): CitedDocument {
  const publications = resolveCitation(store, citation);
  return publications.length === 0 ? citation : { ...citation, publications };
}
