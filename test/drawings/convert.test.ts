import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { convertImage, UnreadableImage } from '../../src/drawings/convert.js';
import { DRAWING_MAX_BYTES, DRAWING_MAX_PIXELS, DRAWING_THUMBNAIL_SIDE } from '../../src/limits.js';
import {
  gif,
  greyOf,
  jpeg,
  metadataOf,
  noSharp,
  pattern,
  png,
  tiffG4,
  transparentPng,
  wideTiff,
} from './images.js';

const unreadable = (reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UnreadableImage, String(error));
  assert.match(error.message, reason);
  return true;
};

/** A PNG with the given dimensions in its header and little data. */
function pngOf(width: number, height: number): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    let crc = 0xffffffff;
    for (const byte of body) crc = crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(Math.min(height * (1 + Math.ceil(width / 8)), 1 << 24)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('an image', { skip: noSharp }, () => {
  const drawn = pattern(1213, 811, 5);

  it('an image of one bit a pixel is converted pixel by pixel, with either value as white', async () => {
    for (const bytes of [
      await tiffG4(drawn, true),
      await tiffG4(drawn, false),
      await png(drawn),
      await gif(drawn),
    ]) {
      const { image, width, height } = await convertImage(bytes);
      assert.deepEqual([width, height], [drawn.width, drawn.height]);
      assert.deepEqual(await metadataOf(image).then(({ format, width, height }) => [format, width, height]), [
        ...['webp', drawn.width, drawn.height],
      ]);
      assert.ok(Buffer.from(drawn.pixels).equals(await greyOf(image)));
    }
  });

  it('a converted image of the fixtures equals the original', async () => {
    const folder = resolve('fixtures/us/US11056350-20210706');
    const names = readdirSync(folder).filter((name) => name.endsWith('.TIF'));
    assert.ok(names.length >= 3);
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      const { image, width, height } = await convertImage(bytes);
      const original = await metadataOf(bytes);
      assert.deepEqual([width, height], [original.width, original.height]);
      assert.ok((await greyOf(bytes)).equals(await greyOf(image)), name);
    }
  });

  it('a thumbnail keeps the aspect ratio', async () => {
    const { thumbnail } = await convertImage(await tiffG4(drawn));
    const { format, width, height } = await metadataOf(thumbnail);
    const side = DRAWING_THUMBNAIL_SIDE;
    assert.deepEqual(
      [format, width, height],
      ['webp', side, Math.round((side * drawn.height) / drawn.width)],
    );
    const small = await convertImage(await png(pattern(40, 30)));
    const { width: own } = await metadataOf(small.thumbnail);
    assert.equal(own, 40, 'no image is enlarged');
  });

  it('a JPEG stays close to the original, and becomes smaller', async () => {
    const bytes = await jpeg(drawn);
    const { image } = await convertImage(bytes);
    assert.ok(image.length < bytes.length, `${image.length} of ${bytes.length}`);
    const [before, after] = [await greyOf(bytes), await greyOf(image)];
    const squares = before.reduce((sum, value, at) => sum + (value - after[at]!) ** 2, 0);
    assert.ok(10 * Math.log10(255 ** 2 / (squares / before.length)) > 20, 'signal to noise, dB');
  });

  it('a transparent image gets a white background', async () => {
    const { image } = await convertImage(await transparentPng(drawn));
    assert.ok(Buffer.from(drawn.pixels).equals(await greyOf(image)));
  });

  it('an image is converted to the same bytes each time', async () => {
    const bytes = await tiffG4(drawn);
    const [a, b] = [await convertImage(bytes), await convertImage(bytes)];
    assert.deepEqual([a.image, a.thumbnail], [b.image, b.thumbnail]);
  });

  it('a file that is cut, altered or not an image is refused with a reason', async () => {
    for (const bytes of [await tiffG4(drawn), await png(drawn), await jpeg(drawn), await gif(drawn)]) {
      for (const length of [9, 100, Math.floor(bytes.length / 2)]) {
        await assert.rejects(convertImage(bytes.subarray(0, length)), unreadable(/^damaged |^begins with/));
      }
    }
    const none = [
      [
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
        /begins with 3c737667/,
      ],
      ['%PDF-1.7', /expected TIFF, JPEG, PNG, GIF or WebP/],
      ['', /begins with nothing/],
      ['BM______\0\0\0\0', /^BMP, which is not supported; expected TIFF/],
      ['\0\0\0\x0cjP  \r\n\x87\n', /^JPEG 2000, which is not supported/],
    ] as const;
    for (const [text, reason] of none)
      await assert.rejects(convertImage(Buffer.from(text)), unreadable(reason));
  });

  it('an image of wide samples is refused before it is decoded', async () => {
    for (const format of [1, 3] as const) {
      await assert.rejects(
        convertImage(wideTiff(format)),
        unreadable(/samples of type \w+; expected 1, 8 or 16 bits/),
      );
    }
  });

  it('an image with too many pixels is refused before it is decoded', async () => {
    const before = process.memoryUsage().rss;
    await assert.rejects(convertImage(pngOf(50_000, 50_000)), unreadable(/^more than 40000000 pixels/));
    await assert.rejects(convertImage(pngOf(1_000_000, 1)), unreadable(/at most 16383 on a side/));
    const header = Buffer.from('47494638396100ff00ff800000000000ffffff2c0000000000ff00ff0000', 'hex');
    await assert.rejects(convertImage(header), unreadable(/^more than|^damaged gif/));
    // A TIFF with a header of four thousand million pixels in each direction.
    const tiff = Buffer.from(await tiffG4(pattern(64, 64)));
    const entries = tiff.readUInt32LE(4);
    for (let n = 0; n < tiff.readUInt16LE(entries); n++) {
      const at = entries + 2 + 12 * n;
      if ([256, 257].includes(tiff.readUInt16LE(at))) {
        tiff.writeUInt16LE(4, at + 2);
        tiff.writeUInt32LE(60_000, at + 8);
      }
    }
    await assert.rejects(convertImage(tiff), unreadable(/^more than 40000000 pixels/));
    const large = Buffer.alloc(DRAWING_MAX_BYTES + 1);
    large.write('GIF89a', 'latin1');
    await assert.rejects(convertImage(large), unreadable(/expected at most 50000000$/));
    assert.ok(process.memoryUsage().rss - before < 300e6, 'no part was decoded');
    assert.ok(50_000 ** 2 > DRAWING_MAX_PIXELS);
  });
});
