/**
 * Commits the documents of one ingest. Each group of batches becomes a segment. Committed segments survive a kill. The
 * next run finds them unchanged and continues after them.
 */
import { isImageName } from '../drawings/name.js';
import { isPriorartError } from '../errors.js';
import type { PreparedDocument } from '../store/document.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';
import type { SourceFile } from '../store/source-record.js';
import type { Figures } from './figures.js';
import { type Prepared, type Preparer, textsOf } from './prepare.js';
import type { Failure, SkippedFile } from './readers/reader.js';
import type { DrawingSummary, IngestOptions, IngestSummary, SourcePlace } from './summary.js';
import { type Ended, Tallies } from './tally.js';
import type { IngestTarget } from './target.js';

/** Waiting passages, and milliseconds since the last commit, after which a segment is committed. */
const SEGMENT_PASSAGES = 16_384;
const SEGMENT_MS = 5_000;
/** Attempts to embed documents if the model of the folder changes each time. */
const ATTEMPTS = 3;
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
  #unlisted = 0;
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
    this.#model = prepared.model;
    for (const document of prepared.documents) {
      this.#pending.push(document);
      this.#files.push(document.file);
      this.#passages += document.passages.length;
      if (this.#passages >= segmentPassages) await this.flush();
    }
    if (performance.now() - this.#lastCommit > SEGMENT_MS) await this.flush();
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

  async #commitPending(): Promise<void> {
    const files = this.#files;
    const became = await this.#revise();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#commit(this.#model!, became, files);
        break;
      } catch (error) {
        if (!isPriorartError(error) || error.code !== 'model_mismatch' || attempt >= ATTEMPTS) throw error;
        await this.#embedAnew();
      }
    }
    this.#pending = [];
    this.#files = [];
    this.#passages = 0;
    this.#lastCommit = performance.now();
    this.#target.tend((note) => this.#report(note));
  }

  /** Merges parts and corrections. Returns the resulting document of each document that waited. */
  async #revise(): Promise<PreparedDocument[]> {
    const { documents, changed, became } = await this.#target.revise(this.#pending);
    this.#pending = documents;
    if (changed.length === 0) return became;
    const { model, documents: derived } = await this.#preparer.embed(changed.map(textsOf));
    for (const [n, document] of changed.entries()) Object.assign(document, derived[n]);
    if (!this.#model || !sameModel(model, this.#model)) await this.#embedAnew();
    return became;
  }

  async #commit(
    model: ModelIdentity,
    became: readonly PreparedDocument[],
    files: readonly string[],
  ): Promise<void> {
    const documents = this.#pending;
    const outcomes = await this.#target.commit(model, documents);
    const outcomeOf = new Map(documents.map((document, n) => [document, outcomes[n] ?? 'unchanged']));
    for (const [n, document] of became.entries()) {
      const outcome = outcomeOf.get(document) ?? 'unchanged';
      if (typeof outcome === 'object') {
        this.failed([
          { file: files[n]!, position: document.patent.patent_id, reason: `not stored: ${outcome.refused}` },
        ]);
        continue;
      }
      this.#counts[outcome] += 1;
      this.#tallies.count(files[n]!, outcome);
      // The second part of a publication changes the document of the first part.
      outcomeOf.set(document, 'updated');
    }
  }

  /** Embeds the documents again after the model of the folder has changed. */
  async #embedAnew(): Promise<void> {
    const { model, documents } = await this.#preparer.embed(this.#pending.map(textsOf));
    for (const [n, document] of this.#pending.entries()) Object.assign(document, documents[n]);
    this.#model = model;
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
    for (const failure of failures) {
      this.#tallies.failed(failure);
      if (this.#failed.length < FAILURES_LISTED) this.#failed.push(failure);
      else this.#unlisted += 1;
    }
  }

  #documents(): number {
    const { ingested, updated, unchanged, skipped } = this.#counts;
    return ingested + updated + unchanged + skipped;
  }

  #report(note?: string): void {
    this.#options.onProgress?.({
      ...this.#progress,
      documents: this.#documents() + this.#pending.length,
      failed: this.#failed.length + this.#unlisted,
      ...(this.#figures ? { drawings: this.#figures.count } : {}),
      ...(note === undefined ? {} : { note }),
    });
  }

  summary(drawings: DrawingSummary | undefined): IngestSummary {
    const failed = [...this.#failed];
    if (this.#unlisted > 0) {
      failed.push({ file: '', position: '', reason: `and ${this.#unlisted} more failures` });
    }
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
      failed,
      seconds,
      ...(drawings ? { drawings } : {}),
      ...known,
    };
  }
}
