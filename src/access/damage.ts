/** Verifies the SQLite files of an access store: accounts and keys, counters, log of requests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPriorartError } from '../errors.js';
import { LOCK_WAIT_MS } from '../limits.js';
import { COUNTERS_FILE, COUNTERS_LAYOUT } from './counters.js';
import { KEYS_FILE, KEYS_LAYOUT } from './keys-file.js';
import { LOG_FILE, LOG_LAYOUT } from './log-file.js';
import { FileDamaged, FileMissing, type Layout, Sqlite } from './sqlite.js';

export interface AccessDamage {
  /** Path of the file. */
  file: string;
  /** What is damaged, and what to do. */
  reason: string;
}

const FILES: readonly [name: string, layout: Layout][] = [
  [KEYS_FILE, KEYS_LAYOUT],
  [COUNTERS_FILE, COUNTERS_LAYOUT],
  [LOG_FILE, LOG_LAYOUT],
];

/**
 * The damaged files of an access store. Reads each file completely, creates none and changes none; servers on the
 * folder go on. A missing file is not damaged: its first writer creates it.
 * @param folder folder of the access store
 * @throws LockHeld
 */
export function damagedFiles(folder: string): AccessDamage[] {
  return FILES.flatMap(([name, layout]) => {
    const file = join(folder, name);
    const reason = existsSync(file) ? damageOf(file, layout) : undefined;
    return reason === undefined ? [] : [{ file, reason }];
  });
}

function damageOf(file: string, layout: Layout): string | undefined {
  try {
    const opened = new Sqlite(file, layout, { create: false, waitMs: LOCK_WAIT_MS, isOnlyRead: true });
    try {
      opened.requireWhole();
      // For SQLite, an emptied file is whole. The other files may begin again.
      if (layout === KEYS_LAYOUT && opened.isEmpty()) return `it is empty. ${layout.remedy}`;
    } finally {
      opened.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof FileMissing) return undefined; // Moved away meanwhile.
    if (isPriorartError(error)) throw error;
    return error instanceof FileDamaged ? error.reason : (error as Error).message;
  }
}
