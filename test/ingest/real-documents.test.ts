/**
 * The readers on offices' own documents, compared with independent counts (regular expressions over the raw bytes).
 * The documents are not part of the project: without `../shared/data` the test is skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { passagesOf } from '../../src/ingest/passages.js';
import type { Failure } from '../../src/ingest/readers/reader.js';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import { parsePatentNumber } from '../../src/patent/number.js';
import { docdbForm, literatureForm, officeForm } from '../../src/patent/number-forms.js';
import type { Patent } from '../../src/patent/record.js';

const DATA = resolve('../shared/data/patents');
const skip = existsSync(DATA) ? false : `no documents at ${DATA}`;

async function readAll(...folders: string[]): Promise<{ patents: Patent[]; failures: Failure[] }> {
  const patents: Patent[] = [];
  const failures: Failure[] = [];
  for await (const item of openSources(folders.map((folder) => join(DATA, folder)))) {
    if (isFailure(item)) {
      failures.push(item);
      continue;
    }
    const { patents: found, failed } = parseUnit(item.format, item.bytes);
    patents.push(...found);
    if (failed) failures.push({ ...item, reason: failed.reason });
  }
  return { patents, failures };
}

/** Raw text of every file of a folder, decompressed if it is gzip. */
function rawTexts(folder: string): string[] {
  return readdirSync(join(DATA, folder)).map((name) => {
    const bytes = readFileSync(join(DATA, folder, name));
    return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  });
}

const count = (texts: string[], pattern: RegExp): number =>
  texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
const having = (patents: Patent[], field: keyof Patent): number =>
  patents.filter((patent) => patent[field] !== undefined).length;

describe('US red book', { skip }, () => {
  for (const [folder, root] of [
    ['US/us-patent-grant-v4', 'us-patent-grant'],
    ['US/us-patent-application-v4', 'us-patent-application'],
  ] as const) {
    it(`${folder}: every document is read, with all of its parts`, async () => {
      const texts = rawTexts(folder);
      const { patents: all, failures } = await readAll(folder);
      // One application has an older format.
      const older = count(texts, /<patent-application-publication>/g);
      const patents = all.filter(({ patent_id }) => older === 0 || patent_id !== 'US20010000001A1');
      assert.equal(all.length, patents.length + older);
      assert.equal(patents.length, count(texts, new RegExp(`<${root}[\\s>]`, 'g')));
      // Sequence listings are separate documents beside their grants.
      assert.deepEqual(failures, []);
      assert.equal(having(patents, 'title'), patents.length);
      assert.equal(having(patents, 'publication_date'), patents.length);
      assert.equal(having(patents, 'filing_date'), patents.length);
      assert.equal(having(patents, 'inventors'), patents.length);
      assert.equal(having(patents, 'applicants'), patents.length);
      assert.equal(having(patents, 'abstract'), count(texts, /<abstract[\s>]/g));
      assert.equal(having(patents, 'description'), count(texts, /<description[\s>]/g));
      assert.equal(
        patents.flatMap(({ claims }) => claims ?? []).length,
        count(texts, /<claim id="CLM-\d+" num=/g),
      );
      assert.equal(patents.flatMap(({ drawings }) => drawings ?? []).length, count(texts, /<figure[\s>]/g));
      assert.equal(
        patents.flatMap(({ citations }) => citations ?? []).length,
        count(texts, /<(?:pat|npl)cit\s/g),
      );
      assert.equal(having(patents, 'locarno_codes'), count(texts, /<classification-locarno>/g));
      const classified = patents.filter(
        ({ ipc_codes, cpc_codes, locarno_codes }) => ipc_codes ?? cpc_codes ?? locarno_codes,
      );
      assert.equal(classified.length, patents.length);
    });
  }

  for (const { folder, document, parts, claim, citation, figure } of [
    {
      ...{ folder: 'US/pap-v15', document: /<patent-application-publication>/g },
      parts: {
        abstract: /<subdoc-abstract>/g,
        description: /<subdoc-description>/g,
        locarno_codes: /<locarno>/g,
      },
      ...{ claim: /<claim id=/g, citation: /<patcit>/g, figure: /<figure /g },
    },
    {
      ...{ folder: 'US/patdoc-st32', document: /<PATDOC /g },
      parts: { abstract: /<SDOAB>/g, description: /<SDODE>/g, locarno_codes: /<B110>\s*<DNUM>\s*<PDAT>D/g },
      ...{ claim: /<CLM ID=/g, citation: /<[PN]CIT>/g, figure: /<EMI ID="EMI-D/g },
    },
    {
      ...{ folder: 'US/brs-text', document: /^WKU /gm },
      parts: { abstract: /^ABPR /gm, description: /^WKU /gm, locarno_codes: /^LOC/gm },
      ...{ claim: /^CLPR +\d+\. /gm, citation: /^(?:URGP|FRGP|ORPL) /gm, figure: /^FIGURE /gm },
    },
  ]) {
    it(`${folder}: every document is read, with all of its parts`, async () => {
      const texts = rawTexts(folder);
      const { patents, failures } = await readAll(folder);
      assert.deepEqual(failures, []);
      assert.equal(patents.length, count(texts, document));
      for (const field of ['title', 'publication_date', 'filing_date', 'inventors', 'applicants'] as const)
        assert.equal(having(patents, field), patents.length, field);
      for (const [field, pattern] of Object.entries(parts))
        assert.equal(having(patents, field as keyof Patent), count(texts, pattern), field);
      assert.equal(
        patents.filter(({ ipc_codes, locarno_codes }) => ipc_codes ?? locarno_codes).length,
        patents.length,
      );
      assert.equal(patents.flatMap(({ claims }) => claims ?? []).length, count(texts, claim));
      assert.equal(patents.flatMap(({ citations }) => citations ?? []).length, count(texts, citation));
      assert.equal(patents.flatMap(({ drawings }) => drawings ?? []).length, count(texts, figure));
    });
  }

  it('reports papers of file wrappers, which are not publications', async () => {
    const { patents, failures } = await readAll('US/xml4ip');
    assert.deepEqual([patents, failures], [[], []]);
  });

  it('the text has no markup, entity or private glyph', async () => {
    const { patents } = await readAll(
      ...['US/us-patent-grant-v4', 'US/us-patent-application-v4', 'US/red-book-zip'],
      ...['US/pap-v15', 'US/patdoc-st32'],
    );
    for (const patent of patents) {
      const text = passagesOf(patent)
        .map((passage) => passage.text)
        .join('\n');
      assert.doesNotMatch(
        text,
        /<\/?(?:b|i|sub|sup|p|claim-text|figref)\b|&[a-z]+;|[\uE000-\uF8FF]/,
        patent.patent_id,
      );
    }
  });

  it('reads publications inside their zips, and skips the drawings', async () => {
    const { patents, failures } = await readAll('US/red-book-zip');
    assert.deepEqual(patents.map(({ patent_id }) => patent_id).sort(), [
      'US20250204297A1',
      'US20250250937A1',
    ]);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      patents.map(({ drawings }) => drawings?.filter(({ representative }) => representative).length),
      [1, 1],
    );
  });
});

describe('numbers of real publications', { skip }, () => {
  it('numbers are parsed from the form of DOCDB, of KIPRIS and of their own office', async () => {
    const { patents } = await readAll(
      ...['US/us-patent-grant-v4', 'US/us-patent-application-v4', 'US/patdoc-st32', 'US/pap-v15'],
      ...['EP/ep-patent-document', 'EP/ops-xml', 'JP/jp-official-gazette', 'CN/cn-patent-document'],
      ...['CN/st96-business', 'CN/csv', 'KR/kipris-bulk-txt', 'KR/kipris-xml'],
    );
    const publications = new Map(patents.map((patent) => [patent.patent_id, patent]));
    const wrong: string[] = [];
    for (const { patent_id, country, number, kind_code } of publications.values()) {
      const publication = { country, number, kind_code };
      const forms = [docdbForm(publication), officeForm(publication), literatureForm(publication), patent_id];
      for (const form of forms) {
        const isRead =
          form === undefined ||
          parsePatentNumber(form).some(
            (found) => (found.country ?? country) === country && found.number === number,
          );
        if (!isRead) wrong.push(`${patent_id}: ${form}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(publications.size > 200, `${publications.size} numbers`);
    assert.deepEqual(new Set([...publications.values()].map(({ country }) => country)).size, 5);
  });
});

describe('KIPRIS records', { skip }, () => {
  it('a record yields a publication for each open and each register number', async () => {
    const folder = 'KR/kipris-json';
    const raw = gunzipSync(readFileSync(join(DATA, folder, '77eileen.tar.gz'))).toString('utf8');
    const { patents, failures } = await readAll(folder);
    assert.deepEqual(failures, []);
    const kind = (code: string) => patents.filter(({ kind_code }) => kind_code === code);
    assert.equal(kind('A').length, count([raw], /"openNumber": *"[^" ]/g));
    assert.equal(kind('B1').length, count([raw], /"registerNumber": *"[^" ]/g));
    assert.equal(kind('A').length + kind('B1').length, patents.length);
    assert.equal(new Set(patents.map(({ patent_id }) => patent_id)).size, patents.length);
    for (const field of [
      'title',
      'titles',
      'abstract',
      'claims',
      'filing_date',
      'applicants',
      'inventors',
      'ipc_codes',
    ] as const) {
      assert.equal(having(patents, field), patents.length, field);
    }
    assert.equal(having(kind('B1'), 'grant_date'), kind('B1').length);
  });
});
