/**
 * A second static model for tests with two models: the first dimensions of the shipped one, under its own name.
 * Written from the format's description (native/core/src/file.rs, models/static/FORMAT.md).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { native } from '../../src/index/native.js';
import { MODEL } from './model-file.js';

const BLOCK = 64 << 10;
const ALIGN = 64;
const FOOTER = 40;

type Sections = Map<string, Buffer>;

/** Writes a model with the given number of dimensions (a multiple of 64) to `path`. */
export async function writeOtherModel(path: string, name: string, dimensions: number): Promise<string> {
  const sections = sectionsOf(readFileSync(MODEL));
  const settings = Buffer.from(sections.get('settings')!);
  const whole = settings.readInt32LE(0);
  settings.writeInt32LE(dimensions, 0);
  // Without the language data of the shipped model, which uses the last dimensions.
  const { languages: _, cohort: __, ...own } = JSON.parse(sections.get('config')!.toString());
  const config = { ...own, name, version: '7', dimensions };
  // Its token bags are not those of the shipped model.
  for (const section of ['cohort', 'cohort_scales', 'bags']) sections.delete(section);
  sections.set('settings', settings).set('config', Buffer.from(JSON.stringify(config)));
  const rows = sections.get('rows')!;
  const count = rows.length / whole;
  const kept = Buffer.alloc(count * dimensions);
  for (let n = 0; n < count; n++) rows.copy(kept, n * dimensions, n * whole, n * whole + dimensions);
  sections.set('rows', kept);
  writeFileSync(path, await containerOf(sections));
  return path;
}

function sectionsOf(file: Buffer): Sections {
  const footer = file.length - FOOTER;
  const found: Sections = new Map();
  for (let at = Number(file.readBigUInt64LE(footer + 8)); at < footer; ) {
    const length = file.readUInt16LE(at);
    const name = file.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length + 16;
    const start = Number(file.readBigUInt64LE(at - 16));
    found.set(name, file.subarray(start, start + Number(file.readBigUInt64LE(at - 8))));
  }
  return found;
}

async function containerOf(sections: Sections): Promise<Buffer> {
  const head = Buffer.alloc(ALIGN);
  head.write('PRIORART');
  head.writeUInt32LE(1, 8);
  const parts: Buffer[] = [head];
  const directory: Buffer[] = [];
  let written = ALIGN;
  for (const [name, bytes] of sections) {
    const entry = Buffer.alloc(2 + name.length + 16);
    entry.writeUInt16LE(name.length, 0);
    entry.write(name, 2);
    entry.writeBigUInt64LE(BigInt(written), 2 + name.length);
    entry.writeBigUInt64LE(BigInt(bytes.length), 10 + name.length);
    directory.push(entry);
    const padding = Buffer.alloc((ALIGN - (bytes.length % ALIGN)) % ALIGN);
    parts.push(bytes, padding);
    written += bytes.length + padding.length;
  }
  const data = Buffer.concat(parts);
  const table = await checksums(data);
  const tail = Buffer.concat([table, ...directory]);
  const footer = Buffer.alloc(FOOTER);
  footer.writeBigUInt64LE(BigInt(data.length), 0);
  footer.writeBigUInt64LE(BigInt(data.length + table.length), 8);
  (await checksums(tail)).copy(footer, 16);
  footer.writeBigUInt64LE(BigInt(data.length + tail.length + FOOTER), 24);
  footer.write('PRIOREND', 32);
  return Buffer.concat([data, tail, footer]);
}

/** xxh3 of each block in sequence; the addon computes it of files only. */
async function checksums(data: Buffer): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-blocks-'));
  try {
    const sums = Buffer.alloc(8 * Math.ceil(data.length / BLOCK));
    for (let at = 0; at < data.length; at += BLOCK) {
      const path = join(dir, 'block');
      writeFileSync(path, data.subarray(at, at + BLOCK));
      sums.writeBigUInt64LE(BigInt(`0x${await native.fileChecksum(path)}`), (8 * at) / BLOCK);
    }
    return sums;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
