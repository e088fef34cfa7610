/**
 * The door for `require('priorart')`: the same module, loaded when it is first used. There is one copy of
 * the program in a process, whichever way it was imported.
 */
import type {
  ClusterAddress,
  Engine,
  OpenOptions,
  PriorartError as PriorartErrorType,
  ReembedFolderOptions,
  ReembedSummary,
} from './index.js' with { 'resolution-mode': 'import' };

export type * from './index.js' with { 'resolution-mode': 'import' };

/**
 * Opens a data folder.
 *
 *     const index = await open('./patents', { create: true });
 *     await index.ingest('weekly/ipg250107.zip');
 *     const { results } = await index.search({ query: 'How is swelling of a battery detected?' });
 *     await index.close();
 *
 * @param dir path of the folder; or the address of a cluster of OpenSearch
 */
export async function open(dir: string | ClusterAddress, options?: OpenOptions): Promise<Engine> {
  const module = await import('./index.js');
  return module.open(dir, options);
}

/** Gives every passage of a folder a vector of another model. */
export async function reembed(dir: string, options?: ReembedFolderOptions): Promise<ReembedSummary> {
  const module = await import('./index.js');
  return module.reembed(dir, options);
}

/** Whether a caught value is an error that the program raised on purpose; its `code` is stable. */
export function isPriorartError(value: unknown): value is PriorartErrorType {
  return value instanceof Error && value.name === 'PriorartError' && 'code' in value;
}

/** The error class. */
export type PriorartError = PriorartErrorType;

const refuse = function PriorartError(): never {
  throw new TypeError('PriorartError is for instanceof here; a module that imports priorart can make one');
};

/** The error class for `instanceof`. The program itself, which raises the errors, is loaded when it is first used. */
export const PriorartError = Object.defineProperty(refuse, Symbol.hasInstance, {
  value: isPriorartError,
}) as unknown as Pick<typeof PriorartErrorType, 'prototype'> & (abstract new () => PriorartErrorType);
