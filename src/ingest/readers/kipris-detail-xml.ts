/**
 * KIPRIS Plus detail answers as XML, as the service sends them. Programs that keep them often convert them to JSON, which
 * `kipris-json.ts` reads. This reader makes the same objects of the elements.
 */
import { splitElements } from '../split.js';
import { decodeText } from './decode.js';
import { detailPublications, type Fields } from './kipris-json.js';
import { readableText } from './markup.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { childElements, descendants, parseXml, textAt, type XmlElement, xmlRootName } from './xml.js';

const RECORD = 'item';
const MARK = /<(?:[\w.-]+:)?biblioSummaryInfoArray[\s/>]/;

/** Whether these first bytes are a detail answer. */
export function isDetailXml(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  return xmlRootName(head) !== undefined && MARK.test(text);
}

function parse(bytes: Uint8Array): ParsedUnit {
  const result: ParsedUnit = { patents: [], skipped: [] };
  const roots = parseXml(decodeText(bytes));
  const records = roots.flatMap((root) => (root.name === RECORD ? [root] : descendants(root, RECORD)));
  for (const record of records) {
    const summary = descendants(record, 'biblioSummaryInfo')[0];
    if (textAt(summary, 'inventionTitle') === undefined) {
      result.skipped.push({ reason: 'a KIPRIS item that is neither a patent nor a utility model' });
      continue;
    }
    const patents = detailPublications(fieldsOf(record) as Fields);
    result.patents.push(...patents);
    if (patents.length === 0)
      result.skipped.push({ reason: 'a KIPRIS application that is not published yet' });
  }
  if (records.length === 0) throw new DamagedDocument('a KIPRIS answer without records');
  return result;
}

/** An object of the child elements by name, with a list of those that repeat; a text if it has its own. */
function fieldsOf(element: XmlElement): unknown {
  const children = childElements(element);
  const texts = element.children.filter((child) => typeof child === 'string');
  if (children.length === 0) return texts.join('');
  if (texts.some((text) => text.trim() !== '')) return readableText(element);
  const found = new Map<string, unknown[]>();
  for (const child of children) found.set(child.name, [...(found.get(child.name) ?? []), fieldsOf(child)]);
  return Object.fromEntries([...found].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

export const kiprisDetailXml: Reader = {
  format: 'kipris-detail-xml',
  title: 'KIPRIS Plus detail answer (XML)',
  version: 1,
  detect: isDetailXml,
  split: splitElements([RECORD]),
  parse,
};
