/** Small documents in the formats of the offices, written for these tests, and archives. */
import type { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { crc32 } from '../../src/store/crc32.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

export interface RedBookParts {
  number?: string;
  kind?: string;
  front?: string;
  abstract?: string;
  description?: string;
  claims?: string;
  title?: string;
  after?: string;
}

/** A US grant of the red book v4.5. */
export function grantXml(parts: RedBookParts = {}): string {
  const { number = '09100001', kind = 'B2', front = '', title = 'Hinge for a folding ladder' } = parts;
  return `${DECLARATION}<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN" dtd-version="v4.5 2014-04-03" country="US" date-publ="20150804">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>${number}</doc-number><kind>${kind}</kind><date>20150804</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>14123456</doc-number><date>20131202</date></document-id></application-reference>
${front}
<invention-title id="d2e43">${title}</invention-title>
</us-bibliographic-data-grant>
${parts.abstract ?? '<abstract id="abstract"><p id="p-0001" num="0000">A hinge locks by gravity.</p></abstract>'}
${parts.after ?? ''}
<description id="description">${parts.description ?? '<heading level="1">FIELD</heading><p id="p-0002" num="0001">Ladders fold.</p>'}</description>
<claims id="claims">${parts.claims ?? '<claim id="CLM-00001" num="00001"><claim-text>1. A hinge, comprising a pin.</claim-text></claim>'}</claims>
</us-patent-grant>
`;
}

/** A KIPRIS detail record; `fields` override those of the summary. */
export function kiprisRecord(
  fields: Record<string, string> = {},
  more: Record<string, unknown> = {},
): string {
  const claims = (...texts: string[]) => ({
    claims: texts.map((text, at) => ({ claim_number: at + 1, text })),
  });
  return JSON.stringify({
    biblioSummaryInfoArray: {
      biblioSummaryInfo: {
        applicationDate: '2018.12.21',
        applicationNumber: '10-2018-0160001',
        inventionTitle: '접이식 사다리의 경첩',
        inventionTitleEng: 'HINGE FOR A FOLDING LADDER',
        openDate: '2020.07.01',
        openNumber: '10-2020-0077001',
        publicationDate: '2021.03.05',
        registerDate: '2021.02.26',
        registerNumber: '10-2220001-0000',
        ...fields,
      },
    },
    ipcInfoArray: { ipcInfo: { ipcDate: '(2006.01.01)', ipcNumber: 'E06C 1/32' } },
    abstractInfoArray: { abstractInfo: { astrtCont: '경첩은 중력으로 잠긴다.' } },
    claims: {
      first_version: claims('핀을 포함하는 경첩.', '제1항에 있어서, 핀은 강철인 경첩.'),
      last_version: claims('강철 핀을 포함하는 경첩.', ''),
    },
    familyInfoArray: { familyInfo: '' },
    internationalInfoArray: { internationalInfo: { internationalApplicationNumber: '' } },
    applicantInfoArray: { applicantInfo: { name: '가나사다리(주)', engName: 'Gana Ladder Co., Ltd.' } },
    inventorInfoArray: {
      inventorInfo: [
        { name: '김가나', engName: 'KIM, Gana' },
        { name: '이다라', engName: '' },
      ],
    },
    priorityInfoArray: '',
    imagePathInfo: { docName: '1020180160001.jpg' },
    ...more,
  });
}

/** A line of the project's own JSON Lines. */
export function line(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ publication_number: 'EP3539467A1', title: 'Hinge', ...fields });
}

export function tarOf(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const packed = pack();
  for (const [name, content] of Object.entries(entries)) packed.entry({ name }, content);
  packed.finalize();
  return bytesOf(packed as unknown as Readable);
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Method of a zip entry. */
const DEFLATED = 8;

/** A readable zip. Its entries are stored as they are, or deflated. */
export function zipOf(entries: Record<string, string | Buffer>, isDeflated = false): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const whole = Buffer.from(content);
    const data = isDeflated ? deflateRawSync(whole) : whole;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isDeflated ? DEFLATED : 0, 4);
    fields.writeUInt32LE(crc32(whole), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(whole.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
