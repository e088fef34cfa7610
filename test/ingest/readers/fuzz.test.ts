/**
 * A fuzz test for every reader. Each document of the fixtures, changed in many ways at random places, gives records
 * or a failure with a message, never an internal error, a hang or a huge result. The project's own format accepts
 * every such record, and it can be processed further.
 *
 * `PRIORART_FUZZ=10000 node --test dist/test/ingest/readers/fuzz.test.js` sets the number of changes of each
 * document; `PRIORART_FUZZ_SEED` sets the first seed, which is random in continuous integration. A failure names the
 * seed of its change.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { columnValues } from '../../../src/index/columns.js';
import { JoinedTables } from '../../../src/ingest/join.js';
import { tooLongKey } from '../../../src/ingest/key-length.js';
import { passagesOf } from '../../../src/ingest/passages.js';
import type { ParsedUnit } from '../../../src/ingest/readers/reader.js';
import { detectReader, parseUnit, READERS } from '../../../src/ingest/readers/registry.js';
import { xmlRootName } from '../../../src/ingest/readers/xml.js';
import { splitJson, splitXml } from '../../../src/ingest/split.js';
import type { Patent } from '../../../src/patent/record.js';
import { markdownOf } from '../../../src/search/markdown.js';
import { contentHash, halves } from '../../../src/store/document.js';
import { random } from '../../crash/folder.js';

/** Changed documents for each document. */
const TRIES = Number(process.env['PRIORART_FUZZ'] ?? 25);
const SEED = Number(process.env['PRIORART_FUZZ_SEED'] ?? (process.env['CI'] ? randomInt(2 ** 20) : 1));
/** Maximum time of one changed document (about 10 kB), ms of this thread's time. */
const MOST_MS = 3_000;
/** Maximum bytes of records for each byte of a source; a KIPRIS record yields two publications. */
const GROWTH = 40;

interface Document {
  name: string;
  text: string;
}

function documentsUnder(folder: string): Document[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'golden' ? [] : documentsUnder(path);
    if (/\.(?:png|jpe?g|tiff?|zip)$/i.test(entry.name)) return [];
    const bytes = readFileSync(path);
    return [
      {
        name: path.slice(resolve('fixtures').length + 1),
        text: latin(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes),
      },
    ];
  });
}

/** Bytes as characters, so that a change may produce invalid UTF-8. */
const latin = (bytes: Buffer): string => bytes.toString('latin1');

/** A selection of the documents of formats with many. */
const every = (step: number, documents: Document[]): Document[] => documents.filter((_, n) => n % step === 0);
const fixtures = (folder: string): Document[] => documentsUnder(resolve('fixtures', folder));
const DOCUMENTS = [
  ...fixtures('formats'),
  ...every(4, fixtures('us')),
  ...every(7, fixtures('kr')),
  ...fixtures('jsonl').map(({ name, text }) => ({ name, text: text.split('\n').slice(0, 3).join('\n') })),
];

const STRANGE = [
  ...[
    '\0',
    '\xff\xfe',
    '\xef\xbb\xbf',
    '\xed\xa0\x80',
    '\xf4\x90\x80\x80',
    '\xe2\x80\xa8',
    '¶',
    '\xc2\xb6',
    '\r',
    '"',
  ],
  ...[
    '&#0;',
    '&#xffffffff;',
    '&#55296;',
    '&bogus;',
    '&',
    '<',
    '>',
    ']]>',
    '<![CDATA[',
    '<!--',
    '<?',
    '<!DOCTYPE x [',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    'null',
    'true',
    '-0',
    '1e999',
    '\\ud800',
    '\\u0000',
    '{"__proto__":{"a":1}}',
  ],
  ...[
    '9'.repeat(400),
    '-1',
    '0',
    '00000000',
    '20260231',
    '99999999',
    '1e9',
    '2147483648',
    '18446744073709551616',
  ],
  ...[
    'KR',
    'EP',
    'US',
    'WO',
    'XX',
    'A1',
    'B9',
    'S',
    ';',
    '|',
    '\t',
    '\n\n\n',
    ' '.repeat(200),
    'constructor',
  ],
  ...[
    '<a>'.repeat(300),
    '[['.repeat(200),
    `${'<b>'.repeat(200)}x${'</b>'.repeat(200)}`,
    '<table><row><entry/></row></table>',
  ],
];

/** One change of a text at random places. */
type Change = (text: string, next: () => number, others: readonly string[]) => string;

const between = (next: () => number, most: number): number => Math.floor(next() * most);
const replaceOne = (
  text: string,
  next: () => number,
  pattern: RegExp,
  by: (found: string) => string,
): string => {
  const found = [...text.matchAll(pattern)];
  const one = found[between(next, found.length)];
  return one ? text.slice(0, one.index) + by(one[0]) + text.slice(one.index + one[0].length) : text;
};
const TAG = /<[^<>]{1,200}>|"[^"\n]{1,60}":/g;

const CHANGES: Record<string, Change> = {
  cut: (text, next) => text.slice(0, between(next, text.length)),
  'a bit': (text, next) => {
    const at = between(next, text.length);
    const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << between(next, 8)));
    return text.slice(0, at) + flipped + text.slice(at + 1);
  },
  'a missing part': (text, next) => {
    const at = between(next, text.length);
    return text.slice(0, at) + text.slice(at + between(next, 400));
  },
  'a repeated part': (text, next) => {
    const at = between(next, text.length);
    const part = text.slice(at, at + between(next, 2000));
    return text.slice(0, at) + part.repeat(1 + between(next, 4)) + text.slice(at);
  },
  'something strange': (text, next) => {
    const at = between(next, text.length);
    return text.slice(0, at) + STRANGE[between(next, STRANGE.length)] + text.slice(at + between(next, 12));
  },
  'another tag': (text, next) => {
    const tags = text.match(TAG) ?? [];
    return replaceOne(text, next, TAG, () => tags[between(next, tags.length)] ?? '');
  },
  'a missing tag': (text, next) => replaceOne(text, next, TAG, () => ''),
  'another number': (text, next) => {
    const other = STRANGE.filter((each) => /^-?\d/.test(each));
    return replaceOne(text, next, /\d+/g, () => other[between(next, other.length)] ?? '');
  },
  'an empty value': (text, next) =>
    replaceOne(text, next, />[^<>]+<|:\s*"[^"]*"|"[^"\n]*",/g, (found) =>
      found[0] === '>' ? '><' : found[0] === ':' ? ':""' : '"",',
    ),
  'a value of another type': (text, next) =>
    replaceOne(
      text,
      next,
      /:\s*(?:"[^"]*"|\d+|null|true|false)/g,
      () => [':7', ':null', ':[]', ':{}', ':["x"]', ':true'][between(next, 6)]!,
    ),
  'a part of another document': (text, next, others) => {
    const other = others[between(next, others.length)] ?? '';
    const from = between(next, other.length);
    const at = between(next, text.length);
    return (
      text.slice(0, at) + other.slice(from, from + between(next, 3000)) + text.slice(at + between(next, 300))
    );
  },
};
const KINDS = Object.keys(CHANGES);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The other tables that a table needs. */
const TABLES = DOCUMENTS.filter(({ name }) => name.includes('kipris-tables'));

async function read(name: string, bytes: Buffer): Promise<ParsedUnit[]> {
  const results: ParsedUnit[] = [];
  if (name.includes('kipris-tables')) {
    const tables = new JoinedTables('folder', 'folder');
    await tables.add(once(bytes));
    for (const other of TABLES)
      if (other.name !== name) await tables.add(once(Buffer.from(other.text, 'latin1')));
    for (const unit of tables.units('kipris-tables')) results.push(parseUnit(unit.format, unit.bytes));
    return results;
  }
  const reader = detectReader(bytes);
  const split = reader?.split ?? (xmlRootName(bytes) === undefined ? splitJson : splitXml);
  for await (const piece of split(once(bytes))) {
    if (piece.bytes === undefined) continue;
    const own = detectReader(piece.bytes) ?? reader;
    if (own) results.push(parseUnit(own.format, piece.bytes));
  }
  return results;
}

/** All processing of a record by an ingest and an answer. */
function isUsable(patent: Patent, what: string): void {
  // The ingest makes it a failure.
  if (tooLongKey(patent) !== undefined) return;
  assert.match(patent.patent_id, /^(?:US|KR|JP|CN|EP)[A-Z]{0,2}\d+[A-Z]\d?$/, what);
  const passages = passagesOf(patent);
  const { terms, days } = columnValues(patent);
  assert.ok(
    terms.flat().every((term) => typeof term === 'string'),
    what,
  );
  assert.ok(days.every(Number.isInteger), what);
  const document = { patent, passages, hash: contentHash(patent), vectors: new Float32Array() };
  const figures = (patent.drawings ?? []).map(({ file, label }) => ({
    name: file,
    ...(label ? { label } : {}),
  }));
  assert.equal(typeof markdownOf(...halves(document, []), figures), 'string', what);
  if (patent.partial || passages.length === 0) return;
  const line = Buffer.from(JSON.stringify(patent));
  const { failed } = parseUnit('jsonl', line);
  assert.equal(failed?.reason, undefined, what);
}

describe(`readers on changed documents (PRIORART_FUZZ_SEED=${SEED})`, () => {
  for (const { name, text } of DOCUMENTS) {
    it(`${name}: ${TRIES} changes give records or failures`, async () => {
      const others = DOCUMENTS.filter((each) => each.name !== name).map((each) => each.text);
      for (let n = 0; n < TRIES; n++) {
        const seed = SEED * 1_000_003 + n;
        const next = random(seed);
        let changed = text;
        const kinds: string[] = [];
        for (let changes = 1 + between(next, 3); changes > 0; changes--) {
          const kind = KINDS[between(next, KINDS.length)]!;
          kinds.push(kind);
          changed = CHANGES[kind]!(changed, next, others);
        }
        const what = `${name}, seed ${seed} (${kinds.join(', ')})`;
        const bytes = Buffer.from(changed, 'latin1');
        const before = process.cpuUsage();
        const results = await read(name, bytes);
        const { user } = process.cpuUsage(before);
        assert.ok(user / 1000 < MOST_MS, `${what}: ${user / 1000} ms`);
        const size = JSON.stringify(results).length;
        assert.ok(size < GROWTH * bytes.length + 100_000, `${what}: ${size} bytes of ${bytes.length}`);
        for (const { patents, failed } of results) {
          assert.doesNotMatch(failed?.reason ?? '', /could not read this document/, what);
          for (const patent of patents) isUsable(patent, what);
        }
      }
    });
  }

  it('every reader has a document here', async () => {
    const used = new Set<string>();
    for (const { name, text } of DOCUMENTS) {
      const bytes = Buffer.from(text, 'latin1');
      if (name.includes('kipris-tables')) used.add('kipris-tables');
      else used.add(detectReader(bytes)?.format ?? '');
    }
    // Other formats contain these: weekly files and search answers begin differently.
    assert.deepEqual(
      READERS.map(({ format }) => format).filter((format) => !used.has(format)),
      [],
    );
  });
});
