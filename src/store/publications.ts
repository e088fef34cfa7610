/**
 * What a search reads of stored publications, wherever they are kept: in the data folder (store.ts), or in memory, where
 * another engine has put those that a request needs.
 */
import type { Passage } from '../patent/passage.js';
import type { DocumentBody, DocumentHead } from './document.js';
import type { StoredFigures } from './figures.js';

/** One value for a key. */
export interface Lookup<Key, Value> {
  get(key: Key): Value | undefined;
}

/** Several values for a key, ascending. */
export interface Lookups {
  getValues(key: string): Iterable<string>;
}

/** Tables of publications; keys.ts explains them. All that is read without an await is of one state. */
export interface Publications {
  /** Name of the place where they are kept, for messages. */
  readonly dir: string;
  readonly documents: Lookup<number, DocumentHead>;
  readonly bodies: Lookup<number, DocumentBody>;
  readonly ids: Lookup<string, number>;
  readonly numbers: Lookups;
  readonly applications: Lookups;
  readonly figures: Lookup<string, StoredFigures>;
  passage(doc: number, number: number): Passage | undefined;
  /** Makes the newest state visible. */
  refresh(): void;
}
