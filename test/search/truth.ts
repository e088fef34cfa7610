/**
 * Search by its definition: loops over records and vectors, without columns, bitmaps, heaps or segments, for
 * comparison with the engine.
 */
import { passagesOf } from '../../src/ingest/passages.js';
import type { Passage } from '../../src/patent/passage.js';
import type { Patent } from '../../src/patent/record.js';

/** A publication with its passages and their vectors. */
export interface Document {
  patent: Patent;
  passages: Passage[];
  /** passages × dimensions */
  vectors: Float32Array;
}

/** A document under a query: inner products of its passages. */
export interface Scored {
  document: Document;
  passages: Float64Array;
  score: number;
}

/** Kind codes of grants and registrations, by office, without utility models. */
const GRANTS: Record<string, RegExp> = {
  US: /^(A|B\d?|E\d?|H\d?|P[23]?|C\d|F\d|[IJKO]\d)$/,
  KR: /^B\d?$/,
  JP: /^B\d?$/,
  CN: /^[BC]\d?$/,
  EP: /^B\d?$/,
};
const UTILITY: Record<string, { applications: RegExp; grants: RegExp }> = {
  KR: { applications: /^U\d?$/, grants: /^Y\d?$/ },
  JP: { applications: /^$/, grants: /^[UY]\d?$/ },
  CN: { applications: /^$/, grants: /^[UY]\d?$/ },
};
const APPLICATIONS: Record<string, RegExp> = {
  US: /^(A\d|P[149])$/,
  KR: /^A\d?$/,
  JP: /^[AT]\d?$/,
  CN: /^A\d?$/,
  EP: /^A\d?$/,
};

/** Designs, which are registered. */
const DESIGNS: Record<string, RegExp> = { US: /^S1?$/, KR: /^S1?$/, JP: /^S1?$/, CN: /^[SD]\d?$/ };

type Kind = 'application' | 'grant' | 'utility application' | 'utility grant' | 'none of these';

/** The class of a publication: the table of the offices' kind codes, written a second time. */
export function kindOf({ country, kind_code }: Patent): Kind {
  if (GRANTS[country]?.test(kind_code)) return 'grant';
  if (APPLICATIONS[country]?.test(kind_code)) return 'application';
  if (UTILITY[country]?.grants.test(kind_code)) return 'utility grant';
  return UTILITY[country]?.applications.test(kind_code) ? 'utility application' : 'none of these';
}

const isGrant = (patent: Patent): boolean => kindOf(patent).endsWith('grant');

/** The date of a type. Grant dates exist on grants and designs only; the default is the day of publication. */
export function dateOf(patent: Patent, type: string): string | undefined {
  if (type === 'filing') return patent.filing_date;
  if (type === 'publication') return patent.publication_date;
  // A claimed priority without a day has an unknown day.
  if (type === 'priority')
    return patent.priority_date ?? (patent.priorities?.length ? undefined : patent.filing_date);
  const isRegistered = isGrant(patent) || DESIGNS[patent.country]?.test(patent.kind_code) === true;
  return isRegistered ? (patent.grant_date ?? patent.publication_date) : undefined;
}

/** Joins records with vectors of the index under test, which a separate test compares with the model. */
export function documentsOf(
  patents: Iterable<Patent>,
  vectorsOf: (patentId: string) => Float32Array,
): Document[] {
  return Array.from(patents, (patent) => ({
    patent,
    passages: passagesOf(patent),
    vectors: vectorsOf(patent.patent_id),
  }));
}

/** Inner products of every passage, in double precision. */
export function score(documents: readonly Document[], query: Float32Array): Scored[] {
  return documents.map((document) => {
    const passages = new Float64Array(document.passages.length);
    for (let row = 0; row < passages.length; row++) {
      let sum = 0;
      for (let i = 0; i < query.length; i++) sum += query[i]! * document.vectors[row * query.length + i]!;
      passages[row] = sum;
    }
    return { document, passages, score: Math.max(...passages) };
  });
}

/**
 * One result for an application and its grant: the one with the higher shown score represents both, the grant if these
 * are equal. Documents without an application number are separate.
 */
export function deduplicated(scored: readonly Scored[], shown: (score: number) => number): Scored[] {
  const best = new Map<string, Scored>();
  for (const one of scored) {
    const { country, application_number, patent_id } = one.document.patent;
    const key = application_number ? `${country}/${application_number}` : patent_id;
    const rival = best.get(key);
    if (!rival || represents(one, rival, shown)) best.set(key, one);
  }
  return [...best.values()];
}

/** Number of results for some publications, if an application and its grant are one. */
export function applicationsOf(patents: readonly Patent[]): number {
  const keys = patents.map(({ country, application_number, patent_id }) =>
    application_number ? `${country}/${application_number}` : patent_id,
  );
  return new Set(keys).size;
}

function represents(one: Scored, rival: Scored, shown: (score: number) => number): boolean {
  const [own, other] = [shown(one.score), shown(rival.score)];
  return own > other || (own === other && isGrant(one.document.patent) && !isGrant(rival.document.patent));
}

/** Best shown score first. */
export function ranked(scored: readonly Scored[], shown: (score: number) => number): Scored[] {
  return [...scored].sort((a, b) => shown(b.score) - shown(a.score));
}

/** Frequency of each value, the most frequent first. */
export function tally(values: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
