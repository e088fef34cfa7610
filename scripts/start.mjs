/**
 * `npm start`: sets up, indexes the fixtures into a new data folder, and serves it with a demonstration key.
 * Options after `--` go to `priorart serve`, as in `npm start -- --port 9000`.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reportFailure, runInPlace } from './setup/child.mjs';
import { ROOT, setUp } from './setup.mjs';

/** Fixture folders with publications of the offices. The others hold drawings and expected answers. */
const FIXTURES = ['us', 'kr', 'jp', 'cn', 'ep', 'jsonl'];

/** Marks a data folder whose first ingest is not complete. The next start resumes it. */
const UNFINISHED = 'first-start-unfinished';

const priorart = (...args) => runInPlace(process.execPath, [join(ROOT, 'dist/src/cli/main.js'), ...args]);

/** Whether the folder's vectors are of another version of its model than the installed one, as after an update of the clone. */
async function isOfOlderModel(data) {
  const { open } = await import('../dist/src/engine.js');
  try {
    await (await open(data, { workers: 0 })).close();
    return false;
  } catch (error) {
    // `serve` reports every other error.
    return error.code === 'model_mismatch';
  }
}

async function start(args) {
  await setUp();
  const { values } = parseArgs({ args, options: { data: { type: 'string' } }, strict: false });
  const data = resolve(values.data ?? process.env.PRIORART_DATA ?? join(ROOT, '.priorart'));
  const mark = join(data, UNFINISHED);
  // An empty folder counts as new, for example a mounted volume.
  if (!existsSync(data) || readdirSync(data).length === 0) {
    mkdirSync(data, { recursive: true });
    writeFileSync(mark, '');
  }
  if (existsSync(mark)) {
    const present = readdirSync(join(ROOT, 'fixtures'));
    const folders = FIXTURES.filter((name) => present.includes(name)).map((name) =>
      join(ROOT, 'fixtures', name),
    );
    const code = await priorart('ingest', '--data', data, ...folders);
    if (code !== 0) return code;
    rmSync(mark);
  } else if (await isOfOlderModel(data)) {
    console.error('The model has a new version. The passages get its vectors:');
    const code = await priorart('reembed', '--data', data);
    if (code !== 0) return code;
  }
  return priorart('serve', '--demo', ...(values.data === undefined ? ['--data', data] : []), ...args);
}

await start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
}, reportFailure);
