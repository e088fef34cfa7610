/** Output of all commands: results on standard output, everything else on standard error. */
import { basename, relative } from 'node:path';
import { isPriorartError, type PriorartError } from '../errors.js';
import { inOptions, proposing, withSources } from './messages.js';

/** Exit codes. `partly`: some inputs of an ingest failed, and the others are stored. */
export const EXIT = { done: 0, failed: 1, usage: 2, partly: 3 } as const;

/** How this program was called, for hints that can be pasted. `priorart` may not be on the PATH. */
export const COMMAND = commandName(process.argv[1] ?? 'priorart');

function commandName(script: string): string {
  if (!script.endsWith('.js')) return basename(script);
  const path = relative(process.cwd(), script);
  return `node ${path.startsWith('..') ? script : path}`;
}

/** Prints a result, as text for people or as one line of JSON. */
export function print(value: unknown, json: boolean | undefined, text: () => string): void {
  process.stdout.write(`${escapeControls(json ? JSON.stringify(value) : text())}\n`);
}

/** Escapes control characters, which could act on a terminal. Escaped JSON is the same JSON. */
export function escapeControls(text: string): string {
  return escaped(text, CONTROLS);
}

/**
 * Ends the process when the reader of standard output closes it, as in `priorart export | head`, and when standard output
 * cannot be written, as on a full disk.
 */
export function endWithReader(): void {
  // A server goes on if the reader of its messages goes away.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(`priorart: standard output: ${inOneLine(error.message)}\n`);
    process.exit(EXIT.failed);
  });
}

/** Control characters except line feed and tab. They move a terminal's cursor, colour text or type input. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu;
/** Control characters, line ends and marks that change the direction of writing. */
const NOT_IN_A_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes external text for use within one line: invisible characters and line ends become `\u001b` and the
 * like.
 */
export function inOneLine(text: string): string {
  return escaped(text, NOT_IN_A_LINE);
}

function escaped(text: string, which: RegExp): string {
  return text.replace(which, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Prints an error, with a stack only for unexpected errors. Returns the exit code. */
export function reportError(error: unknown): number {
  const known = ofTheSystem(error);
  if (known !== undefined) {
    process.stderr.write(`priorart: ${inOneLine(known)}\n`);
    return EXIT.failed;
  }
  if (!isPriorartError(error)) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.failed;
  }
  const isRefused =
    ['usage', 'unknown_index_kind'].includes(error.code) || [400, 409, 422].includes(error.status);
  const message = error.inCommand ?? error.message;
  const inWords = isRefused || error.code === 'not_found' ? inOptions(message) : message;
  process.stderr.write(`priorart: ${proposing(withSources(inWords))}\n`);
  return isRefused && !isOfUnknown(error) ? EXIT.usage : EXIT.failed;
}

/** Whether the user named something that is not there: a publication or a file. The command was used rightly. */
function isOfUnknown({ cause }: PriorartError): boolean {
  return ['not_found', 'ENOENT'].includes((cause as { code?: string } | undefined)?.code ?? '');
}

/** Message for an error of the operating system, which is seldom a fault of the program; undefined for other errors. */
function ofTheSystem(error: unknown): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const place = path === undefined ? 'a file' : path;
  switch (code) {
    case 'EMFILE':
    case 'ENFILE':
      return `too few file descriptors to open ${place}; allow more: ulimit -n 65536`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to read or write ${place}; check its owner and mode`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `no room to write ${place}; free some space`;
    case 'EROFS':
      return `${place} cannot be written: its file system is read-only`;
    case 'ENOENT':
      return `${place} cannot be opened: it does not exist, or the folder that it should be in`;
    case 'EISDIR':
      return `${place} is a folder; expected a file`;
    case 'ENOTDIR':
      return `${place} cannot be opened: a part of its path is a file, not a folder`;
    default:
      return undefined;
  }
}

const PROGRESS_EVERY_MS = { terminal: 200, plain: 2_000 };

/** Progress on standard error: a line that is rewritten on a terminal, or printed at intervals elsewhere. */
export class ProgressLine {
  readonly #terminal = process.stderr.isTTY === true;
  /** Nothing is shown before the first interval has passed: short work needs no progress. */
  #last = performance.now();
  #shown = false;

  update(text: string): void {
    const now = performance.now();
    const every = this.#terminal ? PROGRESS_EVERY_MS.terminal : PROGRESS_EVERY_MS.plain;
    if (now - this.#last < every) return;
    this.#last = now;
    this.#shown = true;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text}` : `${text}\n`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#terminal && this.#shown) process.stderr.write('\r\x1b[K');
  }
}

/** A signal that fires at Ctrl-C or SIGTERM. A second one, of either kind, ends the process. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

/** 1234567 as `1,234,567`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

/** `1 file`, `2 files`, for a noun that takes an s. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A monthly quota, as `300 searches a month`. */
export function searchesAMonth(quota: number): string {
  return `${count(quota)} ${quota === 1 ? 'search' : 'searches'} a month`;
}

/** Bytes as `12.3 MB`. */
export function size(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Seconds as `45 s` or `12 min`. */
export function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
