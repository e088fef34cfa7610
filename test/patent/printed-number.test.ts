/** Numbers as title pages print them and texts cite them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NUMBER_MAX_CHARS, parsePatentNumber } from '../../src/patent/number.js';
import { plainNumber } from '../../src/patent/printed-number.js';
import { isNumber } from '../../src/search/number-question.js';
import fc from '../property.js';

/** The first reading, as `US 09971313 B2`; `·` for an unknown part. */
function reading(text: string): string | undefined {
  const [found] = parsePatentNumber(plainNumber(text));
  if (found === undefined) return undefined;
  const { country = '·', number, kind = '·', application } = found;
  return `${country} ${number} ${kind}${application ? ' application' : ''}`;
}

const READ: readonly [string, readonly string[]][] = [
  [
    'JP 33041306 A',
    [
      '特開2021-041306(P2021-041306A)',
      '公開特許公報（Ａ）特開2021-41306',
      '【公開番号】特開2021-41306(P2021-41306A)',
      '特許公開2021-041306',
      '特开2021-041306',
      'JPA2021041306',
      'JPA 2021-41306',
    ],
  ],
  [
    'JP 2020100059 · application',
    ['【出願番号】特願2020-100059(P2020-100059)', '특원 2020-100059', '일본 특허출원 2020-100059'],
  ],
  ['JP 06837063 B', ['日本特許第6837063号', '日本国特許第6837063号']],
  ['JP 06837063 ·', ['Japan Patent No. 6837063']],
  ['JP 05012345 Y', ['実用新案登録出願公告平5-12345']],
  [
    'CN 109997623 A',
    [
      '(10)申请公布号 CN 109997623 A',
      '申請公布號 CN 109997623 A',
      '中国专利CN109997623A',
      '[10] 公開號 CN109997623A',
    ],
  ],
  ['CN 109997623 ·', ['中国特許第109997623号', 'China Patent 109997623']],
  ['CN 106521003 B', ['授權公告號 CN106521003B', '授權公告號CN106521003B']],
  ['CN 201520095188 · application', ['(21)申请号 201520095188.X', '中國專利申請號 201520095188.X']],
  [
    'KR 1018016390000 ·',
    [
      '등록특허번호 10-1801639',
      '특허등록번호: 제10-1801639호',
      '국내등록특허 10-1801639',
      '한국특허 10-1801639',
      '한국 특허 제 10-1801639호',
      '(등록특허) 10-1801639',
      '(11) 등록번호 10-1801639',
      '韓國登錄特許 第10-1801639號',
      '韓国特許第10-1801639号',
      'Korea Patent 10-1801639',
      'Korean Registered Patent No. 10-1801639',
      'Korean Patent Registration No. 10-1801639-00-00',
      'South Korean Patent 10-1801639',
      'Republic of Korea Patent No. 10-1801639',
    ],
  ],
  [
    'KR 1020110013556 ·',
    [
      '공개특허번호 10-2011-0013556',
      '특허공개번호 10-2011-0013556',
      '출원공개번호 10-2011-0013556',
      '公開特許10-2011-0013556',
    ],
  ],
  [
    'KR 1020117000057 · application',
    ['특허출원번호 10-2011-7000057', '국내 특허출원번호 제10-2011-7000057호'],
  ],
  ['KR 2020110000057 · application', ['실용신안출원번호 20-2011-0000057']],
  [
    'US 06837063 ·',
    [
      '米国特許第6837063号',
      '美國專利6837063',
      'USP 6,837,063',
      'US-Patent 6837063',
      'US-PS 6837063',
      'US-Patentschrift 6 837 063',
    ],
  ],
  ['US 06837063 B1', ['美国专利US6837063B1', '(10) Patent No.: US 6,837,063 B1']],
  ['US 20180184900 ·', ['米国特許出願公開第2018/0184900号']],
  ['US 16123456 · application', ['米国特許出願第16/123,456号', '미국특허출원 16/123456']],
  [
    'US D0651486 ·',
    ['Des. 651,486', 'US Des. 651,486', 'US Design Patent No. D651486', 'U.S. Des. Pat. No. 651,486'],
  ],
  ['US RE045678 ·', ['Reissue Patent No. 45,678']],
  [
    'EP 01019261 ·',
    [
      '欧州特許第1019261号',
      'Europäisches Patent 1 019 261',
      'Veröffentlichungsnummer EP 1 019 261',
      'brevet européen n° 1 019 261',
    ],
  ],
  ['EP 01019261 B1', ['Europäische Patentschrift EP 1 019 261 B1']],
];

/** Whole texts that are no numbers. */
const NOT_READ = [
  '10 1801639 batteries',
  'USB 3.0',
  '2021 Olympics',
  'Model No. 1234567',
  'US Model 1234567',
  'Registration No. 1234567',
  '(10) 12345678',
  'Des 1234567',
  'of 1234567',
  'USP 31-NF 26',
  '한국 2021',
  '미국 12345',
  '발명 1234567',
  '특허출원 2020년',
  '美国标准 12345678',
  '公告 2021年1月',
  '韓国特許第10-1801639号の電池',
  '한국 특허 제10-1801639호의 전지',
  'Korea Patent 10-1801639 and others',
];

describe('numbers as they are printed and cited', () => {
  for (const [expected, texts] of READ) {
    for (const text of texts) {
      it(`reads ${text}`, () => {
        assert.equal(reading(text), expected);
        assert.ok(isNumber(text), 'a question');
      });
    }
  }

  it('reads Korean registrations with blanks or with parts', () => {
    for (const text of ['10 1801639', '10-1801639-00-00', '10 1801639 B1']) {
      assert.ok(isNumber(text), text);
      const korean = parsePatentNumber(plainNumber(text)).filter(({ country }) => country === 'KR');
      assert.equal(korean[0]?.number, '1018016390000', text);
    }
    assert.equal(plainNumber('10 2011 0013556'), '10-2011-0013556');
  });

  it('reads no other texts', () => {
    for (const text of NOT_READ) assert.ok(!isNumber(text), text);
  });

  it('returns a text that it does not change as it is, of any length', () => {
    for (const text of [
      'kr1020200104349a',
      'a battery',
      '特開2021-041306',
      '(10)'.repeat(2_500),
      '特許'.repeat(5_000),
    ])
      assert.equal(plainNumber(text), text);
    const words = fc.constantFrom('特許', '등록', 'US', 'Patent', '(10)', '號', '第', ' ', '1234567', '(P');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const found = plainNumber(text);
        assert.equal(plainNumber(found), found, 'a plain number stays as it is');
        if (text.length > NUMBER_MAX_CHARS) assert.equal(found, text);
      }),
    );
  });
});
