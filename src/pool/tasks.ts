/** Questions to workers, their answers, and their form between threads. */
import type { KeptImage } from '../drawings/keep.js';
import { type ErrorCode, isPriorartError, PriorartError } from '../errors.js';
import type { DocumentTexts } from '../index/native.js';
import type { Embedded, Prepared } from '../ingest/prepare.js';
import type { Unit } from '../ingest/readers/reader.js';
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

/** Questions whose answer is stored instead of shown. */
export type StoredQuestion = Extract<Question, { kind: 'prepare' | 'embed' | 'drawing' }>;
export type ShownQuestion = Exclude<Question, StoredQuestion>;

/** Whether an answer is stored: no user waits for it. */
export function isStored(question: Question): question is StoredQuestion {
  return question.kind === 'prepare' || question.kind === 'embed' || question.kind === 'drawing';
}

/**
 * Answers by kind: JSON as UTF-8 for answers that are shown, with data for the asking thread; plain data for
 * stored ones.
 */
interface AnswersByKind {
  semantic: Body;
  explain: Uint8Array;
  /** The first page, and the ranking from which later pages are cut, if the engine keeps rankings. */
  analytics: Body & { ranking?: Ranking };
  /** Without JSON if a document of the page was deleted. */
  page: { json: Uint8Array | undefined };
  details: TaggedBody;
  coverage: Uint8Array;
  prepare: Prepared;
  embed: Embedded;
  drawing: KeptImage;
}

export type AnswerOf<Q extends Question> = AnswersByKind[Q['kind']];

/** A question for a worker. `slot` is its index in the shared cancellation flags. */
export interface Task {
  question: Question;
  slot: number;
  /** Time by which the answer is needed, ms since 1970. */
  deadline: number | undefined;
}

export interface WorkerData {
  /** What the worker's module gets. */
  setting: unknown;
  /** One i32 for each slot. Not 0: the question was cancelled. */
  flags: SharedArrayBuffer;
}

/** An exception as plain data. Thrown between threads, it would lose its code. */
export interface TaskRefusal {
  code: ErrorCode;
  message: string;
  stack?: string;
  retryAfter?: number;
  inCommand?: string;
}

/** `concurrency`: questions that the worker should have in flight with its current models. */
export type Reply =
  | { answer: AnswerOf<Question>; trace: AnswerTrace; concurrency: number }
  | { refusal: TaskRefusal };

/** Converts an exception to plain data. */
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

/** Restores an exception from plain data. */
export function errorOf({ code, message, stack, retryAfter, inCommand }: TaskRefusal): PriorartError {
  const cause = stack === undefined ? undefined : Object.assign(new Error(message), { stack });
  return new PriorartError(code, message, {
    ...(cause ? { cause } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(inCommand === undefined ? {} : { inCommand }),
  });
}
