/**
 * Before a commit, merges parts and corrections with stored documents and with each other, by the rules of
 * `patent/revision.ts`. The results have passages. They have vectors only if the document is unchanged.
 */
import type { Patent } from '../patent/record.js';
import { documentKey, isSameDocument, revised } from '../patent/revision.js';
import { basisOf } from '../store/basis.js';
import { contentHash, type PreparedDocument, patentOf } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { passagesOf } from './passages.js';

export interface Revision {
  /**
   * Documents in their order of arrival, each with its basis. A merged document has the position of its last part. The pending
   * documents themselves stay as they are, so that they can be revised again.
   */
  documents: PreparedDocument[];
  /** Documents that must be embedded. */
  changed: PreparedDocument[];
  /** The resulting document of each pending document. */
  became: PreparedDocument[];
}

/** Merges pending documents with each other and with the documents of the store's current state. */
export function revise(store: Publications, pending: readonly PreparedDocument[]): Revision {
  const byKey = new Map<string, PreparedDocument[]>();
  const changed = new Set<PreparedDocument>();
  const became: PreparedDocument[] = [];
  const last = new Map<PreparedDocument, PreparedDocument>();
  for (const document of pending) {
    const key = documentKey(document.patent);
    const group = byKey.get(key) ?? [];
    byKey.set(key, group);
    const before = newest(storedVersions(store, document), group).filter((other) =>
      isRevised(other.patent, document),
    );
    let result = { ...document };
    for (const other of before) result = joined(other, result);
    for (const other of group.filter((each) => before.includes(each))) {
      group.splice(group.indexOf(other), 1);
      changed.delete(other);
      last.set(other, result);
    }
    if (before.length > 0) changed.add(result);
    group.push(result);
    became.push(result);
  }
  const final = (document: PreparedDocument): PreparedDocument => {
    let at = document;
    for (let next = last.get(at); next !== undefined; next = last.get(at)) at = next;
    return at;
  };
  const finals = became.map(final);
  const documents = [...new Set(finals)];
  for (const document of documents) document.basis = basisOf(store, document.patent);
  return { documents, changed: [...changed], became: finals };
}

/** The newest version of each publication. A pending version replaces the stored one. */
function newest(stored: readonly PreparedDocument[], group: readonly PreparedDocument[]): PreparedDocument[] {
  const waiting = new Map(group.map((document) => [document.patent.patent_id, document]));
  return [...stored.filter(({ patent }) => !waiting.has(patent.patent_id)), ...waiting.values()];
}

/**
 * Whether a stored version and a later version are merged. A whole record of the same publication replaces
 * the stored record, unless the stored record has data of other sources. A record of an application replaces
 * that too.
 */
function isRevised(stored: Patent, { patent: later, replaces }: Revised): boolean {
  if (!isSameDocument(stored, later)) return false;
  if (stored.patent_id !== later.patent_id || later.partial === true) return true;
  if (replaces) return false;
  return stored.partial === true || stored.filled !== undefined || stored.corrects !== undefined;
}

type Revised = Pick<PreparedDocument, 'patent' | 'replaces'>;

function joined(stored: PreparedDocument, later: PreparedDocument): PreparedDocument {
  const patent = revised(stored.patent, later.patent);
  const sources = [...(stored.sources ?? []), stored.hash, ...(later.sources ?? []), later.hash];
  const document = {
    patent,
    hash: contentHash(patent),
    passages: passagesOf(patent),
    vectors: NO_VECTORS,
    sources,
  };
  return later.replaces ? { ...document, replaces: true } : document;
}

const NO_VECTORS = new Float32Array();

/** Stored versions of the same document, with their texts: all with its number, in the order of their ids. */
function storedVersions(store: Publications, document: Revised): PreparedDocument[] {
  const { patent } = document;
  const ids = new Set(
    [...store.numbers.getValues(patent.number)].flatMap((name) => store.ids.get(name) ?? []),
  );
  return [...ids].flatMap((id): PreparedDocument[] => {
    const head = store.documents.get(id);
    if (!head || !isRevised(head as unknown as Patent, document)) return [];
    const body = store.bodies.get(id);
    if (!body) return [];
    return [{ patent: patentOf(head, body), hash: head.hash, passages: [], vectors: NO_VECTORS }];
  });
}
