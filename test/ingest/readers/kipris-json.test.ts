import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import type { Patent } from '../../../src/patent/record.js';
import { kiprisRecord } from '../documents.js';

const read = (json: string) => parseUnit('kipris-json', Buffer.from(json));
function patents(json: string): Patent[] {
  const unit = read(json);
  assert.equal(unit.failed, undefined, unit.failed?.reason);
  return unit.patents;
}

it('yields the application with the first claims and the grant with the last', () => {
  const [open, granted, ...rest] = patents(kiprisRecord());
  assert.ok(open && granted);
  assert.equal(rest.length, 0);
  assert.equal(open.patent_id, 'KR1020200077001A');
  assert.equal(open.publication_date, '2020-07-01');
  assert.equal(open.grant_date, undefined);
  assert.deepEqual(
    open.claims?.map(({ text }) => text),
    ['핀을 포함하는 경첩.', '제1항에 있어서, 핀은 강철인 경첩.'],
  );
  assert.equal(granted.patent_id, 'KR1022200010000B1');
  assert.equal(granted.publication_date, '2021-03-05');
  assert.equal(granted.grant_date, '2021-02-26');
  assert.deepEqual(granted.claims, [{ number: 1, text: '강철 핀을 포함하는 경첩.' }]);
  for (const found of [open, granted]) {
    assert.equal(found.application_number, '1020180160001');
    assert.equal(found.filing_date, '2018-12-21');
    assert.equal(found.title, '접이식 사다리의 경첩');
    assert.deepEqual(found.titles, { en: 'HINGE FOR A FOLDING LADDER' });
    assert.deepEqual(found.applicants, [{ name: '가나사다리(주)', name_en: 'Gana Ladder Co., Ltd.' }]);
    assert.deepEqual(found.inventors, [{ name: '김가나', name_en: 'KIM, Gana' }, { name: '이다라' }]);
    assert.deepEqual(found.ipc_codes, ['E06C 1/32']);
    assert.deepEqual(found.drawings, [{ file: '1020180160001.jpg', representative: true }]);
    assert.equal(found.priority_date, undefined);
    assert.equal(found.family_id, 'KR1020180160001');
  }
});

it('yields published documents only', () => {
  assert.deepEqual(
    patents(kiprisRecord({ registerNumber: '' })).map(({ kind_code }) => kind_code),
    ['A'],
  );
  assert.deepEqual(
    patents(kiprisRecord({ openNumber: '' })).map(({ kind_code }) => kind_code),
    ['B1'],
  );
  assert.match(
    read(kiprisRecord({ openNumber: '', registerNumber: '' })).failed?.reason ?? '',
    /not published/,
  );
});

it('recognises utility models and designs by the number', () => {
  const utility = patents(kiprisRecord({ openNumber: '20-2019-0000806', registerNumber: '20-0130550-0000' }));
  assert.deepEqual(
    utility.map(({ patent_id }) => patent_id),
    ['KR2020190000806U', 'KR2001305500000Y1'],
  );
  const design = patents(
    kiprisRecord(
      { openNumber: '', registerNumber: '30-1000001-0000' },
      { locarnoInfoArray: { locarnoInfo: { locarnoNumber: '25-04' } } },
    ),
  );
  assert.deepEqual(
    design.map(({ patent_id }) => patent_id),
    ['KR3010000010000S'],
  );
  assert.deepEqual(design[0]?.locarno_codes, ['25-04']);
});

it('reads priority and family from the earlier application of the record', () => {
  const priority = (entry: unknown) => ({ priorityInfoArray: { priorityInfo: entry } });
  const claimed = patents(
    kiprisRecord(
      {},
      priority([
        {
          priorityApplicationCountry: '미국',
          priorityApplicationNumber: '62/700,001',
          priorityApplicationDate: '2018.07.19',
        },
        {
          priorityApplicationCountry: '유럽특허청(EPO)',
          priorityApplicationNumber: '17106384.3',
          priorityApplicationDate: '2017.12.27',
        },
      ]),
    ),
  )[0];
  assert.equal(claimed?.priority_date, '2017-12-27');
  assert.equal(claimed?.family_id, 'EP17106384');
  const divided = patents(
    kiprisRecord(
      { originalApplicationNumber: '10-2016-0100001' },
      { familyInfoArray: { familyInfo: [{ familyApplicationNumber: '1020190000001' }, ''] } },
    ),
  )[0];
  assert.equal(divided?.family_id, 'KR1020160100001');
  const international = patents(
    kiprisRecord(
      {},
      {
        internationalInfoArray: {
          internationalInfo: { internationalApplicationNumber: 'PCT/JP2018/015561' },
        },
      },
    ),
  )[0];
  assert.equal(international?.family_id, 'WOJP2018015561');
});

it('finds records inside an answer, and the claims of a plain one', () => {
  const record = JSON.parse(kiprisRecord());
  record.claims = undefined;
  record.claimInfoArray = { claimInfo: [{ claim: '경첩.' }] };
  const [open, granted] = patents(JSON.stringify({ response: { body: { item: record } } }));
  assert.equal(open?.claims, undefined);
  assert.deepEqual(granted?.claims, [{ number: 1, text: '경첩.' }]);
});

it('claims of a plain answer have their number in the text, and deleted ones only that', () => {
  const record = JSON.parse(kiprisRecord());
  record.claims = undefined;
  record.claimInfoArray = {
    claimInfo: [
      { claim: '1. 경첩. ' },
      { claim: '2. 삭제' },
      { claim: '3. 제1항에 있어서, 지름이 1.5 mm인 핀.' },
      { claim: '4.삭제' },
      {
        claim:
          '5. <P INDENT="14" ALIGN="JUSTIFIED">제3항에 있어서,</P><P INDENT="14">CO<SUB>2</SUB> 10<SUP>6</SUP> ppm.</P>',
      },
      { claim: '2. 단계로 접히는 사다리.' },
    ],
  };
  assert.deepEqual(patents(JSON.stringify(record))[1]?.claims, [
    { number: 1, text: '경첩.' },
    { number: 3, text: '제1항에 있어서, 지름이 1.5 mm인 핀.', depends_on: [1] },
    { number: 5, text: '제3항에 있어서,\nCO2 10^6 ppm.', depends_on: [3] },
    { number: 6, text: '2. 단계로 접히는 사다리.' },
  ]);
});

it('leaves out claims that were abandoned at registration, and keeps the numbers of the others', () => {
  const record = JSON.parse(kiprisRecord());
  const notice = (number: number): string => `청구항 ${number}은(는) 설정등록료 납부시 포기되었습니다.`;
  const numbers = (claims: string[]): number[] | undefined => {
    record.claims.last_version = { claims: claims.map((text, at) => ({ claim_number: at + 1, text })) };
    return patents(JSON.stringify(record))[1]?.claims?.map(({ number }) => number);
  };
  assert.deepEqual(
    numbers([
      '경첩.',
      `${notice(2)}제1항에 있어서, 경첩.`,
      `◈${notice(3)}◈제1항에 있어서, 경첩.`,
      `[${notice(4)}]제1항에 있어서, 경첩.`,
      '◈ 청구항 5는 설정등록료 납부 시 포기되었습니다. ◈\n제1항에 있어서, 경첩.',
      '제1항에 있어서, 설정등록료 납부시 포기되었습니다를 표시하는 경첩.',
    ]),
    [1, 6],
  );
  record.claims = undefined;
  record.claimInfoArray = {
    claimInfo: [{ claim: '경첩.' }, { claim: `${notice(2)}경첩.` }, { claim: '핀.' }],
  };
  assert.deepEqual(
    patents(JSON.stringify(record))[1]?.claims?.map(({ number }) => number),
    [1, 3],
  );
});

it('leaves abandoned claims out of the records of tables too', () => {
  const rows = [
    { 출원번호: '1020180160001', 공개번호: '1020200077001', 등록번호: '1022200010000' },
    {
      출원번호: '1020180160001',
      청구항:
        '<claim num="1">경첩.</claim>' +
        '<claim num="2">◈청구항 2은(는) 설정등록료 납부시 포기되었습니다.◈<br/>제 1 항에 있어서, 경첩.</claim>' +
        '<claim num="3">제 1 항에 있어서, 핀.</claim>',
    },
  ];
  const { patents: found } = parseUnit('kipris-tables', Buffer.from(JSON.stringify(rows)));
  assert.deepEqual(found.at(-1)?.claims, [
    { number: 1, text: '경첩.' },
    { number: 3, text: '제 1 항에 있어서, 핀.', depends_on: [1] },
  ]);
});

it('reports damage', () => {
  assert.match(read('{"biblioSummaryInfoArray":').failed?.reason ?? '', /not JSON/);
  assert.match(read(kiprisRecord({ openNumber: 'abc' })).failed?.reason ?? '', /"abc" is not a KR/);
  assert.match(parseUnit('kipris-json', Buffer.from([0x7b, 0xff, 0x22])).failed?.reason ?? '', /UTF-8/i);
});
