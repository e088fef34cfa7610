/** CN publications, `cn-patent-document` (the CNIPA's data in WIPO ST.36, 1985 to about 2020). */
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Name, Patent } from '../../patent/record.js';
import { splitXml } from '../split.js';
import { cnDrawings, cnSections, printedClaims, printedText, withoutAgencyNumber } from './cn-text.js';
import { decodeText } from './decode.js';
import { filingOf } from './document-id.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  present,
  publicationDates,
  publicationsOf,
  uniqueNames,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import {
  childAt,
  childElements,
  descendants,
  parseXml,
  textAt,
  type XmlElement,
  xmlRootName,
} from './xml.js';

const ROOT = 'cn-patent-document';

function parse(bytes: Uint8Array): ParsedUnit {
  return publicationsOf(parseXml(decodeText(bytes)), [ROOT], publication);
}

function publication(root: XmlElement): Patent | { foreign: string } {
  const front = childAt(root, 'cn-bibliographic-data');
  if (!front) throw new DamagedDocument(`<${ROOT}> without bibliographic data`);
  const body = childAt(root, 'application-body');
  const id = childAt(front, 'cn-publication-reference', 'document-id');
  const country = textAt(id, 'country') ?? root.attributes['country'] ?? 'CN';
  const named = identity(country, textAt(id, 'doc-number'), textAt(id, 'kind'));
  if (!named) return { foreign: country };
  const abstracts = [...childElements(front, 'abstract'), ...childElements(body, 'abstract')];
  const title = childAt(front, 'invention-title');
  const granted = textAt(front, 'cn-grant-date', 'date') ?? textAt(front, 'date-of-grant', 'date');
  return withText({
    ...named,
    language: 'zh',
    ...present({
      title: title && printedText(title).replaceAll('\n', ' '),
      abstract: abstracts.map(printedText).filter(Boolean).join('\n'),
      claims: body && printedClaims(body),
      description: cnSections(childAt(body, 'description'), printedText),
    }),
    ...publicationDates(named, parseDate(textAt(id, 'date')), parseDate(granted)),
    ...filings(front),
    ...present({
      applicants: people(front, /applicant|assignee|grantee|patentee/),
      inventors: people(front, /inventor|designer/),
      agents: agents(front),
    }),
    ...internationalFields(
      numberAndDate(front, 'pct-or-regional-filing-data'),
      numberAndDate(front, 'pct-or-regional-publishing-data'),
    ),
    ...codes(front),
    ...present({
      drawings: cnDrawings(
        childElements(body, 'drawings'),
        childAt(body, 'cn-abstract-drawing') ?? childAt(front, 'cn-abstract-drawing'),
      ),
    }),
  });
}

/** Foreign priorities, and domestic priorities: earlier applications that this application replaces. */
function filings(front: XmlElement): Partial<Patent> {
  const claimed = childElements(childAt(front, 'priority-claims'), 'priority-claim').map((claim) =>
    filingOf(childAt(claim, 'document-id') ?? claim, 'CN'),
  );
  const domestic = descendants(front, 'cn-domestic-priority-claim').flatMap((claim) =>
    [...descendants(claim, 'parent-doc'), ...descendants(claim, 'child-doc')].map((parent) =>
      filingOf(childAt(parent, 'document-id'), 'CN'),
    ),
  );
  const own = filingOf(childAt(front, 'application-reference', 'document-id'), 'CN');
  const parents = descendants(childAt(front, 'cn-related-documents'), 'parent-doc').map((parent) =>
    filingOf(childAt(parent, 'document-id'), 'CN'),
  );
  const earlier = (list: (Filing | undefined)[]): Filing[] =>
    list.filter((filing) => filing !== undefined && filing.number !== own?.number) as Filing[];
  const pct = filingOf(childAt(front, 'pct-or-regional-filing-data', 'document-id'), 'WO');
  return filingFields('CN', {
    own,
    international: pct && { ...pct, country: 'WO' },
    priorities: earlier([...claimed, ...domestic]),
    parents: earlier(parents),
  });
}

function people(front: XmlElement, role: RegExp): Name[] {
  const lists = childElements(childAt(front, 'cn-parties')).filter(({ name }) => role.test(name));
  return uniqueNames(
    lists.flatMap((list) =>
      childElements(list).map((holder) => textAt(holder, 'addressbook', 'name') ?? textAt(holder, 'name')),
    ),
  );
}

/** Firms and attorneys. The number of a firm follows its name. */
function agents(front: XmlElement): Name[] {
  const listed = descendants(childAt(front, 'cn-parties', 'cn-agents'), 'cn-agent');
  return uniqueNames(
    listed.flatMap((agent) => [
      withoutAgencyNumber(textAt(agent, 'cn-agency', 'name')),
      textAt(agent, 'name') ?? textAt(agent, 'addressbook', 'name'),
    ]),
  );
}

function numberAndDate(front: XmlElement, list: string) {
  const id = childAt(front, list, 'document-id');
  return { number: textAt(id, 'doc-number'), date: parseDate(textAt(id, 'date')) };
}

function codes(front: XmlElement): Partial<Patent> {
  const texts = (list: string): string[] =>
    childElements(childAt(front, list)).map((code) => textAt(code, 'text') ?? textAt(code) ?? '');
  const old = childElements(childAt(front, 'classification-ipc')).map((code) => textAt(code) ?? '');
  return codeFields({
    ipc: [...texts('classifications-ipcr'), ...old],
    locarno: texts('classification-locarno'),
  });
}

export const cnSt36: Reader = {
  format: ROOT,
  title: 'CN publication (ST.36)',
  version: 7,
  detect: (head) => xmlRootName(head) === ROOT,
  split: splitXml,
  parse,
};
