/** What the harness has a process do to a folder, and what must be true of the folder at each moment. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { passagesOf } from '../../../src/ingest/passages.js';
import type { ModelsInput } from '../../../src/models/config.js';
import type { Patent } from '../../../src/patent/record.js';
import { publication } from '../folder.js';
import { type Access, afterSaid, NOBODY, type Served } from './served-state.js';

/** Publications that there are at most. */
export const POOL = 60;
/** So small that some ten publications make segments, merges and FAISS indexes. */
export const SMALL = { segmentPassages: 10, indexFrom: 48 };

export type Model = 'static' | 'other';

/** An ingest of files: new publications, and ones that take the place of an older version. */
export interface Put {
  kind: 'put';
  docs: number[];
  version: number;
  /** Files that the publications come in. */
  files: number;
  /** Publications whose drawing comes with them. */
  drawn: number[];
}

export type Operation =
  | Put
  | { kind: 'delete'; docs: number[] }
  /** Merges what is due, or with `full` everything into one segment. */
  | { kind: 'merge'; full: boolean }
  /** Deletes while everything is being merged into one segment. */
  | { kind: 'deleteInMerge'; docs: number[] }
  /** Embeds the folder anew with this model. */
  | { kind: 'reembed'; model: Model }
  /** Stores a drawing that no publication names. */
  | { kind: 'draw'; image: number }
  /** Makes an account and a key; then revokes the key. */
  | { kind: 'key' }
  /** Runs a server, administers it and searches with its keys. */
  | { kind: 'serve'; quota: number; searches: number; revoked: boolean; readsLog: boolean };

/** Version of each publication that is there, by its number. */
export type State = ReadonlyMap<number, number>;

/** What is certain of a folder. */
export interface Known {
  documents: State;
  /** Version of the drawing of each publication that has one. */
  figures: State;
  /** Ingests that ended; their files are in the ledger. */
  read: readonly Put[];
  model: Model;
  /** Drawings that were stored without a publication. */
  images: readonly number[];
  access: Access;
}

export const NOTHING: Known = {
  documents: new Map(),
  figures: new Map(),
  read: [],
  model: 'static',
  images: [],
  access: NOBODY,
};

/** A publication of the harness in one version. */
export function patent(n: number, version: number): Patent {
  const one = publication(n, 7, version);
  const sentence = one.abstract!.split('. ')[0]!;
  return {
    ...one,
    claims: [
      ...one.claims!,
      { number: 2, text: `The device of claim 1, wherein ${sentence} in claim 2.`, depends_on: [1] },
    ],
    description: [
      {
        section: 'Technical field',
        paragraphs: [
          { number: 1, text: `${sentence}, as the field has it.` },
          { number: 2, text: `Publication ${n} says so in revision ${version}.` },
        ],
      },
    ],
    publication_date: `${2012 + (version % 9)}-03-04`,
    applicants: [{ name: `Applicant ${version} Ltd.` }],
    inventors: [{ name: `Inventor ${n} of ${version}` }],
    ipc_codes: ['H01M 10/0525'],
    drawings: [{ file: figureFile(n), label: 'FIG. 1', representative: true }],
  };
}

/** What the office calls the drawing of a publication, in every version. */
export function figureFile(n: number): string {
  return `${publication(n, 7, 1).patent_id}-D00001.png`;
}

/** An image that stands for itself; nothing looks into it. */
export function image(n: number): Buffer {
  return Buffer.concat(
    Array.from({ length: 40 }, (_, k) => createHash('sha512').update(`${n} ${k}`).digest()),
  );
}

/** The folder that an ingest reads. */
export function sourceOf(root: string, { version }: Put): string {
  return join(root, 'sources', String(version));
}

/** What each file of an ingest holds, by its path. */
export function filesOf(root: string, put: Put): Map<string, number[]> {
  const each = Math.ceil(put.docs.length / put.files);
  const files = new Map<string, number[]>();
  for (let at = 0; at < put.docs.length; at += each)
    files.set(join(sourceOf(root, put), `part-${files.size}.jsonl`), put.docs.slice(at, at + each));
  return files;
}

/** The file of the model that a re-embedding changes to; `writeOtherModel` makes it. */
export function otherModel(root: string): string {
  return join(root, 'other-model.bin');
}

export const OTHER_NAME = 'other';
export const OTHER_DIMENSIONS = 64;

/** Which model a folder has, by the name in its manifest. */
export function modelOf(name: string): Model {
  return name === OTHER_NAME ? 'other' : 'static';
}

/** The configuration of a model. */
export function modelsOf(model: Model, root: string): ModelsInput {
  return { embedder: { kind: 'static', ...(model === 'other' ? { file: otherModel(root) } : {}) } };
}

/** The state after an operation that was done. */
export function after(documents: State, operation: Operation): State {
  return statesOf(documents, operation).at(-1)!;
}

/**
 * The states that an operation goes through, the one before it first. Each batch of an ingest is one commit, whose
 * publications are all there or none; so is a deletion.
 */
export function statesOf(before: State, operation: Operation): State[] {
  if (operation.kind === 'delete' || operation.kind === 'deleteInMerge') {
    const then = new Map(before);
    for (const n of operation.docs) then.delete(n);
    return [before, then];
  }
  if (operation.kind !== 'put') return [before];
  const states = [before];
  for (const batch of batchesOf(operation)) {
    const then = new Map(states.at(-1));
    for (const n of batch) then.set(n, operation.version);
    states.push(then);
  }
  return states;
}

/** The publications of each commit of an ingest, in the order of its files. */
function batchesOf({ docs, version }: Put): number[][] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let passages = 0;
  for (const n of docs) {
    batch.push(n);
    passages += passagesOf(patent(n, version)).length;
    if (passages < SMALL.segmentPassages) continue;
    batches.push(batch);
    batch = [];
    passages = 0;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** Versions that the drawing of each publication may have; a missing entry: it has none. */
function figuresAfter(figures: State, operation: Operation): State {
  const then = new Map(figures);
  if (operation.kind === 'put') for (const n of operation.drawn) then.set(n, operation.version);
  if (operation.kind === 'delete' || operation.kind === 'deleteInMerge')
    for (const n of operation.docs) then.delete(n);
  return then;
}

/** What a process says: an operation begins or is done, and what its server has answered. */
export type Said =
  | { begin: number }
  | { done: number }
  | Served
  | { failed: number; code: string; message: string }
  /** What goes on around a disk that is full. */
  | { searched: number }
  | { end: true };

/** The lines that a process wrote; one that was cut off is left out. */
export function saidIn(text: string): Said[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Said);
}

/** What may be true of a folder when its process has come so far. */
export interface Outcome {
  known: Known;
  /** The operation that had begun and was not done. */
  running: Operation | undefined;
  /** Whole states of the publications, one of which it must be in. */
  states: readonly State[];
  /** Drawings once the running operation is done. */
  figures: State;
}

export function outcome(before: Known, list: readonly Operation[], said: readonly Said[]): Outcome {
  let { documents, figures, read, model, images, access } = before;
  let running: Operation | undefined;
  for (const line of said) {
    if ('begin' in line) running = list[line.begin];
    else if ('served' in line) access = afterSaid(access, line);
    else if ('done' in line) {
      const operation = list[line.done]!;
      documents = after(documents, operation);
      figures = figuresAfter(figures, operation);
      if (operation.kind === 'put') read = [...read, operation];
      if (operation.kind === 'reembed') model = operation.model;
      if (operation.kind === 'draw') images = [...images, operation.image];
      running = undefined;
    }
  }
  return {
    known: { documents, figures, read, model, images, access },
    running,
    states: running ? statesOf(documents, running) : [documents],
    figures: running ? figuresAfter(figures, running) : figures,
  };
}
