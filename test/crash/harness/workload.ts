/** What the harness has a process do to a folder, and what must be true of the folder at each moment. */
import { createHash } from 'node:crypto';
import type { Patent } from '../../../src/patent/record.js';
import { publication } from '../folder.js';

/** Publications that there are at most. */
export const POOL = 60;
/** So small that some ten publications make segments, merges and FAISS indexes. */
export const SMALL = { segmentPassages: 10, indexFrom: 48 };

export type Operation =
  /** Ingests publications in this version: new ones, and ones that take the place of an older version. */
  | { kind: 'put'; docs: number[]; version: number }
  | { kind: 'delete'; docs: number[] }
  /** Merges what is due, or with `full` everything into one segment. */
  | { kind: 'merge'; full: boolean }
  /** Stores a drawing. */
  | { kind: 'draw'; image: number }
  /** Makes an account and a key; then takes the key away. */
  | { kind: 'key' };

/** Version of each publication that is there, by its number. */
export type State = ReadonlyMap<number, number>;

/** What is certain of a folder. */
export interface Known {
  documents: State;
  /** Drawings that were stored. */
  images: readonly number[];
  /** Keys that were made, by id, and whether they have been taken away. */
  keys: ReadonlyMap<string, 'active' | 'deactivated'>;
}

export const NOTHING: Known = { documents: new Map(), images: [], keys: new Map() };

/** A publication of the harness in one version. */
export function patent(n: number, version: number): Patent {
  return publication(n, 7, version);
}

/** An image that stands for itself; nothing looks into it. */
export function image(n: number): Buffer {
  return Buffer.concat(
    Array.from({ length: 40 }, (_, k) => createHash('sha512').update(`${n} ${k}`).digest()),
  );
}

/**
 * Operations at random that follow one another.
 * @param from version of the first put; each takes the next
 */
export function operations(count: number, next: () => number, from: number): Operation[] {
  const some = (most: number) => {
    const wanted = 1 + Math.floor(next() * most);
    return [...new Set(Array.from({ length: wanted }, () => Math.floor(next() * POOL)))];
  };
  let version = from;
  return Array.from({ length: count }, (): Operation => {
    const roll = next();
    if (roll < 0.55) return { kind: 'put', docs: some(24), version: version++ };
    if (roll < 0.7) return { kind: 'delete', docs: some(6) };
    if (roll < 0.9) return { kind: 'merge', full: next() < 0.5 };
    if (roll < 0.97) return { kind: 'draw', image: Math.floor(next() * 1e9) };
    return { kind: 'key' };
  });
}

/** What is there after an operation that was done. */
export function after(documents: State, operation: Operation): State {
  const then = new Map(documents);
  if (operation.kind === 'put') for (const n of operation.docs) then.set(n, operation.version);
  if (operation.kind === 'delete') for (const n of operation.docs) then.delete(n);
  return then;
}

/** What a process says: an operation begins, is done, or one of its keys was made or taken away. */
export type Said =
  | { begin: number }
  | { done: number }
  | { key: string; state: 'active' | 'deactivated' }
  | { failed: number; code: string; message: string }
  /** What goes on around a disk that is full. */
  | { searched: number }
  | { end: true };

/** The lines that a process wrote; one that was cut off is left out. */
export function saidIn(text: string): Said[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Said);
}

/**
 * What is certain after a process has said so much, and what else may be: an operation that had begun and was not
 * done may have happened to each of its publications or not.
 */
export function outcome(
  before: Known,
  list: readonly Operation[],
  said: readonly Said[],
): { known: Known; maybe: State; running: Operation | undefined } {
  let { documents } = before;
  const images = [...before.images];
  const keys = new Map(before.keys);
  let running: Operation | undefined;
  for (const line of said) {
    if ('begin' in line) running = list[line.begin];
    if ('key' in line) keys.set(line.key, line.state);
    if ('done' in line) {
      const operation = list[line.done]!;
      documents = after(documents, operation);
      if (operation.kind === 'draw') images.push(operation.image);
      running = undefined;
    }
  }
  const maybe = running ? after(documents, running) : documents;
  return { known: { documents, images, keys }, maybe, running };
}
