import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { PriorartError } from '../errors.js';
import { parseFilter } from '../search/query.js';
import { syncFolderAsync } from '../store/room.js';
import { dataCommand, OF_A_CLUSTER, withSettings } from './options.js';
import { counted, escapeControls, interruption, ProgressLine, print, size } from './output.js';
import { openPublications } from './publications.js';
import { filterOf, withFiltersOnly } from './request.js';
import { writtenRecord } from './written-record.js';

export function exportCommand(): Command {
  const command = dataCommand('export', 'write whole records as JSON Lines, which `ingest` can read')
    .option('--vectors', 'add the passages of each record and their vectors, in the field _passages')
    .option('--out <file>', 'write here instead of standard output; the file appears when it is complete')
    .addHelpText(
      'after',
      `
One record per line, ordered by patent_id, from one state of the index: later ingests do not change it. With
no filter all publications are written, utility models and designs included. Drawings stay in the data folder.

Examples:
  priorart export > patents.jsonl
  priorart export --countries KR,JP --filing-date-from 2020-01-01 --out korea-japan.jsonl
  priorart export --vectors --publication-number US11217824B2 | head -1`,
    )
    .action(run);
  return withFiltersOnly(withSettings(command, OF_A_CLUSTER));
}

/** Output of lines. */
interface Lines {
  write(line: string): Promise<void>;
  /** Syncs the output to disk and gives a file its name. */
  end(): Promise<void>;
  discard(): Promise<void>;
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const filters = parseFilter(filterOf(flags));
  const file = flags['out'] === undefined ? undefined : String(flags['out']);
  const publications = await openPublications(flags);
  const signal = interruption();
  const progress = new ProgressLine();
  const summary = { exported: 0, bytes: 0, seconds: 0 };
  const started = performance.now();
  try {
    const lines = file === undefined ? standardOutput() : await linesOfFile(file);
    try {
      const vectors = flags['vectors'] === true;
      for await (const patent of publications.allRecords(filters, { vectors, signal })) {
        const line = `${escapeControls(JSON.stringify(writtenRecord(patent)))}\n`;
        await lines.write(line);
        summary.exported += 1;
        summary.bytes += Buffer.byteLength(line);
        progress.update(`${counted(summary.exported, 'publication')}, ${size(summary.bytes)}`);
      }
      await lines.end();
    } catch (error) {
      await lines.discard();
      if (!signal.aborted) throw error;
      const left =
        file === undefined ? 'the lines written so far are not all' : 'the written lines were discarded';
      throw new PriorartError('cancelled', `stopped; ${left}`, { cause: error });
    }
  } finally {
    progress.end();
    await publications.close();
  }
  summary.seconds = Math.round((performance.now() - started) / 10) / 100;
  const text = () =>
    `${counted(summary.exported, 'publication')}, ${size(summary.bytes)}, in ${summary.seconds} s` +
    (file === undefined ? '' : `: ${file}`);
  // Standard output holds the records unless they go to a file.
  if (file !== undefined) print(summary, flags['json'] === true, text);
  else process.stderr.write(`${flags['json'] === true ? JSON.stringify(summary) : text()}\n`);
}

function standardOutput(): Lines {
  return {
    write: async (line) => {
      if (!process.stdout.write(line)) await once(process.stdout, 'drain');
    },
    end: async () => {},
    discard: async () => {},
  };
}

/** Why the system makes no file, and what to do. Its folder is not made: the disk that it is on may not be mounted. */
function whyNotMade(file: string, { code }: NodeJS.ErrnoException): string {
  return code === 'ENOENT'
    ? `its folder ${dirname(resolve(file))} does not exist; mount the disk that it is on, or make the folder first`
    : `cannot be written (${code}); check its folder, or name another path`;
}

/** Bytes of lines that are collected before a write. */
const WRITE_BYTES = 1 << 20;

async function linesOfFile(file: string): Promise<Lines> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new PriorartError('usage', `--out ${file}: is a folder; expected a file`);
  }
  // Another export may be writing the same file.
  const part = `${file}.part-${randomUUID()}`;
  const handle = await open(part, 'wx').catch((cause: NodeJS.ErrnoException) => {
    throw new PriorartError('usage', `--out ${file}: ${whyNotMade(file, cause)}`, { cause });
  });
  let waiting: string[] = [];
  let characters = 0;
  const flush = async () => {
    const text = waiting.join('');
    waiting = [];
    characters = 0;
    await handle.appendFile(text);
  };
  return {
    write: async (line) => {
      waiting.push(line);
      characters += line.length;
      if (characters >= WRITE_BYTES) await flush();
    },
    end: async () => {
      await flush();
      await handle.sync();
      await handle.close();
      await rename(part, file);
      await syncFolderAsync(dirname(resolve(file)));
    },
    discard: async () => {
      await handle.close().catch(() => {});
      await rm(part, { force: true });
    },
  };
}
