/** Requests of the API from the page's search. */
import type { AnalyticsRequest, SemanticRequest } from '../../search/public-types.js';
import { DATES, type DateKind, FLAGS, LISTS, type Search, TEXTS } from './fields.js';

/** Fields that both endpoints take, without those that are not stated. */
function common(search: Search): SemanticRequest {
  const request: Record<string, unknown> = {};
  const put = (name: string, value: unknown) => {
    request[name] = value;
  };
  if (search.query.trim() !== '') put('query', search.query.trim());
  for (const name of ['countries', ...LISTS] as const) {
    if (search[name].length > 0) put(name, search[name]);
  }
  for (const name of FLAGS) {
    if (search[name] && name !== 'applicant_expand') put(name, true);
  }
  for (const name of TEXTS) {
    const isOwn = name === 'query' || name === 'applicant' || name.includes('_date_');
    if (!isOwn && search[name].trim() !== '') put(name, search[name].trim());
  }
  if (search.applicant.trim() !== '') {
    put('applicant', search.applicant.trim());
    if (search.applicant_match !== 'contains') put('applicant_match', search.applicant_match);
    if (search.applicant_expand) put('applicant_expand', true);
  }
  if (search.doc_type !== 'all') put('doc_type', search.doc_type);
  if (search.balance !== 'none') put('balance', search.balance);
  put('collapse', search.collapse);
  return request as SemanticRequest;
}

/** The body of a search. */
export function semanticRequest(search: Search): SemanticRequest {
  const request = common(search) as Record<string, unknown>;
  for (const kind of DATES) {
    for (const end of ['from', 'to'] as const) {
      const day = search[`${kind}_date_${end}`];
      if (day !== '') request[`${kind}_date_${end}`] = day;
    }
  }
  return { ...request, top_k: Number(search.top_k), explain: true, highlight: true };
}

/** The kinds of dates that the search limits. Statistics can count by one of them only, if there are any. */
export function limitedDates(search: Search): DateKind[] {
  return DATES.filter((kind) => search[`${kind}_date_from`] !== '' || search[`${kind}_date_to`] !== '');
}

/**
 * The date that statistics count by, and those whose ranges they cannot keep: the endpoint takes one range, that of the
 * date by which it counts the years.
 */
export function statisticsDate(search: Search): { kind: DateKind; ignored: readonly DateKind[] } {
  const limited = limitedDates(search);
  const kind = limited.includes(search.date_type) ? search.date_type : (limited[0] ?? search.date_type);
  return { kind, ignored: limited.filter((other) => other !== kind) };
}

/** The body of a request for statistics. */
export function analyticsRequest(search: Search): AnalyticsRequest {
  const { kind } = statisticsDate(search);
  const from = search[`${kind}_date_from`];
  const to = search[`${kind}_date_to`];
  return {
    ...common(search),
    date_type: kind,
    ...(from === '' && to === '' ? {} : { date_range: { ...(from ? { from } : {}), ...(to ? { to } : {}) } }),
    stats_group_by: ['year', 'country', 'applicant', 'ipc'],
    page_size: 1,
    explain: true,
  };
}
