/**
 * Applies operations to a folder in sequence, and reports progress: in a file (or with - on its output), so that a
 * record of its writes contains the moment of each report. `node workload-process.js FOLDER OPERATIONS.json SAID
 * [SPACE]`. With SPACE it expects one full disk, continues to search, frees space by creating that file, and repeats
 * the operation. The sources of ingests are beside OPERATIONS.json.
 */
import { openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AccessStore } from '../../../src/access/store.js';
import { LocalDrawings } from '../../../src/drawings/files.js';
import { type Engine, open } from '../../../src/engine.js';
import { isPriorartError, PriorartError } from '../../../src/errors.js';
import { mergeSegments } from '../../../src/index/merge.js';
import { reembed } from '../../../src/pool/reembed.js';
import { Store } from '../../../src/store/store.js';
import { image, modelsOf, type Operation, type Put, patent, type Said, SMALL, sourceOf } from './workload.js';

const [dir, file, saidPath, space] = process.argv.slice(2) as [string, string, string, string?];
const root = dirname(file);
const operations = JSON.parse(readFileSync(file, 'utf8')) as Operation[];
const said = saidPath === '-' ? 1 : openSync(saidPath, 'a');
const say = (line: Said) => writeSync(said, `${JSON.stringify(line)}\n`);

async function put(engine: Engine, operation: Put): Promise<void> {
  const options = { ...SMALL, onlyNew: true, drawings: operation.drawn.length > 0 };
  const { failed } = await engine.ingest(sourceOf(root, operation), options);
  if (failed.length > 0) throw new Error(failed[0]!.reason);
}

async function merge(full: boolean): Promise<void> {
  const store = Store.open(dir);
  try {
    await mergeSegments(store, { full, indexFrom: SMALL.indexFrom });
  } finally {
    await store.close();
  }
}

async function remove(engine: Engine, docs: readonly number[]): Promise<void> {
  await engine.delete(docs.map((n) => patent(n, 1).patent_id));
}

/** The merge has read the deletions when it first waits for its threads. */
async function removeInMerge(engine: Engine, docs: readonly number[]): Promise<void> {
  const merging = merge(true);
  merging.catch(() => {}); // Awaited below; this prevents an unhandled rejection.
  await remove(engine, docs);
  await merging;
}

async function key(): Promise<void> {
  const access = AccessStore.open(`${dir}/access`);
  try {
    const name = `harness ${access.accounts().length + 1}`;
    const { id } = await access.createAccount({ name, plan: 'free' });
    const made = await access.createKey({ account: id, environment: 'test', name: 'one' });
    say({ served: 'key', id: made.id });
    say({ served: 'revoking', id: made.id });
    await access.revoke(made.id);
    say({ served: 'revoked', id: made.id });
  } finally {
    await access.close();
  }
}

async function perform(engine: Engine, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'put':
      return put(engine, operation);
    case 'delete':
      return remove(engine, operation.docs);
    case 'deleteInMerge':
      return removeInMerge(engine, operation.docs);
    case 'merge':
      return merge(operation.full);
    case 'reembed':
      return void (await reembed(dir, { models: modelsOf(operation.model, root), workers: 0, ...SMALL }));
    case 'draw':
      return drawing(operation.image);
    case 'key':
      return key();
    case 'serve':
      // Starts a server only for operations that need one, so that a process that will be killed starts sooner.
      return (await import('./served.js')).serve(dir, engine, operation, say);
  }
}

/** Maps a full disk to an error as `keepImage` does. */
async function drawing(n: number): Promise<void> {
  try {
    await new LocalDrawings(dir).put(image(n));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOSPC' ? new PriorartError('disk_full', 'no room', { cause: error }) : error;
  }
}

/** Opens the folder; frees space if the disk is already full. */
async function opened(): Promise<Engine> {
  try {
    return await open(dir, { create: true, workers: 0 });
  } catch (error) {
    if (space === undefined) throw error;
    fullDisk(-1, error);
    return open(dir, { create: true, workers: 0 });
  }
}

function fullDisk(n: number, error: unknown): void {
  const { code, message } = isPriorartError(error) ? error : { code: 'unknown', message: String(error) };
  say({ failed: n, code, message });
  writeFileSync(space!, '');
}

const engine = await opened();
for (const [n, operation] of operations.entries()) {
  say({ begin: n });
  try {
    await perform(engine, operation);
  } catch (error) {
    if (space === undefined) throw error;
    // Searches work while the disk is full.
    const { results } = await engine.search({ query: 'a valve with a housing' }, { exact: true });
    say({ searched: results.length });
    fullDisk(n, error);
    await perform(engine, operation);
  }
  say({ done: n });
}
await engine.close();
say({ end: true });
