import type { Patent } from './record.js';

/** The earliest priority that is claimed, `YYYY-MM-DD`: the stated day, or else the earliest day of the claims. */
export function claimedPriority({
  priority_date,
  priorities = [],
}: Pick<Patent, 'priority_date' | 'priorities'>): string | undefined {
  return priority_date ?? priorities.flatMap(({ date }) => date ?? []).sort()[0];
}

/** The earliest priority, `YYYY-MM-DD`. Without a priority, the filing date, as in patent databases. */
export function priorityDate(
  patent: Pick<Patent, 'priority_date' | 'priorities' | 'filing_date'>,
): string | undefined {
  return claimedPriority(patent) ?? (patent.priorities?.length ? undefined : patent.filing_date);
}
