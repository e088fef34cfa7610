/**
 * A part of a file as the body of an answer. The first read opens the file. The whole part is never in
 * memory.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { BodySource } from './adapters/adapter.js';

export class FileSource implements BodySource {
  readonly length: number;
  readonly #path: string;
  readonly #end: number;
  #at: number;
  #file: FileHandle | undefined;
  #closed = false;

  /** @param from first byte; the file has at least `from + length` bytes */
  constructor(path: string, from: number, length: number) {
    this.#path = path;
    this.#at = from;
    this.length = length;
    this.#end = from + length;
  }

  async read(max: number): Promise<Uint8Array> {
    if (!this.#file) {
      const file = await open(this.#path);
      if (this.#closed) await file.close();
      else this.#file = file;
    }
    if (!this.#file) throw new Error('the source is closed');
    const wanted = Math.min(max, this.#end - this.#at);
    const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, this.#at);
    if (bytesRead === 0) throw new Error(`${this.#path} is shorter than it was`);
    this.#at += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  close(): void {
    this.#closed = true;
    // Waits for a running read. The reply is over, so errors are ignored.
    this.#file?.close().catch(() => {});
    this.#file = undefined;
  }
}
