/** Answers questions about a data folder on the current thread: a worker's, or the caller's for an engine without workers. */
import { LocalDrawings } from '../drawings/files.js';
import { keepImage } from '../drawings/keep.js';
import { PriorartError } from '../errors.js';
import { headsOf } from '../ingest/folder-target.js';
import { embedDocuments, prepareUnits } from '../ingest/prepare.js';
import type { Models } from '../models/load.js';
import { type ModelChoice, ThreadModels } from '../models/thread-models.js';
import type { AnswerTrace } from '../observe/observations.js';
import { analyticsPage, pageOfRanking, rankAnalytics } from '../search/analytics.js';
import type { Cancellation } from '../search/cancel.js';
import { coverageOf } from '../search/coverage.js';
import { detailsOf } from '../search/details.js';
import type { Explanation } from '../search/explanation.js';
import { Folder } from '../search/folder.js';
import type { AnalyticsQuery } from '../search/query.js';
import { IndexReader, ModelReplaced } from '../search/reader.js';
import { RecallChecks } from '../search/recall-checks.js';
import { searchSemantic } from '../search/semantic.js';
import { stopwatch } from '../search/stopwatch.js';
import { readable } from '../store/faults.js';
import type { Manifest } from '../store/manifest.js';
import { currentDocuments } from '../store/pinned.js';
import { type Answering, json, type Threads, type TracedAnswer, tagged } from './answering.js';
import type { AnswerOf, Question } from './tasks.js';

/** What a thread needs to answer questions about a folder. */
export interface FolderSetting {
  dir: string;
  choice: ModelChoice;
  /** Share of the searches that are repeated exactly to measure recall. Default: 0. */
  recallCheck?: number | undefined;
}

/** Threads that answer questions about a folder. */
export function folderThreads(setting: FolderSetting): Threads {
  const worker = new URL('./worker.js', import.meta.url);
  return { worker, setting, open: () => new FolderThread(setting) };
}

/** Resources of a thread. */
export class FolderThread implements Answering {
  readonly folder: Folder;
  readonly models: ThreadModels;
  readonly checks: RecallChecks | undefined;

  constructor({ dir, choice, recallCheck = 0 }: FolderSetting) {
    this.folder = new Folder(dir);
    this.models = new ThreadModels(dir, choice);
    this.checks = recallCheck > 0 ? new RecallChecks(recallCheck) : undefined;
  }

  get concurrency(): number {
    return this.models.concurrency;
  }

  async answer<Q extends Question>(question: Q, cancellation: Cancellation): Promise<TracedAnswer<Q>> {
    try {
      const trace: AnswerTrace = {};
      const found = await answerTo(this, question, cancellation, trace);
      const recall = this.checks?.take();
      if (recall) trace.recall = recall;
      return { answer: found as AnswerOf<Q>, trace };
    } catch (error) {
      throw readable(error, this.folder.store.dir);
    }
  }

  async close(): Promise<void> {
    await this.checks?.settled();
    await this.models.close();
    await this.folder.close();
  }
}

async function answerTo(
  thread: FolderThread,
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
async function withReader<T>(thread: FolderThread, work: (reader: IndexReader) => Promise<T>): Promise<T> {
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
  { models }: FolderThread,
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
