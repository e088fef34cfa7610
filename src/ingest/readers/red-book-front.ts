/** The bibliographic data of a red book document: people, dates, classifications and earlier applications. */
import { normaliseApplicationNumber } from '../../patent/application-number.js';
import { uniquePriorities } from '../../patent/citation.js';
import { normaliseClassifications } from '../../patent/classification.js';
import { earliestDate, parseDate } from '../../patent/date.js';
import { deriveFamilyId, type Filing } from '../../patent/family.js';
import { companyKey } from '../../patent/name.js';
import type { Name, Patent, Priority } from '../../patent/record.js';
import { readableText } from './markup.js';
import { nationalClasses } from './national-codes.js';
import { internationalFields, present } from './publication.js';
import { childAt, childElements, descendants, textAt, type XmlElement } from './xml.js';

export function abstractText(root: XmlElement): string | undefined {
  const abstracts = childElements(root, 'abstract');
  return abstracts.map(readableText).filter(Boolean).join('\n') || undefined;
}

/** `orgname`, or `last name, first name middle name`, the order of people in KIPRIS and EP. */
function nameOf(holder: XmlElement): string | undefined {
  const book = childAt(holder, 'addressbook') ?? holder;
  const organisation = textAt(book, 'orgname');
  if (organisation) return organisation;
  const last = textAt(book, 'last-name');
  const first = [textAt(book, 'first-name'), textAt(book, 'middle-name')].filter(Boolean).join(' ');
  if (last)
    return [[last, first].filter(Boolean).join(', '), textAt(book, 'suffix')].filter(Boolean).join(' ');
  return first || textAt(book, 'name');
}

/** Names in order, without duplicate keys. */
function names(holders: XmlElement[]): Name[] {
  const found = new Map<string, Name>();
  for (const holder of holders) {
    const name = nameOf(holder);
    if (name === undefined) continue;
    const key = companyKey(name);
    if (!found.has(key)) found.set(key, { name });
  }
  return [...found.values()];
}

/** `us-parties/us-applicants/us-applicant` since v4.3, `parties/applicants/applicant` before. */
function applicantElements(front: XmlElement): XmlElement[] {
  const parties = childAt(front, 'us-parties') ?? childAt(front, 'parties');
  const list = childAt(parties, 'us-applicants') ?? childAt(parties, 'applicants');
  return childElements(list).filter((holder) => /applicant$/.test(holder.name));
}

function inventorElements(front: XmlElement): XmlElement[] {
  const parties = childAt(front, 'us-parties') ?? childAt(front, 'parties');
  const listed = childElements(childAt(parties, 'inventors')).filter((holder) =>
    /inventor$/.test(holder.name),
  );
  if (listed.length > 0) return listed;
  return applicantElements(front).filter((holder) => holder.attributes['app-type'] === 'applicant-inventor');
}

export function inventors(front: XmlElement): Name[] {
  return names(inventorElements(front));
}

/** Whether a holder acts for an inventor who died or cannot sign. */
function isRepresentative(holder: XmlElement): boolean {
  if (/legal-representative/.test(holder.attributes['applicant-authority-category'] ?? '')) return true;
  return /\b(?:legal(?:ly)? representative|executor|executrix|administrat(?:or|rix)|heir)\b/i.test(
    nameOf(holder) ?? '',
  );
}

/**
 * The applicants. Under the law before September 2012 only inventors could apply and the company was the
 * assignee. A search for the patents of a company includes both. The first of these that exists is used:
 * applicants that are neither inventors nor their representatives; the assignees; the inventors that applied.
 * A later assignee beside an applicant company is its successor and not the applicant.
 */
export function applicants(front: XmlElement): Name[] {
  const elements = applicantElements(front).filter(
    (holder) => holder.attributes['app-type'] !== 'applicant-inventor',
  );
  const inventorKeys = new Set(inventors(front).map(({ name }) => companyKey(name)));
  const others = names(elements.filter((holder) => !isRepresentative(holder))).filter(
    ({ name }) => !inventorKeys.has(companyKey(name)),
  );
  if (others.length > 0) return others;
  const assignees = names(childElements(childAt(front, 'assignees'), 'assignee'));
  if (assignees.length > 0) return assignees;
  const all = names(elements);
  return all.length > 0 ? all : names(applicantElements(front));
}

const SYMBOL = ['section', 'class', 'subclass'] as const;

/** `<section>H<class>01<subclass>M<main-group>10<subgroup>0525`, as in classification-ipcr and -cpc. */
function symbol(element: XmlElement): string {
  const head = SYMBOL.map((part) => textAt(element, part) ?? '').join('');
  const group = textAt(element, 'main-group');
  return group ? `${head} ${group}/${textAt(element, 'subgroup') ?? '00'}` : head;
}

/** A line of fixed columns. Blanks at its beginning are kept, unless they follow the end of a line. */
export function inColumns(text: string): string {
  return (text.startsWith('\n') ? text.trimStart() : text).trimEnd();
}

/** Text of an element with its spaces. Codes before IPC 8 have fixed columns. */
function columns(element: XmlElement): string {
  const text = element.children.filter((child) => typeof child === 'string').join('');
  return inColumns(text);
}

export function classifications(front: XmlElement): Partial<Patent> {
  const ipc: string[] = descendants(childAt(front, 'classifications-ipcr'), 'classification-ipcr').map(
    symbol,
  );
  const old = childAt(front, 'classification-ipc');
  for (const name of ['main-classification', 'further-classification']) {
    ipc.push(...childElements(old, name).map(columns));
  }
  // Combination sets repeat codes in relation to each other. Each of their codes is a further CPC code or a
  // new code.
  const cpc = descendants(childAt(front, 'classifications-cpc'), 'classification-cpc').map(symbol);
  const locarno = childElements(front, 'classification-locarno').flatMap((scheme) =>
    [...childElements(scheme, 'main-classification'), ...childElements(scheme, 'further-classification')].map(
      columns,
    ),
  );
  const found: Partial<Patent> = {};
  const [ipcCodes, cpcCodes] = [normaliseClassifications(ipc), normaliseClassifications(cpc)];
  const locarnoCodes = locarno.flatMap(
    (code) => /^\s*(\d{2})\D?(\d{2})\s*$/.exec(code)?.slice(1, 3).join('-') ?? [],
  );
  if (ipcCodes.length > 0) found.ipc_codes = ipcCodes;
  if (cpcCodes.length > 0) found.cpc_codes = cpcCodes;
  if (locarnoCodes.length > 0) found.locarno_codes = locarnoCodes;
  return found;
}

/** USPC, agents, examiners and the numbers of the international stage. */
export function officeFields(front: XmlElement): Partial<Patent> {
  const national = childElements(front, 'classification-national').flatMap((scheme) =>
    childElements(scheme)
      .filter(({ name }) => /-classification$/.test(name))
      .map(columns),
  );
  const parties = childAt(front, 'us-parties') ?? childAt(front, 'parties');
  const stage = (name: string) => {
    const id = childAt(front, `pct-or-regional-${name}-data`, 'document-id');
    return { number: textAt(id, 'doc-number'), date: parseDate(textAt(id, 'date')) };
  };
  return {
    ...present({
      uspc_codes: nationalClasses(national),
      agents: names(childElements(childAt(parties, 'agents'))),
      examiners: names(childElements(childAt(front, 'examiners'))),
    }),
    ...internationalFields(stage('filing'), stage('publishing')),
  };
}

export interface RedBookFilings {
  applicationNumber?: string | undefined;
  filingDate?: string | undefined;
  priorityDate?: string | undefined;
  familyId?: string | undefined;
  priorities: Priority[];
}

function filing(id: XmlElement | undefined): Filing | undefined {
  const number = textAt(id, 'doc-number');
  if (!id || !number) return undefined;
  return { country: textAt(id, 'country') ?? 'US', number, date: parseDate(textAt(id, 'date')) };
}

/**
 * The application and its earlier applications: foreign priorities, provisionals, and the parents of
 * continuations, divisions and reissues. `related-publication` is an earlier publication of the same
 * application and is left out.
 */
export function filings(front: XmlElement, country: string): RedBookFilings {
  const own = filing(childAt(front, 'application-reference', 'document-id'));
  const related = childAt(front, 'us-related-documents');
  const earlier = childElements(childAt(front, 'priority-claims'), 'priority-claim').map(filing);
  for (const relation of childElements(related)) {
    if (relation.name === 'related-publication') continue;
    if (relation.name === 'us-provisional-application')
      earlier.push(filing(childAt(relation, 'document-id')));
    for (const parent of descendants(relation, 'parent-doc')) {
      // A continuation of a national phase names the international application, too.
      for (const document of [
        childAt(parent, 'document-id'),
        childAt(parent, 'parent-pct-document', 'document-id'),
      ])
        earlier.push(filing(document));
    }
  }
  const priorities = earlier.filter((found) => found !== undefined);
  // A national phase without an older priority has its international application as first filing.
  const international = filing(childAt(front, 'pct-or-regional-filing-data', 'document-id'));
  return {
    applicationNumber: own && normaliseApplicationNumber(country, own.number, own.date),
    filingDate: own?.date,
    priorityDate: earliestDate(priorities.map(({ date }) => date)),
    familyId: deriveFamilyId(international ?? own, priorities),
    priorities: uniquePriorities(priorities),
  };
}
