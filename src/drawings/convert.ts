/**
 * An office's image as WebP, with a thumbnail. Measured on 34 sheets of US and EP publications (CCITT G4, 11 to 15
 * megapixels, 18 to 38 kB): lossless WebP is about as large (27 to 40 kB, 85 ms of one processor), lossy at quality
 * 75 five times that (130 to 190 kB, 120 ms), because sharp edges are what it is worst at. Effort 1 gives the size
 * of effort 4. JPEG is the other way round (70 of KR: lossy 33 kB, lossless 116 kB of 67 kB): its noise would have
 * to be kept, and it has been lossy already.
 */
import type { Pipeline, Sharp } from 'sharp';
import {
  DRAWING_MAX_BYTES,
  DRAWING_MAX_PIXELS,
  DRAWING_THUMBNAIL_SIDE,
  DRAWING_TIMEOUT_S,
} from '../limits.js';

/** The most that a side can have in WebP's header. */
const WEBP_MAX_SIDE = 16_383;
const LOSSLESS = { lossless: true, effort: 1 };
const LOSSY = { quality: 75, effort: 2 };

export interface Converted {
  /** WebP, both of them. */
  image: Uint8Array;
  thumbnail: Uint8Array;
  /** Pixels of `image`. */
  width: number;
  height: number;
}

/** Why an image is not converted, in words for the report. */
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

/** What offices and desktops also write, named so that one knows what to convert. */
const OTHERS: readonly [string, string][] = [
  ['BMP', '424d'],
  ['JPEG 2000', '0000000c6a502020'],
  ['PDF', '25504446'],
];

let loading: Promise<Sharp> | undefined;

/** sharp, set up once a process: no cache of decoded images, one thread an image. */
function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}

/** Why drawings can not be converted on this system; undefined where they can. */
export async function whyNoDrawings(): Promise<string | undefined> {
  try {
    await loadSharp();
    return undefined;
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    return (
      `drawings are off: the package sharp does not load here (${reason}); ` +
      'install it with `npm install sharp`, or say --drawings off'
    );
  }
}

/**
 * Converts one image; the first page of several. Bounded in bytes, pixels and time before and while it is decoded.
 * @throws UnreadableImage for whatever is wrong with the bytes
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
    const { width = 0, height = 0, hasAlpha } = await decode().metadata();
    checkSize(width, height);
    // Black lines on a transparent ground would vanish on a dark page.
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
    // sharp looks at the header first, so nothing was decoded.
    if (/exceeds pixel limit/.test(reason)) throw new UnreadableImage(TOO_LARGE);
    throw new UnreadableImage(`damaged ${format}: ${reason.trim()}`);
  }
}

/** Nothing but these five reaches a decoder; sharp itself would take SVG, PDF and more. */
function formatOf(bytes: Uint8Array): Format {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('hex');
  const format = MAGIC.find(([, magic]) => magic.test(hex))?.[0];
  if (format === undefined) {
    const other = OTHERS.find(([, magic]) => hex.startsWith(magic))?.[0];
    const found = other ? `${other}, which is not read` : `begins with ${hex.slice(0, 16) || 'nothing'}`;
    throw new UnreadableImage(`${found}; expected TIFF, JPEG, PNG, GIF or WebP`);
  }
  return format;
}

const TOO_LARGE = `more than ${DRAWING_MAX_PIXELS} pixels; scale it down, or leave it out`;

function checkSize(width: number, height: number): void {
  if (width * height > DRAWING_MAX_PIXELS) throw new UnreadableImage(TOO_LARGE);
  if (Math.max(width, height) <= WEBP_MAX_SIDE) return;
  const size = `${width} × ${height} pixels`;
  throw new UnreadableImage(`${size}; expected at most ${WEBP_MAX_SIDE} on a side, which is what WebP holds`);
}
