/** What answers questions on a thread, whatever engine they are asked of. */
import { createHash } from 'node:crypto';
import type { AnswerTrace } from '../observe/observations.js';
import type { Cancellation } from '../search/cancel.js';
import type { TaggedBody } from '../search/types.js';
import type { AnswerOf, Question } from './tasks.js';

export interface TracedAnswer<Q extends Question> {
  /** JSON as UTF-8 in a transferable buffer; plain data for answers that are stored. */
  answer: AnswerOf<Q>;
  /** Data about the answer for metrics. */
  trace: AnswerTrace;
}

/** Answers questions on one thread. */
export interface Answering {
  answer<Q extends Question>(question: Q, cancellation: Cancellation): Promise<TracedAnswer<Q>>;
  /** Questions that the thread should have in flight. */
  readonly concurrency: number;
  /** To be called when no question is answered. */
  close(): Promise<void>;
}

/** How the threads that answer questions about one index begin. */
export interface Threads {
  /** The module that a worker thread runs. `workOn` makes its default export. */
  worker: URL;
  /** What the module gets: plain data. */
  setting: unknown;
  /** Opens what answers on the calling thread, for an engine without workers. */
  open(): Answering;
}

const encoder = new TextEncoder();
/** Buffer for encoding: the number of bytes is known only afterwards. Longer texts are rare. */
const draft = new Uint8Array(1 << 19);

/** A value as JSON in a buffer of its own. */
export function json(value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (text.length > draft.length / 3) return encoder.encode(text);
  return draft.slice(0, encoder.encodeInto(text, draft).written);
}

/** Adds an ETag. Computed on the thread that answers, since the body may have megabytes. */
export function tagged(body: Uint8Array): TaggedBody {
  const hash = createHash('sha256').update(body).digest('base64url');
  return { json: body, etag: `"${hash.slice(0, 22)}"` };
}
