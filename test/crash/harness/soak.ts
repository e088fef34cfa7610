/**
 * Searches beside ingests, replacements, deletions and merges, for a while. Every answer is compared with a model in
 * memory: of what was certain before the search began nothing may be missing, and nothing may be shown that was not
 * possible at some moment of it.
 */
import { join } from 'node:path';
import { type Engine, open } from '../../../src/engine.js';
import { mergeSegments } from '../../../src/index/merge.js';
import type { SearchResponse } from '../../../src/search/types.js';
import { Store } from '../../../src/store/store.js';
import { writeLines } from '../folder.js';
import { Finding, type PartOptions, type PartResult, random } from './part.js';
import { similarities, verify } from './truth.js';
import { after, NOTHING, type Operation, operations, patent, SMALL, type State } from './workload.js';

/** Searches that run at once. */
const CLIENTS = 2;
const TOP = 100;

/** All states of the index that a search may have seen: from the last that was certain to the one that is coming. */
class Model {
  /** States in their order; the last one may be on its way. */
  readonly #states: State[] = [new Map()];
  #certain = 0;

  begin(operation: Operation): void {
    this.#states.push(after(this.#states.at(-1)!, operation));
  }

  done(): void {
    this.#certain = this.#states.length - 1;
  }

  get certain(): number {
    return this.#certain;
  }

  get newest(): number {
    return this.#states.length - 1;
  }

  at(n: number): State {
    return this.#states[n]!;
  }
}

export interface SoakOptions extends PartOptions {
  /** How long it runs; `cases` is not looked at. */
  seconds: number;
}

export async function soak(options: SoakOptions): Promise<PartResult> {
  const finding = new Finding('soak', options);
  const next = random(options.seed);
  const dir = join(options.root, 'data');
  const model = new Model();
  const engine = await open(dir, { create: true, workers: CLIENTS, queuePerWorker: 100 });
  const file = join(options.root, 'new.jsonl');
  try {
    await write(
      engine,
      model,
      { kind: 'put', docs: Array.from({ length: 40 }, (_, n) => n), version: 1 },
      file,
    );
    const share = options.seconds * 0.2;
    const idle = await searchFor(share, engine, model, finding, next, () => 0);
    const end = performance.now() + (options.seconds - share) * 1000;
    let running = true;
    const fresh: number[] = [];
    const writer = writeUntil(end, { engine, model, file, next, fresh, finding }).finally(() => {
      running = false;
    });
    const busy = await searchFor(Number.POSITIVE_INFINITY, engine, model, finding, next, () =>
      running ? 0 : 1,
    );
    await writer;
    const all = { known: { ...NOTHING, documents: model.at(model.newest) } };
    const found = await verify(dir, all.known, all.known.documents, [patent(1, 1).abstract!]);
    if ('fault' in found) finding.fault(`in the end: ${found.fault}`);
    for (const [what, times] of Object.entries({ idle, busy, fresh })) {
      finding.count(`p50 ${what}, µs`, Math.round(1000 * quantile(times, 0.5)));
      finding.count(`p99 ${what}, µs`, Math.round(1000 * quantile(times, 0.99)));
      finding.count(`longest ${what}, µs`, Math.round(1000 * Math.max(0, ...times)));
    }
  } finally {
    await engine.close();
  }
  return finding.result();
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function write(engine: Engine, model: Model, operation: Operation, file: string): Promise<void> {
  model.begin(operation);
  if (operation.kind === 'put') {
    writeLines(
      file,
      operation.docs.map((n) => patent(n, operation.version)),
    );
    await engine.ingest(file, { ...SMALL, drawings: false });
  } else if (operation.kind === 'delete') {
    await engine.delete(operation.docs.map((n) => patent(n, 1).patent_id));
  } else if (operation.kind === 'merge') {
    const store = Store.open(engine.dir);
    await mergeSegments(store, { full: operation.full, indexFrom: SMALL.indexFrom });
    await store.close();
  }
  model.done();
}

interface Writing {
  engine: Engine;
  model: Model;
  file: string;
  next: () => number;
  /** ms from an acknowledged ingest to an answer that holds it. */
  fresh: number[];
  finding: Finding;
}

/** Does operations one after another, and after each ingest asks for what came in until it is found. */
async function writeUntil(
  end: number,
  { engine, model, file, next, fresh, finding }: Writing,
): Promise<void> {
  for (let version = 2; performance.now() < end; version++) {
    const [operation] = operations(1, next, version) as [Operation];
    if (operation.kind === 'draw' || operation.kind === 'key') continue;
    await write(engine, model, operation, file);
    finding.count(`${operation.kind}s`);
    if (operation.kind !== 'put') continue;
    const wanted = patent(operation.docs[0]!, operation.version);
    const began = performance.now();
    const { results } = await engine.search({ query: wanted.abstract! }, { exact: true, rerank: false });
    fresh.push(performance.now() - began);
    if (!results.some(({ patent_id: id, title }) => id === wanted.patent_id && title === wanted.title)) {
      finding.fault(`${wanted.patent_id} was not in the first search after it was acknowledged`);
    }
  }
}

/** Searches until it is time, comparing each answer. Returns what each took, ms. */
async function searchFor(
  seconds: number,
  engine: Engine,
  model: Model,
  finding: Finding,
  next: () => number,
  stop: () => number,
): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < end && stop() === 0) {
      const exact = next() < 0.5;
      const from = model.certain;
      const query = patent(Math.floor(next() * 60), 1 + Math.floor(next() * 9)).abstract!;
      const began = performance.now();
      const answer = await engine.search({ query, top_k: TOP }, { exact, rerank: false });
      times.push(performance.now() - began);
      const fault = await faultOf(answer, query, { model, from, to: model.newest, exact });
      if (fault) finding.fault(fault);
      finding.done();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times;
}

/** What is wrong with an answer whichever of the possible states it is of. */
async function faultOf(
  { results }: SearchResponse,
  query: string,
  { model, from, to, exact }: { model: Model; from: number; to: number; exact: boolean },
): Promise<string | undefined> {
  const shown = new Map(results.map((result) => [result.patent_id, result]));
  if (shown.size < results.length) return 'a publication is there twice';
  const states = Array.from({ length: to - from + 1 }, (_, n) => model.at(from + n));
  const scores = await Promise.all(states.map((state) => similarities(state, query)));
  const numbers = new Set(states.flatMap((state) => [...state.keys()]));
  for (const n of numbers) {
    const id = patent(n, 1).patent_id;
    const result = shown.get(id);
    shown.delete(id);
    const possible = states.map((state) => state.get(n));
    if (result === undefined) {
      if (exact && possible.every((version) => version !== undefined)) return `${id} is missing`;
      continue;
    }
    const at = possible.findIndex(
      (version) => version !== undefined && patent(n, version).title === result.title,
    );
    if (at < 0) return `${id} is shown as "${result.title}", possible were versions ${possible}`;
    const { abstract, claims } = patent(n, possible[at]!);
    const texts = [abstract, ...(claims ?? []).map(({ text }) => text)];
    if (result.chunks.some(({ text }) => !texts.includes(text))) return `${id} has texts of two versions`;
    const score = scores[at]!.get(id)!;
    if (Math.abs(score - result.similarity_score) > 3e-6)
      return `${id} has ${result.similarity_score}, not ${score}`;
  }
  const [strange] = shown.keys();
  return strange === undefined ? undefined : `${strange} was not there at any moment`;
}
