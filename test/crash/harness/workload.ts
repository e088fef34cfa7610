/** The operations of the harness on a folder, and the required state of the folder at each moment. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { passagesOf } from '../../../src/ingest/passages.js';
import type { ModelsInput } from '../../../src/models/config.js';
import type { Patent } from '../../../src/patent/record.js';
import { publication } from '../folder.js';
import { type Access, afterSaid, NOBODY, type Served } from './served-state.js';

/** Maximum number of publications. */
export const POOL = 60;
/** Small sizes, so that about ten publications produce segments, merges and FAISS indexes. */
export const SMALL = { segmentPassages: 10, indexFrom: 48 };

export type Model = 'static' | 'other';

/** An ingest of files: new publications, and replacements of older versions. */
export interface Put {
  kind: 'put';
  docs: number[];
  version: number;
  /** Number of files that hold the publications. */
  files: number;
  /** Publications that come with their drawing. */
  drawn: number[];
}

export type Operation =
  | Put
  | { kind: 'delete'; docs: number[] }
  /** Merges due segments, or with `full` everything into one segment. */
  | { kind: 'merge'; full: boolean }
  /** Deletes during a merge of everything into one segment. */
  | { kind: 'deleteInMerge'; docs: number[] }
  /** Re-embeds the folder with this model. */
  | { kind: 'reembed'; model: Model }
  /** Stores a drawing that belongs to no publication. */
  | { kind: 'draw'; image: number }
  /** Creates an account and a key, then revokes the key. */
  | { kind: 'key' }
  /** Runs a server, administers it and searches with its keys. */
  | { kind: 'serve'; quota: number; searches: number; revoked: boolean; readsLog: boolean };

/** Version of each publication by its number. */
export type State = ReadonlyMap<number, number>;

/** The known state of a folder. */
export interface Known {
  documents: State;
  /** Version of the drawing of each publication that has one. */
  figures: State;
  /** Completed ingests; their files are in the ledger. */
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

/** The office's name of a publication's drawing, in every version. */
export function figureFile(n: number): string {
  return `${publication(n, 7, 1).patent_id}-D00001.png`;
}

/** Placeholder for an image; the harness never decodes it. */
export function image(n: number): Buffer {
  return Buffer.concat(
    Array.from({ length: 40 }, (_, k) => createHash('sha512').update(`${n} ${k}`).digest()),
  );
}

/** The folder that an ingest reads. */
export function sourceOf(root: string, { version }: Put): string {
  return join(root, 'sources', String(version));
}

/** Content of each file of an ingest, by path. */
export function filesOf(root: string, put: Put): Map<string, number[]> {
  const each = Math.ceil(put.docs.length / put.files);
  const files = new Map<string, number[]>();
  for (let at = 0; at < put.docs.length; at += each)
    files.set(join(sourceOf(root, put), `part-${files.size}.jsonl`), put.docs.slice(at, at + each));
  return files;
}

/** The file of the model for a re-embedding; `writeOtherModel` makes it. */
export function otherModel(root: string): string {
  return join(root, 'other-model.bin');
}

export const OTHER_NAME = 'other';
export const OTHER_DIMENSIONS = 64;

/** The model of a folder, by the name in its manifest. */
export function modelOf(name: string): Model {
  return name === OTHER_NAME ? 'other' : 'static';
}

/** The configuration of a model. */
export function modelsOf(model: Model, root: string): ModelsInput {
  return { embedder: { kind: 'static', ...(model === 'other' ? { file: otherModel(root) } : {}) } };
}

/** The state after a completed operation. */
export function after(documents: State, operation: Operation): State {
  return statesOf(documents, operation).at(-1)!;
}

/**
 * The states of an operation, the one before it first. Each batch of an ingest is one atomic commit; so is a
 * deletion.
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

/** Possible versions of each publication's drawing; an empty entry: it has none. */
function figuresAfter(figures: State, operation: Operation): State {
  const then = new Map(figures);
  if (operation.kind === 'put') for (const n of operation.drawn) then.set(n, operation.version);
  if (operation.kind === 'delete' || operation.kind === 'deleteInMerge')
    for (const n of operation.docs) then.delete(n);
  return then;
}

/** Reports of a process: an operation begins or is done, and its server's answers. */
export type Said =
  | { begin: number }
  | { done: number }
  | Served
  | { failed: number; code: string; message: string }
  /** Reports around a full disk. */
  | { searched: number }
  | { end: true };

/** The reported lines of a process, without an incomplete last one. */
export function saidIn(text: string): Said[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Said);
}

/** The possible states of a folder at this progress of its process. */
export interface Outcome {
  known: Known;
  /** The operation that began and did not complete. */
  running: Operation | undefined;
  /** Complete states of the publications; the folder must have one of them. */
  states: readonly State[];
  /** Drawings after the running operation. */
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
