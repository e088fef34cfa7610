import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { PatentInput } from '../../../src/ingest/patent-input.js';
import { patentJsonSchema } from '../../../src/ingest/patent-schema.js';
import { jsonLines } from '../../../src/ingest/readers/json-lines.js';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import type { Patent } from '../../../src/patent/record.js';
import { line } from '../documents.js';

const read = (text: string) => parseUnit('jsonl', Buffer.from(text));
function patent(fields: Record<string, unknown>): Patent {
  const { patents, failed } = read(line(fields));
  assert.equal(failed, undefined, failed?.reason);
  assert.ok(patents[0]);
  return patents[0];
}

describe('JSON Lines', () => {
  it('needs a number and one text', () => {
    assert.deepEqual(patent({}), {
      ...{ patent_id: 'EP03539467A1', country: 'EP', number: '03539467', kind_code: 'A1', title: 'Hinge' },
    });
  });

  it('has the earliest of its priorities as its priority date, unless the record states one', () => {
    const priorities = [
      { country: 'KR', number: '1020100000001', date: '2010-01-01' },
      { country: 'US', number: '61000001', date: '2009-05-05' },
      { country: 'JP', number: '2009000001' },
    ];
    assert.equal(patent({ priorities }).priority_date, '2009-05-05');
    assert.equal(patent({ priorities, priority_date: '2009-01-01' }).priority_date, '2009-01-01');
    assert.ok(!('priority_date' in patent({ priorities: [priorities[2]] })));
  });

  it('reads a complete record, and writes the same again', () => {
    const record: Patent = {
      ...{
        patent_id: 'KR1020200104349A',
        country: 'KR',
        number: '1020200104349',
        kind_code: 'A',
        language: 'ko',
      },
      ...{ title: '경첩', titles: { en: 'Hinge' }, abstract: '경첩.', abstracts: { en: 'A hinge.' } },
      claims: [
        { number: 1, text: '경첩.' },
        { number: 2, text: '강철 경첩.', depends_on: [1] },
      ],
      description: [{ section: '기술분야', paragraphs: [{ number: 1, text: '사다리.' }, { text: '경첩.' }] }],
      ...{ filing_date: '2019-02-26', publication_date: '2020-09-03', priority_date: '2018-03-01' },
      applicants: [{ name: '가나(주)', name_en: 'Gana' }],
      inventors: [{ name: '김가나' }],
      ...{ ipc_codes: ['E06C 1/32'], cpc_codes: ['E06C 1/32'], application_number: '1020190022001' },
      ...{
        family_id: '123',
        family_derived: false,
        drawings: [{ file: 'a.png', label: '도 1', representative: true }],
      },
      agents: [{ name: '이대리', name_en: 'Lee' }],
      examiners: [{ name: '박심사' }],
      ...{ fi_codes: ['E04D 13/064 501A'], f_terms: ['2E108AA01'], uspc_codes: ['435/320.1'] },
      pct_application: { number: 'PCT/KR2018/016728', date: '2018-12-27' },
      pct_publication: { number: 'WO2019135546' },
      legal_status: { status: '공개', date: '2020-09-03' },
      priorities: [{ country: 'JP', number: '2018036001', date: '2018-03-01' }],
      citations: [
        {
          ...{ patent_id: 'US09971313B2', country: 'US', number: '09971313', kind: 'B2' },
          ...{ category: 'X', cited_by: 'examiner' },
        },
        { country: 'DE', number: '10 2010 020 315' },
        { text: 'Reed, On hinges, 1999', cited_by: 'applicant' },
      ],
    };
    assert.deepEqual(read(JSON.stringify(record)).patents, [record]);
  });

  it('accepts the short notations', () => {
    const found = patent({
      ...{
        claims: ['A hinge.', 'A pin.'],
        description: 'One.\n\nTwo.',
        applicants: 'Rung AG',
        inventors: ['Reed, Ann'],
      },
      ...{ application_number: '04106384.3', ipc_codes: ['e06c001/32'], abstract: null, _source: 'mine' },
    });
    assert.deepEqual(found.claims, [
      { number: 1, text: 'A hinge.' },
      { number: 2, text: 'A pin.' },
    ]);
    assert.deepEqual(found.description, [
      { section: 'Description', paragraphs: [{ text: 'One.' }, { text: 'Two.' }] },
    ]);
    assert.deepEqual(found.applicants, [{ name: 'Rung AG' }]);
    assert.equal(found.application_number, '04106384');
    assert.deepEqual(found.ipc_codes, ['E06C 1/32']);
  });

  it('removes the own number of a claim from the beginning of a text that stands alone', () => {
    const texts = (claims: unknown) => patent({ claims }).claims?.map(({ number, text }) => [number, text]);
    assert.deepEqual(texts(['1. A hinge.', ' 2) A pin.', '4. A rod.', '3.5 mm of steel.']), [
      [1, 'A hinge.'],
      [2, 'A pin.'],
      [3, '4. A rod.'],
      [4, '3.5 mm of steel.'],
    ]);
    assert.deepEqual(texts(['1．경첩.', '2. 핀.', '3.']), [
      [1, '1．경첩.'],
      [2, '핀.'],
      [3, '3.'],
    ]);
    // With a number of its own, a text is kept: it may begin with a list, and an export is read back unchanged.
    const numbered = ['1) a chelating agent; 2) a base', '2. 핀.', '3．경첩.'];
    assert.deepEqual(
      texts(numbered.map((text, at) => ({ number: at + 1, text }))),
      numbered.map((text, at) => [at + 1, text]),
    );
  });

  it('names the known field for another name of it, and the nearest of few names', () => {
    const reasonOf = (fields: object) => read(line({ ...fields })).failed?.reason;
    for (const [name, known] of [
      ['assignee', 'applicants'],
      ['Owner', 'applicants'],
      ['ipc', 'ipc_codes'],
      ['id', 'patent_id'],
      ['absract', 'abstract'],
    ] as const) {
      assert.equal(reasonOf({ [name]: 'x' }), `${name}: unknown field; did you mean ${known}?`);
    }
    assert.equal(
      reasonOf({ zzzzzzz: 1 }),
      'zzzzzzz: unknown field; remove it, or let its name begin with _. `priorart ingest --schema` prints the known fields',
    );
    assert.equal(
      reasonOf({ applicants: [{ name: 'A', address: 'B' }] }),
      'applicants[0].address: unknown field; known are name, name_en',
    );
  });

  it('null means absent, also within a field', () => {
    const claims = [{ number: 1, text: 'A hinge.', depends_on: null }];
    const inventors = [{ name: 'Reed', name_en: null }];
    assert.deepEqual(
      [patent({ claims, inventors }).claims, patent({ claims, inventors }).inventors],
      [[{ number: 1, text: 'A hinge.' }], [{ name: 'Reed' }]],
    );
  });

  it('infers the kind only if the number allows one kind', () => {
    const kind = (number: string, country?: string) =>
      read(JSON.stringify({ number, country, title: 'x' })).patents[0]?.patent_id;
    assert.equal(kind('1020200104349', 'KR'), 'KR1020200104349A');
    assert.equal(kind('1022149430000', 'KR'), 'KR1022149430000B1');
    assert.equal(kind('20180184900', 'US'), 'US20180184900A1');
    assert.equal(kind('D1050455', 'US'), 'USD1050455S1');
    assert.equal(kind('09971313', 'US'), undefined);
    assert.match(
      read(JSON.stringify({ number: '09971313', country: 'US', title: 'x' })).failed?.reason ?? '',
      /kind_code: missing/,
    );
  });

  it('takes the kind of the record if the number names its letter only', () => {
    const kind = (publication_number: string, kind_code: string) =>
      read(JSON.stringify({ publication_number, kind_code, title: 'x' })).patents[0]?.patent_id;
    assert.equal(kind('특허 제10-2020-0104349호', 'A'), 'KR1020200104349A');
    assert.equal(kind('등록특허 10-0866101', 'B1'), 'KR1008661010000B1');
    assert.equal(kind('特許第6235612号', 'B2'), 'JP06235612B2');
    assert.equal(kind('実用新案登録第2500001号', 'Y2'), 'JP02500001Y2');
    assert.equal(kind('再表2018/062001', 'A5'), 'JP30062001A5');
    // DOCDB calls a translation A.
    assert.equal(kind('JP2018524120A', 'T'), 'JP30524120T');
  });

  it('reads the WO number of a JP re-publication', () => {
    const { patents, failed } = read(
      JSON.stringify({ publication_number: 'WO2018/062001', country: 'JP', kind_code: 'A1', title: 'x' }),
    );
    assert.deepEqual([patents[0]?.patent_id, failed], ['JP30062001A1', undefined]);
  });

  it('a Japanese number with a slash is no US application', () => {
    const { patents } = read(
      JSON.stringify({ number: '10/123456', country: 'JP', kind_code: 'A', title: 'x' }),
    );
    assert.equal(patents[0]?.patent_id, 'JP10123456A');
  });

  it('skips other countries and names them', () => {
    for (const fields of [
      { country: 'DE', number: '102007003914', kind_code: 'A1' },
      { publication_number: 'WO2017190418A1' },
    ]) {
      const { patents, skipped, failed } = read(JSON.stringify({ ...fields, title: 'x' }));
      assert.deepEqual([patents, failed], [[], undefined]);
      assert.match(skipped[0]?.reason ?? '', /DE|WO/);
    }
  });

  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ title: 7 }, /^title: 7; expected a text/],
    [{ title: '  ' }, /^title: an empty text/],
    [{ filing_date: '2023-02-29' }, /^filing_date: "2023-02-29"; expected a real day/],
    [{ filing_date: '20230228' }, /^filing_date: "20230228"; expected a real day, YYYY-MM-DD/],
    [
      {
        claims: [
          { number: 1, text: 'a' },
          { number: 0, text: 'b' },
        ],
      },
      /^claims\[1\]\.number: 0; expected a whole number from 1/,
    ],
    [{ claims: [{ number: 1 }] }, /^claims\[0\]\.text: missing/],
    [{ claims: [{ number: 1, text: null }] }, /^claims\[0\]\.text: missing/],
    [{ claims: [null] }, /^claims\[0\]: null/],
    [{ claims: 'A hinge.' }, /^claims: "A hinge\."; expected a list \(in order/],
    [{ abstrct: 'x' }, /^abstrct: unknown field; did you mean abstract\?/],
    [{ ipc_codes: ['H01'] }, /^ipc_codes: "H01"; expected a code/],
    [{ applicants: [{ nam: 'x' }] }, /^applicants\[0\]\.name: missing/],
    [{ drawings: [{ file: '../x.png' }] }, /^drawings\[0\]\.file: .*expected file name without folder/],
    [{ titles: { english: 'x' } }, /^titles\.english: "x"; expected a language/],
    [{ titles: 'x' }, /^titles: "x"; expected an object with a field for each language/],
    [{ translated_claims: { en: [{ number: 1 }] } }, /^translated_claims\.en\[0\]\.text: missing/],
    [{ applicants: [7] }, /^applicants\[0\]: 7; expected a name, or an object with name/],
    [{ description: [{ paragraphs: [{ text: 7 }] }] }, /^description\[0\]\.paragraphs\[0\]\.text: 7/],
    [
      { citations: [{ country: 'US' }] },
      /^citations\[0\]: \{"country":"US"\}; expected patent_id, country and number, or text/,
    ],
    [
      { citations: [{ text: 'Reed', cited_by: 'me' }] },
      /^citations\[0\]\.cited_by: "me"; expected one of examiner, applicant/,
    ],
    [
      { priorities: [{ country: 'KR', number: '1', date: '2020-02-31' }] },
      /^priorities\[0\]\.date: "2020-02-31"; expected a real day/,
    ],
    [{ publication_number: 'what' }, /^country: missing, and publication_number "what" does not name it/],
    [{ publication_number: 'what', country: 'EP' }, /expected a publication number of EP/],
    [
      { patent_id: 'EP03539467A1', kind_code: 'B1' },
      /^kind_code: "B1"; expected A1, the kind of patent_id "EP03539467A1"$/,
    ],
    [
      { publication_number: 'US 9,971,313 B2', kind_code: 'A1' },
      /^kind_code: "A1"; expected B2, the kind of publication_number "US 9,971,313 B2"$/,
    ],
    [{ patent_id: 'EP03539467A1', country: 'US' }, /^patent_id: "EP03539467A1"; expected a .* of US/],
    [{ title: null }, /^no text/],
    [{ publication_number: null }, /^no number/],
  ];
  for (const [fields, reason] of wrong) {
    it(`refuses ${JSON.stringify(fields)}`, () => {
      const { patents, failed } = read(line(fields));
      assert.equal(patents.length, 0);
      assert.match(failed?.reason ?? '', reason);
    });
  }

  it('refuses a value that is not an object', () => {
    assert.match(read('{"a":').failed?.reason ?? '', /not a JSON object/);
    assert.match(read('[1]').failed?.reason ?? '', /the record: \[1\]; expected an object$/);
    assert.match(read('null').failed?.reason ?? '', /the record: null/);
  });

  it('tells its lines from other JSON', () => {
    assert.equal(jsonLines.detect(Buffer.from(line())), true);
    assert.equal(jsonLines.detect(Buffer.from('{"id":1}')), false);
  });

  describe('the JSON Schema', () => {
    const accepts = new Ajv2020({ strict: false }).compile(patentJsonSchema());

    it('accepts what the reader accepts', () => {
      for (const fields of [
        {},
        { claims: ['A hinge.'], description: 'One.', applicants: 'Rung AG', inventors: ['Reed, Ann'] },
        { abstract: null, titles: { en: null }, claims: [{ number: 1, text: 'A', depends_on: null }] },
        { _source: { any: 1 }, pct_application: { number: 'PCT/KR2018/016728', date: '2018-12-27' } },
      ]) {
        assert.equal(patent(fields).patent_id, 'EP03539467A1');
        assert.equal(accepts(JSON.parse(line(fields))), true, JSON.stringify(accepts.errors));
      }
    });

    it('refuses what the reader refuses by its form', () => {
      for (const fields of [
        { title: 7 },
        { title: ' ' },
        { abstrct: 'x' },
        { claims: [{ number: 0, text: 'b' }] },
        { claims: [null] },
        { filing_date: '20230228' },
        { titles: { english: 'x' } },
        { drawings: [{ file: 'a/b.png' }] },
      ]) {
        assert.equal(read(line(fields)).patents.length, 0, JSON.stringify(fields));
        assert.equal(accepts(JSON.parse(line(fields))), false, JSON.stringify(fields));
      }
    });
  });

  it('takes every field of a record', () => {
    type Fits = Patent extends PatentInput ? true : false;
    type Lacks = Exclude<keyof Patent, keyof PatentInput>;
    const fits: [Fits, [Lacks] extends [never] ? true : Lacks] = [true, true];
    assert.deepEqual(fits, [true, true]);
  });
});
