/** Pages of the log of requests: the lines of a key in the order of time, whichever servers wrote them. */
import { PriorartError } from '../errors.js';
import { LOG_BLOCK_MS } from '../limits.js';
import { type LogLine, type LogPage, linesOf } from './log-records.js';
import type { BlockKey, LogTables } from './log-tables.js';

/** Where a line lies. Sorts lines: by time, of one time by block, within a block as they were added. */
export interface Place {
  time: number;
  writer: string;
  index: number;
}

interface Placed extends Place {
  line: LogLine;
}

/**
 * The lines of a key that are not older than `oldest`, newest first. Blocks of several servers overlap, so the lines of
 * a block wait until no block that is still to be read can hold a newer one.
 * @param oldest ISO 8601
 * @param from where the page before ended
 */
export function pageOf(
  { blocks }: Pick<LogTables, 'blocks'>,
  key: string,
  { limit, oldest, from }: { limit: number; oldest: string; from: Place | undefined },
): LogPage {
  const start: BlockKey = [key, from ? from.time + LOG_BLOCK_MS : Number.MAX_VALUE, LAST_WRITER];
  const shown: Placed[] = [];
  let waiting: Placed[] = [];
  const show = (before: number) => {
    waiting.sort(newestFirst);
    const end = waiting.findIndex(({ time }) => time <= before);
    shown.push(...waiting.splice(0, end < 0 ? waiting.length : end));
  };
  for (const { key: at, value } of blocks.getRange({ start, end: [key, 0, ''], reverse: true })) {
    const [, first, writer] = at;
    show(first + LOG_BLOCK_MS);
    if (shown.length > limit) break;
    const placed = linesOf(value).map((line, index) => ({
      time: Date.parse(line.time),
      writer,
      index,
      line,
    }));
    const young = placed.filter(({ line }) => line.time >= oldest);
    if (young.length === 0) break;
    waiting = waiting.concat(from ? young.filter((place) => newestFirst(from, place) < 0) : young);
  }
  if (shown.length <= limit) show(Number.NEGATIVE_INFINITY);
  const page: LogPage = { lines: shown.slice(0, limit).map(({ line }) => line) };
  if (shown.length > limit) page.next = writeCursor(shown[limit - 1]!);
  return page;
}

/** Sorts behind the name of every writer. */
const LAST_WRITER = '~';

function newestFirst(a: Place, b: Place): number {
  if (a.time !== b.time) return b.time - a.time;
  if (a.writer !== b.writer) return a.writer < b.writer ? 1 : -1;
  return b.index - a.index;
}

function writeCursor({ time, writer, index }: Place): string {
  return `${time.toString(36)}-${writer}-${index.toString(36)}`;
}

/**
 * Where the page before ended.
 * @param text its `next`
 * @throws PriorartError `usage` where it is no cursor
 */
export function readCursor(text: string): Place {
  const [, time = '', writer = '', index = ''] =
    /^([0-9a-z]{1,10})-([0-9A-Za-z]{1,24})-([0-9a-z]{1,8})$/.exec(text) ?? [];
  if (writer !== '') return { time: Number.parseInt(time, 36), writer, index: Number.parseInt(index, 36) };
  throw new PriorartError(
    'usage',
    `cursor: got ${JSON.stringify(text.slice(0, 80))}; expected the \`next\` of the page before`,
  );
}
