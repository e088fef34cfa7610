/**
 * The ledger: files that were ingested, with time, readers and outcomes. A file is entered once all its publications are
 * committed. If its reading was interrupted, it is not in the ledger, and the next run reads it again.
 */
import { createHash } from 'node:crypto';
import { transaction } from './commit.js';
import type { EndedSource, SourceFile, SourceRecord } from './source-record.js';
import type { Store } from './store.js';

/** Bytes. LMDB limits keys to 1,978 bytes, but a path may have 4,096. */
const KEY_MAX_BYTES = 1_024;

/** The key of a file's entry: its path, or the digest of a long one. @param most bytes that a key may have */
export function keyOf(path: string, most = KEY_MAX_BYTES): string {
  if (Buffer.byteLength(path) <= most) return path;
  return `sha256:${createHash('sha256').update(path).digest('base64url')}`;
}

/** Bytes of a file's entry without its failures, and of the pages that it may change. */
const ROOM_A_FILE = 8 << 10;
const CHANGED_BY_A_FILE = 16 << 10;

/** Bytes of the failures in an entry, generously: a text has at most three bytes a character. */
function bytesOfFailures({ failures = [] }: EndedSource): number {
  const chars = failures.reduce((sum, { position, patent_id: id = '', reason }) => {
    return sum + position.length + id.length + reason.length;
  }, 0);
  return 3 * chars + 64 * failures.length;
}

/** Enters completely read files, in one transaction. */
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
    () => {
      const failures = files.reduce((sum, file) => sum + bytesOfFailures(file), 0);
      return {
        bytes: files.length * ROOM_A_FILE + failures,
        changed: files.length * CHANGED_BY_A_FILE + failures,
      };
    },
  );
}

/**
 * Whether the current version of a file was read completely by the current versions of its readers.
 * @param versions format → version of the current reader
 */
export function isRead(store: Store, file: SourceFile, versions: Readonly<Record<string, number>>): boolean {
  return isUnchanged(store.sources.get(keyOf(file.path)), file, versions);
}

/** Whether an entry of the ledger is of the current version of its file and readers. */
export function isUnchanged(
  known: SourceRecord | undefined,
  file: SourceFile,
  versions: Readonly<Record<string, number>>,
): boolean {
  if (known === undefined || known.bytes !== file.bytes || known.modified !== file.modified) return false;
  // A file that failed or that no reader knew is tried again by other readers.
  const isRead = known.failed === 0 && Object.keys(known.readers).length > 0;
  if (!isRead && known.registry !== registryDigest(versions)) return false;
  return Object.entries(known.readers).every(([format, version]) => versions[format] === version);
}

/** Whether a file was read as a table that is joined with others of its folder. */
export function isJoined(store: Store, file: SourceFile): boolean {
  return store.sources.get(keyOf(file.path))?.joined === true;
}

/** A digest that changes with the version of any reader. */
export function registryDigest(versions: Readonly<Record<string, number>>): string {
  const text = Object.entries(versions)
    .map(([format, version]) => `${format} ${version}`)
    .sort()
    .join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Enters files as another ledger has them, in one transaction. */
export function copySources(store: Store, records: readonly SourceRecord[]): void {
  if (records.length === 0) return;
  transaction(
    store,
    () => {
      for (const record of records) store.sources.putSync(keyOf(record.path), record);
    },
    () => ({
      bytes: records.reduce((sum, record) => sum + ROOM_A_FILE + bytesOfFailures(record), 0),
      changed: records.length * CHANGED_BY_A_FILE,
    }),
  );
}

/** Removes entries by their keys. The next run reads their files again. */
export function forgetSources(store: Store, keys: readonly string[]): void {
  transaction(store, () => {
    for (const key of keys) store.sources.removeSync(key);
  });
}

/** A file in the ledger. */
export function sourceRecord(store: Store, path: string): SourceRecord | undefined {
  store.refresh();
  return store.sources.get(keyOf(path));
}

/** Every file in the ledger, by path. */
export function sourceRecords(store: Store): SourceRecord[] {
  store.refresh();
  const all = Array.from(store.sources.getRange(), ({ value }) => value);
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}
