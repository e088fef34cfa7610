/** The library as an application uses it: open, search, change, close; with and without worker threads. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type AnalyticsRequest,
  type CallOptions,
  type DetailsRequest,
  type Engine,
  type GetOptions,
  type IngestOptions,
  isPriorartError,
  type OpenOptions,
  open,
  type PatentFilter,
  type PatentsOptions,
  PriorartError,
  type ReembedFolderOptions,
  reembed,
  type SearchOptions,
  type SemanticRequest,
  type SnapshotOptions,
} from '../src/index.js';
import type { FilterField } from '../src/search/filter-rows.js';
import { parseSemantic } from '../src/search/query.js';
import { IndexService } from '../src/service.js';
import { FIXTURES, questions } from './crash/folder.js';
import { noSharp } from './drawings/images.js';
import { type Collection, collect, openBefore } from './search/collection.js';
import { numberSpellings } from './search/requests.js';

/** Every optional field may be null: this must compile, and means no filter. */
const NULLS: SemanticRequest & Record<FilterField, unknown> = {
  query: 'solid electrolyte',
  ...{ top_k: null, countries: null, doc_type: null, kind_codes: null, include_utility_model: null },
  ...{ filing_date_from: null, filing_date_to: null, publication_date_from: null, publication_date_to: null },
  ...{ grant_date_from: null, grant_date_to: null, priority_date_from: null, priority_date_to: null },
  ...{ applicant: null, applicant_match: null, inventor: null, ipc_codes: null, cpc_codes: null },
  ...{ publication_number: null, application_number: null, family_id: null },
  ...{ must_terms: null, must_not_terms: null },
};
const REQUESTS: SemanticRequest[] = [
  { query: 'solid electrolyte' },
  { query: '김치냉장고의 숙성 제어', countries: ['KR'], doc_type: 'grant', top_k: 5 },
  { query: 'lidar', ipc_codes: ['G01S'], publication_date_from: '2019-01-01', top_k: 100 },
  { query: 'charging station', kind_codes: ['S', 'S1'] },
  ...questions(6).map((query) => ({ query })),
];
const COUNTS: AnalyticsRequest = {
  query: 'battery',
  min_score: 0,
  date_range: { from: '2015-01-01', to: null },
  stats_group_by: ['year', 'country', 'applicant', 'ipc'],
};

const noDispose = typeof Symbol.asyncDispose === 'symbol' ? false : 'this Node has no Symbol.asyncDispose';

const refusal = (code: string) => (error: unknown) => {
  assert.ok(isPriorartError(error), `not a PriorartError: ${error}`);
  assert.ok(error instanceof PriorartError, `expected a PriorartError: ${error}`);
  assert.equal(error.code, code, error.message);
  return true;
};

describe('engine', () => {
  let collection: Collection;
  before(async () => {
    collection = await collect(FIXTURES);
  });
  after(() => collection.remove());

  it('gives equal answers with no worker, one and two', async () => {
    const answers: string[] = [];
    for (const workers of [0, 1, 2]) {
      const engine = await open(collection.dir, { workers });
      const ids = [...collection.patents.keys()].slice(0, 30);
      const { generated_at: _, ...coverage } = await engine.coverage();
      const all = await Promise.all([
        ...REQUESTS.map((request) => engine.search(request)),
        engine.analyze(COUNTS),
        engine.details({ patent_ids: ids }),
        ...REQUESTS.map(async (request) => ({ ...(await engine.explain(request)), timings: undefined })),
      ]);
      answers.push(JSON.stringify([coverage, ...all]));
      await engine.close();
    }
    assert.equal(answers[1], answers[0]);
    assert.equal(answers[2], answers[0]);
  });

  for (const workers of [0, 2])
    describe(`with ${workers} workers`, () => {
      let engine: Engine;
      before(async () => {
        engine = await open(collection.dir, { workers });
      });
      after(() => engine.close());

      it('treats null as absent, and refuses unknown fields', async () => {
        assert.deepEqual(await engine.search(NULLS), await engine.search({ query: NULLS.query }));
        const bad = { query: 'x', country: ['KR'] } as SemanticRequest;
        await assert.rejects(engine.search(bad), refusal('invalid_request'));
        await assert.rejects(engine.search({ query: ' ' }), refusal('invalid_request'));
        await assert.rejects(
          engine.search({ query: 'x', filing_date_from: '2020-02-30' }),
          refusal('bad_date'),
        );
        await assert.rejects(
          engine.search({ query: 'x', ipc_codes: ['H1M'] }),
          refusal('bad_classification'),
        );
        const dated = { query: 'x', filing_date_from: '2020-01-01' } as AnalyticsRequest;
        await assert.rejects(engine.analyze(dated), refusal('invalid_request'));
        await assert.rejects(engine.details({ patent_ids: [] }), refusal('invalid_request'));
      });

      it('stops when the signal aborts', async () => {
        const gone = AbortSignal.abort();
        const waiting = new AbortController();
        const calls = (signal: AbortSignal): Promise<unknown>[] => [
          engine.search({ query: 'x' }, { signal }),
          engine.analyze({ query: 'x' }, { signal }),
          engine.explain({ query: 'x' }, { signal }),
          engine.details({ patent_ids: ['x'] }, { signal }),
          engine.coverage({ signal }),
          engine.ingest(FIXTURES, { signal }),
        ];
        for (const call of calls(gone)) await assert.rejects(call, refusal('cancelled'));
        const many = Array.from({ length: 20 }, () =>
          engine.search({ query: 'x' }, { signal: waiting.signal }),
        );
        waiting.abort();
        for (const { status, ...outcome } of await Promise.allSettled(many)) {
          if (status === 'rejected') refusal('cancelled')((outcome as PromiseRejectedResult).reason);
        }
        // A cancelled call does not disturb the next one.
        assert.equal((await engine.search({ query: 'x' })).total, 10);
      });

      it('explains a search, and scans exactly on request', async () => {
        const { plan, model, timings } = await engine.explain(
          { query: 'x', countries: ['JP'] },
          { exact: true },
        );
        assert.equal(plan.exact, true);
        assert.equal(plan.documents, 8, 'nine JP publications, one of them a utility model');
        assert.match(model, /^priorart-static \d/);
        assert.deepEqual(Object.keys(timings), ['embed', 'filter', 'knn', 'words', 'rerank', 'fetch']);
      });

      it('returns documents in the requested order, by any spelling of their number', async () => {
        const spelled = [...collection.patents.values()].flatMap((patent) =>
          numberSpellings(patent).map((text) => ({ text, patent_id: patent.patent_id })),
        );
        for (let at = 0; at < spelled.length; at += 200) {
          const part = spelled.slice(at, at + 200);
          const { patents } = await engine.details({
            patent_ids: part.map(({ text }) => text),
            sections: 'title',
          });
          assert.deepEqual(
            patents.map(({ patent_id, error }, n) => ({ asked: part[n]!.text, patent_id, error })),
            part.map(({ text, patent_id }) => ({ asked: text, patent_id, error: undefined })),
          );
        }
      });
    });

  it('returns the coverage of the records', async () => {
    const engine = await open(collection.dir, { workers: 1 });
    const coverage = await engine.coverage();
    await engine.close();
    const all = [...collection.patents.values()];
    assert.equal(coverage.total, all.length);
    for (const country of ['US', 'KR', 'JP', 'CN', 'EP'] as const) {
      const own = all.filter((patent) => patent.country === country);
      const kinds: Record<string, number> = {};
      for (const { kind_code } of own) kinds[kind_code] = (kinds[kind_code] ?? 0) + 1;
      const range = (field: 'filing_date' | 'publication_date') => {
        const days = own.flatMap((patent) => patent[field] ?? []).sort();
        return { min: days[0], max: days.at(-1) };
      };
      assert.deepEqual(coverage.by_country[country], {
        total: own.length,
        by_kind: kinds,
        filing_date: range('filing_date'),
        publication_date: range('publication_date'),
        languages: [...new Set(own.flatMap(({ language }) => language ?? []))].sort(),
      });
    }
  });
});

describe('details', () => {
  const opened = openBefore(FIXTURES);
  const one = async (request: DetailsRequest) => (await opened.engine.details(request)).patents[0]!;

  it('details hold the whole record as markdown', async () => {
    for (const [patent_id, patent] of opened.collection.patents) {
      const { content = '', metadata } = await one({ patent_ids: [patent_id] });
      assert.ok(content.startsWith(`# ${patent.title}\n`), patent_id);
      const texts = [
        patent.abstract,
        ...(patent.claims ?? []).map(({ number, text }) => `**${number}.** ${text}`),
        ...(patent.description ?? []).flatMap(({ section, paragraphs }) => [
          `### ${section}`,
          ...paragraphs.map(({ text }) => text),
        ]),
      ].filter((text) => text !== undefined);
      let at = 0;
      for (const text of texts) {
        at = content.indexOf(text, at);
        assert.ok(at >= 0, `${patent_id}: ${text.slice(0, 50)}`);
        at += text.length;
      }
      for (const { file } of patent.drawings ?? []) {
        const shown = content.split(`/${patent_id}/${file.replace(/\.\w+$/, '.webp')})`).length - 1;
        // The weekly text file has no drawings.
        assert.equal(shown, noSharp || file.includes('-20230613-') ? 0 : 1, `${patent_id}: ${file}`);
      }
      assert.equal(metadata?.kind_code, patent.kind_code);
      assert.equal(metadata?.filing_date, patent.filing_date);
    }
  });

  it('details hold only the requested sections, in printing order', async () => {
    const patent_ids = ['US11217824B2'];
    const whole = (await one({ patent_ids })).content!;
    const parts: Record<string, string> = {};
    for (const section of ['title', 'abstract', 'claims', 'description']) {
      parts[section] = (await one({ patent_ids, sections: section })).content!;
      assert.ok(whole.includes(parts[section].trim()), section);
    }
    assert.match(parts['title']!, /^# .+\n$/);
    assert.match(parts['abstract']!, /^## Abstract\n\n/);
    assert.match(parts['claims']!, /^## Claims\n\n\*\*1\.\*\* /);
    assert.match(parts['description']!, /^## Description\n\n### /);
    const both = (await one({ patent_ids, sections: 'claims, title' })).content;
    assert.equal(both, `${parts['title']}\n${parts['claims']}`);
    await assert.rejects(one({ patent_ids, sections: 'title,figures' }), refusal('invalid_request'));
  });

  it('details have one entry for each requested number, and report unknown and ambiguous ones', async () => {
    const { patents } = await opened.engine.details({
      patent_ids: ['EP03893001', 'US11217824B2', 'KR1019990000001A', ' us11217824b2 ', 'x'],
      sections: 'title',
    });
    assert.deepEqual(patents[0], {
      patent_id: 'EP03893001',
      error: 'ambiguous',
      candidates: ['EP03893001A1', 'EP03893001B1'],
    });
    assert.deepEqual(patents[1], patents[3]);
    assert.equal(patents[1]?.patent_id, 'US11217824B2');
    assert.deepEqual(patents[2], { patent_id: 'KR1019990000001A', error: 'not_found' });
    assert.deepEqual(patents[4], { patent_id: 'x', error: 'not_found' });
  });
});

describe('changing an index', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-engine-'));
  });
  after(() => rmSync(dir, { recursive: true }));

  it('ingests, recognises known documents, deletes, and ingests again', async () => {
    const engine = await open(join(dir, 'changing'), { create: true, workers: 2 });
    const reader = await open(join(dir, 'changing'), { workers: 1 });
    const progress: number[] = [];
    const first = await engine.ingest(FIXTURES, { onProgress: ({ bytesRead }) => progress.push(bytesRead) });
    assert.deepEqual([first.documents, first.ingested, first.failed.length], [101, 101, 0]);
    assert.ok(progress.length > 0 && progress.at(-1)! > 100_000, `expected growing progress: ${progress}`);
    assert.deepEqual(
      progress,
      [...progress].sort((a, b) => a - b),
      'progress never decreases',
    );
    const again = await engine.ingest(FIXTURES);
    assert.deepEqual([again.documents, again.ingested, again.unchanged], [101, 0, 101]);

    const request: SemanticRequest = {
      query: 'sulfide solid electrolyte',
      publication_number: 'US11217824B2',
    };
    assert.equal((await reader.search(request)).total, 1, 'another engine sees it at its next search');
    await assert.rejects(engine.delete(['US 11,217,824 B2', 'EP03893001']), refusal('invalid_request'));
    assert.equal((await reader.coverage()).total, 101, 'no document was deleted');
    assert.deepEqual(await engine.delete(['US 11,217,824 B2', 'KR1019990000001A']), {
      deleted: ['US11217824B2'],
      not_found: ['KR1019990000001A'],
    });
    assert.equal((await reader.search(request)).total, 0);
    assert.equal((await reader.coverage()).total, 100);
    assert.equal((await reader.details({ patent_ids: ['US11217824B2'] })).patents[0]?.error, 'not_found');
    const back = await engine.ingest(FIXTURES);
    assert.deepEqual([back.ingested, back.unchanged], [1, 100]);
    assert.equal((await reader.search(request)).total, 1);
    await Promise.all([engine.close(), reader.close()]);
  });

  it('answers calls made before close, and none after it', async () => {
    for (const workers of [0, 1]) {
      const engine = await open(join(dir, 'changing'), { workers });
      const asked = Array.from({ length: 12 }, (_, n) => engine.search({ query: `question ${n}` }));
      await Promise.all([engine.close(), engine.close()]);
      for (const { total } of await Promise.all(asked)) assert.equal(total, 10);
      const calls = [
        engine.search({ query: 'x' }),
        engine.analyze({ query: 'x' }),
        engine.details({ patent_ids: ['x'] }),
        engine.coverage(),
        engine.explain({ query: 'x' }),
        engine.ingest(FIXTURES),
        engine.delete(['x']),
        engine.searchMany([{ query: 'x' }]),
        engine.get('x'),
        engine.patents().next(),
        engine.snapshot(join(dir, 'late')),
      ];
      for (const call of calls) await assert.rejects(call, refusal('unavailable'));
      assert.throws(() => engine.sources(), refusal('unavailable'));
    }
  });

  it('finishes a snapshot before it closes, and each close waits for the end', async () => {
    for (const workers of [0, 1]) {
      const engine = await open(join(dir, 'changing'), { workers });
      const copy = join(dir, `copy at close ${workers}`);
      const copied = engine.snapshot(copy);
      let isClosed = false;
      const first = engine.close().then(() => {
        isClosed = true;
      });
      await engine.close();
      await first;
      assert.ok(isClosed);
      assert.ok((await copied).documents > 0);
      const reader = await open(copy, { workers: 0 });
      assert.equal((await reader.search({ query: 'x' })).total, 10);
      await reader.close();
    }
  });

  it('ends an ingest whose progress function fails, at once or later', async () => {
    const engine = await open(join(dir, 'progress'), { create: true, workers: 0 });
    const failing = () => {
      throw new Error('no room on the screen');
    };
    for (const onProgress of [failing, async () => failing()])
      await assert.rejects(engine.ingest(FIXTURES, { onProgress, drawings: false }), /no room on the screen/);
    await engine.close();
  });

  it('refuses texts that are too long for a number', async () => {
    const engine = await open(join(dir, 'changing'), { workers: 0 });
    for (const call of [engine.get('9'.repeat(5_000)), engine.delete(['é'.repeat(3_000)])])
      await assert.rejects(
        call,
        /^PriorartError: numbers: got a text of [35],000 characters; expected texts of at most 500/,
      );
    await engine.close();
  });

  it('closes at the end of a block with `await using`', { skip: noDispose }, async () => {
    const engine = await open(join(dir, 'changing'), { workers: 0 });
    {
      await using index = engine;
      assert.equal((await index.coverage()).total, (await engine.coverage()).total);
    }
    await assert.rejects(engine.coverage(), refusal('unavailable'));
    assert.ok(!Object.getOwnPropertyNames(Object.getPrototypeOf(engine)).includes('undefined'));
  });

  it('queues searches, for any number of concurrent calls', async () => {
    for (const workers of [0, 1]) {
      const engine = await open(join(dir, 'changing'), { workers });
      const request: SemanticRequest = { query: 'charging station', top_k: 3, countries: ['KR'] };
      const all = await Promise.all(Array.from({ length: 1_000 }, () => engine.search(request)));
      assert.equal(all.length, 1_000);
      for (const answer of all) assert.deepEqual(answer, all[0]);
      await engine.close();
    }
  });

  it('refuses searches of a server if its queue is full, with Retry-After', async () => {
    const service = await IndexService.open(join(dir, 'changing'), { workers: 1, queuePerWorker: 2 });
    const query = parseSemantic({ query: 'x', top_k: 100 });
    const asked = Array.from({ length: 12 }, () => service.searchBody(query, {}));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 9, 'one runs and two wait');
    for (const { reason } of refused) {
      refusal('overloaded')(reason);
      assert.ok(reason.retryAfter > 0, `expected a time to retry: ${reason.retryAfter} s`);
    }
    await service.close();
  });

  it('runs many searches in one call, in order, and names the invalid one', async () => {
    const engine = await open(join(dir, 'changing'), { workers: 1 });
    const requests: SemanticRequest[] = questions(30).map((query, n) => ({ query, top_k: 1 + (n % 5) }));
    const single = await Promise.all(requests.map((request) => engine.search(request)));
    assert.deepEqual(await engine.searchMany(requests), single);
    assert.deepEqual(await engine.searchMany([]), []);
    await assert.rejects(engine.searchMany([{ query: 'x' }, { query: 'x', top_k: 0 }]), {
      code: 'invalid_request',
      message: /^requests\[1\]: top_k: got 0; expected an integer from 1 to 100$/,
    });
    await assert.rejects(engine.searchMany(requests, { signal: AbortSignal.abort() }), refusal('cancelled'));
    const stop = new AbortController();
    const stopped = engine.searchMany(requests, { signal: stop.signal });
    stop.abort();
    await assert.rejects(stopped, refusal('cancelled'));
    await engine.close();
  });

  it('reports why it cannot open', async () => {
    const [nothing, empty, file] = [join(dir, 'nothing'), join(dir, 'empty'), join(dir, 'file')];
    mkdirSync(empty);
    writeFileSync(file, '');
    const missing: [string, string][] = [
      [
        nothing,
        `folder ${nothing} does not exist; check the path, or pass { create: true } to make an index there`,
      ],
      [empty, `no index in ${empty}; pass { create: true } to make one`],
      [file, `${file} is a file, not a folder; give the path of a data folder`],
      [
        join(file, 'data'),
        `${file}/data does not exist: a part of its path is a file; give the path of a data folder`,
      ],
    ];
    for (const [path, message] of missing) await assert.rejects(open(path), { code: 'no_data', message });
    await assert.rejects(
      open(join(dir, 'new'), { create: true, indexKind: 'btree' }),
      refusal('unknown_index_kind'),
    );
    await assert.rejects(open(join(dir, 'nothing')), refusal('no_data'), 'no folder was created');
    for (const workers of [-1, 1.5, Number.NaN, '2' as unknown as number]) {
      await assert.rejects(open(join(dir, 'changing'), { workers }), refusal('invalid_request'));
    }
    await assert.rejects(open(join(dir, 'changing'), { wrokers: 2 } as OpenOptions), {
      code: 'invalid_request',
      message: 'open: unknown option "wrokers"; nearest is workers',
    });
    await assert.rejects(open(join(dir, 'changing'), { zzz: 2 } as OpenOptions), {
      message: /^open: unknown option "zzz"; known are workers, create, models, /,
    });
    await assert.rejects(open(undefined as unknown as string), refusal('invalid_request'));
    const others: [unknown, RegExp][] = [
      [{}, /^dir: got object; expected the path of a data folder, or \{engine: /],
      [new URL('file:///nothing'), /^dir: .*fileURLToPath/],
      [{ engine: 'opensearch' }, /^open: the address of a cluster needs engine and nodes/],
    ];
    for (const [given, message] of others) {
      await assert.rejects(open(given as string), { code: 'invalid_request', message });
    }
  });

  it('checks the options of every call, by name and by value', async () => {
    const engine = await open(join(dir, 'changing'), { workers: 0 });
    const file = join(FIXTURES[0]!);
    const calls: [unknown, RegExp][] = [
      [
        engine.search({ query: 'x' }, { exakt: true } as SearchOptions),
        /^search: unknown option "exakt"; nearest is exact$/,
      ],
      [
        engine.search({ query: 'x', rerank: 'on' }, { rerank: false }),
        /^rerank: got "on" in the request and false in the options/,
      ],
      [engine.search({ query: 'x' }, { exact: 1 as never }), /^exact: got 1; expected true or false$/],
      [
        engine.explain({ query: 'x' }, { signal: {} as AbortSignal }),
        /^signal: got \{\}; expected an AbortSignal$/,
      ],
      [
        engine.analyze({ query: 'x' }, { deadline: 1 } as CallOptions),
        /^analyze: unknown option "deadline"; nearest is deadlineMs$/,
      ],
      [
        engine.details({ patent_ids: ['x'] }, { deadlineMs: -1 }),
        /^deadlineMs: got -1; expected milliseconds/,
      ],
      [engine.coverage([] as CallOptions), /^coverage: got \[\] for its options; expected an object$/],
      [
        engine.details({ patent_ids: ['x'] }, { deadlineMs: { at: 1n } as never }),
        /^deadlineMs: got an object that cannot be written as JSON; expected milliseconds/,
      ],
      [
        engine.coverage({ signl: undefined } as CallOptions),
        /^coverage: unknown option "signl"; nearest is signal$/,
      ],
      [
        engine.ingest(file, { onlynew: true } as IngestOptions),
        /^ingest: unknown option "onlynew"; nearest is onlyNew$/,
      ],
      [engine.ingest(file, { drawings: 'off' as never }), /^drawings: got "off"; expected true or false$/],
      [
        engine.ingest(file, { segmentPassages: 0 }),
        /^segmentPassages: got 0; expected an integer from 1 to /,
      ],
      [engine.get('x', { vector: true } as GetOptions), /^get: unknown option "vector"; nearest is vectors$/],
      [engine.get(7 as never), /^numbers: got number; expected a text, or an array of texts$/],
      [engine.delete([7] as never), /^numbers: got an array of something else; expected/],
      [
        engine.patents({ filter: { contries: ['KR'] } as PatentFilter }).next(),
        /unknown field "contries"; the nearest known field is "countries"/,
      ],
      [
        engine.patents({ filtre: {} } as PatentsOptions).next(),
        /^patents: unknown option "filtre"; nearest is filter$/,
      ],
      [
        engine.snapshot(join(dir, 'copy'), { cpoy: true } as SnapshotOptions),
        /^snapshot: unknown option "cpoy"; nearest is copy$/,
      ],
      [
        engine.search({ query: 'x' }, null as never),
        /^search: got null for its options; expected an object$/,
      ],
      [engine.snapshot(7 as never), /^folder: got number; expected a path$/],
      [engine.ingest(7 as never), /^source: got number; expected paths, or an iterable of records$/],
      [engine.ingest(['x', {}] as never), /^source: paths and records in one array/],
      [
        reembed(join(dir, 'changing'), { model: 'x' } as ReembedFolderOptions),
        /^reembed: unknown option "model"; nearest is models$/,
      ],
    ];
    for (const [call, message] of calls)
      await assert.rejects(call as Promise<unknown>, { code: 'invalid_request', message });
    await engine.close();
  });

  it('rejects a missing path before it reads anything', async () => {
    const engine = await open(join(dir, 'paths'), { create: true, workers: 0 });
    for (const path of ['nowhere', join('package.json', 'below')]) {
      await assert.rejects(engine.ingest([...FIXTURES, path]), {
        code: 'not_found',
        message: `there is no file or folder ${path}`,
      });
    }
    assert.equal((await engine.coverage()).total, 0);
    await engine.close();
  });

  it('the library can be required from CommonJS', async () => {
    const required = createRequire(import.meta.url)('../src/index.cjs') as typeof import('../src/index.cjs');
    const engine = await required.open(join(dir, 'changing'), { workers: 0 });
    assert.equal((await engine.search({ query: 'x' })).total, 10);
    await assert.rejects(engine.search({ query: '' }), (error) => required.isPriorartError(error));
    await assert.rejects(engine.search({ query: '' }), (error) => error instanceof required.PriorartError);
    assert.equal((new Error('x') as unknown) instanceof required.PriorartError, false);
    const make = required.PriorartError as unknown as new (...given: string[]) => Error;
    assert.throws(() => new make('internal', 'x'), TypeError);
    const address: Parameters<typeof required.open>[0] = { engine: 'opensearch', nodes: [] };
    await assert.rejects(required.open(address), (error) => required.isPriorartError(error));
    const imported = Object.keys(await import('../src/index.js')).sort();
    assert.deepEqual(
      Object.keys(required)
        .filter((name) => name !== '__esModule')
        .sort(),
      imported,
    );
    await engine.close();
  });
});
