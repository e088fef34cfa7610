/**
 * The clauses of the specification and of the decisions, each with its tests: those whose title contains the clause's
 * name. `node dist/test/api/clauses.js` prints the table.
 */
import { ROOT, read, trackedFiles } from '../house/checkout.js';

/** A test without the clause's name in its title: the file, and words of the title. */
type Elsewhere = readonly [file: string, title: string];

const CLAUSES: readonly (readonly [clause: string, says: string, ...elsewhere: Elsewhere[]])[] = [
  ['SPEC 1 languages', 'queries in Korean, English, Japanese, Chinese'],
  ['SPEC 1 all five jurisdictions', 'US, KR, JP, CN, EP in one call'],
  ['SPEC 2.1', 'fields of a search result'],
  ['SPEC 2.2', 'fields of a chunk'],
  ['SPEC 2.3', 'fields of an analytics result'],
  ['SPEC 2.4', 'statistics follow the axes'],
  ['SPEC 2.5', 'fields of a details entry'],
  ['SPEC 2.6', 'coverage: counts per country, date ranges'],
  ['SPEC 2.7', 'keys: prefix psk_live_', ['test/access/key.test.ts', 'psk_live_']],
  ['SPEC 3', 'a key is active or deactivated', ['test/access/servers.test.ts', 'a revoked key is refused']],
  ['SPEC 4.1 query', 'required text'],
  ['SPEC 4.1 top_k', 'default 10, 1–100'],
  ['SPEC 4.1 countries', 'subset of the five'],
  ['SPEC 4.1 doc_type', 'all, application, grant'],
  ['SPEC 4.1 kind_codes', 'specific kinds'],
  ['SPEC 4.1 include_utility_model', 'default false'],
  ['SPEC 4.1 filing_date_from', 'range', ['test/api/filters.test.ts', 'DECISIONS date ranges: inclusive']],
  [
    'SPEC 4.1 publication_date_from',
    'range',
    ['test/api/filters.test.ts', 'DECISIONS date ranges: inclusive'],
  ],
  ['SPEC 4.1 grant_date_from', 'range, grants only'],
  ['SPEC 4.1 priority_date_from', 'range', ['test/api/filters.test.ts', 'DECISIONS date ranges: inclusive']],
  ['SPEC 4.1 applicant', 'term, case-insensitive, native'],
  ['SPEC 4.1 applicant_match', 'contains, prefix, exact'],
  ['SPEC 4.1 inventor', 'prefix'],
  ['SPEC 4.1 ipc_codes', 'prefixes'],
  ['SPEC 4.1 ipc_codes, cpc_codes', 'prefixes'],
  ['SPEC 4.1 publication_number', 'exact number'],
  ['SPEC 4.1 publication_number, application_number', 'exact number'],
  ['SPEC 4.1 family_id', 'exact'],
  ['SPEC 4.1 rule 1', 'an applicant is not expanded across jurisdictions'],
  ['SPEC 4.1 rule 2', 'doc_type is ignored with kind_codes'],
  ['SPEC 4.1 response', '{total, results}'],
  ['SPEC 4.2 takes the other fields of 4.1', 'all but the single dates'],
  ['SPEC 4.2 min_score', 'default 0.5'],
  ['SPEC 4.2 max_results', 'default 10,000'],
  ['SPEC 4.2 date_range', '{from, to}'],
  ['SPEC 4.2 date_range, date_type', 'default filing'],
  ['SPEC 4.2 stats_group_by', 'default year, country'],
  ['SPEC 4.2 page', '1-based'],
  ['SPEC 4.2 page, page_size', 'default 20, 1–100'],
  ['SPEC 4.2 response', 'eight members'],
  ['SPEC 4.2 total_matched', 'documents at or above min_score'],
  ['SPEC 4.3 patent_ids', '1–200 numbers'],
  ['SPEC 4.3 sections', 'comma-separated subset'],
  ['SPEC 4.3 response', 'one entry per id'],
  ['SPEC 4.3 unknown ids', 'not_found, status 200'],
  ['SPEC 4.4 is public', 'without a key'],
  [
    'SPEC 4.4 the link differs',
    'on every request, short-lived',
    ['test/drawings/store.test.ts', 'after its time'],
  ],
  ['SPEC 4.4 other extensions', '400'],
  ['SPEC 4.4 URL assembly', 'patent_id and representative_figure'],
  ['SPEC 4.5 is public', 'without a key'],
  ['SPEC 4.5 is cached', 'for an hour'],
  ['SPEC 4.5 503', 'where unavailable'],
  ['SPEC 4.6', 'health checks are public'],
  ['SPEC 5.1', 'X-API-Key on everything but drawings, coverage, health'],
  ['SPEC 5.2', 'the bare key, without Bearer'],
  ['SPEC 5.3', 'application/json'],
  ['SPEC 5.4', 'missing, unknown 401; deactivated 403'],
  ['SPEC 5.5', 'keys stay on the server side'],
  [
    'SPEC 5.6',
    'several keys, revocation, usage',
    ['test/access/store.test.ts', 'several keys per environment'],
  ],
  ['SPEC 5.6 request logs', 'per key'],
  ['SPEC 5.6 usage', 'per key'],
  ['SPEC 6', 'no events, webhooks or notifications'],
  ['SPEC 7 shape', '{detail}'],
  ['SPEC 7 400 date', ''],
  ['SPEC 7 400 IPC', ''],
  ['SPEC 7 400 applicant_match', ''],
  ['SPEC 7 400 drawing extension', ''],
  ['SPEC 7 400 malformed', ''],
  ['SPEC 7 401', ''],
  ['SPEC 7 403', ''],
  ['SPEC 7 422', 'missing, wrong type, wrong value'],
  ['SPEC 7 429 quota', ''],
  ['SPEC 7 429 rate', ''],
  ['SPEC 7 500', 'unexpected, embedding'],
  ['SPEC 7 503 maintenance', ''],
  ['SPEC 7 503 overload', ''],
  ['SPEC 7 503 authentication service', ''],
  ['SPEC 7 503 coverage', ''],
  ['SPEC 7.1', 'details are 200 with per-entry errors'],
  ['SPEC 8 rate limit', '60 per minute, all calls', ['test/access/window.test.ts', 'exact to the request']],
  ['SPEC 8 quota Free', '30 a month'],
  ['SPEC 8 quota Basic', '300 a month', ['test/api/limits.test.ts', "'Pro' : 'Basic'"]],
  ['SPEC 8 quota Pro', '1,000 a month', ['test/api/limits.test.ts', "'Pro' : 'Basic'"]],
  ['SPEC 8 quota Enterprise', 'custom'],
  ['SPEC 8 patent_ids', '1–200'],
  ['SPEC 8 top_k', '10, 1–100'],
  ['SPEC 8 top_applicants, top_ipc', 'at most 20'],
  ['SPEC 8 coverage cache', '1 hour'],
  ['SPEC 8.1', 'only searches count'],
  [
    'SPEC 8.1, 8.2',
    '429 when used up; resets each cycle',
    ['test/access/billing.test.ts', 'month from the start day'],
  ],
  ['SPEC 9', 'version in the path'],
  [
    'DECISIONS order of checks',
    'each check before the later ones',
    ['test/http/choked-loop.test.ts', 'before it refuses anything'],
  ],
  ['DECISIONS 400 or 422', ''],
  ['DECISIONS fields of the other endpoint', ''],
  ['DECISIONS query', '1–10,000 characters'],
  [
    'DECISIONS top_k, page_size, max_results',
    'integers, 1–100, 1–100, 1–10,000',
    ['test/api/', 'SPEC 8 top_k'],
    ['test/api/analytics.test.ts', 'SPEC 4.2 page, page_size'],
    ['test/api/analytics.test.ts', 'SPEC 4.2 max_results'],
  ],
  ['DECISIONS page past the end', ''],
  ['DECISIONS order of results', ''],
  ['DECISIONS doc_type "all"', ''],
  ['DECISIONS total_matched', '', ['test/search/brute-force.test.ts', 'anal']],
  ['DECISIONS similarity_score', 'calibrated', ['test/embed/calibration.test.ts', '']],
  ['DECISIONS utility models, designs', ''],
  ['DECISIONS several inventors, applicants', ''],
  ['DECISIONS IPC/CPC prefix', ''],
  ['DECISIONS date ranges', ''],
  ['DECISIONS grant dates', ''],
  [
    'DECISIONS grant date',
    'stated date, otherwise publication date',
    ['test/api/filters.test.ts', 'DECISIONS grant dates'],
  ],
  ['DECISIONS patent_id', 'unique, made of the record', ['test/patent/number.test.ts', '']],
  ['DECISIONS numbers as input', ''],
  ['DECISIONS scores', ''],
  ['DECISIONS null, empty', ''],
  ['DECISIONS top_k on semantic-analytics', ''],
  ['DECISIONS family_id', '', ['test/patent/family.test.ts', '']],
  ['DECISIONS top_ipc, by_year', ''],
  ['DECISIONS countries outside', 'reported as skipped', ['test/ingest/', 'other countr']],
  ['DECISIONS duplicate ids in details', ''],
  ['DECISIONS images in content', 'links that work'],
  ['DECISIONS drawing does not exist', ''],
  ['DECISIONS unknown path, method', ''],
  ['DECISIONS health', ''],
  ['DECISIONS coverage document', ''],
  ['DECISIONS error body', ''],
  ['DECISIONS key', 'text and checksum', ['test/access/key.test.ts', 'checksum']],
  [
    'DECISIONS account, environment',
    'public endpoints limited by client address',
    ['test/access/store.test.ts', 'several keys per environment'],
    ['test/access/servers.test.ts', 'a client address without a key has no limit'],
  ],
  [
    'DECISIONS quota',
    'reserve, then settle',
    ['test/access/counters.test.ts', 'never overrun'],
    ['test/access/servers.test.ts', 'exactly 30 answers'],
  ],
  [
    'DECISIONS rate limit',
    'sliding',
    ['test/access/window.test.ts', 'exact to the request'],
    ['test/access/servers.test.ts', 'a key gets 60 calls per minute'],
  ],
  ['DECISIONS maintenance', ''],
  [
    'DECISIONS request log',
    'its fields; queries only if enabled; bounded in age and size',
    ['test/access/request-log.test.ts', 'keeps no query by default'],
    ['test/access/request-log.test.ts', 'shows no line that is older'],
    ['test/access/request-log.test.ts', 'stays below its size'],
  ],
  ['DECISIONS plans', 'Free 30, Basic 300, Pro 1,000, Enterprise custom'],
  ['DECISIONS events', 'none'],
  [
    'DECISIONS operator’s limits',
    'settings; health is exempt',
    ['test/config.test.ts', 'defaults of the limits'],
    ['test/access/servers.test.ts', 'health always'],
  ],
];

/** A clause with its tests. */
export interface HeldClause {
  clause: string;
  says: string;
  tests: string[];
}

/** The table, from the titles in the sources. */
export function clauseTable(): HeldClause[] {
  const titles = trackedFiles('test')
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => titlesOf(read(file)).map((title) => ({ file, title })));
  return CLAUSES.map(([clause, says, ...elsewhere]) => ({
    clause,
    says,
    tests: titles
      .filter(
        ({ file, title }) =>
          carries(title, clause) ||
          elsewhere.some(([place, words]) => file.startsWith(place) && title.includes(words)),
      )
      .map(({ file, title }) => `${file}: ${title}`),
  }));
}

/** `SPEC 4.1` does not match `SPEC 4.11`, and `DECISIONS key` does not match `DECISIONS keys`. */
function carries(title: string, clause: string): boolean {
  const at = title.indexOf(clause);
  return at >= 0 && !/[\w.]/.test(title[at + clause.length] ?? ' ');
}

function titlesOf(source: string): string[] {
  return [...source.matchAll(/\b(?:it|test)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)].map(
    ([, , title]) => title!,
  );
}

if (import.meta.url.startsWith('file:') && process.argv[1] && ROOT && /clauses\.js$/.test(process.argv[1])) {
  for (const { clause, says, tests } of clauseTable()) {
    process.stdout.write(
      `${clause}${says ? ` (${says})` : ''}\n${tests.map((test) => `    ${test}\n`).join('')}`,
    );
  }
}
