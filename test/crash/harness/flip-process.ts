/**
 * Reads damaged folders for bit-flips.ts, in a separate process, because a damaged LMDB file may end it. Receives the
 * path of a folder in a message and answers with its findings, step by step.
 */
import { open } from '../../../src/engine.js';
import { isPriorartError } from '../../../src/errors.js';
import { type CheckReport, checkFolder } from '../../../src/index/check.js';
import { repairFolder } from '../../../src/index/repair.js';
import { Store } from '../../../src/store/store.js';
import { derivation } from '../../store/folder.js';
import { POOL, patent } from './workload.js';

/** The result of a step. */
export type Step =
  /** All answers of the folder, as text. */
  | { step: 'answers'; answers: string }
  /** The folder, or a part of it, reports damage. */
  | { step: 'answers'; refused: string }
  | { step: 'check'; problems: CheckReport['problems'] }
  | { step: 'check'; refused: string }
  | { step: 'repair'; repaired: string[]; problems: CheckReport['problems'] }
  | { step: 'repair'; refused: string }
  | { step: 'end' };

/** Reads every record, passage, vector and column, and the indexes. */
async function answers(dir: string): Promise<string> {
  const engine = await open(dir, { workers: 0 });
  try {
    const parts: unknown[] = [];
    for (let n = 0; n < POOL; n += 6) {
      const query = patent(n, 1).abstract!;
      for (const exact of [true, false]) parts.push(await engine.search({ query, top_k: 100 }, { exact }));
      parts.push(
        await engine.analyze({ query, min_score: 0, stats_group_by: ['year', 'country', 'applicant'] }),
      );
    }
    const ids = Array.from({ length: POOL }, (_, n) => patent(n, 1).patent_id);
    parts.push(await engine.details({ patent_ids: ids }));
    for (const filter of [{ application_number: '1020100070010' }, { filing_date_from: '2013-01-01' }]) {
      parts.push(await engine.search({ query: 'a valve', top_k: 100, ...filter }, { exact: true }));
    }
    // Time and number of commits are not content.
    const { generated_at: _, index: __, ...coverage } = await engine.coverage();
    parts.push(coverage);
    // The ledger holds times and paths, so only its readability is checked.
    parts.push(engine.sources().length);
    return JSON.stringify(parts);
  } finally {
    await engine.close();
  }
}

/** The message of an error that names the damage. Users should see no other error. */
function refusal(error: unknown): string {
  if (isPriorartError(error) && error.code === 'data_corrupt') return error.message;
  return `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
}

async function withStore<T>(dir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = Store.open(dir);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function say(step: Step): Promise<void> {
  await new Promise((done) => process.send!(step, done));
}

async function step(name: 'answers' | 'check' | 'repair', work: () => Promise<object>): Promise<void> {
  try {
    await say({ step: name, ...(await work()) } as Step);
  } catch (error) {
    await say({ step: name, refused: refusal(error) } as Step);
  }
}

process.on('message', async (dir: string) => {
  await step('answers', async () => ({ answers: await answers(dir) }));
  await step('check', async () => ({
    problems: (await withStore(dir, (store) => checkFolder(store))).problems,
  }));
  await step('repair', () =>
    withStore(dir, async (store) => {
      const { repaired, problems } = await repairFolder(store, derivation);
      return { repaired, problems };
    }),
  );
  await step('answers', async () => ({ answers: await answers(dir) }));
  await say({ step: 'end' });
});
