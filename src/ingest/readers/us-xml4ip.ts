/**
 * Papers of US file wrappers, XML4IP: claims, specification or abstract as filed by an applicant, one paper
 * per file. They name their application but no publication. Several papers of one application contradict each
 * other, because each amendment is a separate paper, so no paper is the text of a publication. The reader
 * skips them by name instead of reporting an unknown format.
 */
import { splitXml } from '../split.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { parseXml, textAt, xmlRootName } from './xml.js';

const NAMESPACE = 'urn:us:gov:doc:uspto:patent';
const ROOT = /^(?:\w+)?Document$/;

function parse(bytes: Uint8Array): ParsedUnit {
  const skipped = parseXml(bytes).map((root) => {
    if (!ROOT.test(root.name))
      throw new DamagedDocument(`expected a file wrapper document, found <${root.name}>`);
    const code = textAt(root, 'DocumentCode') ?? root.name;
    const header = ['DocumentHeaderDetails', 'ApplicationHeaderDetails', 'ApplicationNumber'];
    const number = textAt(root, ...header) ?? 'without a number';
    const date = textAt(root, 'MailRoomDate');
    const received = date ? `, received ${date}` : '';
    return { reason: `paper ${code} of application ${number}${received}: it bears no publication number` };
  });
  return { patents: [], skipped };
}

export const usXml4ip: Reader = {
  format: 'us-xml4ip',
  title: 'US file wrapper paper, XML4IP',
  version: 2,
  detect(head) {
    if (!ROOT.test(xmlRootName(head) ?? '')) return false;
    return Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 8192)).includes(NAMESPACE);
  },
  split: splitXml,
  parse,
};
