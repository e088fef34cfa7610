import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Splitter,
  splitAtLine,
  splitElements,
  splitJson,
  splitLines,
  splitXml,
} from '../../src/ingest/split.js';
import { splitJsonList } from '../../src/ingest/split-json-list.js';
import fc from '../property.js';
import { grantXml } from './documents.js';

/** The text in chunks of these sizes, repeated. */
async function* chunks(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

async function split(splitter: Splitter, text: string, sizes: readonly number[] = [1 << 16], max?: number) {
  const found: string[] = [];
  for await (const piece of splitter(chunks(text, sizes), max)) {
    found.push(`${piece.position}: ${piece.bytes ? Buffer.from(piece.bytes).toString() : piece.reason}`);
  }
  return found;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('consecutive XML documents', () => {
  const documents = [
    '<?xml version="1.0"?>\n<a/>\n',
    '<?xml\tversion="1.0"?><b><?xml-stylesheet x?></b>',
    '<?xml version="1.1"?><c/>',
  ];
  it('documents are split at each declaration, for any chunks', async () => {
    const text = documents.join('');
    const starts = [0, documents[0]?.length, text.lastIndexOf('<?xml version')];
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        assert.deepEqual(
          await split(splitXml, text, cuts),
          documents.map((part, at) => `byte ${starts[at]}: ${part}`),
        );
      }),
    );
  });
  it('documents are complete, byte for byte', async () => {
    const text = Array.from({ length: 20 }, (_, at) => grantXml({ number: `0910000${at % 10}` })).join('');
    const found = await split(splitXml, text, [37, 4096, 1]);
    assert.equal(found.length, 20);
    assert.equal(found.map((piece) => piece.replace(/^byte \d+: /, '')).join(''), text);
  });
  it('the size of a document is bounded: a longer one is reported, the next is read', async () => {
    const found = await split(
      splitXml,
      `${documents[0]}<?xml version="1.0"?><x>${'y'.repeat(500)}</x>${documents[2]}`,
      [7],
      100,
    );
    assert.equal(found.length, 3);
    assert.match(found[1] ?? '', /a document of \d+ bytes; at most 100/);
    assert.match(found[2] ?? '', /<c\/>/);
  });
  it('documents own their memory, so that a message to a worker carries nothing else', async () => {
    for await (const piece of splitXml(chunks(documents.join(''), [1 << 16]))) {
      assert.equal(piece.bytes?.buffer.byteLength, piece.bytes?.length);
    }
  });
});

describe('documents that begin with a line of one word', () => {
  const text = 'head\nPATN\na PATN b\n PATN\nPATNX\nPATN  \r\nc\rPATN\rd';
  it('only the word at the beginning of a line divides, for any chunks', async () => {
    const starts = [5, text.indexOf('PATN  '), text.lastIndexOf('PATN')];
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        assert.deepEqual(
          await split(splitAtLine('PATN'), text, cuts),
          starts.map((start, at) => `byte ${start}: ${text.slice(start, starts[at + 1])}`),
        );
      }),
    );
  });
  it('the size of a document is bounded: a longer one is reported, the next is read', async () => {
    const found = await split(splitAtLine('PATN'), `PATN\n${'x'.repeat(200)}\nPATN\ny`, [7], 100);
    assert.match(found[0] ?? '', /a document of 206 bytes; at most 100/);
    assert.match(found[1] ?? '', /PATN\ny$/);
  });
});

describe('lines', () => {
  it('lines are counted from 1, with blank ones, and need no last line end', async () => {
    assert.deepEqual(await split(splitLines, '{"a":1}\n\n \r\n{"b":2}', [3]), [
      'line 1: {"a":1}',
      'line 4: {"b":2}',
    ]);
  });
});

describe('JSON values', () => {
  const cases: [string, string[]][] = [
    ['{"a":1}', ['record 1, byte 0: {"a":1}']],
    ['[{"a":"}]"},\n {"b":[{}]}]', ['record 1, byte 1: {"a":"}]"}', 'record 2, byte 14: {"b":[{}]}']],
    ['{"a":"\\"{"}\n{"b":2}', ['record 1, byte 0: {"a":"\\"{"}', 'record 2, byte 12: {"b":2}']],
    ['[]', []],
    ['{"a":[', ['record 1, byte 0: {"a":[']],
    ['{"a":1} rubbish', ['record 1, byte 0: {"a":1}', 'byte 8: not JSON: text that belongs to no object']],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), async () => {
      for (const cuts of [[1], [2, 3], [100]]) assert.deepEqual(await split(splitJson, text, cuts), expected);
    });
  }
  it('the accepted values are those of JSON.parse', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(objects, sizes, fc.boolean(), async (list, cuts, pretty) => {
        const found = await split(splitJson, JSON.stringify(list, null, pretty ? 2 : 0), cuts);
        assert.deepEqual(
          found.map((piece) => JSON.parse(piece.replace(/^record \d+, byte \d+: /, ''))),
          JSON.parse(JSON.stringify(list)),
        );
      }),
    );
  });
});

describe('the list of one JSON object', () => {
  it('its objects are read at their places, whatever stands around it', async () => {
    const text =
      '{"total": 2, "others": [{"b": []}], "list" : [{"a": "]"}, {"a": [1, "\\"["]}], "more": [{"c": 1}]}';
    const expected = ['{"a": "]"}', '{"a": [1, "\\"["]}'].map(
      (part, at) => `record ${at + 1}, byte ${text.indexOf(part)}: ${part}`,
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        assert.deepEqual(await split(splitJsonList(/"list"\s{0,40}:\s{0,40}\[/), text, cuts), expected);
      }),
    );
  });

  it('a list that is cut off, empty or missing', async () => {
    const of = (text: string): Promise<string[]> =>
      split(splitJsonList(/"list"\s{0,40}:\s{0,40}\[/), text, [3]);
    assert.deepEqual(await of('{"list":[{"a":1},{"a":'), [
      'record 1, byte 9: {"a":1}',
      'record 2, byte 17: {"a":',
    ]);
    assert.deepEqual(await of('{"list":[]}'), []);
    assert.deepEqual(await of('{"other":[{"a":1}]}'), ['record 1, byte 0: {"other":[{"a":1}]}']);
  });
});

describe('elements of a document', () => {
  it('elements are split for any chunks, and an unclosed one affects only itself', async () => {
    const text = '<?xml version="1.0"?><r><i n="1">a</i><p:i>b<i>c</i></p:i><i>d<i>e</i><ix/><i>f</i></r>';
    const at = (part: string): string => `byte ${text.indexOf(part)}`;
    const expected = [
      `${at('<i n')}: <i n="1">a</i>`,
      `${at('<p:i')}: <p:i>b<i>c</i></p:i>`,
      `${at('<i>d')}: XML: <i> does not end before the next one`,
      `${at('<i>e')}: <i>e</i>`,
      `${at('<i>f')}: <i>f</i>`,
    ];
    for (const cuts of [[1], [2, 3, 5], [7], [100], [1 << 16]])
      assert.deepEqual(await split(splitElements(['i']), text, cuts), expected);
  });

  it('white space before the end of an end tag is allowed', async () => {
    const text = '<r><i>a</i ><i>b</ix></i\n></r>';
    const expected = ['byte 3: <i>a</i >', 'byte 12: <i>b</ix></i\n>'];
    for (const cuts of [[1], [2, 3, 5], [1 << 16]])
      assert.deepEqual(await split(splitElements(['i']), text, cuts), expected);
  });

  it('elements keep a declared encoding that is not UTF-8', async () => {
    const declared = '<?xml version="1.0" encoding="euc-kr"?>';
    for (const cuts of [[1], [1 << 16]]) {
      const found = await split(splitElements(['i']), `${declared}<r><i>a</i><i>b</i></r>`, cuts);
      assert.deepEqual(found, [`byte 42: ${declared}<i>a</i>`, `byte 50: ${declared}<i>b</i>`]);
    }
  });
});
