/**
 * The days of a plot that have a label: in equal steps, ending with the last day.
 * @param days number of days
 * @param step wanted days from label to label
 * @returns indices of days, ascending
 */
export function labelledDays(days: number, step: number): number[] {
  const every = Math.max(1, Math.round(step));
  const count = Math.ceil(days / every);
  return Array.from({ length: count }, (_, at) => days - 1 - (count - 1 - at) * every);
}
