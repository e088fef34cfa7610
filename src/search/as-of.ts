/**
 * Prior art: the field `as_of` leaves only the documents that were published before a day. The day is given, or it is the
 * priority date of a publication.
 */
import { applicationLink } from '../index/columns.js';
import { earliestDate, fromEpochDay, parseIsoDate, toEpochDay } from '../patent/date.js';
import { priorityDate } from '../patent/priority.js';
import type { DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { damagedLookup } from '../store/resolve.js';
import { withSiblings } from './examples.js';
import { complaint, invalidField, unknownPublications } from './invalid.js';
import { publicationsNamed } from './number-question.js';
import type { Filters } from './query.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Year, month and day in any spelling, such as `2020/1/5`, `5.1.2020` or `2020-01-05T09:00`. No publication number is like it. */
const LIKE_A_DAY =
  /^(?:\d{4}\s?[-./年년]\s?\d{1,2}\s?[-./月월]\s?\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})(?!\d)/;
const DIGIT = /\p{Nd}/u;
const EXPECTED = 'YYYY-MM-DD, or the number of a publication in the index';
/** Candidates that a message lists, at most. */
const CANDIDATES_SHOWN = 10;

/**
 * Normalises the field. A text that resembles a day must be a day; any other text is a number.
 * @throws PriorartError `bad_date`; `invalid_request` if the text has no digit
 */
export function parseAsOf(text: string): string {
  const trimmed = text.trim();
  if (LIKE_A_DAY.test(trimmed.normalize('NFKC'))) return parseIsoDate(trimmed, 'as_of', EXPECTED);
  if (!DIGIT.test(trimmed)) throw invalidField('as_of', text, `a day as ${EXPECTED}`);
  return trimmed;
}

/**
 * The day before which documents must be published, `YYYY-MM-DD`. Publications of one application have one date: the
 * earliest that a record of them states.
 * @param asOf a day or a number, from `parseAsOf`
 * @throws PriorartError `invalid_request` if no publication has the number, if publications with different priority
 *   dates have it, or if the priority date is unknown
 */
export function asOfDay(store: Publications, asOf: string): string {
  if (DAY.test(asOf)) return asOf;
  const found = publicationsNamed(store, asOf);
  if (found.length === 0) throw unknownPublications(complaint('as_of', asOf, `a day as ${EXPECTED}`));
  const heads = found.map((patentId) => headOf(store, patentId));
  const dates = new Set(applicationsOf(store, heads).map((group) => earliestDate(group.map(priorityDate))));
  if (dates.size > 1) {
    const shown = found.slice(0, CANDIDATES_SHOWN).join(', ');
    const more = found.length > CANDIDATES_SHOWN ? ` and ${found.length - CANDIDATES_SHOWN} more` : '';
    const expected = `one of the publications with this number, because their priority dates differ: ${shown}${more}`;
    throw invalidField('as_of', asOf, expected);
  }
  const [day] = dates;
  if (day === undefined) {
    const expected = `a day as YYYY-MM-DD: the index does not know the priority date of ${found.join(', ')}`;
    throw invalidField('as_of', asOf, expected);
  }
  return day;
}

/** What an answer says of the filters: what a value of the request became. */
export interface ReadFilters {
  /** Names added to the applicant; absent unless the request has applicant_expand. */
  applicant_names?: string[];
  /** The day of `as_of`, `YYYY-MM-DD`; absent unless the request has as_of. */
  as_of_day?: string;
}

export function readFilters(
  store: Publications,
  { asOf }: Filters,
  applicantNames: string[] | undefined,
): ReadFilters {
  return {
    ...(applicantNames ? { applicant_names: applicantNames } : {}),
    ...(asOf === undefined ? {} : { as_of_day: asOfDay(store, asOf) }),
  };
}

/** The last day of publication that `as_of` allows. */
export function lastDayOf(store: Publications, asOf: string): string {
  return fromEpochDay(toEpochDay(asOfDay(store, asOf)) - 1);
}

function headOf(store: Publications, patentId: string): DocumentHead {
  const id = store.ids.get(patentId);
  const head = id === undefined ? undefined : store.documents.get(id);
  if (head === undefined) throw damagedLookup(store.dir, patentId);
  return head;
}

/** All publications of the applications of some publications. One without an application number is alone. */
function applicationsOf(store: Publications, heads: readonly DocumentHead[]): DocumentHead[][] {
  const groups = new Map<string, DocumentHead[]>();
  for (const head of heads) {
    const key = applicationLink(head) || head.patent_id;
    if (groups.has(key)) continue;
    const ids = withSiblings(store, { head });
    groups.set(
      key,
      ids.map((id) => headOf(store, id)),
    );
  }
  return [...groups.values()];
}
