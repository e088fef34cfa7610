/** A sum as the page shows it. */

const DECIMALS = 3;
const SCALE = 10 ** DECIMALS;

/**
 * Numbers and their sum with three decimals. Rounded one by one, three numbers may miss their rounded sum by a last digit: the
 * numbers that rounding changes most are then rounded the other way.
 */
export function shownSum(parts: readonly number[]): { parts: string[]; sum: string } {
  const scaled = parts.map((part) => part * SCALE);
  const sum = Math.round(scaled.reduce((all, part) => all + part, 0));
  const rounded = scaled.map(Math.round);
  const missing = sum - rounded.reduce((all, part) => all + part, 0);
  const step = Math.sign(missing);
  const lost = (at: number) => (scaled[at]! - rounded[at]!) * step;
  const byLoss = [...rounded.keys()].sort((a, b) => lost(b) - lost(a));
  for (const at of byLoss.slice(0, Math.abs(missing))) rounded[at]! += step;
  // Adding 0 takes the sign from -0.
  const shown = (whole: number) => (whole / SCALE + 0).toFixed(DECIMALS);
  return { parts: rounded.map(shown), sum: shown(sum) };
}
