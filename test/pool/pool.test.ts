import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, open, serverPort } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { repairFolder } from '../../src/index/repair.js';
import { folderThreads } from '../../src/pool/folder-thread.js';
import { Inline, Pool } from '../../src/pool/pool.js';
import type { Question } from '../../src/pool/tasks.js';
import { parseSemantic } from '../../src/search/query.js';
import { Store } from '../../src/store/store.js';
import { invented, random, temporary, writeLines } from '../crash/folder.js';
import { commit, derivation, MODEL, newStore } from '../store/folder.js';

const CHOICE = { opened: MODEL };
const PATENTS = invented(600);
const question = (text: string) => ({
  kind: 'semantic' as const,
  query: { ...parseSemantic({ query: text, top_k: 20 }), exact: true },
});
const codeOf = (error: unknown) => (isPriorartError(error) ? error.code : String(error));

describe('pool', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-pool-'));
  let pool: Pool;
  before(async () => {
    const store = newStore(dir);
    await commit(store, PATENTS);
    await store.close();
    pool = new Pool(folderThreads({ dir, choice: CHOICE }), 2, 4);
  });
  after(async () => {
    await pool.close();
    rmSync(dir, { recursive: true });
  });

  /** Both workers answer, so no slot was lost. */
  async function allAnswer(by = pool): Promise<void> {
    const texts = PATENTS.slice(0, 6).map(({ abstract }) => abstract!);
    const answers = await Promise.all(texts.map((text) => by.ask(question(text))));
    answers.forEach(({ json }, n) => {
      const { results } = JSON.parse(Buffer.from(json).toString()) as {
        results: { patent_id: string; similarity_score: number }[];
      };
      const nearest = results.reduce((best, hit) =>
        hit.similarity_score > best.similarity_score ? hit : best,
      );
      assert.equal(nearest.patent_id, PATENTS[n]!.patent_id);
    });
    assert.equal(by.waiting, 0);
  }

  test('an exception inside a worker fails its request only', async () => {
    const broken = { kind: 'details', query: undefined } as unknown as Question;
    const asked = [
      pool.ask(broken),
      pool.ask(question('valve')),
      pool.ask(broken),
      pool.ask(question('lens')),
    ];
    const ends = await Promise.allSettled(asked);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
    );
    for (const end of ends) if (end.status === 'rejected') assert.equal(codeOf(end.reason), 'internal');
    await allAnswer();
  });

  test('a question that cannot be sent to a worker fails alone', async () => {
    const uncloneable = { kind: 'details', query: { patentIds: () => [] } } as unknown as Question;
    await assert.rejects(pool.ask(uncloneable), (error) => codeOf(error) === 'internal');
    await allAnswer();
  });

  test('an abort before, during the wait and during the run is cancelled, and the worker continues', async () => {
    await assert.rejects(pool.ask(question('valve'), { signal: AbortSignal.abort() }), { code: 'cancelled' });
    const controllers = Array.from({ length: 6 }, () => new AbortController());
    const asked = controllers.map(({ signal }, n) => pool.ask(question(PATENTS[n]!.abstract!), { signal }));
    assert.equal(pool.waiting, 4);
    for (const controller of controllers) controller.abort();
    const ends = await Promise.allSettled(asked);
    assert.deepEqual(
      ends.map((end) => (end.status === 'rejected' ? codeOf(end.reason) : end.status)),
      controllers.map(() => 'cancelled'),
    );
    await allAnswer();
  });

  test("requests beyond the queue's limit are refused at once, with Retry-After", async () => {
    // More may wait if the last requests were quick; a new pool does not know.
    const fresh = new Pool(folderThreads({ dir, choice: CHOICE }), 2, 4);
    const asked = Array.from({ length: 14 }, () => fresh.ask(question('battery')));
    const ends = await Promise.allSettled(asked);
    await allAnswer(fresh);
    await fresh.close();
    const refused = ends.filter((end) => end.status === 'rejected').map((end) => end.reason as unknown);
    assert.equal(refused.length, 4);
    for (const error of refused) {
      assert.ok(
        isPriorartError(error) && error.code === 'overloaded' && error.retryAfter! > 0,
        String(error),
      );
    }
  });

  test('1,000 searches with random aborts leave no slot occupied', async (t) => {
    const seed = 31;
    const next = random(seed);
    t.diagnostic(`seed ${seed}`);
    const ends = new Map<string, number>();
    let asked = 0;
    const client = async () => {
      while (asked++ < 1000) {
        const controller = new AbortController();
        const timer = next() < 0.6 ? setTimeout(() => controller.abort(), next() * 4) : undefined;
        const text = PATENTS[Math.floor(next() * 600)]!.abstract!;
        const end = await pool
          .ask(question(text), { signal: controller.signal })
          .then(() => 'answered', codeOf);
        ends.set(end, (ends.get(end) ?? 0) + 1);
        clearTimeout(timer);
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    t.diagnostic(JSON.stringify(Object.fromEntries(ends)));
    assert.deepEqual([...ends.keys()].toSorted(), ['answered', 'cancelled']);
    await allAnswer();
  });
});

/** Position of the numbers of a section in a segment file, whose layout native/core/src/file.rs documents. */
function sectionOffset(bytes: Buffer, wanted: string): number {
  const footer = bytes.length - 40;
  for (let at = Number(bytes.readBigUInt64LE(footer + 8)); at < footer; ) {
    const length = bytes.readUInt16LE(at);
    const name = bytes.toString('utf8', at + 2, at + 2 + length);
    if (name === wanted) return Number(bytes.readBigUInt64LE(at + 2 + length));
    at += 2 + length + 16;
  }
  throw new Error(`no section ${wanted}`);
}

test('a damaged file fails the requests that need it; after a repair the same workers answer', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS.slice(0, 20));
  const path = join(store.segmentDir(store.manifest().segments[0]!.id), 'segment.bin');
  const bytes = readFileSync(path);
  // The first row of the sixth document becomes too large; opening checks the last entry only.
  bytes.writeUInt32LE(0x0fff_fff0, sectionOffset(bytes, 'row_at') + 4 * 5);
  rmSync(path);
  writeFileSync(path, bytes);
  await store.close();

  const pool = new Pool(folderThreads({ dir, choice: CHOICE }), 2, 8);
  t.after(() => pool.close());
  for (let n = 0; n < 4; n++) {
    await assert.rejects(pool.ask(question('valve')), (error) => {
      assert.ok(isPriorartError(error), `expected a PriorartError: ${error}`);
      assert.match(error.message, /priorart check/);
      return true;
    });
  }
  const details: Extract<Question, { kind: 'details' }> = {
    kind: 'details',
    query: { patentIds: [PATENTS[2]!.patent_id], sections: ['title'] },
  };
  assert.ok((await pool.ask(details)).json instanceof Uint8Array);
  const mending = Store.open(dir);
  assert.deepEqual((await repairFolder(mending, derivation)).problems, []);
  await mending.close();
  for (let n = 0; n < 4; n++) assert.ok((await pool.ask(question('valve'))).json instanceof Uint8Array);
});

for (const workers of [0, 2]) {
  describe(`closing an engine with ${workers} workers`, () => {
    async function engine(dir: string): Promise<Engine> {
      const made = await open(dir, { workers, create: true });
      return made;
    }

    test('pending searches are answered, later ones refused', async (t) => {
      const dir = temporary(t);
      const store = newStore(dir);
      await commit(store, PATENTS.slice(0, 200));
      await store.close();
      const opened = await engine(dir);
      const asked = PATENTS.slice(0, 40).map(({ abstract }) => opened.search({ query: abstract! }));
      const closing = opened.close();
      await assert.rejects(opened.search({ query: 'late' }), { code: 'unavailable' });
      await assert.rejects(serverPort(opened).searchBody(parseSemantic({ query: 'late' }), {}), {
        code: 'unavailable',
      });
      const answers = await Promise.all(asked);
      assert.ok(
        answers.every(({ total }) => total > 0),
        `expected results of each search: ${answers.map(({ total }) => total)}`,
      );
      await closing;
      await opened.close();
      assert.equal(serverPort(opened).ready().ready, false);
    });

    test('a running ingest is stopped; its commits are complete, the next run ingests the rest', async (t) => {
      const dir = temporary(t);
      const file = writeLines(join(dir, 'a.jsonl'), invented(1500));
      const opened = await engine(join(dir, 'data'));
      const ingest = opened.ingest(file, { segmentPassages: 100, indexFrom: 500 });
      ingest.catch(() => {});
      await delay(300);
      await opened.close();
      const end = await ingest.then(
        () => 'done',
        (error) => codeOf(error),
      );
      assert.ok(['done', 'unavailable'].includes(end), end);
      const again = await engine(join(dir, 'data'));
      const summary = await again.ingest(file);
      assert.equal(summary.documents, 1500);
      t.diagnostic(`${end}; ${summary.unchanged} were unchanged`);
      assert.equal((await again.coverage()).total, 1500);
      await again.close();
    });

    test('an aborted ingest rejects as cancelled and can be resumed', async (t) => {
      const dir = temporary(t);
      const file = writeLines(join(dir, 'a.jsonl'), invented(1500));
      const opened = await engine(join(dir, 'data'));
      t.after(() => opened.close());
      const controller = new AbortController();
      const options = { segmentPassages: 100, signal: controller.signal };
      const ingest = opened.ingest(file, {
        ...options,
        onProgress: ({ documents }) => documents > 200 && controller.abort(),
      });
      await assert.rejects(ingest, { code: 'cancelled' });
      const { unchanged, ingested } = await opened.ingest(file);
      assert.ok(unchanged > 0 && ingested > 0 && unchanged + ingested === 1500, `${unchanged} + ${ingested}`);
    });
  });
}

test('an engine without workers answers on its own thread, in sequence', async (t) => {
  const dir = temporary(t);
  const store = newStore(dir);
  await commit(store, PATENTS.slice(0, 50));
  await store.close();
  const inline = new Inline(folderThreads({ dir, choice: CHOICE }));
  const controller = new AbortController();
  const asked = [inline.ask(question('valve')), inline.ask(question('lens'), controller)];
  controller.abort();
  const ends = await Promise.allSettled(asked);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await inline.close();
  await assert.rejects(inline.ask(question('valve')), { code: 'unavailable' });
});
