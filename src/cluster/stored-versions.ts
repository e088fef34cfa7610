/**
 * The stored versions of publications, and the place where a document is written. Two programs that know nothing of each
 * other must choose the same place for a correction and for what it corrects, so that the second of their writes fails.
 */
import type { Patent } from '../patent/record.js';
import { documentKey, isSeparate } from '../patent/revision.js';
import type { DocumentHead, PreparedDocument } from '../store/document.js';
import type { ClusterClient, Hit, Json } from './client.js';
import { storedOf } from './documents.js';

/** Publications that one request asks for, and stored versions of one answer. */
const ASKED_EACH = 200;
const KNOWN_EACH = 400;

/** A stored version of a publication. */
export interface Known {
  id: string;
  head: DocumentHead;
  seqNo: number;
  term: number;
}

/** Stored publications by their patent_ids and those that they have taken the place of. */
export class KnownPublications {
  readonly #byName = new Map<string, Known[]>();
  readonly #byKey = new Map<string, Known[]>();
  readonly #ids = new Set<string>();

  add(hit: Hit): void {
    if (this.#ids.has(hit._id)) return;
    this.#ids.add(hit._id);
    const { head } = storedOf(hit);
    const found = { id: hit._id, head, seqNo: hit._seq_no!, term: hit._primary_term! };
    const key = documentKey(head);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), found]);
    for (const name of [head.patent_id, ...(head.corrects ?? [])]) {
      const others = this.#byName.get(name) ?? [];
      // A publication of this very number comes last: `get` prefers what has taken its place.
      this.#byName.set(name, head.patent_id === name ? [...others, found] : [found, ...others]);
    }
  }

  get(name: string): Known | undefined {
    return this.#byName.get(name)?.[0];
  }

  /** Whether a document has this id, of whatever publication. */
  isTaken(id: string): boolean {
    return this.#ids.has(id);
  }

  /** All publications under some names, each once, by their ids. */
  of(names: readonly string[]): Known[] {
    return inOrder(names.flatMap((name) => this.#byName.get(name) ?? []));
  }

  /** The publications that may be one document with another, and it. */
  versionsOf(patent: Patent): Known[] {
    return this.#byKey.get(documentKey(patent)) ?? [];
  }

  /** These, and those that it states to correct. */
  near(patent: Patent): Known[] {
    return inOrder([...this.versionsOf(patent), ...this.of(patent.corrects ?? [])]);
  }
}

function inOrder(known: readonly Known[]): Known[] {
  const byId = new Map(known.map((one) => [one.id, one]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Finds the stored publications under some names. @param index name of the index or of its alias */
export async function knownUnder(
  client: ClusterClient,
  index: string,
  names: readonly string[],
): Promise<KnownPublications> {
  const known = new KnownPublications();
  const wanted = [...new Set(names)];
  for (let at = 0; at < wanted.length; at += ASKED_EACH) {
    const ids = wanted.slice(at, at + ASKED_EACH);
    await addAll(client, index, { terms: { ids } }, known);
  }
  return known;
}

/** Finds the stored publications under the names and the numbers of documents, and what is in their places. */
export async function knownVersions(
  client: ClusterClient,
  index: string,
  documents: readonly PreparedDocument[],
): Promise<KnownPublications> {
  const known = new KnownPublications();
  for (let at = 0; at < documents.length; at += ASKED_EACH) {
    const patents = documents.slice(at, at + ASKED_EACH).map(({ patent }) => patent);
    const ids = patents.flatMap(({ patent_id, corrects = [] }) => [patent_id, ...corrects]);
    const should = [
      { terms: { ids } },
      { terms: { number: [...new Set(patents.map(({ number }) => number))] } },
      { ids: { values: [...new Set(patents.map(sharedId))] } },
    ];
    await addAll(client, index, { bool: { should } }, known);
  }
  return known;
}

async function addAll(
  client: ClusterClient,
  index: string,
  query: Json,
  known: KnownPublications,
): Promise<void> {
  let after: unknown[] | undefined;
  do {
    const { hits } = await client.search(`/${index}/_search`, {
      size: KNOWN_EACH,
      query: { bool: { filter: [query] } },
      _source: false,
      docvalue_fields: ['head'],
      sort: [{ 'columns.patent_id': 'asc' }],
      seq_no_primary_term: true,
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    for (const hit of hits.hits) known.add(hit);
    after = hits.hits.length < KNOWN_EACH ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}

/** The id of the document that a new publication and its corrections share. */
export function sharedId(patent: Patent): string {
  return isSeparate(patent) ? patent.patent_id : documentKey(patent);
}

/**
 * Where a document is written: in the place of a stored version, so that it replaces that in one write; else at the id that it
 * shares with its corrections. A second publication that shares this id and is no version of the first has an id of its own.
 * Earlier versions of priorart wrote publications at their patent_ids; they stay there.
 * @param old stored publications that it takes the place of
 */
export function placeOf(
  { patent }: PreparedDocument,
  old: readonly Known[],
  known: KnownPublications,
): { id: string; version?: Known } {
  const shared = sharedId(patent);
  const version = old.find(({ id }) => id === shared) ?? old[0];
  if (version) return { id: version.id, version };
  return { id: known.isTaken(shared) ? patent.patent_id : shared };
}
