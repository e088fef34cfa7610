/** XML by saxes, a parser with no common code, for comparison with the project's parser. */
import { SaxesParser } from 'saxes';

export interface ReferenceElement {
  name: string;
  attributes: Record<string, string>;
  children: (ReferenceElement | string)[];
}

/** Faults that both parsers tolerate, in part differently. */
const TOLERATED =
  /undefined entity|disallowed character|only one root|text data outside|must be at the start/;
/** The tolerated faults after which the text is the same in both. */
const ALIKE = /undefined entity|only one root|text data outside|must be at the start/;

export interface Reference {
  roots: ReferenceElement[];
  /** Reason why saxes refuses the document. */
  damage?: string;
  /** Whether the document has only faults that both parsers treat equally. */
  isPlain: boolean;
}

/** Adjacent texts are joined; empty ones are removed. */
export function referenceTree(text: string, entities: Record<string, string>): Reference {
  const roots: ReferenceElement[] = [];
  const stack: ReferenceElement[] = [];
  const reference: Reference = { roots, isPlain: true };
  const parser = new SaxesParser();
  parser.ENTITIES = entities;
  parser.on('error', ({ message }) => {
    if (!ALIKE.test(message)) reference.isPlain = false;
    if (!TOLERATED.test(message)) reference.damage ??= message;
  });
  parser.on('opentag', (tag) => {
    const name = tag.name.slice(tag.name.indexOf(':') + 1);
    const element = { name, attributes: { ...tag.attributes } as Record<string, string>, children: [] };
    (stack.at(-1)?.children ?? roots).push(element);
    stack.push(element);
  });
  parser.on('closetag', () => stack.pop());
  const addText = (piece: string): void => {
    const children = stack.at(-1)?.children;
    if (!children || piece === '') return;
    const last = children.at(-1);
    if (typeof last === 'string') children[children.length - 1] = last + piece;
    else children.push(piece);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text.replace(/^[\s\uFEFF]+/, '').replace(/[\s\0]+$/, '')).close();
  return reference;
}
