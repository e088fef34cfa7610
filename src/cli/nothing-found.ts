/** Message of a search without results: what each filter excludes, and which option changes that. */

import { FILTER_ROWS } from '../search/filter-rows.js';
import { Folder } from '../search/folder.js';
import { type LeftOut, type LeftOutReport, leftOutBy } from '../search/left-out.js';
import type { Filters } from '../search/query.js';
import { shellWord } from './options.js';
import { COMMAND, count, counted } from './output.js';

/** For each field of a filter: its option, and the words for the publications that it leaves out. */
const CONDITIONS: Readonly<Record<string, [option: string, are: string]>> = {
  kind_codes: ['--kind-codes', 'have other kind codes'],
  filing_date: ['--filing-date-…', 'were filed at another time, or have no filing date'],
  publication_date: ['--publication-date-…', 'were published at another time'],
  grant_date: ['--grant-date-…', 'were granted at another time, or are not grants'],
  priority_date: ['--priority-date-…', 'have another priority date, or none'],
  as_of: ['--as-of', 'were not published before that day'],
  ...Object.fromEntries(
    Object.entries(FILTER_ROWS).map(([field, { excluded }]) => [
      field,
      [`--${field.replaceAll('_', '-')}`, excluded] as [string, string],
    ]),
  ),
};

/** Publications that a filter allows. */
export interface Allowed {
  publications: number;
  /** Message if the filter allows none; undefined otherwise. */
  nothing: string | undefined;
}

/** @param ofStats whether the options are those of `stats`, whose dates have one pair of options */
export async function allowedBy(data: string, filters: Filters, ofStats = false): Promise<Allowed> {
  const folder = new Folder(data);
  try {
    const report = leftOutBy(folder.snapshot().native, filters, folder.store);
    const { allowed } = report;
    return {
      publications: allowed,
      nothing: allowed > 0 ? undefined : textOf(report, data, filters, ofStats),
    };
  } finally {
    await folder.close();
  }
}

function textOf(
  { total, conditions, kinds }: LeftOutReport,
  data: string,
  filters: Filters,
  ofStats: boolean,
): string {
  if (total === 0) {
    return `The index in ${data} is empty; add patents: ${COMMAND} ingest --data ${shellWord(data)} FILE…`;
  }
  const lines = conditions.flatMap(({ field, publications, words }) => {
    if (field === 'doc_type') return kindLines(kinds ?? {}, filters);
    const [option, are] = words ? wordsOf(words) : conditionOf(field, ofStats);
    return [`  ${count(publications)} ${are} (${option})`];
  });
  const together = lines.length > 1 ? ['No publication passes all of these together.'] : [];
  const head = `No patent fits. Of ${counted(total, 'publication')} in the index,`;
  return [head, ...lines, ...together, 'Remove a filter to find more.'].join('\n');
}

/** The option of a field, and words for what it leaves out. */
function conditionOf(field: string, ofStats: boolean): [option: string, are: string] {
  const [option, are] = CONDITIONS[field] ?? [field, 'do not fit'];
  return [ofStats && field.endsWith('_date') ? '--date-range-…' : option, are];
}

function wordsOf({ test, terms }: NonNullable<LeftOut['words']>): [option: string, are: string] {
  const list = terms.map((term) => `"${term}"`).join(' or ');
  return test === 'holds' ? ['--must-terms', `lack ${list}`] : ['--must-not-terms', `hold ${list}`];
}

/** Lines for the filters on the kind of publication, such as doc_type. */
function kindLines(
  kinds: NonNullable<LeftOutReport['kinds']>,
  { docType, includeUtilityModel }: Filters,
): string[] {
  const utility = (kinds.utility_application ?? 0) + (kinds.utility_grant ?? 0);
  const found: [number, string, string][] = [
    [includeUtilityModel ? 0 : utility, 'are utility models', '--include-utility-model'],
    [kinds.design ?? 0, 'are designs', '--kind-codes S,S1'],
    [kinds.other ?? 0, 'are of an unknown kind', '--kind-codes'],
    [docType === 'grant' ? (kinds.application ?? 0) : 0, 'are applications', '--doc-type'],
    [docType === 'application' ? (kinds.grant ?? 0) : 0, 'are grants', '--doc-type'],
  ];
  return found.flatMap(([number, are, option]) =>
    number > 0 ? [`  ${count(number)} ${are} (${option})`] : [],
  );
}
