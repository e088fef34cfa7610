/**
 * Special forms of single offices, each in a document written for this project in the office's form. The complete
 * records are in `fixtures/formats/golden`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { representatives } from '../../../src/drawings/representative.js';
import { detectReader, parseUnit } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';
import type { Patent } from '../../../src/patent/record.js';

const FORMATS = resolve('fixtures/formats');

interface Read {
  patents: Patent[];
  /** Position and reason of each failure. */
  failures: { position: string; reason: string }[];
  skipped: string[];
}

/** The result of reading one fixture of `fixtures/formats`. */
async function read(name: string): Promise<Read> {
  const found: Read = { patents: [], failures: [], skipped: [] };
  for await (const item of openSources([join(FORMATS, name)])) {
    if (isFailure(item)) {
      found.failures.push({ position: item.position, reason: item.reason });
      continue;
    }
    const { patents, skipped, failed } = parseUnit(item.format, item.bytes);
    found.patents.push(...patents);
    found.skipped.push(...skipped.map(({ reason }) => reason));
    if (failed) found.failures.push({ position: item.position, reason: failed.reason });
  }
  return found;
}

const ids = ({ patents }: Read): string[] => patents.map(({ patent_id }) => patent_id);

const FIXTURE = (name: string) => readFileSync(join(FORMATS, name), 'utf8');

describe('what a source leaves out', () => {
  it('headings of translated Chinese applications begin sections', () => {
    for (const heading of [
      '发明的效果',
      '发明所要解决的技术问题',
      '解决技术问题所采用的技术方案',
      '附图的简单说明',
      '专利文献',
    ]) {
      const text = FIXTURE('cn-st36-b.xml').replace('>背景技术<', `>${heading}<`);
      const [patent] = parseUnit(detectReader(Buffer.from(text))!.format, Buffer.from(text)).patents;
      assert.ok(
        patent!.description!.some(({ section }) => section === heading),
        heading,
      );
    }
  });

  it('KIPRIS says that the rest of an abstract is left out; its answer tells no family', () => {
    const text = '부력체의 높이를 조절할 수 있다.';
    const of = (abstract: string) =>
      parseUnit('kipris-xml', Buffer.from(FIXTURE('kipris-search.xml').replace(text, abstract))).patents[0]!;
    assert.match(of('부력체의 높이를 마이...(이하생략)').abstract!, / 높이를 마이…$/);
    assert.match(of('(이하생략) 높이를 조절한다.').abstract!, / \(이하생략\) 높이를 조절한다\.$/);
    const { application_number: number, family_id: family } = of(text);
    assert.deepEqual([number, family], ['1020190028001', undefined]);
  });
});

describe('numbers', () => {
  it('a JP re-publication of an international application has the WO number', async () => {
    const gazette = await read('jp-gazette-republication.xml');
    assert.deepEqual([ids(gazette), gazette.failures], [['JP30062001A1'], []]);
    const docdb = await read('docdb-old-numbers.xml');
    assert.ok(ids(docdb).includes('JP30062002A1'), ids(docdb).join());
    const google = await read('google-republication.json');
    assert.ok(ids(google).includes('JP30062001A1'), ids(google).join());
  });

  it('KR numbers before 1998 have a year of two digits', async () => {
    const { patents, failures } = await read('docdb-old-numbers.xml');
    const korean = patents.filter(({ country }) => country === 'KR');
    assert.deepEqual(
      [korean.map(({ patent_id, application_number }) => [patent_id, application_number]), failures],
      [
        [
          ['KR1019830009677A', '1019820001001'],
          ['KR1019800001540B1', '1019770002001'],
        ],
        [],
      ],
    );
    assert.ok(ids(await read('google-republication.json')).includes('KR1019830009677A'));
  });
});

it('KIPRIS tables keep the international stage, the agents and the status', async () => {
  const { patents } = await read('kipris-tables');
  const [open, granted] = patents;
  for (const patent of [open, granted]) {
    assert.deepEqual(patent?.pct_application, { number: 'PCT/JP2016/079001', date: '2016-10-05' });
    assert.deepEqual(patent?.pct_publication, { number: 'WO2017061001', date: '2017-04-13' });
    assert.deepEqual(patent?.agents, [{ name: '특허법인예시' }]);
    assert.deepEqual(patent?.legal_status, { status: '등록', date: '2020-05-18' });
  }
  const model = patents.find(({ kind_code }) => kind_code === 'Y1');
  assert.deepEqual([model?.pct_application, model?.pct_publication], [undefined, undefined]);
});

it('a JP utility model has a grant date only if it was registered', () => {
  const dates = (publication_number: string, publication_date: number): unknown[] => {
    const record = { publication_number, title_localized: [{ text: 'Lamp' }], publication_date };
    const { patents } = parseUnit('google-patents', Buffer.from(JSON.stringify(record)));
    return patents.map((patent) => [patent.publication_date, patent.grant_date]);
  };
  assert.deepEqual(dates('JP-H03123456-U', 19911216), [['1991-12-16', undefined]]);
  assert.deepEqual(dates('JP-3206566-U', 20160929), [['2016-09-29', '2016-09-29']]);
  assert.deepEqual(dates('JP-6235612-B2', 20171122), [['2017-11-22', '2017-11-22']]);
  assert.deepEqual(dates('CN-206543210-U', 20171107), [['2017-11-07', '2017-11-07']]);
});

it("an export of Google Patents has old international and Japanese application numbers in DOCDB's form", () => {
  const claims = [
    ['US-9816128-W', 19980803],
    ['EP-9605057-W', 19961118],
    ['US-2004035927-W', 20041028],
    ['JP-33193890-A', 19901129],
    ['JP-8000290-A', 19900328],
    ['JP-2004320001-A', 20041104],
  ].map(([application_number, filing_date]) => ({ application_number, filing_date }));
  const read = (fields: object): Patent | undefined => {
    const record = { publication_number: 'EP-1000001-A1', title_localized: [{ text: 'Lamp' }], ...fields };
    return parseUnit('google-patents', Buffer.from(JSON.stringify(record))).patents[0];
  };
  assert.deepEqual(
    read({ priority_claim: claims })?.priorities?.map(({ country, number }) => `${country} ${number}`),
    [
      'WO US1998016128',
      'WO EP1996005057',
      'WO US2004035927',
      'JP 1990331938',
      'JP 1990080002',
      'JP 2004320001',
    ],
  );
  const own = read({
    ...{ publication_number: 'JP-H04199999-A', application_number: 'JP-33193890-A', filing_date: 19901129 },
  });
  assert.equal(own?.application_number, '1990331938');
});

describe('DOCDB', () => {
  it("an application number has the office's own form", async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(
      patents.map(({ patent_id, application_number }) => [patent_id, application_number]),
      [
        ['US07123401B2', '11023667'],
        ['JP18123401A', '2004320001'],
        ['EP01555001A1', '04100001'],
      ],
    );
  });

  it('a priority in several forms is one priority', async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(patents[0]?.priorities, [{ country: 'US', number: '60533301', date: '2003-12-30' }]);
  });

  it('a name in several forms is one name, in its own script with the Latin form beside it', async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(patents[0]?.applicants, [{ name: 'Invented Gates, Inc.' }, { name: 'UNIV OF NOWHERE' }]);
    assert.deepEqual(patents[1]?.applicants, [{ name: '株式会社架空農具', name_en: 'KAKUU NOUGU:KK' }]);
    assert.deepEqual(patents[1]?.inventors, [{ name: '例示 次郎', name_en: 'REIJI JIROU' }]);
    assert.deepEqual(patents[2]?.applicants, [{ name: 'Gedacht AG' }]);
  });
});

describe('KIPRIS detail answers', () => {
  it('an answer as XML gives the records of its JSON form', async () => {
    const { patents, failures } = await read('kipris-detail.xml');
    assert.deepEqual(failures, []);
    assert.deepEqual(
      patents.map(({ patent_id, publication_date, grant_date, claims, citations }) => [
        patent_id,
        publication_date,
        grant_date,
        claims?.map(({ number, text }) => `${number} ${text}`),
        citations?.length,
      ]),
      [
        ['KR1020200109777A', '2020-09-22', undefined, undefined, undefined],
        [
          'KR1022227770000B1',
          '2021-03-04',
          '2021-02-25',
          ['1 부력체를 포함하는 화분.', '3 제1항에 있어서, 부력체의 높이가 조절되는 화분.'],
          1,
        ],
      ],
    );
    assert.deepEqual(patents[0]?.inventors, [{ name: '홍예시', name_en: 'HONG, Yesi' }, { name: '김가상' }]);
    assert.equal(
      patents[0]?.abstract,
      '본 발명은 물에 뜨는 화분에 관한 것으로,\n부력체의 높이가 1 < h < 5 cm이다.',
    );
    assert.equal(patents[0]?.priority_date, '2018-04-02');
  });

  it('a design or trademark is counted as skipped', () => {
    const xml =
      '<response><body><item><biblioSummaryInfoArray><biblioSummaryInfo><articleName>의자</articleName></biblioSummaryInfo></biblioSummaryInfoArray></item></body></response>';
    assert.equal(detectReader(Buffer.from(xml))?.format, 'kipris-detail-xml');
    assert.match(parseUnit('kipris-detail-xml', Buffer.from(xml)).skipped[0]?.reason ?? '', /neither/);
  });
});

describe('KIPRIS search answers', () => {
  it('the status of the registration is read, with its day', async () => {
    const { patents } = await read('kipris-search.xml');
    assert.deepEqual(
      patents.map(({ legal_status }) => legal_status),
      [
        { status: '등록', date: '2021-02-25' },
        { status: '등록', date: '2021-02-25' },
        { status: '등록', date: '2016-08-05' },
      ],
    );
  });

  it('elements with attributes, blanks and prefixes are recognised', () => {
    for (const tag of ['<PatentUtilityInfo id="1">', '<PatentUtilityInfo\n>', '<k:PatentUtilityInfo>'])
      assert.equal(detectReader(Buffer.from(`<response>${tag}`))?.format, 'kipris-xml', tag);
    const word =
      '<items><item n="1"><applicationNumber>1020200000001</applicationNumber><inventionTitle lang="ko">';
    assert.equal(detectReader(Buffer.from(`<response><body>${word}`))?.format, 'kipris-xml');
  });

  it('a damaged item affects only itself, and its position is reported', async () => {
    const { patents, failures } = await read('kipris-many.xml');
    assert.equal(patents.length, 93);
    assert.equal(failures.length, 2);
    const text = readFileSync(join(FORMATS, 'kipris-many.xml'));
    const items = [...text.toString('latin1').matchAll(/<item>/g)].map(({ index }) => `byte ${index}`);
    assert.deepEqual(
      failures.map(({ position }) => position),
      [items[9], items[89]],
    );
    assert.match(
      failures[0]?.reason ?? '',
      /^XML: line 1, column \d+: the attribute 관한 of <화분에> has no value/,
    );
    assert.match(failures[1]?.reason ?? '', /<item> does not end/);
  });
});

describe('names', () => {
  it("a dead inventor's legal representatives do not replace the assignee, and HTML entities are decoded", async () => {
    const [patent] = (await read('us-legal-representative.xml')).patents;
    assert.deepEqual(patent?.applicants, [{ name: 'Sellerie Inventée "L\'Exemple" R&D' }]);
    assert.deepEqual(patent?.inventors, [{ name: 'Exemple, Jean-Marc' }]);
  });

  it('HTML entities in names of KIPRIS are decoded', async () => {
    const [patent] = (await read('kipris-detail.json')).patents;
    const names = [{ name: '조인트 스탁 컴퍼니 "프리메로프"', name_en: 'JSC "PRIMEROV"' }];
    assert.deepEqual(patent?.applicants, names);
  });
});

describe('filings and citations', () => {
  it('a priority of an unknown country keeps its number and date', async () => {
    const [patent] = (await read('kipris-detail.json')).patents;
    assert.deepEqual(patent?.priorities, [
      { country: 'RU', number: '2015118567', date: '2015-05-18' },
      { number: 'P123415', date: '2015-06-01' },
      { country: 'EE', number: 'P201500012', date: '2015-07-01' },
    ]);
    assert.equal(patent?.family_id, 'RU2015118567');
  });

  it('a divisional of a divisional belongs to the family of the first application', async () => {
    const [patent] = (await read('ep-st36-divisional.xml')).patents;
    assert.equal(patent?.family_id, 'EP99104001');
  });

  it('cited WO publications have one form', async () => {
    const cited = async (name: string) =>
      (await read(name)).patents
        .at(-1)
        ?.citations?.map(({ country, number, kind }) => [country, number, kind]);
    assert.deepEqual(await cited('ep-st36-divisional.xml'), [
      ['WO', '1998012345', 'A1'],
      ['WO', '2004032928', 'A'],
    ]);
    assert.deepEqual(await cited('kipris-detail.json'), [
      ['WO', '2012034567', 'A1'],
      ['WO', '1998012345', 'A1'],
    ]);
  });
});

describe('CN publications in ST.96', () => {
  it('a grant has its assignees, examiners and cited references', async () => {
    const [patent] = (await read('cn-st96-b.xml')).patents;
    assert.deepEqual(patent?.applicants, [{ name: '虚构清洁科技股份有限公司' }]);
    assert.deepEqual(patent?.examiners, [{ name: '例审' }]);
    assert.deepEqual(patent?.citations, [
      { patent_id: 'CN203000654U', country: 'CN', number: '203000654', kind: 'U', cited_by: 'examiner' },
      { country: 'TW', number: 'M390654', kind: 'A1', cited_by: 'examiner' },
      { text: '范例. 滚刷清洁的研究. 虚构大学, 2019.', cited_by: 'examiner' },
    ]);
  });

  it('paragraphs in nested groups keep their numbers, and groups without a printed heading have one', async () => {
    const [patent] = (await read('cn-st96-b.xml')).patents;
    assert.deepEqual(
      patent?.description?.map(({ section, paragraphs }) => [
        section,
        paragraphs.map(({ number }) => number),
      ]),
      [
        ['技术领域', [1]],
        ['发明内容', [2, 3, 4]],
        ['具体实施方式', [6]],
      ],
    );
  });

  it('powers in a cell stay powers, and a line break stays a gap', async () => {
    const [patent] = (await read('cn-st96-b.xml')).patents;
    const texts = patent?.description?.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
    assert.ok(texts?.includes('结果见表1。\n细菌 | 10^6 CFU Na+'), texts?.join('\n'));
  });

  it('a design is read', async () => {
    const { patents, failures } = await read('cn-st96-s.xml');
    assert.deepEqual(failures, []);
    const [patent] = patents;
    assert.deepEqual(
      [patent?.patent_id, patent?.title, patent?.filing_date, patent?.grant_date],
      ['CN307000321S', '椅子', '2021-10-13', undefined],
    );
    assert.equal(patent?.abstract, '1.本外观设计产品的名称：椅子。\n2.用途：用于坐。');
    assert.deepEqual(patent?.locarno_codes, ['06-01']);
    assert.deepEqual(patent?.applicants, [{ name: '虚构家具有限公司' }]);
    assert.deepEqual(patent?.inventors, [{ name: '范例' }]);
    assert.deepEqual(patent?.agents, [{ name: '虚构知识产权代理有限公司' }, { name: '代礼人' }]);
  });
});

describe('CN publications in ST.36', () => {
  it('paragraphs in nested groups keep their numbers, and no text beside them is lost', () => {
    const front =
      '<cn-publication-reference><document-id><country>CN</country><doc-number>105000123</doc-number><kind>A</kind></document-id></cn-publication-reference>';
    const description =
      '<description><technical-field>本发明涉及椅子。</technical-field><disclosure><tech-problem><p num="0002">椅子难折。</p></tech-problem><tech-solution><p num="0003">椅子有铰链。</p>椅背可折。</tech-solution></disclosure><p num="0004">附图说明</p><p num="0005">图1是椅子。</p></description>';
    const { patents } = parseUnit(
      'cn-patent-document',
      Buffer.from(
        `<cn-patent-document><cn-bibliographic-data>${front}</cn-bibliographic-data><application-body>${description}</application-body></cn-patent-document>`,
      ),
    );
    assert.deepEqual(patents[0]?.description, [
      { section: '技术领域', paragraphs: [{ text: '本发明涉及椅子。' }] },
      {
        section: '发明内容',
        paragraphs: [
          { number: 2, text: '椅子难折。' },
          { number: 3, text: '椅子有铰链。' },
          { text: '椅背可折。' },
        ],
      },
      { section: '附图说明', paragraphs: [{ number: 5, text: '图1是椅子。' }] },
    ]);
  });

  it('the drawing of the abstract may be in the bibliographic data', async () => {
    const [patent] = (await read('cn-st36-abstract-drawing.xml')).patents;
    assert.deepEqual(patent?.drawings, [
      { file: 'A20081000432100001.TIF', label: '图1' },
      { file: '200810004321.TIF', representative: true },
    ]);
  });

  it('the bars of MathML are bars', async () => {
    const [patent] = (await read('cn-st36-abstract-drawing.xml')).patents;
    const text = patent?.description?.[0]?.paragraphs[0]?.text ?? '';
    assert.match(text, /E = \|L - M\| \+ \| ?x/);
    assert.doesNotMatch(text, /\p{Co}/u);
  });
});

describe('EP publications', () => {
  it('a name has no address of another company', () => {
    const holder = (tag: string, name: string, suffix = '') =>
      `<${tag}><snm>${name}</snm><sfx>${suffix}</sfx></${tag}>`;
    const parties =
      `<B710>${holder('B711', 'Beispiel GmbH')}</B710>` +
      `<B720>${holder('B721', 'Exemple, Ada\nc/o Beispiel GmbH')}${holder('B721', 'Muster, Otto', 'Dr.')}</B720>`;
    const { patents } = parseUnit(
      'ep-patent-document',
      Buffer.from(
        `<ep-patent-document lang="en" country="EP" doc-number="2480001" kind="A1"><SDOBI><B500><B540><B541>en</B541><B542>Paste</B542></B540></B500><B700>${parties}</B700></SDOBI></ep-patent-document>`,
      ),
    );
    assert.deepEqual(patents[0]?.applicants, [{ name: 'Beispiel GmbH' }]);
    assert.deepEqual(patents[0]?.inventors, [{ name: 'Exemple, Ada' }, { name: 'Muster, Otto Dr.' }]);
  });

  it('a stray < in a heading affects only the heading, and its position is reported', async () => {
    const { patents, failures } = await read('ep-st36-stray.xml');
    assert.deepEqual(
      patents.map(({ patent_id, title, claims }) => [patent_id, title, claims?.length]),
      [['EP02480001B1', 'Paste', 1]],
    );
    assert.deepEqual(
      patents[0]?.description?.map(({ section, paragraphs }) => [
        section,
        paragraphs.map(({ number }) => number),
      ]),
      [['Field', [1, 2, 3]]],
    );
    assert.equal(failures.length, 1);
    const lines = readFileSync(join(FORMATS, 'ep-st36-stray.xml'), 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes('<starch'));
    const [, row, column] =
      /^XML: line (\d+), column (\d+): .*; <heading> is left out$/.exec(failures[0]!.reason) ?? [];
    assert.equal(Number(row), line + 1);
    const [from, to] = ['<starch', '</b>'].map((part) => lines[line]!.indexOf(part));
    assert.ok(Number(column) > from! && Number(column) <= to!, failures[0]!.reason);
  });

  it('images of formulas are drawings, but never the representative one', async () => {
    const [patent] = (await read('ep-st36-stray.xml')).patents;
    assert.deepEqual(patent?.drawings, [
      { file: 'imgf0001.tif', label: 'Fig. 1' },
      { file: 'imgb0001.tif', content: 'chemistry' },
      { file: 'imgb0002.tif', content: 'mathematics' },
      { file: 'imgb0004.tif', content: 'chemistry' },
    ]);
    assert.deepEqual(representatives(patent?.drawings ?? []), [{ file: 'imgf0001.tif', label: 'Fig. 1' }]);
  });
});

describe('fields for patent professionals', () => {
  /** Fields that no search uses, without empty ones. */
  const special = ({ patents }: Read) => {
    const {
      pct_application,
      pct_publication,
      fi_codes,
      f_terms,
      uspc_codes,
      agents,
      examiners,
      legal_status,
    } = patents.at(-1)!;
    return JSON.parse(
      JSON.stringify({
        pct_application,
        pct_publication,
        fi_codes,
        f_terms,
        uspc_codes,
        agents,
        examiners,
        legal_status,
      }),
    );
  };

  it('KIPRIS: international numbers, agents, examiner, status', async () => {
    assert.deepEqual(special(await read('kipris-detail.json')), {
      pct_application: { number: 'PCT/RU2016/000567', date: '2016-05-12' },
      pct_publication: { number: 'WO2016184567', date: '2016-11-24' },
      agents: [
        { name: '김예시', name_en: 'Kim Yesi' },
        { name: '홍가상', name_en: 'Hong Gasang' },
      ],
      examiners: [{ name: '예시관' }],
      legal_status: { status: '등록', date: '2019-02-27' },
    });
  });

  it('JP: international numbers, FI, F-terms, agents', async () => {
    assert.deepEqual(special(await read('jp-gazette-republication.xml')), {
      pct_application: { number: 'PCT/JP2017/034001', date: '2017-09-26' },
      pct_publication: { number: 'WO2018062001', date: '2018-04-05' },
      fi_codes: ['E04D 13/064 501A', 'E04D 13/068 B'],
      f_terms: ['2E108AA01', '2E108BB11'],
      agents: [{ name: '見本 花子' }],
    });
  });

  it('US: international numbers, USPC, agents, examiners', async () => {
    assert.deepEqual(special(await read('us-legal-representative.xml')), {
      pct_application: { number: 'PCT/FR2008/050001', date: '2008-01-29' },
      pct_publication: { number: 'WO2008107001', date: '2008-09-12' },
      uspc_codes: ['24/58.1', '435/320.1', 'D14/387'],
      agents: [{ name: 'Invented & Partners, LLP' }],
      examiners: [{ name: 'Sample, Robert J.' }, { name: 'Model, Rowland' }],
    });
  });

  it('EP: international numbers, agents', async () => {
    assert.deepEqual(special(await read('ep-st36-stray.xml')), {
      pct_application: { number: 'PCT/GB2010/050001', date: '2010-07-02' },
      pct_publication: { number: 'WO2011001001', date: '2011-01-06' },
      agents: [{ name: 'Mustermann, Max et al' }],
    });
  });

  it('CN, ST.36 and ST.96: international numbers, agents', async () => {
    assert.deepEqual(special(await read('cn-st36-b.xml')), {
      pct_application: { number: 'PCT/KR2015/007001', date: '2015-07-09' },
      pct_publication: { number: 'WO2016007001', date: '2016-01-14' },
      agents: [{ name: '虚构专利代理事务所' }, { name: '代礼人' }],
    });
    const { agents, ...numbers } = special(await read('cn-st96-a.xml'));
    assert.deepEqual(numbers, {
      pct_application: { number: 'PCT/JP2019/035321', date: '2019-09-06' },
      pct_publication: { number: 'WO2020054321', date: '2020-03-19' },
    });
    assert.deepEqual(agents, [{ name: '虚构知识产权代理有限公司' }, { name: '代礼人' }]);
  });

  it('DOCDB: FI, F-terms, USPC, the international application', async () => {
    const { patents, ...rest } = await read('docdb-exchange.xml');
    const of = (country: string) =>
      special({ ...rest, patents: patents.filter((patent) => patent.country === country) });
    assert.deepEqual(of('JP'), {
      fi_codes: ['A01G 31/00 601A', 'A01G 31/06 Z'],
      f_terms: ['2B314MA12'],
    });
    assert.deepEqual(of('US'), {
      pct_application: { number: 'PCT/JP2021/003002', date: '2021-01-29' },
      uspc_codes: ['47/62.00R'],
    });
  });

  it('US before 2005, ST.32: international numbers, USPC, agents, examiners', async () => {
    assert.deepEqual(special(await read('us-st32.xml')), {
      pct_application: { number: 'PCT/EP1999/009111', date: '1999-11-24' },
      pct_publication: { number: 'WO2000033001', date: '2000-06-08' },
      uspc_codes: ['99/295', 'D7/300', '340/573.4'],
      agents: [{ name: 'Marsh & Reed' }],
      examiners: [{ name: 'Aminer, Ex' }, { name: 'Ple, Sam' }],
    });
  });

  it('US before 2005, PAP: international application, USPC', async () => {
    assert.deepEqual(special(await read('us-pap.xml')), {
      pct_application: { number: 'PCT/JP2001/008001', date: '2001-09-14' },
      uspc_codes: ['440/49', '416/134.1'],
    });
  });

  it('US of BRS: international numbers, USPC, agents, examiners', async () => {
    assert.deepEqual(special(await read('us-brs.txt')), {
      pct_application: { number: 'PCT/KR2008/007001', date: '2008-11-27' },
      pct_publication: { number: 'WO2009078001', date: '2009-06-25' },
      uspc_codes: ['56/8', '56/9.5', 'D15/12'],
      agents: [{ name: 'Marsh & Reed, PLLC' }, { name: 'Sample, Sue' }],
      examiners: [{ name: 'Aminer, Ex' }, { name: 'Ple, Sam A' }],
    });
  });
});
