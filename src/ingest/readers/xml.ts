/**
 * XML as elements that are read on demand. The addon converts the bytes to a flat tree. An element here is a
 * position in that tree. DTDs and external entities are never loaded. Entities that a document defines stay
 * as written (`&name;`), so they cannot expand. Only local names are used: prefixes are often undeclared in
 * fragments.
 */
import { type FlatXml, native } from '../../index/native.js';
import { decodeText } from './decode.js';
import { DamagedDocument } from './reader.js';

/** As in `native/core/src/xml/tree.rs`: numbers per node, the name value of a text, bits of a name. */
const NODE = 4;
const TEXT = 0xffff_ffff;
const NAME = 0xff_ffff;
const ATTRIBUTE = 3;

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

class FlatDocument {
  readonly names: readonly string[];
  readonly nodes: Uint32Array;
  readonly attributes: Uint32Array;
  readonly text: Buffer;
  /** The elements accessed so far. Every access to an element returns the same object. */
  readonly #elements = new Map<number, FlatElement>();

  constructor({ names, nodes, attributes, text }: FlatXml) {
    this.names = names.split('\n');
    this.nodes = nodes;
    this.attributes = attributes;
    this.text = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  }

  /** Index of the first node after a node and all its descendants. */
  next(index: number): number {
    return this.nodes[index * NODE + 1] ?? 0;
  }

  /** The name of an element; `undefined` for a text. */
  nameOf(index: number): string | undefined {
    const name = this.nodes[index * NODE] ?? TEXT;
    return name === TEXT ? undefined : this.names[name & NAME];
  }

  element(index: number): FlatElement {
    let found = this.#elements.get(index);
    if (found === undefined) {
      found = new FlatElement(this, index);
      this.#elements.set(index, found);
    }
    return found;
  }

  attributesOf(index: number): Readonly<Record<string, string>> {
    const from = this.nodes[index * NODE + 2] ?? 0;
    const end = this.nodes[index * NODE + 3] ?? 0;
    if (from === end) return NO_ATTRIBUTES;
    const found: Record<string, string> = Object.create(null);
    for (let at = from * ATTRIBUTE; at < end * ATTRIBUTE; at += ATTRIBUTE) {
      const name = this.names[(this.attributes[at] ?? 0) & NAME] ?? '';
      found[name] = this.text.toString('utf8', this.attributes[at + 1], this.attributes[at + 2]);
    }
    return found;
  }

  textOf(index: number): string {
    return this.text.toString('utf8', this.nodes[index * NODE + 2], this.nodes[index * NODE + 3]);
  }
}

export interface XmlElement {
  /** Local name. */
  readonly name: string;
  /** Values by full name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Child elements and texts in order. Two texts are never adjacent. */
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/**
 * An element of a parsed document. Name and attributes are own properties, so `{ ...element, children }` is
 * an element too.
 */
class FlatElement implements XmlElement, ElementPosition {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly #document: FlatDocument;
  readonly #index: number;

  constructor(document: FlatDocument, index: number) {
    this.name = document.nameOf(index) ?? '';
    this.attributes = document.attributesOf(index);
    this.#document = document;
    this.#index = index;
  }

  get document(): FlatDocument {
    return this.#document;
  }

  get index(): number {
    return this.#index;
  }

  get children(): XmlNode[] {
    const { document, index } = this;
    const found: XmlNode[] = [];
    for (let at = index + 1; at < document.next(index); at = document.next(at)) {
      found.push(document.nameOf(at) === undefined ? document.textOf(at) : document.element(at));
    }
    return found;
  }
}

/** Position of an element. */
export interface ElementPosition {
  document: FlatDocument;
  index: number;
}

/** Elements built by a reader, and the documents built from them. */
const MADE = new WeakMap<XmlElement, ElementPosition>();

/** The place of an element. An element built by a reader gets its own document. */
export function positionOfElement(element: XmlElement): ElementPosition {
  if (element instanceof FlatElement) return element;
  const known = MADE.get(element);
  if (known) return known;
  const [root] = parseXml(written(element));
  const place = positionOfElement(root as XmlElement);
  MADE.set(element, place);
  return place;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(/[&<"\r]/g, (mark) => ESCAPES[mark] ?? mark);

function written(node: XmlNode): string {
  if (typeof node === 'string') return escaped(node);
  const name = node.name || 'made';
  const attributes = Object.entries(node.attributes).map(
    ([key, value]) => ` ${key}="${escaped(value).replace(/[\n\t]/g, (mark) => `&#${mark.charCodeAt(0)};`)}"`,
  );
  return `<${name}${attributes.join('')}>${node.children.map(written).join('')}</${name}>`;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The root elements of a document: one, or several if documents follow one another without declarations.
 * Elements named in `skip` are left out with their content, because they may be most of a file. Elements
 * named in `empty` have no content and need no end tag, as in SGML. Bytes are decoded as in `decodeText`.
 * @throws DamagedDocument if the text is not well-formed, with line and column
 */
export function parseXml(
  source: string | Uint8Array,
  skip: ReadonlySet<string> = NO_NAMES,
  empty: ReadonlySet<string> = NO_NAMES,
): XmlElement[] {
  const parse = (bytes: Uint8Array) => native.parseXml(bytes, [...skip], [...empty]);
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  const flat = parse(bytes) ?? parse(Buffer.from(decodeText(bytes)));
  if (!flat || flat.damage !== undefined) throw new DamagedDocument(`XML: ${flat?.damage}`);
  const document = new FlatDocument(flat);
  const roots: XmlElement[] = [];
  const end = document.nodes.length / NODE;
  for (let at = 0; at < end; at = document.next(at)) roots.push(document.element(at));
  return roots;
}

/** Child elements, all or with one name. */
export function childElements(parent: XmlElement | undefined, name?: string): XmlElement[] {
  const found: XmlElement[] = [];
  if (!parent) return found;
  if (!(parent instanceof FlatElement)) {
    const elements = parent.children.filter((child) => typeof child !== 'string');
    return elements.filter((child) => name === undefined || child.name === name);
  }
  const { document, index } = parent;
  const end = document.next(index);
  for (let at = index + 1; at < end; at = document.next(at)) {
    const own = document.nameOf(at);
    if (own !== undefined && (name === undefined || own === name)) found.push(document.element(at));
  }
  return found;
}

/** The first child with a name, repeated along the path. */
export function childAt(parent: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let at = parent;
  for (const name of path) at = at && firstChild(at, name);
  return at;
}

function firstChild(parent: XmlElement, name: string): XmlElement | undefined {
  if (!(parent instanceof FlatElement)) return childElements(parent, name)[0];
  const { document, index } = parent;
  const end = document.next(index);
  for (let at = index + 1; at < end; at = document.next(at)) {
    if (document.nameOf(at) === name) return document.element(at);
  }
  return undefined;
}

/** All descendants with a name in document order. Descendants of a found element are not searched. */
export function descendants(parent: XmlElement | undefined, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  if (!parent) return found;
  if (!(parent instanceof FlatElement)) {
    return childElements(parent).flatMap((child) =>
      child.name === name ? [child] : descendants(child, name),
    );
  }
  const { document, index } = parent;
  const end = document.next(index);
  for (let at = index + 1; at < end; ) {
    const isFound = document.nameOf(at) === name;
    if (isFound) found.push(document.element(at));
    at = isFound ? document.next(at) : at + 1;
  }
  return found;
}

/**
 * The characters of an element and its descendants, with spaces trimmed and collapsed; `undefined` if empty.
 */
export function plainText(element: XmlElement | undefined): string | undefined {
  if (!element) return undefined;
  const { document, index } = positionOfElement(element);
  return native.xmlPlain(document.nodes, document.text, index) || undefined;
}

/** `plainText` of the element at a path. */
export function textAt(parent: XmlElement | undefined, ...path: string[]): string | undefined {
  return plainText(childAt(parent, ...path));
}

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;

/** Decodes HTML escapes left in a text (`&quot;`, `&#39;`). Texts without escapes stay unchanged. */
export function withoutEntities(text: string): string {
  if (!ENTITY.test(text)) return text;
  const escapedText = text
    .replaceAll('<', '&lt;')
    .replace(/&(?!(?:#\d|#x[\da-f]|[a-z])[^&;\s]{0,30};)/gi, '&amp;');
  try {
    return plainText(parseXml(`<text>${escapedText}</text>`)[0]) ?? text;
  } catch (error) {
    if (error instanceof DamagedDocument) return text;
    throw error;
  }
}

const PROLOG = /^(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*/;

/**
 * The local name of the root element of a document with these first bytes; `undefined` if they are not XML,
 * `''` if the root is beyond these bytes.
 */
export function xmlRootName(head: Uint8Array): string | undefined {
  const near = rootNameIn(head.subarray(0, NEAR_BYTES));
  // A document type declaration may hold a whole definition.
  return near === '' && head.length > NEAR_BYTES ? rootNameIn(head) : near;
}

const NEAR_BYTES = 16_384;

/** Reason why a text that is XML so far has no root element. */
export function rootlessReason(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  const isOpen = DOCTYPE.test(text.replace(/^\u00ef\u00bb\u00bf/, '').replace(PROLOG, ''));
  return isOpen
    ? `XML whose document type declaration goes on for more than ${head.length} bytes`
    : 'XML without a root element';
}

const DOCTYPE = /^<!DOCTYPE\s/i;

/**
 * Position after a document type declaration with its internal subset; `undefined` if the declaration is not
 * complete.
 */
function doctypeEnd(text: string): number | undefined {
  const marks = /"[^"]*(?:"|$)|'[^']*(?:'|$)|<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|[[\]>]/g;
  let inSubset = false;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (mark === '[') inSubset = true;
    else if (mark === ']') inSubset = false;
    else if (mark === '>' && !inSubset) return index + 1;
  }
  return undefined;
}

function rootNameIn(head: Uint8Array): string | undefined {
  const latin = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  let text = latin.replace(/^(?:\u00ef\u00bb\u00bf)?\s*/, '');
  if (!/^<[?!A-Za-z_]/.test(text)) return undefined;
  text = text.replace(PROLOG, '');
  if (DOCTYPE.test(text)) {
    const end = doctypeEnd(text);
    if (end === undefined) return '';
    text = text.slice(end).replace(PROLOG, '');
  }
  const root = /^<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)(?=[\s/>])/.exec(text);
  return root ? root[1] : '';
}
