/** The encoding of lists whose first letter beyond ASCII comes late, or of which a letter is damaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitDelimited } from '../../../src/ingest/readers/delimited.js';

const HEADER = 'number,title,applicant';

/** The records of a list that comes in parts, without their header. */
async function records(...parts: Uint8Array[]): Promise<string[]> {
  const found: string[] = [];
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* parts;
  }
  for await (const piece of splitDelimited((line) => line === HEADER)(stream()))
    found.push(
      piece.bytes !== undefined ? Buffer.from(piece.bytes).toString().split('\n')[1]! : piece.reason!,
    );
  return found;
}

const ascii = (rows: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length: rows }, (_, n) => `US${from + n},Pump,Example Pumps\n`).join(''));
/** More than the bytes from which the encoding of a list is known. */
const MANY = 5_000;

describe('the encoding of a list', () => {
  it('is that of the first letter beyond ASCII, however late it comes', async () => {
    const begin = Buffer.concat([Buffer.from(`${HEADER}\n`), ascii(MANY)]);
    assert.ok(begin.length > 1 << 16);
    for (const [row, bytes] of [
      ['EP1,Café – pump,Müller GmbH', Buffer.from('EP1,Caf\xe9 \x96 pump,M\xfcller GmbH\n', 'latin1')],
      ['EP1,Café – pump,Müller GmbH', Buffer.from('EP1,Café – pump,Müller GmbH\n')],
      ['KR1,고체 전해질,한빛전지', Buffer.from('4b52312cb0edc3bc20c0fcc7d8c1fa2cc7d1bafbc0fcc1f60a', 'hex')],
      ['CN1,电池,韩光电子', Buffer.from('434e312cb5e7b3d82cbaabb9e2b5e7d7d30a', 'hex')],
    ] as const) {
      const found = await records(begin, bytes, ascii(3, MANY));
      assert.equal(found.length, MANY + 4);
      assert.equal(found[MANY], row);
      assert.equal(found.at(-1), `US${MANY + 2},Pump,Example Pumps`);
    }
  });

  it('stays UTF-8 if one letter is damaged', async () => {
    const rows = Array.from({ length: 20 }, (_, n) => `EP${n},Bürste für Zähne,André Müller\n`);
    const bad = Buffer.from('EP99,Caf\xe9,Andr\xe9\n', 'latin1');
    const found = await records(Buffer.from(`${HEADER}\n${rows.join('')}`), bad, Buffer.from(rows.join('')));
    assert.equal(found[0], 'EP0,Bürste für Zähne,André Müller');
    assert.equal(found.at(-1), 'EP19,Bürste für Zähne,André Müller');
    assert.equal(found[20], 'EP99,Caf\ufffd,Andr\ufffd');
  });

  it('stays UTF-8 with few letters, of which one was lost before or is damaged', async () => {
    const begin = `${HEADER}\nEP1,5 µm filter,Müller\nEP2,2 µm filter,Müller\n`;
    for (const [row, expected] of [
      [Buffer.from('EP3,Caf\ufffd,x\n'), 'EP3,Caf\ufffd,x'],
      [Buffer.from('EP3,Caf\xe9,x\n', 'latin1'), 'EP3,Caf\ufffd,x'],
    ] as const) {
      const found = await records(Buffer.from(begin), row);
      assert.deepEqual(found, ['EP1,5 µm filter,Müller', 'EP2,2 µm filter,Müller', expected]);
    }
    const lost = await records(Buffer.from(`${HEADER}\nEP3,Caf\ufffd,Zürich\n`));
    assert.deepEqual(lost, ['EP3,Caf\ufffd,Zürich']);
    const marked = await records(Buffer.from(`\ufeff${HEADER}\n`), Buffer.from('EP3,Caf\xe9,x\n', 'latin1'));
    assert.deepEqual(marked, ['EP3,Caf\ufffd,x']);
  });

  it('of Korean Windows: a row with a syllable that the decoder does not know fails', async () => {
    // 똠 is 8c63 in CP949.
    const korean = Buffer.from('4b52312cb0edc3bc20c0fcc7d8c1fa2cc7d1bafbc0fcc1f60a', 'hex');
    const rows = [korean, Buffer.from('KR2,\x8cc,b\n', 'latin1'), korean, korean];
    const found = await records(Buffer.from(`${HEADER}\n`), ...rows);
    assert.deepEqual([found[0], found[2]], ['KR1,고체 전해질,한빛전지', 'KR1,고체 전해질,한빛전지']);
    assert.match(found[1]!, /iconv -f CP949/);
  });
});
