import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Engine, open } from '../engine.js';
import { PriorartError } from '../errors.js';
import { indexKinds } from '../index/kinds.js';
import { patentJsonSchema } from '../ingest/patent-schema.js';
import type { Failure } from '../ingest/readers/reader.js';
import { KNOWN_FORMATS, UNKNOWN_FORMAT } from '../ingest/readers/registry.js';
import type { DrawingSummary, IngestOptions, IngestProgress, IngestSummary } from '../ingest/summary.js';
import { checkPaths } from '../ingest/walk.js';
import { showStatus } from './ingest-status.js';
import { beNice } from './niceness.js';
import {
  dataCommand,
  indexSettings,
  OF_A_BUCKET,
  OF_A_CLUSTER,
  openOptions,
  settingsOf,
  whereOf,
  withSettings,
} from './options.js';
import {
  COMMAND,
  count,
  counted,
  duration,
  EXIT,
  inOneLine,
  interruption,
  ProgressLine,
  print,
  size,
} from './output.js';

/** Failures in the text output; `--json` lists all. */
const SHOWN_FAILURES = 20;
/** Reasons for skipping in the text output. */
const SHOWN_REASONS = 10;
/** Names of missing drawings in the text output. */
const SHOWN_MISSING = 3;
/** Default interval of `--watch`, s. */
const WATCH_SECONDS = 30;
/** `--watch` skips a folder in which a file changed less than this ago: more files may be on the way, ms. */
const SETTLED_MS = 3_000;

export function ingestCommand(): Command {
  const command = dataCommand('ingest', 'read patents from files, folders and archives into the index')
    .argument(
      '[paths...]',
      'files or folders of any format of the five offices, also in .gz, .zip, .tar, .tar.gz; - is standard input',
    )
    .option('--new', 'skip files that were read before and have not changed since')
    .option('--watch [seconds]', `check for new files at this interval (default: ${WATCH_SECONDS})`)
    .option('--status', 'print the files that were read: time, readers, results and failures')
    .option('--schema', 'print the JSON Schema of a line of JSON Lines and exit')
    .option('--index <kind>', `index of a new data folder (default: auto): ${indexKinds().join(', ')}`)
    .addHelpText(
      'after',
      `
To resume a run that was stopped or killed, run the command again: publications in the index are not written again.
Exit code: 0 when all was read, 3 when some inputs, records or drawings failed and the rest was stored or known, 1 when
nothing could be read, 2 for wrong usage.

Examples:
  priorart ingest --data ./patents weekly/ipg250107.zip
  priorart ingest --data ./patents kipris/ own.jsonl --json | tail -1
  curl -s https://example.org/weekly.tar.gz | priorart ingest --data ./patents -
  priorart ingest --data ./patents --new incoming/          # from cron
  priorart ingest --data ./patents --watch 60 incoming/
  priorart ingest --data ./patents --status`,
    )
    .action(run);
  return withSettings(command, ['workers', 'nice', 'models', 'drawings', ...OF_A_CLUSTER, ...OF_A_BUCKET]);
}

async function run(paths: string[], flags: Record<string, unknown>): Promise<void> {
  const alone = ['schema', 'status'].find((name) => flags[name]);
  if (alone !== undefined && paths.length > 0)
    throw new PriorartError('usage', `--${alone} takes no files; got ${paths.map(inOneLine).join(' ')}`);
  if (flags['schema']) return print(patentJsonSchema(), true, () => '');
  if (flags['status']) {
    const { data, engine } = indexSettings(flags);
    if (engine === 'embedded') return showStatus(data, flags['json'] === true);
    throw new PriorartError('usage', '--status shows the files of a data folder, not those of a cluster');
  }
  const every = watchSeconds(flags['watch']);
  if (paths.length === 0)
    throw new PriorartError('usage', 'no files given; expected `priorart ingest FILE…`');
  // A mistyped path must not leave an empty index behind.
  await checkPaths(paths);
  const { workers, nice, drawings } = settingsOf(flags, ['workers', 'nice', 'drawings']);
  beNice(nice);
  const { place, data, ...options } = openOptions(flags);
  const where = whereOf(flags, 'search');
  const index = flags['index'] === undefined ? {} : { indexKind: String(flags['index']) };
  const engine = await open(place, { create: true, workers, ...options, ...index });
  const line = new ProgressLine();
  const signal = interruption();
  try {
    let before: IngestSummary | undefined;
    for (let round = 1; ; round++) {
      const summary = await ingestOnce(engine, paths, line, {
        signal,
        drawings: drawings === 'on',
        onlyNew: flags['new'] === true || every !== undefined,
        ...(every === undefined ? {} : { settledMs: SETTLED_MS }),
      });
      if (every === undefined || round === 1 || hasNews(summary, before)) {
        print(summary, flags['json'] === true, () => summaryText(summary, where));
      }
      before = summary;
      if (every === undefined) {
        process.exitCode = exitCodeOf(summary);
        return;
      }
      await sleep(every * 1000, undefined, { signal });
    }
  } catch (error) {
    line.end();
    if (!signal.aborted) throw error;
    if (every !== undefined) return;
    throw new PriorartError('cancelled', 'stopped; run the same command again to resume', { cause: error });
  } finally {
    await engine.close();
  }
}

/** Whether a round of a watch has something to print. Unreadable images fail in each round, and are told once. */
function hasNews(
  { documents, failures, drawings }: IngestSummary,
  before: IngestSummary | undefined,
): boolean {
  if (documents > 0 || failures > 0 || (drawings?.stored ?? 0) > 0) return true;
  return JSON.stringify(drawings?.failed) !== JSON.stringify(before?.drawings?.failed);
}

/** As rsync: a run that took in only a part has a code of its own, so that a script can accept it. */
function exitCodeOf({ documents, failures, drawings, known_files: known = 0 }: IngestSummary): number {
  if (failures === 0 && (drawings?.failures ?? 0) === 0) return EXIT.done;
  const read = documents + known + (drawings?.stored ?? 0) + (drawings?.unchanged ?? 0);
  return read === 0 ? EXIT.failed : EXIT.partly;
}

async function ingestOnce(
  engine: Engine,
  paths: readonly string[],
  line: ProgressLine,
  options: IngestOptions,
): Promise<IngestSummary> {
  const started = performance.now();
  const onProgress = (progress: IngestProgress) => line.update(progressText(progress, started));
  const summary = await engine.ingest(paths, { ...options, onProgress });
  line.end();
  return summary;
}

/** Undefined without `--watch`. */
function watchSeconds(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const seconds = given === true ? WATCH_SECONDS : Number(given);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new PriorartError(
    'usage',
    `--watch: got "${given}"; expected seconds, an integer from 1 to 86400, or nothing behind it: FOLDER --watch`,
  );
}

function progressText(
  { bytesRead, totalBytes, documents, drawings, failed, note }: IngestProgress,
  started: number,
): string {
  const seconds = (performance.now() - started) / 1000;
  const share = totalBytes > 0 ? bytesRead / totalBytes : 0;
  const parts = [
    `${(share * 100).toFixed(0).padStart(3)} %`,
    `${size(bytesRead)} of ${size(totalBytes)}`,
    counted(documents, 'publication'),
    `${(documents / seconds).toFixed(0)}/s`,
  ];
  if (drawings) parts.push(`${counted(drawings, 'drawing')}`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  if (share > 0.01 && share < 1) parts.push(`${duration((seconds / share) * (1 - share))} left`);
  if (note) parts.push(note);
  return parts.join(', ');
}

function summaryText(summary: IngestSummary, where: string): string {
  const { documents, ingested, updated, unchanged, skipped, failures, failed, seconds } = summary;
  const { known_files: known, skipped_files: emptyFiles } = summary;
  const lines = [
    `${counted(documents, 'publication')} in ${seconds} s: ${count(ingested)} new, ${count(updated)} updated, ` +
      `${count(unchanged)} unchanged, ${count(skipped)} skipped, ${count(failures)} failed` +
      (known ? `; ${counted(known, 'file')} read before` : ''),
    ...(emptyFiles > 0
      ? [`${count(emptyFiles)} ${emptyFiles === 1 ? 'file' : 'files'} without patent data skipped`]
      : []),
    ...summary.skip_reasons.slice(0, SHOWN_REASONS).map(({ reason, count: times, first }) => {
      const place = placeOf(first);
      return `  skipped ${count(times)}: ${reason} (${times === 1 ? place : `first: ${place}`})`;
    }),
    ...failuresText(failed),
    ...unlistedText(failures, failed),
  ];
  if (summary.drawings) lines.push(...drawingsText(summary.drawings));
  if (ingested + updated + unchanged > 0) lines.push(`Search them: ${COMMAND} search ${where} "…"`);
  return lines.join('\n');
}

/**
 * Failures with the same reason share a line. Most frequent reasons first; known formats are listed once at
 * the end.
 */
function failuresText(failed: readonly Failure[]): string[] {
  const byReason = new Map<string, Failure[]>();
  for (const failure of failed) {
    const alike = byReason.get(failure.reason);
    if (alike) alike.push(failure);
    else byReason.set(failure.reason, [failure]);
  }
  const groups = [...byReason].sort(([, a], [, b]) => b.length - a.length);
  const lines = groups.slice(0, SHOWN_FAILURES).map(([reason, [first, ...others]]) => {
    const place = placeOf(first!);
    return others.length === 0
      ? `  ${place}: ${reason}`
      : `  failed ${count(others.length + 1)}: ${reason} (first: ${place})`;
  });
  const hidden = groups.length - SHOWN_FAILURES;
  if (hidden > 0) lines.push(`  … and ${counted(hidden, 'more reason')} (--json lists all failures)`);
  if (groups.some(([reason]) => reason.startsWith(UNKNOWN_FORMAT)))
    lines.push(`  Formats that are read: ${KNOWN_FORMATS.join('; ')}`);
  return lines;
}

/** What a summary counts and does not list. */
function unlistedText(failures: number, failed: readonly Failure[]): string[] {
  return failures > failed.length ? [`  … and ${counted(failures - failed.length, 'more failure')}`] : [];
}

/** `own.json, record 3, byte 784 (US1)`. */
function placeOf({ file, position, patent_id }: Omit<Failure, 'reason'>): string {
  return `${file}, ${position}${patent_id === undefined ? '' : ` (${patent_id})`}`;
}

function drawingsText({ unavailable, ...drawings }: DrawingSummary): string[] {
  if (unavailable !== undefined) return [unavailable];
  const { stored, unchanged, missing, missing_first: first, failures, failed } = drawings;
  if (stored + unchanged + missing + failures === 0) return [];
  const lines = [
    `${counted(stored + unchanged, 'drawing')}: ${count(stored)} new, ${count(unchanged)} unchanged, ` +
      `${count(failures)} failed`,
    ...failed
      .slice(0, SHOWN_FAILURES)
      .map(({ file, position, reason }) => `  ${file}, ${position}: ${reason}`),
  ];
  if (first.length > 0) {
    const shown = first.slice(0, SHOWN_MISSING).join(', ');
    // This is not an error: offices deliver texts and images separately.
    lines.push(
      `  ${count(missing)} more are named by the texts, but were not among the files that were read ` +
        `(${shown}${missing > SHOWN_MISSING ? ', …' : ''}); ingest the files with these images to add them`,
    );
  }
  return lines;
}
