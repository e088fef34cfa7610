/**
 * Where a server's lines go: standard output, some lines a write, since a write for each would cost a busy server more
 * than the line. What is kept back goes out a moment later, and at the end of the process however it ends, short of a
 * kill. Where nobody takes the lines off, or the disk behind them is full, lines are lost and counted; the server goes
 * on. (pino's own destination waits for a full disk for ever when it is flushed.)
 */
import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { LOG_BUFFER } from '../limits.js';

export interface LogOutput extends DestinationStream {
  /** Writes what is kept back, as far as it can be written. For the end of the program. */
  flushSync(): void;
  /** Lines that were lost. */
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
  /** What is being written, from the first byte that is not yet. */
  #writing: { bytes: Buffer; lines: number } | undefined;
  #lost = 0;
  /** Of those, how many have been told of. */
  #told = 0;

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
        // A full disk, a pipe that is full or has no reader: nobody to tell, and no time to wait.
        this.#lost += lines;
        return;
      }
    }
  }

  #take(): { bytes: Buffer; lines: number } {
    const news = this.#lost - this.#told;
    if (news > 0) this.#lines.push(lostLine(news));
    this.#told = this.#lost;
    const taken = { bytes: Buffer.from(this.#lines.join('')), lines: this.#lines.length };
    this.#lines = [];
    this.#chars = 0;
    return taken;
  }

  #writeOn(): void {
    const { bytes, lines } = this.#writing!;
    write(this.#fd, bytes, (error, written) => {
      // The end of the process has written it meanwhile.
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
