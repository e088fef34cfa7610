import type { Patent } from './record.js';

/** The earliest priority, `YYYY-MM-DD`. Without a priority, the filing date, as in patent databases. */
export function priorityDate({
  priority_date,
  priorities,
  filing_date,
}: Pick<Patent, 'priority_date' | 'priorities' | 'filing_date'>): string | undefined {
  return priority_date ?? (priorities?.length ? undefined : filing_date);
}
