/** The plan of a process: random operations, and the sources that they read. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noSharp, pattern, png } from '../../drawings/images.js';
import { writeLines } from '../folder.js';
import { figureFile, filesOf, type Operation, POOL, type Put, patent, sourceOf } from './workload.js';

/** The office's image of a publication in one version. */
export function figure(n: number, version: number): Promise<Buffer> {
  return png(pattern(40, 32, n * 1000 + version));
}

/** Writes the sources of the ingests in a list, outside of the data folder. They are never changed again. */
export async function writeSources(root: string, list: readonly Operation[]): Promise<void> {
  for (const operation of list) {
    if (operation.kind !== 'put') continue;
    const folder = sourceOf(root, operation);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const { version, drawn } = operation;
    for (const [path, docs] of filesOf(root, operation))
      writeLines(
        path,
        docs.map((n) => patent(n, version)),
      );
    for (const n of drawn) writeFileSync(join(folder, figureFile(n)), await figure(n, version));
  }
}

export interface Mix {
  /** Whether a server and re-embeddings follow at the end. */
  all: boolean;
}

/**
 * Random operations in sequence.
 * @param from version of the first put; each put increments it
 */
export function operations(
  count: number,
  next: () => number,
  from: number,
  mix: Mix = { all: true },
): Operation[] {
  const below = (limit: number) => Math.floor(next() * limit);
  const some = (most: number) => [...new Set(Array.from({ length: 1 + below(most) }, () => below(POOL)))];
  let version = from;
  const put = (): Put => {
    const docs = some(24);
    const drawn = noSharp || next() < 0.6 ? [] : docs.filter(() => next() < 0.4).slice(0, 4);
    return { kind: 'put', docs, version: version++, files: 1 + below(3), drawn };
  };
  return Array.from({ length: count }, (): Operation => {
    const roll = next();
    if (roll < 0.45) return put();
    if (roll < 0.55) return { kind: 'delete', docs: some(6) };
    if (roll < 0.65) return { kind: 'deleteInMerge', docs: some(20) };
    if (roll < 0.78) return { kind: 'merge', full: next() < 0.5 };
    if (roll < 0.82) return { kind: 'draw', image: below(1e9) };
    if (roll < 0.85) return { kind: 'key' };
    if (!mix.all) return put();
    if (roll < 0.9) return { kind: 'reembed', model: next() < 0.5 ? 'other' : 'static' };
    return {
      kind: 'serve',
      quota: 2 + below(8),
      searches: 3 + below(8),
      revoked: next() < 0.7,
      readsLog: next() < 0.7,
    };
  });
}
