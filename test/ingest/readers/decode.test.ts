import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { decodeText } from '../../../src/ingest/readers/decode.js';

/** Bytes of a text in an encoding, as hexadecimal. Written by iconv from the texts that decode to. */
const TEXTS = {
  CP949: '착륙한 드론의 배터리를 교체하는 장치',
  CP932: '着陸したドローンの電池を交換する装置',
  'EUC-JP': '着陸したドローンの電池を交換する装置',
  GB18030: '更换着陆的无人机的电池的装置',
};
const encoded = (encoding: string, text: string): Buffer | undefined => {
  const { status, stdout } = spawnSync('iconv', ['-f', 'UTF-8', '-t', encoding], { input: text });
  return status === 0 ? stdout : undefined;
};
const noIconv = encoded('UTF-8', 'a') === undefined && 'iconv is not installed';

describe('bytes that are not UTF-8', { skip: noIconv }, () => {
  for (const [encoding, text] of Object.entries(TEXTS)) {
    it(`names ${encoding} and the command that converts it`, () => {
      const bytes = encoded(encoding, `{"patent_id": "US20990000001A1", "title": "${text}"}`);
      assert.ok(bytes);
      assert.throws(() => decodeText(bytes), {
        message: `the bytes are not valid UTF-8; they look like ${encoding}: convert the file with \`iconv -f ${encoding} -t UTF-8\``,
      });
    });
  }

  it('names no encoding if none fits, and the declared one if it is wrong', () => {
    const noise = Buffer.from([...Array(200).keys()].map((n) => 0x80 + ((n * 37) % 0x80)));
    assert.throws(() => decodeText(noise), { message: 'the bytes are not valid UTF-8' });
    const declared = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="euc-jp"?>'), noise]);
    assert.throws(() => decodeText(declared), { message: 'the bytes are not valid euc-jp, nor UTF-8' });
  });
});

describe('a declared encoding', { skip: noIconv }, () => {
  const xml = (encoding: string, text: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><a>${text}</a>`;
  const cases: [string, string, string][] = [
    ...['CP949', 'UHC', 'MS949', 'x-windows-949', 'EUC-KR'].map((name): [string, string, string] => [
      name,
      'CP949',
      '드론의 배터리',
    ]),
    ['CP932', 'CP932', '①髙電池'],
    ['GB2312', 'GB18030', '更换朱镕基'],
    ['gbk', 'GB18030', '更换朱镕基'],
    ['ISO-2022-JP', 'ISO-2022-JP', '電池を交換する'],
    ['UTF-16', 'UTF-16LE', '電池'],
    ['UTF-16', 'UTF-16BE', '電池'],
  ];
  for (const [declared, encoding, text] of cases) {
    it(`${declared}, written as ${encoding}`, () => {
      const bytes = encoded(encoding, xml(declared, text));
      assert.ok(bytes);
      assert.equal(decodeText(bytes), xml(declared, text));
    });
  }

  it('a syllable of CP949 that the decoder does not know is an error, not two controls', () => {
    const bytes = encoded('CP949', xml('CP949', '착륙한 드론의 배터리를 교체하는 장치와 똠'));
    assert.ok(bytes);
    assert.throws(
      () => decodeText(bytes),
      /the bytes are not valid cp949, nor UTF-8; they look like CP949: convert/,
    );
  });
});
