/** Data folders for crash tests: creation, complete reads, comparison, and processes that are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../src/engine.js';
import { random } from '../../src/eval/bootstrap.js';
import { type CheckReport, checkFolder } from '../../src/index/check.js';
import type { Patent } from '../../src/patent/record.js';
import { figureImages } from '../../src/store/figures.js';
import { newestMeta } from '../../src/store/lmdb-file.js';
import { Store } from '../../src/store/store.js';

export const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
/** Documents written for this project, in the formats of the offices. */
export const FIXTURES = ['us', 'kr', 'jsonl'].map((name) => resolve('fixtures', name));
/** Documents of the offices, if they are available. */
const REAL = resolve('../shared/data/patents');
export const REAL_SOURCES = ['US/us-patent-grant-v4', 'US/us-patent-application-v4', 'KR/kipris-json'].map(
  (name) => join(REAL, name),
);
export const noReal = REAL_SOURCES.every((path) => existsSync(path)) ? false : `no documents at ${REAL}`;

/** A temporary folder for a test. */
export function temporary(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-crash-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Bytes of an LMDB file that its pages use. The rest of the file is reserved space. */
export function usedBytes(path: string): number {
  const file = openSync(path, 'r');
  try {
    const { pageSize, lastPage } = newestMeta(file);
    return (lastPage + 1) * pageSize;
  } finally {
    closeSync(file);
  }
}

export { random };

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Runs a script of this test build in a separate process. */
export function launch(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { child: ChildProcess; ended: Promise<Ended> } {
  const started = performance.now();
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) =>
      done({ code, signal, stdout, stderr, ms: performance.now() - started }),
    );
  });
  return { child, ended };
}

/** Runs `priorart …` and waits for its end. */
export function priorart(...args: string[]): Promise<Ended> {
  return launch(CLI, args).ended;
}

/** Runs a script and kills it with SIGKILL after some ms. */
export async function killedAfter(ms: number, script: string, args: readonly string[]): Promise<Ended> {
  const { child, ended } = launch(script, args);
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

/** Verifies a folder; undefined if the process was killed before there was an index. */
export async function checked(dir: string): Promise<CheckReport | undefined> {
  let store: Store;
  try {
    store = Store.open(dir);
  } catch (error) {
    if ((error as { code?: string }).code === 'no_data') return undefined;
    throw error;
  }
  try {
    return await checkFolder(store);
  } finally {
    await store.close();
  }
}

/** All records by patent_id, as text, without the ids and the history that depend on the order of ingests. */
export async function documentsOf(dir: string): Promise<Map<string, string>> {
  const store = Store.open(dir);
  try {
    const found = new Map<string, string>();
    for (const { key, value } of store.documents.getRange()) {
      const { replaced: _, ...head } = value;
      const passages = Array.from({ length: head.passages }, (_, n) => store.passage(key, n));
      // Sorted by key, because drawings are stored in the order of their ingest.
      const figures = [...figureImages(store, head.patent_id)].sort(([a], [b]) => (a < b ? -1 : 1));
      found.set(head.patent_id, JSON.stringify([head, store.bodies.get(key), passages, figures]));
    }
    return new Map([...found].sort());
  } finally {
    await store.close();
  }
}

/** Questions in six languages, from the fixtures. */
export function questions(count: number): string[] {
  const lines = readFileSync(resolve('fixtures/queries.tsv'), 'utf8').trim().split('\n').slice(1);
  const step = Math.max(1, Math.floor(lines.length / count));
  return lines
    .filter((_, n) => n % step === 0)
    .map((line) => line.split('\t')[2]!)
    .slice(0, count);
}

/** Answers of exact searches, byte for byte: ids, scores, chunks. */
export async function exactAnswers(dir: string, queries: readonly string[]): Promise<string[]> {
  const engine = await open(dir, { workers: 0 });
  try {
    const answers: string[] = [];
    for (const query of queries) {
      answers.push(JSON.stringify(await engine.search({ query, top_k: 20 }, { exact: true })));
    }
    return answers;
  } finally {
    await engine.close();
  }
}

const SUBJECTS = [
  'valve',
  'battery',
  'antenna',
  'turbine',
  'catalyst',
  'membrane',
  'lens',
  'motor',
  'polymer',
];
const PARTS = ['housing', 'electrode', 'spring', 'sensor', 'coating', 'rotor', 'gasket', 'circuit', 'nozzle'];
const VERBS = ['seals', 'heats', 'guides', 'rotates', 'measures', 'cools', 'filters', 'drives', 'clamps'];

/** A generated publication, the same for the same numbers. `version` changes its texts, not its numbers. */
export function publication(n: number, seed = 1, version = 1): Patent {
  const next = random(seed * 1_000_003 + n * 101 + version);
  const pick = (words: readonly string[]) => words[Math.floor(next() * words.length)]!;
  const sentence = () =>
    `The ${pick(PARTS)} of the ${pick(SUBJECTS)} ${pick(VERBS)} the ${pick(PARTS)} number ${Math.floor(next() * 1e6)}, revision ${version}.`;
  const number = `10${2010 + (n % 10)}${String(seed * 10_000 + n).padStart(7, '0')}`;
  return {
    patent_id: `KR${number}A`,
    country: 'KR',
    number,
    kind_code: 'A',
    language: 'en',
    title: `${pick(SUBJECTS)} with ${pick(PARTS)}, revision ${version}`,
    abstract: `${sentence()} ${sentence()}`,
    claims: [{ number: 1, text: `A ${pick(SUBJECTS)}, wherein ${sentence()}` }],
    filing_date: `${2010 + (n % 10)}-01-15`,
    application_number: number,
  };
}

/** The first publications of a seed. */
export function invented(count: number, seed = 1, version = 1): Patent[] {
  return Array.from({ length: count }, (_, n) => publication(n, seed, version));
}

/** Writes publications as JSON Lines. Returns the file's path. */
export function writeLines(path: string, patents: readonly Patent[]): string {
  writeFileSync(path, patents.map((patent) => `${JSON.stringify(patent)}\n`).join(''));
  return path;
}
