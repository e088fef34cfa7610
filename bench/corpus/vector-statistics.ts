/**
 * Statistics of vectors that affect searches: cosines within a document, to the nearest document and to random documents,
 * the effective number of dimensions, and the recall of an inverted file.
 */
import type { Embedder } from '../../src/embed/embedder.js';
import { FaissIndex } from '../../src/index/faiss.js';
import { openSnapshot } from '../../src/index/segment.js';
import { type Patent, titlesOf } from '../../src/patent/record.js';
import type { Store } from '../../src/store/store.js';
import { below, mean, type Quantiles, quantilesOf, type Random, stream } from './random.js';
import { rounded } from './statistics.js';

export interface VectorStatistics {
  /** Number of vectors in the sample, and of their documents. An application and its grant count as one. */
  passages: number;
  documents: number;
  /** Cosines of two passages of a document. */
  within: Quantiles;
  /** Cosine of a passage to the closest one of another application. */
  nearest: Quantiles;
  /** Cosines of passages of two documents of one language, and of two languages. */
  strangers: Quantiles;
  strangersAcross: Quantiles;
  /** (Σλ)² / Σλ² of the covariance: 1 if all vectors are on a line, the number of dimensions if they fill a ball. */
  directions: number;
  /** Cosine of a title, as a question, to the closest passage, to the 10th and to the 100th. */
  question: { first: Quantiles; tenth: Quantiles; hundredth: Quantiles };
  /** Recall of the 10 closest passages to such a question, by the number of probed lists out of `lists`. */
  lists: number;
  recall: Record<string, number>;
}

/** Passages in the sample. The same for all folders, because the nearest cosines grow with it. */
const PASSAGES = 30_000;
const SAMPLES = 1_000;
const STEPS = 10;

interface Collected {
  rows: Float32Array;
  /** The application of each row, and its language. */
  owner: Int32Array;
  languages: string[];
  titles: string[];
}

export async function vectorStatisticsOf(
  store: Store,
  embedder: Embedder,
  passages = PASSAGES,
): Promise<VectorStatistics> {
  const next = stream(7);
  const { dimensions } = store.manifest().model;
  const found = collected(store, passages, next);
  const count = found.owner.length;
  const row = (n: number) => found.rows.subarray(n * dimensions, (n + 1) * dimensions);
  const cosine = (a: number, b: number) => dot(row(a), row(b));
  const picked = Array.from({ length: SAMPLES }, () => below(next, count));
  const flat = new FaissIndex('flat', dimensions);
  flat.add(found.rows);
  const questions = await asked(found.titles, embedder, next);
  const truth = flat.search(questions, 100);
  const lists = 2 ** Math.round(Math.log2(2 * Math.sqrt(count)));
  return {
    passages: count,
    documents: new Set(found.owner).size,
    within: quantilesOf(withinDocuments(found.owner, cosine, next), STEPS),
    nearest: quantilesOf(nearestOthers(flat, found, picked, dimensions), STEPS),
    ...strangers(found, cosine, next),
    directions: rounded(directionsOf(found.rows, dimensions, next)),
    question: {
      first: quantilesOf(everyHundredth(truth.distances, 0), STEPS),
      tenth: quantilesOf(everyHundredth(truth.distances, 9), STEPS),
      hundredth: quantilesOf(everyHundredth(truth.distances, 99), STEPS),
    },
    lists,
    recall: recallOf(found.rows, questions, truth.labels, dimensions, lists),
  };
}

/** Samples whole documents in random order until they have `most` passages. */
function collected(store: Store, most: number, next: Random): Collected {
  const heads = [...store.documents.getRange()].filter(({ key, value }) => {
    const body = store.bodies.get(key);
    return (body?.abstract || body?.claims) && !/^S/.test(value.kind_code);
  });
  shuffle(heads, next);
  const { native } = openSnapshot(store);
  const parts: Float32Array[] = [];
  const owner: number[] = [];
  const languages: string[] = [];
  const titles: string[] = [];
  const owners = new Map<string, number>();
  for (const { key, value: head } of heads) {
    const vectors = native.vectorsOf(key);
    if (!vectors || owner.length >= most) continue;
    const name = head.family_id ?? head.application_number ?? head.patent_id;
    const id = owners.get(name) ?? owners.set(name, owners.size).size - 1;
    parts.push(vectors);
    titles.push(titlesOf(head as Patent).split('\n')[0]!);
    for (let n = 0; n < head.passages; n++) {
      owner.push(id);
      languages.push(head.language ?? '');
    }
  }
  native.close();
  return { rows: concatenated(parts), owner: Int32Array.from(owner), languages, titles };
}

async function asked(titles: readonly string[], embedder: Embedder, next: Random): Promise<Float32Array> {
  const texts = Array.from(
    { length: Math.min(SAMPLES, titles.length) },
    () => titles[below(next, titles.length)]!,
  );
  return await embedder.embed(texts.filter(Boolean), 'query');
}

function withinDocuments(
  owner: Int32Array,
  cosine: (a: number, b: number) => number,
  next: Random,
): number[] {
  const found: number[] = [];
  for (let tries = 0; tries < SAMPLES * 50 && found.length < SAMPLES * 5; tries++) {
    const a = below(next, owner.length);
    // The passages of a document are adjacent. A pair that crosses the end of the document is skipped.
    const b = a + 1 + below(next, 8);
    if (owner[a] === owner[b]) found.push(cosine(a, b));
  }
  return found;
}

function nearestOthers(
  flat: FaissIndex,
  { rows, owner }: Collected,
  picked: readonly number[],
  dimensions: number,
): number[] {
  const found: number[] = [];
  for (const n of picked) {
    for (let k = 64; k <= 4096; k *= 4) {
      const hits = flat.search(rows.slice(n * dimensions, (n + 1) * dimensions), Math.min(k, owner.length));
      const at = hits.labels.findIndex((label) => label >= 0 && owner[label] !== owner[n]);
      if (at < 0) continue;
      found.push(hits.distances[at]!);
      break;
    }
  }
  return found;
}

function strangers(
  { owner, languages }: Collected,
  cosine: (a: number, b: number) => number,
  next: Random,
): Pick<VectorStatistics, 'strangers' | 'strangersAcross'> {
  const [same, other]: [number[], number[]] = [[], []];
  for (let tries = 0; tries < SAMPLES * 20; tries++) {
    const [a, b] = [below(next, owner.length), below(next, owner.length)];
    if (owner[a] !== owner[b]) (languages[a] === languages[b] ? same : other).push(cosine(a, b));
  }
  return { strangers: quantilesOf(same, STEPS), strangersAcross: quantilesOf(other, STEPS) };
}

function directionsOf(rows: Float32Array, dimensions: number, next: Random): number {
  const count = rows.length / dimensions;
  const taken = Math.min(count, 5_000);
  const centre = new Float64Array(dimensions);
  const sample = Array.from({ length: taken }, () => {
    const n = below(next, count);
    return rows.subarray(n * dimensions, (n + 1) * dimensions);
  });
  for (const row of sample) for (let i = 0; i < dimensions; i++) centre[i]! += row[i]! / taken;
  const covariance = new Float64Array(dimensions * dimensions);
  const moved = new Float64Array(dimensions);
  for (const row of sample) {
    for (let i = 0; i < dimensions; i++) moved[i] = row[i]! - centre[i]!;
    for (let i = 0; i < dimensions; i++) {
      for (let j = 0; j < dimensions; j++) covariance[i * dimensions + j]! += moved[i]! * moved[j]!;
    }
  }
  let [trace, squares] = [0, 0];
  for (let i = 0; i < dimensions; i++) trace += covariance[i * dimensions + i]!;
  for (const value of covariance) squares += value * value;
  return trace ** 2 / squares;
}

function recallOf(
  rows: Float32Array,
  questions: Float32Array,
  truth: Int32Array,
  dimensions: number,
  lists: number,
): Record<string, number> {
  const index = new FaissIndex('ivf-flat', dimensions, { nlist: lists, threads: 1 });
  index.train(rows.length / dimensions > lists * 100 ? rows.subarray(0, lists * 100 * dimensions) : rows);
  index.add(rows);
  const recall: Record<string, number> = {};
  for (let nprobe = 1; nprobe <= Math.min(64, lists); nprobe *= 2) {
    const { labels } = index.search(questions, 10, { nprobe });
    const shares = Array.from({ length: labels.length / 10 }, (_, n) => {
      const ten = new Set(truth.subarray(n * 100, n * 100 + 10));
      return labels.subarray(n * 10, n * 10 + 10).filter((label) => ten.has(label)).length / 10;
    });
    recall[nprobe] = rounded(mean(shares));
  }
  return recall;
}

function everyHundredth(values: Float32Array, from: number): number[] {
  return Array.from({ length: Math.floor(values.length / 100) }, (_, n) => values[n * 100 + from]!).filter(
    Number.isFinite,
  );
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function shuffle<T>(list: T[], next: Random): void {
  for (let n = list.length - 1; n > 0; n--) {
    const other = below(next, n + 1);
    [list[n], list[other]] = [list[other]!, list[n]!];
  }
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
