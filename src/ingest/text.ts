/** Splits a stream of text into documents, each recognised by its content. */
import type { TableFolders } from './join.js';
import { failureAt, folderOf, type Place, positionOf } from './place.js';
import { hasField, jsonLines } from './readers/json-lines.js';
import { memberNames } from './readers/json-members.js';
import { kiprisTables } from './readers/kipris-tables.js';
import type { Failure, Reader, SkippedFile, Unit } from './readers/reader.js';
import { detectReader, isSideDocument, unknownReason } from './readers/registry.js';
import { xmlRootName } from './readers/xml.js';
import { closedReason } from './sniff.js';
import { type Splitter, splitJson, splitLines, splitXml } from './split.js';
import type { Bytes } from './unpack.js';

const UNREAD_TABLE = 'a KIPRIS table that nothing is read from';
const NO_PATENT_DATA = 'no patent data: not XML, not JSON, and no table that is known';

/** Handlers of texts that hold no complete documents. */
export interface TextOptions {
  /** Receives tables that are joined. */
  tables: TableFolders;
  signal?: AbortSignal;
  onSkipped?: (file: SkippedFile) => void;
}

/** Yields the documents of a text that begins with `head`. */
export async function* openText(
  head: Buffer,
  whole: Bytes,
  place: Place,
  options: TextOptions,
): AsyncGenerator<Unit | Failure> {
  const plan = planOf(head);
  if (!plan) {
    const closed = closedReason(head);
    if (place.isNamed) yield failureAt(place, closed ?? unknownReason(head));
    else
      options.onSkipped?.({
        ...{ file: place.file, position: positionOf(place) },
        reason: closed ?? NO_PATENT_DATA,
      });
    return;
  }
  if (plan.reader?.format === kiprisTables.format) {
    if (!(await options.tables.add(place, whole))) {
      options.onSkipped?.({ file: place.file, position: positionOf(place), reason: UNREAD_TABLE });
    }
    return;
  }
  let unknown = 0;
  let lastUnknown = '';
  // A file without documents is one failure, not one per piece. In a file with documents, the first unknown
  // piece is also a failure.
  let untold: Failure | undefined;
  let isRead = false;
  // After a record of the project's own format, that reader says what another record of the file lacks.
  let own: Reader | undefined;
  for await (const piece of plan.split(whole)) {
    options.signal?.throwIfAborted();
    const { position, bytes } = piece;
    if (bytes === undefined) {
      yield failureAt(place, piece.reason, position);
      continue;
    }
    // Documents of several formats can be in one file: grants, sequence listings, records of two sources.
    const fallback = plan.split === splitXml ? undefined : (plan.reader ?? ownReader(own, bytes));
    const reader = detectReader(bytes) ?? fallback;
    if (reader) {
      if (reader === jsonLines) own = reader;
      if (untold) yield untold;
      untold = undefined;
      isRead = true;
      const { format } = reader;
      yield {
        file: place.file,
        position: positionOf(place, position),
        folder: folderOf(place),
        format,
        bytes,
      };
    } else if (!isSideDocument(bytes)) {
      if (++unknown === 1) {
        const failure = failureAt(place, unknownReason(bytes), position);
        if (isRead) yield failure;
        else untold = failure;
      }
      lastUnknown = position;
    }
  }
  if (untold) yield untold;
  else if (unknown > 1) {
    yield failureAt(
      place,
      `${unknown - 1} more ${unknown === 2 ? 'piece' : 'pieces'} of no known format up to here`,
      lastUnknown,
    );
  }
}

/** The reader of the project's own records, if the file has some and the piece has a field of a record. */
function ownReader(own: Reader | undefined, piece: Uint8Array): Reader | undefined {
  return own && hasField(memberNames(piece) ?? []) ? own : undefined;
}

/** The splitter for a stream with these first bytes, and the fallback reader for its pieces. */
function planOf(head: Buffer): { split: Splitter; reader?: Reader } | undefined {
  const line = jsonLine(head);
  if (line) {
    const reader = detectReader(line);
    if (reader?.hasList) return { split: reader.split, reader };
    return reader ? { split: splitLines, reader } : { split: splitLines };
  }
  const reader = detectReader(head);
  if (reader) return { split: reader.split, reader };
  if (xmlRootName(head) !== undefined) return { split: splitXml };
  return /^(?:\u00ef\u00bb\u00bf)?\s*[[{]/.test(head.subarray(0, 1000).toString('latin1'))
    ? { split: splitJson }
    : undefined;
}

/** The first line that is a whole JSON object, if the text is JSON Lines. */
function jsonLine(head: Buffer): Buffer | undefined {
  const start = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  let from = start;
  for (let tries = 0; tries < 5; tries++) {
    const end = head.indexOf(10, from);
    const line = head.subarray(from, end < 0 ? head.length : end);
    if (line[0] === 0x7b && /\}\s*$/.test(line.subarray(-20).toString('latin1'))) {
      try {
        JSON.parse(line.toString('utf8'));
        return line;
      } catch {
        // A damaged line, or the first line of an object printed over several lines.
      }
    } else if (tries === 0 && line[0] !== 0x7b) return undefined;
    if (end < 0) return undefined;
    from = end + 1;
  }
  return undefined;
}
