/**
 * Before documents are committed: parts and corrections are put together with what is stored, and with each other,
 * by the rule of `patent/revision.ts`. What comes out has passages, but vectors only where nothing changed.
 */
import type { Patent } from '../patent/record.js';
import { isSameDocument, revised } from '../patent/revision.js';
import { contentHash, type PreparedDocument, patentOf } from '../store/document.js';
import type { Store } from '../store/store.js';
import { passagesOf } from './passages.js';

export interface Revision {
  /** In the order in which the documents came; what was put together stands once, where its last part stood. */
  documents: PreparedDocument[];
  /** Those of them that have to be embedded. */
  changed: PreparedDocument[];
  /** For each document that came: what it became part of. */
  became: PreparedDocument[];
}

/** What is needed of a pending document to find those it belongs with. */
const documentKey = ({ country, number, kind_code }: Patent): string => `${country}${number}${kind_code[0]}`;

/** Puts pending documents together with each other and with those of the store. */
export function revise(store: Store, pending: readonly PreparedDocument[]): Revision {
  store.refresh();
  const byKey = new Map<string, PreparedDocument[]>();
  const changed = new Set<PreparedDocument>();
  const became: PreparedDocument[] = [];
  const last = new Map<PreparedDocument, PreparedDocument>();
  for (const document of pending) {
    const key = documentKey(document.patent);
    const group = byKey.get(key) ?? [];
    byKey.set(key, group);
    const before = newest(storedVersions(store, document), group).filter(
      (other) => other !== document && isRevised(other.patent, document),
    );
    let result = document;
    for (const other of before) result = joined(other, result);
    for (const other of group.filter((each) => before.includes(each))) {
      group.splice(group.indexOf(other), 1);
      changed.delete(other);
      last.set(other, result);
    }
    if (result !== document) changed.add(result);
    group.push(result);
    became.push(result);
  }
  const final = (document: PreparedDocument): PreparedDocument => {
    let at = document;
    for (let next = last.get(at); next !== undefined; next = last.get(at)) at = next;
    return at;
  };
  const finals = became.map(final);
  return { documents: [...new Set(finals)], changed: [...changed], became: finals };
}

/** Of each publication the newest version: what waits for its commit takes the place of what is stored. */
function newest(stored: readonly PreparedDocument[], group: readonly PreparedDocument[]): PreparedDocument[] {
  const waiting = new Map(group.map((document) => [document.patent.patent_id, document]));
  return [...stored.filter(({ patent }) => !waiting.has(patent.patent_id)), ...waiting.values()];
}

/**
 * Whether a stored version and a later one are put together. A whole record of a publication just replaces another
 * one, unless that has something of other sources; one that an application hands over replaces that, too.
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

/** Stored versions of the same document, with their texts: of the number, in the order of their ids. */
function storedVersions(store: Store, document: Revised): PreparedDocument[] {
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
