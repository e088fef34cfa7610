/** Small models made by Python, and the results of Python's tools for texts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noPython, runPython } from '../house/python.js';

function noRuntime(): string | false {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node');
    return false;
  } catch {
    return 'onnxruntime-node is not installed; .ci/run installs it';
  }
}

/** Reason why a test that runs a graph cannot run, or false if it can. */
export const noOnnx = noRuntime() || noPython;

/** Makes the models of make_models.py in a folder that is removed at the end of the test file. */
export function makeModels(...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-onnx-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  runPython('test/onnx/make_models.py', [folder, ...options]);
  return folder;
}

export interface VectorCase {
  folder: string;
  graph: string;
  texts: readonly string[];
  pooling: string;
  windowTokens: number;
  before?: string;
  after?: string;
  endToken?: string;
  output?: string;
  inputs?: Record<string, string>;
  dense?: readonly object[];
  truncatedDimensions?: number;
}

export interface PairCase {
  folder: string;
  graph: string;
  pairs: readonly (readonly [query: string, document: string])[];
  form: 'pair' | 'causal';
  scoreIndex?: number;
  before?: string;
  pair?: string;
  after?: string;
  yes?: string;
  no?: string;
}

function reference<T>(cases: readonly object[]): T {
  return JSON.parse(runPython('test/onnx/reference.py', [], JSON.stringify(cases)).toString()) as T;
}

/** Python's vectors, case by case, text by text. */
export function referenceVectors(cases: readonly VectorCase[]): number[][][] {
  return reference(cases.map((one) => ({ what: 'vectors', ...one })));
}

/** Python's scores. */
export function referenceScores(cases: readonly PairCase[]): number[][] {
  return reference(cases.map((one) => ({ what: 'scores', ...one })));
}

/** The ids of texts, without special tokens. */
export function referenceIds(folder: string, texts: readonly string[]): number[][] {
  return reference<number[][][]>([{ what: 'ids', folder, texts }])[0]!;
}
