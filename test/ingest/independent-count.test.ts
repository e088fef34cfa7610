/**
 * The readers' counts of the offices' documents against those of another parser (lxml, csv and json in Python). The
 * documents are not part of the project; without them, or without that Python, the test is skipped.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { noPython, runPython } from '../house/python.js';

const DATA = resolve('../shared/data/patents');
const FOLDERS = [
  ...['EP/ep-patent-document', 'EP/ops-xml', 'WO/docdb', 'JP/jp-official-gazette', 'CN/cn-patent-document'],
  ...['CN/st96-business', 'CN/cnipa-csv', 'CN/csv', 'KR/kipris-xml', 'KR/kipris-bulk-txt'],
];
/** Names of parts in the other parser and in the survey. */
const PARTS: Record<string, string> = {
  ...{ title: 'title', abstract: 'abstract', description: 'description', published: 'publication date' },
  ...{ applicants: 'applicants', inventors: 'inventors', ipc: 'IPC or Locarno' },
};
/** Maximum difference of two counts, as a share of the larger. */
const TOLERANCE = 0.01;

interface Survey {
  formats: Map<string, { publications: number; claims: number; having: Record<string, number> }>;
}

const skip = existsSync(DATA) ? noPython : `no documents at ${DATA}`;

describe('counts of publications and their parts', { skip }, () => {
  it('counts agree with lxml, csv and json', async () => {
    const expected = JSON.parse(runPython('test/ingest/independent_count.py', [DATA]).toString()) as Record<
      string,
      Record<string, number>
    >;
    const { survey } = (await import(pathToFileURL(resolve('scripts/formats.mjs')).href)) as {
      survey: (paths: string[]) => Promise<Survey>;
    };
    const { formats } = await survey(FOLDERS.map((folder) => join(DATA, folder)));
    const wrong: string[] = [];
    let compared = 0;
    for (const [format, counts] of Object.entries(expected)) {
      const own = formats.get(format);
      for (const [part, count] of Object.entries(counts)) {
        const named =
          part === 'publications' || part === 'claims' ? own?.[part] : own?.having[PARTS[part] ?? part];
        const found = named ?? 0;
        compared++;
        if (Math.abs(found - count) > TOLERANCE * Math.max(found, count))
          wrong.push(`${format} ${part}: ${found}, lxml ${count}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(compared > 40, `${compared} counts compared`);
  });
});
