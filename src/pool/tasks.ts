/** What a worker can be asked, and how questions and answers cross the thread border. */
import type { KeptImage } from '../drawings/keep.js';
import { type ErrorCode, isPriorartError, PriorartError } from '../errors.js';
import type { DocumentTexts } from '../index/native.js';
import type { Embedded, Prepared } from '../ingest/prepare.js';
import type { Unit } from '../ingest/readers/reader.js';
import type { ModelChoice } from '../models/thread-models.js';
import type { AnswerTrace } from '../observe/observations.js';
import type { Ranking, RankingPage } from '../search/analytics.js';
import type { AnalyticsQuery, DetailsQuery, SemanticQuery } from '../search/query.js';
import type { Body, TaggedBody } from '../search/types.js';

export type Question =
  | { kind: 'semantic'; query: SemanticQuery }
  | { kind: 'explain'; query: SemanticQuery }
  | { kind: 'analytics'; query: AnalyticsQuery }
  | { kind: 'page'; query: AnalyticsQuery; page: RankingPage }
  | { kind: 'details'; query: DetailsQuery }
  | { kind: 'coverage' }
  | { kind: 'prepare'; units: Unit[] }
  | { kind: 'embed'; documents: DocumentTexts[] }
  | { kind: 'drawing'; bytes: Uint8Array };

/** Questions whose answer is stored, not shown. */
export type StoredQuestion = Extract<Question, { kind: 'prepare' | 'embed' | 'drawing' }>;
export type ShownQuestion = Exclude<Question, StoredQuestion>;

/** Whether an answer is stored: nobody waits for it in front of a screen. */
export function isStored(question: Question): question is StoredQuestion {
  return question.kind === 'prepare' || question.kind === 'embed' || question.kind === 'drawing';
}

/** JSON as UTF-8 for everything that is shown, and what the other side has to know of it; plain data for what is stored. */
interface AnswersByKind {
  semantic: Uint8Array;
  explain: Uint8Array;
  /** The first page, and the ranking that the others are parts of. */
  analytics: Required<Body> & { ranking: Ranking };
  /** Without JSON where a document of the page is gone. */
  page: { json: Uint8Array | undefined };
  details: TaggedBody;
  coverage: Uint8Array;
  prepare: Prepared;
  embed: Embedded;
  drawing: KeptImage;
}

export type AnswerOf<Q extends Question> = AnswersByKind[Q['kind']];

/** A question on its way to a worker; `slot` is its place in the shared cancellation flags. */
export interface Task {
  question: Question;
  slot: number;
  /** Milliseconds since 1970 by which the answer is wanted. */
  deadline: number | undefined;
}

export interface WorkerData {
  dir: string;
  choice: ModelChoice;
  /** One i32 a slot; not 0: nobody waits for the answer any more. */
  flags: SharedArrayBuffer;
  /** Share of its searches that are repeated exactly. */
  recallCheck: number;
}

/** An exception as plain data: thrown across the border it would lose its code. */
export interface TaskRefusal {
  code: ErrorCode;
  message: string;
  stack?: string;
  retryAfter?: number;
  inCommand?: string;
}

/** `concurrency`: questions that the worker, with the models it has now, should have in flight. */
export type Reply =
  | { answer: AnswerOf<Question>; trace: AnswerTrace; concurrency: number }
  | { refusal: TaskRefusal };

/** An exception, ready to cross. */
export function refusalOf(error: unknown): TaskRefusal {
  if (isPriorartError(error)) {
    const { code, message, retryAfter, inCommand } = error;
    const cause = error.cause instanceof Error ? { stack: error.cause.stack ?? error.cause.message } : {};
    return {
      ...{ code, message, ...cause },
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(inCommand === undefined ? {} : { inCommand }),
    };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: 'internal', message, ...(stack === undefined ? {} : { stack }) };
}

/** The exception on this side. */
export function errorOf({ code, message, stack, retryAfter, inCommand }: TaskRefusal): PriorartError {
  const cause = stack === undefined ? undefined : Object.assign(new Error(message), { stack });
  return new PriorartError(code, message, {
    ...(cause ? { cause } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(inCommand === undefined ? {} : { inCommand }),
  });
}
