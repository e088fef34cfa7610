/**
 * Progress of running ingests, for other processes to see: a small file for each, in `ingests/` of the data folder. It is
 * replaced as a whole, at most once a second, and removed at the end. It is not synced: after a crash it means nothing, and
 * an old one is ignored. An ingest never fails because of it, so a file that cannot be written is not written.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'ingests';
const EVERY_MS = 1_000;
/** An ingest that has written nothing for this long was killed or stopped, ms. */
const ALIVE_MS = 15_000;
/** Files in the folder that are read: more ingests at once are not shown. */
const SHOWN_MAX = 16;
const BYTES_MAX = 4_096;
const NAME = /^[\da-f-]{36}\.json$/;

/** A running ingest. */
export interface RunningIngest {
  /** Times, ISO 8601. */
  started: string;
  /** When these numbers held. */
  at: string;
  bytes_read: number;
  /** Bytes of all files; 0 if they are unknown, as those of standard input. */
  total_bytes: number;
  /** Publications read. */
  documents: number;
  failed: number;
}

type Counts = Pick<RunningIngest, 'bytes_read' | 'total_bytes' | 'documents' | 'failed'>;

/** The file of one ingest. It appears after a second: a short ingest writes none. */
export class IngestProgressFile {
  readonly #folder: string;
  readonly #name = `${randomUUID()}.json`;
  readonly #started = new Date().toISOString();
  readonly #isInPlace: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #counts: Counts = { bytes_read: 0, total_bytes: 0, documents: 0, failed: 0 };
  #isWritten = false;

  /**
   * @param dir data folder, which exists
   * @param isInPlace whether the folder at this path is still the one that was opened. Nothing is written to another.
   */
  constructor(dir: string, isInPlace: () => boolean = () => true) {
    this.#folder = join(dir, FOLDER);
    this.#isInPlace = isInPlace;
    this.#timer = setInterval(() => this.#write(), EVERY_MS).unref();
  }

  update(counts: Counts): void {
    this.#counts = counts;
  }

  /** The ingest has ended. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#isWritten) attempt(() => rmSync(join(this.#folder, this.#name), { force: true }));
  }

  #write(): void {
    const running: RunningIngest = { started: this.#started, at: new Date().toISOString(), ...this.#counts };
    attempt(() => {
      if (!this.#isInPlace()) return;
      if (!this.#isWritten) {
        // Not recursive: a data folder that was moved away must not appear again.
        attempt(() => mkdirSync(this.#folder, { mode: 0o700 }));
        removeDead(this.#folder);
      }
      const temporary = join(this.#folder, `${this.#name}.new`);
      writeFileSync(temporary, JSON.stringify(running), { mode: 0o600 });
      renameSync(temporary, join(this.#folder, this.#name));
      this.#isWritten = true;
    });
  }
}

/**
 * Ingests that run now on a data folder, in any process, the first one first.
 * @param now ms since 1970
 */
export function runningIngests(dir: string, now = Date.now()): RunningIngest[] {
  const running: RunningIngest[] = [];
  for (const name of namesIn(join(dir, FOLDER)).filter((file) => NAME.test(file))) {
    const found = readIn(join(dir, FOLDER, name));
    if (found && now - Date.parse(found.at) <= ALIVE_MS) running.push(found);
    if (running.length === SHOWN_MAX) break;
  }
  return running.sort((a, b) => (a.started < b.started ? -1 : 1));
}

/** Removes what killed ingests have left. */
function removeDead(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const found = readIn(path);
    if (!found || Date.now() - Date.parse(found.at) > ALIVE_MS) attempt(() => rmSync(path, { force: true }));
  }
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

/** Undefined for a file that is gone, torn or something else. */
function readIn(path: string): RunningIngest | undefined {
  const bytes = attempt(() => statSync(path).size);
  if (bytes === undefined || bytes > BYTES_MAX) return undefined;
  const text = attempt(() => readFileSync(path, 'utf8'));
  if (text === undefined) return undefined;
  const found = attempt(() => JSON.parse(text) as Partial<RunningIngest> | null);
  if (!found) return undefined;
  const { started, at, bytes_read, total_bytes, documents, failed } = found;
  const areTimes = [started, at].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)));
  const counts = { bytes_read, total_bytes, documents, failed };
  if (!areTimes || !Object.values(counts).every((count) => Number.isSafeInteger(count) && count! >= 0)) {
    return undefined;
  }
  return { started: started!, at: at!, ...(counts as Counts) };
}

/** The result, or undefined if it failed: progress is for people to see, and never stops an ingest or an answer. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
