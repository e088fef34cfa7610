/** How documents were counted, and why none were: what statistics add if the request has `explain`. */
import type { FilterClause, NativeSnapshot } from '../index/native.js';
import { excludedBy } from './left-out.js';
import type { Plan } from './plan.js';
import type { AnalyticsQuery, Filters } from './query.js';
import type { IndexReader } from './reader.js';
import { countOf, selectionOf } from './selections.js';
import { type ReadQuestion, readQuestion, type Subject } from './subject.js';
import type { AnalyticsResponse } from './types.js';

/** Members of an answer that only requests with `explain` get. */
export type CountExplained = Required<Pick<AnalyticsResponse, 'explanation'>> &
  ReadQuestion &
  Pick<AnalyticsResponse, 'excluded_by'>;

export interface Counted {
  plan: Plan;
  /** With the names of the applicant. */
  filters: Filters;
  /** The conditions of the filters and of the question. */
  clauses: FilterClause[];
  /** Documents that count. */
  total: number;
}

/**
 * Explains a count. A later page may ask for it if the first one did not, so every ranking has it, except for what costs
 * a search of its own.
 */
export function countExplained(
  { gathered, store }: Pick<IndexReader, 'gathered' | 'store'>,
  native: NativeSnapshot,
  query: AnalyticsQuery,
  subject: Subject,
  { plan, filters, clauses, total }: Counted,
): CountExplained {
  const documents = documentsOf(native, clauses, gathered !== undefined, query.explain === true);
  const scans = plan.segments.map(({ scan }) => scan).filter((scan) => scan !== 'none');
  const isNothingAllowed = query.explain && total === 0 && documents === 0;
  const besides = { ...subject, dates: 'date_range' } as const;
  return {
    ...readQuestion(subject),
    explanation: {
      exact: plan.exact && gathered !== 'index',
      documents,
      scans: gathered ? [gathered] : [...new Set(scans)].sort(),
    },
    ...(isNothingAllowed ? { excluded_by: excludedBy(native, filters, store, besides) } : {}),
  };
}

/** Documents that clauses allow. @param isPart whether the segments hold only documents that may count */
function documentsOf(
  native: NativeSnapshot,
  clauses: FilterClause[],
  isPart: boolean,
  isAsked: boolean,
): number {
  if (!isPart) return selectionOf(native, clauses).docs.reduce((sum, count) => sum + count, 0);
  // Its count was asked from the cluster only for an explained answer, which has no later pages.
  return isAsked ? countOf(native, clauses) : 0;
}
