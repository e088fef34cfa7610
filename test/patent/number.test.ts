import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  applicationNumberForms,
  isPctNumber,
  normaliseApplicationNumber,
  writtenApplicationNumber,
} from '../../src/patent/application-number.js';
import type { Country } from '../../src/patent/country.js';
import { parsePatentNumber, patentId, publicationNumber } from '../../src/patent/number.js';
import fc from '../property.js';

/** text → readings as `US 09971313 B2`, `·` for an unknown part. */
const readings = (text: string): string[] =>
  parsePatentNumber(text).map(
    (found) =>
      `${found.country ?? '·'} ${found.number} ${found.kind ?? '·'}${found.application ? ' application' : ''}`,
  );

describe('publication numbers', () => {
  const spellings: [string, string][] = [
    ['KR1020200104349A', 'KR 1020200104349 A'],
    ['KR20200104349A', 'KR 1020200104349 A'],
    ['KR10-2020-0104349', 'KR 1020200104349 ·'],
    ['KR1020060098294 A', 'KR 1020060098294 A'],
    ['10-2020-0104349', '· 1020200104349 ·'],
    ['10-2020-104349', '· 1020200104349 ·'],
    ['제10-2020-0104349호', '· 1020200104349 ·'],
    ['10-0866101-0000', '· 1008661010000 ·'],
    ['KR102214943 B1', 'KR 1022149430000 B1'],
    ['등록특허 10-0866101', 'KR 1008661010000 B'],
    ['대한민국 등록특허공보 제10-1234567호', 'KR 1012345670000 B'],
    ['공개특허공보 제10-2020-0104349호', 'KR 1020200104349 ·'],
    ['등록번호 10-0866101', 'KR 1008661010000 ·'],
    ['등록번호: 제10-0866101호', 'KR 1008661010000 ·'],
    ['Korean Patent Publication No. 10-2020-0104349', 'KR 1020200104349 ·'],
    ['KR Patent No. 10-0866101', 'KR 1008661010000 ·'],
    ['출원번호 10-2020-0104349', 'KR 1020200104349 · application'],
    ['특허출원 제10-2020-0104349호', 'KR 1020200104349 · application'],
    ['Korean Patent Application No. 10-2020-0104349', 'KR 1020200104349 · application'],
    ['Application No. 10-2020-0104349', 'KR 1020200104349 · application'],
    ['출원번호: CN201610298414.0', 'CN 201610298414 · application'],
    ['대한민국 공개특허 제10-2020-0104349호 공보', 'KR 1020200104349 ·'],
    ['KR-A-10-2020-0104349', 'KR 1020200104349 A'],
    ['KR-B1-10-0866101', 'KR 1008661010000 B1'],
    ['KR20190000806U', 'KR 2020190000806 U'],
    ['KR200130550Y1', 'KR 2001305500000 Y1'],
    ['KR830009677A', 'KR 1019830009677 A'],
    ['KR 83-0009677 A', 'KR 1019830009677 A'],
    ['KR800001540B1', 'KR 1019800001540 B1'],
    ['KR910001234U', 'KR 2019910001234 U'],
    ['US 2018/0184900 A1', 'US 20180184900 A1'],
    ['US2018184900A1', 'US 20180184900 A1'],
    ['US 9,971,313 B2', 'US 09971313 B2'],
    ['U.S. Patent No. 9,971,313', 'US 09971313 ·'],
    ['US Pat. No. 9,971,313 B2', 'US 09971313 B2'],
    ['US Patent 9971313', 'US 09971313 ·'],
    ['U. S. Patent No. 9,971,313', 'US 09971313 ·'],
    ['US Patent Application No. 16/123,456', 'US 16123456 · application'],
    ['U.S. Pat. Appl. No. 16/123,456', 'US 16123456 · application'],
    ['U.S. Patent Application Serial No. 16/123,456', 'US 16123456 · application'],
    ['US 16/123,456', 'US 16123456 · application'],
    ['16/123,456', 'US 16123456 · application'],
    ['16/123456', 'US 16123456 · application'],
    ['US 9/742,144', 'US 09742144 · application'],
    ['US 62/123,456 P', 'US 62123456 · application'],
    ['U.S. Ser. No. 10/123,456', 'US 10123456 · application'],
    ['Serial No. 09/742,144', 'US 09742144 · application'],
    ['USSN 10/123,456', 'US 10123456 · application'],
    ['USSN 10123456', 'US 10123456 · application'],
    ['U.S.S.N. 10/123,456', 'US 10123456 · application'],
    ['U.S. Provisional Application No. 62/123,456', 'US 62123456 · application'],
    ['US Patent No. 10/123,456', 'US 10123456 · application'],
    ['Serial No. 10-2020-0104349', 'KR 1020200104349 · application'],
    ['U.S. Patent Serial No. 9,971,313', 'US 09971313 ·'],
    ['JP 10/123456', 'JP 10123456 ·'],
    ['特開平10/123456', 'JP 10123456 A'],
    ['US Patent Application 2018/0184900', 'US 20180184900 ·'],
    ['U.S. Patent Application No. 20180184900 A1', 'US 20180184900 A1'],
    ['European Patent Application EP 0449582 A1', 'EP 00449582 A1'],
    ['Chinese Patent Application CN105942993A', 'CN 105942993 A'],
    ['Chinese patent application No. 105942993', 'CN 105942993 ·'],
    ['Chinese Patent No. ZL201610298414.0', 'CN 201610298414 · application'],
    ['专利申请号：201610298414.0', 'CN 201610298414 · application'],
    ['Patent No. US-B2-9971313', 'US 09971313 B2'],
    ['U S Patent 9,971,313', 'US 09971313 ·'],
    ['特願2018\u2212524120', 'JP 2018524120 · application'],
    ['출원 번호 10\u20132020\u20130104349', 'KR 1020200104349 · application'],
    ['U.S. Patent Application Publication No. 2018/0184900 A1', 'US 20180184900 A1'],
    ['US9971313B2', 'US 09971313 B2'],
    ['US-9971313-B2', 'US 09971313 B2'],
    ['US-A-5,123,456', 'US 05123456 A'],
    ['US-B2-9971313', 'US 09971313 B2'],
    ['US-A1-2018/0184900', 'US 20180184900 A1'],
    ['US Patent No. 6,334,226', 'US 06334226 ·'],
    ['United States Patent No. 6,334,226 B1', 'US 06334226 B1'],
    ['US D 435,854', 'US D0435854 ·'],
    ['D1050455', 'US D1050455 ·'],
    ['USD433143S1', 'US D0433143 S1'],
    ['USPP30123P3', 'US PP030123 P3'],
    ['RE45678', 'US RE045678 ·'],
    ['H2345', 'US H0002345 ·'],
    ['EP3539467A1', 'EP 03539467 A1'],
    ['EP 3 539 467 A1', 'EP 03539467 A1'],
    ['EP-A-0449582', 'EP 00449582 A'],
    ['EP-A- 0 449 582', 'EP 00449582 A'],
    ['EP-B1-3539467', 'EP 03539467 B1'],
    ['EP3539467 (B1)', 'EP 03539467 B1'],
    ['JP2018524120A', 'JP 30524120 A'],
    ['特開2018-524120', 'JP 30524120 A'],
    ['特表２０１８－５２４１２０号', 'JP 30524120 T'],
    ['特開平10-1234', 'JP 10001234 A'],
    ['公開番号：特開2018-524120', 'JP 30524120 A'],
    ['Japanese Unexamined Patent Application Publication No. 2018-524120', 'JP 30524120 ·'],
    ['Japanese Patent Application Laid-Open No. H10-1234', 'JP 10001234 ·'],
    ['Japanese Patent No. 6235612', 'JP 06235612 ·'],
    ['特願2018-524120', 'JP 2018524120 · application'],
    ['出願番号: 特願2018-524120', 'JP 2018524120 · application'],
    ['実願昭61-123456号', 'JP 1986123456U · application'],
    ['実用新案登録出願平5-012345', 'JP 1993012345U · application'],
    ['意願2024-001234', 'JP 2024001234S · application'],
    ['出願番号: 2024001234U', 'JP 2024001234U · application'],
    ['Japanese Patent Application No. 2024-001234', 'JP 2024001234 · application'],
    ['特開昭61-123456', 'JP 61123456 A'],
    ['JPS61123456A', 'JP 61123456 A'],
    ['再表2018/062001', 'JP 30062001 A1'],
    ['再公表特許WO2018/062001', 'JP 30062001 A1'],
    ['再表98/12345', 'JP 10012345 A1'],
    ['JP-WO2018062001-A1', 'JP 30062001 A1'],
    ['JPWO2018062001A1', 'JP 30062001 A1'],
    ['JPWO2018/062001', 'JP 30062001 A1'],
    ['JP WO 2018/062001 A1', 'JP 30062001 A1'],
    ['JPWO0112345A1', 'JP 13012345 A1'],
    ['JPWO2018062001A5', 'JP 30062001 A5'],
    ['特許第6235612号', 'JP 06235612 B'],
    ['特許第6205339号公報', 'JP 06205339 B'],
    ['特開2021-041306号公報', 'JP 33041306 A'],
    ['特表2021-509175号公報', 'JP 33509175 T'],
    ['特公平7-12345号公報', 'JP 07012345 B'],
    ['JP-A-2021-41306', 'JP 33041306 A'],
    ['JP-A-H07-12345', 'JP 07012345 A'],
    ['JP-A-7-12345', 'JP 07012345 A'],
    ['JP-A-61-123456', 'JP 61123456 A'],
    ['JP-B-6205339', 'JP 06205339 B'],
    ['JP-T-2010-527149', 'JP 22527149 T'],
    ['JP6235612B2', 'JP 06235612 B2'],
    ['公開特許公報 特開平5-123456', 'JP 05123456 A'],
    ['公表特許公報 特表2018-524120', 'JP 30524120 T'],
    ['実公平5-12345', 'JP 05012345 Y'],
    ['実開平5-12345', 'JP 05012345 ·'],
    ['JP 61-12345 A', 'JP 61012345 A'],
    ['JP 5-12345 A', 'JP 05012345 A'],
    ['JP-5-12345-A', 'JP 05012345 A'],
    ['JP 61 12345 A', 'JP 61012345 A'],
    ['JP-B2-5-12345', 'JP 05012345 B'],
    ['JP 6-80666', 'JP 06080666 ·'],
    ['JP A-10-100907', 'JP 10100907 A'],
    ['JP A-2003-283199', 'JP 15283199 A'],
    ['JP P2001-118988', 'JP 13118988 ·'],
    ['JP 6 235612 B2', 'JP 06235612 B2'],
    ['JP 6 235 612 B2', 'JP 06235612 B2'],
    ['Japanese Unexamined Patent Application Publication No. 5-12345', 'JP 05012345 ·'],
    ['Japanese Examined Patent Publication No. 61-12345', 'JP 61012345 ·'],
    ['JPH06105321B2', 'JP 06105321 B'],
    ['JP-H05123456-A', 'JP 05123456 A'],
    ['JP-S6112345-A', 'JP 61012345 A'],
    ['JP-H06105321-B2', 'JP 06105321 B'],
    ['JP-S5912345-Y2', 'JP 59012345 Y'],
    ['JP H05-123456 A', 'JP 05123456 A'],
    ['JP 361118513 A', 'JP 61118513 A'],
    ['JP361118513A', 'JP 61118513 A'],
    ['JP 3-61-118513 A', 'JP 61118513 A'],
    ['JP405123456', 'JP 05123456 ·'],
    ['JP-406105321-B2', 'JP 06105321 B'],
    ['JP 214012345 B2', 'JP 14012345 B'],
    ['JPS5912345Y2', 'JP 59012345 Y'],
    ['JP6105321B2', 'JP 06105321 B2'],
    ['特公平6-105321', 'JP 06105321 B'],
    ['JP평성11315016 A', 'JP 11315016 A'],
    ['JP소화49001720 A', 'JP 49001720 A'],
    ['특개평11-315016호', 'JP 11315016 A'],
    ['일본공개특허공보 특개평11-315016호', 'JP 11315016 A'],
    ['일본 특표2018-524120호', 'JP 30524120 T'],
    ['일본등록특허 제6235612호', 'JP 06235612 B'],
    ['미국 특허출원공개공보 US2014/0322184(2014.10.30)', 'US 20140322184 ·'],
    ['미국등록특허 제9971313호', 'US 09971313 ·'],
    ['중국공개특허공보 CN103520194A (2014.01.22.)', 'CN 103520194 A'],
    ['유럽공개특허 EP3539467A1', 'EP 03539467 A1'],
    ['공개특허 특2002-0012345', 'KR 1020020012345 ·'],
    ['공개번호 특2002-0012345', 'KR 1020020012345 ·'],
    ['공개번호 실2000-0001234', 'KR 2020000001234 ·'],
    ['KR 특2002-0012345', 'KR 1020020012345 ·'],
    ['공개특허공보 제10-2017-0062563호(2017.06.08.)', 'KR 1020170062563 ·'],
    ['등록특허공보 제10-1817109호(2018.01.11.)', 'KR 1018171090000 B'],
    ['출원번호 10-2006-0025591 (2006.03.20)', 'KR 1020060025591 · application'],
    ['実用新案登録第3206566号', 'JP 03206566 U'],
    ['CN105942993A', 'CN 105942993 A'],
    ['CN103492414(A)', 'CN 103492414 A'],
    ['CN 103492414 (A)', 'CN 103492414 A'],
    ['CN-A-103492414', 'CN 103492414 A'],
    ['ZL201610298414.0', 'CN 201610298414 · application'],
    ['专利号：ZL 201610298414.0', 'CN 201610298414 · application'],
    ['专利号: CN105942993B', 'CN 105942993 B'],
    ['申请号201610298414.X', 'CN 201610298414 · application'],
    ['公开号CN109992624A', 'CN 109992624 A'],
    ['公告号CN109992624B', 'CN 109992624 B'],
    ['授权公告号：CN 109992624 B', 'CN 109992624 B'],
    ['公开（公告）号：CN109992624A', 'CN 109992624 A'],
    ['201610298414A0', 'CN 201610298414 · application'],
    ['20180184900', '· 20180184900 ·'],
    ['30524120', '· 30524120 ·'],
    ['105942993', '· 105942993 ·'],
  ];
  for (const [text, expected] of spellings) {
    it(`reads ${text}`, () => {
      // A CN literature number has the kind of the application.
      assert.equal(readings(text)[0]?.replace(/ · application/, ' · application'), expected);
    });
  }

  it('reads literature numbers of every office', () => {
    const lit = (text: string, country: Country): string | undefined =>
      parsePatentNumber(text).find((found) => found.country === country)?.number;
    assert.equal(lit('201800004327A0', 'KR'), '1020180004327');
    assert.equal(lit('000002214943B1', 'KR'), '1022149430000');
    assert.equal(lit('201800184900A1', 'US'), '20180184900');
    assert.equal(lit('000009971313B2', 'US'), '09971313');
    assert.equal(lit('000003539467A1', 'EP'), '03539467');
    assert.equal(lit('201800524120A0', 'JP'), '30524120');
    assert.equal(lit('002010527149T0', 'JP'), '22527149');
    assert.equal(lit('000006235612B2', 'JP'), '06235612');
    assert.equal(lit('201720244147U0', 'CN'), '201720244147');
  });

  it('returns several offices for digits that fit several', () => {
    assert.deepEqual(readings('9971313'), [
      'US 09971313 ·',
      'JP 09971313 ·',
      'CN 9971313 ·',
      'EP 09971313 ·',
    ]);
    assert.deepEqual(readings('2018184900'), ['· 2018184900 ·', 'US 20180184900 ·', 'JP 30184900 ·']);
    assert.ok(readings('2021167409').includes('JP 33167409 ·'));
  });

  it('reads a US number with a slash as that of an application alone', () => {
    for (const text of ['10/123,456', 'US 10/123,456', 'Serial No. 10/123,456', 'Application No. 10/123,456'])
      assert.deepEqual(readings(text), ['US 10123456 · application'], text);
    assert.equal(publicationNumber('US', '10/123,456'), undefined);
    assert.equal(publicationNumber('JP', '10/123456'), '10123456');
    for (const text of ['98/12345', '2018/0184900', '1/123,456', '10/123,4567', '10/12,3456'])
      assert.ok(!readings(text).some((found) => found.endsWith('application')), text);
  });

  it('reads a number with a check digit as that of no publication', () => {
    for (const text of ['10158432.5', '11158432.5', '98812345.6', '202010000123.4', '201610298414.X'])
      for (const prefix of ['', 'EP', 'CN ', 'Patent No. '])
        assert.deepEqual(readings(prefix + text), [], prefix + text);
    assert.deepEqual(readings('Application No. 202010000123.4'), ['CN 202010000123 · application']);
    assert.deepEqual(readings('US 9.971.313'), ['US 09971313 ·']);
    assert.equal(publicationNumber('EP', '10158432.5'), undefined);
  });

  it('counts the years of an era only if a text names Japan', () => {
    for (const text of ['6-80666', '10-20', '63-64444'])
      assert.ok(!readings(text).some((found) => /^JP (?:06080666|10000020|63064444) /.test(found)), text);
    assert.deepEqual(readings('US 5-12345'), ['US 00512345 ·']);
    assert.deepEqual(readings('EP 5-12345'), ['EP 00512345 ·']);
    assert.deepEqual(readings('KR 10-2020-0104349'), ['KR 1020200104349 ·']);
    assert.deepEqual(readings('JP 0-12345'), ['JP 00012345 ·'], 'no year');
    assert.deepEqual(readings('JP 99-12345'), ['JP 09912345 ·'], 'no year');
    assert.deepEqual(readings('JP 0612345'), ['JP 00612345 ·'], 'no hyphen');
    assert.deepEqual(readings('JP 10-2020-0104349'), []);
  });

  it('reads the number of an era instead of its letter in nine digits of Japan, if the era had the year', () => {
    for (const text of ['361118513', '361118513A', 'US 361118513', 'CN361118513A', 'KR 3-61-118513'])
      assert.ok(!readings(text).some((found) => found.startsWith('JP')), text);
    for (const text of [
      'JP 201045940',
      'JP 365118513',
      'JP 432123456',
      'JP 300123456',
      'JP 561118513',
      'JP 061118513',
    ])
      assert.deepEqual(readings(text), [], text);
    assert.equal(publicationNumber('JP', '361118513', 'A'), '61118513');
    assert.equal(publicationNumber('JP', '961118513', 'A'), undefined);
    assert.deepEqual(readings('H-2123'), ['US H0002123 ·']);
  });

  it('tells the number of an examined publication from that of a registration', () => {
    const isEra = (text: string): boolean | undefined => parsePatentNumber(text)[0]?.isEra;
    for (const text of [
      ...[
        'JPH06105321B2',
        'JP-H06105321-B2',
        '特公平6-105321',
        'JP 6-105321',
        '특공평6-105321',
        'JP406105321',
      ],
    ])
      assert.equal(isEra(text), true, text);
    for (const text of ['特許第6105321号', '일본등록특허 제6105321호'])
      assert.equal(isEra(text), false, text);
    for (const text of [
      'JP6105321B2',
      '特開2018-524120',
      'Japanese Patent No. 6105321',
      '등록특허 10-0866101',
    ])
      assert.equal(isEra(text), undefined, text);
  });

  it('reads what a source of Japan writes without JP', () => {
    const own = {
      '63-64444': '63064444',
      '62-1404': '62001404',
      '1-16244': '01016244',
      '6-80666': '06080666',
    };
    const named = { 'A-10-100907': '10100907', 'A-2003-283199': '15283199', 'P2001-118988': '13118988' };
    const old = {
      H0578571: '05078571',
      S5912345: '59012345',
      'H05-78571': '05078571',
      JPH0512345: '05012345',
    };
    for (const [text, number] of Object.entries({ ...own, ...named, ...old }))
      assert.equal(publicationNumber('JP', text), number, text);
    assert.equal(publicationNumber('US', '5-12345'), '00512345');
    assert.equal(publicationNumber('EP', 'H0578571', 'B1'), undefined);
    assert.equal(publicationNumber('JP', '7104166'), '07104166', 'digits alone');
  });

  it('returns no number of the five offices for other texts', () => {
    for (const text of [
      '',
      'WO2017190418A1',
      'garbage',
      'US',
      'KR',
      'D',
      '20180184900'.repeat(9),
      'DE102007003914A1',
    ]) {
      assert.deepEqual(parsePatentNumber(text), [], text);
    }
  });

  it('reads the WO number of a JP re-publication as its own number', () => {
    for (const text of ['WO2018/062001', 'WO2018062001', 'WO 2018/062001', 'JPWO2018/062001', '2018062001'])
      assert.equal(publicationNumber('JP', text, 'A1'), '30062001', text);
    assert.equal(publicationNumber('JP', 'WO98/12345', 'A1'), '10012345');
    assert.equal(publicationNumber('US', 'WO2018/062001', 'A1'), undefined);
  });

  it('reads the number of a patent without its office like the number alone', () => {
    assert.deepEqual(readings('Patent No. 6,334,226'), readings('6334226'));
    assert.deepEqual(readings('Patent No. EP 3539467'), readings('EP3539467'));
  });

  it('ignores invisible characters, as copied texts hold them', () => {
    for (const invisible of ['\u00ad', '\u200d', '\u2060', '\ufeff'])
      assert.deepEqual(readings(`${invisible}EP35${invisible}39467${invisible}A1`), ['EP 03539467 A1']);
  });

  it('reads a number only if the text is nothing else', () => {
    for (const text of [
      '公开号CN109992624A的电池',
      '公报CN109992624A',
      '特開2021-041306号公報に記載の電池',
      'the battery of EP-A-0449582',
      'Patent No.',
      'Application No.',
      '출원번호',
      '출원번호 미상',
      'US Patent Application No. 16/123,456 and others',
      'Patent Patent',
      'CN103492414(A) and others',
      'JP-A-method',
      '미국특허출원 16/123456',
      '일본특허출원 2018-524120',
      '국제공개공보 WO2005/095409',
      '특수 재료 10-1234567',
      '실험 2019-01',
      '공개특허 특2002-0012345의 전지',
    ])
      assert.deepEqual(readings(text), [], text);
  });

  it('reads an old KR number without its country, among others', () => {
    assert.ok(readings('830009677A').includes('KR 1019830009677 A'));
  });

  it('never throws, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) =>
        Array.isArray(parsePatentNumber(text)),
      ),
    );
  });

  const digits = (length: number) =>
    fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
      .map((list) => list.join(''));
  const year = fc.integer({ min: 1990, max: 2030 }).map(String);
  const published = fc.oneof(
    fc.tuple(
      fc.constant('KR' as const),
      fc.tuple(year, digits(7)).map(([y, d]) => `10${y}${d}`),
      fc.constant('A'),
    ),
    fc.tuple(
      fc.constant('KR' as const),
      digits(7).map((d) => `10${d}0000`),
      fc.constant('B1'),
    ),
    fc.tuple(
      fc.constant('US' as const),
      fc.tuple(year, digits(7)).map(([y, d]) => y + d),
      fc.constant('A1'),
    ),
    fc.tuple(fc.constant('US' as const), digits(8), fc.constantFrom('B1', 'B2')),
    fc.tuple(
      fc.constant('US' as const),
      digits(7).map((d) => `D${d}`),
      fc.constant('S1'),
    ),
    fc.tuple(fc.constant('EP' as const), digits(8), fc.constantFrom('A1', 'B1')),
    fc.tuple(fc.constant('JP' as const), digits(8), fc.constantFrom('A', 'B2', 'T')),
    fc.tuple(fc.constant('CN' as const), digits(9), fc.constantFrom('A', 'B', 'U')),
  );
  it('parses every patent_id into its parts, and leaves a stored number as it is', () => {
    fc.assert(
      fc.property(published, ([country, number, kind]) => {
        assert.deepEqual(parsePatentNumber(patentId(country, number, kind)), [{ country, number, kind }]);
        assert.equal(publicationNumber(country, number, kind), number);
      }),
    );
  });
});

describe('application numbers', () => {
  const forms: [string, string, string][] = [
    ['KR', '10-2006-0025591', '1020060025591'],
    ['KR', 'KR20060025591', '1020060025591'],
    ['KR', '820001001', '1019820001001'],
    ['KR', '82-1001', '1019820001001'],
    ['US', '09/742,144', '09742144'],
    ['US', '60/634,291', '60634291'],
    ['US', '60/634,\u00ad291', '60634291'],
    ['DE', '10 2007 003\ufeff 914.1', '102007003914'],
    ['JP', 'JP-P-2007-00102123', '2007102123'],
    ['JP', 'JP-P-2006-097796', '2006097796'],
    ['JP', '特願平10-123456', '1998123456'],
    ['JP', '特願2018-524120', '2018524120'],
    ['JP', '実願2018-001234', '2018001234U'],
    ['JP', 'JP20180001234U', '2018001234U'],
    ['JP', '2018-001234 U', '2018001234U'],
    ['JP', '意願2018-001234', '2018001234S'],
    ['JP', 'JP-U-2018-001234', '2018001234U'],
    ['JP', '2018-1234(U2018-1234)', '2018001234U'],
    ['JP', '2018-1234 (U)', '2018001234U'],
    ['JP', 'JP20180001234F', '2018001234S'],
    ['JP', 'JP20180001234T', '2018001234'],
    ['JP', '特願昭61-123456号(実願昭60-1234号の変更)', '1986123456'],
    ['KR', 'KR20180004327U', '2020180004327'],
    ['KR', 'KR20180004327F', '3020180004327'],
    ['KR', '10-2018-0004327', '1020180004327'],
    ['JP', 'JP2018524120A', '2018524120'],
    ['EP', '04106384.3', '04106384'],
    ['EP', 'EP20040106384', '04106384'],
    ['CN', '201110131029.X', '201110131029'],
    ['CN', '201610298414A', '201610298414'],
    ['CN', '98812345.6', '98812345'],
    ['DE', '10 2007 003 914.1', '102007003914'],
    ['US', 'PCT/US2007/014647', 'US2007014647'],
    ['WO', 'PCT/EP99/1234', 'EP1999001234'],
    ['WO', 'PCT/US9912345', 'US1999012345'],
    ['WO', 'PCT/US20201234', 'US2020001234'],
    ['WO', 'PCT/JP2017034001', 'JP2017034001'],
  ];
  for (const [country, text, expected] of forms) {
    it(`${country} ${text}`, () => assert.equal(normaliseApplicationNumber(country, text), expected));
  }
  it('a form is its own form', () => {
    for (const [country, text, expected] of forms) {
      if (!isPctNumber(text)) assert.equal(normaliseApplicationNumber(country, expected), expected);
    }
  });
  it('a form that is written out is read as the same form', () => {
    for (const [country, _, expected] of forms) {
      assert.equal(normaliseApplicationNumber(country, writtenApplicationNumber(expected)), expected);
    }
  });
  it('returns every office for a bare number', () => {
    assert.ok(applicationNumberForms('10-2006-0025591').includes('1020060025591'));
    assert.ok(applicationNumberForms('09/742,144').includes('09742144'));
    assert.deepEqual(applicationNumberForms('US 09/742,144'), ['09742144']);
    assert.deepEqual(applicationNumberForms('JP 2018-524120'), ['2018524120', '2018524120U', '2018524120S']);
    assert.deepEqual(applicationNumberForms('特願2018-524120').includes('2018524120U'), false);
  });
});
