/** Answers questions about an index on a cluster on the current thread: a worker's, or the caller's for an engine without workers. */
import { embedDocuments, prepareUnits } from '../ingest/prepare.js';
import { type ModelChoice, ThreadModels } from '../models/thread-models.js';
import { type Answering, json, type Threads, type TracedAnswer, tagged } from '../pool/answering.js';
import type { AnswerOf, Question } from '../pool/tasks.js';
import type { Cancellation } from '../search/cancel.js';
import { type Asked, answerAnalytics, answerDetails, answerSearch } from './answers.js';
import { ClusterClient } from './client.js';
import { coverageOf } from './coverage.js';
import { CurrentIndex } from './current-index.js';
import type { ClusterMeta } from './meta.js';
import type { ClusterSettings } from './settings.js';
import { storedHeads } from './target.js';
import { totalsOf } from './totals.js';

/** Questions that a thread has in flight: most of the time, it waits for the cluster. */
const PARALLEL = 8;

/** What a thread needs to answer questions about an index. Plain data. */
export interface ClusterSetting {
  settings: ClusterSettings;
  /** Name of the index, for messages. */
  name: string;
  /** The index when the engine was opened. */
  meta: ClusterMeta;
  choice: ModelChoice;
  /** Number of changes by this engine, one i32: what is known of the index is read again after each. */
  changes: SharedArrayBuffer;
  /** Passages up to which all are compared with a question; for tests. */
  exactPassages?: number | undefined;
}

/** Threads that answer questions about an index. */
export function clusterThreads(setting: ClusterSetting): Threads {
  const worker = new URL('./worker.js', import.meta.url);
  return { worker, setting, open: () => new ClusterThread(setting) };
}

interface Opened {
  client: ClusterClient;
  index: CurrentIndex;
}

export class ClusterThread implements Answering {
  readonly #setting: ClusterSetting;
  readonly #models: ThreadModels;
  #opened: Promise<Opened> | undefined;

  constructor(setting: ClusterSetting) {
    this.#setting = setting;
    this.#models = new ThreadModels(setting.name, setting.choice, 'reindex');
  }

  get concurrency(): number {
    return Math.max(PARALLEL, this.#models.concurrency);
  }

  async answer<Q extends Question>(question: Q, cancellation: Cancellation): Promise<TracedAnswer<Q>> {
    this.#opened ??= this.#open();
    const opened = await this.#opened;
    try {
      const found = await this.#answerTo(opened, question, cancellation);
      return { answer: found as AnswerOf<Q>, trace: {} };
    } catch (error) {
      // A cancelled question may be the last one before the thread ends, which would leave its state open.
      await opened.client.idle();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#models.close();
    await (await this.#opened)?.client.close();
  }

  async #open(): Promise<Opened> {
    const { settings, meta, changes } = this.#setting;
    const client = await ClusterClient.open(settings);
    return { client, index: new CurrentIndex(client, this.#models, meta, changes) };
  }

  async #answerTo(
    opened: Opened,
    question: Question,
    cancellation: Cancellation,
  ): Promise<AnswerOf<Question>> {
    const { client, index } = opened;
    const { signal } = cancellation;
    switch (question.kind) {
      case 'semantic':
        return this.#ask(opened, cancellation, async (asked) => {
          const { response } = await answerSearch(asked, question.query);
          return { json: json(response), results: response.total };
        });
      case 'explain':
        return this.#ask(opened, cancellation, async (asked) => {
          return json((await answerSearch(asked, question.query)).explanation);
        });
      case 'analytics':
        return this.#ask(opened, cancellation, async (asked) => {
          const response = await answerAnalytics(asked, question.query);
          return { json: json(response), results: response.results.length };
        });
      case 'details':
        return this.#ask(opened, cancellation, async (asked) => {
          return tagged(json(await answerDetails(asked, question.query)));
        });
      case 'coverage': {
        const counted = await index.run(
          (meta) => client.atOneState(meta.index, (state) => coverageOf(state, meta), signal),
          signal,
        );
        return json(counted);
      }
      case 'prepare':
        return index.withNewestModels(
          (models) => prepareUnits(storedHeads(client), models, question.units, signal),
          signal,
        );
      case 'embed':
        return index.withNewestModels((models) => embedDocuments(models, question.documents, signal), signal);
      default:
        throw new Error(`a cluster is not asked for: ${question.kind}`);
    }
  }

  /** Answers with the models of the current index, from one state of this very index. */
  #ask<T>(
    { client, index }: Opened,
    cancellation: Cancellation,
    work: (asked: Asked) => Promise<T>,
  ): Promise<T> {
    const { name, exactPassages } = this.#setting;
    const { signal } = cancellation;
    return index.run(
      (meta) =>
        index.withModels(meta, (models) =>
          client.atOneState(
            meta.index,
            async (state) => {
              const totals = await totalsOf(state);
              return work({ state, name, model: meta.model, models, cancellation, exactPassages, ...totals });
            },
            signal,
          ),
        ),
      signal,
    );
  }
}
