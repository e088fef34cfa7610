/**
 * Writes a weekly full-text file of any size: a few red book documents, repeated with new publication and application
 * numbers.
 */
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../machine.js';

/** The documents of a file, which may hold several and may be compressed. */
function documentsOf(file: string): string[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split(/(?=<\?xml\s)/).filter((part) => /<us-patent-(?:grant|application)[\s>]/.test(part));
}

function fixtureFiles(): string[] {
  const folder = join(ROOT, 'fixtures/us');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.xml$/i.test(name)).map((name) => join(folder, name));
}

/** A copy of a document with the unique numbers of the nth grant or application. */
function renumbered(document: string, nth: number): string {
  let isPublication = true;
  return document.replace(/<doc-number>([^<]*)<\/doc-number>/g, (all, number: string, at: number) => {
    // The first two numbers are the document's publication and application number. Later ones belong to other documents.
    const own = at < document.indexOf('</application-reference>');
    if (!own) return all;
    const serial = String(nth).padStart(7, '0');
    const altered = isPublication
      ? number.length === 11
        ? `2024${serial}`
        : `${number.replace(/\d+$/, '')}${serial.padStart(8 - number.replace(/\d+$/, '').length, '1')}`
      : `1${serial}`;
    isPublication = false;
    return `<doc-number>${altered}</doc-number>`;
  });
}

function* weekly(documents: readonly string[], bytes: number): Generator<string> {
  let written = 0;
  for (let nth = 0; written < bytes; nth++) {
    const next = renumbered(documents[nth % documents.length] ?? '', nth);
    written += Buffer.byteLength(next);
    yield next.endsWith('\n') ? next : `${next}\n`;
  }
}

/** Writes a file of slightly more than `bytes` bytes. Default documents: those of `fixtures/us`. */
export async function writeWeekly(out: string, bytes: number, files: readonly string[] = []): Promise<void> {
  const documents = (files.length > 0 ? files : fixtureFiles()).flatMap(documentsOf);
  await pipeline(Readable.from(weekly(documents, bytes)), createWriteStream(out));
}
