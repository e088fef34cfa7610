/** The type of an endpoint's description in the document. */
import type { z } from 'zod';
import type { ShownCode } from '../error-codes.js';
import type { SCHEMAS, SchemaName } from './schemas.js';

export const TAGS = [
  'Search',
  'Documents',
  'Index',
  'Service',
  'Web page',
  'Account',
  'Administration',
] as const;

/** Content of an answer: JSON by a schema, a file of a type, or nothing. */
type Content = SchemaName | { type: string } | undefined;

export interface Answer {
  description: string;
  content?: Content;
  /** Names in `components.headers`, in addition to the headers of every answer. */
  headers?: readonly string[];
  /** Codes of an error in X-Error-Code, each with an example of its `detail` if this endpoint has one. */
  codes?: Readonly<Partial<Record<ShownCode, string | undefined>>>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  schema: Readonly<Record<string, unknown>>;
  required?: boolean;
  example?: string;
}

/**
 * Examples of requests and answers, by the name of their schema. Tests check each example against its schema.
 */
export type Examples = { [Name in SchemaName]?: Record<string, z.input<(typeof SCHEMAS)[Name]>> };

/** The description of an endpoint, in addition to its route. */
export interface Operation {
  id: string;
  tag: (typeof TAGS)[number];
  summary: string;
  description: string;
  body?: SchemaName;
  parameters?: readonly Parameter[];
  answers: Readonly<Record<number, Answer>>;
  /** Examples of schemas that belong to this endpoint. */
  examples?: Examples;
}

export type Codes = readonly ShownCode[] | NonNullable<Answer['codes']>;

/** An error answer: its codes, description, and further headers. */
export const errorAnswer = (codes: Codes, description: string, ...headers: string[]): Answer => ({
  description,
  content: 'Error',
  headers: ['X-Error-Code', ...headers],
  codes: Array.isArray(codes) ? Object.fromEntries(codes.map((code) => [code, undefined])) : codes,
});
