/**
 * Marked-up text as plain text that people and models can read: tables row by row, lists item by item,
 * formulas on one line, chemistry and images as a word in brackets. A line end stands for a line end of the
 * document; other white space is collapsed. What each element means is told in `native/core/src/xml/role.rs`.
 */
import { native } from '../../index/native.js';
import { placeOf, type XmlElement } from './xml.js';

/** Bars that MathML of the years to 2003 had as private characters, single and double. */
const BARS = /[\uf603-\uf606]/g;
const withBars = (text: string): string =>
  text.replace(BARS, (bar) => (bar === '\uf603' || bar === '\uf604' ? '|' : '‖'));

/** The readable text of what an element holds; `''` where it has none. */
export function readableText(element: XmlElement): string {
  const { document, index } = placeOf(element);
  return withBars(native.xmlReadable(document.nodes, document.attributes, document.text, index, false));
}

/** The readable text of the element itself: of a table its rows, of a chemistry the word for it. */
export function readableWhole(element: XmlElement): string {
  const { document, index } = placeOf(element);
  return withBars(native.xmlReadable(document.nodes, document.attributes, document.text, index, true));
}
