/**
 * XML of which a part is damaged: a stray `<` in a heading, an end tag that is missing. A parser stops there; here the
 * smallest element around the damage is left out and the rest is read.
 */
import { DamagedDocument } from './reader.js';
import { parseXml, type XmlElement } from './xml.js';

export interface Mended {
  roots: XmlElement[];
  /** What was left out, each with line and column in the document. */
  damages: string[];
}

/** Damages that are told one by one. */
const TOLD = 5;
/** Where the parser stood, at the beginning of its message. */
const PLACE = /^XML: line (\d+), column (\d+): /;

/**
 * The root elements of a document; elements of the names given (headings, paragraphs, claims) that cannot be read are
 * left out. Elements named in `skip` are left out with all they hold, as in `parseXml`.
 * @throws DamagedDocument if something else in the document is damaged
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

/** The text without the elements of these names that are no XML by themselves. Takes time in proportion to it. */
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

/** Behind the end tag of an element; one that has none before the next element ends where that begins. */
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
