/** Drawings in an S3 bucket: `<prefix><first 3 hex digits>/<SHA-256 in hex>.webp`, as in a data folder. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PriorartError } from '../../errors.js';
import { DRAWING_LINK_SECONDS, DRAWING_MAX_PIXELS, S3_REQUESTS } from '../../limits.js';
import { contentOf } from '../files.js';
import { type DrawingStore, IMAGE_TYPE } from '../store.js';
import { type Presigned, presign } from './presign.js';
import type { Bucket } from './settings.js';

/** The content of a name never changes, so that clients may cache it. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable';
const SHARD_DIGITS = 3;
/** Last part of an object's key. */
const NAME = /^([0-9a-f]{64})\.webp$/;

/** The longest answer: an image of the most pixels that an ingest takes, not compressed. */
const ANSWER_MAX_BYTES = 4 * DRAWING_MAX_PIXELS;

interface Answer {
  /** 0: there was no answer, and the bytes are the reason. */
  status: number;
  bytes: Uint8Array;
}

type UnsignedRequest = Pick<Presigned, 'method' | 'query' | 'headers'> & { key: string };

export class S3Drawings implements DrawingStore {
  readonly #bucket: Bucket;
  readonly #seconds: number;

  /** @param seconds lifetime of links */
  constructor(bucket: Bucket, seconds: number = DRAWING_LINK_SECONDS.default) {
    this.#bucket = bucket;
    this.#seconds = seconds;
  }

  /** S3 ignores parameters that begin with `x-`. This one makes links of the same second differ. */
  link(content: string): string {
    const query = { 'x-nonce': randomBytes(12).toString('base64url') };
    return this.#url({ method: 'GET', key: this.#key(content), query }, this.#seconds);
  }

  linkOrigin(): string {
    return this.#bucket.origin.origin;
  }

  async has(content: string, signal?: AbortSignal): Promise<boolean> {
    const { status } = await this.#send(
      { method: 'HEAD', key: this.#key(content) },
      undefined,
      signal,
      [404],
    );
    return status !== 404;
  }

  /** Uploads an image. The storage verifies its checksum. */
  async put(bytes: Uint8Array, signal?: AbortSignal): Promise<string> {
    const content = contentOf(bytes);
    const headers = {
      'content-type': IMAGE_TYPE,
      'cache-control': CACHE_CONTROL,
      'x-amz-checksum-sha256': Buffer.from(content, 'hex').toString('base64'),
    };
    await this.#send({ method: 'PUT', key: this.#key(content), headers }, bytes, signal);
    return content;
  }

  /** @throws PriorartError `not_found` if the image is missing, `data_corrupt` if it was altered, `unavailable` */
  async read(content: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { status, bytes } = await this.#send(
      { method: 'GET', key: this.#key(content) },
      undefined,
      signal,
      [404],
    );
    if (status === 404) throw new PriorartError('not_found', `the bucket lacks the drawing ${content}`);
    if (contentOf(bytes) === content) return bytes;
    const message = `the bucket has something else under the name of the drawing ${content}`;
    throw new PriorartError('data_corrupt', message);
  }

  /** Asks for a key, to learn whether the bucket is there. @throws PriorartError `unavailable` */
  async check(signal?: AbortSignal): Promise<void> {
    const query = { 'list-type': '2', 'max-keys': '1', prefix: this.#bucket.prefix };
    await this.#send({ method: 'GET', key: '', query }, undefined, signal);
  }

  /** The keys of all stored images that begin with these digits. */
  async list(shard: string, signal?: AbortSignal): Promise<Set<string>> {
    const found = new Set<string>();
    const prefix = `${this.#bucket.prefix}${shard}/`;
    for (let token = ''; ; ) {
      const query = {
        'list-type': '2',
        prefix,
        ...(token === '' ? {} : { 'continuation-token': token }),
      };
      const answer = await this.#send({ method: 'GET', key: '', query }, undefined, signal);
      const text = textOf(answer);
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const content = NAME.exec(key.slice(key.lastIndexOf('/') + 1))?.[1];
        if (content !== undefined) found.add(content);
      }
      const next = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
      if (next === undefined || next === '') return found;
      token = unescapeXml(next);
    }
  }

  #key(content: string): string {
    if (!/^[0-9a-f]{64}$/.test(content)) throw new TypeError('not the SHA-256 of a drawing');
    return `${this.#bucket.prefix}${content.slice(0, SHARD_DIGITS)}/${content}.webp`;
  }

  #url({ key, ...asked }: UnsignedRequest, seconds: number): string {
    const { origin, bucketPath, region, credentials } = this.#bucket;
    return presign(credentials, {
      ...asked,
      origin,
      path: bucketPath + key,
      region,
      seconds,
      now: new Date(),
    });
  }

  /**
   * Sends a request. Repeats it after transient faults.
   * @throws PriorartError `unavailable`, without the URL, because the URL grants access
   */
  async #send(
    asked: UnsignedRequest,
    body: Uint8Array | undefined,
    signal: AbortSignal | undefined,
    accepted: readonly number[] = [],
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await this.#sendOnce(asked, body, signal);
      if (outcome.status >= 200 && outcome.status < 300) return outcome;
      if (accepted.includes(outcome.status)) return outcome;
      const passing = outcome.status === 0 || outcome.status === 429 || outcome.status >= 500;
      if (!passing || attempt >= S3_REQUESTS.attempts) throw refused(asked.method, outcome);
      await sleep(S3_REQUESTS.backoffMs * 2 ** (attempt - 1), undefined, signal ? { signal } : {});
    }
  }

  /** Sends a request once. Status 0: no response. */
  async #sendOnce(
    asked: UnsignedRequest,
    body: Uint8Array | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const limit = AbortSignal.timeout(S3_REQUESTS.timeoutMs);
    try {
      const response = await fetch(this.#url(asked, Math.ceil(S3_REQUESTS.timeoutMs / 1000)), {
        method: asked.method,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        ...(asked.headers ? { headers: asked.headers } : {}),
        ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
      });
      return { status: response.status, bytes: await bodyOf(response) };
    } catch (error) {
      signal?.throwIfAborted();
      const { cause, message } = error as Error;
      return { status: 0, bytes: Buffer.from(cause instanceof Error ? cause.message : message) };
    }
  }
}

function textOf({ bytes }: Answer): string {
  return Buffer.from(bytes).toString();
}

/** The body of an answer. @throws Error if it is longer than any image */
async function bodyOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`an answer of more than ${ANSWER_MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function refused(method: string, answer: Answer): PriorartError {
  const { status } = answer;
  const text = textOf(answer);
  if (status === 0) {
    return new PriorartError(
      'unavailable',
      `the S3 storage cannot be reached (${text}); check --s3-endpoint`,
    );
  }
  const code = /<Code>([\w.]{1,64})<\/Code>/.exec(text)?.[1];
  const said = code === undefined ? String(status) : `${status} ${code}`;
  const message = `the S3 storage refused a ${method} (${said}); check bucket, region, credentials and their rights`;
  return new PriorartError('unavailable', message);
}

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => named[name]!);
}
