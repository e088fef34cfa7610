import { sourceRecords } from '../store/ledger.js';
import { FAILURES_KEPT, type SourceFailure, type SourceRecord } from '../store/source-record.js';
import { Store } from '../store/store.js';
import { shellWord } from './options.js';
import { COMMAND, count, counted, print, size } from './output.js';

/** Failures of a file in the text output; `--json` lists those that the ledger keeps. */
const SHOWN_FAILURES = 3;
/** Files in the text output; `--json` lists all. */
const SHOWN_FILES = 40;

/** `ingest --status`: the ledger of a data folder. */
export async function showStatus(data: string, json: boolean): Promise<void> {
  const store = Store.open(data);
  try {
    const files = sourceRecords(store);
    print({ files }, json, () => statusText(files, data));
  } finally {
    await store.close();
  }
}

function statusText(files: readonly SourceRecord[], data: string): string {
  if (files.length === 0) {
    return `No file has been read into ${data} yet; read files with \`${COMMAND} ingest --data ${shellWord(data)} FILE…\`.`;
  }
  // Newest last, next to the prompt.
  const byTime = [...files].sort((a, b) => (a.last_read < b.last_read ? -1 : 1)).slice(-SHOWN_FILES);
  const lines = [
    `${counted(files.length, 'file')} read into ${data}`,
    ...(files.length > byTime.length
      ? [`  … ${files.length - byTime.length} older files (--json lists them)`]
      : []),
    ...byTime.map(fileText),
  ];
  return lines.join('\n');
}

function fileText({
  path,
  bytes,
  last_read,
  readings,
  readers,
  failures = [],
  ...counts
}: SourceRecord): string {
  const formats = Object.entries(readers).map(([format, version]) => `${format} v${version}`);
  const { ingested, updated, unchanged, skipped, failed } = counts;
  const parts = Object.entries({ new: ingested, updated, unchanged, skipped, failed })
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${count(number)} ${what}`);
  const times = readings > 1 ? `, read ${readings} times` : '';
  const line = `  ${last_read.slice(0, 19)}Z  ${path}  ${size(bytes)}  ${formats.join(', ') || 'no document'}: ${parts.join(', ') || 'nothing'}${times}`;
  return [line, ...failuresText(failures, failed)].join('\n');
}

function failuresText(failures: readonly SourceFailure[], failed: number): string[] {
  const shown = failures.slice(0, SHOWN_FAILURES).map(({ position, patent_id: id, reason }) => {
    return `      ${position}${id === undefined ? '' : ` (${id})`}: ${reason}`;
  });
  const hidden = failed - shown.length;
  if (shown.length > 0 && hidden > 0)
    shown.push(`      … and ${count(hidden)} more (--json lists up to ${FAILURES_KEPT} of a file)`);
  return shown;
}
