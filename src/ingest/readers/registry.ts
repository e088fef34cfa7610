/**
 * All readers, and the detection of formats. Detection uses the content, because names and extensions may be
 * wrong.
 */
import { cnSt36 } from './cn-st36.js';
import { cnSt96 } from './cn-st96.js';
import { docdb } from './docdb.js';
import { epPublication } from './ep-st36.js';
import { exportTable, tableLacks } from './export-table.js';
import { finished } from './finish.js';
import { googlePatents } from './google-patents.js';
import { jpGazette } from './jp-gazette.js';
import { jpSt96 } from './jp-st96.js';
import { jsonLines, missingIn } from './json-lines.js';
import { memberNames } from './json-members.js';
import { kiprisDetailXml } from './kipris-detail-xml.js';
import { kiprisJson } from './kipris-json.js';
import { kiprisTables } from './kipris-tables.js';
import { kiprisXml } from './kipris-xml.js';
import { lensAnswer, lensJson } from './lens-json.js';
import { opsJson } from './ops-json.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { usPatentApplication, usPatentGrant } from './red-book.js';
import { usAps } from './us-aps.js';
import { usBrs } from './us-brs.js';
import { usOpenData } from './us-odp.js';
import { usPap } from './us-pap.js';
import { usSt32 } from './us-st32.js';
import { usXml4ip } from './us-xml4ip.js';
import { rootlessReason, xmlRootName } from './xml.js';

/** In the order of detection: special formats before general ones. */
export const READERS: readonly Reader[] = [
  ...[usPatentGrant, usPatentApplication, usPap, usSt32, usBrs, usAps, usXml4ip],
  ...[epPublication, docdb, opsJson, jpGazette, jpSt96, cnSt36, cnSt96],
  ...[kiprisDetailXml, kiprisXml, kiprisJson, kiprisTables, googlePatents, jsonLines],
  ...[lensJson, lensAnswer, usOpenData, exportTable],
];

/** Format → version of its reader. */
export const READER_VERSIONS: Readonly<Record<string, number>> = Object.fromEntries(
  READERS.map(({ format, version }) => [format, version]),
);

/** Formats of patent offices that are recognised by their root element but have no reader. */
const UNREAD_ROOTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'patent-document': 'patent-document (Alexandria, MAREC)',
    'lexisnexis-patent-document': 'lexisnexis-patent-document (LexisNexis)',
  }),
);

/**
 * XML documents that accompany publications and hold no publication: sequence listings of the weekly files,
 * contents of the EPO's packages.
 */
const SIDE_ROOTS = new Set(['sequence-cwu', 'sequence-list', 'ST26SequenceListing', 'Application-body']);

/** The reader for these first bytes; `undefined` if no reader matches. */
export function detectReader(head: Uint8Array): Reader | undefined {
  return READERS.find((reader) => reader.detect(head));
}

/** Whether a unit accompanies a publication and is not a publication. */
export function isSideDocument(head: Uint8Array): boolean {
  return SIDE_ROOTS.has(xmlRootName(head) ?? '');
}

/** Titles of all supported formats, for messages. */
export const KNOWN_FORMATS: readonly string[] = READERS.map(({ title }) => title);

/** Beginning of every reason of `unknownReason`. */
export const UNKNOWN_FORMAT = 'not a known format';

/** Reason why a unit is not read, with the name of its format if known. */
export function unknownReason(head: Uint8Array): string {
  const root = xmlRootName(head);
  if (root === undefined) {
    const names = memberNames(head, true);
    return (names ? missingIn(names) : tableReason(head)) ?? UNKNOWN_FORMAT;
  }
  if (root === '') return `${UNKNOWN_FORMAT}: ${rootlessReason(head)}`;
  return `${UNKNOWN_FORMAT}: ${UNREAD_ROOTS.get(root) ?? `XML <${root}>`}`;
}

function tableReason(head: Uint8Array): string | undefined {
  const lacks = tableLacks(head);
  return lacks && `${UNKNOWN_FORMAT}: ${lacks}`;
}

/**
 * Reads one unit, in a worker. Content never makes it throw: damage becomes `failed`. `format` is the format
 * that `openSources` gave the unit.
 */
export function parseUnit(format: string, bytes: Uint8Array): ParsedUnit {
  const reader = READERS.find((candidate) => candidate.format === format);
  if (!reader) throw new TypeError(`no reader for format ${JSON.stringify(format)}`);
  try {
    const parsed = reader.parse(bytes);
    // Records of the project's own format stay unchanged.
    return reader === jsonLines ? parsed : { ...parsed, patents: parsed.patents.map(finished) };
  } catch (error) {
    if (error instanceof DamagedDocument) return failed(error.message);
    // A programming error of a reader fails one document and not the job. The name of the error distinguishes
    // it from damage.
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return failed(`the ${reader.title} reader could not read this document (${name}: ${message})`);
  }
}

const failed = (reason: string): ParsedUnit => ({ patents: [], skipped: [], failed: { reason } });
