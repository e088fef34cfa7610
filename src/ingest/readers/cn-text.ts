/**
 * Text of CN publications, for both formats of the office. Headings are separate paragraphs. The older format
 * breaks lines as on the printed page, within sentences and words.
 */
import type { Claim, Drawing, Section } from '../../patent/record.js';
import { digitsAtEnd } from '../../patent/scan.js';
import { readableText } from './markup.js';
import { claims } from './st36-text.js';
import { descendants, type XmlElement } from './xml.js';

/**
 * Headings of the description that the implementing regulations prescribe (细则第十七条), older headings, and those of translated
 * applications.
 */
const HEADING =
  /^(?:[一二三四五六七八九十]+、|\d+[.、])?\s*((?:所属)?技术领域|背景技术|现有技术文献|(?:非)?专利文献|发明内容|实用新型内容|发明概述|发明的?概要|发明所?要?解决的(?:技术)?(?:问题|课题)|(?:用于)?解决(?:技术)?(?:问题|课题)(?:所采用)?的(?:技术)?(?:方案|手段)|发明的?效果|附图说明|附图的简[单要]说明|具体实施方式|具体实施例|实施方式|(?:用于)?实施发明的(?:方式|形态)|实施例|序列表|工业实用性|相关申请的交叉引用)\s*[:：]?$/;

const WIDE = '[\\p{Script=Han}\\u3000-\\u303f\\uff00-\\uffef]';
/** A blank between two wide characters. Chinese text has no such blanks. */
const GAP = new RegExp(`(?<=${WIDE}) (?=${WIDE})`, 'gu');
/** Marks the end of a printed line during conversion. Documents do not contain this character. */
const LINE_END = '\uE002';
const IS_WIDE = new RegExp(`^${WIDE}`, 'u');

/**
 * The text between two printed lines. A line continues on the next line unless it ends with a sentence, a
 * clause or an image.
 */
function joint(line: string, next: string): string {
  const before = [...line.slice(-2)].at(-1) ?? '';
  if (/[。；：;:.\]]/.test(before)) return '\n';
  return IS_WIDE.test(before) || IS_WIDE.test(next) ? '' : ' ';
}

function withLineEnds(element: XmlElement): XmlElement {
  const children = element.children.map((node) => {
    if (typeof node === 'string') return node;
    return node.name === 'br' ? LINE_END : withLineEnds(node);
  });
  return { ...element, children };
}

/** Text of an element without the line breaks of the printed page. */
export function printedText(element: XmlElement): string {
  return unwrapped(readableText(withLineEnds(element)));
}

function unwrapped(text: string): string {
  const lines = text
    .split(LINE_END)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const whole = lines.map((line, n) => (n === 0 ? line : joint(lines[n - 1]!, line) + line)).join('');
  return whole.replace(GAP, '');
}

export function printedClaims(root: XmlElement): Claim[] {
  return claims(withLineEnds(root)).map((claim) => ({ ...claim, text: unwrapped(claim.text) }));
}

/** Groups of paragraphs and their headings, in ST.36 and ST.96. A printed heading at the beginning of a group replaces them. */
const GROUP_HEADINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ 'technical-field': '技术领域', TechnicalField: '技术领域' },
    ...{ 'background-art': '背景技术', BackgroundArt: '背景技术' },
    ...{ disclosure: '发明内容', Disclosure: '发明内容' },
    ...{ 'description-of-drawings': '附图说明', DrawingsDescription: '附图说明' },
    ...{ 'mode-for-invention': '具体实施方式', InventionMode: '具体实施方式' },
    ...{ 'industrial-applicability': '工业实用性', IndustrialApplicability: '工业实用性' },
  }),
);

/** Paragraphs under their headings. Text before the first heading is under `说明书`. */
export function cnSections(
  description: XmlElement | undefined,
  textOf: (element: XmlElement) => string = readableText,
): Section[] {
  const sections: Section[] = [];
  const open = (section: string): void => {
    sections.push({ section, paragraphs: [] });
  };
  const read = (paragraph: XmlElement): void => {
    const text = textOf(paragraph);
    const heading = HEADING.exec(text)?.[1];
    if (heading !== undefined) open(heading);
    if (heading !== undefined || text === '') return;
    if (sections.length === 0) open('说明书');
    const number = digitsAtEnd(paragraph.attributes['num'] ?? '');
    sections.at(-1)?.paragraphs.push(number === undefined ? { text } : { number: Number(number), text });
  };
  const visit = (parent: XmlElement): void => {
    for (const child of parent.children) {
      if (typeof child === 'string') {
        if (child.trim() !== '') read({ name: 'p', attributes: {}, children: [child] });
      } else if (isGroup(child)) {
        const heading = GROUP_HEADINGS.get(child.name);
        if (heading !== undefined) open(heading);
        visit(child);
      } else if (child.name !== 'invention-title') read(child);
    }
  };
  if (description) visit(description);
  return sections.filter(({ paragraphs: list }) => list.length > 0);
}

/** Elements whose paragraphs are parts of them. */
const WHOLE = new Set(['p', 'heading', 'tables', 'table', 'ul', 'ol', 'li', 'dl', 'maths', 'chemistry']);

const isGroup = (element: XmlElement): boolean =>
  !WHOLE.has(element.name) && (GROUP_HEADINGS.has(element.name) || descendants(element, 'p').length > 0);

/** Sheets with their labels, and the drawing of the abstract, which has its own file. */
export function cnDrawings(lists: XmlElement[], ofAbstract: XmlElement | undefined): Drawing[] {
  const found: Drawing[] = lists
    .flatMap((list) => descendants(list, 'figure'))
    .flatMap((figure) =>
      files(figure).map((file) => {
        const label = figure.attributes['figure-labels'] ?? figure.attributes['figureLabels'];
        return label ? { file, label } : { file };
      }),
    );
  const [front] = ofAbstract ? files(ofAbstract) : [];
  const listed = found.find(({ file }) => file === front);
  if (listed) listed.representative = true;
  else if (front !== undefined) found.push({ file: front, representative: true });
  return found;
}

function files(element: XmlElement): string[] {
  return descendants(element, 'img').flatMap(
    (image) => image.attributes['file']?.split(/[\\/]/).at(-1) ?? [],
  );
}

/** `虚构专利代理事务所 99001`: the name of a firm without its number. */
export function withoutAgencyNumber(name: string | undefined): string | undefined {
  return name?.replace(/\s\d{5}$/, '');
}
