/**
 * Billing cycles: months that begin, in UTC, on the day of the month on which the account was made. Where a
 * month has no such day its last one stands for it, and the month after goes back to the account's own day.
 */

export interface Cycle {
  /** First instant of the cycle, ms since 1970. */
  start: number;
  /** First instant of the next one. */
  end: number;
}

/**
 * The cycle that an instant falls into.
 * @param createdAt when the account was made, ISO 8601
 */
export function cycleAt(createdAt: string, now: number): Cycle {
  const startDay = new Date(createdAt).getUTCDate();
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const started = startOf(year, month, startDay) <= now ? month : month - 1;
  return { start: startOf(year, started, startDay), end: startOf(year, started + 1, startDay) };
}

/** Months may be out of 0 to 11: Date.UTC carries them into the year. */
function startOf(year: number, month: number, startDay: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(startDay, lastDay));
}
