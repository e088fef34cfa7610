/** The dates of the publication before which a search for prior art ends: its priority date, or its filing date. */
import { priorityDate } from '../../patent/priority.js';
import type { DetailsEntry } from '../../search/public-types.js';
import type { Search } from './fields.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The priority date, as the server counts it; undefined if it is unknown. Needs the bibliography. */
export function priorityOf({ metadata, bibliography }: DetailsEntry): string | undefined {
  return metadata && bibliography && priorityDate({ ...metadata, ...bibliography });
}

/** The publication whose dates may be meant: the one that `as_of` names, or the only example of a search with a day. */
export function publicationOfAsOf({ as_of, like }: Search): string | undefined {
  if (as_of === '' || !DAY.test(as_of)) return as_of || undefined;
  return like.length === 1 ? like[0] : undefined;
}

export interface AsOfDate {
  kind: 'priority' | 'filing';
  /** The day that counts. */
  day: string;
  /** The search by the other date; absent unless the priority is earlier than the filing. */
  other?: { kind: 'priority' | 'filing'; day: string; search: Search };
}

/**
 * Which date of a publication `as_of` means.
 * @param entry of `publicationOfAsOf`
 * @returns undefined for a day that is not its filing date, and if its dates are unknown
 */
export function asOfDate(search: Search, entry: DetailsEntry): AsOfDate | undefined {
  const [priority, filing] = [priorityOf(entry), entry.metadata?.filing_date];
  if (priority === undefined) return undefined;
  const hasChoice = filing !== undefined && priority < filing;
  if (!DAY.test(search.as_of)) {
    if (!hasChoice) return { kind: 'priority', day: priority };
    const other = { kind: 'filing', day: filing, search: { ...search, as_of: filing } } as const;
    return { kind: 'priority', day: priority, other };
  }
  if (!hasChoice || search.as_of !== filing) return undefined;
  const other = { kind: 'priority', day: priority, search: { ...search, as_of: entry.patent_id } } as const;
  return { kind: 'filing', day: filing, other };
}
