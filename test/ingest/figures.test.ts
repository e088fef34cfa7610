/** Ingest of drawings: joined with their publications, in every layout of the offices. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LocalDrawings } from '../../src/drawings/files.js';
import { figureKey } from '../../src/drawings/name.js';
import { type IngestOptions, type IngestSummary, open } from '../../src/index.js';
import { ingest as ingestInto } from '../../src/ingest/ingest.js';
import type { Preparer } from '../../src/ingest/prepare.js';
import { folderThreads } from '../../src/pool/folder-thread.js';
import { Inline } from '../../src/pool/pool.js';
import { figureImages } from '../../src/store/figures.js';
import { Store } from '../../src/store/store.js';
import { CLI } from '../crash/folder.js';
import { greyOf, jpeg, noSharp, pattern, png, tiffG4 } from '../drawings/images.js';
import { grantXml, tarOf, zipOf } from './documents.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-figures-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;
const fresh = () => join(folder, String(++folders));

function put(dir: string, files: Record<string, string | Buffer>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

async function ingest(
  data: string,
  paths: string | string[],
  options: IngestOptions = {},
): Promise<IngestSummary> {
  const engine = await open(data, { create: true, workers: 1 });
  try {
    return await engine.ingest(paths, options);
  } finally {
    await engine.close();
  }
}

/** Representative figure and all figures in the text, as the details of a publication show them. */
async function shownOf(data: string, id: string): Promise<{ best?: string; all: string[] }> {
  const engine = await open(data, { workers: 0 });
  try {
    const [entry] = (await engine.details({ patent_ids: [id] })).patents;
    // The name in a link: the last part of the path.
    const links = [...(entry?.content ?? '').matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((match) => match[1]!);
    const all = links.map((link) => decodeURIComponent(link.split('/').at(-1)!));
    return { ...(entry?.representative_figure ? { best: entry.representative_figure } : {}), all };
  } finally {
    await engine.close();
  }
}

/** The pixels of a stored figure, a byte each; undefined if it is missing. */
async function pixelsOf(data: string, id: string, file: string): Promise<Buffer | undefined> {
  const store = Store.open(data);
  try {
    const image = figureImages(store, id).get(figureKey(file)!);
    return image && (await greyOf(readFileSync(new LocalDrawings(data).path(image.content))));
  } finally {
    await store.close();
  }
}

const drawingsXml = (...files: string[]) =>
  `<drawings>${files.map((file, n) => `<figure num="${n}"><img file="${file}"/></figure>`).join('')}</drawings>`;
const patent = (number: string, ...files: string[]) => grantXml({ number, after: drawingsXml(...files) });
const line = (id: string, ...files: string[]) =>
  JSON.stringify({
    ...{ patent_id: id, title: id, abstract: 'A hinge.', publication_date: '2020-01-01' },
    description: [
      {
        section: 'Drawings',
        paragraphs: [{ text: 'FIG. 2 shows all.' }, { text: 'FIG. 12 and FIG. 1 too.' }],
      },
    ],
    drawings: files.map((file, n) => ({ file, label: `FIG. ${n + 1}` })),
  });
const counts = ({ drawings }: IngestSummary) => {
  const { missing_first: _, failures, failed, ...numbers } = drawings!;
  assert.equal(failures, failed.length);
  return { ...numbers, failed: failures };
};
const none = { stored: 0, unchanged: 0, missing: 0, unclaimed: 0, failed: 0 };

describe('drawings of an ingest', { skip: noSharp }, () => {
  const [one, two] = [pattern(300, 200, 3), pattern(310, 190, 7)];
  let pngOfOne: Buffer;
  before(async () => {
    pngOfOne = await png(one);
  });

  it('drawings are read from the ZIPs in a weekly ZIP, pixel by pixel', async () => {
    const stem = 'US09100001-20150804';
    const inner = zipOf({
      [`${stem}/${stem}-D00000.TIF`]: await tiffG4(one),
      [`${stem}/${stem}-D00001.TIF`]: await tiffG4(two),
      [`${stem}/${stem}-C00001.TIF`]: await tiffG4(pattern(30, 20)),
      [`${stem}/${stem}.XML`]: patent('09100001', `${stem}-D00000.TIF`, `${stem}-D00001.TIF`),
    });
    const data = fresh();
    const weekly = put(fresh(), { 'I20150804.ZIP': zipOf({ [`I20150804/UTIL/${stem}.ZIP`]: inner }) });
    assert.deepEqual(counts(await ingest(data, weekly)), { ...none, stored: 2, unclaimed: 1 });
    const names = [`${stem}-D00000.webp`, `${stem}-D00001.webp`];
    assert.deepEqual(await shownOf(data, 'US09100001B2'), { best: names[0], all: names });
    assert.ok(Buffer.from(two.pixels).equals((await pixelsOf(data, 'US09100001B2', `${stem}-d00001`))!));
    assert.deepEqual(counts(await ingest(data, weekly)), { ...none, unchanged: 2, unclaimed: 1 });
  });

  for (const killed of ['at an image', 'at the ledger'] as const) {
    it(`an archive whose ingest was killed ${killed} is read again, and its drawings are there`, async () => {
      const data = fresh();
      const [id, file] = ['US09100002B2', 'US09100002-20150804-D00001.TIF'];
      const files = { 'a.xml': patent('09100002', file), [file]: await tiffG4(one) };
      const source = put(fresh(), { 'weekly.zip': zipOf(files) });
      await (await open(data, { create: true, workers: 0 })).close();
      const store = Store.open(data);
      const answers = new Inline(folderThreads({ dir: data, choice: { opened: store.manifest().model } }));
      const transactionSync = store.root.transactionSync.bind(store.root);
      let isKilled = false;
      store.root.transactionSync = (body) => {
        if (isKilled) throw new Error('killed');
        return transactionSync(() => {
          const result = body();
          isKilled = store.sources.getKeysCount() > 0;
          if (isKilled && killed === 'at the ledger') throw new Error('killed');
          return result;
        });
      };
      const preparer: Preparer = {
        parallel: 1,
        prepare: (units) => answers.ask({ kind: 'prepare', units }),
        embed: (documents) => answers.ask({ kind: 'embed', documents }),
        keepImage: async (bytes) => {
          if (killed === 'at an image') throw new Error('killed');
          return answers.ask({ kind: 'drawing', bytes });
        },
      };
      await assert.rejects(ingestInto(store, preparer, [source]), /killed/);
      await answers.close();
      await store.close();
      const { known_files: known, unchanged, drawings } = await ingest(data, source, { onlyNew: true });
      assert.deepEqual([known, unchanged, drawings!.stored + drawings!.unchanged], [0, 1, 1]);
      assert.ok(await pixelsOf(data, id, file), 'the publication has its drawing');
    });
  }

  it('drawings are linked to publications whose file is in the ledger', async () => {
    const data = fresh();
    const [id, file] = ['US09100002B2', 'US09100002-20150804-D00001.TIF'];
    const source = put(fresh(), { 'one.jsonl': line(id, file) });
    await ingest(data, source);
    put(source, { [file]: await tiffG4(one) });
    const { known_files: known, drawings } = await ingest(data, source, { onlyNew: true });
    assert.deepEqual([known, drawings?.stored], [1, 1]);
    assert.ok(await pixelsOf(data, id, file), 'the publication has its drawing');
  });

  it('drawings without a number in their name belong to the publication of their folder', async () => {
    const data = fresh();
    const source = put(fresh(), {
      'a/1.xml': patent('09100001', 'imgf0001.tif'),
      'a/imgf0001.TIF': await tiffG4(one),
      'b/2.xml': patent('09100002', 'imgf0001.tif', 'imgf0002.tif'),
      'b/imgf0001.jpg': await png(two), // Named for another format: the content decides.
      'c/imgf0002.tif': await tiffG4(one),
    });
    const summary = await ingest(data, source);
    assert.deepEqual(counts(summary), { ...none, stored: 2, missing: 1, unclaimed: 1 });
    assert.deepEqual(summary.drawings?.missing_first, ['US09100002B2: imgf0002.tif']);
    assert.ok(Buffer.from(one.pixels).equals((await pixelsOf(data, 'US09100001B2', 'imgf0001.tif'))!));
    assert.ok(Buffer.from(two.pixels).equals((await pixelsOf(data, 'US09100002B2', 'imgf0001.tif'))!));
    assert.deepEqual(await shownOf(data, 'US09100002B2'), { best: 'imgf0001.webp', all: ['imgf0001.webp'] });
  });

  it('drawings are found before their publication, in a tar, and in a separate run', async () => {
    const file = 'US09100001-20150804-D00001.TIF';
    const data = fresh();
    const tar = await tarOf({ [`x/${file}`]: await tiffG4(one), 'x/a.xml': patent('09100001', file) });
    assert.deepEqual(counts(await ingest(data, put(fresh(), { 'x.tar': tar }))), { ...none, stored: 1 });

    const later = fresh();
    assert.equal(
      (await ingest(later, put(fresh(), { 'a.xml': patent('09100001', file) }))).drawings?.missing,
      1,
    );
    assert.deepEqual(await shownOf(later, 'US09100001B2'), { all: [] });
    const images = put(fresh(), { [`far/away/${file.toLowerCase()}`]: await tiffG4(one) });
    assert.deepEqual(counts(await ingest(later, images)), { ...none, stored: 1 });
    assert.equal((await shownOf(later, 'US09100001B2')).best, file.replace('.TIF', '.webp'));
  });

  it('a drawing is stored once for all publications with the same image, and shown in each of them', async () => {
    const data = fresh();
    const same = await jpeg(pattern(640, 480));
    const source = put(fresh(), {
      'own.jsonl': [line('KR1020200104349A', '図1.jpg', 'b.jpg'), line('CN105942993A', 'c.jpg')].join('\n'),
      ...{ '図1.jpg': same, 'b.jpg': same, 'c.jpg': same },
    });
    assert.deepEqual(counts(await ingest(data, source)), { ...none, stored: 3 });
    const files = new LocalDrawings(data);
    let count = 0;
    for await (const _ of files.list()) count += 1;
    assert.equal(count, 2, 'the drawing and its thumbnail');
    const engine = await open(data, { workers: 0 });
    const [entry] = (await engine.details({ patent_ids: ['KR1020200104349A'], sections: 'description' }))
      .patents;
    await engine.close();
    assert.equal(
      entry?.content,
      [
        ...[
          '## Description',
          '### Drawings',
          'FIG. 2 shows all.',
          '![FIG. 2](/api/v1/drawings/KR1020200104349A/b.webp)',
        ],
        ...['FIG. 12 and FIG. 1 too.', '![FIG. 1](/api/v1/drawings/KR1020200104349A/%E5%9B%B31.webp)\n'],
      ].join('\n\n'),
    );
  });

  for (const [shared, kind] of [
    ['1020180098231.png', 'with a number'],
    ['fig1.png', 'without a number'],
  ] as const) {
    it(`a drawing ${kind} that was read before the second of its publications is in both`, async () => {
      const [data, source] = [fresh(), fresh()];
      const [a, b] = ['KR1020200022285A', 'KR1022419060000B1'];
      // With 64 images before the second text, all are joined before it is read.
      const others = Array.from({ length: 64 }, (_, n) => [`others/${n}.png`, pngOfOne] as const);
      put(source, { 'a.jsonl': line(a, shared), [shared]: pngOfOne });
      assert.deepEqual(counts(await ingest(data, source)), { ...none, stored: 1 });
      put(source, { 'z.jsonl': line(b, shared), ...Object.fromEntries(others) });
      const inOrder = ['a.jsonl', shared, 'others', 'z.jsonl'].map((name) => join(source, name));
      const all = { ...none, unclaimed: others.length };
      assert.deepEqual(counts(await ingest(data, inOrder)), { ...all, stored: 1, unchanged: 1 });
      assert.deepEqual(await pixelsOf(data, b, shared), Buffer.from(one.pixels));
      assert.deepEqual(counts(await ingest(data, inOrder)), { ...all, unchanged: 2 });

      const engine = await open(data, { workers: 0 });
      await engine.delete([b]);
      await engine.close();
      // The image has changed meanwhile: the second publication gets the new one, too.
      put(source, { [shared]: await png(two) });
      assert.deepEqual(counts(await ingest(data, inOrder)), { ...all, stored: 2 });
      for (const id of [a, b]) assert.deepEqual(await pixelsOf(data, id, shared), Buffer.from(two.pixels));
    });
  }

  it('drawings that cannot be decoded are reported once, with the reason', async () => {
    const data = fresh();
    const whole = await tiffG4(one);
    const source = put(fresh(), {
      'own.jsonl': line('CN105942993A', 'a.tif', 'b.tif', '../c.tif'.slice(3), 'd%2e.tif'),
      'a.tif': whole.subarray(0, 200),
      'b.tif': whole,
    });
    const { drawings, failed } = await ingest(data, source);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      {
        ...drawings,
        failed: drawings?.failed.map(({ reason }) => reason.replace(/damaged tiff: .*/, 'damaged tiff')),
      },
      {
        ...{ stored: 1, unchanged: 0, missing: 2, unclaimed: 0 },
        missing_first: ['CN105942993A: c.tif', 'CN105942993A: d%2e.tif'],
        failures: 1,
        failed: ['a.tif: damaged tiff'],
      },
    );
    assert.deepEqual(await shownOf(data, 'CN105942993A'), { best: 'b.webp', all: ['b.webp'] });
    put(source, { 'a.tif': await tiffG4(two) });
    assert.deepEqual(counts(await ingest(data, source)), { ...none, stored: 1, unchanged: 1, missing: 2 });
    assert.deepEqual(
      (await shownOf(data, 'CN105942993A')).all,
      ['b.webp', 'a.webp'],
      'in the text, at their references',
    );
  });

  it('drawings are replaced by a new file, deleted with their publication, and skipped if drawings are off', async () => {
    const data = fresh();
    const source = put(fresh(), { 'own.jsonl': line('CN105942993A', 'a.tif'), 'a.tif': await tiffG4(one) });
    const off = await ingest(data, source, { drawings: false });
    assert.equal(off.drawings, undefined);
    assert.deepEqual(
      [await shownOf(data, 'CN105942993A'), readdirSync(data).includes('drawings')],
      [{ all: [] }, false],
    );
    await ingest(data, source);
    put(source, { 'a.tif': await tiffG4(two) });
    assert.deepEqual(counts(await ingest(data, source)), { ...none, stored: 1 });
    assert.ok(Buffer.from(two.pixels).equals((await pixelsOf(data, 'CN105942993A', 'a'))!));
    const moved = fresh();
    cpSync(source, moved, { recursive: true });
    assert.deepEqual(
      counts(await ingest(data, moved)),
      { ...none, unchanged: 1 },
      'another path, the same file',
    );

    const engine = await open(data, { workers: 0 });
    await engine.delete(['CN105942993A']);
    await engine.close();
    const store = Store.open(data);
    const left = [store.figures, store.figureNames, store.figureFiles].map((table) => table.getCount());
    await store.close();
    assert.deepEqual(left, [0, 0, 0]);
  });
});

describe('drawings without sharp', () => {
  it('without sharp, drawings are off, and the ingest reports this with the remedy', () => {
    const source = put(fresh(), {
      'own.jsonl': line('CN105942993A', 'a.tif'),
      'a.tif': Buffer.from('II*\0'),
    });
    // As on a system without a binary of the package: its import throws.
    const hook = `export const resolve = (name, context, next) => {
      if (name === 'sharp') throw new Error('Could not load the "sharp" module using the odd-cpu runtime');
      return next(name, context);
    };`;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(register)}`,
      CLI,
      'ingest',
      '--workers',
      '1',
    ];
    const run = (...more: string[]) =>
      spawnSync(process.execPath, [...args, '--data', fresh(), ...more, source], { encoding: 'utf8' });
    const { status, stdout, stderr } = run();
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^1 publication .*\ndrawings are off: the package sharp does not load here .*odd-cpu.*npm install sharp/m,
    );
    const { drawings, ingested } = JSON.parse(run('--json').stdout);
    assert.equal(ingested, 1);
    assert.match(drawings.unavailable, /--drawings off$/);
    assert.doesNotMatch(run('--drawings', 'off').stdout, /drawings/);
  });
});
