/**
 * The ledger: which files were read into the index, when, by which readers, and what became of their
 * publications. A file is entered when everything it holds is committed; one whose reading was cut short is not
 * in it, and is read again by the next run.
 */
import { createHash } from 'node:crypto';
import { transaction } from './commit.js';
import type { EndedSource, SourceFile, SourceRecord } from './source-record.js';
import type { Store } from './store.js';

/** LMDB takes keys of 1,978 bytes; a path may have 4,096. */
const KEY_MAX_BYTES = 1_024;

function keyOf(path: string): string {
  if (Buffer.byteLength(path) <= KEY_MAX_BYTES) return path;
  return `sha256:${createHash('sha256').update(path).digest('base64url')}`;
}

/** Bytes of a file's entry, and of pages that it may change. */
const ROOM_A_FILE = 8 << 10;
const CHANGED_BY_A_FILE = 16 << 10;

/** Enters files that were read to their end, in one transaction. */
export function enterSources(store: Store, files: readonly EndedSource[]): void {
  if (files.length === 0) return;
  const now = new Date().toISOString();
  transaction(
    store,
    () => {
      for (const file of files) {
        const known = store.sources.get(keyOf(file.path));
        store.sources.putSync(keyOf(file.path), {
          ...file,
          first_read: known?.first_read ?? now,
          last_read: now,
          readings: (known?.readings ?? 0) + 1,
        });
      }
    },
    () => ({ bytes: files.length * ROOM_A_FILE, changed: files.length * CHANGED_BY_A_FILE }),
  );
}

/**
 * Whether a file was read to its end as it is now, by readers that would read the same today.
 * @param versions format → version of the readers there are
 */
export function isRead(store: Store, file: SourceFile, versions: Readonly<Record<string, number>>): boolean {
  const known = store.sources.get(keyOf(file.path));
  if (known === undefined || known.bytes !== file.bytes || known.modified !== file.modified) return false;
  if (known.failed > 0 && known.registry !== registryDigest(versions)) return false;
  return Object.entries(known.readers).every(([format, version]) => versions[format] === version);
}

/** Whether a file, when it was read, was a table that is joined with others of its folder. */
export function isJoined(store: Store, file: SourceFile): boolean {
  return store.sources.get(keyOf(file.path))?.joined === true;
}

/** One text that changes with any reader. */
export function registryDigest(versions: Readonly<Record<string, number>>): string {
  const text = Object.entries(versions)
    .map(([format, version]) => `${format} ${version}`)
    .sort()
    .join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Takes entries out, by their keys; their files are read again by the next run. */
export function forgetSources(store: Store, keys: readonly string[]): void {
  transaction(store, () => {
    for (const key of keys) store.sources.removeSync(key);
  });
}

/** Every file in the ledger, by path. */
export function sourceRecords(store: Store): SourceRecord[] {
  store.refresh();
  const all = Array.from(store.sources.getRange(), ({ value }) => value);
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}
