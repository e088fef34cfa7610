/** Damaged and malicious input for the readers of US documents. The golden records cover valid documents. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import { splitAt } from '../../../src/ingest/split.js';
import fc from '../../property.js';
import { grantXml } from '../documents.js';

const fixture = (name: string): string => readFileSync(join(resolve('fixtures/formats'), name), 'utf8');
const read = (format: string, text: string | Buffer) => parseUnit(format, Buffer.from(text as string));

/** Format, a complete document, and its title. */
const XML: [string, string, string][] = [
  ['us-patent-grant', grantXml(), 'Hinge for a folding ladder'],
  ['patent-application-publication', fixture('us-pap.xml'), 'Paddle wheel whose blades feather'],
  ['us-st32', fixture('us-st32.xml'), 'Lid that rings when tea'],
];

for (const [format, whole, title] of XML) {
  describe(`${format}: damage`, () => {
    it('a document cut at any byte is reported with the line', () => {
      const end = whole.trimEnd().length;
      for (let at = 400; at < end; at += 97) {
        const { patents, failed } = read(format, whole.slice(0, at));
        assert.deepEqual(patents, []);
        assert.match(failed?.reason ?? '', /^XML: line \d+, column \d+: /, whole.slice(at - 40, at));
      }
      assert.equal(read(format, whole).failed, undefined);
    });

    it('a damaged declaration of the encoding has no effect', () => {
      const accented = whole.replace(title, `${title} \u00fc\u00e9`);
      const latin = Buffer.from(accented.replace(/[\u0100-\uffff]/g, '?'), 'latin1');
      assert.match(read(format, latin).patents[0]?.title ?? '', /\u00fc\u00e9/);
      const lying = accented.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"');
      assert.match(read(format, lying).patents[0]?.title ?? '', /\u00fc\u00e9/);
    });

    it('no entity is expanded or loaded', () => {
      let entities = '<!ENTITY a0 "ha">';
      for (let at = 1; at < 40; at++) entities += `<!ENTITY a${at} "${`&a${at - 1};`.repeat(10)}">`;
      entities += `<!ENTITY file SYSTEM "${import.meta.url}">`;
      const bomb = whole
        .replace(/(<!DOCTYPE[^[]*\[)/, `$1${entities}`)
        .replace(title, `${title} &a39; &file;`);
      assert.match(read(format, bomb).patents[0]?.title ?? '', / &a39; &file;/);
    });

    it('damage of any kind is reported, never thrown', () => {
      const bytes = Buffer.from(whole);
      const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 20 });
      fc.assert(
        fc.property(changes, fc.nat(bytes.length), (changed, length) => {
          const damaged = Buffer.from(bytes.subarray(0, length));
          for (const [at, byte] of changed) if (at < length) damaged[at] = byte;
          const { patents, failed } = parseUnit(format, damaged);
          assert.ok(patents.length > 0 !== (failed !== undefined));
          assert.doesNotMatch(failed?.reason ?? '', /could not read this document/);
        }),
        { numRuns: 300 },
      );
      for (const rubbish of [
        Buffer.alloc(10_000),
        Buffer.from([0xff, 0xfe, 0x00]),
        Buffer.from('\u0000<a>'),
      ]) {
        assert.notEqual(parseUnit(format, rubbish).failed, undefined);
      }
    });
  });
}

describe('us-brs: damage', () => {
  const whole = fixture('us-brs.txt');
  const first = whole.slice(whole.indexOf('***'), whole.indexOf('08123452'));
  it('a document much shorter than its stated length is damage', () => {
    assert.equal(read('us-brs', first).failed, undefined);
    assert.match(read('us-brs', first.slice(0, 900)).failed?.reason ?? '', /cut off: 900 of 1610 bytes/);
  });
  it('damage of any kind is reported, never thrown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(first.length), (rubbish, at) => {
        const { patents, failed } = read('us-brs', first.slice(0, at) + rubbish + first.slice(at));
        assert.ok(patents.length > 0 !== (failed !== undefined));
        assert.doesNotMatch(failed?.reason ?? '', /could not read this document/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('consecutive documents without a declaration', () => {
  const weekly = Buffer.from(fixture('us-st32-weekly.sgm'));
  const pieces = async (chunks: Iterable<Uint8Array>, maxBytes?: number) => {
    const found = [];
    async function* stream() {
      yield* chunks;
    }
    for await (const piece of splitAt('<PATDOC')(stream(), maxBytes)) found.push(piece);
    return found;
  };
  it('consecutive documents are split equally for any chunks', async () => {
    const whole = await pieces([weekly]);
    assert.equal(whole.length, 2);
    const cuts = fc.array(fc.nat(weekly.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (found) => {
        const ends = [...found.sort((a, b) => a - b), weekly.length];
        const chunks = ends.map((end, at) => weekly.subarray(ends[at - 1] ?? 0, end));
        assert.deepEqual(await pieces(chunks), whole);
      }),
      { numRuns: 200 },
    );
  });
  it('a damaged document does not affect the next', async () => {
    const text = weekly.toString().replace('</PATDOC>', '');
    const [broken, next] = await pieces([Buffer.from(text)]);
    assert.match(
      parseUnit('us-st32', broken?.bytes ?? weekly).failed?.reason ?? '',
      /<PATDOC>|expected a comment/,
    );
    assert.equal(parseUnit('us-st32', next?.bytes ?? weekly).patents[0]?.patent_id, 'USRE037222E1');
  });
  it('the size of each document is bounded', async () => {
    const [first] = await pieces([weekly], 1000);
    assert.match(first?.reason ?? '', /at most 1000/);
  });
});
