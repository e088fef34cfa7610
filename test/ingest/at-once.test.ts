/** Several programs write to a folder at once: whatever their steps meet, nothing that one of them read is lost. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkFolder } from '../../src/index/check.js';
import { FolderTarget, headsOf } from '../../src/ingest/folder-target.js';
import type { IngestSummary } from '../../src/ingest/summary.js';
import type { Patent } from '../../src/patent/record.js';
import { deleteDocuments } from '../../src/store/commit.js';
import { patentOf } from '../../src/store/document.js';
import { Store } from '../../src/store/store.js';
import fc from '../property.js';
import { commit, newStore } from '../store/folder.js';
import { Gates, gated, ingestLines } from './gated.js';

let dir = '';
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'priorart-at-once-'));
});
after(() => rmSync(dir, { recursive: true }));

let files = 0;
function written(records: readonly object[]): string {
  files += 1;
  const path = join(dir, `${files}.jsonl`);
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
}

function stored(store: Store): Patent[] {
  store.refresh();
  return [...store.documents.getRange()].map(({ key, value }) => patentOf(value, store.bodies.get(key)!));
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = newStore(mkdtempSync(join(dir, 'folder-')));
  try {
    await work(store);
    assert.deepEqual((await checkFolder(store)).problems, []);
  } finally {
    await store.close();
  }
}

/** Ingests files at once, each by a program of its own. @param choose whose step comes next */
async function atOnce(
  store: Store,
  paths: readonly string[],
  choose: (actors: readonly number[]) => number,
): Promise<IngestSummary[]> {
  const gates = new Gates();
  const ends = paths.map((path, actor) =>
    gates.run(ingestLines(gated(new FolderTarget(store, {}), gates.of(actor)), headsOf(store), path, 4)),
  );
  const [summaries] = await Promise.all([
    Promise.all(ends),
    gates.openAll((waiting) => choose(waiting.map(({ actor }) => actor))),
  ]);
  for (const { failed } of summaries) assert.deepEqual(failed, []);
  return summaries;
}

const number = (n: number): string => `2020${String(n).padStart(7, '0')}`;
const partOf = (n: number, kind: string, fields: object): object => ({
  ...{ patent_id: `US${number(n)}${kind}`, partial: true, title: `Motor ${n}` },
  ...fields,
});

/** What each program reads of a publication, and whether a record has it. */
const PARTS: { kind: string; fields: object; has: (patent: Patent) => boolean }[] = [
  { kind: 'A1', fields: { abstract: 'A rotor.' }, has: ({ abstract }) => abstract === 'A rotor.' },
  { kind: 'A1', fields: { claims: ['A motor.'] }, has: ({ claims }) => claims?.[0]?.text === 'A motor.' },
  { kind: 'A1', fields: { applicants: ['ACME'] }, has: ({ applicants }) => applicants?.length === 1 },
  {
    kind: 'A9',
    fields: { family_id: '77' },
    has: ({ family_id, corrects }) => family_id === '77' && corrects?.length === 1,
  },
];

describe('ingests at once', () => {
  it('in any order of their steps, all parts and corrections of a publication become one record', async () => {
    const program = fc.array(fc.record({ n: fc.nat(2), part: fc.nat(PARTS.length - 1) }), {
      minLength: 1,
      maxLength: 6,
    });
    const cases = fc.record({
      programs: fc.array(program, { minLength: 2, maxLength: 3 }),
      order: fc.infiniteStream(fc.nat(5)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ programs, order }) => {
        await withStore(async (store) => {
          const paths = programs.map((parts) =>
            written(parts.map(({ n, part }) => partOf(n, PARTS[part]!.kind, PARTS[part]!.fields))),
          );
          await atOnce(store, paths, (actors) => order.next().value! % actors.length);
          const given = new Map<string, Set<number>>();
          for (const { n, part } of programs.flat()) {
            given.set(number(n), (given.get(number(n)) ?? new Set()).add(part));
          }
          const found = stored(store);
          assert.deepEqual(found.map((patent) => patent.number).sort(), [...given.keys()].sort());
          for (const patent of found) {
            const parts = [...given.get(patent.number)!];
            const isCorrectionAlone = parts.every((part) => PARTS[part]!.kind === 'A9');
            for (const part of parts) {
              const has = isCorrectionAlone ? patent.family_id === '77' : PARTS[part]!.has(patent);
              assert.ok(has, `part ${part} of ${JSON.stringify(patent)}`);
            }
          }
          // Reading everything again in turn finds nothing to do.
          for (const path of paths) {
            const { unchanged, documents } = await ingestLines(
              new FolderTarget(store, {}),
              headsOf(store),
              path,
            );
            assert.equal(unchanged, documents);
          }
        });
      }),
      { numRuns: 20 },
    );
  });

  it('a correction and its original that do not know each other become one document', async () => {
    await withStore(async (store) => {
      const record = (kind: string, title: string) => ({
        ...{ patent_id: `US${number(1)}${kind}`, title, claims: kind === 'A1' ? ['A thing.'] : undefined },
      });
      const paths = [written([record('A1', 'Wrong')]), written([record('A9', 'Right')])];
      // Both read first, then both commit.
      await atOnce(store, paths, turns(0, 1, 1, 0));
      const [{ patent_id, title, corrects, claims }] = stored(store) as [Patent];
      assert.deepEqual([patent_id, title, corrects], [`US${number(1)}A9`, 'Right', [`US${number(1)}A1`]]);
      assert.equal(claims?.[0]?.text, 'A thing.');
      assert.equal(stored(store).length, 1);
    });
  });

  it('a publication that is deleted before the commit of its part does not come back', async () => {
    await withStore(async (store) => {
      const identity = { country: 'US', number: number(2), kind_code: 'A1', language: 'en' } as const;
      const patent_id = `US${number(2)}A1`;
      await commit(store, [{ ...identity, patent_id, title: 'Secret', abstract: 'To be deleted.' }]);
      const path = written([partOf(2, 'A1', { family_id: '77' })]);
      let steps = 0;
      const [summary] = await atOnce(store, [path], () => {
        steps += 1;
        // Before the commit, after the part was merged.
        if (steps === 2) assert.deepEqual(deleteDocuments(store, [patent_id]), [patent_id]);
        return 0;
      });
      assert.equal(summary!.ingested, 1);
      const [found] = stored(store);
      assert.deepEqual([found!.abstract, found!.family_id, found!.partial], [undefined, '77', true]);
    });
  });

  it('a publication that another program changes at every step is a failure, and the others are stored', async () => {
    await withStore(async (store) => {
      const path = written([partOf(3, 'A1', { family_id: '77' }), partOf(4, 'A1', { family_id: '78' })]);
      const gates = new Gates();
      const identity = { country: 'US', number: number(3), kind_code: 'A1', partial: true } as const;
      let version = 0;
      const target = gated(new FolderTarget(store, {}), async (step) => {
        if (step === 'revise') return;
        version += 1;
        const patent_id = `US${number(3)}A1`;
        await commit(store, [{ ...identity, language: 'en', patent_id, title: `Version ${version}` }]);
      });
      const { failed, ingested } = await gates.run(ingestLines(target, headsOf(store), path));
      assert.equal(ingested, 1);
      assert.deepEqual(
        failed.map(({ position }) => position),
        [`US${number(3)}A1`],
      );
      assert.match(failed[0]!.reason, /other programs change this publication/);
    });
  });

  it('two processes that read parts of the same publications store both', async () => {
    const folder = mkdtempSync(join(dir, 'folder-'));
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    await newStore(folder).close();
    const children = PARTS.slice(0, 2).map(({ kind, fields }) =>
      child(folder, written(numbers.map((n) => partOf(n, kind, fields)))),
    );
    // Both have read what is stored: nothing.
    for (const each of children) await each.says('revised');
    for (const each of children) {
      each.goOn();
      assert.deepEqual(await each.ended, { failed: 0, exit: 0 });
    }
    const store = Store.open(folder);
    const found = stored(store);
    assert.equal(found.length, numbers.length);
    assert.ok(found.every((patent) => PARTS.slice(0, 2).every(({ has }) => has(patent))));
    await store.close();
  });
});

/** Chooses these actors in turn, and then the first that waits. */
function turns(...order: number[]): (actors: readonly number[]) => number {
  return (actors) => Math.max(0, actors.indexOf(order.shift() ?? 0));
}

function child(folder: string, file: string) {
  const process = fork(fileURLToPath(new URL('at-once-process.js', import.meta.url)), [folder, file]);
  const said: unknown[] = [];
  const waiting: (() => void)[] = [];
  process.on('message', (message) => {
    said.push(message);
    for (const wake of waiting.splice(0)) wake();
  });
  const ended = new Promise<{ failed: unknown; exit: number | null }>((resolve) => {
    process.once('exit', (exit) => {
      resolve({ failed: said.at(-1), exit });
      for (const wake of waiting.splice(0)) wake();
    });
  });
  const says = async (text: string): Promise<void> => {
    while (!said.includes(text)) {
      assert.equal(process.exitCode, null, 'the process has ended');
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { says, ended, goOn: () => void process.send('go on') };
}
