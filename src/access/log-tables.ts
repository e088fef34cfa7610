/**
 * The log of requests and the usage counters, in an LMDB environment of their own: large and often written, unlike the
 * keys.
 *
 *   blocks   [key id, time of the first line, writer]            → the lines of a key of a quarter of a second, JSON
 *   by_time  [time of the first line, key id, writer]            → bytes of that block
 *   usage    [day, key id, endpoint]                             → UsageCounts
 *   meta     'format' → FORMAT, 'bytes' → bytes of all blocks, 'days' → how long lines are kept
 */
import { existsSync, statSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import { REQUEST_LOG_DAYS } from '../limits.js';
import { faultOfLmdbFile } from '../store/lmdb-file.js';
import { openLmdb } from '../store/lmdb-open.js';
import { damageBeforeOpening } from '../store/pages.js';
import { makeFolderWithin, makeRoom } from '../store/room.js';
import { dataFile } from './environment.js';
import type { UsageCounts } from './log-records.js';

const FORMAT = 1;

export type BlockKey = [key: string, time: number, writer: string];

export interface LogTables {
  root: RootDatabase;
  blocks: Database<Uint8Array, BlockKey>;
  byTime: Database<number, [number, string, string]>;
  usage: Database<UsageCounts, [string, string, string]>;
  meta: Database<number, string>;
}

/** A file up to this is walked through before it is mapped, bytes: 1 ms a megabyte. The default limit of lines makes 400 MB. */
const WALKED_MAX = 1 << 30;

/** The last damage found, so that a file is not walked through again four times a second. */
let lastDamage: { file: string; inode: number; changed: number; until: number; fault: string } | undefined;
const DAMAGE_KNOWN_MS = 10_000;

function damageOf(file: string, isKnown: boolean): string | undefined {
  // A file that another server is just making is whole at the next look.
  const fault = faultOfLmdbFile(file);
  if (fault !== undefined) return fault;
  const { ino: inode, mtimeMs: changed, size } = statSync(file);
  const last = lastDamage;
  const isSame = last?.file === file && last.inode === inode && last.changed === changed;
  if (isSame && performance.now() < last.until) return last.fault;
  const damage = isKnown || size > WALKED_MAX ? undefined : damageBeforeOpening(file);
  lastDamage =
    damage === undefined
      ? undefined
      : { file, inode, changed, until: performance.now() + DAMAGE_KNOWN_MS, fault: damage };
  return damage;
}

/**
 * Opens the environment in a folder, and makes it where there is none.
 * @param isKnown whether another thread of this process has it open, and so has looked for damage
 * @throws Error that says what is wrong where it is damaged
 */
export function openLogTables(dir: string, isKnown = false): LogTables {
  const file = dataFile(dir);
  if (existsSync(file) && statSync(file).size > 0) {
    const fault = damageOf(file, isKnown);
    if (fault !== undefined) {
      throw new Error(
        `${file} is damaged: ${fault}. Stop the servers on this folder and move ${dir} away: it is made anew, and the ` +
          'log of requests and the usage begin again',
      );
    }
  } else makeFolderWithin(dir, 0o700);
  const isNew = !existsSync(file) || statSync(file).size === 0;
  const root = openLmdb({ path: dir, noSubdir: false, maxDbs: 8 });
  try {
    root.readerCheck();
    if (isNew) root.transactionSync(() => makeRoom(file));
    const meta = root.openDB<number, string>({ name: 'meta' });
    root.transactionSync(() => {
      if (meta.get('format') === undefined) meta.putSync('format', FORMAT);
    });
    if (meta.get('format') !== FORMAT) throw new Error(`${file} has a format that is not ${FORMAT}`);
    return {
      root,
      meta,
      blocks: root.openDB({ name: 'blocks', encoding: 'binary' }),
      byTime: root.openDB({ name: 'by_time' }),
      usage: root.openDB({ name: 'usage' }),
    };
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** How long lines are kept: as this process was told, else as the servers of the folder were that write them. */
export function daysKept({ meta }: LogTables, told: number | undefined): number {
  return told ?? meta.get('days') ?? REQUEST_LOG_DAYS.default;
}
