/**
 * Damaged copies of a document of every format, plain and in every kind of container: truncated, with flipped bits, in
 * another encoding, or as a decompression bomb. An ingest continues, in bounded time and memory, and reports the damage.
 *
 * `PRIORART_FUZZ=50 node --test dist/test/ingest/damaged-copies.test.js` sets the number of copies of each document for
 * each damage; `PRIORART_FUZZ_SEED` sets the first seed, which is random in continuous integration. A failure names it.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parseUnit, READERS } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import { UNPACK_LIMITS } from '../../src/ingest/unpack.js';
import { random } from '../crash/folder.js';
import { tarOf, zipOf } from './documents.js';

const COPIES = Number(process.env['PRIORART_FUZZ'] ?? 1);
const SEED = Number(process.env['PRIORART_FUZZ_SEED'] ?? (process.env['CI'] ? randomInt(2 ** 20) : 1));
/** Longest that one damaged copy may take, ms of this process's time. */
const MOST_MS = 5_000;
/** Size of the blank part of a file that is blown up, bytes. */
const BLOWN_BYTES = UNPACK_LIMITS.ratioFromBytes + 2_000_000;
/**
 * Bytes that the whole test may add to the process. The largest need is that of one blown-up file: its bytes, its text with
 * two bytes a character, and copies of both. Random seeds take 340 to 380 MB in all; the collector decides how much of it is
 * garbage.
 */
const MOST_BYTES = 16 * BLOWN_BYTES;

interface Document {
  name: string;
  bytes: Buffer;
}

interface Read {
  /** Publications, each as JSON. */
  patents: string[];
  formats: Set<string>;
  /** Everything that was said of what could not be read. */
  reasons: string[];
}

const CONTAINERS: Record<string, (document: Document) => Buffer | Promise<Buffer>> = {
  plain: ({ bytes }) => bytes,
  gzip: ({ bytes }) => gzipSync(bytes),
  zip: ({ name, bytes }) => zipOf({ [name]: bytes }),
  'zip in a zip': ({ name, bytes }) => zipOf({ 'in.zip': zipOf({ [name]: bytes }) }),
  tar: ({ name, bytes }) => tarOf({ [name]: bytes }),
  'tar in gzip': async ({ name, bytes }) => gzipSync(await tarOf({ [name]: bytes })),
};
/** These know by a checksum or a length that a part of them is wrong. */
const CHECKED = new Set(['gzip', 'zip', 'zip in a zip', 'tar in gzip']);

type Damage = (bytes: Buffer, next: () => number) => Buffer;
const below = (next: () => number, most: number): number => Math.floor(next() * most);

const DAMAGES: Record<string, Damage> = {
  truncated: (bytes, next) => bytes.subarray(0, below(next, bytes.length)),
  'with bits flipped': (bytes, next) => {
    const flipped = Buffer.from(bytes);
    for (let flips = 1 + below(next, 4); flips > 0; flips--)
      flipped[below(next, flipped.length)]! ^= 1 << below(next, 8);
    return flipped;
  },
  'with a part missing': (bytes, next) => {
    const at = below(next, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(next, 600))]);
  },
};

const ENCODINGS: Record<string, (bytes: Buffer) => Buffer> = {
  'UTF-16LE with a mark': (bytes) => Buffer.from(`\uFEFF${bytes.toString('utf8')}`, 'utf16le'),
  'UTF-16BE without a mark': (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le').swap16(),
  'UTF-8 encoded twice': (bytes) => Buffer.from(bytes.toString('latin1'), 'utf8'),
  'Latin-1 called UTF-8': (bytes) => Buffer.from(bytes.toString('utf8'), 'latin1'),
};

/** What an ingest of a file reads, and how long it takes of this process's time. */
async function read(path: string): Promise<Read & { ms: number }> {
  const from = process.cpuUsage();
  const found: Read = { patents: [], formats: new Set(), reasons: [] };
  const report = ({ reason }: { reason: string }) => void found.reasons.push(reason);
  for await (const item of openSources([path], { onSkipped: report })) {
    if (isFailure(item)) {
      report(item);
      continue;
    }
    const { patents, skipped, failed } = parseUnit(item.format, item.bytes);
    found.formats.add(item.format);
    found.patents.push(...patents.map((patent) => JSON.stringify(patent)));
    for (const each of failed ? [...skipped, failed] : skipped) report(each);
  }
  const { user, system } = process.cpuUsage(from);
  return { ...found, ms: (user + system) / 1000 };
}

/** What holds of every damaged copy: words for each fault, none of them about a mistake of the code. */
function isSound({ patents, reasons, ms }: Read & { ms: number }, what: string): void {
  assert.ok(ms < MOST_MS, `${what}: ${ms} ms`);
  for (const reason of reasons) {
    assert.ok(reason.length > 5 && reason.length < 5_000, `${what}: ${reason.slice(0, 200)}`);
    assert.doesNotMatch(reason, /could not read this document|undefined|\[object|TypeError|RangeError/, what);
  }
  for (const patent of patents) assert.match(patent, /^\{"patent_id":"(?:US|KR|JP|CN|EP)/, what);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const folder = mkdtempSync(join(tmpdir(), 'priorart-damaged-'));
const FIXTURES = resolve('fixtures');

/** A small document of each format. Tables are a folder of files, of which one is damaged. */
async function documents(): Promise<Map<string, Document>> {
  const found = new Map<string, Document>();
  const paths = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !/golden|damaged|kipris-tables|\.tiff?$|\.png$/i.test(join(entry.parentPath, entry.name)),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of paths) {
    const { formats } = await read(path);
    const stored = readFileSync(path);
    const bytes = stored[0] === 0x1f ? gunzipSync(stored) : stored;
    for (const format of formats) {
      const other = found.get(format);
      if (!other || bytes.length < other.bytes.length) found.set(format, { name: `${format}.in`, bytes });
    }
  }
  return found;
}

describe(`damaged copies (PRIORART_FUZZ_SEED=${SEED})`, () => {
  let all: Map<string, Document>;
  let memory: number;
  before(async () => {
    all = await documents();
    memory = process.resourceUsage().maxRSS * 1024;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const put = (name: string, bytes: Buffer): string => {
    const path = join(folder, name.replaceAll(/\W/g, '-'));
    writeFileSync(path, bytes);
    return path;
  };

  it('are made of a document of every format', () => {
    const lacking = READERS.map(({ format }) => format).filter((format) => !all.has(format));
    // Its units are joined from several files of a folder: readers/fuzz.test.ts damages these.
    assert.deepEqual(lacking, ['kipris-tables']);
  });

  for (const [container, pack] of Object.entries(CONTAINERS)) {
    for (const [damage, harm] of Object.entries(DAMAGES)) {
      it(`${container}, ${damage}`, async () => {
        let seed = SEED * 1_000_003;
        for (const [format, document] of all) {
          const packed = await pack(document);
          const sound = await read(put('sound', packed));
          assert.ok(sound.formats.has(format), `${format} in ${container} is read`);
          for (let copy = 0; copy < COPIES; copy++) {
            const harmed = harm(packed, random(++seed));
            const what = `${format} in ${container}, ${damage}, copy ${copy} of seed ${SEED}`;
            const found = await read(put('harmed', harmed));
            isSound(found, what);
            if (!CHECKED.has(container) || harmed.length === 0) continue;
            const isLess = sound.patents.some((patent) => !found.patents.includes(patent));
            const isSaid = found.reasons.some((reason) => !sound.reasons.includes(reason));
            assert.ok(!isLess || isSaid, `${what}: lost with no error message`);
          }
        }
      });
    }
  }

  for (const [encoding, encode] of Object.entries(ENCODINGS)) {
    it(`in another encoding: ${encoding}`, async () => {
      for (const [format, document] of all) {
        const found = await read(put('encoded', encode(document.bytes)));
        isSound(found, `${format} in ${encoding}`);
        const isQuiet = found.patents.length === 0 && found.reasons.length === 0;
        assert.ok(!isQuiet, `${format} in ${encoding}: nothing is read, and nothing said`);
      }
    });
  }

  it('that are blown up', { timeout: 120_000 }, async () => {
    const much = Buffer.alloc(BLOWN_BYTES, ' ');
    for (const [format, { name, bytes }] of all) {
      // The last test counts what one file takes, not the garbage of those before it, which differs from run to run.
      collectGarbage();
      const half = Math.floor(bytes.length / 2);
      const blown = gzipSync(Buffer.concat([bytes.subarray(0, half), much, bytes.subarray(half)]), {
        level: 1,
      });
      const found = await read(put(`${name}.gz`, blown));
      isSound(found, `${format}, blown up`);
      assert.ok(found.reasons.length + found.patents.length > 0, `${format}, blown up: nothing is said`);
    }
  });

  it('take bounded memory', () => {
    const added = process.resourceUsage().maxRSS * 1024 - memory;
    assert.ok(added < MOST_BYTES, `${Math.round(added / 1e6)} MB more`);
  });
});
