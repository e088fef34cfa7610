/**
 * Verifies a folder: by `check`, by its records, and by answers that are compared with those of a model in memory,
 * which has no segments.
 */
import { isDeepStrictEqual } from 'node:util';
import { AccessStore } from '../../../src/access/store.js';
import { convertImage } from '../../../src/drawings/convert.js';
import { contentOf, LocalDrawings } from '../../../src/drawings/files.js';
import { calibrationFor, shown, similarity } from '../../../src/embed/calibration.js';
import type { Embedder } from '../../../src/embed/embedder.js';
import { type Engine, open, serverPort } from '../../../src/engine.js';
import { checkFolder } from '../../../src/index/check.js';
import { passagesOf } from '../../../src/ingest/passages.js';
import { openEmbedder } from '../../../src/models/load.js';
import { titlesOf } from '../../../src/patent/record.js';
import { reembed } from '../../../src/pool/reembed.js';
import type { SearchResponse } from '../../../src/search/types.js';
import { figureImages } from '../../../src/store/figures.js';
import { Store } from '../../../src/store/store.js';
import { half } from './half.js';
import { figure } from './plan.js';
import { shownFile } from './served.js';
import { judgeAccess, type Loss } from './served-truth.js';
import {
  filesOf,
  image,
  type Known,
  type Model,
  modelOf,
  modelsOf,
  type Outcome,
  otherModel,
  POOL,
  type Put,
  patent,
  SMALL,
  type State,
  sourceOf,
} from './workload.js';

const idOf = new Map(Array.from({ length: POOL }, (_, n) => [n, patent(n, 1).patent_id]));
const numberOf = new Map([...idOf].map(([n, id]) => [id, n]));

const embedders = new Map<Model, Promise<Embedder>>();

/** @param root folder of the model for re-embeddings */
function embedderOf(model: Model, root: string): Promise<Embedder> {
  const file = model === 'other' ? { file: otherModel(root) } : {};
  const opened = embedders.get(model) ?? openEmbedder({ kind: 'static', ...file });
  embedders.set(model, opened);
  return opened;
}

const vectors = new Map<string, Float64Array[]>();

/** Vectors of a publication's passages as stored. */
async function vectorsOf(n: number, version: number, embedder: Embedder): Promise<Float64Array[]> {
  const key = `${embedder.name} ${n} ${version}`;
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

/** The shown similarity of each publication to a question. */
async function similarities(state: State, query: string, embedder: Embedder): Promise<Map<string, number>> {
  const asked = await embedder.embed([query], 'query');
  const scores = new Map<string, number>();
  for (const [n, version] of state) {
    const rows = await vectorsOf(n, version, embedder);
    const best = Math.max(...rows.map((row) => row.reduce((sum, x, at) => sum + x * asked[at]!, 0)));
    scores.set(idOf.get(n)!, shown(similarity(best, calibrationFor(embedder, asked))));
  }
  return scores;
}

/** The order of single-precision sums affects the last digit shown. */
const TOLERANCE = 3e-6;

/** Finds faults in an answer over a known state: a score, an order, a text of another version, a missing document. */
function faultOfAnswer(
  { results }: SearchResponse,
  state: State,
  scores: ReadonlyMap<string, number>,
  wanted: { top: number; exact: boolean },
): string | undefined {
  for (const { patent_id: id, title, similarity_score: score, chunks } of results) {
    const expected = scores.get(id);
    const n = numberOf.get(id);
    if (expected === undefined || n === undefined) return `${id} is missing`;
    if (Math.abs(expected - score) > TOLERANCE) return `${id} has ${score}, expected ${expected}`;
    const version = state.get(n)!;
    const record = patent(n, version);
    const texts = passagesOf(record).map(({ text }) => text);
    if (title !== record.title) return `${id} has another version's title: ${title}`;
    if (chunks.some(({ text }) => !texts.includes(text))) return `${id} has a text of another version`;
  }
  if (new Set(results.map(({ patent_id: id }) => id)).size < results.length) return 'a document occurs twice';
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
  embedder: Embedder,
  queries: readonly string[],
): Promise<string | undefined> {
  for (const query of queries) {
    const scores = await similarities(state, query, embedder);
    for (const exact of [true, false]) {
      const answer = await engine.search({ query, top_k: TOP }, { exact, rerank: false });
      const fault = faultOfAnswer(answer, state, scores, { top: TOP, exact });
      if (fault) return `searching "${query.slice(0, 40)}"${exact ? '' : ' with the indexes'}: ${fault}`;
    }
  }
  return undefined;
}

/** Compares a record with the written one. Fields that the ingest adds are ignored. */
function faultOfRecord(store: Store, key: number, n: number, version: number): string | undefined {
  const wanted = patent(n, version);
  const found = store.document(key);
  if (!found) return 'passages are missing';
  for (const [field, value] of Object.entries(wanted)) {
    const is: unknown = found.patent[field as keyof typeof wanted];
    if (!isDeepStrictEqual(is, value)) {
      return `${field} is ${JSON.stringify(is)}, expected ${JSON.stringify(value)}`;
    }
  }
  return isDeepStrictEqual(found.passages, passagesOf(wanted)) ? undefined : 'it has other passages';
}

/** The publications of a folder, each with the version of its record; throws if a record has no known version. */
function stateOf(store: Store): State {
  const state = new Map<number, number>();
  for (const { key, value } of store.documents.getRange()) {
    const n = numberOf.get(value.patent_id);
    const version = Number(/revision (\d+)/.exec(value.title ?? '')?.[1]);
    if (n === undefined || Number.isNaN(version))
      throw new Error(`${value.patent_id} is not a publication of the harness`);
    if (state.has(n)) throw new Error(`${value.patent_id} occurs twice`);
    const fault = faultOfRecord(store, key, n, version);
    if (fault) throw new Error(`${value.patent_id}, by its title of version ${version}: ${fault}`);
    state.set(n, version);
  }
  return state;
}

const isSame = (a: State, b: State) =>
  a.size === b.size && [...a].every(([n, version]) => b.get(n) === version);

/** The difference from the nearest state, if the publications match no state. */
function faultOfState(found: State, states: readonly State[]): string | undefined {
  if (states.some((state) => isSame(found, state))) return undefined;
  const all = Array.from({ length: POOL }, (_, n) => n);
  const [nearest] = states
    .map((state) =>
      all.filter((n) => found.get(n) !== state.get(n)).map((n) => ({ n, expected: state.get(n) })),
    )
    .sort((a, b) => a.length - b.length);
  const words = nearest!.map(
    ({ n, expected }) => `publication ${n} is of version ${found.get(n) ?? '-'}, expected ${expected ?? '-'}`,
  );
  return `the folder matches none of ${states.length} possible states; the nearest: ${words.join(', ')}`;
}

const converted = new Map<string, string>();

/** The file of a publication's drawing, by its content. */
async function drawingOf(n: number, version: number): Promise<string> {
  const key = `${n} ${version}`;
  const known = converted.get(key) ?? contentOf((await convertImage(await figure(n, version))).image);
  converted.set(key, known);
  return known;
}

/** Each publication has its last drawing, complete; during an ingest, the drawing before it or the new one. */
async function faultOfFigures(
  engine: Engine,
  store: Store,
  found: State,
  possible: readonly State[],
): Promise<string | undefined> {
  const files = new LocalDrawings(engine.dir);
  for (const [n] of found) {
    const images = figureImages(store, idOf.get(n)!);
    const versions = [...new Set(possible.map((figures) => figures.get(n)))];
    if (images.size === 0) {
      if (!versions.includes(undefined)) return `the drawing of publication ${n} is lost`;
      continue;
    }
    const content = await serverPort(engine).findDrawing(idOf.get(n)!, shownFile(n));
    const fault = await files.fault(content);
    if (fault) return `the drawing of publication ${n}: ${fault}`;
    const wanted = await Promise.all(
      versions.map((version) => (version === undefined ? undefined : drawingOf(n, version))),
    );
    if (!wanted.includes(content)) return `publication ${n} shows a drawing of an impossible version`;
  }
  return undefined;
}

/** A file in the ledger is in the index; a file of a completed ingest is in the ledger. */
function faultOfLedger(engine: Engine, found: State, question: Question): string | undefined {
  const { known, running, root } = question;
  const read = new Set(engine.sources().map(({ path }) => path));
  for (const put of known.read)
    for (const path of filesOf(root, put).keys())
      if (!read.has(path)) return `${path} was read completely, but is not in the ledger`;
  if (running?.kind !== 'put') return undefined;
  for (const [path, docs] of filesOf(root, running)) {
    const missing = docs.filter((n) => found.get(n) !== running.version);
    if (read.has(path) && missing.length > 0)
      return `${path} is in the ledger; its publications ${missing.join(', ')} are not in the index`;
  }
  return undefined;
}

/** A file in the ledger is not read again. */
async function faultOfReadingAgain(engine: Engine, root: string, put: Put): Promise<string | undefined> {
  const options = { ...SMALL, onlyNew: true, drawings: false };
  const { known_files: known, documents } = await engine.ingest(sourceOf(root, put), options);
  const files = filesOf(root, put).size;
  if (known === files && documents === 0) return undefined;
  return `an ingest of ${files} known files skipped ${known} and read ${documents} publications`;
}

async function faultOfRest(dir: string, { images, access: { keys } }: Known): Promise<string | undefined> {
  const files = new LocalDrawings(dir);
  for (const n of images) {
    const fault = await files.fault(contentOf(image(n)));
    if (fault) return `drawing ${n}: ${fault}`;
  }
  if (keys.size === 0) return undefined;
  const access = AccessStore.open(`${dir}/access`, { create: false });
  try {
    const there = new Set(access.list().map(({ id }) => id));
    const lost = [...keys.keys()].find((id) => !there.has(id));
    return lost === undefined ? undefined : `key ${lost} is lost`;
  } finally {
    await access.close();
  }
}

/** A folder, its possible states, and the questions to ask it. */
export interface Question extends Outcome {
  dir: string;
  /** Folder of the sources, and of the model for re-embeddings. */
  root: string;
  queries: readonly string[];
  loss: Loss;
}

/** The fault, or the known state of the folder after the check. */
export type Verdict = { fault: string } | { known: Known };

class Fault extends Error {}

/** @throws Fault if the folder has a fault */
function none(fault: string | undefined): void {
  if (fault !== undefined) throw new Fault(fault);
}

/**
 * Verifies a folder, and returns the fault or the known state. Then completes the interrupted operation, as a user
 * would, and verifies again.
 */
export async function verify(question: Question): Promise<Verdict> {
  try {
    return { known: await known(question) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function known(question: Question): Promise<Known> {
  const { dir, known: before, states, running, root, loss } = question;
  none(await faultOfRest(dir, before));
  const store = await Store.openIfThere(dir);
  if (store === undefined) {
    none(states.some(({ size }) => size === 0) ? undefined : 'the index is gone');
    return { ...before, documents: new Map() };
  }
  try {
    await checkWhole(store);
    const found = stateOf(store);
    none(faultOfState(found, states));
    const model = modelIn(store);
    const models = running?.kind === 'reembed' ? [before.model, running.model] : [before.model];
    none(models.includes(model) ? undefined : `the folder is embedded with the model "${model}"`);
    const engine = await open(dir, { workers: 0 });
    try {
      // A deletion removes the drawings in its own transaction.
      const figures = running?.kind === 'put' ? [before.figures, question.figures] : [before.figures];
      none(await faultOfFigures(engine, store, found, figures));
      none(await faultOfSearches(engine, found, await embedderOf(model, root), question.queries));
      none(faultOfLedger(engine, found, question));
      const then = await finished(engine, store, { ...before, documents: found, model }, question);
      const asked = then.access.accounts.size > 0 || running?.kind === 'serve';
      if (!asked) return then;
      const judged = await judgeAccess(dir, engine, then.access, loss);
      if ('fault' in judged) throw new Fault(judged.fault);
      return { ...then, access: judged.access };
    } finally {
      await engine.close();
    }
  } finally {
    await store.close();
  }
}

async function checkWhole(store: Store): Promise<void> {
  const { problems } = await checkFolder(store);
  const bad = problems.filter(({ kind }) => kind !== 'leftover');
  none(bad.length === 0 ? undefined : bad.map(({ where, reason }) => `${where}: ${reason}`).join('; '));
}

function modelIn(store: Store): Model {
  store.refresh();
  return modelOf(store.manifest().model.name);
}

/** Completes an interrupted ingest or re-embedding, and verifies the result. */
async function finished(engine: Engine, store: Store, found: Known, question: Question): Promise<Known> {
  const { running, root, states } = question;
  let then = found;
  if (running?.kind === 'put') {
    const { failed } = await engine.ingest(sourceOf(root, running), { ...SMALL, onlyNew: true });
    none(failed[0]?.reason);
    const documents = states.at(-1)!;
    then = { ...found, documents, figures: question.figures, read: [...found.read, running] };
  } else if (running?.kind === 'reembed') {
    await reembed(engine.dir, { models: modelsOf(running.model, root), workers: 0, ...SMALL });
    then = { ...found, model: running.model };
  } else if (running) {
    // A deletion removes publication and drawing together, or neither.
    const figures = [...found.figures].filter(([n]) => found.documents.has(n));
    return { ...found, figures: new Map(figures) };
  }
  const last = then.read.at(-1);
  if (last) none(await faultOfReadingAgain(engine, root, last));
  if (!running) return then;
  store.refresh();
  await checkWhole(store);
  none(faultOfState(stateOf(store), [then.documents]));
  none(modelIn(store) === then.model ? undefined : 'a resumed re-embedding did not complete');
  none(await faultOfFigures(engine, store, then.documents, [then.figures]));
  none(faultOfLedger(engine, then.documents, { ...question, known: then, running: undefined }));
  const queries = question.queries.slice(0, 1);
  none(await faultOfSearches(engine, then.documents, await embedderOf(then.model, root), queries));
  return then;
}
