/** What the answer about ingests derives from the files of the ledger, of which there may be hundreds of thousands. */
import type { ListedFile } from '../../../../observe/observations.js';

/** Runs in an answer. */
const LATEST_RUNS = 50;

type Outcomes = Pick<ListedFile, 'ingested' | 'updated' | 'unchanged' | 'skipped' | 'failed' | 'bytes'>;

interface Run extends Outcomes {
  /** Time, ISO. */
  started: string;
  files: number;
  files_with_failures: number;
}

interface IngestOverview {
  /** The files, the last one that was read first. */
  files: readonly ListedFile[];
  /** Those with failures. */
  failing: readonly ListedFile[];
  totals: Outcomes;
  /** The latest runs, newest first, with the files that they read last. */
  runs: readonly Run[];
}

/** Overviews by the array that they were made of: an open dashboard asks every second. */
const made = new WeakMap<readonly ListedFile[], IngestOverview>();

/** The overview of files. The same array has the same overview. */
export function overviewOf(files: readonly ListedFile[]): IngestOverview {
  const known = made.get(files);
  if (known) return known;
  const ordered = [...files].sort(latestFirst);
  const totals = noOutcomes();
  const runs = new Map<string, Run>();
  for (const file of ordered) {
    add(totals, file);
    if (file.run === undefined) continue;
    let run = runs.get(file.run);
    if (!run) {
      run = { started: file.run, files: 0, files_with_failures: 0, ...noOutcomes() };
      runs.set(file.run, run);
    }
    run.files++;
    if (file.failed > 0) run.files_with_failures++;
    add(run, file);
  }
  const newest = [...runs.values()].sort((a, b) => (a.started < b.started ? 1 : -1)).slice(0, LATEST_RUNS);
  const failing = ordered.filter(({ failed }) => failed > 0);
  const overview = { files: ordered, failing, totals, runs: newest };
  made.set(files, overview);
  return overview;
}

/** Files that were read in the same millisecond have an order, too: pages neither repeat nor lose one. */
function latestFirst(a: ListedFile, b: ListedFile): number {
  if (a.last_read !== b.last_read) return a.last_read < b.last_read ? 1 : -1;
  return a.path < b.path ? -1 : 1;
}

function noOutcomes(): Outcomes {
  return { ingested: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, bytes: 0 };
}

function add(sum: Outcomes, file: Outcomes): void {
  sum.ingested += file.ingested;
  sum.updated += file.updated;
  sum.unchanged += file.unchanged;
  sum.skipped += file.skipped;
  sum.failed += file.failed;
  sum.bytes += file.bytes;
}
