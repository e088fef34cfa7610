/** Selects and times the sections of a benchmark. */
import type { Figure, Setting } from './result.js';

/** The sections that `--only` names. Default: all. */
export function wantedOf<T extends { id: string }>(setting: Setting, parts: readonly T[]): readonly T[] {
  const unknown = setting.only?.find((name) => !parts.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new Error(`--only: no section ${unknown}; there are ${parts.map(({ id }) => id).join(', ')}`);
  }
  return parts.filter(({ id }) => setting.only?.includes(id) ?? true);
}

/** Runs a section and adds its duration. */
export async function sectionOf(
  id: string,
  title: string,
  run: () => Figure[] | Promise<Figure[]>,
): Promise<{ id: string; title: string; figures: Figure[]; seconds: number; cpuSeconds: number }> {
  const started = performance.now();
  const before = process.cpuUsage();
  const figures = await run();
  const { user, system } = process.cpuUsage(before);
  const seconds = Math.round(performance.now() - started) / 1000;
  return { id, title, figures, seconds, cpuSeconds: (user + system) / 1e6 };
}
