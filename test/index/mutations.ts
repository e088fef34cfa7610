/** Damage to an index file: each mutation takes the bytes of an intact file and returns damaged ones. */
import { random } from '../crash/folder.js';

/** The shape of the indexes. */
export const DIMENSIONS = 16;
export const ROWS = 600;

/** Uniform in 0..1. */
type Random = () => number;

/** Damages `bytes` in place, or returns others. `foreign` is a complete index file of another kind. */
type Mutation = (bytes: Buffer, next: Random, foreign: Buffer) => Buffer;

/** The beginning of a file, with the sizes and tables that locate everything else. */
const HEAD = 512;

const below = (next: Random, limit: number): number => Math.floor(next() * limit);
const pick = <T>(next: Random, items: readonly T[]): T => items[below(next, items.length)]!;

/** A place for `size` bytes, with probability one half in the head of the file. */
const place = (next: Random, bytes: Buffer, size: number): number =>
  below(next, Math.max(1, (next() < 0.5 ? Math.min(HEAD, bytes.length) : bytes.length) - size + 1));

const EXTREME_WORDS = [
  0, 1, 2, 0x7f, 0xff, 0x100, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
];

/** Extreme numbers of four and of two bytes, and a test for numbers that are components of vectors. */
const FLOATS = {
  4: {
    bad: [0x7fc00000, 0xffc00000, 0x7f800001, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff],
    isComponent: (bytes: Buffer, at: number) => {
      const size = Math.abs(bytes.readFloatLE(at));
      return size > 1e-6 && size <= 1;
    },
    write: (bytes: Buffer, at: number, value: number) => bytes.writeUInt32LE(value, at),
  },
  2: {
    bad: [0x7e00, 0xfe00, 0x7c01, 0x7c00, 0xfc00, 0x7bff, 0xfbff],
    isComponent: (bytes: Buffer, at: number) => {
      const exponent = (bytes.readUInt16LE(at) >> 10) & 0x1f;
      return exponent > 0 && exponent < 16;
    },
    write: (bytes: Buffer, at: number, value: number) => bytes.writeUInt16LE(value, at),
  },
} as const;

/** Length of a run of plausible components that counts as vectors. */
const CERTAIN = 8;

function flipBytes(bytes: Buffer, next: Random): Buffer {
  for (let n = 1 + below(next, 4); n > 0; n--) bytes[place(next, bytes, 1)]! ^= 1 + below(next, 255);
  return bytes;
}

function truncate(bytes: Buffer, next: Random): Buffer {
  return bytes.subarray(0, below(next, next() < 0.25 ? HEAD : bytes.length));
}

function extremeWord(bytes: Buffer, next: Random): Buffer {
  for (let n = 1 + below(next, 3); n > 0; n--) {
    bytes.writeUInt32LE(pick(next, EXTREME_WORDS), place(next, bytes, 4));
  }
  return bytes;
}

/** Replaces some components, or all following ones, by NaN, infinities and the greatest finite numbers. */
function badNumbers(bytes: Buffer, next: Random): Buffer {
  const size = next() < 0.3 ? 2 : 4;
  const { bad, isComponent, write } = FLOATS[size];
  const isVector = (at: number) => {
    for (let n = 0; n < CERTAIN; n++) if (!isComponent(bytes, at + n * size)) return false;
    return true;
  };
  const last = bytes.length - CERTAIN * size;
  let at = below(next, last);
  while (at <= last && !isVector(at)) at++;
  const value = pick(next, bad);
  let count = pick(next, [1, 1, 16, 256, Number.POSITIVE_INFINITY]);
  for (; count > 0 && at + size <= bytes.length && isComponent(bytes, at); count--, at += size) {
    write(bytes, at, next() < 0.1 ? pick(next, bad) : value);
  }
  return bytes;
}

/** Exchanges two parts of the file, or its end for the end of a file of another kind. */
function swapSections(bytes: Buffer, next: Random, foreign: Buffer): Buffer {
  if (next() < 0.3) {
    const kept = place(next, bytes, 4);
    return Buffer.concat([bytes.subarray(0, kept), foreign.subarray(place(next, foreign, 4))]);
  }
  const length = 4 * (1 + below(next, pick(next, [2, 16, 256, 4096])));
  const [a, b] = [place(next, bytes, length), place(next, bytes, length)];
  const held = Buffer.from(bytes.subarray(a, a + length));
  bytes.copyWithin(a, b, b + length);
  held.copy(bytes, b, 0, Math.min(length, bytes.length - b));
  return bytes;
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flipped bytes': flipBytes,
  truncation: truncate,
  'extreme words': extremeWord,
  'bad numbers': badNumbers,
  'swapped sections': swapSections,
};

/** Unit vectors. */
export function unitVectors(rows: number, dimensions: number, seed: number): Float32Array {
  const next = random(seed);
  const out = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const vector = Array.from({ length: dimensions }, () => next() - 0.5);
    const length = Math.hypot(...vector);
    out.set(
      vector.map((x) => x / length),
      row * dimensions,
    );
  }
  return out;
}
