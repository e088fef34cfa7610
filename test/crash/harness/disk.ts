/**
 * The possible contents of a disk after a power cut. It receives every change and every sync of a program. Of the
 * changes since the last sync, any part may have reached the disk, in any order, as POSIX allows:
 *
 * - Bytes of a file are durable after fsync or fdatasync of it, or when written through O_DSYNC. Until then each
 *   512-byte sector holds any of its states, and the file has any of its sizes.
 * - A name in a folder (created, renamed, removed) is durable after fsync of that folder. Until then the changes of
 *   one folder happened up to any point, in their order; folders are independent. A rename from one folder into another
 *   happens in both or in neither. A folder without a name is lost with its content.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Change } from './log.js';

const SECTOR = 512;
const PAGE = 4096;

class File {
  /** The durable state. */
  bytes: Buffer = Buffer.alloc(0);
  /** States of each sector since the last sync, oldest first. */
  readonly sectors = new Map<number, Buffer[]>();
  /** Sizes of the file since the last sync. */
  sizes: number[] = [];

  get size(): number {
    return this.sizes.at(-1) ?? this.bytes.length;
  }

  #newest(sector: number): Buffer {
    const pending = this.sectors.get(sector)?.at(-1);
    if (pending) return pending;
    const state = Buffer.alloc(SECTOR);
    const from = sector * SECTOR;
    if (from < this.bytes.length) this.bytes.copy(state, 0, from, from + SECTOR);
    return state;
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    for (let sector = Math.floor(offset / SECTOR); sector * SECTOR < end; sector++) {
      const from = sector * SECTOR;
      const state = Buffer.from(this.#newest(sector));
      const start = Math.max(offset, from);
      bytes.copy(state, start - from, start - offset, Math.min(end, from + SECTOR) - offset);
      const states = this.sectors.get(sector);
      if (states) states.push(state);
      else this.sectors.set(sector, [state]);
    }
    if (end > this.size) this.sizes.push(end);
  }

  truncate(size: number): void {
    for (const sector of [...this.sectors.keys()]) {
      if ((sector + 1) * SECTOR > size)
        this.write(Math.max(size, sector * SECTOR), this.#zeros(sector, size));
    }
    if (size < this.bytes.length) this.write(size, Buffer.alloc(this.bytes.length - size));
    this.sizes.push(size);
  }

  #zeros(sector: number, size: number): Buffer {
    return Buffer.alloc((sector + 1) * SECTOR - Math.max(size, sector * SECTOR));
  }

  sync(): void {
    this.bytes = this.image((states) => states.length, this.size);
    this.sectors.clear();
    this.sizes = [];
  }

  /** Makes the pages of these bytes durable, and the file's size up to them. */
  writeThrough(offset: number, bytes: Buffer): void {
    this.write(offset, bytes);
    const from = Math.floor(offset / PAGE) * PAGE;
    const to = Math.ceil((offset + bytes.length) / PAGE) * PAGE;
    const { size } = this;
    const within = Math.min(to, size);
    if (within > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes, Buffer.alloc(within - this.bytes.length)]);
    }
    for (let sector = from / SECTOR; sector * SECTOR < to; sector++) {
      this.sectors
        .get(sector)
        ?.at(-1)
        ?.copy(this.bytes, sector * SECTOR);
      this.sectors.delete(sector);
    }
    if (size === within) this.sizes = [];
  }

  /** The bytes if the given number of states of each sector reached the disk. */
  image(happened: (states: readonly Buffer[], sector: number) => number, size: number): Buffer {
    const image = Buffer.alloc(size);
    this.bytes.copy(image);
    for (const [sector, states] of this.sectors) {
      const count = happened(states, sector);
      if (count > 0) states[count - 1]!.copy(image, sector * SECTOR);
    }
    return image;
  }
}

interface NameChange {
  name: string;
  /** Absent: the name is removed. */
  node?: File | Folder;
  /** The other half of a rename out of this folder: this name is removed when the new name exists. */
  with?: NameChange;
  /** Set when it is durable. */
  certain?: boolean;
}

class Folder {
  readonly names = new Map<string, File | Folder>();
  pending: NameChange[] = [];

  now(name: string): File | Folder | undefined {
    const last = this.pending.findLast((change) => change.name === name);
    return last ? last.node : this.names.get(name);
  }

  sync(): void {
    for (const change of this.pending) {
      apply(this.names, change);
      change.certain = true;
    }
    this.pending = [];
  }
}

function apply(names: Map<string, File | Folder>, { name, node }: NameChange): void {
  if (node) names.set(name, node);
  else names.delete(name);
}

/** The part of the unsynced changes that reached the disk: none, all, or any part. */
export type Luck = 'none' | 'all' | 'some';

export class Disk {
  readonly #root = new Folder();
  readonly #byInode = new Map<number, File>();
  readonly #folders = new Map<string, Folder>();

  /** @param root an existing folder; all paths are below it */
  constructor(root: string) {
    this.#folders.set(root, this.#root);
  }

  apply(change: Change): void {
    if ('inode' in change) this.#applyToFile(change);
    else if (change.kind === 'rename') this.#rename(change.from, change.to);
    else if (change.kind === 'link') this.#link(change.from, change.to);
    else if (change.kind === 'syncFolder') this.#folder(change.path).sync();
    else this.#name({ name: basename(change.path), ...this.#made(change) }, change.path);
  }

  #applyToFile(change: Extract<Change, { inode: number }>): void {
    if (change.kind === 'create') {
      const node = new File();
      this.#byInode.set(change.inode, node);
      this.#name({ name: basename(change.path), node }, change.path);
      return;
    }
    const file = this.#byInode.get(change.inode);
    if (!file) throw new Error(`a change of the unknown inode ${change.inode}`);
    if (change.kind === 'sync') file.sync();
    else if (change.kind === 'truncate') file.truncate(change.size);
    else if (change.durable) file.writeThrough(change.offset, change.bytes);
    else file.write(change.offset, change.bytes);
  }

  #made({ kind, path }: { kind: string; path: string }): { node?: Folder } {
    if (kind !== 'makeFolder') return {};
    const node = new Folder();
    this.#folders.set(path, node);
    return { node };
  }

  #rename(from: string, to: string): void {
    const node = this.#folder(dirname(from)).now(basename(from));
    if (!node) throw new Error(`${from} was renamed but does not exist`);
    if (node instanceof Folder) {
      for (const [path, folder] of [...this.#folders]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        this.#folders.delete(path);
        this.#folders.set(to + path.slice(from.length), folder);
      }
    }
    const comes: NameChange = { name: basename(to), node };
    this.#name(comes, to);
    this.#name({ name: basename(from), with: comes }, from);
  }

  #link(from: string, to: string): void {
    const node = this.#folder(dirname(from)).now(basename(from));
    if (!node) throw new Error(`${from} got another name but does not exist`);
    this.#name({ name: basename(to), node }, to);
  }

  #name(change: NameChange, path: string): void {
    this.#folder(dirname(path)).pending.push(change);
  }

  #folder(path: string): Folder {
    const folder = this.#folders.get(path);
    if (!folder) throw new Error(`${path} is not a folder of this disk`);
    return folder;
  }

  /** Writes the content of the disk after a power cut into a folder. */
  cut(into: string, next: () => number, luck: Luck): void {
    // Folders are visited in a fixed order, so that a seed always gives the same disk.
    const happened = new Set<NameChange>();
    for (const folder of new Set(this.#folders.values())) {
      const { pending } = folder;
      const count =
        luck === 'none' ? 0 : luck === 'all' ? pending.length : Math.floor(next() * (pending.length + 1));
      for (const change of pending.slice(0, count)) happened.add(change);
    }
    this.#write(this.#root, into, { happened, next, luck });
  }

  #write(
    folder: Folder,
    into: string,
    chance: { happened: ReadonlySet<NameChange>; next: () => number; luck: Luck },
  ): void {
    mkdirSync(into, { recursive: true, mode: 0o700 });
    const names = new Map(folder.names);
    for (const change of folder.pending) {
      if (!chance.happened.has(change)) break;
      const other = change.with;
      if (other && !other.certain && !chance.happened.has(other)) continue;
      apply(names, change);
    }
    for (const [name, node] of names) {
      const path = join(into, name);
      if (node instanceof Folder) this.#write(node, path, chance);
      else writeFileSync(path, imageOf(node, chance.next, chance.luck), { mode: 0o600 });
    }
  }
}

/** A file after the cut. Most pages reach the disk as a whole or not at all; some are torn. */
function imageOf(file: File, next: () => number, luck: Luck): Buffer {
  if (luck === 'none') return file.image(() => 0, file.bytes.length);
  if (luck === 'all') return file.image((states) => states.length, file.size);
  const pages = new Map<number, number | undefined>();
  const sizes = [file.bytes.length, ...file.sizes];
  const size = sizes[Math.floor(next() * sizes.length)]!;
  return file.image((states, sector) => {
    const page = Math.floor((sector * SECTOR) / PAGE);
    if (!pages.has(page)) pages.set(page, next() < 0.2 ? undefined : next());
    const share = pages.get(page) ?? next();
    return Math.floor(share * (states.length + 1));
  }, size);
}
