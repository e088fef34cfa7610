/** Records with what is searched of them. */
import type { Passage } from './passage.js';
import type { Patent } from './record.js';

/** A passage of a publication, and its vector. */
export interface EmbeddedPassage extends Passage {
  /** Unit vector of the passage by the folder's model, one component for each of its dimensions. */
  vector: Float32Array;
}

/** A whole record with its passages. */
export interface EmbeddedPatent extends Patent {
  /** Passages in the order of the document. An ingest ignores this field, as every field that begins with an underscore. */
  _passages: EmbeddedPassage[];
}
