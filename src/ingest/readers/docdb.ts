/**
 * DOCDB exchange documents (the EPO's product 14.7 and its weekly exchange files) and the answers of Open
 * Patent Services, which wrap these documents: bibliographic data, abstracts, family members with their data,
 * search results, and full texts (claims or description of one publication). Fragments often lack namespace
 * declarations, so only local names are compared. Deliveries hold millions of documents under one root. The
 * splitter makes each document a unit.
 */
import { splitElements } from '../split.js';
import { decodeText } from './decode.js';
import { exchangeDocument } from './docdb-exchange.js';
import { fulltextDocument } from './docdb-fulltext.js';
import { foreignReason } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader, withFailures } from './reader.js';
import { childElements, descendants, parseXml, textAt, type XmlElement, xmlRootName } from './xml.js';

const DOCUMENTS = ['exchange-document', 'fulltext-document'] as const;
const ROOTS = new Set<string>([
  ...DOCUMENTS,
  ...['exchange-documents', 'fulltext-documents', 'world-patent-data', 'fault'],
]);
/**
 * Legal events of OPS. They are most of a family answer. They state what happened in a country, not the legal
 * status. DOCDB itself has no legal status, agents, examiners or number of an international publication.
 */
const SKIP = new Set(['legal']);

const parse = (bytes: Uint8Array): ParsedUnit => answerOf(parseXml(decodeText(bytes), SKIP));

/** The publications in the documents of an answer. */
export function answerOf(roots: readonly XmlElement[]): ParsedUnit {
  const result: ParsedUnit = { patents: [], skipped: [] };
  const reasons: string[] = [];
  let found = 0;
  for (const root of roots) {
    const inside = DOCUMENTS.flatMap((name) => (root.name === name ? [root] : descendants(root, name)));
    for (const element of inside) {
      found++;
      try {
        const read =
          element.name === 'exchange-document' ? exchangeDocument(element) : fulltextDocument(element);
        if ('foreign' in read) result.skipped.push({ reason: foreignReason(read.foreign) });
        else if ('skipped' in read) result.skipped.push({ reason: read.skipped });
        else result.patents.push(read);
      } catch (error) {
        if (!(error instanceof DamagedDocument)) throw error;
        reasons.push(error.message);
      }
    }
    if (found === 0) result.skipped.push({ reason: emptyReason(root) });
  }
  return withFailures(result, reasons);
}

/**
 * Content of an OPS answer about publications that holds no publication: a fault, numbers, legal events,
 * register data.
 */
function emptyReason(root: XmlElement): string {
  if (root.name === 'fault') return `an OPS fault: ${textAt(root, 'message') ?? 'without a message'}`;
  if (root.name !== 'world-patent-data') return `<${root.name}> holds no document`;
  const kinds = childElements(root).flatMap(({ name }) => (name === 'meta' ? [] : [name]));
  return `an OPS answer without documents (${kinds.join(', ') || 'empty'})`;
}

export const docdb: Reader = {
  format: 'docdb',
  title: 'DOCDB exchange documents and OPS answers',
  version: 9,
  detect: (head) => ROOTS.has(xmlRootName(head) ?? ''),
  split: splitElements(DOCUMENTS),
  parse,
};
