/**
 * Layout of the document store (`<data>/store/`, one LMDB environment, msgpack values with shared
 * structures, each with a checksum behind it: checked-values.ts). Every change of it is one transaction together with the
 * manifest.
 *
 * | database     | key                         | value |
 * |--------------|-----------------------------|-------|
 * | meta         | `manifest`                  | Manifest: the segments of the index |
 * | meta         | [`deleted`, segment]        | ids of its documents deleted since it was written, ascending u32 |
 * | meta         | `reembedding`               | Reembedding: segments of another model, not yet searched |
 * | documents    | document id (u32)           | DocumentHead: what a result shows, content hash, passage count |
 * | bodies       | document id                 | DocumentBody: abstract, claims, description, citations |
 * | passages     | [document id, number]       | Passage, numbered from 0 in the order of its vectors |
 * | ids          | patent_id, also of corrected publications | document id |
 * | numbers      | KIPRIS number               | patent_ids with this number |
 * | sources      | absolute path of a file     | SourceRecord: when it was read, and outcomes of its publications |
 * | applications | country + application number, or a key of `DocumentHead.international` | patent_ids of its publications |
 * | figures      | patent_id                   | PatentFigures: its figures, with the files of stored images |
 * | figure_names | [place, figure key]         | patent_ids of the publications with a figure of this name |
 * | figure_files | SHA-256 of a file in hex    | patent_ids of the publications with this image |
 *
 * A document id is never reused. A replaced document gets a new id, so that vectors and texts of different versions are
 * never mixed.
 */

/** Version of the layout. Folders of another version are refused. */
export const FORMAT = 1;

export const MANIFEST = 'manifest';

/** Key of the progress of a re-embedding. */
export const REEMBEDDING = 'reembedding';

/** Key of a segment's deleted documents. */
export function deletedKey(segment: string): [string, string] {
  return ['deleted', segment];
}
