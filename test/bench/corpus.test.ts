/** The generator of documents: reproducible, with measured statistics, in an ordinary folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Blocks } from '../../bench/corpus/blocks.js';
import { buildCorpus, type CorpusState } from '../../bench/corpus/build.js';
import { Alias, drawn, quantilesOf, stream, zipf } from '../../bench/corpus/random.js';
import { readMeasured } from '../../bench/corpus/shape.js';
import { statisticsOf } from '../../bench/corpus/statistics.js';
import { dot, vectorStatisticsOf } from '../../bench/corpus/vector-statistics.js';
import { readVocabulary } from '../../bench/corpus/vocabulary.js';
import { FilterMaker } from '../../bench/recall/filters.js';
import { recallAt, Target } from '../../bench/recall/target.js';
import { checkFolder } from '../../src/index/check.js';
import { mergeSegments } from '../../src/index/merge.js';
import { passagesOf } from '../../src/ingest/passages.js';
import { loadModels } from '../../src/models/load.js';
import { clausesOf } from '../../src/search/filter.js';
import { parseSemantic } from '../../src/search/query.js';
import type { DocumentHead } from '../../src/store/document.js';
import { Store } from '../../src/store/store.js';
import fc from '../property.js';

const measured = readMeasured();
const median = (quantiles: readonly number[]) => quantiles[Math.floor(quantiles.length / 2)]!;
const within = (value: number, [low, high]: readonly [number, number], what: string) =>
  assert.ok(value >= low && value <= high, `${what} is ${value}, expected ${low} to ${high}`);

describe('random choices', () => {
  it('an alias table draws by its weights', () => {
    const weights = [1, 0, 5, 2, 12];
    const alias = new Alias(weights);
    const next = stream(3);
    const counts = weights.map(() => 0);
    for (let n = 0; n < 40_000; n++) counts[alias.draw(next)]! += 1;
    for (const [n, weight] of weights.entries())
      assert.ok(
        Math.abs(counts[n]! / 40_000 - weight / 20) < 0.01,
        `expected a share of ${weight / 20}: ${counts[n]! / 40_000}`,
      );
  });

  it('quantiles reproduce their distribution', () => {
    const next = stream(4);
    const values = Array.from({ length: 4_000 }, () => next() ** 2);
    const quantiles = quantilesOf(values);
    const again = quantilesOf(Array.from({ length: 4_000 }, () => drawn(next, quantiles)));
    for (const [n, value] of quantiles.entries())
      assert.ok(Math.abs(value - again[n]!) < 0.05, `expected ${value} again: ${again[n]}`);
  });

  it('ranks stay below their count, and streams differ by seed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 1e6 }), (seed, count) => {
        const rank = zipf(stream(seed), count, 0.9, 1);
        assert.ok(
          Number.isInteger(rank) && rank >= 0 && rank < count,
          `expected a rank below ${count}: ${rank}`,
        );
        assert.notEqual(stream(seed, 1)(), stream(seed, 2)());
        assert.equal(stream(seed, 1)(), stream(seed, 1)());
      }),
    );
  });
});

describe('generated documents', () => {
  let dir: string;
  let state: CorpusState;
  const blocks = new Blocks(readVocabulary(), measured, 5);
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-corpus-'));
    // Interrupted within a block, then enlarged: every document is in the folder once.
    await buildCorpus({ dir, passages: 1_000, seed: 5, threads: 1 });
    state = await buildCorpus({ dir, passages: 5_000, seed: 5, threads: 1 });
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('documents depend only on the seed, block by block', () => {
    const others = new Blocks(readVocabulary(), measured, 5);
    others.patents(7);
    assert.deepEqual(others.patents(2), blocks.patents(2));
    const another = new Blocks(readVocabulary(), measured, 6);
    assert.notDeepEqual(another.patents(2), blocks.patents(2));
  });

  it('the folder has every document once, in the order of the blocks', async () => {
    const store = Store.open(dir);
    try {
      const stored = [...store.documents.getRange()];
      const made = Array.from({ length: state.blocks + 1 }, (_, block) => blocks.patents(block)).flat();
      assert.deepEqual(
        stored.map(({ value }) => value.patent_id),
        made.slice(0, stored.length).map(({ patent_id: id }) => id),
      );
      const passages = made
        .slice(0, stored.length)
        .reduce((sum, patent) => sum + passagesOf(patent).length, 0);
      assert.equal(store.manifest().passages, passages);
      assert.ok(passages >= 5_000 && passages - passagesOf(made[stored.length - 1]!).length < 5_000);
      assert.equal(store.manifest().segments.length, 1);
      assert.deepEqual((await checkFolder(store)).problems, []);
    } finally {
      await store.close();
    }
  });

  it('documents have lengths, classes and dates as measured, and vectors distributed like real ones', async () => {
    const store = Store.open(dir);
    const { embedder } = await loadModels();
    try {
      const texts = statisticsOf(store);
      const real = measured.texts;
      for (const kind of ['full', 'short'] as const) {
        const ratio = median(texts[kind].claims) / median(real[kind].claims);
        within(ratio, [0.6, 1.6], `claims of ${kind} texts against measured ones`);
        within(
          median(texts[kind].abstract) / median(real[kind].abstract),
          [0.7, 1.4],
          `abstracts of ${kind}`,
        );
      }
      within(texts.passages / texts.documents, [12, 35], 'passages a document');
      within(median(texts.ipcCodes) / median(real.ipcCodes), [0.5, 2], 'IPC codes');
      within(texts.sameSubclass - real.sameSubclass, [-0.1, 0.1], 'codes of the same subclass');
      const vectors = await vectorStatisticsOf(store, embedder, 5_000);
      const near = median(vectors.within);
      within(near, [0.7, 0.9], 'cosine within a document');
      within(median(vectors.strangers), [0.1, 0.35], 'cosine of random documents');
      within(median(vectors.strangersAcross), [0, 0.2], 'cosine of random documents in two languages');
      within(vectors.directions, [30, 130], 'directions');
      // With few documents, the closest passages are those of the same document.
      assert.ok(median(vectors.nearest) < near && median(vectors.nearest) > median(vectors.strangers) + 0.1);
      assert.ok(vectors.recall['64']! > vectors.recall['1']! && vectors.recall['1']! < 0.95);
    } finally {
      await store.close();
      await embedder.close();
    }
  });

  it('the recall measure and a brute-force search agree', async () => {
    const store = Store.open(dir);
    await mergeSegments(store, { full: true });
    await store.close();
    const target = new Target(dir);
    try {
      const documents = [...target.store.documents.getRange()];
      const best = (vector: Float32Array, allowed: (head: DocumentHead) => boolean): number[] => {
        // One result for an application and its grant.
        const byApplication = new Map<string, number>();
        for (const { key, value: head } of documents) {
          if (!allowed(head)) continue;
          const rows = target.native.vectorsOf(key)!;
          const name = `${head.country} ${head.application_number}`;
          for (let at = 0; at < rows.length; at += vector.length) {
            const score = dot(vector, rows.subarray(at, at + vector.length));
            byApplication.set(name, Math.max(score, byApplication.get(name) ?? -2));
          }
        }
        return [...byApplication.values()].sort((a, b) => b - a);
      };
      const { embedder } = await loadModels();
      let missed = 0;
      for (const { text, target: about } of blocks.questions(25, 5)) {
        const vector = await embedder.embed([text], 'query');
        for (const fields of [{}, { countries: [about.country] }]) {
          const { filters } = parseSemantic({ query: text, ...fields });
          const truth = best(
            vector,
            (head) =>
              !/^U/.test(head.kind_code) && (!('countries' in fields) || head.country === about.country),
          );
          const exact = target.search(vector, filters, 30, 'exact');
          assert.ok(exact.plan.exact);
          for (const [n, score] of [...exact.hits.scores].entries())
            assert.ok(
              Math.abs(score - truth[n]!) < 1e-3,
              `result ${n}: expected the score ${truth[n]}: ${score}`,
            );
          const { hits, plan } = target.search(vector, filters, 30, 'documents');
          assert.equal(plan.segments[0]!.scan, 'documents');
          const good = [...hits.scores].slice(0, 10).filter((score) => score >= truth[9]! - 1e-3).length;
          const value = recallAt(10, hits.scores, exact.hits.scores)!;
          assert.ok(
            Math.abs(value - good / 10) < 0.11,
            `${value} by the measure, ${good} of 10 by brute force`,
          );
          missed += 10 - good;
        }
      }
      assert.ok(missed < 100, 'a search by sketches finds most documents');
      await embedder.close();
    } finally {
      await target.close();
    }
  });

  it('a filter by dates or class passes about the requested share', async () => {
    const target = new Target(dir);
    try {
      const maker = new FilterMaker(target.store);
      const all = target.manifest.passages;
      const passages = (fields: object) => {
        const { filters } = parseSemantic({ query: 'any', include_utility_model: true, ...fields });
        return target.native.select(clausesOf(filters, target.store)).passages[0]!;
      };
      const next = stream(9);
      for (const percent of [50, 10]) {
        const share = (passages(maker.dates(next, percent)) / all) * 100;
        within(share, [percent, percent + 12], `passages that pass dates for ${percent} %`);
      }
      const classes = blocks.questions(10, 5).flatMap((question) => maker.class(question, 10) ?? []);
      assert.ok(classes.length > 0);
      for (const fields of classes) within((passages(fields) / all) * 100, [2.5, 40], 'a class for 10 %');
    } finally {
      await target.close();
    }
  });

  it('recall counts documents with the score of the last true one', () => {
    assert.equal(recallAt(3, [9, 8, 7], [9, 8, 7, 6]), 1);
    assert.equal(recallAt(3, [9, 7, 7], [9, 8, 7, 7]), 1);
    assert.equal(recallAt(3, [9, 6, 5], [9, 8, 7, 6]), 1 / 3);
    assert.equal(recallAt(10, [9, 8], [9, 8]), 1);
    assert.equal(recallAt(10, [], []), undefined);
  });
});
