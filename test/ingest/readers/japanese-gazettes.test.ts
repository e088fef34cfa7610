/** Gazettes of the JPO in ST.36 and ST.96, and a weekly file. The complete records are in `fixtures/formats/golden`. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { detectReader, parseUnit } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';
import { zipOf } from '../documents.js';

describe('JP gazettes', () => {
  it('the examiner cites documents on the front page, and the applicant in the description', () => {
    const list = (text: string) => `<citation><patcit num="1"><text>${text}</text></patcit></citation>`;
    const front = `<publication-reference><document-id><country>JP</country><doc-number>6235612</doc-number><date>20171122</date></document-id></publication-reference><references-cited>${list('特開２００５－１２３４５６（ＪＰ，Ａ）')}</references-cited>`;
    const text = `<description><citation-list><patent-literature><p num="0001"><patcit num="1"><text>特開平8-9932号公報</text></patcit></p></patent-literature></citation-list></description>`;
    const { patents } = parseUnit(
      'jp-official-gazette',
      Buffer.from(
        `<jp-official-gazette kind-of-jp="B2" kind-of-st16="B2"><bibliographic-data>${front}</bibliographic-data>${text}</jp-official-gazette>`,
      ),
    );
    assert.deepEqual(
      patents[0]?.citations?.map(({ patent_id, cited_by }) => [patent_id, cited_by]),
      [
        ['JP17123456A', 'examiner'],
        ['JP08009932A', 'applicant'],
      ],
    );
  });

  it('a deleted claim is left out, and the others keep their numbers', () => {
    const id =
      '<publication-reference><document-id><country>JP</country><doc-number>2021100001</doc-number><date>20210701</date></document-id></publication-reference>';
    const claims = ['椅子。', '（削除）', '削除ボタンを有する請求項１に記載の椅子。']
      .map((text, at) => `<claim num="${at + 1}"><claim-text>${text}</claim-text></claim>`)
      .join('');
    const { patents } = parseUnit(
      'jp-official-gazette',
      Buffer.from(
        `<jp-official-gazette kind-of-jp="A" kind-of-st16="A"><bibliographic-data>${id}</bibliographic-data><claims>${claims}</claims></jp-official-gazette>`,
      ),
    );
    assert.deepEqual(
      patents[0]?.claims?.map(({ number }) => number),
      [1, 3],
    );
  });
});

describe('JP gazettes in ST.96', () => {
  const gazette = (root: string, front: string, text = '', prefix = 'jppat') =>
    `<${prefix}:${root}><${prefix}:${root}BibliographicData>${front}</${prefix}:${root}BibliographicData>${text}</${prefix}:${root}>`;
  const front = (number: string, more = '') =>
    `<jppat:PatentPublicationIdentification><pat:PublicationNumber>${number}</pat:PublicationNumber><com:PublicationDate>2024-07-08</com:PublicationDate></jppat:PatentPublicationIdentification><pat:InventionTitle>椅子</pat:InventionTitle>${more}`;
  const parse = (xml: string) => {
    const bytes = Buffer.from(xml);
    const { format } = detectReader(bytes)!;
    return { format, ...parseUnit(format, bytes) };
  };

  it('the root element, the printed kind and the abstract tell the kind', () => {
    const kind = (root: string, more?: string, text?: string) =>
      parse(gazette(root, front('7512301', more), text)).patents[0]?.patent_id;
    const printed = (text: string) =>
      `<pat:PlainLanguageDesignationText>${text}</pat:PlainLanguageDesignationText>`;
    const abstract = '<pat:Abstract><com:P>要約</com:P></pat:Abstract>';
    assert.equal(kind('RegisteredPatentPublication', printed('特許公報(B1)')), 'JP07512301B1');
    assert.equal(kind('RegisteredPatentPublication', printed('特許公報（Ｂ２）'), abstract), 'JP07512301B2');
    assert.equal(kind('RegisteredPatentPublication'), 'JP07512301B2');
    assert.equal(kind('RegisteredPatentPublication', '', abstract), 'JP07512301B1');
    const numbered = parse(gazette('RegisteredPatentPublication', front('0007512301')));
    assert.equal(numbered.patents[0]?.patent_id, 'JP07512301B2');
  });

  it('claims and description are those of the publication, not those of its amendments', () => {
    const claims = (text: string) =>
      `<pat:Claims><pat:Claim><pat:ClaimNumber>1</pat:ClaimNumber><pat:ClaimText>${text}</pat:ClaimText></pat:Claim></pat:Claims>`;
    const described = (text: string) =>
      `<jppat:Description><pat:TechnicalField><com:P com:pNumber="0001">${text}</com:P></pat:TechnicalField></jppat:Description>`;
    const amended = `<jppat:WrittenAmendmentBag>${claims('補正後')}${described('補正後')}</jppat:WrittenAmendmentBag>`;
    const xml = gazette(
      'UnexaminedPatentPublication',
      front('2024512301'),
      claims('椅子。') + described('本発明は椅子に関する。') + amended,
    );
    const [patent] = parse(xml).patents;
    assert.deepEqual(patent?.claims, [{ number: 1, text: '椅子。' }]);
    assert.deepEqual(patent?.description, [
      { section: '技術分野', paragraphs: [{ number: 1, text: '本発明は椅子に関する。' }] },
    ]);
  });

  it('a divisional of a utility model is of the family of its parent, a utility model too', () => {
    const number =
      '<ApplicationIdentification><ApplicationNumber><ApplicationNumberText>2022001501</ApplicationNumberText></ApplicationNumber><FilingDate>2022-05-10</FilingDate></ApplicationIdentification>';
    const familyIn = (relation: string): string | undefined => {
      const bag = `<RelatedDocumentBag><${relation}><ParentDocument>${number}</ParentDocument></${relation}></RelatedDocumentBag>`;
      const xml = readFileSync('fixtures/formats/jp-st96-u.xml', 'utf8');
      const end = '</jputl:RegisteredUtilityModelPublicationBibliographicData>';
      return parse(xml.replace(end, bag + end)).patents[0]?.family_id;
    };
    assert.equal(familyIn('Division'), 'JP2022001501U');
    // It may have been an application for a patent.
    assert.equal(familyIn('Conversion'), 'JP2022001501');

    const own =
      '<publication-reference><document-id><country>JP</country><doc-number>3248001</doc-number><date>20241002</date></document-id></publication-reference>';
    const division =
      '<related-documents><division jp:kind="utility-model"><relation><parent-doc><document-id><doc-number>2012001501</doc-number><date>20120510</date></document-id></parent-doc></relation></division></related-documents>';
    const { patents } = parseUnit(
      'jp-official-gazette',
      Buffer.from(
        `<jp-official-gazette kind-of-jp="U" kind-of-st16="U"><bibliographic-data>${own}<invention-title>傘立て</invention-title>${division}</bibliographic-data></jp-official-gazette>`,
      ),
    );
    assert.equal(patents[0]?.family_id, 'JP2012001501U');
  });

  it('a gazette of an amendment or a correction is skipped', () => {
    for (const [root, what] of [
      ['UnexaminedPatentPublicationAmendment', 'amendment'],
      ['InternationalPatentPublicationCorrection', 'correction'],
    ]) {
      const { format, patents, skipped, failed } = parse(
        `<jppat:${root}><jppat:${root}Header/></jppat:${root}>`,
      );
      assert.deepEqual([format, patents, failed], ['jp-st96', [], undefined]);
      assert.deepEqual(skipped, [{ reason: `${what} of a JP publication, without the whole text` }]);
    }
  });

  it('tables keep their cells and formulas their brackets; only paragraphs have numbers', () => {
    const table = (cell: (text: string) => string): string =>
      `<com:Table com:tableNumber="3"><tbl:table><tbl:tgroup><tbl:tbody><tbl:row><tbl:entry>${cell('一')}</tbl:entry><tbl:entry>${cell('二')}</tbl:entry></tbl:row></tbl:tbody></tbl:tgroup></tbl:table></com:Table>`;
    const formula =
      '<com:Math><mml:math><mml:mfenced open="[" close="]"><mml:mi>a</mml:mi></mml:mfenced></mml:math></com:Math>';
    const inside = table((text) => `<com:P>${text}</com:P>`);
    const text = `<jppat:Description><com:P com:pNumber="0009">前${formula}${inside}</com:P>${table((cell) => cell)}</jppat:Description>`;
    const [patent] = parse(gazette('UnexaminedPatentPublication', front('2024512301'), text)).patents;
    assert.deepEqual(patent?.description?.[0]?.paragraphs, [
      { number: 9, text: '前\n[a]\n一 | 二' },
      { text: '一 | 二' },
    ]);
  });

  it('names in parts, international numbers without PCT/, and another prefix of the language', () => {
    const name = (inner: string): string =>
      `<jppat:Inventor><jpcom:Contact><com:Name>${inner}</com:Name></jpcom:Contact></jppat:Inventor>`;
    const parts = (first: string, last: string): string =>
      name(
        `<com:PersonStructuredName><com:FirstName>${first}</com:FirstName><com:LastName>${last}</com:LastName></com:PersonStructuredName>`,
      );
    const people = `<jppat:PartyBag>${parts('太郎', '山田')}${parts('John', 'Smith')}${name('<com:PersonFullName>鈴木　一郎</com:PersonFullName>')}</jppat:PartyBag>`;
    const pct =
      '<jppat:InternationalFilingData><com:ApplicationNumberText>ＪＰ２０２０／０１２３４５</com:ApplicationNumberText></jppat:InternationalFilingData>';
    const xml = gazette('InternationalPatentPublication', front('2024512301', people + pct));
    const [patent] = parse(xml.replace('Publication>', 'Publication c:languageCode="en">')).patents;
    assert.deepEqual(
      patent?.inventors?.map((person) => person.name),
      ['山田 太郎', 'John Smith', '鈴木 一郎'],
    );
    assert.deepEqual(patent?.pct_application, { number: 'PCT/JP2020/012345' });
    assert.equal(patent?.language, 'en');
  });

  it('an unknown element of the text keeps its words', () => {
    const text =
      '<jppat:Description><jppat:constructor><com:P>群の<jppat:toString>段落</jppat:toString>。</com:P></jppat:constructor></jppat:Description>';
    const [patent] = parse(gazette('UnexaminedPatentPublication', front('2024512301'), text)).patents;
    assert.deepEqual(patent?.description, [
      { section: '発明の詳細な説明', paragraphs: [{ text: '群の段落。' }] },
    ]);
  });
});

describe('a weekly file of the JPO', () => {
  it('gives its publications; lists, schemas and sequence listings beside them are no failures', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'priorart-jpo-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const fixture = (name: string) => readFileSync(resolve('fixtures/formats', name));
    const amendment =
      '<jppat:UnexaminedPatentPublicationAmendment><jppat:UnexaminedPatentPublicationAmendmentHeader/></jppat:UnexaminedPatentPublicationAmendment>';
    const document = 'DOCUMENT/P_A1/2024512301/2024512301';
    const path = join(folder, 'JPA_2024100.zip');
    writeFileSync(
      path,
      zipOf({
        'ABSTRACT.csv': 'A_105,20240912,2024-100,01122\r\n',
        'DOCUMENT_LIST.csv': 'JP,2024512301,A,20240912\r\nJP,2024530001,A,20240816\r\n',
        'DOCUMENT/P_A1/CONTENTS2.csv':
          '98,公開,2024512301,2023031501,1,請, , , , , , ,H01M  10/6556,蓄電池の冷却装置,東京都,000000001,架空電池株式会社\r\n',
        [`${document}/2024512301.xml`]: fixture('jp-st96-a.xml'),
        [`${document}/2024512301000001/2024512301000001.xml`]:
          '<?xml version="1.0"?>\n<!DOCTYPE ST26SequenceListing PUBLIC "-//WIPO//DTD Sequence Listing 1.3//EN" "ST26SequenceListing_V1_3.dtd">\n<ST26SequenceListing dtdVersion="V1_3"/>',
        'DOCUMENT/P_A5/2024000001/2024000001.xml': amendment,
        'DOCUMENT/P_P1/2024530001/2024530001.xml': fixture('jp-st96-t.xml'),
        'XSD/JPUnexaminedPatentPublication_V1_0.xsd':
          '<?xml version="1.0"?>\n<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"/>',
        'XSL/gat.xsl': '<?xml version="1.0"?>\n<!--*-->\n<xsl:transform version="1.0"/>',
        'XSL/commonJS.js': 'function f() { return 1; }\n',
      }),
    );
    const found: string[] = [];
    for await (const item of openSources([path])) {
      if (isFailure(item)) found.push(item.reason);
      else {
        const { patents, skipped, failed } = parseUnit(item.format, item.bytes);
        found.push(...patents.map(({ patent_id }) => patent_id), ...skipped.map(({ reason }) => reason));
        assert.equal(failed, undefined);
      }
    }
    assert.deepEqual(found, [
      'JP36512301A',
      'amendment of a JP publication, without the whole text',
      'JP36530001T',
    ]);
  });
});
