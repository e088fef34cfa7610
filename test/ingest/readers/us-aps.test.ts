/** The reader of the APS format: numbers, damage and spellings. The complete records are in `fixtures/formats/golden`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { dotCodesRead } from '../../../src/ingest/readers/dot-codes.js';
import { detectReader, parseUnit } from '../../../src/ingest/readers/registry.js';
import { usAps } from '../../../src/ingest/readers/us-aps.js';
import {
  applicationNumber,
  checkDigit,
  publicationNumber,
} from '../../../src/ingest/readers/us-aps-number.js';
import type { Patent } from '../../../src/patent/record.js';
import fc from '../../property.js';

const weekly = readFileSync(join(resolve('fixtures/formats'), 'us-aps.txt'), 'utf8');
const first = weekly.slice(weekly.indexOf('PATN'), weekly.indexOf('PATN\nWKU  D'));

const read = (text: string | Uint8Array) => parseUnit('us-aps', Buffer.from(text as string));
const one = (text: string | Uint8Array): Patent => {
  const { patents, failed } = read(text);
  assert.equal(failed, undefined);
  assert.ok(patents[0]);
  return patents[0];
};

/** A small patent with more fields, or other ones. */
function patent({
  head = 'ISD  19900710\nTTL  Reed\nNCL  1',
  more = '',
  claims = 'NUM  1.\nPAR  1. A reed.',
} = {}) {
  return `PATN\nWKU  044444443\n${head}\n${more}\nCLMS\n${claims}\n`;
}

async function pieces(bytes: Uint8Array, cuts: readonly number[] = []) {
  async function* stream() {
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      yield bytes.subarray(from, cut);
      from = cut;
    }
  }
  const found: string[] = [];
  for await (const piece of usAps.split(stream()))
    found.push(
      `${piece.position}: ${piece.bytes ? Buffer.from(piece.bytes).toString('latin1') : piece.reason}`,
    );
  return found;
}

describe('us-aps: weekly files', () => {
  it('the format is recognised by its first patent, behind a header, padded, with CR LF or a byte order mark', () => {
    const padded = weekly.replace(/.*/g, (line) => line.padEnd(line === '' ? 0 : 80));
    const forms = [weekly, first, padded, padded.replaceAll('\n', '\r\n'), `\ufeff${first}`];
    for (const text of forms) assert.equal(detectReader(Buffer.from(text))?.format, 'us-aps');
    for (const text of ['PATN', 'PATN\nTTL  x', 'A PATN\nWKU  044444443', `${'x\n'.repeat(3000)}${first}`])
      assert.notEqual(detectReader(Buffer.from(text))?.format, 'us-aps');
  });

  it('a file is divided at its lines PATN, equally for any chunks', async () => {
    const bytes = Buffer.from(weekly);
    const whole = await pieces(bytes);
    assert.equal(whole.length, 9);
    assert.ok(whole.every((piece) => /^byte \d+: PATN\nWKU /.test(piece)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        assert.deepEqual(
          await pieces(
            bytes,
            cuts.sort((a, b) => a - b),
          ),
          whole,
        );
      }),
      { numRuns: 200 },
    );
    assert.deepEqual(
      await pieces(
        bytes,
        Array.from({ length: bytes.length }, (_, at) => at),
      ),
      whole,
    );
  });

  it('PATN within a line divides nothing, and a byte order mark is left out', async () => {
    const text = `\ufeff${patent({ more: 'ABST\nPAL  A line\n      PATN is not one, nor is PATN\n      here.' })}`;
    const found = await pieces(Buffer.from(text));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^byte 3: PATN\nWKU/);
  });

  it('padding, CR LF and other encodings give the same record', () => {
    const expected = one(first);
    const padded = first.replace(/.*/g, (line) => line.padEnd(line === '' ? 0 : 80));
    for (const text of [padded, padded.replaceAll('\n', '\r\n'), first.replaceAll('\n', '\r\n')])
      assert.deepEqual(one(text), expected);
    const accented = first.replace('Bellows pump', 'M\u00fcller pump');
    for (const encoding of ['utf8', 'latin1'] as const)
      assert.match(one(Buffer.from(accented, encoding)).title ?? '', /^M\u00fcller pump/);
    assert.match(one(Buffer.from(`\ufeff${accented}`, 'utf16le')).title ?? '', /^M\u00fcller pump/);
  });
});

describe('us-aps: numbers', () => {
  it('the check digit is of modulus 11, and & is ten', () => {
    // Numbers of real patents.
    for (const number of ['039327094', '06332220&', 'D04520599', 'RE0311677', 'PP0049883', 'H00003670'])
      assert.equal(checkDigit(number.slice(0, -1).replace(/\D/g, '')), number.at(-1));
  });

  it('the kind follows from the series and the day', () => {
    const kinds = (day: string) =>
      ['039327094', 'D04520599', 'PP0049883', 'RE0311677', 'H00003670', 'T0953444&'].map((wku) => {
        const { number, kind } = publicationNumber(wku, day, undefined);
        return number + kind;
      });
    assert.deepEqual(kinds('2000-12-26'), [
      ...['03932709A', 'D0452059S', 'PP004988P', 'RE031167E', 'H0000367H', 'T0953444I4'],
    ]);
    assert.deepEqual(kinds('2001-01-02'), [
      ...['03932709B1', 'D0452059S1', 'PP004988P2', 'RE031167E1', 'H0000367H1', 'T0953444I4'],
    ]);
  });

  it('a level of publication counts from 2001 on, if it is one of the series', () => {
    const kind = (level: string, day = '2001-05-01') => publicationNumber('039327094', day, level).kind;
    assert.equal(kind('B2'), 'B2');
    for (const level of ['S1', 'B', 'B22', '']) assert.equal(kind(level), 'B1');
    assert.equal(kind('B2', '1999-05-04'), 'A');
  });

  it('a number without its check digit is read', () => {
    assert.equal(publicationNumber('03932709', '1976-01-13', undefined).number, '03932709');
    assert.equal(publicationNumber('PP004988', '1983-01-11', undefined).number, 'PP004988');
  });

  it('a wrong number has a reason', () => {
    const reasons: [string, RegExp][] = [
      ['WKU  039327095', /^WKU 039327095: the check digit is 5; expected 4$/],
      ['WKU  0393270944', /^WKU "0393270944" is not a patent number$/],
      ['WKU  39327094', /is not a patent number$/],
      ['WKU  XX0049883', /is not a patent number$/],
      ['WKU', /^no patent number \(WKU\)$/],
      [`WKU  ${'9'.repeat(200)}`, /^WKU "9{40}" is not a patent number$/],
    ];
    for (const [line, reason] of reasons) {
      const { patents, failed } = read(first.replace(/WKU .*/, line));
      assert.deepEqual(patents, []);
      assert.match(failed?.reason ?? '', reason);
    }
    assert.equal(
      read(first.replace(/ISD .*/, 'ISD  19761000')).failed?.reason,
      'WKU 039876519: no issue date (ISD)',
    );
  });

  it('an application has the series that is stated, or that of its day', () => {
    const number = (apn: string, date?: string, series?: string, isDesign = false) =>
      applicationNumber({ apn, date, series, isDesign });
    assert.equal(number('4491556', '1974-03-07', '5'), '05449155');
    assert.equal(number('500649&', '1990-03-28', '7'), '07500649');
    assert.equal(number('351745', '1973-04-16'), '05351745');
    // A provisional application, and designs before and after their own series.
    assert.equal(number('012399', '1996-02-27'), '60012399');
    assert.equal(number('1348817', '2000-12-29', undefined, true), '29134881');
    assert.equal(number('1989073', '1980-10-21', undefined, true), '06198907');
    assert.equal(number('PCT/GB98/01999', '1998-07-03'), 'PCT/GB98/01999');
    // A wrong check digit.
    assert.equal(number('4491557', '1974-03-07', '5'), undefined);
  });
});

describe('us-aps: fields', () => {
  it('the parent case names the series of a parent, otherwise its day tells it', () => {
    const rlap = 'RLAP\nCOD  71\nAPN  090199\nAPD  19980619';
    const parent = (more: string) => one(patent({ more })).priorities?.[0]?.number;
    assert.equal(parent(rlap), '09090199');
    assert.equal(parent(`${rlap}\nPARN\nPAR  See provisional application Ser. No. 60/090,199.`), '60090199');
    assert.equal(parent(`${rlap}\nPARN\nPAR  See Ser. Nos. 60/190,199 and 60/090,1990.`), '09090199');
  });

  it('the name of a person has its suffix last; a firm keeps its semicolon', () => {
    const names = (written: string) => one(patent({ more: `LREP\nFR2  ${written}` })).agents?.[0]?.name;
    assert.equal(names('Miller, Jr.; George H.'), 'Miller, George H. Jr.');
    assert.equal(names('van Reed; Ann'), 'van Reed, Ann');
    assert.equal(names('Reed & Oar; Marsh, Sedge & Partners'), 'Reed & Oar; Marsh, Sedge & Partners');
    assert.equal(names('Marsh'), 'Marsh');
  });

  it('a representative of an inventor is no inventor', () => {
    const invt =
      'INVT\nNAM  Gee, Sr., deceased; Sam\nINVT\nNAM  Gee, executor; by Joe\nINVT\nNAM  Oar, nee Reed; Ann';
    assert.deepEqual(one(patent({ more: invt })).inventors, [{ name: 'Gee, Sam Sr.' }, { name: 'Oar, Ann' }]);
  });

  it('classes have fixed columns', () => {
    const clas =
      'CLAS\nOCL  179 90K\nXCL  340172.5\nXCL  224 4207\nXCL    2423\nICL  H04M 1100\nICL  C07C10300\nICL  A61K 31405\nICL  B65D\nICL  junk';
    const { uspc_codes, ipc_codes } = one(patent({ more: clas }));
    assert.deepEqual(uspc_codes, ['179/90K', '340/172.5', '224/42.07', '2/423']);
    assert.deepEqual(ipc_codes, ['H04M 11/00', 'C07C 103/00', 'A61K 31/405', 'B65D']);
  });

  it('a cited Japanese publication has the year of its era', () => {
    const cited = (number: string, date: string) =>
      one(patent({ more: `FREF\nPNO  ${number}\nISD  ${date}\nCNT  JPX` })).citations?.[0]?.number;
    assert.equal(cited('2191674', '19900700'), 'H02191674');
    assert.equal(cited('2-191674', '19900700'), 'H02191674');
    assert.equal(cited('57/12345', '19820100'), cited('5712345', '19820100'));
    // Not the year of the day: as written.
    assert.equal(cited('1512345', '19890100'), '01512345');
  });

  it('claims without numbered fields are divided at their numbers', () => {
    const claims =
      'STM  I claim:\nPAR  1. A reed.\nPA1  It whispers in 2. winds.\nPAR  2. The reed of claim 1.';
    assert.deepEqual(one(patent({ head: 'ISD  19900710\nNCL  2', claims })).claims, [
      { number: 1, text: 'A reed.\nIt whispers in 2. winds.' },
      { number: 2, text: 'The reed of claim 1.', depends_on: [1] },
    ]);
  });

  it('a claim whose number stands alone has the text that follows, and one without text is left out', () => {
    const claims = 'NUM  1.\nPAR  1. .Iadd.\nPA1  A reed.\nNUM  2.\nPAR  2. .Iaddend.';
    assert.deepEqual(one(patent({ claims })).claims, [{ number: 1, text: 'A reed.' }]);
  });

  it('lines without a tag continue a field, unknown fields and groups are left out', () => {
    const more =
      'XXXX\nNAM  Stray; Ann\nABST\nPAL  A reed\nbroken to the left\n\tor by a tab.\nQQQ  ?\nPA9  End.';
    const { abstract, inventors } = one(patent({ more }));
    assert.equal(abstract, 'A reed broken to the left or by a tab.\nEnd.');
    assert.equal(inventors, undefined);
  });
});

describe('us-aps: damage', () => {
  it('a patent that is cut off has a reason, wherever it is cut', () => {
    const end = first.trimEnd().length;
    const claims = first.indexOf('NUM  1.');
    for (let at = first.indexOf('NCL') + 7; at < end; at += 7) {
      const { patents, failed } = read(first.slice(0, at));
      // Behind claim 2 only a line that ends within a sentence tells it.
      if (at > claims && failed === undefined) assert.ok((patents[0]?.claims?.length ?? 0) >= 2);
      else
        assert.match(
          failed?.reason ?? '',
          /^cut off(?:: [01] of 3 claims| in claim [123] of 3)$/,
          first.slice(at - 40, at),
        );
    }
    assert.equal(read(first).failed, undefined);
  });

  it('a patent that lacks one of many claims is read if it ends like a sentence', () => {
    const claims = 'NUM  1.\nPAR  1. A reed.\nNUM  2.\nPAR  2. The reed of claim 1.';
    assert.equal(one(patent({ head: 'ISD  19900710\nNCL  3', claims })).claims?.length, 2);
  });

  it('a patent without text has a reason', () => {
    assert.match(read('PATN\nWKU  044444443\nISD  19900710\n').failed?.reason ?? '', /^no title, abstract/);
    assert.match(read('').failed?.reason ?? '', /^no patent number/);
  });

  it('damage of any kind is reported, never thrown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(first.length), fc.nat(400), (rubbish, at, left) => {
        const { patents, failed } = read(first.slice(0, at) + rubbish + first.slice(at + left));
        assert.ok(patents.length > 0 !== (failed !== undefined));
        assert.doesNotMatch(failed?.reason ?? '', /could not read this document/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('dot codes', () => {
  it('codes become their characters, and other words between stops stay', () => {
    assert.equal(dotCodesRead('A.fwdarw.B.rarw.C'), 'A→B←C');
    assert.equal(dotCodesRead('SO.sub.3.sup..crclbar. Na.sup..sym.'), 'SO3⊖ Na⊕');
    assert.equal(dotCodesRead('R.dbd.R.tbd.R, .lamda..about..5 .mu.m'), 'R=R≡R, λ~.5 μm');
    assert.equal(
      dotCodesRead('10.sup.-6 m.sup.2, e.g. i.e. www.uspto.gov'),
      '10^-6 m^2, e.g. i.e. www.uspto.gov',
    );
    assert.equal(dotCodesRead('.[.old.]. .Iadd.new .Iaddend.text'), '[old] new text');
  });
});
