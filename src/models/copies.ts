/**
 * The static model is mapped once for all workers; an ONNX graph is loaded by each of them for itself. With one
 * worker a processor, which is the default, a large model fills the memory before the first question.
 */
import { statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { MODEL_COPIES_SHARE } from '../limits.js';
import { findFiles } from '../onnx/files.js';
import type { ModelsConfig } from './config.js';

/**
 * Bytes of graphs and weights that a worker loads for itself.
 * @throws PriorartError `model_missing`
 */
export function bytesAWorker({ embedder, reranker }: ModelsConfig): number {
  const own = [embedder, reranker].flatMap((config) => {
    if (config.kind !== 'onnx') return [];
    const { graph, weights } = findFiles(config);
    return [graph, ...weights];
  });
  return own.reduce((sum, path) => sum + statSync(path).size, 0);
}

/** What to say where the copies of a model leave too little of the memory to everything else; undefined where not. */
export function adviceOnCopies(bytes: number, workers: number, memory: number): string | undefined {
  const all = bytes * workers;
  if (workers < 2 || all <= memory * MODEL_COPIES_SHARE) return undefined;
  const fitting = Math.max(1, Math.floor((memory * MODEL_COPIES_SHARE) / bytes));
  const size = (n: number) => `${(n / 2 ** 30).toFixed(1)} GiB`;
  return (
    `each of ${workers} workers loads the models' ${size(bytes)} for itself, ${size(all)} of ${size(memory)} of ` +
    `memory; start ${fitting} (--workers ${fitting}) and give each more threads ("threads" of the model)`
  );
}

/**
 * Warns by a process warning, which goes to standard error, or where the application sends it.
 * @throws PriorartError `model_missing`
 */
export function warnOfCopies(config: ModelsConfig, workers: number): void {
  // A container's limit; 0, or more than there is, where it has none.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const advice = adviceOnCopies(bytesAWorker(config), workers, memory);
  if (advice !== undefined) process.emitWarning(advice, { code: 'PRIORART_MODEL_COPIES' });
}
