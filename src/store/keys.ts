/**
 * Layout of the document store (`<data>/store/`, one LMDB environment, msgpack values with shared
 * structures, each with a checksum behind it: checked-values.ts). Every change of it is one transaction together with the
 * manifest.
 *
 * | database     | key                         | value |
 * |--------------|-----------------------------|-------|
 * | meta         | `manifest`                  | Manifest: the segments that make up the index |
 * | meta         | [`deleted`, segment]        | ids of its documents deleted since it was written, ascending u32 |
 * | meta         | `reembedding`               | Reembedding: segments of another model, not yet searched |
 * | documents    | document id (u32)           | DocumentHead: what a result shows, content hash, passage count |
 * | bodies       | document id                 | DocumentBody: abstract, claims, description, citations |
 * | passages     | [document id, number]       | Passage, numbered from 0 in the order of its vectors |
 * | ids          | patent_id, also of what it corrects | document id |
 * | numbers      | KIPRIS number               | patent_ids that bear it |
 * | sources      | absolute path of a file     | SourceRecord: when it was read, and what became of its publications |
 * | applications | country + application number| patent_ids that stem from it |
 * | figures      | patent_id                   | PatentFigures: its figures, with the files of those that are there |
 * | figure_names | [place, figure key]         | patent_ids of the publications that name a figure so |
 * | figure_files | SHA-256 of a file in hex    | patent_ids of the publications that show it |
 *
 * A document id is never reused: a replaced document gets a new one, so that vectors and texts of two
 * versions can not be mixed up.
 */

/** Version of the layout; a folder of a newer one is refused. */
export const FORMAT = 2;
/** Folders of this version, whose values have no checksums, stay as they are. */
export const FORMAT_UNCHECKED = 1;

export const MANIFEST = 'manifest';

/** Key of what a re-embedding has done so far. */
export const REEMBEDDING = 'reembedding';

/** Key of a segment's deleted documents. */
export function deletedKey(segment: string): [string, string] {
  return ['deleted', segment];
}
