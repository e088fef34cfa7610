/** Readers for the collections: compressed text, tables, archives. */
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { createGunzip, gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

export function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').replace(/^\ufeff/, '');
}

export function linesIn(path: string): string[] {
  return readText(path).split('\n');
}

/** Rows of a CSV file (RFC 4180). */
export function csvIn(path: string): string[][] {
  const rows: string[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r?\n|$)/y;
  const text = readText(path);
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`${path}: no CSV at ${at}`);
    const [, value = '', end] = match;
    rows.at(-1)!.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** Yields the files of a .tar.gz. */
export async function* filesInTar(path: string): AsyncGenerator<{ name: string; text: string }> {
  const unpacked = extract();
  createReadStream(path).pipe(createGunzip()).pipe(unpacked);
  for await (const entry of unpacked) {
    if (entry.header.type === 'file') yield { name: entry.header.name, text: await textOf(entry) };
    else entry.resume();
  }
}

/**
 * Unpacks a .tar.xz with the system's tar, because Node does not support xz.
 * @returns the folder
 */
export function unpackXz(path: string, into: string): string {
  mkdirSync(into, { recursive: true });
  execFileSync('tar', ['-xJf', path, '-C', into], { stdio: ['ignore', 'ignore', 'inherit'] });
  return into;
}

export function filesUnder(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Folds white space and removes tags. Undefined if the text has entities. */
export function plainText(text: string): string | undefined {
  const untagged = text.replace(/<[^>]*>/g, ' ');
  return untagged.includes('&') ? undefined : untagged.replace(/\s+/g, ' ').trim();
}
