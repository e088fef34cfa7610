/** What every tool has: its definition, its own arguments, and what an answer says it left out. */
import { z } from 'zod';
import { MCP_TOKENS } from '../../limits.js';
import { integer, oneOf } from '../../search/fields.js';
import { invalidRequest } from '../../search/invalid.js';
import type { CallOptions, PatentApi } from '../api.js';

export type Arguments = Record<string, unknown>;
export type Row = Record<string, unknown>;

/** A block of a result besides its text. */
export type Block =
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string };

export interface ToolAnswer {
  /** The result as JSON. Its text is the same. */
  structured: Row;
  blocks?: Block[];
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** Rejects with PriorartError. */
  run(given: Arguments, api: PatentApi, options: CallOptions): Promise<ToolAnswer>;
}

export const maxTokens = integer(MCP_TOKENS)
  .nullish()
  .describe('Most tokens of the answer, estimated. What does not fit is left out; left_out says what')
  .meta({ default: MCP_TOKENS.default });
export const view = oneOf(['lean', 'full'])
  .nullish()
  .describe(
    'lean: the fields that matter, and the beginning of the best passage of each patent; … means that it goes on. full: ' +
      'every field and passage. When absent, lean; full if explain is true',
  );

export const count = () => z.exactOptional(z.int().min(0));
export const leftOutSchema = z
  .strictObject({
    results: count().describe('Results that do not fit'),
    characters: count().describe('Characters of the texts shown that do not fit'),
    fields: z
      .exactOptional(z.array(z.string()))
      .describe('Fields that are shortened or absent because not even the first result fits with them'),
    hint: z.string().describe('How to get them'),
  })
  .describe('What the answer left out to keep max_tokens; absent if nothing');
export const framed = {
  left_out: z.exactOptional(leftOutSchema),
  notice: z.string().describe('How to treat the texts of the answer'),
};

/**
 * Arguments that a schema allows.
 * @throws PriorartError `invalid_request`, with the fields of the schema as advice
 */
export function checked<Schema extends z.ZodObject>(schema: Schema, given: Arguments): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const known = { '': Object.keys(schema.shape) };
  throw invalidRequest(given, result.error.issues, { known, elsewhere: () => undefined });
}

/**
 * Refuses fields of the interface behind a tool that its schema does not have. Other names are refused by the interface, with
 * better advice.
 * @param fields of the interface
 * @throws PriorartError `invalid_request`
 */
export function refuseHidden(input: z.ZodObject, given: Arguments, fields: readonly string[]): void {
  const known = Object.keys(input.shape);
  const keys = Object.keys(given).filter((name) => !known.includes(name) && fields.includes(name));
  if (keys.length === 0) return;
  const issue = { code: 'unrecognized_keys' as const, keys, path: [], message: '', input: given };
  throw invalidRequest(given, [issue], { known: { '': known }, elsewhere: () => undefined });
}

/** Own arguments of a tool, checked, and the request that the service checks. */
export function taken<Own extends z.ZodObject>(
  own: Own,
  given: Arguments,
): { own: z.output<Own>; request: Arguments } {
  const isOwn = ([name]: [string, unknown]) => Object.hasOwn(own.shape, name);
  const entries = Object.entries(given);
  return {
    own: checked(own, Object.fromEntries(entries.filter(isOwn))),
    request: Object.fromEntries(entries.filter((entry) => !isOwn(entry))),
  };
}

/** Tokens that an answer needs besides its rows: names, braces, notice and hint. */
export const FRAME_TOKENS = 150;

/** What an answer left out. */
export interface LeftOut {
  results: number;
  characters: number;
  /** Names of fields that are shortened or absent. */
  fields?: readonly string[];
}

export function leftOut({ results, characters, fields = [] }: LeftOut, hint: string): { left_out?: Row } {
  if (results === 0 && characters === 0 && fields.length === 0) return {};
  return {
    left_out: {
      ...(results > 0 ? { results } : {}),
      ...(characters > 0 ? { characters } : {}),
      ...(fields.length > 0 ? { fields } : {}),
      hint,
    },
  };
}
