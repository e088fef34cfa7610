/**
 * The valid answers of the soak. The model knows the publications and versions before and after each write. An answer
 * during a write is compared with all states that its search may have seen.
 */
import { shown, similarity } from '../../../src/embed/calibration.js';
import type { AnalyticsResponse, DetailsResponse, SearchResponse } from '../../../src/search/types.js';
import { type COUNTRIES, calibrationOf, cosines, type Doc, patentId } from './soak-corpus.js';

/** Publications by number. */
export type Docs = ReadonlyMap<number, Doc>;

/** The order of single-precision sums affects the last digit shown. */
const TOLERANCE = 3e-6;

/** The filters of the soak; all must match. */
export interface Wanted {
  countries?: (typeof COUNTRIES)[number][];
  applicant?: string;
  ipc_codes?: string[];
  filing_date_from?: string;
  filing_date_to?: string;
}

function allows(wanted: Wanted, { patent }: Doc): boolean {
  const { countries, applicant, ipc_codes: ipc, filing_date_from: from, filing_date_to: to } = wanted;
  const filed = patent.filing_date!;
  return (
    (countries === undefined || countries.includes(patent.country)) &&
    (applicant === undefined || patent.applicants![0]!.name === applicant) &&
    (ipc === undefined || ipc.some((code) => patent.ipc_codes![0]!.startsWith(code))) &&
    (from === undefined || filed >= from) &&
    (to === undefined || filed <= to)
  );
}

/** A publication that an answer may contain. */
interface Candidate {
  /** Each version that an answer may show, with its score. */
  versions: { doc: Doc; score: number }[];
  /** Its minimum score, if every state contains it and the filter allows it. */
  least: number | undefined;
  most: number;
}

/** States of the index. Keeps those that a running search may see. */
export class Model {
  readonly #states = new Map<number, Docs>([[0, new Map()]]);
  #newest = 0;
  #certain = 0;
  readonly #seen = new Map<object, number>();

  get newest(): Docs {
    return this.#states.get(this.#newest)!;
  }

  /** Begins a write that leads to the given state. */
  begin(docs: Docs): void {
    this.#states.set(++this.#newest, docs);
  }

  /** The write was acknowledged. */
  done(): void {
    this.#certain = this.#newest;
    const oldest = Math.min(this.#certain, ...this.#seen.values());
    for (const n of this.#states.keys()) if (n < oldest) this.#states.delete(n);
  }

  /** Records the known state before a question. */
  watch(): { states: () => Docs[]; end: () => void } {
    const key = {};
    const from = this.#certain;
    this.#seen.set(key, from);
    const states = () =>
      Array.from({ length: this.#newest - from + 1 }, (_, n) => this.#states.get(from + n)!);
    return { states, end: () => this.#seen.delete(key) };
  }
}

function scoreOf(cosine: number, query: Float32Array): number {
  return shown(similarity(cosine, calibrationOf(query)));
}

function candidatesOf(states: readonly Docs[], query: Float32Array, wanted: Wanted): Map<string, Candidate> {
  const found = new Map<string, Candidate>();
  const last = states.at(-1)!;
  for (const n of states.length === 1 ? last.keys() : new Set(states.flatMap((docs) => [...docs.keys()]))) {
    const there = new Set(states.map((docs) => docs.get(n)));
    const versions = [...there]
      .filter((doc): doc is Doc => doc !== undefined && allows(wanted, doc))
      .map((doc) => ({ doc, score: scoreOf(Math.max(...cosines(doc, query)), query) }));
    if (versions.length === 0) continue;
    const scores = versions.map(({ score }) => score);
    const least = versions.length === there.size ? Math.min(...scores) : undefined;
    found.set(patentId(n), { versions, least, most: Math.max(...scores) });
  }
  return found;
}

/**
 * The verdict on an answer: a fault, or the recall of an approximate search over documents that are certainly among
 * the best.
 */
export interface Judged {
  fault?: string;
  wanted?: number;
  found?: number;
  /** Documents shown. */
  shown?: number;
}

interface Shown {
  patent_id: string;
  title: string;
  similarity_score: number;
  /** Passages, each with its score if the answer contains it. */
  passages: { text: string; similarity_score?: number }[];
}

/** Finds faults in the shown documents, not missing ones: a document, a score, an order, a text of another version. */
function judgeShown(
  results: readonly Shown[],
  candidates: ReadonlyMap<string, Candidate>,
  vector: Float32Array,
): Judged {
  if (new Set(results.map(({ patent_id: id }) => id)).size < results.length)
    return { fault: 'a publication occurs twice' };
  for (const [at, { patent_id: id, title, similarity_score: score, passages }] of results.entries()) {
    const candidate = candidates.get(id);
    if (candidate === undefined) return { fault: `${id} was never in the index, or never allowed` };
    const version = candidate.versions.find(({ doc }) => doc.patent.title === title);
    if (version === undefined) {
      const possible = candidate.versions.map(({ doc }) => doc.version);
      return { fault: `${id} is shown as "${title}", possible were versions ${possible}` };
    }
    const { doc, score: best } = version;
    const scores = cosines(doc, vector).map((cosine) => scoreOf(cosine, vector));
    for (const { text, similarity_score: said = score } of passages) {
      const right = scores[doc.texts.indexOf(text)];
      if (right === undefined) return { fault: `${id} has a text of another version` };
      if (Math.abs(right - said) > TOLERANCE)
        return { fault: `${id} has a passage of ${said}, not ${right}` };
    }
    if (Math.abs(best - score) > TOLERANCE) return { fault: `${id} has ${score}, not ${best}` };
    if (at > 0 && results[at - 1]!.similarity_score < score) return { fault: `${id} is out of order` };
  }
  return { shown: results.length };
}

/** Judges a search for the best `top`. */
export function judgeSearch(
  { results, total }: SearchResponse,
  states: readonly Docs[],
  asked: { vector: Float32Array; wanted: Wanted; top: number; exact: boolean },
): Judged {
  const { vector, wanted, top, exact } = asked;
  const candidates = candidatesOf(states, vector, wanted);
  const judged = judgeShown(
    results.map((result) => ({ ...result, passages: result.chunks })),
    candidates,
    vector,
  );
  if (judged.fault) return judged;
  if (total !== results.length || total > top)
    return { fault: `${results.length} results of ${top}, total ${total}` };
  const is = new Set(results.map(({ patent_id: id }) => id));
  const last = results.length < top ? -1 : results.at(-1)!.similarity_score;
  const missing = [...candidates].filter(
    ([id, { least }]) => !is.has(id) && least !== undefined && least > last + TOLERANCE,
  );
  if (exact) {
    if (missing.length > 0)
      return { fault: `${missing[0]![0]} is missing, with ${missing[0]![1].least} above ${last}` };
    return judged;
  }
  const certain = [...candidates.values()].flatMap(({ least }) => least ?? []).sort((a, b) => b - a);
  const best = certain.slice(0, top);
  const bar = best.at(-1) ?? 2;
  const found = results.filter(({ similarity_score: score }) => score >= bar - TOLERANCE).length;
  return { ...judged, wanted: best.length, found: Math.min(best.length, found) };
}

/** Judges statistics with a first page. */
export function judgeAnalytics(
  answer: AnalyticsResponse,
  states: readonly Docs[],
  asked: { vector: Float32Array; wanted: Wanted; minScore: number; pageSize: number },
): Judged {
  const { vector, wanted, minScore, pageSize } = asked;
  const candidates = candidatesOf(states, vector, wanted);
  const { results, stats, total_matched: total } = answer;
  const judged = judgeShown(
    results.map((result) => ({ ...result, passages: [{ text: result.chunk_text }] })),
    candidates,
    vector,
  );
  if (judged.fault) return judged;
  if (results.length !== Math.min(total, pageSize)) return { fault: `${results.length} results of ${total}` };
  const low = results.find(({ similarity_score: score }) => score < minScore);
  if (low) return { fault: `${low.patent_id} has ${low.similarity_score}, below ${minScore}` };
  const possible = [...candidates.values()].filter(({ most }) => most >= minScore - TOLERANCE);
  const sure = possible.filter(({ least }) => least !== undefined && least >= minScore + TOLERANCE);
  if (total > possible.length) return { fault: `${total} matched, at most ${possible.length} can` };
  const {
    by_year: years = {},
    by_country: countries = {},
    top_applicants: applicants = [],
    top_ipc: ipc = [],
  } = stats;
  const axes: [string, Record<string, number>, (doc: Doc) => string][] = [
    ['year', years, ({ patent }) => patent.filing_date!.slice(0, 4)],
    ['country', countries, ({ patent }) => patent.country],
    [
      'applicant',
      Object.fromEntries(applicants.map(({ name, count }) => [name, count])),
      ({ patent }) => patent.applicants![0]!.name,
    ],
    [
      'ipc',
      Object.fromEntries(ipc.map(({ code, count }) => [code, count])),
      ({ patent }) => patent.ipc_codes![0]!.slice(0, 4),
    ],
  ];
  for (const [axis, counts, valueIn] of axes) {
    const fault = faultOfCounts(
      counts,
      total,
      possible,
      total === sure.length && sure.length === possible.length,
      valueIn,
    );
    if (fault) return { fault: `by ${axis}: ${fault}` };
  }
  return { ...judged, wanted: sure.length, found: Math.min(sure.length, total) };
}

/** Every document has one value on each axis, so the counts add up to the total. */
function faultOfCounts(
  counts: Record<string, number>,
  total: number,
  possible: readonly Candidate[],
  complete: boolean,
  valueIn: (doc: Doc) => string,
): string | undefined {
  const sum = Object.values(counts).reduce((all, count) => all + count, 0);
  if (sum !== total) return `counts add up to ${sum}, not ${total}`;
  const most = new Map<string, number>();
  for (const { versions } of possible) {
    for (const value of new Set(versions.map(({ doc }) => valueIn(doc))))
      most.set(value, (most.get(value) ?? 0) + 1);
  }
  for (const value of new Set([...most.keys(), ...Object.keys(counts)])) {
    const [is, may] = [counts[value] ?? 0, most.get(value) ?? 0];
    if (is > may) return `${is} of ${value}, at most ${may} can`;
    if (complete && possible.every(({ versions }) => versions.length === 1) && is !== may)
      return `${is} of ${value}, not ${may}`;
  }
  return undefined;
}

/** Finds faults in documents that were requested by number. */
export function faultOfDetails(
  { patents }: DetailsResponse,
  numbers: readonly number[],
  states: readonly Docs[],
): string | undefined {
  for (const [at, n] of numbers.entries()) {
    const possible = states.map((docs) => docs.get(n));
    const { patent_id: id, metadata, content = '', error } = patents[at]!;
    if (id !== patentId(n)) return `${id} instead of ${patentId(n)}`;
    if (error !== undefined) {
      if (!possible.includes(undefined)) return `${id} is ${error}, but exists`;
      continue;
    }
    const doc = possible.find((one) => one?.patent.title === metadata?.title);
    if (doc === undefined) return `${id} is shown as "${metadata?.title}", which is impossible`;
    if (doc.texts.some((text) => !content.includes(text))) return `${id} lacks a text of its version`;
  }
  return undefined;
}
