/** Documents of a state of the cluster, as they are stored again elsewhere. */
import { type PreparedDocument, patentOf } from '../store/document.js';
import type { Json, OneState } from './client.js';
import { bagsOf, type Stored, vectorsOf } from './documents.js';
import { PATENT_ID, withIds } from './lookups.js';

/** Documents of one answer: with vectors, and without texts. */
const READ = 64;
const HEADS = 2_000;

/** All documents, in the order of their patent_id. @param patentIds only these */
export async function* documentsOfCluster(
  state: OneState,
  patentIds?: readonly string[],
): AsyncGenerator<PreparedDocument, void, undefined> {
  const fields = ['head', 'body', 'texts', 'vectors', 'bags'];
  const query = patentIds === undefined ? {} : { query: { bool: { filter: [withIds(patentIds)] } } };
  for await (const { head, body = {}, texts, ...stored } of hitsOf(state, fields, READ, query)) {
    yield {
      patent: patentOf(head, body),
      hash: head.hash,
      passages: texts!.passages,
      vectors: vectorsOf({ head, ...stored }),
      bags: bagsOf({ head, ...stored }),
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
  for await (const { head } of hitsOf(state, ['head.patent_id', 'head.hash'], HEADS, {})) {
    yield { patentId: head.patent_id, content: head.hash };
  }
}

async function* hitsOf(
  state: OneState,
  fields: string[],
  size: number,
  query: Json,
): AsyncGenerator<Stored, void, undefined> {
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search<Stored>({
      ...query,
      size,
      sort: [{ [PATENT_ID]: 'asc' }],
      _source: fields,
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    for (const { _source } of hits.hits) yield _source!;
    after = hits.hits.length < size ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}
