/** Whole records from the cluster: by number, and all that a filter allows. */
import { PriorartError } from '../errors.js';
import type { EmbeddedPatent } from '../patent/embedded.js';
import type { Patent } from '../patent/record.js';
import { clausesOf } from '../search/filter.js';
import type { Filters } from '../search/query.js';
import { patentOf } from '../store/document.js';
import { resolveShown } from '../store/resolve.js';
import { filterOf } from './clauses.js';
import type { OneState } from './client.js';
import { asking, type Field, type Stored, storedOf, vectorsOf } from './documents.js';
import { withPublications } from './lookups.js';
import { PublicationsInMemory } from './publications.js';

/** Documents of one answer. */
const BATCH = 64;

const RECORD: readonly Field[] = ['head', 'body'];
const EMBEDDED: readonly Field[] = [...RECORD, 'texts', 'vectors'];

/**
 * The patent_id of each number; undefined for one that fits none.
 * @param resolve finds the publications of a number
 * @throws PriorartError `invalid_request` if a number fits several publications
 */
export function resolved(
  state: OneState,
  publications: PublicationsInMemory,
  numbers: readonly string[],
  fields: readonly Field[],
  resolve: typeof resolveShown,
): Promise<(string | undefined)[]> {
  return withPublications(state, publications, fields, () => {
    const found = numbers.map((number) => resolve(publications, number));
    return found.map((candidates, n) => {
      if (candidates.length < 2) return candidates[0];
      const message = `${numbers[n]} fits ${candidates.join(', ')}; name one of them`;
      // What is not known yet may be missing here: then this runs again.
      throw new PriorartError('invalid_request', message);
    });
  });
}

export async function recordsByNumber(
  state: OneState,
  name: string,
  numbers: readonly string[],
  vectors: boolean,
): Promise<(Patent | undefined)[]> {
  const records: (Patent | undefined)[] = [];
  for (let at = 0; at < numbers.length; at += BATCH) {
    const publications = new PublicationsInMemory(name);
    const fields = vectors ? EMBEDDED : RECORD;
    const ids = await resolved(state, publications, numbers.slice(at, at + BATCH), fields, resolveShown);
    for (const id of ids) {
      const doc = id === undefined ? undefined : publications.docOf(id);
      records.push(doc === undefined ? undefined : recordOf(publications.stored(doc)!, vectors));
    }
  }
  return records;
}

/** All records that a filter allows, in the order of their patent_id. */
export async function* allRecords(
  state: OneState,
  name: string,
  filters: Filters,
  vectors: boolean,
): AsyncGenerator<Patent, void, undefined> {
  const publications = new PublicationsInMemory(name);
  const clauses = await withPublications(state, publications, RECORD, () => clausesOf(filters, publications));
  const filter = filterOf(clauses);
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search({
      ...asking(vectors ? EMBEDDED : RECORD),
      size: BATCH,
      query: { bool: { filter } },
      sort: [{ 'columns.patent_id': 'asc' }],
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    for (const hit of hits.hits) yield recordOf(storedOf(hit), vectors);
    after = hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}

function recordOf(stored: Stored, vectors: boolean): Patent {
  const patent = patentOf(stored.head, stored.body ?? {});
  if (!vectors) return patent;
  const { passages } = stored.texts!;
  const numbers = vectorsOf(stored);
  const dimensions = numbers.length / passages.length;
  const embedded: EmbeddedPatent = {
    ...patent,
    _passages: passages.map((passage, n) => ({
      ...passage,
      vector: numbers.slice(n * dimensions, (n + 1) * dimensions),
    })),
  };
  return embedded;
}
