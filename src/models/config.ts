/**
 * models.json, the configuration of embedder and reranker. Each implementation has the schema of its kind. This module
 * combines them into one document, which comes from a file or from an application.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { staticEmbedderSchema } from '../embed/config.js';
import { httpEmbedderSchema } from '../embed/http/config.js';
import { onnxEmbedderSchema } from '../embed/onnx/config.js';
import { PriorartError, whyUnreadable } from '../errors.js';
import { MODELS_FILE_MAX_BYTES } from '../limits.js';
import { nearestName } from '../nearest-name.js';
import { noRerankerSchema, staticRerankerSchema } from '../rerank/config.js';
import { crossEncoderSchema } from '../rerank/cross-encoder/config.js';
import { withoutPassword } from '../written-value.js';

const kinds = (names: string) => ({ error: `"kind": one of ${names}` });

const embedderSchema = z.discriminatedUnion(
  'kind',
  [staticEmbedderSchema, onnxEmbedderSchema, httpEmbedderSchema],
  kinds('static, onnx, http'),
);
const rerankerSchema = z.discriminatedUnion(
  'kind',
  [staticRerankerSchema, crossEncoderSchema, noRerankerSchema],
  kinds('static, onnx, none'),
);

const modelsSchema = z.strictObject(
  {
    embedder: embedderSchema.optional(),
    reranker: rerankerSchema.optional(),
  },
  { error: 'an object with "embedder" and "reranker"' },
);

/** A configuration as written. Paths are relative to the file, or to the working directory in an application. */
export type ModelsInput = z.input<typeof modelsSchema>;
export type EmbedderConfig = z.output<typeof embedderSchema>;
export type RerankerConfig = z.output<typeof rerankerSchema>;

/** A complete configuration with absolute paths. */
export interface ModelsConfig {
  embedder: EmbedderConfig;
  reranker: RerankerConfig;
}

/** The models that derive what is stored. Of the rerankers, only the static one stores data; others are not opened. */
export function storingModels({ embedder, reranker }: ModelsConfig): ModelsConfig {
  return { embedder, reranker: reranker.kind === 'static' ? reranker : { kind: 'none' } };
}

/** The models of the package. */
export const DEFAULT_MODELS: ModelsConfig = { embedder: { kind: 'static' }, reranker: { kind: 'static' } };

/** Fields that hold a path, in every kind. */
const PATHS = new Set(['file', 'folder']);

/**
 * Reads a configuration from a file or an object.
 * @param option that names the source, for the message about a file that is not there
 * @throws PriorartError `invalid_models` with file, field, value and expectation
 */
export function readModels(source: string | ModelsInput, option = 'models'): ModelsConfig {
  if (typeof source !== 'string') return parseModels(source, process.cwd(), option);
  const path = resolve(source);
  return parseModels(parseJson(readText(path, option), path), dirname(path), path);
}

/**
 * Checks a configuration, makes its paths absolute and fills in the defaults.
 * @param base folder that paths are relative to
 * @param name of the document, for messages
 * @throws PriorartError `invalid_models`
 */
export function parseModels(input: unknown, base: string, name: string): ModelsConfig {
  const { success, data, error } = modelsSchema.safeParse(input);
  if (!success) {
    const complaints = error.issues.flatMap((issue) => complaintsOf(issue, input));
    throw new PriorartError('invalid_models', `${name}: ${complaints.slice(0, 5).join('. ')}`);
  }
  const { embedder = DEFAULT_MODELS.embedder, reranker = DEFAULT_MODELS.reranker } = data;
  return { embedder: absolute(embedder, base), reranker: absolute(reranker, base) };
}

/**
 * The configuration stored in a manifest. A manifest without one means the default models.
 * @throws PriorartError `invalid_models` if a newer version of the program wrote it
 */
export function storedModels(models: unknown, dir: string): ModelsConfig {
  return models === undefined ? DEFAULT_MODELS : parseModels(models, dir, `the manifest of ${dir}`);
}

function readText(path: string, option: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MODELS_FILE_MAX_BYTES) return bytes.toString('utf8');
  } catch (cause) {
    const file = `${option}: the file ${JSON.stringify(path)} ${whyUnreadable(cause)}`;
    const message = `${file}; expected a model configuration, such as models.json; check the path`;
    throw new PriorartError('invalid_models', message, { cause });
  }
  const message = `${path} has more than ${MODELS_FILE_MAX_BYTES} bytes; expected a model configuration`;
  throw new PriorartError('invalid_models', message);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PriorartError('invalid_models', `${path} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function absolute<T extends object>(config: T, base: string): T {
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    PATHS.has(key) && typeof value === 'string' ? resolve(base, value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

type Issue = z.core.$ZodIssue;

function complaintsOf(issue: Issue, input: unknown): string[] {
  const at = (key?: string) => [...issue.path, ...(key === undefined ? [] : [key])].join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(issue.path, input);
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      return `unknown field ${at(key)}${near === undefined ? '' : `; the nearest known field is "${near}"`}`;
    });
  }
  const value = issue.path.reduce<unknown>((part, key) => (part as never)?.[key], input);
  const got = value === undefined ? 'missing' : `got ${shownOf(issue.path.at(-1), value)}`;
  return [`${at() || 'the document'}: ${got}; expected ${issue.message}`];
}

/** A value for a message. By mistake, the key itself may stand where the name of its variable belongs. */
function shownOf(field: PropertyKey | undefined, value: unknown): string {
  if (field === 'keyVariable' && typeof value === 'string')
    return 'a text that is not shown, since it may be the key';
  return withoutPassword(JSON.stringify(value)).slice(0, 80);
}

interface Node {
  properties?: Record<string, Node & { const?: unknown }>;
  anyOf?: Node[];
  oneOf?: Node[];
}

/** Names of the fields that are allowed at a path of the document, for the kinds that it names. */
function namesAt(path: readonly PropertyKey[], input: unknown): string[] {
  let node = z.toJSONSchema(modelsSchema) as Node;
  let value = input as Record<string, unknown>;
  for (const key of path) {
    node = node.properties?.[String(key)] ?? {};
    value = value[String(key)] as Record<string, unknown>;
    const choices = node.oneOf ?? node.anyOf;
    node = choices?.find(({ properties }) => properties?.['kind']?.const === value['kind']) ?? node;
  }
  return Object.keys(node.properties ?? {});
}
