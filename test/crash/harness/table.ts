/** The final output of the harness: a line for each part, from the rows of its trials. */
import { inWords, type PartResult, type Trial } from './part.js';

/** Maximum number of shown faults of each part. */
const SHOWN = 10;

/** A part and its progress. */
export interface Progress {
  name: string;
  trials: Trial[];
  /** Absent while it runs, and if it was interrupted. */
  result?: PartResult;
  seconds: number;
}

export function isFaulty({ outcome }: Trial): boolean {
  return outcome !== 'passed';
}

/** The first faults of each part, and the table. */
export function report(parts: readonly Progress[]): string {
  const faults = parts.flatMap(({ trials }) => trials.filter(isFaulty).slice(0, SHOWN).flatMap(inWords));
  return [...faults, table(parts)].join('\n');
}

function table(parts: readonly Progress[]): string {
  const rows = [['part', 'trials', 'faults', 'failed', 'seconds', 'of which']];
  for (const { name, trials, result, seconds } of parts) {
    const cases = result?.cases ?? trials.length;
    const count = (outcome: Trial['outcome']) => trials.filter((trial) => trial.outcome === outcome).length;
    const state = result?.skipped ?? (result ? '' : 'broken off; ');
    const numbers = [cases, count('fault'), count('failed'), seconds].map(String);
    rows.push([name, ...numbers, state + whichOf(result?.counts ?? counted(trials))]);
  }
  const last = rows[0]!.length - 1;
  const widths = rows[0]!.map((_, at) =>
    Math.max(...rows.slice(0, at === last ? 1 : undefined).map((row) => row[at]!.length)),
  );
  const line = (row: string[]) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function counted(trials: readonly Trial[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what } of trials) counts[what] = (counts[what] ?? 0) + 1;
  return counts;
}

function whichOf(counts: Readonly<Record<string, number>>): string {
  const which = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return which.sort().join(', ');
}
