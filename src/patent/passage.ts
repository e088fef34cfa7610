/** A passage: the unit that is embedded, found and shown. The specification calls it a chunk. */

export type ChunkType = 'abstract' | 'claim' | 'description';

/** A piece of a document that is embedded, found and shown. */
export interface Passage {
  /** Text of the passage. */
  text: string;
  /** Part of the document. */
  chunk_type: ChunkType;
  /** The document's own heading, or `Abstract`, `Claims`, `Description`. Answers say `Title` of a title that replaces a missing abstract. */
  section_name: string;
  /** Office paragraph numbers covered, ascending; may be empty. */
  paragraph_numbers: number[];
  /** Claim numbers covered, ascending; may be empty. */
  claim_numbers: number[];
}
