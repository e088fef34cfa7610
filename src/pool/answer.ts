/** Answers a question on the current thread: a worker's, or the caller's for an engine without workers. */
import { createHash } from 'node:crypto';
import { LocalDrawings } from '../drawings/files.js';
import { keepImage } from '../drawings/keep.js';
import { PriorartError } from '../errors.js';
import { headsOf } from '../ingest/folder-target.js';
import { embedDocuments, prepareUnits } from '../ingest/prepare.js';
import type { Models } from '../models/load.js';
import type { ThreadModels } from '../models/thread-models.js';
import type { AnswerTrace } from '../observe/observations.js';
import { analyticsPage, pageOfRanking, rankAnalytics } from '../search/analytics.js';
import type { Cancellation } from '../search/cancel.js';
import { coverageOf } from '../search/coverage.js';
import { detailsOf } from '../search/details.js';
import type { Explanation } from '../search/explanation.js';
import type { Folder } from '../search/folder.js';
import type { AnalyticsQuery } from '../search/query.js';
import { IndexReader, ModelReplaced } from '../search/reader.js';
import type { RecallChecks } from '../search/recall-checks.js';
import { searchSemantic } from '../search/semantic.js';
import { stopwatch } from '../search/stopwatch.js';
import type { TaggedBody } from '../search/types.js';
import { readable } from '../store/faults.js';
import type { Manifest } from '../store/manifest.js';
import { currentDocuments } from '../store/pinned.js';
import type { AnswerOf, Question } from './tasks.js';

/** Resources of a thread. */
export interface Thread {
  folder: Folder;
  models: ThreadModels;
  checks?: RecallChecks | undefined;
}

const encoder = new TextEncoder();

export interface TracedAnswer<Q extends Question> {
  /** JSON as UTF-8 in a transferable buffer; plain data for answers that are stored. */
  answer: AnswerOf<Q>;
  /** Data about the answer for metrics. */
  trace: AnswerTrace;
}

export async function answer<Q extends Question>(
  thread: Thread,
  question: Q,
  cancellation: Cancellation,
): Promise<TracedAnswer<Q>> {
  try {
    const trace: AnswerTrace = {};
    const found = await answerTo(thread, question, cancellation, trace);
    const recall = thread.checks?.take();
    if (recall) trace.recall = recall;
    return { answer: found as AnswerOf<Q>, trace };
  } catch (error) {
    throw readable(error, thread.folder.store.dir);
  }
}

async function answerTo(
  thread: Thread,
  question: Question,
  cancellation: Cancellation,
  trace: AnswerTrace,
): Promise<AnswerOf<Question>> {
  const { folder } = thread;
  switch (question.kind) {
    case 'semantic':
      return withReader(thread, async (reader) => {
        const { response, explanation } = await searchSemantic(reader, question.query, cancellation);
        note(trace, explanation);
        return { json: json(response), results: response.total };
      });
    case 'explain':
      return withReader(thread, async (reader) => {
        return json((await searchSemantic(reader, question.query, cancellation)).explanation);
      });
    case 'analytics':
      return withReader(thread, (reader) => firstPage(reader, question.query, cancellation, trace));
    case 'page': {
      folder.store.refresh();
      const clock = stopwatch();
      const page = analyticsPage(currentDocuments(folder.store), question.query, question.page);
      trace.timings = { fetch: clock() };
      return { json: page && json(page) };
    }
    case 'prepare':
      return withModels(thread, newestManifest(folder), (models) =>
        prepareUnits(headsOf(folder.store), models, question.units, cancellation.signal),
      );
    case 'embed':
      return withModels(thread, newestManifest(folder), (models) =>
        embedDocuments(models, question.documents, cancellation.signal),
      );
    case 'drawing':
      folder.store.checkInPlace();
      return keepImage(new LocalDrawings(folder.store.dir), question.bytes);
    case 'details':
      return tagged(json(detailsOf(folder, question.query, cancellation)));
    case 'coverage':
      return json(coverageOf(folder));
  }
}

function note(
  trace: AnswerTrace,
  { timings, plan, candidates, scored, widened, rescanned }: Explanation,
): void {
  trace.timings = { ...timings };
  trace.scans = plan.segments.map(({ scan }) => scan);
  trace.passages = { estimated: candidates, scored };
  trace.replanned = { widened, rescanned };
}

/** Buffer for encoding: the number of bytes is known only afterwards. Longer texts are rare. */
const draft = new Uint8Array(1 << 19);

function json(value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (text.length > draft.length / 3) return encoder.encode(text);
  return draft.slice(0, encoder.encodeInto(text, draft).written);
}

/** Adds an ETag. Computed on this thread, since the body may have megabytes. */
function tagged(body: Uint8Array): TaggedBody {
  const hash = createHash('sha256').update(body).digest('base64url');
  return { json: body, etag: `"${hash.slice(0, 22)}"` };
}

async function firstPage(
  reader: IndexReader,
  query: AnalyticsQuery,
  cancellation: Cancellation,
  trace: AnswerTrace,
): Promise<AnswerOf<{ kind: 'analytics'; query: AnalyticsQuery }>> {
  const ranking = await rankAnalytics(reader, query, cancellation, trace);
  const clock = stopwatch();
  // Nothing was awaited since the ranking, so its documents still belong to the store's state.
  const page = pageOfRanking(ranking, query);
  const response = analyticsPage(currentDocuments(reader.store), query, page);
  trace.timings = { ...trace.timings, fetch: clock() };
  if (response === undefined) {
    const message = 'a document has vectors but no text; run `priorart check --repair`';
    throw new PriorartError('data_corrupt', message);
  }
  return { json: json(response), results: page.docs.length, ranking };
}

/**
 * Runs work with the models of the folder. Starts again with the new models if the folder is re-embedded
 * meanwhile.
 */
async function withReader<T>(thread: Thread, work: (reader: IndexReader) => Promise<T>): Promise<T> {
  const { folder } = thread;
  for (;;) {
    try {
      return await withModels(
        thread,
        () => folder.manifest,
        (models) => work(new IndexReader(folder, models, thread.checks)),
      );
    } catch (error) {
      if (!(error instanceof ModelReplaced)) throw error;
    }
  }
}

async function withModels<T>(
  { models }: Thread,
  current: () => Manifest,
  work: (models: Models) => Promise<T>,
): Promise<T> {
  const lease = await models.lease(current);
  try {
    return await work(lease.models);
  } finally {
    lease.release();
  }
}

/** Reads the newest manifest, for work that opens no snapshots. */
function newestManifest({ store }: Folder): () => Manifest {
  return () => {
    store.refresh();
    return store.manifest();
  };
}
