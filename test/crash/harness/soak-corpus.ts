/**
 * The publications of the soak, and the truth about them in plain arrays: fields, passages and the model's vectors.
 * Nothing is read back from a data folder.
 */

import { type Calibration, calibrationFor } from '../../../src/embed/calibration.js';
import { passagesOf } from '../../../src/ingest/passages.js';
import { loadModels } from '../../../src/models/load.js';
import type { Patent } from '../../../src/patent/record.js';
import { titlesOf } from '../../../src/patent/record.js';
import { random } from '../folder.js';
import { half } from './half.js';

const { embedder } = await loadModels();
const calibrations = new WeakMap<Float32Array, Calibration>();

/** The calibration of a question's scores. Cached, because a judge needs it for each publication. */
export function calibrationOf(question: Float32Array): Calibration {
  const known = calibrations.get(question) ?? calibrationFor(embedder, question);
  calibrations.set(question, known);
  return known;
}
const { dimensions } = embedder;

export const COUNTRIES = ['KR', 'US', 'EP', 'JP', 'CN'] as const;
export const APPLICANTS = ['Aldera', 'Borneth', 'Calvix', 'Dornum', 'Eskolin', 'Ferrand', 'Gildora'];
export const SUBCLASSES = ['H01M', 'F16K', 'G06F', 'C08L', 'B60W', 'A61B'];
export const YEARS = Array.from({ length: 10 }, (_, n) => 2010 + n);
/** Words of one subject are adjacent, so that its documents are neighbours, as in real patents. */
const SUBJECTS = 40;
const WORDS = wordsOf(SUBJECTS * 14);

/** Invented words. The model cuts them into pieces, whose vectors have all directions. */
function wordsOf(count: number): string[] {
  const next = random(77);
  const syllables = 'ba co de fi gu la me no pi ru sa te vo xi za chem volt flux gear lens ion poly'.split(
    ' ',
  );
  const pick = () => syllables[Math.floor(next() * syllables.length)]!;
  return Array.from({ length: count }, () => pick() + pick() + pick());
}

/** A publication in one version. */
export interface Doc {
  n: number;
  version: number;
  patent: Patent;
  texts: string[];
  /** One vector after another, in half precision as stored. */
  vectors: Float32Array;
}

/** A sentence on a subject. */
function sentence(next: () => number, subject: number): string {
  const word = () => WORDS[subject * 14 + Math.floor(next() * 14)]!;
  const odd = WORDS[Math.floor(next() * WORDS.length)]!;
  return `The ${word()} of a ${word()} joins the ${word()} ${odd} with ${word()} ${Math.floor(next() * 1e4)}.`;
}

/** A question: a sentence on any subject. */
export function question(next: () => number): string {
  return sentence(next, Math.floor(next() * SUBJECTS));
}

/** A publication's number and the fields that are the same in all versions. */
export function patentId(n: number): string {
  return fixed(n).patent_id;
}

function fixed(
  n: number,
): Pick<Patent, 'patent_id' | 'country' | 'number' | 'kind_code' | 'application_number'> {
  const country = COUNTRIES[n % COUNTRIES.length]!;
  const serial = String(1_000 + n);
  const number = {
    KR: `102015${serial.padStart(7, '0')}`,
    US: `2015${serial.padStart(7, '0')}`,
    EP: `0${serial.padStart(7, '0')}`,
    JP: `27${serial.padStart(6, '0')}`,
    CN: `10${serial.padStart(7, '0')}`,
  }[country];
  const kind_code = { KR: 'A', US: 'A1', EP: 'A1', JP: 'A', CN: 'A' }[country];
  return {
    patent_id: `${country}${number}${kind_code}`,
    country,
    number,
    kind_code,
    application_number: `77${serial}`,
  };
}

/** A publication in one version. Texts, year, applicant and class depend on the version. */
export function record(n: number, version: number): Patent {
  const next = random(n * 65_537 + version);
  const pick = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)]!;
  const subject = Math.floor(next() * SUBJECTS);
  const text = (sentences: number) =>
    Array.from({ length: sentences }, () => sentence(next, subject)).join(' ');
  return {
    ...fixed(n),
    language: 'en',
    title: `${WORDS[subject * 14]} number ${n}, revision ${version}`,
    abstract: text(3),
    claims: [{ number: 1, text: text(2) }],
    description: ['Field', 'Embodiments'].map((section, at) => ({
      section,
      paragraphs: [{ number: at + 1, text: text(2) }],
    })),
    filing_date: `${pick(YEARS)}-0${1 + Math.floor(next() * 9)}-15`,
    applicants: [{ name: pick(APPLICANTS) }],
    ipc_codes: [`${pick(SUBCLASSES)} 10/05`],
  };
}

export async function docOf(n: number, version: number): Promise<Doc> {
  const patent = record(n, version);
  const texts = passagesOf(patent).map(({ text }) => text);
  const vectors = await embedder.embed(texts, 'passage', titlesOf(patent));
  return { n, version, patent, texts, vectors: vectors.map(half) };
}

export async function vectorOf(query: string): Promise<Float32Array> {
  return embedder.embed([query], 'query');
}

/** The cosine of each passage of a publication. */
export function cosines({ vectors }: Doc, query: Float32Array): number[] {
  const found: number[] = [];
  for (let from = 0; from < vectors.length; from += dimensions) {
    let sum = 0;
    for (let at = 0; at < dimensions; at++) sum += vectors[from + at]! * query[at]!;
    found.push(sum);
  }
  return found;
}
