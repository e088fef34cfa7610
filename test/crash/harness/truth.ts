/**
 * Whether a folder holds what it must: by `check`, by its records, and by answers that are compared with those of a
 * model in memory, which knows nothing of segments.
 */
import { AccessStore } from '../../../src/access/store.js';
import { contentOf, LocalDrawings } from '../../../src/drawings/files.js';
import { calibrationFor, shown, similarity } from '../../../src/embed/calibration.js';
import { type Engine, open } from '../../../src/engine.js';
import { checkFolder } from '../../../src/index/check.js';
import { passagesOf } from '../../../src/ingest/passages.js';
import { loadModels } from '../../../src/models/load.js';
import { titlesOf } from '../../../src/patent/record.js';
import type { SearchResponse } from '../../../src/search/types.js';
import { Store } from '../../../src/store/store.js';
import { image, type Known, POOL, patent, type State } from './workload.js';

const { embedder } = await loadModels();
const idOf = new Map(Array.from({ length: POOL }, (_, n) => [n, patent(n, 1).patent_id]));
const numberOf = new Map([...idOf].map(([n, id]) => [id, n]));

/** Nearest half-precision number, ties to even. */
function half(x: number): number {
  if (x === 0) return 0;
  const step = 2 ** Math.max(-24, Math.floor(Math.log2(Math.abs(x))) - 10);
  const steps = x / step;
  const down = Math.floor(steps);
  const up = steps - down > 0.5 || (steps - down === 0.5 && down % 2 !== 0);
  return (up ? down + 1 : down) * step;
}

const vectors = new Map<string, Float64Array[]>();

/** Vectors of a publication's passages as they are stored. */
async function vectorsOf(n: number, version: number): Promise<Float64Array[]> {
  const key = `${n} ${version}`;
  const known = vectors.get(key);
  if (known) return known;
  const record = patent(n, version);
  const texts = passagesOf(record).map(({ text }) => text);
  const all = await embedder.embed(texts, 'passage', titlesOf(record));
  const { dimensions } = embedder;
  const rows = texts.map((_, at) =>
    Float64Array.from(all.subarray(at * dimensions, (at + 1) * dimensions), half),
  );
  vectors.set(key, rows);
  return rows;
}

/** The similarity of each publication to a question, as it is shown. */
export async function similarities(state: State, query: string): Promise<Map<string, number>> {
  const asked = await embedder.embed([query], 'query');
  const scores = new Map<string, number>();
  for (const [n, version] of state) {
    const rows = await vectorsOf(n, version);
    const best = Math.max(...rows.map((row) => row.reduce((sum, x, at) => sum + x * asked[at]!, 0)));
    scores.set(idOf.get(n)!, shown(similarity(best, calibrationFor(embedder, asked))));
  }
  return scores;
}

/** Sums in single precision in another order differ in the last digit shown. */
const TOLERANCE = 3e-6;

/** What is wrong with an answer over a known state: a score, an order, a text of another version, a document left out. */
export function faultOfAnswer(
  { results }: SearchResponse,
  state: State,
  scores: ReadonlyMap<string, number>,
  wanted: { top: number; exact: boolean },
): string | undefined {
  for (const { patent_id: id, title, similarity_score: score, chunks } of results) {
    const expected = scores.get(id);
    const n = numberOf.get(id);
    if (expected === undefined || n === undefined) return `${id} is not there`;
    if (Math.abs(expected - score) > TOLERANCE) return `${id} has ${score}, expected ${expected}`;
    const version = state.get(n)!;
    const record = patent(n, version);
    const texts = passagesOf(record).map(({ text }) => text);
    if (title !== record.title) return `${id} has another version's title: ${title}`;
    if (chunks.some(({ text }) => !texts.includes(text))) return `${id} has a text of another version`;
  }
  if (new Set(results.map(({ patent_id: id }) => id)).size < results.length)
    return 'a document is there twice';
  if (!wanted.exact) return undefined;
  const best = [...scores.values()].sort((a, b) => b - a).slice(0, wanted.top);
  if (best.length !== results.length) return `${results.length} results, expected ${best.length}`;
  for (const [at, { similarity_score: score }] of results.entries()) {
    if (Math.abs(score - best[at]!) > TOLERANCE) return `result ${at + 1} has ${score}, expected ${best[at]}`;
  }
  return undefined;
}

const TOP = 20;

async function faultOfSearches(
  engine: Engine,
  state: State,
  queries: readonly string[],
): Promise<string | undefined> {
  for (const query of queries) {
    const scores = await similarities(state, query);
    for (const exact of [true, false]) {
      const answer = await engine.search({ query, top_k: TOP }, { exact, rerank: false });
      const fault = faultOfAnswer(answer, state, scores, { top: TOP, exact });
      if (fault) return `searching "${query.slice(0, 40)}"${exact ? '' : ' with the indexes'}: ${fault}`;
    }
  }
  return undefined;
}

/** The publications of a folder, each in the version that its texts are of. */
export function stateOf(store: Store): State {
  const state = new Map<number, number>();
  for (const { key, value } of store.documents.getRange()) {
    const n = numberOf.get(value.patent_id);
    const version = Number(/revision (\d+)/.exec(value.title ?? '')?.[1]);
    if (n === undefined || Number.isNaN(version))
      throw new Error(`${value.patent_id} is none of the harness's`);
    const record = patent(n, version);
    const body = store.bodies.get(key);
    const whole =
      value.title === record.title &&
      body?.abstract === record.abstract &&
      body?.claims?.[0]?.text === record.claims?.[0]?.text;
    if (!whole) throw new Error(`${value.patent_id} is half of one version and half of another`);
    state.set(n, version);
  }
  return state;
}

/** Whether each publication is in one of two states. */
function faultOfState(found: State, certain: State, maybe: State): string | undefined {
  for (let n = 0; n < POOL; n++) {
    const [is, was, may] = [found.get(n), certain.get(n), maybe.get(n)];
    if (is !== was && is !== may) {
      return `publication ${n} is of version ${is ?? '-'}; version ${was ?? '-'} was certain, ${may ?? '-'} possible`;
    }
  }
  return undefined;
}

async function faultOfRest(dir: string, { images, keys }: Known): Promise<string | undefined> {
  const files = new LocalDrawings(dir);
  for (const n of images) {
    const fault = await files.fault(contentOf(image(n)));
    if (fault) return `drawing ${n}: ${fault}`;
  }
  if (keys.size === 0) return undefined;
  const access = AccessStore.open(`${dir}/access`, { create: false });
  try {
    const there = new Map(access.list().map((key) => [key.id, key.state]));
    for (const [id, state] of keys) {
      const found = there.get(id);
      if (found !== state && found !== 'deactivated') return `key ${id} is ${found ?? 'lost'}, was ${state}`;
    }
    return undefined;
  } finally {
    await access.close();
  }
}

/** What is wrong with a folder, or the state it is in; undefined where there is none and none is needed. */
export async function verify(
  dir: string,
  known: Known,
  maybe: State,
  queries: readonly string[],
): Promise<{ fault: string } | { state: State }> {
  let store: Store | undefined;
  try {
    store = await Store.openIfThere(dir);
    if (store === undefined) {
      if (known.documents.size > 0) return { fault: 'the index is gone' };
    } else {
      const { problems } = await checkFolder(store);
      const bad = problems.filter(({ kind }) => kind !== 'leftover');
      if (bad.length > 0) return { fault: bad.map(({ where, reason }) => `${where}: ${reason}`).join('; ') };
    }
    const state = store ? stateOf(store) : new Map<number, number>();
    const wrong = faultOfState(state, known.documents, maybe) ?? (await faultOfRest(dir, known));
    if (wrong) return { fault: wrong };
    if (store) {
      const engine = await open(dir, { workers: 0 });
      try {
        const fault = await faultOfSearches(engine, state, queries);
        if (fault) return { fault };
      } finally {
        await engine.close();
      }
    }
    return { state };
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    await store?.close();
  }
}
