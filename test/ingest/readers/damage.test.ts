/**
 * Bad input of every format: cut at any byte, changed bytes, a wrong encoding, entities that grow, garbage. It is
 * reported with a message, in bounded time, and never causes an internal error of a reader.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { JoinedTables } from '../../../src/ingest/join.js';
import type { ParsedUnit } from '../../../src/ingest/readers/reader.js';
import { detectReader, parseUnit, READERS } from '../../../src/ingest/readers/registry.js';
import fc from '../../property.js';

const FORMATS = resolve('fixtures/formats');
const files = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'golden') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
const documents = files(FORMATS).map((path) => {
  const bytes = readFileSync(path);
  return { name: path.slice(FORMATS.length + 1), bytes: bytes[0] === 0x1f ? gunzipSync(bytes) : bytes };
});

/** The other tables need this one. */
const BIBLIOGRAPHIC = documents.find(({ name }) => name.endsWith('Bibliographic.txt'))!.bytes;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Reads all of some bytes with the reader that recognises them. */
async function read(bytes: Uint8Array): Promise<ParsedUnit[]> {
  const reader = detectReader(bytes);
  if (!reader) return [];
  const results: ParsedUnit[] = [];
  if (reader.format === 'kipris-tables') {
    const tables = new JoinedTables('folder', 'folder');
    for (const table of [bytes, ...(bytes === BIBLIOGRAPHIC ? [] : [BIBLIOGRAPHIC])])
      await tables.add(once(table));
    for (const unit of tables.units(reader.format)) results.push(parseUnit(unit.format, unit.bytes));
    return results;
  }
  for await (const piece of reader.split(once(bytes))) {
    if (piece.bytes === undefined)
      results.push({ patents: [], skipped: [], failed: { reason: piece.reason } });
    else results.push(parseUnit((detectReader(piece.bytes) ?? reader).format, piece.bytes));
  }
  return results;
}

/** No exception of the code itself, and only records of the five offices. */
function isSound(results: ParsedUnit[], what: string): void {
  for (const { patents, failed } of results) {
    assert.doesNotMatch(failed?.reason ?? '', /could not read this document/, what);
    for (const { patent_id, country } of patents)
      assert.match(patent_id, /^(?:US|KR|JP|CN|EP)[A-Z]{0,2}\d+[A-Z]\d?$/, `${what} ${country}`);
  }
}

describe('bad input', () => {
  for (const { name, bytes } of documents) {
    it(`${name}, cut or with changed bytes, is read or reported`, async () => {
      const damage = fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
      );
      await fc.assert(
        fc.asyncProperty(damage, async ([share, changes]) => {
          const cut = Buffer.from(bytes.subarray(0, Math.round(bytes.length * share)));
          for (const [at, byte] of changes) if (at < cut.length) cut[at] = byte;
          isSound(await read(cut), `${name} at ${cut.length}`);
        }),
        { numRuns: 40 },
      );
    });
  }

  it('a wrong declared encoding is ignored if the bytes are UTF-8', async () => {
    for (const { name, bytes } of documents) {
      const text = bytes.toString('utf8');
      if (!/^\uFEFF?<\?xml[^>]*encoding="utf-8"/i.test(text)) continue;
      const wrong = Buffer.from(text.replace(/encoding="utf-8"/i, 'encoding="ISO-2022-KR"'));
      assert.deepEqual(
        (await read(wrong)).map(({ patents }) => patents),
        (await read(bytes)).map(({ patents }) => patents),
        name,
      );
    }
  });

  it('entities that a document defines are not expanded', async () => {
    const doctype = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`).join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>`;
    let tried = 0;
    for (const { name, bytes } of documents) {
      const text = bytes.toString('utf8').replace(/<!DOCTYPE[^>]*>/, '');
      if (!text.includes('<?xml') || name.includes('era')) continue;
      const bomb = text
        .replace(/(<\?xml[^>]*\?>(?:\s*<\?[^>]*\?>)*)/, `$1${doctype}`)
        .replace(/(<(?:invention-title|B542|base:Paragraphs|InventionName)[^>]*>)/, '$1&j;&file;');
      const started = performance.now();
      const results = await read(Buffer.from(bomb));
      assert.ok(performance.now() - started < 60_000, name);
      isSound(results, name);
      const said = JSON.stringify(results);
      assert.ok(said.length < 100_000 && !said.includes('root:'), name);
      tried++;
    }
    assert.ok(tried >= 10, `${tried} documents`);
  });

  it('garbage has no format, or is reported', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('', '<?xml version="1.0"?>', '{', '[{', '"id",'),
        async (bytes, opening) => {
          isSound(await read(Buffer.concat([Buffer.from(opening), bytes])), 'rubbish');
          for (const { format } of READERS) {
            if (format === 'kipris-tables') continue; // The join makes its units, so no file has them.
            isSound([parseUnit(format, bytes)], format);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
