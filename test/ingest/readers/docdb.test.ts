/** Numbers and names of DOCDB and Open Patent Services, in their several forms. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withRight } from '../../../src/ingest/readers/docdb-numbers.js';
import { detectReader, parseUnit } from '../../../src/ingest/readers/registry.js';
import { normaliseApplicationNumber } from '../../../src/patent/application-number.js';
import type { Patent } from '../../../src/patent/record.js';

/** A document-id of a form; `country number kind date` with `-` for what the form lacks. */
function documentId(form: string, written: string): string {
  const parts = written.split(' ');
  const fields = ['country', 'doc-number', 'kind', 'date'].map((name, at) =>
    (parts[at] ?? '-') === '-' ? '' : `<${name}>${parts[at]}</${name}>`,
  );
  return `<document-id document-id-type="${form}">${fields.join('')}</document-id>`;
}

function read(front: string): Patent {
  const published = documentId('docdb', 'US 2012116137 A1 20120510');
  const { patents, failed } = parseUnit(
    'docdb',
    Buffer.from(`<exchange-document country="US" doc-number="2012116137" kind="A1"><bibliographic-data>
<publication-reference>${published}</publication-reference>${front}<invention-title lang="en">Gate</invention-title>
</bibliographic-data></exchange-document>`),
  );
  assert.equal(failed, undefined);
  assert.ok(patents[0]);
  return patents[0];
}

const application = (...ids: string[]): string =>
  `<application-reference>${ids.join('')}</application-reference>`;
const priorities = (...claims: string[][]): string =>
  `<priority-claims>${claims
    .map((ids, at) => `<priority-claim sequence="${at + 1}">${ids.join('')}</priority-claim>`)
    .join('')}</priority-claims>`;

it('a US number without its series gets the series of its day, in the form of DOCDB and of EPODOC', () => {
  const docdb = read(application(documentId('docdb', 'US 40809899 A 19990929')));
  assert.equal(docdb.application_number, '09408098');
  const { application_number, priorities: claimed } = read(
    application(documentId('epodoc', '- US20100942680 - 20101109')) +
      priorities(
        [documentId('docdb', 'US 8359798 A 19980522'), documentId('epodoc', '- US19980083597')],
        [documentId('docdb', 'US 9500698 P 19980730')],
        [documentId('epodoc', '- US20020396363P - 20020715'), documentId('original', '- 2002:396363')],
      ),
  );
  assert.equal(application_number, '12942680');
  assert.deepEqual(
    claimed?.map(({ number }) => number),
    ['09083597', '60095006', '60396363'],
  );
});

it('the day of a national phase does not tell the series', () => {
  const { application_number } = read(
    application(documentId('docdb', 'US 45670909 A 20091015')) +
      priorities([documentId('docdb', 'WO US2009060001 W 20091015')]),
  );
  assert.equal(application_number, '20090456709');
});

it('an application that claims itself, in whatever form, claims no priority', () => {
  const own = application(
    documentId('docdb', 'US 45670909 A'),
    documentId('epodoc', '- US20090456709 - 20090622'),
    documentId('original', '- 12/456,709'),
  );
  for (const claim of [
    'docdb|US 45670909 A 20090622',
    'epodoc|- US20090456709 - -',
    'original|US 12456709 A',
  ]) {
    const [form = '', id = ''] = claim.split('|');
    const { priorities: claimed, priority_date } = read(own + priorities([documentId(form, id)]));
    assert.deepEqual([claimed, priority_date], [undefined, undefined], claim);
  }
});

const party = (role: string, form: string, sequence: number, name: string): string =>
  `<${role} data-format="${form}" sequence="${sequence}"><${role}-name><name>${name}</name></${role}-name></${role}>`;
const parties = (applicants: string, inventors: string): string =>
  `<parties><applicants>${applicants}</applicants><inventors>${inventors}</inventors></parties>`;

it('inventors are applicants of a US patent only if no other applicant is stated', () => {
  const inventor = party('inventor', 'docdb', 1, 'FANG HOWARD L [US]');
  const applied = party('applicant', 'docdb', 1, 'FANG HOWARD L [US]');
  const company = party('applicant', 'docdb', 2, 'PRIMUS GREEN ENERGY INC [US]');
  assert.deepEqual(read(parties(applied + company, inventor)).applicants, [
    { name: 'PRIMUS GREEN ENERGY INC' },
  ]);
  assert.deepEqual(read(parties(applied, inventor)).applicants, [{ name: 'FANG HOWARD L' }]);
});

it('a person as printed and in the letters of DOCDB is one person', () => {
  const { inventors } = read(
    parties(
      '',
      party('inventor', 'docdb', 1, 'KYLMAENEN, JARI') +
        party('inventor', 'docdb', 2, 'BAUER, EVA') +
        party('inventor', 'original', 3, 'Kylmänen, Jari') +
        party('inventor', 'docdb', 4, 'KYLMANEN, JARI'),
    ),
  );
  assert.deepEqual(inventors, [{ name: 'Kylmänen, Jari' }, { name: 'BAUER, EVA' }]);
});

it("an international application among the priorities is read from EPODOC's form", () => {
  const { priorities: claimed, pct_application } = read(
    application(documentId('epodoc', '- US201314434001 - 20131011')) +
      priorities(
        [documentId('epodoc', '- US201261713164P - 20121012'), documentId('original', '- 61/713,164')],
        [documentId('epodoc', '- WO2013US64552 - 20131011'), documentId('original', '- 2013064552')],
      ),
  );
  assert.deepEqual(claimed, [
    { country: 'US', number: '61713164', date: '2012-10-12' },
    { country: 'WO', number: 'US2013064552', date: '2013-10-11' },
  ]);
  assert.deepEqual(pct_application, { number: 'PCT/US2013/064552', date: '2013-10-11' });
});

it('an international application of another day is a priority only', () => {
  const { priorities: claimed, pct_application } = read(
    application(documentId('epodoc', '- US201314434001 - 20131011')) +
      priorities([documentId('epodoc', '- WO2012US64552 - 20121110')]),
  );
  assert.deepEqual(claimed, [{ country: 'WO', number: 'US2012064552', date: '2012-11-10' }]);
  assert.equal(pct_application, undefined);
});

it('the categories of a citation and of its passages are each named once, and literature in parts is one text', () => {
  const { citations } = read(`<references-cited>
<citation cited-phase="ISR" sequence="1"><patcit><document-id><country>EP</country><doc-number>1900001</doc-number><kind>A1</kind></document-id></patcit><rel-passage><category>X</category><category>Y</category></rel-passage><category>XY</category></citation>
<citation cited-phase="ISR" sequence="2"><nplcit npl-type="w"><online><author><name>EXAMPLE ADA</name></author><online-title>Gates of fields</online-title><pubdate><sdate>20110224</sdate></pubdate><avail>http://gate.example/1</avail></online></nplcit><category>A</category></citation>
<citation cited-phase="ISR" sequence="3"><nplcit><text>EXAMPLE: "Gates"</text><article><atl>Gates</atl></article></nplcit></citation>
</references-cited>`);
  assert.deepEqual(
    citations?.map(({ patent_id, text, category }) => [patent_id ?? text, category]),
    [
      ['EP01900001A1', 'XY'],
      ['EXAMPLE ADA, Gates of fields, 20110224, http://gate.example/1', 'A'],
      ['EXAMPLE: "Gates"', undefined],
    ],
  );
});

it('answers of OPS as JSON are read as those in XML', () => {
  const answer = {
    'ops:world-patent-data': {
      '@xmlns': { ops: 'http://ops.epo.org', $: 'http://www.epo.org/exchange' },
      'ftxt:fulltext-documents': {
        'ftxt:fulltext-document': {
          '@system': 'ops.epo.org',
          'bibliographic-data': {
            'publication-reference': {
              'document-id': { country: { $: 'EP' }, 'doc-number': { $: '3456700' }, kind: { $: 'A1' } },
            },
          },
          claims: {
            '@lang': 'EN',
            claim: { 'claim-text': [{ $: '1. A pot, h < 5.' }, { $: '2. The pot of claim 1.' }] },
          },
        },
      },
    },
  };
  const text = JSON.stringify(answer);
  assert.equal(detectReader(Buffer.from(`\ufeff [${text}]`))?.format, 'ops-json');
  const { patents, failed } = parseUnit('ops-json', Buffer.from(text));
  assert.equal(failed, undefined);
  assert.deepEqual(patents, [
    {
      patent_id: 'EP03456700A1',
      country: 'EP',
      number: '03456700',
      kind_code: 'A1',
      language: 'en',
      claims: [
        { number: 1, text: 'A pot, h < 5.' },
        { number: 2, text: 'The pot of claim 1.', depends_on: [1] },
      ],
      partial: true,
    },
  ]);
  const document = answer['ops:world-patent-data']['ftxt:fulltext-documents']['ftxt:fulltext-document'];
  const damaged = structuredClone(document);
  damaged['bibliographic-data']['publication-reference']['document-id']['doc-number'].$ = 'none';
  const two = {
    'ops:world-patent-data': { 'ftxt:fulltext-documents': { 'ftxt:fulltext-document': [damaged, document] } },
  };
  const part = parseUnit('ops-json', Buffer.from(JSON.stringify(two)));
  assert.deepEqual(
    [part.patents.length, part.failed === undefined],
    [1, false],
    'one does not hide the other',
  );
  const nested = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
  const deep = parseUnit('ops-json', Buffer.from(`{"ops:world-patent-data":${nested}}`));
  assert.match(deep.skipped[0]?.reason ?? '', /without documents/);
  assert.match(parseUnit('ops-json', Buffer.from('{"ops:world')).failed?.reason ?? '', /not JSON/);
});

it('the kind of an application is its right: U a utility model, F a design', () => {
  const read = (country: string, number: string, kind: string) =>
    normaliseApplicationNumber(country, withRight(country, number, kind));
  assert.equal(read('JP', '2019004567', 'U'), '2019004567U');
  assert.equal(read('JP', '2019004567', 'F'), '2019004567S');
  assert.equal(read('KR', '20180004327', 'F'), '3020180004327');
  assert.equal(read('KR', '20180004327', 'U'), '2020180004327');
  assert.equal(read('JP', '2019004567', 'T'), '2019004567');
  assert.equal(read('DE', '202007003914', 'U'), '202007003914');
});
