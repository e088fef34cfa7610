/** The addon's XML against saxes and against a second implementation of readable text. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decodeText } from '../../../src/ingest/readers/decode.js';
import { readableText } from '../../../src/ingest/readers/markup.js';
import { DamagedDocument } from '../../../src/ingest/readers/reader.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  plainText,
  textAt,
  type XmlElement,
} from '../../../src/ingest/readers/xml.js';
import { read } from '../../house/checkout.js';
import fc from '../../property.js';
import { referenceText } from './readable-reference.js';
import { type ReferenceElement, referenceTree } from './saxes-tree.js';

const DATA = resolve('../shared/data');

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
for (const [, name = '', codes = ''] of read('native/core/src/xml/entities.rs').matchAll(
  /\b(\w+)=([0-9A-F+]+)\b/g,
)) {
  ENTITIES[name] = String.fromCodePoint(...codes.split('+').map((code) => Number.parseInt(code, 16)));
}

const plain = (element: XmlElement): ReferenceElement => ({
  name: element.name,
  attributes: { ...element.attributes },
  children: element.children.map((child) => (typeof child === 'string' ? child : plain(child))),
});

/** Compares the readable text of every element. */
function assertSameTexts(ours: XmlElement, theirs: ReferenceElement): void {
  assert.equal(readableText(ours), referenceText(theirs));
  const inner = theirs.children.filter((child) => typeof child !== 'string');
  for (const [at, child] of childElements(ours).entries()) assertSameTexts(child, inner[at]!);
}

function parsed(text: string): XmlElement[] | string {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof DamagedDocument) return error.message;
    throw error;
  }
}

const names = fc.constantFrom(
  ...['a', 'b', 'p', 'x:row', 'entry', 'sup', 'sub', 'br', 'ul', 'li', 'img', 'maths', 'chemistry', 'none'],
  ...['math', 'mfrac', 'mi', 'mo', 'mn', 'msup', 'msubsup', 'mfenced', 'msqrt', 'mroot', 'mtable', 'mtr'],
  ...[
    'dependent-claim-reference',
    'claim-text',
    'number',
    'CHEM-US',
    'math-cwu',
    'EMI',
    'PARA',
    'superscript',
  ],
);
const characters = fc.constantFrom(
  ...['a', '7', ' ', '\n', '\r\n', '\t', '|', '(', ')', '-', '+', '.', 'é', '電', '𝒳', '\u2009', '\u00a0'],
  ...[
    '&amp;',
    '&lt;',
    '&#x41;',
    '&alpha;',
    '&unknown;',
    '&nGt;',
    '\uF603',
    '\u2062',
    '\uE000',
    ']',
    '"',
    "'",
  ],
);
const text = fc.array(characters, { maxLength: 6 }).map((parts) => parts.join(''));
const attribute = fc
  .tuple(fc.constantFrom('open', 'close', 'num', 'x:id'), text)
  .map(([name, value]) => ` ${name}="${value.replaceAll('"', "'")}"`);
const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    text,
    fc.constantFrom('<!-- <p> & -->', '<?x <p> ?>', '<![CDATA[<p>&amp;]]]>', '<br/>', '<x:y />'),
    fc
      .tuple(
        ...[names, fc.uniqueArray(attribute, { maxLength: 3, selector: (given) => given.split('=')[0] })],
        fc.array(tie('node'), { maxLength: 4 }),
      )
      .map(
        ([name, attributes, inner]) =>
          `<${name}${(attributes as string[]).join('')}>${(inner as string[]).join('')}</${name}\n>`,
      ),
  ),
}));
const document = fc
  .tuple(
    fc.constantFrom('', '\uFEFF<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY unknown "x">]>'),
    fc.array(node),
  )
  .map(([head, nodes]) => `${head}<r>${nodes.join('')}</r>\n\0`);

describe('XML', () => {
  it("XML is parsed as by saxes, and readable text equals the second implementation's", () => {
    fc.assert(
      fc.property(document, (source) => {
        const reference = referenceTree(source, ENTITIES);
        // saxes refuses only brackets before a `>` in a text here.
        fc.pre(reference.damage === undefined);
        const ours = parseXml(source);
        assert.deepEqual(ours.map(plain), reference.roots);
        for (const [at, root] of ours.entries()) assertSameTexts(root, reference.roots[at]!);
      }),
      { numRuns: 1000 },
    );
  });

  it('XML that saxes refuses is refused, or parsed completely', () => {
    // saxes refuses some harmless faults that are accepted here.
    const harmless =
      /malformed character entity|empty entity|]]>|malformed comment|XML declaration|standalone|version/;
    const mutation = fc.tuple(fc.nat(), fc.nat(4), fc.constantFrom('', '<', '>', '&', '"', '/', 'z', '\0'));
    fc.assert(
      fc.property(document, fc.array(mutation, { minLength: 1, maxLength: 2 }), (source, mutations) => {
        // Document types are ignored, and saxes does not check their quotes.
        const from = source.indexOf('<r>');
        let mutated = source;
        for (const [where, length, put] of mutations) {
          const at = from + (where % (mutated.length - from));
          mutated = mutated.slice(0, at) + put + mutated.slice(at + length);
        }
        // Bytes cannot contain half of a surrogate pair.
        mutated = mutated.replace(/\p{Surrogate}/gu, '\uFFFD');
        const reference = referenceTree(mutated, ENTITIES);
        const ours = parsed(mutated);
        if (typeof ours === 'string') {
          assert.match(ours, /^XML: line \d+, column \d+: /);
          assert.ok(reference.damage !== undefined || !reference.isPlain, ours);
        } else if (reference.damage !== undefined) {
          // After a bare &, saxes skips text and may then report a wrong fault.
          assert.ok(harmless.test(reference.damage) || !reference.isPlain, reference.damage);
        } else if (reference.isPlain) {
          assert.deepEqual(ours.map(plain), reference.roots);
        }
      }),
      { numRuns: 2000 },
    );
  });

  const skip = existsSync(DATA) ? false : `no documents at ${DATA}`;
  it('XML of offices is parsed as by saxes', { skip }, () => {
    let documents = 0;
    for (const bytes of xmlFiles(DATA)) {
      for (const part of decodeText(bytes).split(/(?=<\?xml\s)/)) {
        const reference = referenceTree(part, ENTITIES);
        if (part.trim() === '' || reference.damage !== undefined) {
          const ours = parsed(part);
          if (typeof ours !== 'string') console.log(reference.damage, part.slice(0, 300));
          continue;
        }
        documents++;
        const ours = parseXml(part);
        assert.deepEqual(ours.map(plain), reference.roots);
        for (const [at, root] of ours.entries())
          assert.equal(readableText(root), referenceText(reference.roots[at]!));
      }
    }
    assert.ok(documents > 200, `only ${documents} documents`);
  });

  it('elements are found by name and path', () => {
    const [root] = parseXml('<r><a n="1"><b> x <c>y\n</c></b></a><a/><d><a><a>z</a></a></d></r>');
    assert.deepEqual(
      childElements(root).map(({ name }) => name),
      ['a', 'a', 'd'],
    );
    assert.equal(childElements(root, 'a')[0], childAt(root, 'a'));
    assert.equal(childAt(root, 'a', 'd'), undefined);
    assert.equal(textAt(root, 'a', 'b'), 'x y');
    assert.equal(plainText(childElements(root, 'a')[1]), undefined);
    assert.deepEqual(descendants(root, 'a').map(plainText), ['x y', undefined, 'z']);
    assert.equal(childAt(root, 'a')?.attributes['n'], '1');
    assert.equal(childAt(root, 'a')?.attributes['constructor'], undefined);
  });

  it('a reader can rebuild an element', () => {
    fc.assert(
      fc.property(document, (source) => {
        const reference = referenceTree(source, ENTITIES);
        fc.pre(reference.damage === undefined);
        for (const root of parseXml(source)) {
          assert.deepEqual(plain({ ...root, children: root.children }), plain(root));
          const remade = (node: XmlElement | string): XmlElement | string =>
            typeof node === 'string' ? node : { ...node, children: node.children.map(remade) };
          const made = remade(root) as XmlElement;
          assert.deepEqual(plain(made), plain(root));
          assert.equal(readableText(made), readableText(root));
          assert.deepEqual(descendants(made, 'p').map(plainText), descendants(root, 'p').map(plainText));
        }
      }),
      { numRuns: 300 },
    );
    assert.equal(
      readableText({
        name: '',
        attributes: {},
        children: ['x ', { name: 'br', attributes: {}, children: [] }, '<y'],
      }),
      'x\n<y',
    );
  });

  it('XML beyond the bounds is refused', () => {
    assert.throws(
      () => parseXml('<a>'.repeat(300)),
      /XML: line 1, column 769: elements nested deeper than 256/,
    );
    assert.throws(() => parseXml(`<a>${'\0'.repeat(20_000)}</a>`), /more than 10000 invalid characters/);
  });
});

/** The XML files below a folder, decompressed if they are gzip. */
function* xmlFiles(folder: string): Iterable<Buffer> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* xmlFiles(path);
    else if (/\.xml$/i.test(entry.name)) yield readFileSync(path);
    else if (/\.xml\.gz$/i.test(entry.name)) yield gunzipSync(readFileSync(path));
  }
}
