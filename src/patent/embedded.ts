/** Records with their passages and vectors. */
import type { Passage } from './passage.js';
import type { Patent } from './record.js';

/** A passage of a publication with its vector. */
export interface EmbeddedPassage extends Passage {
  /**
   * Unit vector of the passage from the folder's model. Its length is the number of the model's dimensions.
   */
  vector: Float32Array;
}

/** A whole record with its passages. */
export interface EmbeddedPatent extends Patent {
  /**
   * Passages in the order of the document. An ingest ignores this field and all other fields that begin with
   * an underscore.
   */
  _passages: EmbeddedPassage[];
}
