/** Documents with questions about them, for recall tests: those of the offices, and generated ones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/engine.js';
import { type KindClass, publicationClass } from '../../src/patent/kind.js';
import { Folder } from '../../src/search/folder.js';
import { REAL_SOURCES, random } from '../crash/folder.js';
import { collect } from '../search/collection.js';
import { type Question, titleQuestions } from './questions.js';
import type { RecallDocument } from './target.js';

/** Documents, questions about them, and an open store of the same folder. */
export interface Material {
  documents: RecallDocument[];
  questions: Question[];
  dimensions: number;
  folder: Folder;
  remove(): void;
}

/** Kinds of publication that the filters allow. */
const KINDS: ReadonlySet<KindClass> = new Set([
  'application',
  'grant',
  'utility_application',
  'utility_grant',
]);

/** Documents of the offices, and their titles as questions. */
export async function realMaterial(): Promise<Material> {
  const collection = await collect([REAL_SOURCES[0]!, REAL_SOURCES[2]!], 'flat');
  const folder = new Folder(collection.dir);
  const { native, manifest } = folder.snapshot();
  const documents = [...folder.store.documents.getRange()].flatMap(({ key, value }) => {
    const vectors = native.vectorsOf(key);
    return vectors && KINDS.has(publicationClass(value)) ? [{ patent: value, vectors }] : [];
  });
  const questions = await titleQuestions(
    documents.map(({ patent }) => patent),
    80,
    31,
  );
  const { dimensions } = manifest.model;
  return { documents, questions, dimensions, folder, remove: () => collection.remove() };
}

/**
 * Vectors of subjects, which differ more in some directions than in others, as those of a model do. A document differs from
 * its subject, and its passages from the document, by the shares of real ones: a fifth of the energy of a passage is its own.
 */
export async function generatedMaterial(): Promise<Material> {
  const dimensions = 256;
  const next = random(9);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const direction = (): Float64Array =>
    unit(Float64Array.from({ length: dimensions }, (_, i) => normal() / Math.sqrt(1 + i / 12)));
  const mixed = (base: Float64Array, share: number): Float64Array => {
    const own = direction();
    return unit(base.map((x, i) => Math.sqrt(1 - share) * x + Math.sqrt(share) * own[i]!));
  };
  const subjects = Array.from({ length: 300 }, direction);
  const documents: RecallDocument[] = [];
  const means: Float64Array[] = [];
  for (let n = 0; n < 5_000; n++) {
    const subject = Math.floor(next() ** 2 * subjects.length);
    const mean = mixed(subjects[subject]!, 0.45);
    const passages = 1 + Math.floor(next() ** 2 * 12);
    const vectors = new Float32Array(passages * dimensions);
    for (let at = 0; at < passages; at++) vectors.set(mixed(mean, 0.2), at * dimensions);
    const section = 'ABCDEFGH'[subject % 8]!;
    documents.push({
      patent: {
        patent_id: `US${10_000_000 + n}B2`,
        number: `${10_000_000 + n}`,
        country: (['US', 'KR', 'JP', 'CN', 'EP'] as const)[Math.floor((n / 5_000) * 5)]!,
        kind_code: 'B2',
        title: `Subject ${subject}`,
        ipc_codes: [`${section}01B 1/00`],
      },
      vectors,
    });
    means.push(mean);
  }
  const questions = Array.from({ length: 80 }, () => {
    const n = Math.floor(next() * documents.length);
    return { vector: Float32Array.from(mixed(means[n]!, 0.35)), patent: documents[n]!.patent };
  });
  const dir = mkdtempSync(join(tmpdir(), 'priorart-generated-'));
  await (await open(dir, { create: true, workers: 0 })).close();
  return {
    documents,
    questions,
    dimensions,
    folder: new Folder(dir),
    remove: () => rmSync(dir, { recursive: true }),
  };
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}
