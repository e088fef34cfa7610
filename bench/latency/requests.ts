/** HTTP requests about the documents of a generated folder. */
import type { Question } from '../corpus/blocks.js';
import { below, type Random, stream } from '../corpus/random.js';
import { post } from '../http/data.js';
import type { Message } from '../http/generator.js';

export const KINDS = ['search', 'filtered', 'analytics', 'few', 'many', 'details'] as const;
export type Kind = (typeof KINDS)[number];

/** Similarity from which statistics count few documents. */
export const FEW_FROM = 0.7;

/** Typical filters, with equal frequency. */
export const FILTERS: readonly ((question: Question, next: Random) => object)[] = [
  ({ target }) => ({ countries: [target.country] }),
  ({ target }) => ({ countries: ['US', 'KR'], ipc_codes: [target.ipc_codes![0]!.slice(0, 4)] }),
  (_, next) => {
    const year = 2005 + below(next, 12);
    return { filing_date_from: `${year}-01-01`, filing_date_to: `${year + 4}-12-31` };
  },
  ({ target }) => ({ doc_type: 'grant', ipc_codes: [target.ipc_codes![0]!.slice(0, 3)] }),
  ({ target }) => ({ applicant: target.applicants![0]!.name }),
];

/** The filter of each question, for searches with a filter. */
export function filtersOf(questions: readonly Question[]): object[] {
  const next = stream(23);
  return questions.map((question, n) => FILTERS[n % FILTERS.length]!(question, next));
}

/** Requests of each kind. */
export function requestsOf(key: string, questions: readonly Question[]): Record<Kind, Message[]> {
  const filters = filtersOf(questions);
  const message = (kind: Kind, path: string, body: object): Message => ({
    kind,
    weight: 1,
    text: post(key, path, body),
  });
  const statistics = (kind: Kind, limits: object) =>
    questions.map(({ text }) =>
      message(kind, '/api/v1/search/semantic-analytics', {
        query: text,
        stats_group_by: ['year', 'country', 'applicant', 'ipc'],
        ...limits,
      }),
    );
  return {
    search: questions.map(({ text }) => message('search', '/api/v1/search/semantic', { query: text })),
    filtered: questions.map((question, n) =>
      message('filtered', '/api/v1/search/semantic', {
        query: question.text,
        ...filters[n],
      }),
    ),
    analytics: statistics('analytics', {}),
    few: statistics('few', { min_score: FEW_FROM }),
    many: statistics('many', { min_score: 0 }),
    details: questions.map(({ target }) =>
      message('details', '/api/v1/patents/details', { patent_ids: [target.patent_id] }),
    ),
  };
}

/** Shares of the typical mix, percent. */
const MIX: Partial<Record<Kind, number>> = { search: 37.5, filtered: 37.5, details: 15, analytics: 10 };

export function mixOf(requests: Record<Kind, readonly Message[]>): Message[] {
  return KINDS.flatMap((kind) => {
    const share = MIX[kind] ?? 0;
    return share === 0
      ? []
      : requests[kind].map((message) => ({ ...message, weight: share / requests[kind].length }));
  });
}
