/** One request to an embedding server, repeated after transient failures, limited in time and bytes. */
import { setTimeout as delay } from 'node:timers/promises';
import { isPriorartError, PriorartError } from '../../errors.js';
import { HTTP_EMBEDDER } from '../../limits.js';
import type { HttpEmbedderSettings } from './config.js';
import { requestBody, vectorsIn } from './protocol.js';

/** A transient failure, which the next attempt may not meet. */
class Passing extends Error {
  /** Milliseconds that the server asks to wait; 0: a broken connection, tried again at once the first time. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

export class Client {
  readonly #settings: HttpEmbedderSettings;
  readonly #key: string | undefined;
  readonly #host: string;

  /** @throws PriorartError `invalid_models` if the variable of the key is not set */
  constructor(settings: HttpEmbedderSettings) {
    const { keyVariable, url } = settings;
    this.#settings = settings;
    this.#host = new URL(url).host;
    this.#key = keyVariable === undefined ? undefined : process.env[keyVariable]?.trim();
    if (keyVariable !== undefined && !this.#key) {
      // The key itself may stand there by mistake, and few keys look like the name of a variable.
      const name = /^[A-Z][A-Z0-9_]*$/.test(keyVariable) ? keyVariable : 'that "keyVariable" names';
      const message = `the environment variable ${name} for the key of ${this.#host} is not set`;
      throw new PriorartError('invalid_models', message);
    }
  }

  /**
   * The vectors of some texts, as the server returns them.
   * @throws PriorartError `unavailable` if the server cannot be reached or is overloaded, `embedding_failed`,
   *   `invalid_models`; the signal's reason when it fires
   */
  async vectors(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await this.#attempt(texts, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (isPriorartError(error)) throw error;
        if (!(error instanceof Passing)) throw this.#failure('embedding_failed', String(error), error);
        const wait = waitMs(error, attempt);
        if (attempt >= HTTP_EMBEDDER.attempts || wait > HTTP_EMBEDDER.retryAfterMaxMs) {
          throw this.#failure('unavailable', error.message, error.cause, Math.ceil(wait / 1000));
        }
        await delay(wait, undefined, { signal });
      }
    }
  }

  async #attempt(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { url, timeoutMs, keyHeader, dimensions } = this.#settings;
    const key = this.#key;
    const authorization =
      key === undefined
        ? {}
        : keyHeader === undefined
          ? { authorization: `Bearer ${key}` }
          : { [keyHeader]: key };
    const timeout = AbortSignal.timeout(timeoutMs);
    const most = texts.length * dimensions * HTTP_EMBEDDER.bytesPerNumber + HTTP_EMBEDDER.answerOverheadBytes;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization },
        body: requestBody(texts, this.#settings),
        // The key and the texts go only to the host that the user named.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      if (!answer.ok) throw await this.#refusal(answer);
      const text = await readText(answer, most);
      return vectorsIn(parse(text), texts.length, this.#settings);
    } catch (error) {
      if (timeout.aborted) throw new Passing(`did not answer within ${timeoutMs} ms`, undefined, error);
      if (error instanceof Passing || isPriorartError(error)) throw error;
      // fetch throws a TypeError; its cause describes the connection's error.
      const cause = (error as Error).cause;
      throw new Passing(`cannot be reached (${cause instanceof Error ? cause.message : error})`, 0, error);
    }
  }

  async #refusal(answer: Response): Promise<Error> {
    const { status, headers } = answer;
    const said = await readText(answer, HTTP_EMBEDDER.refusalBytes).catch(() => '');
    const about = `answered ${status}${said === '' ? '' : `: ${said.slice(0, HTTP_EMBEDDER.refusalChars)}`}`;
    if (status >= 300 && status < 400) {
      const target = headers.get('location') ?? 'elsewhere';
      return this.#failure('invalid_models', `redirects to ${target}; set "url" to the final address`);
    }
    if (status === 408 || status === 429 || status >= 500) return new Passing(about, retryAfterMs(headers));
    if (status === 401 || status === 403) {
      const { keyVariable } = this.#settings;
      const remedy = keyVariable === undefined ? 'set "keyVariable"' : `check the key in ${keyVariable}`;
      return this.#failure('invalid_models', `${about}; ${remedy}`);
    }
    const tooLong =
      status === 413 || /token/i.test(said) ? '; set "windowChars", "batchTexts" or "batchChars" lower' : '';
    return this.#failure('embedding_failed', about + tooLong);
  }

  #failure(
    code: 'embedding_failed' | 'invalid_models' | 'unavailable',
    what: string,
    cause?: unknown,
    retryAfter?: number,
  ): PriorartError {
    // A server's message may repeat the key.
    const said = this.#key === undefined ? what : what.replaceAll(this.#key, '[key]');
    return new PriorartError(code, `the embedding server at ${this.#host} ${said}`, {
      ...(cause instanceof Error && this.#key === undefined ? { cause } : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}

/** Exponential backoff with full jitter, ms, so that clients that failed together do not retry together. */
function waitMs({ retryAfterMs }: Passing, attempt: number): number {
  // The server may close an idle kept-alive connection: that is not an error.
  if (retryAfterMs === 0 && attempt === 1) return 0;
  const { backoffMs, backoffMaxMs } = HTTP_EMBEDDER;
  const backoff = Math.random() * Math.min(backoffMaxMs, backoffMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs ?? 0, backoff);
}

/** The Retry-After header, seconds or a date (RFC 9110, 10.2.3), in ms. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(1, ms) : undefined;
}

async function readText(answer: Response, most: number): Promise<string> {
  if (answer.body === null) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.byteLength;
    if (bytes > most) {
      const message = `the embedding server returned more than ${most} bytes`;
      throw new PriorartError('embedding_failed', message);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // A proxy cut the body short, or it is an error page with status 200.
    throw new Passing('returned a body that is not JSON', undefined, cause);
  }
}
