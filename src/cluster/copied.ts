/** Documents of a state of the cluster, as they are stored again elsewhere. */
import { type DocumentBody, type PreparedDocument, patentOf } from '../store/document.js';
import type { Hit, Json, OneState } from './client.js';
import { asking, bagsOf, storedOf, vectorsOf } from './documents.js';
import { keyOfHit, PATENT_ID, withIds } from './lookups.js';

/** Documents of one answer, and versions. */
const READ = 64;
const VERSIONS = 10_000;

/** All documents, in the order of their patent_id. @param patentIds only these */
export async function* documentsOfCluster(
  state: OneState,
  patentIds?: readonly string[],
): AsyncGenerator<PreparedDocument, void, undefined> {
  const fields = asking(['head', 'body', 'texts', 'vectors', 'bags']);
  const query = patentIds === undefined ? {} : { query: { bool: { filter: [withIds(patentIds)] } } };
  for await (const hit of hitsOf(state, fields, READ, query)) {
    const { head, body = {}, texts, ...packed } = storedOf(hit);
    yield {
      patent: patentOf(head, body),
      hash: head.hash,
      passages: texts!.passages,
      vectors: vectorsOf(packed),
      bags: bagsOf(packed),
      sources: head.replaced ?? [],
    };
  }
}

/** What tells two versions of a publication apart. */
export interface Version {
  patentId: string;
  content: string;
}

/** The version of every document, in the order of their patent_id. */
export async function* versionsOf(state: OneState): AsyncGenerator<Version, void, undefined> {
  for await (const hit of hitsOf(state, asking([], [PATENT_ID, 'hash']), VERSIONS, {})) {
    yield { patentId: keyOfHit(hit, PATENT_ID), content: keyOfHit(hit, 'hash') };
  }
}

async function* hitsOf(
  state: OneState,
  fields: Json,
  size: number,
  query: Json,
): AsyncGenerator<Hit<{ body?: DocumentBody }>, void, undefined> {
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search<{ body?: DocumentBody }>({
      ...query,
      ...fields,
      size,
      sort: [{ [PATENT_ID]: 'asc' }],
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    yield* hits.hits;
    after = hits.hits.length < size ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}
