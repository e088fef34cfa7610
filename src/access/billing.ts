/**
 * Billing cycles: months in UTC that begin on the day of the month on which the account was created. If a
 * month does not have this day, the cycle begins on the last day of the month. The next month uses the
 * account's day again.
 */

export interface Cycle {
  /** First instant of the cycle, ms since 1970. */
  start: number;
  /** First instant of the next cycle, ms since 1970. */
  end: number;
}

/**
 * The cycle that contains an instant.
 * @param createdAt creation time of the account, ISO 8601
 * @param now ms since 1970
 */
export function cycleAt(createdAt: string, now: number): Cycle {
  const startDay = new Date(createdAt).getUTCDate();
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const started = startOf(year, month, startDay) <= now ? month : month - 1;
  return { start: startOf(year, started, startDay), end: startOf(year, started + 1, startDay) };
}

/** `month` may be outside 0 to 11: Date.UTC carries it into the year. */
function startOf(year: number, month: number, startDay: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(startDay, lastDay));
}
