/**
 * Makes test/compat/format-<n>: a small data folder of the current format, which later versions must open. Run it
 * from the repository's root when the format changes, and commit the folder: `node dist/test/compat/make.js`. Folders
 * of released formats are never changed.
 *
 * Keys and counters are left out, because their format has its own version (keys.test.ts). FAISS indexes are left out, because they
 * need 20,000 passages and can be rebuilt.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FORMAT } from '../../src/store/keys.js';
import { priorart } from '../crash/folder.js';

const FIXTURES = 'fixtures/jsonl';
const PUBLICATIONS_OF_EACH = 3;

async function run(...args: string[]): Promise<void> {
  const { code, stderr } = await priorart(...args);
  if (code !== 0) throw new Error(`priorart ${args.join(' ')}: ${stderr}`);
}

/** The first publications of each file, and all drawings. */
function writeSources(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync(FIXTURES)) {
    if (!name.endsWith('.jsonl')) copyFileSync(join(FIXTURES, name), join(folder, name));
    else {
      const lines = readFileSync(join(FIXTURES, name), 'utf8').split('\n').slice(0, PUBLICATIONS_OF_EACH);
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'compat-'));
try {
  const made = resolve('test/compat', `format-${FORMAT}`);
  rmSync(made, { recursive: true, force: true });
  const [sources, data] = [join(folder, 'sources'), join(folder, 'data')];
  writeSources(sources);
  await run('ingest', '--data', data, '--workers', '1', sources);
  await run('snapshot', '--data', data, '--copy', made);
  for (const name of readdirSync(join(made, 'store')))
    if (name !== 'data.mdb') rmSync(join(made, 'store', name));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
