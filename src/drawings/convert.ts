/**
 * Converts an office's image to WebP, with a thumbnail. Measured on 34 sheets of US and EP publications (CCITT G4, 11 to
 * 15 megapixels, 18 to 38 kB): lossless WebP has about the same size (27 to 40 kB, 85 ms of one processor). Lossy WebP
 * at quality 75 is five times as large (130 to 190 kB, 120 ms), because it encodes sharp edges badly. Effort 1 gives the
 * size of effort 4. For JPEG the opposite holds (70 images of KR, 67 kB: lossy 33 kB, lossless 116 kB): lossless WebP
 * would have to keep the noise of the lossy original.
 */
import type { Pipeline, Sharp } from 'sharp';
import {
  DRAWING_MAX_BYTES,
  DRAWING_MAX_PIXELS,
  DRAWING_THUMBNAIL_SIDE,
  DRAWING_TIMEOUT_S,
} from '../limits.js';

/** Maximum pixels of a side in WebP. */
const WEBP_MAX_SIDE = 16_383;
const LOSSLESS = { lossless: true, effort: 1 };
const LOSSY = { quality: 75, effort: 2 };

export interface Converted {
  /** Image and thumbnail, as WebP. */
  image: Uint8Array;
  thumbnail: Uint8Array;
  /** Pixels of `image`. */
  width: number;
  height: number;
}

/** Thrown for an image that cannot be converted. The report quotes its message. */
export class UnreadableImage extends Error {
  override readonly name = 'UnreadableImage';
}

type Format = 'tiff' | 'jpeg' | 'png' | 'gif' | 'webp';

const MAGIC: readonly [Format, RegExp][] = [
  ['tiff', /^(?:49492a00|4d4d002a)/],
  ['jpeg', /^ffd8ff/],
  ['png', /^89504e470d0a1a0a/],
  ['gif', /^474946383[79]61/],
  ['webp', /^52494646.{8}57454250/],
];

/** Other formats that are recognised, so that the error can name them. */
const OTHERS: readonly [string, string][] = [
  ['BMP', '424d'],
  ['JPEG 2000', '0000000c6a502020'],
  ['PDF', '25504446'],
];

let loading: Promise<Sharp> | undefined;

/** Loads sharp once a process: without a cache of decoded images, one thread an image. */
function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}

/** The reason why drawings cannot be converted on this system; undefined if they can. */
export async function whyNoDrawings(): Promise<string | undefined> {
  try {
    await loadSharp();
    return undefined;
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    return (
      `drawings are off: the package sharp does not load here (${reason}); ` +
      'install it with `npm install sharp`, or set --drawings off'
    );
  }
}

/** Types of samples, as sharp names them, that are converted. */
const DEPTHS: ReadonlySet<string> = new Set(['uchar', 'ushort']);

/**
 * Converts one image: of several pages, the first. Bytes, pixels and time are limited before and during decoding.
 * @throws UnreadableImage if the bytes cannot be converted
 */
export async function convertImage(bytes: Uint8Array): Promise<Converted> {
  const format = formatOf(bytes);
  if (bytes.byteLength > DRAWING_MAX_BYTES) {
    throw new UnreadableImage(`an image of ${bytes.byteLength} bytes; expected at most ${DRAWING_MAX_BYTES}`);
  }
  const sharp = await loadSharp();
  const decode = () =>
    sharp(bytes, { limitInputPixels: DRAWING_MAX_PIXELS, failOn: 'error' }).timeout({
      seconds: DRAWING_TIMEOUT_S,
    });
  try {
    const { width = 0, height = 0, hasAlpha, depth } = await decode().metadata();
    checkSize(width, height);
    // Offices send 1, 8 and 16 bits. The limit of pixels does not bound the memory of wider ones.
    if (depth !== undefined && !DEPTHS.has(depth)) {
      throw new UnreadableImage(`an image with samples of type ${depth}; expected 1, 8 or 16 bits`);
    }
    // Black lines on a transparent background would be invisible on a dark page.
    const upright = (pipeline: Pipeline) =>
      hasAlpha ? pipeline.autoOrient().flatten({ background: '#fff' }) : pipeline.autoOrient();
    const whole = upright(decode()).webp(format === 'jpeg' ? LOSSY : LOSSLESS);
    const { data, info } = await whole.toBuffer({ resolveWithObject: true });
    const side = DRAWING_THUMBNAIL_SIDE;
    const small = upright(decode())
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp(LOSSY);
    const { data: thumbnail } = await small.toBuffer({ resolveWithObject: true });
    return { image: data, thumbnail, width: info.width, height: info.height };
  } catch (error) {
    if (error instanceof UnreadableImage) throw error;
    const [reason = ''] = String((error as Error).message).split('\n');
    // sharp checks the size in the header before it decodes.
    if (/exceeds pixel limit/.test(reason)) throw new UnreadableImage(TOO_LARGE);
    throw new UnreadableImage(`damaged ${format}: ${reason.trim()}`);
  }
}

/** Detects the format. Only these five reach a decoder; sharp alone would also accept SVG, PDF and more. */
function formatOf(bytes: Uint8Array): Format {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('hex');
  const format = MAGIC.find(([, magic]) => magic.test(hex))?.[0];
  if (format === undefined) {
    const other = OTHERS.find(([, magic]) => hex.startsWith(magic))?.[0];
    const found = other ? `${other}, which is not supported` : `begins with ${hex.slice(0, 16) || 'nothing'}`;
    throw new UnreadableImage(`${found}; expected TIFF, JPEG, PNG, GIF or WebP`);
  }
  return format;
}

const TOO_LARGE = `more than ${DRAWING_MAX_PIXELS} pixels; scale the image down or omit it`;

function checkSize(width: number, height: number): void {
  if (width * height > DRAWING_MAX_PIXELS) throw new UnreadableImage(TOO_LARGE);
  if (Math.max(width, height) <= WEBP_MAX_SIDE) return;
  const size = `${width} × ${height} pixels`;
  throw new UnreadableImage(`${size}; expected at most ${WEBP_MAX_SIDE} on a side, the maximum of WebP`);
}
