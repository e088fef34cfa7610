/** Images for tests: patterns with known pixels, in the formats of the offices. */
import { whyNoDrawings } from '../../src/drawings/convert.js';

/** Reason why tests cannot convert images here, or false if they can. */
export const noSharp = (await whyNoDrawings()) ?? false;
const sharp = noSharp ? undefined : (await import('sharp')).default;

/** The part of sharp that only tests use. */
interface Maker {
  raw(): Maker;
  greyscale(): Maker;
  toColourspace(space: string): Maker;
  tiff(options: object): Maker;
  jpeg(options: object): Maker;
  png(options?: object): Maker;
  gif(): Maker;
  webp(options: object): Maker;
  toBuffer(): Promise<Buffer>;
  metadata(): Promise<{ width: number; height: number; format: string; channels: number }>;
}

const make = sharp as unknown as (bytes: Uint8Array, options?: object) => Maker;

export interface Pattern {
  width: number;
  height: number;
  /** A byte a pixel, 0 or 255. */
  pixels: Uint8Array;
}

/** Lines, a frame and dots by the seed, black on white. */
export function pattern(width: number, height: number, seed = 1): Pattern {
  const pixels = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const frame = x < 2 || y < 2 || x >= width - 2 || y >= height - 2;
      const lines = (x + y * seed) % 37 === 0 || (x * seed + 3 * y) % 101 < 2;
      const dots = (x * 7919 + y * 104_729 + seed) % 997 === 0;
      if (frame || lines || dots) pixels[y * width + x] = 0;
    }
  }
  return { width, height, pixels };
}

function of({ width, height, pixels }: Pattern): Maker {
  return make(pixels, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
}

/** The format of US and EP: one bit a pixel, CCITT group 4. */
export function tiffG4(image: Pattern, miniswhite = true): Promise<Buffer> {
  return of(image).tiff({ compression: 'ccittfax4', bitdepth: 1, miniswhite }).toBuffer();
}

export function png(image: Pattern): Promise<Buffer> {
  return of(image).png({ palette: true, colours: 2 }).toBuffer();
}

export function jpeg(image: Pattern): Promise<Buffer> {
  return of(image).jpeg({ quality: 90 }).toBuffer();
}

export function gif(image: Pattern): Promise<Buffer> {
  return of(image).gif().toBuffer();
}

/** Transparent where the pattern is white. */
export function transparentPng({ width, height, pixels }: Pattern): Promise<Buffer> {
  const rgba = new Uint8Array(width * height * 4);
  pixels.forEach((value, at) => {
    rgba[4 * at + 3] = 255 - value;
  });
  return make(rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

/** The pixels of an image, a byte each. */
export function greyOf(bytes: Uint8Array): Promise<Buffer> {
  return make(bytes).greyscale().raw().toBuffer();
}

export function metadataOf(bytes: Uint8Array): Promise<{ width: number; height: number; format: string }> {
  return make(bytes).metadata();
}

/** A TIFF of 4 × 4 samples of 32 bits (TIFF 6.0, section 2). @param format 1: whole numbers, 3: real ones */
export function wideTiff(format: 1 | 3): Buffer {
  const [side, short, long, bits] = [4, 3, 4, 32];
  const length = (side * side * bits) / 8;
  const entries: [tag: number, type: number, value: number][] = [
    [256, short, side],
    [257, short, side],
    [258, short, bits],
    [259, short, 1],
    [262, short, 1],
    [273, long, 8],
    [277, short, 1],
    [278, short, side],
    [279, long, length],
    [339, short, format],
  ];
  const directory = Buffer.alloc(2 + 12 * entries.length + 4);
  directory.writeUInt16LE(entries.length, 0);
  for (const [n, [tag, type, value]] of entries.entries()) {
    directory.writeUInt16LE(tag, 2 + 12 * n);
    directory.writeUInt16LE(type, 4 + 12 * n);
    directory.writeUInt32LE(1, 6 + 12 * n);
    directory.writeUInt32LE(value, 10 + 12 * n);
  }
  const head = Buffer.from('49492a0000000000', 'hex');
  head.writeUInt32LE(8 + length, 4);
  return Buffer.concat([head, Buffer.alloc(length), directory]);
}
