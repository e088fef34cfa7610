/** The workbook of a spreadsheet: its sheets, and what their cells refer to. */
import { posix } from 'node:path';
import { SPREADSHEET } from '../../limits.js';
import { childAt, childElements, parseXml, type XmlElement } from '../readers/xml.js';
import { UnpackError } from '../unpack.js';
import type { ZipParts } from '../unzip.js';
import { type CellContext, richText } from './cell.js';
import { isDateFormat } from './date.js';
import { damagedPart, elementsOf } from './elements.js';

export const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';

export interface Sheet {
  name: string;
  /** Name of its part in the archive. Absent parts are told when the sheet is read. */
  part: string;
  /** True if the program does not show it. */
  isHidden: boolean;
}

export interface Workbook extends CellContext {
  /** In the order in which the program shows them. */
  sheets: Sheet[];
}

/** A relation of the workbook: the last word of its type, and the name of its part. */
interface Relation {
  type: string;
  part: string;
}

/** Parts of the styles that are not read. They may be most of it. */
const STYLES_SKIPPED = new Set(['fonts', 'fills', 'borders', 'cellStyleXfs', 'cellStyles', 'dxfs', 'extLst']);

/**
 * Reads the workbook of a spreadsheet.
 * @throws UnpackError if a part is damaged, missing or too large
 */
export async function readWorkbook(parts: ZipParts): Promise<Workbook> {
  const book = await rootOf(parts, WORKBOOK);
  const relations = relationsOf(await rootOf(parts, RELATIONS));
  const partOf = (type: string): string | undefined =>
    [...relations.values()].find((relation) => relation.type === type)?.part;
  const styles = partOf('styles');
  return {
    sheets: sheetsOf(book, relations),
    strings: await sharedStrings(parts, partOf('sharedStrings')),
    dateStyles: styles === undefined ? [] : dateStyles(await rootOf(parts, styles, STYLES_SKIPPED)),
    is1904: isTrue(childAt(book, 'workbookPr')?.attributes['date1904']),
  };
}

/**
 * The bytes of a part that exists, at most `maxBytes`.
 * @throws UnpackError
 */
export async function readPart(parts: ZipParts, part: string, maxBytes: number): Promise<Buffer> {
  const size = parts.size(part);
  if (size > maxBytes) {
    throw new UnpackError(
      `${part} of the spreadsheet has ${size} bytes; at most ${maxBytes} are read: save the sheets as CSV`,
    );
  }
  const bytes = await parts.read(part);
  if (bytes === undefined)
    throw new UnpackError(`damaged spreadsheet: it has no part ${JSON.stringify(part)}`);
  return bytes;
}

async function rootOf(parts: ZipParts, part: string, skip?: ReadonlySet<string>): Promise<XmlElement> {
  const bytes = await readPart(parts, part, SPREADSHEET.otherPartBytes);
  try {
    return parseXml(bytes, skip)[0] as XmlElement;
  } catch (error) {
    throw damagedPart(part, error);
  }
}

/** Relations by their id. */
function relationsOf(root: XmlElement): Map<string, Relation> {
  const found = new Map<string, Relation>();
  for (const { attributes } of childElements(root, 'Relationship')) {
    const { Id: id, Type: type = '', Target: target, TargetMode: mode } = attributes;
    if (id === undefined || target === undefined || mode === 'External') continue;
    // Targets are relative to the folder of the workbook. They are names within the archive, never paths on a disk.
    found.set(id, {
      type: type.slice(type.lastIndexOf('/') + 1),
      part: posix.resolve('/xl', target.replaceAll('\\', '/')).slice(1),
    });
  }
  return found;
}

function sheetsOf(book: XmlElement, relations: ReadonlyMap<string, Relation>): Sheet[] {
  const seen = new Set<string>();
  return childElements(childAt(book, 'sheets'), 'sheet').flatMap(({ attributes }) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
    const relation = relations.get(id ?? '');
    const name = attributes['name'] ?? '';
    // A chart is a sheet, too. A part that several sheets name is read once.
    if (relation === undefined)
      throw new UnpackError(`damaged spreadsheet: the sheet ${JSON.stringify(name)} has no part`);
    if (relation.type !== 'worksheet' || seen.has(relation.part)) return [];
    seen.add(relation.part);
    return [
      { name, part: relation.part, isHidden: /^(?:hidden|veryHidden)$/.test(attributes['state'] ?? '') },
    ];
  });
}

async function sharedStrings(parts: ZipParts, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  // Some programs name texts that they do not write, because the sheets have none.
  if (part === undefined || !parts.has(part)) return strings;
  const bytes = await readPart(parts, part, SPREADSHEET.partBytes);
  try {
    for await (const text of elementsOf(bytes, 'sst', 'si')) strings.push(richText(text));
  } catch (error) {
    throw damagedPart(part, error);
  }
  return strings;
}

/** Whether cells with a style show dates, by the number of the style. */
function dateStyles(styles: XmlElement): boolean[] {
  const codes = new Map(
    childElements(childAt(styles, 'numFmts'), 'numFmt').map(({ attributes }) => [
      Number(attributes['numFmtId']),
      attributes['formatCode'],
    ]),
  );
  return childElements(childAt(styles, 'cellXfs'), 'xf').map(({ attributes }) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    return isDateFormat(id, codes.get(id));
  });
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';
