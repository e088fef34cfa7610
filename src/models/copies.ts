/**
 * Memory of models in workers. The static model is mapped once for all workers, but each worker loads its own copy of an
 * ONNX graph. With one worker a processor, the default, copies of a large model can fill the memory.
 */
import { statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { MODEL_COPIES_SHARE } from '../limits.js';
import { findFiles } from '../onnx/files.js';
import type { ModelsConfig } from './config.js';

/**
 * Bytes of the graphs and weights that each worker loads.
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

/** A warning if the copies of a model leave too little memory for everything else; otherwise undefined. */
export function adviceOnCopies(bytes: number, workers: number, memory: number): string | undefined {
  const all = bytes * workers;
  if (workers < 2 || all <= memory * MODEL_COPIES_SHARE) return undefined;
  const fitting = Math.max(1, Math.floor((memory * MODEL_COPIES_SHARE) / bytes));
  const size = (n: number) => `${(n / 2 ** 30).toFixed(1)} GiB`;
  return (
    `each of ${workers} workers loads its own copy of the models (${size(bytes)}), ${size(all)} of ${size(memory)} of ` +
    `memory; start ${fitting} (--workers ${fitting}) and give each more threads ("threads" of the model)`
  );
}

/**
 * Emits a process warning if the copies need too much memory. It goes to standard error unless the application handles it.
 * @throws PriorartError `model_missing`
 */
export function warnOfCopies(config: ModelsConfig, workers: number): void {
  // The limit of a container. Without a limit it is 0 or more than the memory of the machine.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const advice = adviceOnCopies(bytesAWorker(config), workers, memory);
  if (advice !== undefined) process.emitWarning(advice, { code: 'PRIORART_MODEL_COPIES' });
}
