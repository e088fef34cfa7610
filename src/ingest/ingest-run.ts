/**
 * Commits the documents of one ingest. Each group of batches becomes a segment. Committed segments survive a kill. The
 * next run finds them unchanged and continues after them.
 */
import { isImageName } from '../drawings/name.js';
import { isPriorartError } from '../errors.js';
import { INGEST_COMMIT_MS } from '../limits.js';
import type { Outcome, Outdated } from '../store/commit.js';
import type { PreparedDocument } from '../store/document.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';
import type { SourceFile } from '../store/source-record.js';
import type { Figures } from './figures.js';
import { type Prepared, type Preparer, textsOf } from './prepare.js';
import type { Failure, SkippedFile } from './readers/reader.js';
import type { Revision } from './revise.js';
import type { DrawingSummary, IngestOptions, IngestSummary, SourcePlace } from './summary.js';
import { type Ended, Tallies } from './tally.js';
import type { IngestTarget, Refusal } from './target.js';

/** Waiting passages after which a segment is committed. */
const SEGMENT_PASSAGES = 16_384;
/** Attempts to embed documents if the model of the folder changes each time. */
const ATTEMPTS = 3;
/** Attempts in a row at which other programs had changed every publication that waits. */
const ATTEMPTS_IDLE = 20;
/** Limit of the failures listed in the summary. Further failures are only counted. */
const FAILURES_LISTED = 10_000;

/** One ingest: documents that wait for a commit, and the counts. */
export class IngestRun {
  readonly #target: IngestTarget;
  readonly #preparer: Preparer;
  readonly #options: IngestOptions;
  readonly #figures: Figures | undefined;
  readonly #started = performance.now();
  readonly #counts = { ingested: 0, updated: 0, unchanged: 0, skipped: 0 };
  readonly #failed: Failure[] = [];
  readonly #skipped = new Map<string, { count: number; first: SourcePlace }>();
  #skippedFiles = 0;
  #failures = 0;
  readonly #tallies = new Tallies();
  /** Files skipped because the ledger holds them. */
  #knownFiles = 0;
  #pending: PreparedDocument[] = [];
  /** The file of each pending document. */
  #files: string[] = [];
  /** Model of the pending vectors. */
  #model: ModelIdentity | undefined;
  #passages = 0;
  #lastCommit = performance.now();
  #progress = { bytesRead: 0, totalBytes: 0 };

  constructor(
    target: IngestTarget,
    preparer: Preparer,
    options: IngestOptions,
    figures: Figures | undefined,
  ) {
    this.#target = target;
    this.#preparer = preparer;
    this.#options = options;
    this.#figures = figures;
  }

  async take(prepared: Prepared): Promise<void> {
    this.#counts.unchanged += prepared.unchanged;
    for (const [reason, { count, first }] of Object.entries(prepared.skipped)) {
      this.#counts.skipped += count;
      this.#skip(reason, count, first);
    }
    this.failed(prepared.failed);
    await this.#figures?.name(prepared.drawings);
    for (const { file, format, unchanged, skipped } of prepared.read) {
      this.#tallies.read(file, format);
      this.#tallies.count(file, 'unchanged', unchanged);
      this.#tallies.count(file, 'skipped', skipped);
    }
    const { segmentPassages = SEGMENT_PASSAGES } = this.#options;
    if (this.#model && !sameModel(this.#model, prepared.model)) await this.flush();
    for (const document of prepared.documents) {
      // A commit within this loop may have embedded what waited with another model.
      this.#model = prepared.model;
      this.#pending.push(document);
      this.#files.push(document.file);
      this.#passages += document.passages.length;
      if (this.#passages >= segmentPassages) await this.flush();
    }
    if (performance.now() - this.#lastCommit > INGEST_COMMIT_MS) await this.flush();
    this.#report();
  }

  /**
   * Whether this run reads a file. Images are always read: a new publication may name an image that an
   * earlier run saw.
   */
  isWanted(file: SourceFile): boolean | 'with-folder' {
    const { onlyNew = false } = this.#options;
    if (!onlyNew || isImageName(file.path) || !this.#target.isRead(file)) return true;
    return this.#target.isJoined(file) && 'with-folder';
  }

  passedOver(): void {
    this.#knownFiles += 1;
  }

  /** Adds files whose documents have all been taken. */
  ended(files: readonly Ended[]): void {
    for (const file of files) if (!isImageName(file.name)) this.#tallies.end(file);
  }

  /** Commits the waiting documents as one segment. Completed files then enter the ledger. */
  async flush(): Promise<void> {
    if (this.#pending.length > 0) await this.#commitPending();
    await this.#figures?.writeNames();
    const ended = this.#tallies.takeEnded();
    if (ended.length > 0) await this.#figures?.settle();
    await this.#target.enter(ended);
  }

  /**
   * Commits the documents that wait. Those whose publication another program has meanwhile changed are revised again. Every such
   * change is progress of that program, so two ingests do not hold each other up for ever.
   */
  async #commitPending(): Promise<void> {
    const model = this.#model!;
    let waiting = this.#pending.map((document, n) => ({ document, file: this.#files[n]! }));
    for (let idle = 0; waiting.length > 0; ) {
      const revision = await this.#revise(
        waiting.map(({ document }) => document),
        model,
      );
      const outcomes = await this.#commit(revision.documents);
      const left = waiting.flatMap(({ document, file }, n) => {
        const outcome = this.#count(revision.became[n]!, outcomes, file);
        // What was written already must not be replaced by its own source alone.
        if (outcome === 'beside') return [{ document: { ...document, replaces: false }, file }];
        return outcome === 'outdated' ? [{ document, file }] : [];
      });
      idle = left.length < waiting.length ? 0 : idle + 1;
      waiting = idle < ATTEMPTS_IDLE ? left : [];
      if (waiting.length < left.length) {
        const failures = left.map(({ document, file }) => crowdedOut(document, file));
        for (const failure of failures) this.#tallies.failedForNow(failure);
        this.#list(failures);
      }
    }
    this.#pending = [];
    this.#files = [];
    this.#passages = 0;
    this.#lastCommit = performance.now();
    this.#target.tend((note) => this.#report(note));
  }

  /**
   * Merges parts and corrections, and embeds what that has changed.
   * @param model of the vectors of these documents
   */
  async #revise(pending: readonly PreparedDocument[], model: ModelIdentity): Promise<Revision> {
    const revision = await this.#target.revise(pending);
    const { documents, changed } = revision;
    if (!sameModel(model, this.#model!)) await this.#embedAnew(documents);
    else if (changed.length > 0) {
      const embedded = await this.#preparer.embed(changed.map(textsOf));
      for (const [n, document] of changed.entries()) Object.assign(document, embedded.documents[n]);
      if (!sameModel(embedded.model, model)) await this.#embedAnew(documents);
    }
    return revision;
  }

  async #commit(
    documents: readonly PreparedDocument[],
  ): Promise<Map<PreparedDocument, Outcome | Outdated | Refusal>> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await this.#target.commit(this.#model!, documents);
        return new Map(documents.map((document, n) => [document, outcomes[n] ?? 'unchanged']));
      } catch (error) {
        if (!isPriorartError(error) || error.code !== 'model_mismatch' || attempt >= ATTEMPTS) throw error;
        await this.#embedAnew(documents);
      }
    }
  }

  /** Counts a document by the outcome of what became of it. @returns the outcome if it has to be revised again */
  #count(
    document: PreparedDocument,
    outcomes: Map<PreparedDocument, Outcome | Outdated | Refusal>,
    file: string,
  ): Outdated | undefined {
    const outcome = outcomes.get(document) ?? 'unchanged';
    if (outcome === 'outdated' || outcome === 'beside') return outcome;
    if (typeof outcome === 'object') {
      const reason = `not stored: ${outcome.refused}`;
      this.failed([{ file, position: document.patent.patent_id, reason }]);
      return undefined;
    }
    this.#counts[outcome] += 1;
    this.#tallies.count(file, outcome);
    // The second part of a publication changes the document of the first part.
    outcomes.set(document, 'updated');
    return undefined;
  }

  /** Embeds the documents again after the model of the folder has changed. */
  async #embedAnew(documents: readonly PreparedDocument[]): Promise<void> {
    const embedded = await this.#preparer.embed(documents.map(textsOf));
    for (const [n, document] of documents.entries()) Object.assign(document, embedded.documents[n]);
    this.#model = embedded.model;
  }

  /** Waits for work in the background. */
  stop(): Promise<void> {
    return this.#target.stop();
  }

  /** Finishes work in the background. */
  settle(): Promise<void> {
    return this.#target.settle();
  }

  read(bytesRead: number, totalBytes: number): void {
    this.#progress = { bytesRead, totalBytes };
    this.#report();
  }

  skippedFile({ file, position, reason }: SkippedFile): void {
    this.#skippedFiles += 1;
    this.#skip(reason, 1, { file, position });
  }

  #skip(reason: string, count: number, first: SourcePlace): void {
    const before = this.#skipped.get(reason);
    this.#skipped.set(reason, { count: (before?.count ?? 0) + count, first: before?.first ?? first });
  }

  failed(failures: readonly Failure[]): void {
    for (const failure of failures) this.#tallies.failed(failure);
    this.#list(failures);
  }

  #list(failures: readonly Failure[]): void {
    this.#failures += failures.length;
    this.#failed.push(...failures.slice(0, FAILURES_LISTED - this.#failed.length));
  }

  #documents(): number {
    const { ingested, updated, unchanged, skipped } = this.#counts;
    return ingested + updated + unchanged + skipped;
  }

  #report(note?: string): void {
    this.#options.onProgress?.({
      ...this.#progress,
      documents: this.#documents() + this.#pending.length,
      failed: this.#failures,
      ...(this.#figures ? { drawings: this.#figures.count } : {}),
      ...(note === undefined ? {} : { note }),
    });
  }

  summary(drawings: DrawingSummary | undefined): IngestSummary {
    const seconds = Math.round((performance.now() - this.#started) / 10) / 100;
    const reasons = [...this.#skipped]
      .map(([reason, { count, first }]) => ({ reason, count, first }))
      .sort((a, b) => b.count - a.count)
      .slice(0, FAILURES_LISTED);
    const known = this.#options.onlyNew ? { known_files: this.#knownFiles } : {};
    return {
      documents: this.#documents(),
      ...this.#counts,
      skipped_files: this.#skippedFiles,
      skip_reasons: reasons,
      failures: this.#failures,
      failed: [...this.#failed],
      seconds,
      ...(drawings ? { drawings } : {}),
      ...known,
    };
  }
}

function crowdedOut({ patent }: PreparedDocument, file: string): Failure {
  const reason = 'not stored: other programs change this publication all the time; ingest it again';
  return { file, position: patent.patent_id, reason };
}
