/** The form of what the document says of an endpoint. */
import type { z } from 'zod';
import type { ShownCode } from '../error-codes.js';
import type { SCHEMAS, SchemaName } from './schemas.js';

export const TAGS = ['Search', 'Documents', 'Index', 'Service', 'Administration'] as const;

/** What an answer holds: JSON by a schema, a file of a type, or nothing. */
type Content = SchemaName | { type: string } | undefined;

export interface Answer {
  description: string;
  content?: Content;
  /** Names in `components.headers`, beside those that every answer has. */
  headers?: readonly string[];
  /** Of an error: the codes that X-Error-Code may bear, each with the `detail` of an example where it has one here. */
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

/** Examples of requests and answers, by the name of their schema. Tests check each against its schema. */
export type Examples = { [Name in SchemaName]?: Record<string, z.input<(typeof SCHEMAS)[Name]>> };

/** What the document says of an endpoint beyond its route. */
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

/** An error of an answer: its codes, in words, and further headers. */
export const errorAnswer = (codes: Codes, description: string, ...headers: string[]): Answer => ({
  description,
  content: 'Error',
  headers: ['X-Error-Code', ...headers],
  codes: Array.isArray(codes) ? Object.fromEntries(codes.map((code) => [code, undefined])) : codes,
});
