/**
 * Builds a data folder of generated documents with the library: prepares, commits, merges and indexes them as an ingest
 * does. Memory is bounded by the documents of a few segments. An interrupted build can be resumed, and a finished folder
 * can be enlarged.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { mergeSegments } from '../../src/index/merge.js';
import { writeSegment } from '../../src/index/segment.js';
import { identityOf, loadModels } from '../../src/models/load.js';
import { commitDocuments } from '../../src/store/commit.js';
import type { PreparedDocument } from '../../src/store/document.js';
import { Store } from '../../src/store/store.js';
import { readVocabulary, type Vocabulary } from './vocabulary.js';

/** Increased whenever the documents of a seed change. */
export const GENERATOR_VERSION = 1;
/** Same value as `SEGMENT_PASSAGES` in src/ingest/ingest.ts. */
const SEGMENT_PASSAGES = 16_384;
/** Blocks that each thread makes in advance. */
const AHEAD = 3;
const STATE = 'corpus.json';

export interface CorpusOptions {
  dir: string;
  passages: number;
  seed?: number;
  /** Threads that make documents. */
  threads?: number;
  progress?(text: string): void;
}

/** The progress of a build, stored beside the data. */
export interface CorpusState {
  generator: number;
  seed: number;
  /** Number of blocks that are committed completely. */
  blocks: number;
  documents: number;
  passages: number;
  /** Whether the folder is merged and indexed. */
  finished: boolean;
  /** Time of all runs, and processor time of all threads in them, s. */
  seconds: number;
  cpuSeconds: number;
}

/** Builds a folder, or completes it. */
export async function buildCorpus(options: CorpusOptions): Promise<CorpusState> {
  const { dir, passages, seed = 1, progress = () => {} } = options;
  mkdirSync(dir, { recursive: true });
  const path = join(dir, STATE);
  const before = readState(path, seed);
  if (before.finished && before.passages >= passages) return before;
  const { embedder, reranker } = await loadModels();
  const store = Store.openOrCreate(dir, identityOf(embedder), 'auto');
  await Promise.all([embedder.close(), reranker.close()]);
  const run = new Run(store, path, { ...before, finished: false });
  try {
    if (store.manifest().passages < passages) {
      const threads = options.threads ?? availableParallelism();
      const makers = new Makers(readVocabulary(), seed, threads, before.blocks);
      try {
        while (run.passages < passages) {
          run.take(await makers.next(), passages);
          progress(`${run.passages} of ${passages} passages`);
        }
        run.commit();
      } finally {
        await makers.close();
      }
    }
    progress('merging, building the index');
    await mergeSegments(store, { full: true });
    return run.finish();
  } finally {
    await store.close();
  }
}

function readState(path: string, seed: number): CorpusState {
  const none = { blocks: 0, documents: 0, passages: 0, finished: false, seconds: 0, cpuSeconds: 0 };
  if (!existsSync(path)) return { generator: GENERATOR_VERSION, seed, ...none };
  const state = JSON.parse(readFileSync(path, 'utf8')) as CorpusState;
  if (state.seed === seed && state.generator === GENERATOR_VERSION) return state;
  throw new Error(
    `${path} was made with another seed or generator; remove its folder or choose another folder`,
  );
}

/** The documents that wait for a commit, and the progress of the build. */
class Run {
  readonly #store: Store;
  readonly #path: string;
  readonly #started = performance.now();
  readonly #cpu = process.cpuUsage();
  #state: CorpusState;
  #blocks: number;
  #waiting: PreparedDocument[] = [];
  passages: number;
  #committed: number;

  constructor(store: Store, path: string, state: CorpusState) {
    this.#store = store;
    this.#path = path;
    this.#state = state;
    this.#blocks = state.blocks;
    this.passages = store.manifest().passages;
    this.#committed = this.passages;
  }

  /** Adds the next block. Documents beyond the wanted number of passages are left out. */
  take(documents: readonly PreparedDocument[], wanted: number): void {
    const waiting = new Set(this.#waiting.map(({ patent }) => patent.patent_id));
    for (const document of documents) {
      if (this.passages >= wanted) return;
      const { patent_id: id } = document.patent;
      // An interrupted run may have committed a part of the block.
      if (waiting.has(id) || this.#store.ids.get(id) !== undefined) continue;
      this.#waiting.push(document);
      this.passages += document.passages.length;
    }
    this.#blocks += 1;
    if (this.passages - this.#committed >= SEGMENT_PASSAGES) this.commit();
  }

  commit(): void {
    const documents = this.#waiting;
    if (documents.length > 0) {
      commitDocuments(this.#store, this.#store.manifest().model, documents, (segment, firstDoc) =>
        writeSegment(this.#store, segment, firstDoc, documents),
      );
    }
    this.#waiting = [];
    this.#committed = this.passages;
    this.#write({ blocks: this.#blocks });
  }

  finish(): CorpusState {
    return this.#write({ finished: true });
  }

  #write(change: Partial<CorpusState>): CorpusState {
    const { documents, passages } = this.#store.manifest();
    const { user, system } = process.cpuUsage(this.#cpu);
    const written = { ...this.#state, ...change, documents, passages };
    this.#state = written;
    const shown: CorpusState = {
      ...written,
      seconds: this.#state.seconds + (performance.now() - this.#started) / 1000,
      cpuSeconds: this.#state.cpuSeconds + (user + system) / 1e6,
    };
    writeFileSync(`${this.#path}.tmp`, `${JSON.stringify(shown, null, 1)}\n`);
    renameSync(`${this.#path}.tmp`, this.#path);
    return shown;
  }
}

/** Threads that make blocks. Returns the blocks in order. */
class Makers {
  readonly #workers: Worker[];
  readonly #made = new Map<number, PreparedDocument[]>();
  #given: number;
  #asked: number;
  #wake: () => void = () => {};
  #failed: Error | undefined;

  constructor(vocabulary: Vocabulary, seed: number, threads: number, first: number) {
    this.#given = first;
    this.#asked = first;
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./worker.js', import.meta.url), {
        workerData: { vocabulary, seed },
      });
      worker.on('message', ({ block, documents }: { block: number; documents: PreparedDocument[] }) => {
        this.#made.set(block, documents);
        this.#wake();
      });
      worker.on('error', (error) => {
        this.#failed = error as Error;
        this.#wake();
      });
      return worker;
    });
    for (let n = 0; n < threads * AHEAD; n++) this.#ask();
  }

  async next(): Promise<PreparedDocument[]> {
    for (;;) {
      if (this.#failed) throw this.#failed;
      const made = this.#made.get(this.#given);
      if (made) {
        this.#made.delete(this.#given++);
        this.#ask();
        return made;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #ask(): void {
    this.#workers[this.#asked % this.#workers.length]!.postMessage(this.#asked++);
  }
}
