/**
 * The state of the authorization server for an event loop. Reading takes no lock. A thread writes: a commit waits for
 * the disk, and for other processes of the folder.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, PriorartError } from '../../errors.js';
import { OAUTH_WRITES_WAITING } from '../../limits.js';
import { type Connection, OAuthTables, type StoredRecord } from './tables.js';

/** Changes of OAuthTables that the thread makes. */
type Change = 'put' | 'remove' | 'consume' | 'putConnection' | 'endGrant' | 'sweep' | 'close';

export interface WriteOrder {
  id: number;
  order: Change | 'tendKeys';
  given: unknown[];
}

export interface WriteAnswer {
  id: number;
  result?: unknown;
  error?: { code: ErrorCode | undefined; text: string; retryAfter: number | undefined };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class OAuthStore {
  readonly #access: string;
  readonly folder: string;
  #tables: OAuthTables | undefined;
  #leaving: Promise<void> | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #orders = 0;

  /**
   * @param access folder of the access store
   * @throws PriorartError `unavailable`, `disk_full`
   */
  constructor(access: string) {
    this.#access = access;
    this.#tables = new OAuthTables(access);
    this.folder = this.#tables.folder;
  }

  record(kind: string, value: string): StoredRecord | undefined {
    return this.#current().record(kind, value);
  }

  connection(id: string): Connection | undefined {
    return this.#current().connection(id);
  }

  connections(): Connection[] {
    return this.#current().connections();
  }

  // The methods below resolve when the change is on the disk, and reject with the errors of OAuthTables.

  async put(kind: string, value: string, record: StoredRecord): Promise<void> {
    await this.#order('put', kind, value, record);
  }

  async remove(kind: string, value: string): Promise<void> {
    await this.#order('remove', kind, value);
  }

  async consume(kind: string, value: string): Promise<boolean> {
    return (await this.#order('consume', kind, value)) as boolean;
  }

  async putConnection(connection: Connection): Promise<void> {
    await this.#order('putConnection', connection);
  }

  async endGrant(id: string): Promise<Connection | undefined> {
    return (await this.#order('endGrant', id)) as Connection | undefined;
  }

  async sweep(): Promise<Connection[]> {
    return (await this.#order('sweep')) as Connection[];
  }

  /** Makes and replaces the keys of cookies. */
  async tendKeys(): Promise<void> {
    await this.#order('tendKeys');
  }

  async close(): Promise<void> {
    await this.#leaving;
    await this.#leave();
  }

  /**
   * The tables at their path. If the folder was put back from a copy, the new file is opened.
   * @throws PriorartError `unavailable` while there is no file, and while another is opened
   */
  #current(): OAuthTables {
    const place = this.#tables?.place;
    if (this.#tables && place === 'here') return this.#tables;
    if (place === 'gone') {
      const message = `${this.folder} was removed or renamed; put it back, or restart the servers for a new one`;
      throw new PriorartError('unavailable', message, { retryAfter: 5 });
    }
    // If closing fails, opening the new file says what is wrong.
    if (place === 'replaced') this.#leave().catch(() => {});
    if (this.#leaving) {
      const message = `${this.folder} was replaced and is opened again`;
      throw new PriorartError('unavailable', message, { retryAfter: 1 });
    }
    this.#tables = new OAuthTables(this.#access);
    return this.#tables;
  }

  /** Closes the file in both threads. LMDB opens a path once in a process. */
  #leave(): Promise<void> {
    const [worker, tables] = [this.#worker, this.#tables];
    this.#tables = undefined;
    const close = async () => {
      if (worker) {
        await this.#send('close').catch(() => {});
        await worker.terminate();
      }
      await tables?.close();
    };
    this.#leaving ??= close().finally(() => {
      this.#leaving = undefined;
    });
    return this.#leaving;
  }

  async #order(order: WriteOrder['order'], ...given: unknown[]): Promise<unknown> {
    this.#current();
    if (this.#waiting.size < OAUTH_WRITES_WAITING) return this.#send(order, ...given);
    throw new PriorartError('overloaded', 'too many sign-ins at the same time', { retryAfter: 1 });
  }

  #send(order: WriteOrder['order'], ...given: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      const id = this.#orders++;
      this.#waiting.set(id, { resolve, reject });
      // A running write keeps the process alive. An idle thread does not.
      worker.ref();
      worker.postMessage({ id, order, given } satisfies WriteOrder);
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: this.#access });
    this.#worker = worker;
    const ended = (cause: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      const error = new PriorartError('unavailable', 'the thread that writes sign-ins ended', { cause });
      for (const { reject } of waiting) reject(error);
    };
    worker.on('message', ({ id, result, error }: WriteAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(errorOf(error));
    });
    worker.on('error', ended);
    worker.on('exit', (code) => ended(new Error(`it ended with ${code}`)));
    return worker;
  }
}

function errorOf({ code, text, retryAfter }: NonNullable<WriteAnswer['error']>): Error {
  if (code === undefined) return new Error(text);
  // For a server, a full disk is one reason why its state cannot be written.
  if (code === 'disk_full') return new PriorartError('unavailable', text, { retryAfter: 5 });
  return new PriorartError(code, text, retryAfter === undefined ? {} : { retryAfter });
}
