/** Parameters of the generator: statistics of real documents, and assumptions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Country } from '../../src/patent/country.js';
import { ROOT } from '../machine.js';
import type { Statistics } from './statistics.js';
import type { VectorStatistics } from './vector-statistics.js';
import type { Language } from './vocabulary.js';

/** Statistics of the offices' own documents, made by `measure.ts`. */
export interface Measured {
  texts: Statistics;
  vectors: VectorStatistics;
}

export function readMeasured(): Measured {
  return JSON.parse(readFileSync(join(ROOT, 'bench/corpus/statistics.json'), 'utf8')) as Measured;
}

/** An office: its share of all inventions, and the share of its publications with a description. */
export interface Office {
  country: Country;
  language: Language;
  share: number;
  full: number;
}

/**
 * Assumed, not measured, because the shares of offices in a collection depend on the collector. With these shares, a
 * document has about 20 passages.
 */
export const OFFICES: readonly Office[] = [
  { country: 'KR', language: 'ko', share: 0.3, full: 0.15 },
  { country: 'US', language: 'en', share: 0.25, full: 0.5 },
  { country: 'CN', language: 'zh', share: 0.2, full: 0.2 },
  { country: 'JP', language: 'ja', share: 0.15, full: 0.3 },
  { country: 'EP', language: 'en', share: 0.1, full: 0.35 },
];

/** Assumed shares of granted applications, of inventions that a second office publishes, and of utility models. */
export const GRANTED = 0.4;
export const ABROAD = 0.2;
export const UTILITY = 0.05;
/** Measured share of short records without claims. */
export const WITHOUT_CLAIMS = 0.4;
