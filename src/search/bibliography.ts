/** What the details endpoint adds to an entry with `bibliography`: names, codes, priorities, citations, family. */
import { claimedPriority } from '../patent/priority.js';
import type { Citation, Patent } from '../patent/record.js';
import type { Publications } from '../store/publications.js';
import { resolveCitation } from '../store/resolve.js';
import { someGroups } from './collapse.js';
import type { Searched } from './reader.js';
import type { Bibliography, CitedDocument } from './types.js';

/** Fields that are shown as they are stored. */
const AS_STORED = ['grant_date', 'application_number', 'family_id', 'legal_status', 'priorities'] as const;

/**
 * The other publications of the family or the application of each document, by the document's id.
 * @param docs ids of stored documents
 */
export function familiesOf(folder: Searched, docs: readonly number[]): Map<number, string[]> {
  const { store } = folder;
  const { native } = folder.snapshot();
  const distinct = Uint32Array.from(new Set(docs)).sort();
  const groups = native.members(native.select([]), distinct, true);
  const families = [...distinct].map((doc, n): [number, string[]] => {
    const members = [...someGroups(groups, n, n + 1).docs].filter((member) => member !== doc);
    return [doc, members.flatMap((member) => store.documents.get(member)?.patent_id ?? []).sort()];
  });
  return new Map(families);
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
