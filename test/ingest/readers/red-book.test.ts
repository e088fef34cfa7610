import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import type { Patent } from '../../../src/patent/record.js';
import { grantXml, type RedBookParts } from '../documents.js';

const read = (xml: string) => parseUnit('us-patent-grant', Buffer.from(xml));
function patent(parts: RedBookParts): Patent {
  const { patents, failed } = read(grantXml(parts));
  assert.equal(failed, undefined, failed?.reason);
  assert.ok(patents[0]);
  return patents[0];
}
const paragraph = (inner: string): string | undefined =>
  patent({ description: `<p id="p-0002" num="0007">${inner}</p>` }).description?.[0]?.paragraphs[0]?.text;

describe('red book: front page', () => {
  it('an invalid kind code is damage', () => {
    const { failed, patents } = read(grantXml({}).replace('<kind>B2</kind>', '<kind>B-1</kind>'));
    assert.deepEqual([failed?.reason, patents], ['"B-1" is not a kind code', []]);
  });

  it('a paragraph with number 0000 has no number', () => {
    const found = patent({
      description: '<p id="p-0001" num="0000">Pins are known.</p><p id="p-0002" num="0001">A pin turns.</p>',
    });
    assert.deepEqual(found.description?.[0]?.paragraphs, [
      { text: 'Pins are known.' },
      { number: 1, text: 'A pin turns.' },
    ]);
  });

  it('reads identity, dates, text', () => {
    const found = patent({});
    assert.equal(found.patent_id, 'US09100001B2');
    assert.equal(found.language, 'en');
    assert.equal(found.title, 'Hinge for a folding ladder');
    assert.equal(found.publication_date, '2015-08-04');
    assert.equal(found.grant_date, '2015-08-04');
    assert.equal(found.filing_date, '2013-12-02');
    assert.equal(found.application_number, '14123456');
    assert.equal(found.priority_date, undefined);
    assert.equal(found.family_id, 'US14123456');
    assert.equal(found.family_derived, true);
    assert.deepEqual(found.claims, [{ number: 1, text: 'A hinge, comprising a pin.' }]);
  });

  it('the international application behind a parent is a priority', () => {
    const found = patent({
      front: `<us-related-documents><continuation><relation><parent-doc><document-id><country>US</country><doc-number>13000001</doc-number><date>20121101</date></document-id>
<parent-pct-document><document-id><country>EP</country><doc-number>PCTEP2011005678</doc-number><date>20110503</date></document-id></parent-pct-document></parent-doc>
<child-doc><document-id><country>US</country><doc-number>14123456</doc-number></document-id></child-doc></relation></continuation></us-related-documents>`,
    });
    assert.equal(found.priority_date, '2011-05-03');
    assert.deepEqual(found.priorities, [
      { country: 'US', number: '13000001', date: '2012-11-01' },
      { country: 'WO', number: 'EP2011005678', date: '2011-05-03' },
    ]);
    assert.equal(found.family_id, 'WOEP2011005678');
  });

  it('takes the earliest of priorities, provisionals and parents, not its own earlier publication', () => {
    const found = patent({
      front: `<priority-claims><priority-claim sequence="01" kind="national"><country>KR</country><doc-number>10-2012-0150001</doc-number><date>20121220</date></priority-claim></priority-claims>
<us-related-documents><continuation><relation><parent-doc><document-id><country>US</country><doc-number>13000001</doc-number><date>20121101</date></document-id></parent-doc><child-doc><document-id><country>US</country><doc-number>14123456</doc-number></document-id></child-doc></relation></continuation>
<us-provisional-application><document-id><country>US</country><doc-number>61700001</doc-number><date>20120907</date></document-id></us-provisional-application>
<related-publication><document-id><country>US</country><doc-number>20140100001</doc-number><kind>A1</kind><date>20110101</date></document-id></related-publication></us-related-documents>`,
    });
    assert.equal(found.priority_date, '2012-09-07');
    assert.equal(found.family_id, 'US61700001');
    assert.deepEqual(found.priorities, [
      { country: 'KR', number: '1020120150001', date: '2012-12-20' },
      { country: 'US', number: '13000001', date: '2012-11-01' },
      { country: 'US', number: '61700001', date: '2012-09-07' },
    ]);
  });

  it('reads citations with their source, in both forms of the list', () => {
    const cited = (number: string, kind: string, country = 'US') =>
      `<patcit num="00001"><document-id><country>${country}</country><doc-number>${number}</doc-number>${kind}<name>Rung et al.</name><date>19990800</date></document-id></patcit>`;
    const literature = '<nplcit num="00003"><othercit>Rung, <i>Hinges</i>,\n 1999</othercit></nplcit>';
    const list = (tag: string, other: string) =>
      `<${tag}>${cited('5793966', '<kind>A</kind>')}<category>cited by examiner</category></${tag}>
<${tag}>${cited('2002/0001111', '<kind>A1</kind>')}<category>cited by ${other}</category></${tag}>
<${tag}>${cited('1999011111', '', 'WO')}<category>cited by ${other}</category></${tag}>
<${tag}>${literature}<category>cited by applicant</category></${tag}>`;
    const expected = (by: object) => [
      { ...{ patent_id: 'US05793966A', country: 'US', number: '05793966', kind: 'A' }, cited_by: 'examiner' },
      { patent_id: 'US20020001111A1', country: 'US', number: '20020001111', kind: 'A1', ...by },
      { country: 'WO', number: '1999011111', ...by },
      { text: 'Rung, Hinges, 1999', cited_by: 'applicant' },
    ];
    const old = patent({ front: `<references-cited>${list('citation', 'other')}</references-cited>` });
    assert.deepEqual(old.citations, expected({}));
    const since = patent({
      front: `<us-references-cited>${list('us-citation', 'applicant')}</us-references-cited>`,
    });
    assert.deepEqual(since.citations, expected({ cited_by: 'applicant' }));
  });

  const person = (last: string, first: string) =>
    `<addressbook><last-name>${last}</last-name><first-name>${first}</first-name></addressbook>`;
  const company = (name: string) => `<addressbook><orgname>${name}</orgname><role>02</role></addressbook>`;

  it('names the assigned company if the law allowed only inventors to apply', () => {
    const found = patent({
      front: `<parties><applicants><applicant sequence="001" app-type="applicant-inventor">${person('Reed', 'Ann B.')}</applicant></applicants></parties>
<assignees><assignee>${company('Ladder &amp; Sons, Inc.')}</assignee></assignees>`,
    });
    assert.deepEqual(found.applicants, [{ name: 'Ladder & Sons, Inc.' }]);
    assert.deepEqual(found.inventors, [{ name: 'Reed, Ann B.' }]);
  });

  it('names the company that applied, and inventors only without another applicant', () => {
    const inventors = `<inventors><inventor sequence="001">${person('Reed', 'Ann')}</inventor></inventors>`;
    const applicant = (inner: string) =>
      `<us-applicant sequence="001" app-type="applicant">${inner}</us-applicant>`;
    const parties = (inner: string) =>
      `<us-parties><us-applicants>${inner}</us-applicants>${inventors}</us-parties>`;
    const both = patent({ front: parties(applicant(person('Reed', 'Ann')) + applicant(company('Rung AG'))) });
    assert.deepEqual(both.applicants, [{ name: 'Rung AG' }]);
    assert.deepEqual(patent({ front: parties(applicant(person('Reed', 'Ann'))) }).applicants, [
      { name: 'Reed, Ann' },
    ]);
  });

  it('reads classifications of every edition', () => {
    const symbol = (tag: string, group: string, sub: string) =>
      `<${tag}><section>E</section><class>06</class><subclass>C</subclass><main-group>${group}</main-group><subgroup>${sub}</subgroup></${tag}>`;
    const found = patent({
      front: `<classifications-ipcr>${symbol('classification-ipcr', '1', '32')}${symbol('classification-ipcr', '1', '32')}</classifications-ipcr>
<classifications-cpc><main-cpc>${symbol('classification-cpc', '1', '32')}</main-cpc><further-cpc>${symbol('classification-cpc', '7', '50')}</further-cpc></classifications-cpc>`,
    });
    assert.deepEqual(found.ipc_codes, ['E06C 1/32']);
    assert.deepEqual(found.cpc_codes, ['E06C 1/32', 'E06C 7/50']);
    const old = patent({
      front:
        '<classification-ipc><edition>7</edition><main-classification>E06C  132</main-classification><further-classification>E06C007/50</further-classification></classification-ipc>',
    });
    assert.deepEqual(old.ipc_codes, ['E06C 1/32', 'E06C 7/50']);
  });

  it('reads a design: letters in the number, Locarno, no abstract', () => {
    const found = patent({
      ...{ number: 'D0700001', kind: 'S1', abstract: '', title: 'Ladder' },
      front:
        '<classification-locarno><edition>10</edition><main-classification>2504</main-classification></classification-locarno>',
      after: `<drawings id="DRAWINGS"><figure id="Fig-EMI-D00000" num="00000"><img id="EMI-D00000" file="USD0700001-20140218-D00000.TIF"/></figure>
<figure id="Fig-EMI-D00001" num="00001"><img file="USD0700001-20140218-D00001.TIF"/></figure></drawings>`,
    });
    assert.equal(found.patent_id, 'USD0700001S1');
    assert.deepEqual(found.locarno_codes, ['25-04']);
    assert.equal(found.abstract, undefined);
    assert.deepEqual(found.drawings, [
      { file: 'USD0700001-20140218-D00000.TIF', representative: true },
      { file: 'USD0700001-20140218-D00001.TIF' },
    ]);
  });
});

describe('red book: text', () => {
  it('makes markup readable', () => {
    assert.equal(
      paragraph(
        'H<sub>2</sub>O at 10<sup>6</sup> Pa, Li<sup>+</sup>, see <figref idref="D">FIG. <b>1</b></figref>',
      ),
      'H2O at 10^6 Pa, Li+, see FIG. 1',
    );
    assert.equal(paragraph('one<br/>two'), 'one\ntwo');
    assert.equal(
      paragraph('x &#x3c; y &amp; &alpha;&agr;&thinsp;&Prime;<![CDATA[ <z> ]]>'),
      'x < y & αα ″ <z>',
    );
    assert.equal(
      paragraph('of:<ul><li>a <b>pin</b></li><li>a bolt<ul><li>steel</li></ul></li></ul>and more'),
      'of:\na pin\na bolt\nsteel\nand more',
    );
    assert.equal(paragraph('<chemistry id="C"><img file="x.TIF"/></chemistry>'), '[chemical structure]');
  });
  it('writes tables row by row', () => {
    const table =
      '<tables><table><tgroup cols="2"><colspec colname="1"/><thead><row><entry>Part</entry><entry>mm</entry></row></thead><tbody><row><entry>pin</entry><entry>4<sup>2</sup></entry></row><row><entry/><entry/></row></tbody></tgroup></table></tables>';
    assert.equal(paragraph(`As follows:${table}`), 'As follows:\nPart | mm\npin | 4^2');
  });
  it('writes formulas on one line', () => {
    const maths =
      '<maths><math><mi>v</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>t</mi><mn>2</mn></msup></mfrac><mo>⁢</mo><msqrt><mi>x</mi></msqrt></math></maths>';
    assert.equal(paragraph(maths), 'v = (a + b)/(t^2) √(x)');
    assert.equal(paragraph('<maths><img file="m.TIF"/></maths> holds'), '[formula] holds');
  });
  it('keeps headings as sections and numbers as printed', () => {
    const found = patent({
      description: `<p id="p-1" num="0001">Before.</p><heading level="1">DETAILED</heading><heading level="2">Example 1</heading>
<p id="p-0003" num="0012">Text.</p><description-of-drawings><heading level="1">DRAWINGS</heading><p id="p-4">FIG. 1 is.</p></description-of-drawings><heading>LAST</heading>`,
    });
    assert.deepEqual(found.description, [
      { section: 'Description', paragraphs: [{ number: 1, text: 'Before.' }] },
      { section: 'DETAILED / Example 1', paragraphs: [{ number: 12, text: 'Text.' }] },
      { section: 'DRAWINGS', paragraphs: [{ number: 4, text: 'FIG. 1 is.' }] },
    ]);
  });
  it('reads nested claims, and removes only their own number', () => {
    const found = patent({
      claims: `<claim id="CLM-00001" num="00001"><claim-text><b>1</b>. A hinge of<claim-text>a pin; and</claim-text><claim-text>a bolt.</claim-text></claim-text></claim>
<claim id="CLM-00002" num="00002"><claim-text>2. The hinge of <claim-ref idref="CLM-00001">claim 1</claim-ref>, 3. of steel.</claim-text></claim>
<claim id="CLM-00003" num="00003"><claim-text>5. not its number</claim-text></claim>
<claim id="CLM-04-07" num="04-07"><claim-text>4-7. (canceled)</claim-text></claim>`,
    });
    assert.deepEqual(found.claims, [
      { number: 1, text: 'A hinge of\na pin; and\na bolt.' },
      { number: 2, text: 'The hinge of claim 1, 3. of steel.', depends_on: [1] },
      { number: 3, text: '5. not its number' },
    ]);
  });
});

describe('red book: damage', () => {
  const whole = grantXml();
  it('reports documents truncated at any byte', () => {
    for (let share = 0.2; share < 0.99; share += 0.05) {
      const cut = whole.slice(0, Math.floor(whole.length * share));
      const { patents, failed } = read(cut);
      assert.equal(patents.length, 0);
      assert.match(failed?.reason ?? '', /XML: line \d+/, cut.slice(-40));
    }
  });
  it('reports bytes that are not text, and detects the encoding despite a wrong declaration', () => {
    const bytes = Buffer.from(grantXml({ title: 'Scharnier für Leitern – groß' }));
    bytes[bytes.indexOf(0xc3)] = 0xff;
    assert.match(parseUnit('us-patent-grant', bytes).failed?.reason ?? '', /not valid UTF-8/);
    const latin = Buffer.from(grantXml({ title: 'Scharnier f\u00fcr Leitern' }), 'latin1');
    assert.equal(parseUnit('us-patent-grant', latin).patents[0]?.title, 'Scharnier für Leitern');
    const lying = Buffer.from(grantXml({ title: 'für' }).replace('UTF-8', 'ISO-8859-1'));
    assert.equal(parseUnit('us-patent-grant', lying).patents[0]?.title, 'für');
  });
  it('expands no entity that a document defines, and loads none', () => {
    let entities = '<!ENTITY a "ha">';
    for (let at = 0; at < 30; at++)
      entities += `<!ENTITY b${at} "${`&${at ? `b${at - 1}` : 'a'};`.repeat(10)}">`;
    const bomb = grantXml({ title: 'x &b29; &file;' }).replace(
      '[ ]',
      `[${entities}<!ENTITY file SYSTEM "file:///etc/passwd">]`,
    );
    const found = read(bomb);
    assert.equal(found.patents[0]?.title, 'x &b29; &file;');
  });
  it('bounds nesting', () => {
    const deep = grantXml({
      abstract: `<abstract>${'<b>'.repeat(100_000)}${'</b>'.repeat(100_000)}</abstract>`,
    });
    assert.match(read(deep).failed?.reason ?? '', /nested deeper/);
  });
  it('reads ten thousand claims', () => {
    const claims = Array.from(
      { length: 10_000 },
      (_, at) => `<claim num="${at + 1}"><claim-text>${at + 1}. A part.</claim-text></claim>`,
    );
    assert.equal(patent({ claims: claims.join('') }).claims?.length, 10_000);
  });
  it('reports missing parts', () => {
    assert.match(
      read(grantXml({ number: 'none' })).failed?.reason ?? '',
      /"none" is not a US publication number/,
    );
    assert.match(read('<us-patent-grant/>').failed?.reason ?? '', /without bibliographic data/);
    assert.match(read('<other/>').failed?.reason ?? '', /found <other>/);
    assert.match(read('').failed?.reason ?? '', /XML/);
  });
});
