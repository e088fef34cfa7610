/**
 * Recall of each plan in folders as they become with time: after deletions, with many segments, and both. Half of the filters are
 * of the field that a question asks about, half of another field. The truth is a scan in this file, not one by the addon.
 * Prints the figures.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Patent } from '../../src/patent/record.js';
import { clausesOf } from '../../src/search/filter.js';
import { type PlanOptions, planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';
import { noReal, random } from '../crash/folder.js';
import type { Filters } from '../search/requests.js';
import { generatedMaterial, type Material, realMaterial } from './material.js';
import type { Question } from './questions.js';
import { opened, type Target, written } from './target.js';

/** Goals of a planned search, and of each plan that the planner can choose. */
const GOALS = { at10: 0.99, at50: 0.97 };
const DOCUMENTS = 50;
const RELATIONS = ['no filter', 'its field', 'another field', 'its country', 'another country'] as const;
type Relation = (typeof RELATIONS)[number];

interface Filter {
  relation: Relation;
  fields: Filters;
  matches(patent: Patent): boolean;
}

const sectionsOf = ({ ipc_codes = [] }: Patent): string[] => ipc_codes.map((code) => code[0]!);

/** The filters of a question: each relation, if the collection has documents for it. */
function filtersOf({ patent }: Question, patents: readonly Patent[]): Filter[] {
  const inSection = (relation: Relation, section: string): Filter => ({
    relation,
    fields: { ipc_codes: [section], include_utility_model: true },
    matches: (other) => sectionsOf(other).includes(section),
  });
  const inCountry = (relation: Relation, country: Patent['country']): Filter => ({
    relation,
    fields: { countries: [country], include_utility_model: true },
    matches: (other) => other.country === country,
  });
  const own = sectionsOf(patent);
  const other = patents.find((one) => sectionsOf(one)[0] && sectionsOf(one).every((s) => !own.includes(s)));
  const abroad = patents.find(({ country }) => country !== patent.country);
  return [
    { relation: 'no filter', fields: { include_utility_model: true }, matches: () => true },
    ...(own[0] ? [inSection('its field', own[0])] : []),
    ...(other ? [inSection('another field', sectionsOf(other)[0]!)] : []),
    inCountry('its country', patent.country),
    ...(abroad ? [inCountry('another country', abroad.country)] : []),
  ];
}

/** A question under a filter, with the score of every document's best passage, and the documents from the best one on. */
interface Search {
  /** Its number. */
  question: number;
  vector: Float32Array;
  filter: Filter;
  scores: Float64Array;
  ranking: number[];
}

/** Scores of all documents by a scan of the vectors as a segment stores them. */
function scored(target: Target, { documents, questions, dimensions }: Material): Search[] {
  const stored = documents.map((_, n) => target.snapshot.vectorsOf(n + 1)!);
  const patents = documents.map(({ patent }) => patent);
  return questions.flatMap((question, n) => {
    const scores = Float64Array.from(stored, (rows) => bestOf(question.vector, rows, dimensions));
    const ranking = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!);
    const shifted = [...patents.slice(n * 31), ...patents.slice(0, n * 31)];
    return filtersOf(question, shifted).map((filter) => ({
      ...{ question: n, vector: question.vector, filter, scores, ranking },
    }));
  });
}

function bestOf(query: Float32Array, rows: Float32Array, dimensions: number): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at += dimensions) {
    let sum = 0;
    for (let i = 0; i < dimensions; i++) sum += query[i]! * rows[at + i]!;
    if (sum > best) best = sum;
  }
  return best;
}

/** Sizes of segments as merges leave them: few large and many small ones, in the order of the documents. */
function manySizes(documents: number): number[] {
  const shares = [40, 8, 8, 12, 3, 1, 1, 1, 8, 2, 2, 2, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.2, 0.1, 0.1];
  const sizes = shares.map((share) => Math.max(1, Math.floor((documents * share) / 100)));
  return [...sizes, documents - sizes.reduce((sum, size) => sum + size, 0)];
}

/** A third of the documents, and the best three of every second question. */
function deletions(searches: readonly Search[], documents: number): Set<number> {
  const next = random(77);
  const gone = new Set<number>();
  for (let id = 1; id <= documents; id++) if (next() < 1 / 3) gone.add(id);
  const unfiltered = searches.filter(({ filter }) => filter.relation === 'no filter');
  for (const { ranking } of unfiltered.filter((_, n) => n % 2 === 0))
    for (const n of ranking.slice(0, 3)) gone.add(n + 1);
  return gone;
}

interface Found {
  relation: Relation;
  at10: number;
  at50: number;
  scans: string[];
}

/** One search by a plan, against the scores of all documents. */
function searched(
  { entries, snapshot, store }: Target,
  { vector, filter, scores, ranking }: Search,
  patents: readonly Patent[],
  gone: ReadonlySet<number>,
  options: PlanOptions,
): Found | undefined {
  const { filters } = parseSemantic({ query: 'any', ...filter.fields });
  const selection = snapshot.select(clausesOf(filters, store));
  const plan = planOf(entries, snapshot.segments, selection, DOCUMENTS, options);
  const asked = { documents: DOCUMENTS, chunks: 1, dedupe: false, minScore: -2 };
  const { docs } = snapshot.search(vector, selection, scansOf(plan), asked);
  const allowed = ranking.filter((n) => !gone.has(n + 1) && filter.matches(patents[n]!));
  if (allowed.length === 0) return undefined;
  const truth = allowed.slice(0, DOCUMENTS);
  const permitted = new Set(allowed.map((n) => n + 1));
  for (const id of docs) assert.ok(permitted.has(id), `document ${id} is deleted or excluded by the filter`);
  assert.equal(new Set(docs).size, docs.length, 'a document twice');
  assert.equal(docs.length, truth.length, `documents under ${JSON.stringify(filter.fields)}`);
  const share = (most: number): number => {
    const best = truth.slice(0, most);
    // A document with the score of the last one counts as found.
    const least = scores[best.at(-1)!]! - 1e-6;
    return [...docs].slice(0, most).filter((id) => scores[id - 1]! >= least).length / best.length;
  };
  const scans = plan.segments.map(({ scan }) => scan).filter((scan) => scan !== 'none');
  return { relation: filter.relation, at10: share(10), at50: share(50), scans };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A plan that is tried. */
interface Way {
  name: string;
  /** Kind of the indexes; absent without any. */
  kind?: string;
  options: PlanOptions;
  /** The scan that must occur. */
  scan?: string;
  /** Asks one of this many questions only, because a search takes 20 ms. */
  oneOf?: number;
}

const WAYS: readonly Way[] = [
  { name: 'exact', options: { exact: true }, scan: 'exact' },
  { name: 'sketches', options: { only: 'documents' }, scan: 'documents' },
  { name: 'as planned', options: {} },
  { name: 'ivf-pq, lists', kind: 'ivf-pq', options: { only: 'index' }, scan: 'ivf' },
  { name: 'ivf-pq, codes', kind: 'ivf-pq', options: { only: 'codes' }, scan: 'codes' },
  { name: 'ivf-pq, as planned', kind: 'ivf-pq', options: { indexKind: 'ivf-pq' } },
  { name: 'ivf-sq8, lists', kind: 'ivf-sq8', options: { only: 'index' }, scan: 'ivf' },
  { name: 'hnsw-sq8, graph', kind: 'hnsw-sq8', options: { only: 'index' }, scan: 'hnsw', oneOf: 4 },
];

/** Searches every layout in every way. */
function recallOf(name: string, make: () => Promise<Material>): void {
  describe(`recall after deletions and with many segments: ${name}`, {
    skip: name.startsWith('real') && noReal,
  }, () => {
    let material: Material;
    let searches: Search[];
    let dir: string;
    /** Sizes of segments, and ids of deleted documents. */
    let sizes: Record<string, number[]>;
    let deleted: Record<string, Set<number>>;
    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'priorart-layouts-'));
      material = await make();
      const { documents, dimensions } = material;
      const target = opened(material.folder.store, await written(documents, { dir, dimensions }));
      searches = scored(target, material);
      target.snapshot.close();
      sizes = { 'one segment': [documents.length], 'many segments': manySizes(documents.length) };
      deleted = { whole: new Set(), deletions: deletions(searches, documents.length) };
    });
    after(async () => {
      await material?.folder.close();
      material?.remove();
      if (dir) rmSync(dir, { recursive: true });
    });

    for (const kind of new Set(WAYS.map((way) => way.kind))) {
      it(kind ?? 'without an index', async () => {
        const { documents, dimensions, folder } = material;
        const patents = documents.map(({ patent }) => patent);
        for (const [layout, documentsOfEach] of Object.entries(sizes)) {
          const path = join(dir, `${kind}-${layout}`);
          mkdirSync(path);
          const files = await written(documents, {
            ...{ dir: path, dimensions, sizes: documentsOfEach, indexedFrom: 400 },
            ...(kind ? { kind } : {}),
          });
          for (const [state, gone] of Object.entries(deleted)) {
            const target = opened(folder.store, files, gone);
            for (const way of WAYS.filter((one) => one.kind === kind)) {
              const asked = searches.filter(({ question }) => question % (way.oneOf ?? 1) === 0);
              const found = asked.flatMap(
                (search) => searched(target, search, patents, gone, way.options) ?? [],
              );
              const name = `${way.name}; ${layout}, ${state}`;
              report(name, found);
              reaches(way, name, found);
            }
            target.snapshot.close();
          }
          rmSync(path, { recursive: true });
        }
      });
    }
  });
}

/** Whether the goals are reached. */
function reaches({ scan }: Way, name: string, found: readonly Found[]): void {
  if (scan !== undefined)
    assert.ok(new Set(found.flatMap(({ scans }) => scans)).has(scan), `${name}: no ${scan}`);
  const least = scan === 'exact' ? { at10: 1, at50: 1 } : GOALS;
  for (const at of ['at10', 'at50'] as const) {
    const recall = mean(found.map((one) => one[at]));
    assert.ok(recall >= least[at], `${name}: recall ${at} ${recall}`);
  }
}

function report(name: string, found: readonly Found[]): void {
  const of = (those: readonly Found[]): string =>
    `${mean(those.map(({ at10 }) => at10)).toFixed(4)} ${mean(those.map(({ at50 }) => at50)).toFixed(4)}`;
  const scans = new Map<string, number>();
  for (const scan of found.flatMap((one) => one.scans)) scans.set(scan, (scans.get(scan) ?? 0) + 1);
  const parts = RELATIONS.map((relation) => {
    const those = found.filter((one) => one.relation === relation);
    return `${relation} ${those.length === 0 ? '–' : of(those)}`;
  });
  console.log(
    `${name}: recall@10 and @50 ${of(found)} (${found.length} searches; ${parts.join('; ')}; ` +
      `scans of segments: ${[...scans].map(([scan, count]) => `${scan} ${count}`).join(', ')})`,
  );
}

recallOf('real documents', realMaterial);
recallOf('generated vectors', generatedMaterial);
