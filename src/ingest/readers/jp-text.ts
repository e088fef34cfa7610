/** What the JP gazettes in ST.36 and in ST.96 share. Texts have the elements of ST.36, whose names are the printed headings. */
import type { Filing } from '../../patent/family.js';
import type { Citation, Paragraph, Patent, Section } from '../../patent/record.js';
import { withRight } from './docdb-numbers.js';
import { readableText } from './markup.js';
import { fiCode, fTerm } from './national-codes.js';
import { present } from './publication.js';
import { writtenCitation } from './written-citation.js';
import { childElements, descendants, type XmlElement } from './xml.js';

/** An abstract has the parts 【課題】…【解決手段】…, each on a line. */
export function gazetteAbstract(root: XmlElement): string {
  return childElements(root, 'abstract')
    .map((abstract) =>
      readableText(abstract).replace(/(?<=[^\n])(?=【(?:課題|目的|解決手段|構成|効果|選択図)】)/g, '\n'),
    )
    .filter(Boolean)
    .join('\n');
}

/**
 * Citations: those of the examiner on the front page (56), and those of the applicant in the citation list of the description.
 * @param examined the list of the front page
 */
export function gazetteCitations(root: XmlElement, examined: XmlElement | undefined): Citation[] {
  const lists = childElements(root, 'description').flatMap((part) => descendants(part, 'citation-list'));
  return [...cited(examined ? [examined] : [], 'examiner'), ...cited(lists, 'applicant')];
}

function cited(lists: readonly XmlElement[], by: Citation['cited_by'] & string): Citation[] {
  const texts = (name: string): string[] =>
    lists
      .flatMap((list) => descendants(list, name))
      .map((element) => readableText(element).replaceAll('\n', ' '))
      .filter(Boolean);
  const patents = texts('patcit').map((text) => writtenCitation(text, by));
  const others = texts('nplcit').map((text): Citation => ({ text, cited_by: by }));
  return [...patents, ...others];
}

/** Headings of the description as worded in the forms of the Patent Act (様式第29). */
const HEADINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'technical-field': '技術分野',
    'background-art': '背景技術',
    'citation-list': '先行技術文献',
    'patent-literature': '特許文献',
    'non-patent-literature': '非特許文献',
    'summary-of-invention': '発明の概要',
    disclosure: '発明の開示',
    'tech-problem': '発明が解決しようとする課題',
    'tech-solution': '課題を解決するための手段',
    'advantageous-effects': '発明の効果',
    'description-of-drawings': '図面の簡単な説明',
    'description-of-embodiments': '発明を実施するための形態',
    'mode-for-invention': '発明を実施するための形態',
    'best-mode': '発明を実施するための最良の形態',
    'embodiments-example': '実施例',
    'industrial-applicability': '産業上の利用可能性',
    'reference-signs-list': '符号の説明',
    'reference-to-deposited-biological-material': '受託番号',
    'sequence-list-text': '配列表フリーテキスト',
  }),
);

/**
 * Sections in order. Text outside all sections is under the heading before it, or under `発明の詳細な説明`. Headings of a
 * utility model say device (考案), not invention (発明).
 */
export function gazetteSections(root: XmlElement, isUtilityModel: boolean): Section[] {
  const sections: Section[] = [];
  const named = (heading: string): string => (isUtilityModel ? heading.replaceAll('発明', '考案') : heading);
  const open = (section: string): void => {
    sections.push({ section, paragraphs: [] });
  };
  const visit = (parent: XmlElement, inside: string | undefined): void => {
    for (const child of childElements(parent)) {
      if (child.name === 'invention-title') continue;
      const known = HEADINGS.get(child.name);
      const heading = known && named(known);
      if (child.name === 'heading') {
        const text = readableText(child).replace(/^【|】$/g, '');
        if (text) open(text);
      } else if (heading !== undefined) {
        open(heading);
        visit(child, heading);
        // Text after a nested section belongs to the outer section.
        if (inside !== undefined) open(inside);
      } else {
        if (sections.length === 0) open(named('発明の詳細な説明'));
        sections.at(-1)?.paragraphs.push(...paragraphs(child));
      }
    }
  };
  for (const part of childElements(root, 'description')) visit(part, undefined);
  return merged(sections.filter(({ paragraphs }) => paragraphs.length > 0));
}

/** Merges neighbouring sections with the same heading. */
function merged(sections: Section[]): Section[] {
  const found: Section[] = [];
  for (const section of sections) {
    const last = found.at(-1);
    if (last?.section === section.section) last.paragraphs.push(...section.paragraphs);
    else found.push(section);
  }
  return found;
}

function paragraphs(element: XmlElement): Paragraph[] {
  const text = readableText(withPrintedLabels(element));
  if (text === '') return [];
  // Tables and formulas between paragraphs count their own kind.
  const { num = '' } = element.name === 'p' ? element.attributes : {};
  return [/^\d+$/.test(num) ? { number: Number(num), text } : { text }];
}

/** Elements that a gazette prints on their own line, after a label with their number. */
const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({ figref: '図', patcit: '特許文献', nplcit: '非特許文献' }),
);

/** `<figref num="3">断面図である。</figref>` is printed as `【図３】断面図である。` */
function withPrintedLabels(element: XmlElement): XmlElement {
  const children = element.children.flatMap((node): (XmlElement | string)[] => {
    if (typeof node === 'string') return [node];
    const inner = withPrintedLabels(node);
    const number = node.attributes['num']?.normalize('NFKC');
    const label = LABELS.get(node.name);
    if (label === undefined || !number || readableText(node).startsWith(label)) return [inner];
    return [{ name: 'br', attributes: {}, children: [] }, `【${label}${number}】`, inner];
  });
  return { ...element, children };
}

/** FI and F-terms from their codes as written. */
export function japaneseCodes(fi: readonly string[], terms: readonly string[]): Partial<Patent> {
  return present({
    fi_codes: [...new Set(fi.map(fiCode).filter(Boolean))],
    f_terms: [...new Set(terms.map(fTerm).filter(Boolean))],
  });
}

/** The parent of a divisional. Its application is for the same right, and gazettes do not repeat that behind its number. */
export function divided(parent: Filing, kind: string): Filing {
  return /^[UY]/.test(kind) ? { ...parent, number: withRight(parent.country, parent.number, 'U') } : parent;
}
