/** A store with generated documents, used without the engine: prepared by hand, committed in chosen batches. */
import { writeSegment } from '../../src/index/segment.js';
import { passagesOf } from '../../src/ingest/passages.js';
import { derivationBy } from '../../src/ingest/prepare.js';
import { identityOf, loadModels } from '../../src/models/load.js';
import type { Patent } from '../../src/patent/record.js';
import { commitDocuments, type Outcome, type Outdated } from '../../src/store/commit.js';
import { contentHash, type PreparedDocument, storable } from '../../src/store/document.js';
import { Store } from '../../src/store/store.js';

const models = await loadModels();

/** The default model. */
export const MODEL = identityOf(models.embedder);

/** Options for a repair to derive data again. */
export const derivation = derivationBy(models);

export function newStore(dir: string): Store {
  return Store.openOrCreate(dir, MODEL, 'auto');
}

/** Publications as an ingest's workers return them. */
export async function prepared(patents: readonly Patent[]): Promise<PreparedDocument[]> {
  const documents: PreparedDocument[] = [];
  for (const patent of patents.map(storable)) {
    const passages = passagesOf(patent);
    const derived = await derivation.derive({ patent, passages });
    documents.push({ patent, hash: contentHash(patent), passages, ...derived });
  }
  return documents;
}

/** Commits publications as one segment. */
export async function commit(store: Store, patents: readonly Patent[]): Promise<(Outcome | Outdated)[]> {
  const documents = await prepared(patents);
  return commitDocuments(store, MODEL, documents, (segment, firstDoc) =>
    writeSegment(store, segment, firstDoc, documents),
  );
}
