/**
 * The destination of a server's log: standard output. Several lines are written at once, because a write costs a busy
 * server more than a line. Buffered lines are written a moment later, and when the process ends, unless it is killed. If
 * the reader of the pipe is too slow or the disk is full, lines are dropped and counted, and the server goes on. (pino's
 * own destination waits forever for a full disk when it is flushed.)
 */
import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { LOG_BUFFER } from '../limits.js';

export interface LogOutput extends DestinationStream {
  /** Writes the buffered lines, as far as possible. For the end of the program. */
  flushSync(): void;
  /** Number of dropped lines. */
  readonly lost: number;
}

export function bufferedOutput(fd = 1): LogOutput {
  const output = new BufferedOutput(fd);
  setInterval(() => output.flush(), LOG_BUFFER.flushMs).unref();
  process.on('exit', () => output.flushSync());
  return output;
}

class BufferedOutput implements LogOutput {
  readonly #fd: number;
  #lines: string[] = [];
  #chars = 0;
  /** The lines that are being written: the bytes that are not written yet. */
  #writing: { bytes: Buffer; lines: number } | undefined;
  #lost = 0;
  /** Number of dropped lines that the log has reported. */
  #reported = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  get lost(): number {
    return this.#lost;
  }

  write(line: string): void {
    if (this.#chars + line.length > LOG_BUFFER.maxBytes) {
      this.#lost += 1;
      return;
    }
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= LOG_BUFFER.writeBytes) this.flush();
  }

  flush(): void {
    if (this.#writing !== undefined || this.#lines.length === 0) return;
    this.#writing = this.#take();
    this.#writeOn();
  }

  flushSync(): void {
    const before = this.#writing ? [this.#writing] : [];
    const after = this.#lines.length > 0 ? [this.#take()] : [];
    this.#writing = undefined;
    for (const { bytes, lines } of [...before, ...after]) {
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
      } catch {
        // The disk or the pipe is full, or the pipe has no reader. The process ends, so it cannot wait.
        this.#lost += lines;
        return;
      }
    }
  }

  #take(): { bytes: Buffer; lines: number } {
    const unreported = this.#lost - this.#reported;
    if (unreported > 0) this.#lines.push(lostLine(unreported));
    this.#reported = this.#lost;
    const taken = { bytes: Buffer.from(this.#lines.join('')), lines: this.#lines.length };
    this.#lines = [];
    this.#chars = 0;
    return taken;
  }

  #writeOn(): void {
    const { bytes, lines } = this.#writing!;
    write(this.#fd, bytes, (error, written) => {
      // flushSync has written the bytes meanwhile.
      if (this.#writing?.bytes !== bytes) return;
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#writing?.bytes === bytes && this.#writeOn(), LOG_BUFFER.flushMs).unref();
        return;
      }
      if (error) {
        this.#lost += lines;
        this.#writing = undefined;
        return;
      }
      this.#writing = written < bytes.length ? { bytes: bytes.subarray(written), lines } : undefined;
      if (this.#writing) this.#writeOn();
      else if (this.#chars >= LOG_BUFFER.writeBytes) this.flush();
    });
  }
}

function lostLine(count: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lost: count, msg: 'log lines could not be written' })}\n`;
}
