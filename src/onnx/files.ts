/** Finds the files of a model and computes the fingerprint by which an index identifies them. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PriorartError } from '../errors.js';
import type { Dtype } from './settings.js';

/** Names that exporters (Optimum, Transformers.js) give a graph, by the type of its weights. */
const GRAPH_NAMES: Record<Dtype, readonly string[]> = {
  fp32: ['model.onnx'],
  fp16: ['model_fp16.onnx'],
  int8: ['model_int8.onnx', 'model_quantized.onnx', 'model_qint8_avx512_vnni.onnx'],
  uint8: ['model_uint8.onnx', 'model_quint8_avx2.onnx'],
  q4: ['model_q4.onnx'],
  q4f16: ['model_q4f16.onnx'],
  bnb4: ['model_bnb4.onnx'],
};
/** Types to try if none is configured, most precise first. */
const ANY_DTYPE: readonly Dtype[] = ['fp32', 'fp16', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'];

export interface ModelFiles {
  graph: string;
  /** Files of external weights: a graph file holds at most 2 GB. */
  weights: string[];
  tokenizer: string;
}

/** Where the files of a model lie. */
export interface Places {
  folder: string;
  graphFile?: string | undefined;
  tokenizerFile?: string | undefined;
  dtype?: Dtype | undefined;
}

/**
 * Finds graph and tokenizer of a model.
 * @throws PriorartError `model_missing` with the folder and the names that were tried
 */
export function findFiles({
  folder,
  graphFile,
  tokenizerFile = 'tokenizer.json',
  dtype,
}: Places): ModelFiles {
  if (!existsSync(folder)) {
    throw new PriorartError('model_missing', `the model's folder ${resolve(folder)} does not exist`);
  }
  const usual = (dtype === undefined ? ANY_DTYPE : [dtype]).flatMap((type) =>
    GRAPH_NAMES[type].flatMap((name) => [name, `onnx/${name}`]),
  );
  const graph = firstOf(folder, graphFile === undefined ? usual : [graphFile], 'graph', 'graphFile');
  const tokenizer = firstOf(folder, [tokenizerFile], 'tokenizer', 'tokenizerFile');
  const weights = readdirSync(dirname(graph))
    .filter(
      (name) => name.startsWith(`${basename(graph)}_data`) || name.startsWith(`${basename(graph)}.data`),
    )
    .sort()
    .map((name) => join(dirname(graph), name));
  return { graph, weights, tokenizer };
}

function firstOf(folder: string, names: readonly string[], what: string, field: string): string {
  const paths = names.map((name) => resolve(folder, name));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const looked = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more names`] : names;
  throw new PriorartError(
    'model_missing',
    `the ${what} of the model is not in ${resolve(folder)}; looked for ${looked.join(', ')}. Put it there (it is in ` +
      `the model's own repository) or name its path with ${field}`,
  );
}

/** Bytes. Larger files are sampled: both ends, and blocks between them at equal distances. */
const WHOLE_BELOW = 64 << 20;
const BLOCK = 64 << 10;
const BLOCKS = 256;

/**
 * Fingerprint of files and settings, twelve characters. Large files are hashed by size, ends and 256 blocks: retraining a
 * model changes every block, and reading 2 GB at each start would take seconds.
 */
export function fingerprint(files: readonly string[], settings: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const file of files) addFile(hash, file);
  return hash.digest('hex').slice(0, 12);
}

function addFile(hash: Hash, path: string): void {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    hash.update(`${size}\n`);
    const step = size <= WHOLE_BELOW ? BLOCK : Math.floor((size - BLOCK) / (BLOCKS - 1));
    const block = Buffer.alloc(BLOCK);
    for (let at = 0; at < size; at += step)
      hash.update(block.subarray(0, readSync(file, block, 0, BLOCK, at)));
  } finally {
    closeSync(file);
  }
}
