/**
 * Every index kind against the exact scan, on the offices' own documents: the share of the true ten best documents
 * that an approximate plan finds, and whether the planner selects such a plan when it is faster. Prints the figures.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { leastCosine } from '../../src/embed/calibration.js';
import { mergeSegments } from '../../src/index/merge.js';
import type { NativeSnapshot, Selection } from '../../src/index/native.js';
import { clausesOf, deduplicates } from '../../src/search/filter.js';
import { Folder } from '../../src/search/folder.js';
import { type Plan, type PlanOptions, planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';
import { MANIFEST } from '../../src/store/keys.js';
import type { Manifest } from '../../src/store/manifest.js';
import { Store } from '../../src/store/store.js';
import { noReal, questions, REAL_SOURCES, random } from '../crash/folder.js';
import { type Collection, collect } from '../search/collection.js';
import { type Filters, randomFilter } from '../search/requests.js';
import { embedder } from './questions.js';
import { opened, type Target, written } from './target.js';

const KINDS = ['auto', 'ivf-flat', 'ivf-sq8', 'ivf-sqfp16', 'ivf-pq', 'hnsw-flat', 'hnsw-sq8'];
/** Ways to search by a kind that are not only its index. `auto` builds none for these documents. */
const WAYS: Record<string, readonly NonNullable<PlanOptions['only']>[]> = {
  auto: ['documents'],
  'ivf-pq': ['index', 'codes'],
};
const RECALL = 0.99;
/** With a quarter of them, chance decided: sets of questions with a recall of .994 had .990 to .993. */
const SEARCHES = 960;
const DOCUMENTS = 50;

interface Search {
  vector: Float32Array;
  fields: Filters;
}

/** Wide filters, which suit an index, and random narrow ones. */
const WIDE: Filters[] = [
  {},
  {},
  { include_utility_model: true },
  { countries: ['KR'] },
  { countries: ['US'] },
  { doc_type: 'grant' },
  { doc_type: 'application' },
  { filing_date_from: '2010-01-01' },
  { filing_date_to: '2009-12-31' },
  { publication_date_from: '2005-01-01', publication_date_to: '2014-12-31' },
  { ipc_codes: ['A', 'B', 'C'] },
  { ipc_codes: ['G', 'H'] },
];

async function searchesIn(collection: Collection, count: number, seed: number): Promise<Search[]> {
  const next = random(seed);
  const patents = [...collection.patents.values()];
  const titles = patents
    .flatMap((p) => [p.title, ...Object.values(p.titles ?? {})])
    .filter((t) => t !== undefined);
  const short = questions(94);
  const searches: Search[] = [];
  for (let n = 0; n < count; n++) {
    const from = n % 3 === 0 ? short : titles;
    const text = from[Math.floor(next() * from.length)]!;
    const wide = WIDE[Math.floor(next() * WIDE.length)]!;
    const fields = n % 4 === 3 ? randomFilter(next, patents).fields : wide;
    searches.push({ vector: await embedder.embed([text], 'query'), fields });
  }
  return searches;
}

/** One search by a plan and by an exact scan: recall of the best ten documents, and the plan's figures. */
function compare(target: Target, { vector, fields }: Search, options: PlanOptions = {}) {
  const { entries, snapshot, store } = target;
  const { filters } = parseSemantic({ query: 'any', ...fields });
  const selection = snapshot.select(clausesOf(filters, store));
  const plan = planOf(entries, snapshot.segments, selection, DOCUMENTS, options);
  const exact = planOf(entries, snapshot.segments, selection, DOCUMENTS, { exact: true });
  const wanted = { documents: DOCUMENTS, chunks: 1, dedupe: deduplicates(filters), minScore: -2 };
  const run = (by: Plan) => {
    const started = performance.now();
    const hits = snapshot.search(vector, selection, scansOf(by), wanted);
    return { hits, ms: performance.now() - started };
  };
  const [found, truth] = [run(plan), run(exact)];
  const ten = truth.hits.docs.slice(0, 10);
  // A document with the score of the tenth counts as found.
  const least = truth.hits.scores[ten.length - 1] ?? 0;
  const good = Array.from(found.hits.scores.slice(0, 10)).filter((score) => score >= least).length;
  assert.equal(found.hits.docs.length, truth.hits.docs.length, `documents under ${JSON.stringify(fields)}`);
  return {
    plan,
    recall: ten.length === 0 ? 1 : good / ten.length,
    rescanned: found.hits.rescanned > 0,
    ms: found.ms,
    exactMs: truth.ms,
  };
}

const mean = (values: number[]): number => values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length);

function report(name: string, results: ReturnType<typeof compare>[]): { recall: number; share: number } {
  const planned = results.filter(({ plan }) => !plan.exact);
  const approximate = planned.filter(({ rescanned }) => !rescanned);
  const recall = mean(approximate.map((r) => r.recall));
  const share = planned.length / results.length;
  const ms = mean(approximate.map((r) => r.ms)).toFixed(2);
  const exactMs = mean(approximate.map((r) => r.exactMs)).toFixed(2);
  console.log(
    `${name.padEnd(28)} recall@10 ${recall.toFixed(4)}, ${approximate.length} of ${results.length} by the index ` +
      `(${planned.length - approximate.length} more scanned after all), ${ms} ms, exact ${exactMs} ms`,
  );
  return { recall, share };
}

describe('approximate indexes find what an exact scan finds', { skip: noReal }, () => {
  let collection: Collection;
  let searches: Search[];
  const folders: string[] = [];
  before(async () => {
    collection = await collect([REAL_SOURCES[0]!, REAL_SOURCES[2]!], 'flat');
    searches = await searchesIn(collection, SEARCHES, 21);
  });
  after(() => {
    collection?.remove();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** The same documents in one segment with an index of a kind. */
  async function merged(kind: string): Promise<string> {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-recall-'));
    folders.push(dir);
    cpSync(collection.dir, dir, { recursive: true });
    const store = Store.open(dir);
    store.root.transactionSync(() => {
      const manifest: Manifest = structuredClone(store.manifest());
      store.meta.putSync(MANIFEST, { ...manifest, indexKind: kind });
    });
    store.refresh();
    await mergeSegments(store, { full: true });
    assert.deepEqual(
      store.manifest().segments.map(({ index }) => index?.kind),
      [kind === 'auto' ? undefined : kind],
    );
    await store.close();
    return dir;
  }

  for (const kind of KINDS) {
    it(kind, async () => {
      const folder = new Folder(await merged(kind));
      try {
        const { manifest, native: snapshot } = folder.snapshot();
        const target = { entries: manifest.segments, snapshot, store: folder.store };
        // A search of a graph takes 20 ms.
        const asked = kind.startsWith('hnsw') ? searches.filter((_, n) => n % 4 === 0) : searches;
        // A scan of this small collection is faster than an index, so the planner scans it exactly.
        const planned = asked.map((search) => compare(target, search));
        for (const { plan, recall } of planned) if (plan.exact) assert.equal(recall, 1);
        for (const only of WAYS[kind] ?? (['index'] as const)) {
          const results = asked.map((search) => compare(target, search, { only }));
          const { recall, share } = report(`${kind}, ${only} (${manifest.passages})`, results);
          assert.ok(recall >= RECALL, `recall ${recall}`);
          assert.ok(share > 0.6, `only ${share} of the searches went to the index`);
          countsAreRight(target, asked, { only });
        }
      } finally {
        await folder.close();
      }
    });
  }

  for (const kind of ['ivf-pq']) {
    it(`${kind} is planned for five times the documents, and has the required recall`, async () => {
      const folder = new Folder(collection.dir);
      const dir = mkdtempSync(join(tmpdir(), 'priorart-recall-'));
      folders.push(dir);
      const target = await fiveTimes(folder, dir, kind);
      try {
        const results = searches.map((search) => compare(target, search, { indexKind: kind }));
        const { recall, share } = report(`${kind} (${target.entries[0]!.passages}), as planned`, results);
        assert.ok(recall >= RECALL, `recall ${recall}`);
        assert.ok(share > 0.2, `only ${share} of the searches went to the index`);
        const unfiltered = results.filter((_, n) => Object.keys(searches[n]!.fields).length === 0);
        assert.ok(
          unfiltered.every(({ plan }) => plan.segments[0]?.scan === 'ivf'),
          'an unfiltered search',
        );
      } finally {
        target.snapshot.close();
        await folder.close();
      }
    });
  }
});

/**
 * With an approximate plan a count may miss one in a hundred. The thresholds select a few dozen to some hundred
 * documents, because an index then has to find the end.
 */
function countsAreRight(
  { entries, snapshot, store }: Target,
  searches: readonly Search[],
  options: PlanOptions,
): void {
  let [counted, missed, approximate] = [0, 0, 0];
  for (const { vector, fields } of searches.filter((_, n) => n % 6 === 1)) {
    const { filters } = parseSemantic({ query: 'any', ...fields });
    const selection = snapshot.select(clausesOf(filters, store));
    const plan = planOf(entries, snapshot.segments, selection, 500, {
      counts: options.only === undefined || options.only === 'documents',
      ...options,
    });
    if (plan.exact) continue;
    approximate += 1;
    const at = cosineOfPlace(snapshot, vector, selection, entries.length, 120);
    const total = (by: Plan) =>
      snapshot.count(vector, selection, scansOf(by), {
        ...{ maxResults: 500, dedupe: true, minScore: at, offset: 0, limit: 0 },
        ...{ dateColumn: 'filing_date', axes: [], top: 0 },
        shown: { ...embedder.calibration, decimals: 6 },
      }).total;
    const truth = total(planOf(entries, snapshot.segments, selection, 500, { exact: true }));
    counted += truth;
    missed += Math.abs(truth - total(plan));
  }
  console.log(
    `${' '.repeat(29)}counts over ${approximate} thresholds miss ${missed} of ${counted} documents`,
  );
  assert.ok(missed <= counted * 0.01, `counts miss ${missed} of ${counted}`);
}

/** Score of the document at a rank, or the lowest. */
function cosineOfPlace(
  snapshot: NativeSnapshot,
  vector: Float32Array,
  selection: Selection,
  segments: number,
  place: number,
): number {
  const options = { documents: place, chunks: 1, dedupe: true, minScore: -2 };
  const { scores } = snapshot.search(
    vector,
    selection,
    Array.from({ length: segments }, () => ({})),
    options,
  );
  return scores.at(-1) ?? leastCosine(0.5, embedder.calibration);
}

/**
 * The collection and four variants of it in one segment. Each passage is mixed with one of another document of its
 * country, so that variants have realistic but distinct vectors.
 */
async function fiveTimes(folder: Folder, dir: string, kind: string): Promise<Target> {
  const { native: source, manifest } = folder.snapshot();
  const { dimensions } = manifest.model;
  const documents = [...folder.store.documents.getRange()].flatMap(({ key, value }) => {
    const vectors = source.vectorsOf(key);
    return vectors ? [{ patent: value, vectors }] : [];
  });
  const next = random(5);
  const variants = [documents];
  for (let copy = 1; copy < 5; copy++) {
    variants.push(
      documents.map(({ patent, vectors }, n) => {
        const others = documents.filter((_, other) => other % 97 === n % 97);
        const other =
          others.find((one) => one.patent.country === patent.country && next() < 0.1) ?? others[0]!;
        return {
          patent: {
            ...patent,
            patent_id: `${patent.patent_id}/${copy}`,
            ...(patent.application_number
              ? { application_number: `${patent.application_number}/${copy}` }
              : {}),
          },
          vectors: blended(vectors, other.vectors, dimensions, next),
        };
      }),
    );
  }
  return opened(folder.store, await written(variants.flat(), { dir, dimensions, kind }));
}

/** Rows plus 0.7 times random rows of another document, of unit length. */
function blended(
  rows: Float32Array,
  others: Float32Array,
  dimensions: number,
  next: () => number,
): Float32Array {
  const out = new Float32Array(rows.length);
  for (let at = 0; at < rows.length; at += dimensions) {
    const from = Math.floor(next() * (others.length / dimensions)) * dimensions;
    let sum = 0;
    for (let i = 0; i < dimensions; i++) {
      const x = rows[at + i]! + 0.7 * others[from + i]!;
      out[at + i] = x;
      sum += x * x;
    }
    const length = Math.sqrt(sum) || 1;
    for (let i = 0; i < dimensions; i++) out[at + i]! /= length;
  }
  return out;
}
