/**
 * Statistics of the readers over a folder of documents. For each format: files, publications, skipped and
 * failed units, and the share of publications that have each part. Failures are listed by reason with an
 * example.
 *
 *   node scripts/formats.mjs [--json] [FOLDER…] default: ../shared/data/patents, if it exists
 *
 * `test/ingest/independent-count.test.ts` compares these counts with those of another parser.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseUnit } from '../dist/src/ingest/readers/registry.js';
import { isFailure, openSources } from '../dist/src/ingest/source.js';

/** Parts whose share is shown, and the fields of each. */
const PARTS = {
  title: ['title'],
  abstract: ['abstract'],
  claims: ['claims'],
  description: ['description'],
  'publication date': ['publication_date'],
  'filing date': ['filing_date'],
  applicants: ['applicants'],
  inventors: ['inventors'],
  'IPC or Locarno': ['ipc_codes', 'locarno_codes'],
  CPC: ['cpc_codes'],
  citations: ['citations'],
};

const empty = () => ({ files: new Set(), publications: 0, claims: 0, skipped: 0, failed: 0, having: {} });

/** Reads all files of some paths. Returns `formats` by format, and `failures` and `skipped` by reason. */
export async function survey(paths) {
  const formats = new Map();
  const failures = new Map();
  const skipped = new Map();
  const count = (map, reason, place) => {
    const known = map.get(reason) ?? { count: 0, example: place };
    known.count++;
    map.set(reason, known);
  };
  const onSkipped = ({ file, position, reason }) => count(skipped, reason, `${file}, ${position}`);
  for await (const item of openSources(paths, { onSkipped })) {
    const place = `${item.file}, ${item.position}`;
    if (isFailure(item)) {
      count(failures, item.reason.replace(/; known are .*/, '').replace(/^\d+ more/, '# more'), place);
      continue;
    }
    const format = formats.get(item.format) ?? empty();
    formats.set(item.format, format);
    format.files.add(item.file);
    const { patents, skipped: left, failed } = parseUnit(item.format, item.bytes);
    format.publications += patents.length;
    format.skipped += left.length;
    for (const { reason } of left) count(skipped, reason, place);
    if (failed) {
      format.failed++;
      count(failures, `${item.format}: ${failed.reason.replace(/\d+/g, '#')}`, place);
    }
    for (const patent of patents) {
      format.claims += patent.claims?.length ?? 0;
      for (const [part, fields] of Object.entries(PARTS)) {
        if (fields.some((field) => patent[field] !== undefined)) {
          format.having[part] = (format.having[part] ?? 0) + 1;
        }
      }
    }
  }
  return { formats, failures, skipped };
}

function print({ formats, failures, skipped }) {
  const share = ({ having, publications }, part) =>
    publications === 0 ? '–' : `${Math.round((100 * (having[part] ?? 0)) / publications)}`;
  const heads = [
    'format',
    'files',
    'publications',
    'claims',
    'skipped',
    'failed',
    ...Object.keys(PARTS).map((part) => `${part} %`),
  ];
  const rows = [...formats].map(([name, format]) => [
    ...[name, format.files.size, format.publications, format.claims, format.skipped, format.failed],
    ...Object.keys(PARTS).map((part) => share(format, part)),
  ]);
  for (const row of [heads, heads.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  for (const [title, reasons] of [
    ['Failed', failures],
    ['Skipped', skipped],
  ]) {
    console.log(`\n${title}:`);
    const sorted = [...reasons].sort(([, a], [, b]) => b.count - a.count);
    for (const [reason, { count, example }] of sorted)
      console.log(`${count} × ${reason}\n    e.g. ${example}`);
  }
}

if (
  process.argv[1] &&
  resolve(process.argv[1]) === resolve(import.meta.filename ?? new URL(import.meta.url).pathname)
) {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const paths = positionals.length > 0 ? positionals : ['../shared/data/patents'];
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) {
    console.log(`skipped: no documents at ${missing.join(', ')}; pass a folder as argument`);
  } else {
    const found = await survey(paths);
    if (values.json) {
      const plain = (map) =>
        Object.fromEntries(
          [...map].map(([key, value]) => [
            key,
            { ...value, ...(value.files ? { files: value.files.size } : {}) },
          ]),
        );
      console.log(
        JSON.stringify(
          Object.fromEntries(Object.entries(found).map(([key, map]) => [key, plain(map)])),
          null,
          2,
        ),
      );
    } else print(found);
  }
}
