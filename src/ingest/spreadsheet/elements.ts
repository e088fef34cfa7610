/** The elements of a large part of a spreadsheet (rows, texts), a group at a time. The tree of a whole part would take a multiple of its size. */
import { setImmediate } from 'node:timers/promises';
import { SPREADSHEET } from '../../limits.js';
import { decodeText } from '../readers/decode.js';
import { DamagedDocument } from '../readers/reader.js';
import { childElements, parseXml, type XmlElement } from '../readers/xml.js';
import { utf16Of } from '../sniff.js';
import { UnpackError } from '../unpack.js';

/** Bytes of elements that are parsed together. */
const GROUP_BYTES = 1 << 20;
/** Bytes in which the root element begins. */
const ROOT_BYTES = 4096;
const ROOT = /<(?:([A-Za-z_][\w.-]{0,63}):)?(?:worksheet|sst)(?=[\s/>])/;
const PLACE = /^XML: line \d+, column \d+: /;

/** The error of a spreadsheet with a part that cannot be read. */
export function damagedPart(what: string, error: unknown): unknown {
  if (!(error instanceof DamagedDocument)) return error;
  // The lines and columns are those of a group, which the user does not see.
  return new UnpackError(`damaged spreadsheet: ${what}: ${error.message.replace(PLACE, '')}`);
}

/**
 * The elements `name` of the element `container` of a part, such as the `row` of `sheetData`. All have the prefix of the root
 * element. Other work of the process gets its turn between groups.
 * @throws UnpackError if an element is too large
 * @throws DamagedDocument if the part is not well-formed
 */
export async function* elementsOf(part: Buffer, container: string, name: string): AsyncGenerator<XmlElement> {
  const bytes = utf16Of(part) === undefined ? part : Buffer.from(decodeText(part));
  const root = ROOT.exec(bytes.toString('latin1', 0, ROOT_BYTES));
  if (!root) throw new DamagedDocument('it has no root element of a spreadsheet');
  const prefix = root[1] === undefined ? '' : `${root[1]}:`;
  const begin = tagAt(bytes, `<${prefix}${container}`, root.index, bytes.length);
  const open = begin === undefined ? -1 : bytes.indexOf('>', begin);
  if (open < 0) throw new DamagedDocument(`it has no <${container}>`);
  if (bytes[open - 1] === SLASH) return;
  const end = bytes.lastIndexOf(`</${prefix}${container}`);
  if (end < open) throw new DamagedDocument(`it ends before </${container}>`);
  const tag = `<${prefix}${name}`;
  let at = tagAt(bytes, tag, open, end);
  while (at !== undefined) {
    const next = groupEnd(bytes, tag, at, end);
    const stop = next ?? end;
    if (stop - at > SPREADSHEET.rowBytes) {
      const what = name === 'row' ? 'row' : 'text';
      throw new UnpackError(`a ${what} of more than ${SPREADSHEET.rowBytes} bytes; save the sheet as CSV`);
    }
    yield* childElements(groupOf(bytes.subarray(at, stop)), name);
    at = next;
    await setImmediate();
  }
}

const SLASH = 0x2f;
/** Blanks, `/` and `>`: what may follow the name of an element. */
const AFTER_NAME = new Set([0x20, 0x09, 0x0a, 0x0d, SLASH, 0x3e]);

/** Position of the next start tag, such as `<x:row`. `undefined` if `end` comes first. */
function tagAt(bytes: Buffer, tag: string, from: number, end: number): number | undefined {
  const within = bytes.subarray(0, end);
  let at = within.indexOf(tag, from);
  while (at >= 0 && !AFTER_NAME.has(within[at + tag.length] ?? 0)) at = within.indexOf(tag, at + 1);
  return at < 0 ? undefined : at;
}

/** Position of the first element of the next group; `undefined` if this group is the last. */
function groupEnd(bytes: Buffer, tag: string, from: number, end: number): number | undefined {
  if (end - from <= GROUP_BYTES) return undefined;
  let at = bytes.lastIndexOf(tag, from + GROUP_BYTES);
  while (at > from && !AFTER_NAME.has(bytes[at + tag.length] ?? 0)) at = bytes.lastIndexOf(tag, at - 1);
  return at > from ? at : tagAt(bytes, tag, from + GROUP_BYTES, end);
}

/** A group as one element. */
function groupOf(bytes: Buffer): XmlElement | undefined {
  return parseXml(Buffer.concat([Buffer.from('<group>'), bytes, Buffer.from('</group>')]))[0];
}
