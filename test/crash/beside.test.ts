/** Several processes in one folder at once: ingests, a server, deletions, merges. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Engine, open } from '../../src/engine.js';
import { mergeSegments } from '../../src/index/merge.js';
import type { SearchResponse } from '../../src/search/types.js';
import { MANIFEST } from '../../src/store/keys.js';
import { Store } from '../../src/store/store.js';
import { MODEL } from '../store/folder.js';
import {
  CLI,
  checked,
  documentsOf,
  exactAnswers,
  FIXTURES,
  invented,
  launch,
  priorart,
  questions,
  temporary,
  writeLines,
} from './folder.js';

const INGEST = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const SMALL = JSON.stringify({ segmentPassages: 80, indexFrom: 600 });

test('two ingests of the same files at once store each document once', async (t) => {
  const root = temporary(t);
  const [alone, both] = [join(root, 'alone'), join(root, 'both')];
  const file = writeLines(join(root, 'a.jsonl'), invented(900));
  assert.equal((await launch(INGEST, [alone, '{}', file]).ended).code, 0);
  const ends = await Promise.all([1, 2].map(() => launch(INGEST, [both, SMALL, file]).ended));
  const counts = ends.map(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { ingested: number; updated: number; unchanged: number };
  });
  assert.equal(counts[0]!.ingested + counts[1]!.ingested, 900);
  assert.equal(counts[0]!.unchanged + counts[1]!.unchanged, 900);
  assert.equal(counts[0]!.updated + counts[1]!.updated, 0);
  assert.deepEqual((await checked(both))?.problems, []);
  assert.deepEqual(await documentsOf(both), await documentsOf(alone));
  const queries = invented(30, 9).map(({ abstract }) => abstract!);
  assert.deepEqual(await exactAnswers(both, queries), await exactAnswers(alone, queries));
});

test('several processes that create one folder at once all succeed', async (t) => {
  const root = temporary(t);
  for (let round = 0; round < 6; round++) {
    const data = join(root, `${round}`);
    const ends = await Promise.all([1, 2, 3].map(() => launch(INGEST, [data, '{}']).ended));
    for (const { code, stderr } of ends) assert.equal(code, 0, stderr);
    assert.deepEqual((await checked(data))?.problems, []);
  }
});

test('a folder whose creation was interrupted is completed', async (t) => {
  const data = join(temporary(t), 'data');
  await Store.openOrCreate(data, MODEL, 'auto').close();
  const store = Store.open(data);
  store.meta.removeSync(MANIFEST);
  await store.close();
  await assert.rejects(open(data, { workers: 0 }), { code: 'no_data' });
  const engine = await open(data, { create: true, workers: 0 });
  assert.equal((await engine.coverage()).total, 0);
  await engine.close();
});

test('two ingests of different files, with deletions at once, lose nothing', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const files = [1, 2].map((seed) => writeLines(join(root, `${seed}.jsonl`), invented(900, seed)));
  const extra = invented(40, 3);
  assert.equal((await launch(INGEST, [data, SMALL, writeLines(join(root, '3.jsonl'), extra)]).ended).code, 0);
  const ingests = files.map((file) => launch(INGEST, [data, SMALL, file]).ended);
  const engine = await open(data, { workers: 0 });
  for (const [n, { patent_id }] of extra.entries()) {
    assert.deepEqual((await engine.delete([patent_id])).deleted, [patent_id]);
    // A check during these changes finds no fault.
    const report = n % 4 === 0 ? await checked(data) : undefined;
    assert.deepEqual(report?.problems.filter(({ kind }) => kind !== 'leftover') ?? [], []);
    await new Promise((done) => setTimeout(done, 20));
  }
  await engine.close();
  for (const { code, stderr } of await Promise.all(ingests)) assert.equal(code, 0, stderr);
  const report = await checked(data);
  assert.deepEqual([report?.problems, report?.documents], [[], 1800]);
  const expected = [...invented(900, 1), ...invented(900, 2)].map(({ patent_id }) => patent_id);
  assert.deepEqual([...(await documentsOf(data)).keys()], expected.toSorted());
});

/** `priorart serve` in a separate process. */
async function served(data: string): Promise<{ url: string; key: string; stop(): Promise<number | null> }> {
  const args = ['serve', '--data', data, '--port', '0', '--demo', '--workers', '2', '--log-level', 'error'];
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const { url, key } = await new Promise<{ url: string; key: string }>((done, fail) => {
    child.stdout.on('data', (text) => (said += String(text)));
    child.stderr.on('data', (text) => {
      said += String(text);
      const at = /at (http:\S+)/.exec(said)?.[1];
      const secret = /key\s+(psk_\w+)/.exec(said)?.[1];
      if (at && secret && said.includes('stop')) done({ url: at, key: secret });
    });
    void ended.then((code) => fail(new Error(`the server ended with ${code}: ${said}`)));
  });
  return {
    url,
    key,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

test('an ingest beside a server: no request fails, and the next search finds its documents', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  assert.equal((await priorart('ingest', '--data', data, ...FIXTURES)).code, 0);
  const server = await served(data);
  t.after(() => server.stop());
  const found = async (query: string): Promise<SearchResponse> => {
    const answer = await fetch(`${server.url}/api/v1/search/semantic`, {
      method: 'POST',
      headers: { 'X-API-Key': server.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, top_k: 5 }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text) as SearchResponse;
  };
  // Large enough that LMDB's map grows during the run, and that segments in use are merged.
  const patents = invented(2500, 4);
  const file = writeLines(join(root, 'new.jsonl'), patents);
  let running = true;
  const queries = questions(20);
  let requests = 0;
  const client = async () => {
    // Below the limit of 60 per minute of the service's only key.
    for (let n = 0; running && requests < 45; n++) {
      assert.ok((await found(queries[n % queries.length]!)).total > 0);
      requests += 1;
      await new Promise((done) => setTimeout(done, 60));
    }
  };
  const clients = [client(), client()];
  const ingest = await launch(INGEST, [data, SMALL, file]).ended;
  const finished = performance.now();
  assert.equal(ingest.code, 0, ingest.stderr);
  const wanted = patents.at(-1)!;
  const { results } = await found(`${wanted.title} ${wanted.abstract}`);
  const shown = performance.now() - finished;
  assert.ok(
    results.some(({ patent_id }) => patent_id === wanted.patent_id),
    `expected ${wanted.patent_id} among the results: ${results.map(({ patent_id }) => patent_id)}`,
  );
  running = false;
  await Promise.all(clients);
  t.diagnostic(
    `${requests} requests during an ingest of ${Math.round(ingest.ms)} ms; found ${Math.round(shown)} ms after it`,
  );
  assert.equal(await server.stop(), 0);
  assert.deepEqual((await checked(data))?.problems, []);
});

/** All parts of a result have one version, which title and chunks state. */
function versionsIn({ results }: SearchResponse): Map<string, number> {
  const found = new Map<string, number>();
  for (const { patent_id, title, chunks } of results) {
    const spoken = [title, ...chunks.map(({ text }) => text)].flatMap((text) =>
      [...text.matchAll(/revision (\d+)/g)].map((match) => Number(match[1])),
    );
    assert.equal(new Set(spoken).size, 1, `${patent_id} speaks of revisions ${spoken}`);
    assert.equal(found.has(patent_id), false, `${patent_id} occurs twice`);
    found.set(patent_id, spoken[0]!);
  }
  return found;
}

test('searches during replacements, deletions and merges return only current documents', async (t) => {
  const root = temporary(t);
  const data = join(root, 'data');
  const COUNT = 150;
  const versions = 5;
  const files = Array.from({ length: versions }, (_, n) =>
    writeLines(join(root, `${n + 1}.jsonl`), invented(COUNT, 1, n + 1)),
  );
  const engine: Engine = await open(data, { create: true, workers: 2 });
  t.after(() => engine.close());
  await engine.ingest(files[0]!);
  const ids = invented(COUNT).map(({ patent_id }) => patent_id);

  let running = true;
  /** Minimum versions at a moment: a search that starts later must not return older ones. */
  let committed = 1;
  const deleted = new Set<string>();
  let searches = 0;
  const texts = Array.from({ length: versions }, (_, n) => invented(COUNT, 1, n + 1)).flat();
  const searcher = async (offset: number) => {
    for (let n = offset; running; n += 7) {
      const [least, gone] = [committed, new Set(deleted)];
      const query = texts[(n * 31) % texts.length]!.abstract!;
      const seen = versionsIn(await engine.search({ query, top_k: 50 }, { exact: n % 2 === 0 }));
      searches += 1;
      assert.ok(seen.size > 0);
      for (const [id, version] of seen) {
        assert.ok(version >= least, `${id} of revision ${version} after revision ${least} was committed`);
        assert.ok(!gone.has(id), `${id} was deleted`);
      }
    }
  };
  const searchers = [0, 1, 2, 3].map(searcher);
  for (const end of searchers) end.catch(() => {}); // Reported by the final await.
  const merger = (async () => {
    const store = Store.open(data);
    while (running) {
      await mergeSegments(store, { full: true, indexFrom: 200 });
      await new Promise((done) => setTimeout(done, 5));
    }
    await store.close();
  })();
  try {
    for (let version = 2; version <= versions; version++) {
      const options = { segmentPassages: 50, indexFrom: 200 };
      const { updated } = await engine.ingest(files[version - 1]!, options);
      assert.equal(updated, COUNT);
      committed = version;
    }
    // One deletion at a time: after it resolves, no search may return the document.
    for (const id of ids.slice(0, 60)) {
      assert.deepEqual((await engine.delete([id])).deleted, [id]);
      deleted.add(id);
      await new Promise((done) => setTimeout(done, 5));
    }
  } finally {
    running = false;
    await Promise.all([...searchers, merger]);
  }
  t.diagnostic(`${searches} searches`);
  assert.ok(searches > 50, `${searches}`);
  const report = await checked(data);
  assert.deepEqual([report?.problems, report?.documents], [[], COUNT - 60]);
});
