/**
 * Text of a JP gazette in WIPO ST.96. Its elements get the names and attributes of a gazette in ST.36, so that both
 * forms are read alike.
 */
import { descendants, textAt, type XmlElement, type XmlNode } from './xml.js';

/** Names in ST.96 (V3.1) and in a gazette in ST.36. */
const ST36_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ Description: 'description', InventionTitle: 'invention-title', Abstract: 'abstract' },
    ...{ Claims: 'claims', Claim: 'claim', ClaimText: 'claim-text' },
    ...{ TechnicalField: 'technical-field', BackgroundArt: 'background-art' },
    ...{ CitationBag: 'citation-list' },
    ...{ PatentCitationBag: 'patent-literature', NPLCitationBag: 'non-patent-literature' },
    ...{ InventionSummary: 'summary-of-invention', Disclosure: 'disclosure' },
    ...{ TechnicalProblem: 'tech-problem', TechnicalSolution: 'tech-solution' },
    ...{ AdvantageousEffects: 'advantageous-effects', DrawingDescription: 'description-of-drawings' },
    ...{ EmbodimentDescription: 'description-of-embodiments', EmbodimentExample: 'embodiments-example' },
    ...{ InventionMode: 'mode-for-invention', BestMode: 'best-mode' },
    ...{ IndustrialApplicability: 'industrial-applicability', ReferenceSignBag: 'reference-signs-list' },
    ...{ DepositedBiologicalMaterialReference: 'reference-to-deposited-biological-material' },
    ...{ SequenceListText: 'sequence-list-text' },
    ...{
      Heading: 'heading',
      P: 'p',
      Br: 'br',
      Pre: 'pre',
      Sub: 'sub',
      Sup: 'sup',
      Sub2: 'sub2',
      Sup2: 'sup2',
    },
    ...{ OL: 'ol', UL: 'ul', LI: 'li', DL: 'dl', DT: 'dt', DD: 'dd' },
    ...{ Table: 'tables', Math: 'maths', ChemicalFormulae: 'chemistry', Image: 'img', TableImage: 'img' },
    ...{ FigureReference: 'figref', PatentCitation: 'patcit', NPLCitation: 'nplcit' },
  }),
);

/**
 * A part of a publication as a gazette in ST.36 writes it.
 * @param inTable whether the part is within a table, whose rows and cells are no groups of paragraphs
 */
export function inSt36(element: XmlElement, inTable = false): XmlElement {
  const name = ST36_NAMES.get(element.name) ?? element.name;
  // An image states its file and size in elements.
  if (name === 'img') return { name, attributes: {}, children: [] };
  const number = element.name === 'Claim' ? textAt(element, 'ClaimNumber') : numberOf(element);
  const children = element.children.filter((node) => typeof node === 'string' || node.name !== 'ClaimNumber');
  const isInTable = inTable || name === 'tables';
  return {
    name,
    attributes: attributesOf(element, number),
    children: children.flatMap((node) => withoutGroup(node, isInTable)),
  };
}

/** The number, and the brackets of a formula (`<mfenced open="[">`). */
function attributesOf({ name, attributes }: XmlElement, num: string | undefined): Record<string, string> {
  if (name === 'mfenced') return { ...attributes };
  return num === undefined ? {} : { num };
}

/** Unknown groups of paragraphs give their paragraphs to the part around them. */
function withoutGroup(node: XmlNode, inTable: boolean): readonly XmlNode[] {
  if (typeof node === 'string') return [node];
  const isGroup = !inTable && !ST36_NAMES.has(node.name) && descendants(node, 'P').length > 0;
  const own = inSt36(node, inTable);
  return isGroup ? own.children : [own];
}

/** The number in `com:pNumber`, `com:referencedFigureNumber`, `com:sequenceNumber`. */
function numberOf({ attributes }: XmlElement): string | undefined {
  const name = Object.keys(attributes).find((key) => /number$/i.test(key));
  return name === undefined ? undefined : attributes[name];
}
