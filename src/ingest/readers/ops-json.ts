/**
 * Answers of Open Patent Services as JSON, which the service makes of its XML: attributes begin with `@`, the text of an
 * element is its member `$`, and elements that repeat are a list. The elements are made again for `docdb.ts`.
 */
import { splitJson } from '../split.js';
import { answerOf } from './docdb.js';
import { jsonValue, type Members } from './json-values.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import type { XmlElement, XmlNode } from './xml.js';

const ROOT = 'world-patent-data';
const MARK = /^[\s[\u00ef\u00bb\u00bf]*\{\s*"(?:[\w.-]+:)?world-patent-data"/;
/** Legal events, as in `docdb.ts`. */
const SKIP = 'legal';
/** An answer has about ten levels. */
const DEPTH_MAX = 64;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function elementOf(name: string, value: unknown, depth: number): XmlElement {
  if (typeof value !== 'object' || value === null) return { name, attributes: {}, children: textsOf(value) };
  const attributes: Record<string, string> = {};
  const children: XmlNode[] = [];
  for (const [key, member] of Object.entries(value as Members)) {
    if (key === '$') children.push(...textsOf(member));
    else if (!key.startsWith('@')) children.push(...elementsOf(key, member, depth));
    else if (typeof member === 'string') attributes[key.slice(1)] = member;
  }
  return { name, attributes, children };
}

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];

function elementsOf(key: string, member: unknown, depth: number): XmlElement[] {
  const name = localName(key);
  if (name === SKIP || depth > DEPTH_MAX || !/^[A-Za-z_][\w.-]*$/.test(name)) return [];
  return (Array.isArray(member) ? member : [member]).map((one) => elementOf(name, one, depth + 1));
}

function parse(bytes: Uint8Array): ParsedUnit {
  const json = jsonValue(bytes);
  const root = Object.entries((json ?? {}) as Members).find(([key]) => localName(key) === ROOT);
  if (!root) throw new DamagedDocument(`expected an OPS answer with the member ops:${ROOT}`);
  return answerOf(elementsOf(root[0], root[1], 0));
}

export const opsJson: Reader = {
  format: 'ops-json',
  title: 'OPS answer (JSON)',
  version: 3,
  detect: (head) => MARK.test(Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1')),
  split: splitJson,
  parse,
};
