/** The Python environment of the peers, and what is compiled for it. Both are made once in .bench. */
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pinned, ROOT } from '../machine.js';
import type { Setting } from '../result.js';
import type { Line } from './outcome.js';

const FOLDER = join(ROOT, 'bench/peers');
const PACKAGES = join(FOLDER, 'packages.txt');
/** Packages whose C++ headers graphs.cpp is compiled with. */
const HEADERS = join(FOLDER, 'headers.txt');
const SOURCE = join(FOLDER, 'graphs.cpp');
const HOME = join(ROOT, '.bench/peers-python');

export interface Python {
  path: string;
  /** The compiled graphs; undefined if they could not be compiled, with the reason. */
  graphs: string | undefined;
  missing?: string;
}

/** Installs the packages and compiles the graphs. */
export function pythonWithPeers({ progress }: Setting): Python | { missing: string } {
  const path = join(HOME, 'bin/python');
  const installed = once('packages', [PACKAGES], () => {
    progress('installing the peers into .bench/peers-python');
    rmSync(HOME, { recursive: true, force: true });
    must(spawnSync(process.env['PRIORART_BENCH_PYTHON'] ?? 'python3', ['-m', 'venv', HOME], OPTIONS));
    must(spawnSync(path, [...PIP, 'install', '-r', PACKAGES], OPTIONS));
  });
  if (installed !== undefined) return { missing: installed };
  const graphs = join(HOME, 'graphs.so');
  const compiled = once('graphs', [HEADERS, SOURCE], () => {
    progress('compiling graphs.cpp');
    const headers = join(HOME, 'headers');
    rmSync(headers, { recursive: true, force: true });
    mkdirSync(headers);
    const names = readFileSync(HEADERS, 'utf8').match(/^[\w-]+(?===)/gm)!;
    const sources = ['--no-deps', '--no-binary', names.join(','), '--dest', headers];
    must(spawnSync(path, [...PIP, 'download', ...sources, '-r', HEADERS], OPTIONS));
    for (const file of readdirSync(headers))
      must(spawnSync('tar', ['xzf', file], { ...OPTIONS, cwd: headers }));
    const folders = readdirSync(headers).filter((name) => !name.endsWith('.gz'));
    const includes = folders.flatMap((name) =>
      ['', 'include', 'numkong/include'].map((of) => `-I${join(headers, name, of)}`),
    );
    // The flags of hnswlib's own setup. The kernels of USearch are in the library that its package loads.
    const flags = ['-O3', '-march=native', '-std=c++17', '-shared', '-fPIC', '-pthread', '-w'];
    const numkong = ['-DUSEARCH_USE_NUMKONG=1', '-DNK_DYNAMIC_DISPATCH=1', '-DNK_NATIVE_BF16=0'];
    must(
      spawnSync(
        process.env['CXX'] ?? 'g++',
        [...flags, ...numkong, ...includes, '-o', graphs, SOURCE],
        OPTIONS,
      ),
    );
  });
  return compiled === undefined ? { path, graphs } : { path, graphs: undefined, missing: compiled };
}

const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
const OPTIONS = { encoding: 'utf8' } as const;

/** Runs `make` unless it has succeeded with the same files. Returns the reason if it fails. */
function once(name: string, files: readonly string[], make: () => void): string | undefined {
  const wanted = files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex')).join(' ');
  const stamp = join(HOME, `${name}.stamp`);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  try {
    make();
  } catch (error) {
    return `${name}: ${(error as Error).message}`;
  }
  writeFileSync(stamp, wanted);
  return undefined;
}

function must({ status, stderr, error }: SpawnSyncReturns<string>): void {
  if (status === 0) return;
  const lines = (error?.message ?? stderr ?? '').trim().split('\n');
  throw new Error(lines.find((line) => /error/i.test(line)) ?? lines.at(-1));
}

/**
 * Runs a program that prints lines of JSON. While it measures, it runs on one processor.
 * @throws Error if it fails
 */
export async function linesOf(
  command: string,
  args: readonly string[],
  { onOne, env, heard }: { onOne: boolean; env?: NodeJS.ProcessEnv; heard?(line: Line): void },
): Promise<Line[]> {
  const whole = onOne ? pinned([0], command, args) : { command, args };
  const child = spawn(whole.command, whole.args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines: Line[] = [];
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as Line;
    heard?.(line);
    lines.push(line);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return lines;
}

/** Runs peers.py. */
export function askPeers(
  python: Python,
  mode: 'build' | 'measure',
  onOne: boolean,
  args: readonly [dir: string, questionsDir: string, ...libraries: string[]],
  heard: (line: Line) => void,
): Promise<Line[]> {
  const env = python.graphs === undefined ? {} : { PRIORART_GRAPHS: python.graphs };
  return linesOf(python.path, [join(FOLDER, 'peers.py'), mode, ...args], {
    onOne,
    env,
    heard,
  });
}
