/**
 * `npm test`: sets up, then runs lint, the tests of the Rust core, and every compiled test under
 * `node --test`. In CI, also the format of the Rust code and clippy.
 * `npm run test:quick`: sets up, then runs lint and a selection of tests, in less than two minutes.
 * `npm test -- test/patent`: runs only the tests below that folder (or of that file), without lint and Rust.
 * Options such as `--test-name-pattern=kind` go to node's test runner. A failed part does not stop the parts
 * after it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { reportFailure, runCaptured, runInPlace, SetupError } from './setup/child.mjs';
import { chosenLevel } from './setup/cpu.mjs';
import { filesUnder } from './setup/digest.mjs';
import { findRust } from './setup/prerequisites.mjs';
import { elapsed, withProgress } from './setup/progress.mjs';
import { withTarget } from './setup/target.mjs';
import { ROOT, setUp } from './setup.mjs';

/** Tests of `--quick`: without servers, large folders and long random tests. */
const QUICK = [
  'test/patent',
  'test/store',
  'test/compat',
  'test/config.test.ts',
  'test/access/billing.test.ts',
  'test/access/window.test.ts',
  'test/cli/command.test.ts',
  'test/embed/calibration.test.ts',
  'test/eval/measures.test.ts',
  'test/house/arrows.test.ts',
  'test/house/errors.test.ts',
  'test/house/links.test.ts',
  'test/http/body.test.ts',
  'test/http/byte-range.test.ts',
  'test/http/router.test.ts',
  'test/ingest/passages.test.ts',
  'test/ingest/readers/golden.test.ts',
  'test/search/filter.test.ts',
  'test/search/markdown.test.ts',
  'test/search/plan.test.ts',
  'test/search/query-filters.test.ts',
  'test/search/query.test.ts',
];

/** Two, because tests start servers and worker pools, and some measure time. */
const CONCURRENCY = 2;
/**
 * A test file that takes longer hangs. The test of the package builds the addon, which takes minutes without
 * a cache.
 */
const TEST_TIMEOUT_MS = 1_500_000;

async function lint() {
  const { platform, arch } = process;
  // The launcher exists on every platform. The binary is an optional package for each platform.
  const launcher = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const binary = filesUnder(ROOT, `node_modules/@biomejs/cli-${platform}-${arch}`).length > 0;
  if (!binary) return { skipped: `the lockfile has no Biome for ${platform}-${arch}` };
  const { code, lines } = await runCaptured(process.execPath, [launcher, 'check', '--colors=off'], {
    cwd: ROOT,
  });
  if (code !== 0) console.log(lines.slice(-100).join('\n'));
  return { failed: code !== 0 };
}

/** Runs cargo in the workspace, and prints the end of its output if it fails. */
async function cargo(name, argsOf) {
  const rust = await findRust();
  const checkout = { root: ROOT, level: chosenLevel(), rust };
  const { code, lines } = await withProgress(name, (report) => {
    const onLine = (line) =>
      /^\s+(Checking|Compiling|Running)/.test(line) && report(line.trim().replace(/ \(.*\)$/, ''));
    // The seed of property tests, as in test/property.ts.
    const seed = { PROPTEST_RNG_SEED: process.env.PRIORART_TEST_PROPERTY_SEED ?? '1' };
    const options = { cwd: join(ROOT, 'native'), onLine };
    const run = (env) => runCaptured(rust.cargo, argsOf(rust), { ...options, env: { ...env, ...seed } });
    return withTarget(checkout, run, report);
  });
  if (code !== 0) console.log(lines.slice(-100).join('\n'));
  return { code, lines };
}

/** Format and clippy, in CI. rustup installs both only if they are asked for. */
async function rustLint() {
  if (!process.env.CI) return { skipped: 'only in CI: .ci/run' };
  const { cargo: program } = await findRust();
  for (const tool of ['fmt', 'clippy']) {
    const { code } = await runCaptured(program, [tool, '--version'], { cwd: ROOT });
    if (code !== 0) return { skipped: `cargo ${tool} is not installed: rustup component add rustfmt clippy` };
  }
  const format = await cargo('Rust format', () => ['fmt', '--all', '--check']);
  const clippy = await cargo('clippy', ({ host }) => [
    'clippy',
    ...WORKSPACE,
    '--all-targets',
    '--target',
    host,
    '--',
    '--deny',
    'warnings',
  ]);
  return { failed: format.code !== 0 || clippy.code !== 0 };
}

/** All crates except `priorart-node`, which links against symbols of a running Node. */
const WORKSPACE = ['--release', '--locked', '--workspace', '--exclude', 'priorart-node'];

async function rustTests() {
  const { code, lines } = await cargo('Rust tests', ({ host }) => ['test', ...WORKSPACE, '--target', host]);
  const passed = lines.map((line) => Number(/^test result: ok\. (\d+) passed/.exec(line)?.[1] ?? 0));
  return { failed: code !== 0, note: `${passed.reduce((sum, count) => sum + count, 0)} passed` };
}

/** Compiled tests whose source is at or below one of the paths; all tests without paths. */
function testFiles(paths) {
  const wanted = paths.map((path) => relative(ROOT, resolve(path)).replace(/\.ts$/, ''));
  const chosen = (source) =>
    wanted.length === 0 || wanted.some((path) => source === path || source.startsWith(`${path}/`));
  return filesUnder(join(ROOT, 'dist'), 'test')
    .filter((file) => file.endsWith('.test.js') && chosen(file.replace(/\.js$/, '')))
    .map((file) => join('dist', file));
}

/** Options that this Node's test runner supports: they came with Node 20.10 and 20.11. */
function runnerOptions() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const since = (wanted) => major > 20 || minor >= wanted;
  return [
    ...(since(10) ? [`--test-concurrency=${CONCURRENCY}`] : []),
    ...(since(11) ? [`--test-timeout=${TEST_TIMEOUT_MS}`] : []),
  ];
}

async function nodeTests(paths, options) {
  const files = testFiles(paths);
  if (files.length === 0) throw new SetupError(`No tests found at ${paths.join(', ') || 'test/'}.`);
  const folder = mkdtempSync(join(tmpdir(), 'priorart-test-'));
  const skips = join(folder, 'skips');
  const reporters = ['spec', 'stdout', join(ROOT, 'scripts/skips-reporter.mjs'), skips].map((value, i) =>
    i % 2 === 0 ? `--test-reporter=${value}` : `--test-reporter-destination=${value}`,
  );
  try {
    const args = ['--enable-source-maps', '--test', ...runnerOptions(), ...reporters, ...options, ...files];
    const code = await runInPlace(process.execPath, args, { cwd: ROOT });
    const skipped = existsSync(skips) ? readFileSync(skips, 'utf8').trim() : '';
    return {
      failed: code !== 0,
      skips: skipped === '' ? [] : skipped.split('\n').map((line) => JSON.parse(line)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints `- reason: first name; second name; and 3 more`, one line for each reason. */
function printSkips(skips) {
  if (skips.length === 0) return;
  const byReason = new Map();
  for (const skip of skips) byReason.set(skip.reason, [...(byReason.get(skip.reason) ?? []), skip]);
  console.log('\nNot run here:');
  for (const [reason, tests] of byReason) {
    const names = tests.slice(0, 3).map((test) => test.name);
    console.log(
      `- ${reason}: ${names.join('; ')}${tests.length > 3 ? `; and ${tests.length - 3} more` : ''}`,
    );
  }
}

async function test(args) {
  const started = Date.now();
  const isQuick = args.includes('--quick');
  const options = args.filter((arg) => arg.startsWith('-') && arg !== '--quick');
  const paths = isQuick ? QUICK : args.filter((arg) => !arg.startsWith('-'));
  await setUp();

  const parts = isQuick ? { lint: await lint() } : {};
  if (args.length === 0) {
    Object.assign(parts, {
      lint: await lint(),
      'Rust lint': await rustLint(),
      'Rust tests': await rustTests(),
    });
  }
  const tests = await nodeTests(paths, options);
  const skips = Object.entries(parts).flatMap(([name, { skipped }]) =>
    skipped ? [{ name, reason: skipped }] : [],
  );
  printSkips([...skips, ...tests.skips]);

  const verdicts = Object.entries({ ...parts, 'Node tests': tests }).map(
    ([name, { failed, skipped, note }]) => {
      if (skipped) return `${name} skipped`;
      return `${name} ${failed ? 'FAILED' : 'ok'}${note ? ` (${note})` : ''}`;
    },
  );
  const failed = [...Object.values(parts), tests].some((part) => part.failed);
  console.log(
    `\n${failed ? 'Failed' : 'Passed'} after ${elapsed(Date.now() - started)}: ${verdicts.join(', ')}`,
  );
  process.exitCode = failed ? 1 : 0;
}

await test(process.argv.slice(2)).catch(reportFailure);
