/**
 * A password from a terminal, without echo, or else from standard input. Never from the command line, which
 * other users of the machine can read.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { PriorartError } from '../errors.js';
import { PASSWORD_CHARS } from '../limits.js';
import { inOneLine } from './output.js';

/** Bytes of standard input that are read: more than any password has. */
const INPUT_MAX_BYTES = 16 * PASSWORD_CHARS.max;

/**
 * Asks for a new password. A person types it twice.
 * @param what shown as the question
 * @throws PriorartError `usage` if the two differ, or the input is too long
 */
export async function askPassword(what: string): Promise<string> {
  if (!process.stdin.isTTY) return fromInput();
  const first = await typed(`${inOneLine(what)}: `);
  if ((await typed('Again: ')) === first) return first;
  throw new PriorartError('usage', 'password: the two passwords differ; nothing was changed');
}

async function fromInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > INPUT_MAX_BYTES) throw new PriorartError('usage', 'password: standard input is too long');
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  // The field of the page takes one line.
  if (/[\r\n]/.test(text)) {
    throw new PriorartError(
      'usage',
      'password: standard input has several lines; expected the password alone',
    );
  }
  return text;
}

/** A line that is typed on a terminal and not shown. */
async function typed(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // With `terminal`, the terminal does not echo, and readline writes what is typed to its output.
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  const interrupted = new AbortController();
  lines.on('SIGINT', () => interrupted.abort());
  lines.on('close', () => interrupted.abort());
  process.stderr.write(question);
  try {
    return await lines.question('', { signal: interrupted.signal });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new PriorartError('usage', 'password: interrupted; nothing was changed');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
