/** What must be in memory before a question is read: publications that it names, and names of its applicant. */
import { calling, type FilterClause } from '../index/native.js';
import type { Models } from '../models/load.js';
import { companyKeys } from '../patent/name.js';
import { FAMILY_READ, withApplicantNames } from '../search/applicants.js';
import { asOfDay } from '../search/as-of.js';
import { CLASS_SAMPLE, classClause, codesAsked, mainGroups } from '../search/class-question.js';
import { examplesOf, publicationOf, withSiblings } from '../search/examples.js';
import { clausesOf } from '../search/filter.js';
import { applicantCondition } from '../search/filter-rows.js';
import { publicationsAsked } from '../search/number-question.js';
import type { AnalyticsQuery, Filters, SemanticQuery } from '../search/query.js';
import { queryOf } from './clauses.js';
import type { OneState } from './client.js';
import { asking, type Field, familyGroup, type Stored, storedOf, vectorsOf } from './documents.js';
import { countsOfAll } from './known.js';
import { fetchFamilies, withPublications } from './lookups.js';
import { PublicationsInMemory } from './publications.js';
import { ClusterReader, type Collection } from './reader.js';
import { SCORE_QUESTION } from './working.js';

/** Publications from which names of an applicant are learned. */
const APPLICANT_SAMPLE = 500;
/** Steps from one name to another: the search for names follows them one step further. */
const STEPS = 2;

/**
 * Fetches what reading a question needs.
 * @returns the query with all names of its applicant
 * @throws PriorartError `invalid_request` for numbers that no publication has, or several
 */
export async function prepareQuestion<Q extends SemanticQuery | AnalyticsQuery>(
  state: OneState,
  reader: ClusterReader,
  publications: PublicationsInMemory,
  query: Q,
): Promise<Q> {
  await withPublications(state, publications, ['head', 'body'], () => {
    const { like, unlike } = examplesOf(publications, query);
    for (const example of [...like, ...unlike]) withSiblings(publications, example);
    const isClass = codesAsked(query.query) !== undefined;
    const asked = isClass ? undefined : publicationsAsked(publications, query.query);
    for (const patentId of asked?.publications ?? []) publicationOf(publications, patentId);
    clausesOf(query.filters, publications);
    if (query.filters.asOf !== undefined) asOfDay(publications, query.filters.asOf);
  });
  const filters = await withNames(state, reader, publications, query.filters);
  const codes = codesAsked(query.query);
  // Last, since names are looked for in a working set of their own.
  if (codes !== undefined) await openClass(state, reader, publications, codes);
  return { ...query, filters };
}

/** Opens a sample of the documents of a class as the working set. */
async function openClass(
  state: OneState,
  reader: ClusterReader,
  publications: PublicationsInMemory,
  codes: readonly string[],
): Promise<void> {
  const [own, groups] = [classClause(codes), classClause(mainGroups(codes))];
  const counts = await countsOfAll(state, [[own], [groups]]);
  const clause = counts.get(JSON.stringify([own])) ? own : groups;
  const sample = await sampleOf(state, clause, CLASS_SAMPLE, ['head', 'vectors']);
  const documents = sample.map((stored) => ({ doc: publications.add(stored), vectors: vectorsOf(stored) }));
  reader.use(
    documents.sort((a, b) => a.doc - b.doc),
    { counts },
  );
}

/** The same documents at every call, in an order that depends on nothing that is searched. */
async function sampleOf(
  state: OneState,
  clause: FilterClause,
  size: number,
  fields: readonly Field[],
): Promise<Stored[]> {
  const random = { function_score: { random_score: { seed: 1, field: '_seq_no' } } };
  const { hits } = await state.search({
    ...asking(fields),
    size,
    query: { bool: { filter: [queryOf(clause)], must: [random] } },
    track_total_hits: false,
  });
  return hits.hits.map(storedOf);
}

/** The filters of a collection with all names of their applicant, if they ask for them. */
export async function expandedFilters(
  collection: Collection & { name: string; models: Models },
  filters: Filters,
): Promise<Filters> {
  const publications = new PublicationsInMemory(collection.name);
  const reader = new ClusterReader(collection, publications, collection.models);
  try {
    return await withNames(collection.state, reader, publications, filters);
  } finally {
    reader.close();
  }
}

async function withNames(
  state: OneState,
  reader: ClusterReader,
  publications: PublicationsInMemory,
  filters: Filters,
): Promise<Filters> {
  const { applicant } = filters.values;
  if (!filters.applicantExpand || applicant === undefined) return filters;
  const docs = new Set<number>();
  let clause = applicantCondition(applicant.match, companyKeys(applicant.text));
  let found = filters;
  for (let step = 0; step <= STEPS; step++) {
    const own = await sampleOf(state, clause, APPLICANT_SAMPLE, ['head']);
    const groups = [...new Set(own.map(({ head }) => familyGroup(head)))];
    const families = await fetchFamilies(state, groups, FAMILY_READ);
    for (const stored of [...own, ...families]) docs.add(publications.add(stored));
    const vectors = new Float32Array(SCORE_QUESTION.length);
    const documents = [...docs].sort((a, b) => a - b).map((doc) => ({ doc, vectors }));
    const { native } = reader.use(documents, {}, { dimensions: SCORE_QUESTION.length });
    const expanded = calling(() => withApplicantNames(native, publications, filters));
    found = expanded.filters;
    const { names = [] } = expanded;
    if (names.length === 0) return found;
    clause = applicantCondition('exact', names.flatMap(companyKeys));
  }
  return found;
}
