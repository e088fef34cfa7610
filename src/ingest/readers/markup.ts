/**
 * Converts marked-up text to plain text: tables by row, lists by item, formulas on one line, chemistry and
 * images as a word in brackets. A line end is a line end of the document. Other white space is collapsed.
 * `native/core/src/xml/role.rs` defines the meaning of each element.
 */
import { native } from '../../index/native.js';
import { positionOfElement, type XmlElement } from './xml.js';

/** Bars in MathML until 2003, written as private characters, single and double. */
const BARS = /[\uf603-\uf606]/g;
const withBars = (text: string): string =>
  text.replace(BARS, (bar) => (bar === '\uf603' || bar === '\uf604' ? '|' : '‖'));

/** The readable content of an element; `''` if it has no text. */
export function readableText(element: XmlElement): string {
  const { document, index } = positionOfElement(element);
  return withBars(native.xmlReadable(document.nodes, document.attributes, document.text, index, false));
}

/** The readable text of the element itself: the rows of a table, the word for a chemistry element. */
export function readableWhole(element: XmlElement): string {
  const { document, index } = positionOfElement(element);
  return withBars(native.xmlReadable(document.nodes, document.attributes, document.text, index, true));
}
