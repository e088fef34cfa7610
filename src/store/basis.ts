/**
 * What a document rests on: the stored versions of its publication that it was merged with, or that it is to replace. Between the
 * reading of these and the commit, another program may store or delete a version. The document is then out of date.
 */
import type { Patent } from '../patent/record.js';
import { documentKey } from '../patent/revision.js';
import type { DocumentHead } from './document.js';
import type { Publications } from './publications.js';

/** Stored versions of a document's publication, with their contents. */
export type Basis = readonly string[];

/** The basis of a document at the current state of a store. */
export function basisOf(store: Pick<Publications, 'ids' | 'numbers' | 'documents'>, patent: Patent): Basis {
  const names = [...store.numbers.getValues(patent.number), ...(patent.corrects ?? [])];
  const docs = new Set(names.flatMap((name) => store.ids.get(name) ?? []));
  return basisAmong(
    [...docs].flatMap((doc) => store.documents.get(doc) ?? []),
    patent,
  );
}

/**
 * The basis of a document among stored publications: those of the same number that may be one document with it (`documentKey`),
 * and those that it states to correct.
 */
export function basisAmong(heads: readonly DocumentHead[], patent: Patent): Basis {
  if (heads.length === 0) return heads as [];
  const key = documentKey(patent);
  const corrects = new Set(patent.corrects);
  const isVersion = (head: DocumentHead): boolean =>
    documentKey(head) === key ||
    [head.patent_id, ...(head.corrects ?? [])].some((name) => corrects.has(name));
  return heads.filter(isVersion).map(versionOf);
}

/** Whether two bases are the same. An index may hold a publication twice, of which a basis names one. */
export function isSameBasis(basis: Basis, now: Basis): boolean {
  if (basis.length === 0 || now.length === 0) return basis.length === now.length;
  const names = new Set(basis.map(nameOf));
  return (
    basis.every((version) => now.includes(version)) && now.every((version) => names.has(nameOf(version)))
  );
}

function versionOf({ patent_id, hash }: DocumentHead): string {
  return `${hash} ${patent_id}`;
}

function nameOf(version: string): string {
  return version.slice(version.indexOf(' ') + 1);
}
