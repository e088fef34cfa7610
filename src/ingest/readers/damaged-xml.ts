/**
 * XML with a damaged part: a stray `<` in a heading, a missing end tag. A parser stops at the damage. This
 * module leaves out the smallest element around the damage and reads the rest.
 */
import { DamagedDocument } from './reader.js';
import { parseXml, type XmlElement } from './xml.js';

export interface Mended {
  roots: XmlElement[];
  /** Elements left out, each with line and column in the document. */
  damages: string[];
}

/** Damages that are reported one by one. */
const TOLD = 5;
/** Position of the parser, at the beginning of its message. */
const PLACE = /^XML: line (\d+), column (\d+): /;

/**
 * The root elements of a document. Unreadable elements with one of `names` (headings, paragraphs, claims) are
 * left out. Elements in `skip` are left out with their content, as in `parseXml`.
 * @throws DamagedDocument if another part of the document is damaged
 */
export function parseMended(text: string, names: readonly string[], skip: ReadonlySet<string>): Mended {
  try {
    return { roots: parseXml(text, skip), damages: [] };
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    const { sound, damages } = withoutDamaged(text, names);
    if (damages.length === 0) throw error;
    return { roots: parseXml(sound, skip), damages: told(damages) };
  }
}

function told(damages: string[]): string[] {
  const more = damages.length - TOLD;
  return more > 0 ? [...damages.slice(0, TOLD), `${more} more elements are left out`] : damages;
}

/** The text without the elements of these names that are not well-formed. Takes linear time. */
function withoutDamaged(text: string, names: readonly string[]): { sound: string; damages: string[] } {
  const open = new RegExp(`<(${names.join('|')})(?=[\\s>])`, 'g');
  const starts = [...text.matchAll(open)].map(({ index, 1: name = '' }) => ({ index, name }));
  const damages: string[] = [];
  const kept: string[] = [];
  let from = 0;
  let [line, lineStart, counted] = [1, 0, 0];
  for (const [n, { index, name }] of starts.entries()) {
    if (index < from) continue;
    const end = endOf(text, index, name, starts[n + 1]?.index);
    const wrong = wrongIn(text.slice(index, end));
    if (wrong === undefined) continue;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) {
      line++;
      lineStart = at + 1;
    }
    counted = index;
    const row = line + wrong.line - 1;
    const column = wrong.line === 1 ? index - lineStart + wrong.column : wrong.column;
    damages.push(`XML: line ${row}, column ${column}: ${wrong.reason}; <${name}> is left out`);
    kept.push(text.slice(from, index));
    from = end;
  }
  kept.push(text.slice(from));
  return { sound: kept.join(''), damages };
}

/**
 * The end of an element, after its end tag. An element without an end tag ends where the next element begins.
 */
function endOf(text: string, start: number, name: string, next = text.length): number {
  const tag = `</${name}>`;
  const end = text.slice(start, next).lastIndexOf(tag);
  return end < 0 ? next : start + end + tag.length;
}

function wrongIn(element: string): { line: number; column: number; reason: string } | undefined {
  try {
    parseXml(element);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    const [place = '', line = '1', column = '1'] = PLACE.exec(error.message) ?? [];
    return { line: Number(line), column: Number(column), reason: error.message.slice(place.length) };
  }
}
