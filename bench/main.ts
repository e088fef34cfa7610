/** `npm run bench -- NAME`: runs a benchmark, prints its tables, writes a page and JSON, compares with a baseline. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { isPriorartError, PriorartError } from '../src/errors.js';
import { capacity } from './capacity/capacity.js';
import { cluster } from './cluster/cluster.js';
import { type MakeFlags, makeCorpus } from './corpus/make.js';
import { http } from './http/http.js';
import { ready } from './ingest/ready.js';
import { latency } from './latency/latency.js';
import { commit, load, machine, ROOT } from './machine.js';
import { micro } from './micro/micro.js';
import { indexOf, pageOf } from './page.js';
import { panelsOf } from './panels.js';
import { peers } from './peers/peers.js';
import { quality } from './quality/quality.js';
import { recall } from './recall/recall.js';
import { rerankFit } from './rerank-fit/rerank-fit.js';
import { type Benchmark, joined, type Result, type Setting } from './result.js';
import { resultMarkdown, resultText } from './text.js';

const BENCHMARKS: Benchmark[] = [
  ready,
  micro,
  recall,
  latency,
  peers,
  capacity,
  quality,
  rerankFit,
  http,
  cluster,
];
const CORPORA = resolve(ROOT, '../shared/data');
const OUT = join(ROOT, '.bench');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

interface Flags {
  short?: boolean;
  json?: string;
  models?: string[];
  only?: string;
  corpora: string;
  passages?: string;
  questions?: string;
  folder?: string;
  peers?: string;
  out: string;
  baseline?: string;
  record?: boolean;
  with?: string;
}

const program = new Command('npm run bench --').description(
  'Benchmarks of priorart. Each prints its tables and writes .bench/NAME.html and .bench/NAME.json. Without a name, a short form of all runs.',
);
for (const benchmark of BENCHMARKS) {
  program
    .command(benchmark.name)
    .description(benchmark.summary)
    .option('--short', 'a quick check on parts of the sets')
    .option('--json <file>', 'also write the result to this file')
    .addOption(
      new Option(
        '--models <file>',
        'models.json to measure; give it again to compare several (default: the shipped model)',
      ).argParser((file: string, before: string[] = []) => [...before, file]),
    )
    .option('--only <list>', `sections, comma-separated: ${benchmark.sections.join(', ')}`)
    .option('--corpora <folder>', 'the collections to measure on', CORPORA)
    .option('--passages <list>', 'sizes of the generated folders, comma-separated: 100000,1000000')
    .option('--questions <number>', 'number of questions (peers)')
    .option('--peers <list>', 'libraries to compare with, comma-separated: hnswlib,faiss flat (peers)')
    .option('--folder <folder>', 'index folder of real documents (peers; default: made from the collections)')
    .option('--out <folder>', 'folder for page, JSON and charts', OUT)
    .option('--baseline <file>', `result to compare with (default: bench/baselines/${benchmark.name}.json)`)
    .option('--record', 'make this run the baseline, and write its tables to bench/results')
    .option('--with <file>', 'with --record: take the sections that this run lacks from this earlier result')
    .action((flags: Flags) => run(benchmark, flags));
}

program
  .command('all', { isDefault: true, hidden: true })
  .description('a short form of every benchmark, under ten minutes on two idle processors')
  .action(() => everything());

program
  .command('corpus')
  .description(
    'make a data folder of generated documents, of any size, that `serve` opens; the same for the same seed',
  )
  .requiredOption('--passages <number>', 'passages, about 20 a document')
  .requiredOption('--out <folder>', 'target folder; an interrupted or smaller folder is completed')
  .option('--seed <number>', 'seed of all random choices', '1')
  .option('--threads <number>', 'threads for making documents (default: one per processor)')
  .action((flags: MakeFlags) => makeCorpus(flags));

/** Runs all benchmarks in sequence. A failure does not stop the others. */
async function everything(): Promise<void> {
  const failed: string[] = [];
  for (const benchmark of BENCHMARKS.filter((one) => one !== rerankFit && one !== cluster)) {
    try {
      await run(benchmark, { short: true, corpora: CORPORA, out: OUT });
    } catch (error) {
      failed.push(benchmark.name);
      console.error(error instanceof Error ? error.stack : String(error));
    }
  }
  const pages = BENCHMARKS.filter(({ name }) => existsSync(join(OUT, `${name}.html`)));
  writeFileSync(join(OUT, 'index.html'), indexOf(pages));
  console.log(`\n${relative(process.cwd(), join(OUT, 'index.html'))}`);
  if (failed.length > 0) throw new PriorartError('internal', `failed: ${failed.join(', ')}`);
}

async function run(benchmark: Benchmark, flags: Flags): Promise<void> {
  const result = await measured(benchmark, flags);
  const own = join(ROOT, 'bench/baselines', `${benchmark.name}.json`);
  const file = flags.baseline ?? own;
  const baseline = existsSync(file) ? resultIn(readFileSync(file, 'utf8')) : undefined;
  // Figures of a short run differ from those of a whole one.
  const compared = baseline?.short === result.short ? baseline : undefined;
  console.log(resultText(result, compared));
  mkdirSync(flags.out, { recursive: true });
  const page = join(flags.out, `${benchmark.name}.html`);
  writeFileSync(page, pageOf(result, compared));
  const json = `${JSON.stringify(result, null, 1)}\n`;
  for (const path of [join(flags.out, `${benchmark.name}.json`), ...(flags.json ? [flags.json] : [])]) {
    writeFileSync(path, json);
  }
  console.log(`\n${relative(process.cwd(), page)}`);
  for (const panels of result.sections.flatMap((section) => section.panels ?? [])) {
    writeFileSync(join(flags.out, panels.file), panelsOf(panels));
    console.log(relative(process.cwd(), join(flags.out, panels.file)));
  }
  if (!flags.record) return;
  const earlier = flags.with === undefined ? undefined : resultIn(readFileSync(flags.with, 'utf8'));
  record(benchmark, earlier === undefined ? result : joined(result, earlier), own);
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`${option}: got ${text}; expected a whole number from 1 on`);
}

/** The file's name; its full path if another file has the same name. */
function labelOf(file: string | undefined, files: readonly (string | undefined)[]): string {
  if (file === undefined) return 'default';
  const shared =
    files.filter((other) => other !== undefined && basename(other) === basename(file)).length > 1;
  return shared ? file : basename(file, '.json');
}

async function measured(benchmark: Benchmark, flags: Flags): Promise<Result> {
  const before = load();
  const startedAt = new Date().toISOString();
  const files = flags.models ?? [undefined];
  const setting: Setting = {
    corpora: flags.corpora,
    short: flags.short === true,
    models: files.map((file) => ({ label: labelOf(file, files), file })),
    only: flags.only?.split(',').map((name) => name.trim()),
    passages: flags.passages?.split(',').map((text) => wholeNumber('--passages', text)),
    questions: flags.questions === undefined ? undefined : wholeNumber('--questions', flags.questions),
    folder: flags.folder,
    peers: flags.peers?.split(',').map((name) => name.trim()),
    progress: (text) => process.stderr.write(`${text}\n`),
  };
  const { models, sections } = await benchmark.run(setting);
  const given = process.argv.slice(2).filter((word) => word !== '--record');
  // A recorded result names no path of the machine.
  const words = given.map((word) => (isAbsolute(word) ? relative(process.cwd(), word) : word));
  return {
    benchmark: benchmark.name,
    version,
    commit: commit(),
    command: ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' '),
    startedAt,
    machine: machine(),
    load: { before, after: load() },
    // Other questions or libraries than the default are no complete run, either.
    short: setting.short || setting.questions !== undefined || setting.peers !== undefined,
    models,
    sections,
  };
}

/** Parses a result. Values that could not be measured are null in JSON, which has no NaN. */
function resultIn(json: string): Result {
  return JSON.parse(json, (key, value) => (key === 'value' && value === null ? Number.NaN : value)) as Result;
}

/** Makes a complete run the baseline, and writes its tables to bench/results. */
function record(benchmark: Benchmark, result: Result, baseline: string): void {
  const whole = benchmark.sections.every((name) =>
    result.sections.some(({ id }) => id === name || id.startsWith(`${name}-`)),
  );
  if (result.short || !whole || result.sections.some(({ skipped }) => skipped)) {
    const message = 'only a complete run can be a baseline, or one that --with completes';
    throw new Error(`not recorded: ${message}`);
  }
  writeFileSync(baseline, `${JSON.stringify(result, null, 1)}\n`);
  const page = join(ROOT, 'bench', 'results', `${benchmark.name}.md`);
  writeFileSync(page, `# Results of \`npm run bench -- ${benchmark.name}\`\n\n${resultMarkdown(result)}\n`);
  console.log(`Recorded in ${[baseline, page].map((file) => relative(process.cwd(), file)).join(' and ')}`);
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(isPriorartError(error) || !(error instanceof Error) ? String(error) : error.stack);
  process.exitCode = 1;
}
