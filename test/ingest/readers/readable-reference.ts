/** Readable text, written a second time with saxes and regular expressions, for comparison with the addon. */
import type { ReferenceElement } from './saxes-tree.js';

type Node = ReferenceElement | string;

const childElements = (parent: ReferenceElement): ReferenceElement[] =>
  parent.children.filter((child) => typeof child !== 'string');

/** Elements that begin and end a line. */
const BLOCKS = new Set([
  ...[
    'p',
    'claim-text',
    'li',
    'ul',
    'ol',
    'dl',
    'dt',
    'dd',
    'row',
    'tr',
    'table',
    'tables',
    'tgroup',
    'thead',
  ],
  ...['tbody', 'title', 'heading', 'pre', 'table-external-doc', 'crossref-list'],
]);
for (const name of [
  'paragraph',
  'list-item',
  'unordered-list',
  'ordered-list',
  'table-cwu',
  'PARA',
  'H',
  'CLMSTEP',
])
  BLOCKS.add(name);
for (const name of ['TABLE-US', 'TABLE-CALS', 'UL', 'OL', 'LI', 'DL', 'DT', 'DD']) BLOCKS.add(name);
const SUPERSCRIPTS = new Set(['sup', 'sup2', 'superscript', 'SP']);
const CHEMISTRY = new Set(['chemistry', 'chemistry-cwu', 'CHEM-US']);
const FORMULAS = new Set(['maths', 'math-cwu', 'MATH-US']);
const IMAGES = new Set(['img', 'image', 'EMI', 'CUSTOM-CHARACTER', 'custom-character']);
const CELLS = new Set(['entry', 'td', 'th']);
const NOTHING = new Set([
  'number',
  'colspec',
  'mprescripts',
  'none',
  'malignmark',
  'maligngroup',
  'annotation',
  'annotation-xml',
]);

/** A mark that no text contains, for a line end that remains after the collapsing of white space. */
const LINE = '\uE000';
/** A second mark, for the border between two cells. */
const BORDER = '\uE001';

/** The readable text of an element; `''` if it has none. */
export function referenceText(element: ReferenceElement): string {
  const out: string[] = [];
  for (const child of element.children) write(child, out);
  return tidy(out.join(''))
    .replace(/[\uF603\uF604]/g, '|')
    .replace(/[\uF605\uF606]/g, '‖');
}

function tidy(text: string): string {
  return text
    .replace(/[^\S\uE000]+/g, ' ')
    .replace(/ ?\uE000[ \uE000]*/g, '\n')
    .replace(/[ \uE001]+(?=\n|$)/g, '')
    .replaceAll(BORDER, '|')
    .replace(/\n\n+/g, '\n')
    .trim();
}

function write(node: Node, out: string[]): void {
  if (typeof node === 'string') {
    out.push(node.replace(/[\uE000\uE001]/g, ' '));
    return;
  }
  const { name } = node;
  if (name === 'math') {
    const text = formula(node);
    out.push(text === '' ? '' : ` ${text} `);
  } else if (name === 'br') {
    out.push(LINE);
  } else if (SUPERSCRIPTS.has(name)) {
    out.push(superscript(node));
  } else if (CHEMISTRY.has(name)) {
    out.push(LINE, '[chemical structure]', LINE);
  } else if (FORMULAS.has(name)) {
    writeFormulaBlock(node, out);
  } else if (IMAGES.has(name)) {
    out.push('[image]');
  } else if (CELLS.has(name)) {
    const cell: string[] = [];
    for (const child of node.children) write(child, cell);
    out.push(tidy(cell.join('')).replaceAll('\n', ' '), ` ${BORDER} `);
  } else if (name === 'dependent-claim-reference') {
    for (const child of node.children) {
      if (typeof child !== 'string' && BLOCKS.has(child.name))
        for (const inner of child.children) write(inner, out);
      else if (typeof child !== 'string' || child.trim() !== '') write(child, out);
    }
  } else if (BLOCKS.has(name)) {
    out.push(LINE);
    for (const child of node.children) write(child, out);
    out.push(LINE);
  } else if (!NOTHING.has(name)) {
    for (const child of node.children) write(child, out);
  }
}

/** `<maths>` contains MathML and an image of it; the image is used only without MathML. */
function writeFormulaBlock(node: ReferenceElement, out: string[]): void {
  const inner: string[] = [];
  for (const child of childElements(node)) if (!IMAGES.has(child.name)) write(child, inner);
  if (tidy(inner.join('')) === '') out.push(' [formula] ');
  else out.push(LINE, ...inner, LINE);
}

/** `10<sup>6</sup>` must not become 106; `Li<sup>+</sup>` and footnote letters need no sign. */
function superscript(node: ReferenceElement): string {
  const out: string[] = [];
  for (const child of node.children) write(child, out);
  const text = out.join('');
  return /^\s*[-+−–±－]?\s*[\d０-９]/.test(text) ? `^${text.trim()}${/\s$/.test(text) ? ' ' : ''}` : text;
}

/** An operand of a formula, in brackets if it is more than one symbol. */
function operand(node: Node | undefined): string {
  const text = node === undefined ? '' : formula(node);
  return /^(?:.|[\p{L}\p{N}.,]*)$/u.test(text) || /^\([^()]*\)$/.test(text) ? text : `(${text})`;
}

/** Removes invisible operators and the red book's private glyphs for spaces in formulas. */
function symbols(text: string): string {
  return text
    .replace(/[\uF603\uF604]/g, '|')
    .replace(/[\u2061-\u2064\uE000-\uF8FF]/g, '')
    .trim();
}

/** MathML on one line: `(a + b)/(c)`, `x_i^2`, `√(x)`. */
function formula(node: Node): string {
  if (typeof node === 'string') return symbols(node);
  const parts = childElements(node);
  const [a, b, c] = parts;
  switch (node.name) {
    case 'mfrac':
      return `${operand(a)}/${operand(b)}`;
    case 'msup':
    case 'mover':
      return `${operand(a)}^${operand(b)}`;
    case 'msub':
    case 'munder':
      return `${operand(a)}_${operand(b)}`;
    case 'msubsup':
    case 'munderover':
      return `${operand(a)}_${operand(b)}^${operand(c)}`;
    case 'msqrt':
      return `√(${parts.map(formula).join(' ')})`;
    case 'mroot':
      return `${operand(a)}^(1/${b ? formula(b) : ''})`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.map(formula).join(', ');
    case 'mtable':
      return parts.map(formula).join('; ');
    case 'mfenced':
      return `${node.attributes['open'] ?? '('}${parts.map(formula).join(', ')}${node.attributes['close'] ?? ')'}`;
    case 'annotation':
    case 'annotation-xml':
      return '';
    default: {
      const pieces = node.children.map(formula).filter((piece) => piece !== '');
      const joined = pieces.join(parts.length > 0 ? ' ' : '');
      return joined.replace(/([([{]) | (?=[)\]}])/g, '$1');
    }
  }
}
