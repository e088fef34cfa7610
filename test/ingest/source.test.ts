import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { type ImageFile, isFailure, openSources, type SourceOptions } from '../../src/ingest/source.js';
import { type Entry, gunzip, UNPACK_LIMITS, untar } from '../../src/ingest/unpack.js';
import { until } from '../until.js';
import { grantXml, kiprisRecord, line, tarOf, zipOf } from './documents.js';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'priorart-source-'));
});
after(() => rm(folder, { recursive: true }));

async function put(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** `file | position | format` of units, `file | position ! reason` of failures. */
async function open(paths: string[], options?: SourceOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const item of openSources(paths, options)) {
    const place = `${basename(item.file)} | ${item.position}`;
    found.push(isFailure(item) ? `${place} ! ${item.reason}` : `${place} | ${item.format}`);
  }
  return found;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('formats', () => {
  it('formats are detected by content, never by the name', async () => {
    const paths = [
      await put('f/grant.json', grantXml()),
      await put('f/record.xml', kiprisRecord()),
      await put('f/lines.txt', `${line()}\n${line({ publication_number: 'EP3539468A1' })}\n`),
      await put('f/two.csv', grantXml() + grantXml({ number: '09100002' })),
      await put('f/bom.xml', `\uFEFF${grantXml()}`),
      await put('f/wide.xml', Buffer.from(`\uFEFF${grantXml()}`, 'utf16le')),
      await put('f/array.xml', `[${kiprisRecord()},\n${kiprisRecord()}]`),
    ];
    const found = await open(paths);
    assert.deepEqual(
      found.map((text) => text.replace(/byte \d+/, 'byte')),
      [
        'grant.json | byte | us-patent-grant',
        'record.xml | line 1 | kipris-json',
        'lines.txt | line 1 | jsonl',
        'lines.txt | line 2 | jsonl',
        'two.csv | byte | us-patent-grant',
        'two.csv | byte | us-patent-grant',
        'bom.xml | byte | us-patent-grant',
        'wide.xml | byte | us-patent-grant',
        'array.xml | record 1, byte | kipris-json',
        'array.xml | record 2, byte | kipris-json',
      ],
    );
    assert.match(found[5] ?? '', new RegExp(`byte ${Buffer.byteLength(grantXml())} `));
  });

  it('unknown and unsupported formats are reported by name, companion files are ignored', async () => {
    const found = await open([
      await put('u/a-image', PNG),
      await put('u/b-schema.dtd', '<?xml version="1.0"?>\n<!-- types -->\n<!ELEMENT a (b)>'),
      await put(
        'u/c-sequence.xml',
        '<?xml version="1.0"?><!DOCTYPE sequence-cwu SYSTEM "x.dtd" [ ]><sequence-cwu/>',
      ),
      await put('u/d.xml', '<?xml version="1.0"?><patent-document/>'),
      await put('u/e.xml', '<recipe/>'),
      await put('u/f.txt', 'just text'),
      await put('u/g.bin', Buffer.from([0, 1, 2, 3, 250])),
      await put('u/h.xml', ''),
      join(folder, 'u/missing'),
    ]);
    assert.equal(found.length, 6);
    // A missing path is reported before any file is opened.
    assert.match(found[0] ?? '', /^missing \| byte 0 ! no such file or folder/);
    assert.match(
      found[1] ?? '',
      /^d\.xml \| byte 0 ! not a known format: patent-document \(Alexandria, MAREC\)$/,
    );
    assert.match(found[2] ?? '', /^e\.xml .*! not a known format: XML <recipe>$/);
    assert.match(found[3] ?? '', /^f\.txt \| byte 0 ! not a known format$/);
    assert.match(found[4] ?? '', /^g\.bin .*! not a known format/);
    assert.match(found[5] ?? '', /^h\.xml .*! empty file/);
  });

  it('a damaged line has the format of its neighbours', async () => {
    const found = await open([await put('d.jsonl', `{"publication_num\n${line()}\n{"title": \n`)]);
    assert.deepEqual(found, [
      'd.jsonl | line 1 | jsonl',
      'd.jsonl | line 2 | jsonl',
      'd.jsonl | line 3 | jsonl',
    ]);
  });
});

describe('containers', () => {
  it('nested containers are opened, and the position names each of them', async () => {
    const inner = zipOf({
      'US1/US1.XML': grantXml(),
      'US1/US1-D00001.TIF': Buffer.from('49492a0008000000', 'hex'),
    });
    const week = zipOf({ README: 'text', 'UTIL/US1.ZIP': inner });
    const tar = await tarOf({ 'a/one.json': kiprisRecord(), 'a/two.json.gz': gzipSync(kiprisRecord()) });
    const found = await open([
      await put('c/week.zip', week),
      await put('c/records.tar', tar),
      await put('c/records.tar.gz', gzipSync(tar)),
      await put(
        'c/all.xml.gz',
        Buffer.concat([gzipSync(grantXml()), gzipSync(grantXml({ number: '09100002' }))]),
      ),
    ]);
    assert.deepEqual(found, [
      'week.zip | entry UTIL/US1.ZIP > US1/US1.XML, byte 0 | us-patent-grant',
      'records.tar | entry a/one.json, line 1 | kipris-json',
      'records.tar | entry a/two.json.gz, line 1 | kipris-json',
      'records.tar.gz | entry a/one.json, line 1 | kipris-json',
      'records.tar.gz | entry a/two.json.gz, line 1 | kipris-json',
      'all.xml.gz | byte 0 | us-patent-grant',
      `all.xml.gz | byte ${Buffer.byteLength(grantXml())} | us-patent-grant`,
    ]);
  });

  it('unwanted entries of any size are skipped', async () => {
    const image = Buffer.concat([PNG, Buffer.alloc(5_000_000)]);
    const unknown = Buffer.alloc(5_000_000, 'no format ');
    const entries = { 'a.png': image, 'b.txt': unknown, 'c.xml': grantXml() };
    for (const [name, bytes] of [
      ['large.tar', await tarOf(entries)],
      ['large.zip', zipOf(entries)],
    ] as const) {
      const found = await open([await put(`l/${name}`, bytes), await put(`l/${name}.gz`, gzipSync(bytes))]);
      assert.equal(found.length, 2);
      for (const text of found) assert.match(text, /c\.xml, byte 0 \| us-patent-grant/);
    }
  });

  it('a container closes its files when reading stops early', async () => {
    const many = Array.from({ length: 500 }, (_, at) =>
      grantXml({ number: `0910${String(at).padStart(4, '0')}` }),
    ).join('');
    const paths = [
      await put('m/1.xml', many.repeat(4)),
      await put('m/2.xml.gz', gzipSync(many)),
      await put('m/3.tar', await tarOf({ 'a.xml': many, 'b.xml': many })),
      await put('m/4.zip', zipOf({ 'a.xml': many, 'b.xml': many })),
    ];
    const before = process.getActiveResourcesInfo().length;
    for (const path of paths) {
      for await (const item of openSources([path])) {
        assert.equal(isFailure(item), false);
        break;
      }
    }
    await until(() => process.getActiveResourcesInfo().length <= before + 1, 'all files are closed');
  });

  it('a container of unknown content is one report, not a million', async () => {
    const found = await open([await put('o/else.jsonl', '{"id":1}\n'.repeat(1000))]);
    assert.deepEqual(found, ['else.jsonl | line 1 ! not a known format']);
    const mixed = await open([await put('o/mixed.jsonl', `${'{"id":1}\n'.repeat(3)}${line()}\n{"id":2}\n`)]);
    assert.deepEqual(mixed, [
      'mixed.jsonl | line 1 ! not a known format',
      'mixed.jsonl | line 4 | jsonl',
      'mixed.jsonl | line 5 ! 3 more pieces of no known format up to here',
    ]);
  });

  it('reasons are accurate: a definition before the root element, records at a deep level', async () => {
    const entities = Array.from({ length: 2_000 }, (_, n) => `<!ENTITY e${n} "]> ${n}">`).join('\n');
    const grant = grantXml().replace(/\[ ?\]/, `[\n<!-- ]> -->\n${entities}\n]`);
    const endless = `<?xml version="1.0"?><!DOCTYPE r [${'<!ENTITY e "x">'.repeat(80_000)}`;
    const deep = `${'{"a":'.repeat(9)}${kiprisRecord()}${'}'.repeat(9)}`;
    const found = await open([
      await put('d/definition.xml', grant),
      await put('d/endless.xml', endless),
      await put('d/rootless.xml', '<?xml version="1.0"?><!-- nothing -->'),
    ]);
    assert.deepEqual(found, [
      'definition.xml | byte 0 | us-patent-grant',
      `endless.xml | byte 0 ! not a known format: XML whose document type declaration goes on for more than ${endless.length} bytes`,
      'rootless.xml | byte 0 ! not a known format: XML without a root element',
    ]);
    assert.match(
      parseUnit('kipris-json', Buffer.from(deep)).failed?.reason ?? '',
      /within the first 7 levels/,
    );
  });

  it('a damaged container is reported, and its earlier entries are kept', async () => {
    const tar = await tarOf({ 'one.json': kiprisRecord(), 'two.json': kiprisRecord() });
    const zip = zipOf({ 'one.json': kiprisRecord(), 'two.json': kiprisRecord() });
    const flipped = Buffer.from(zip);
    flipped.writeUInt32LE(0xdeadbeef, zip.lastIndexOf('504b0102', undefined, 'hex') + 42);
    const found = await open([
      await put('x/cut.gz', gzipSync(grantXml()).subarray(0, 200)),
      await put('x/cut.tar', tar.subarray(0, 3000)),
      await put('x/cut.zip', zip.subarray(0, 300)),
      await put('x/flipped.zip', flipped),
    ]);
    const of = (name: string) => found.filter((text) => text.startsWith(name));
    assert.match(of('cut.gz').join(), /! damaged gzip data/);
    assert.match(of('cut.tar')[0] ?? '', /one\.json.* kipris-json/);
    assert.match(of('cut.tar').at(-1) ?? '', /!/);
    assert.match(of('cut.zip').join(), /! damaged zip/);
    assert.match(of('flipped.zip')[0] ?? '', /one\.json.* kipris-json/);
    assert.match(of('flipped.zip')[1] ?? '', /! damaged zip/);
  });

  it('a disk that fails inside a container is not taken for damaged data', async () => {
    const tar = await tarOf({ 'one.json': kiprisRecord(), 'two.json': kiprisRecord() });
    const failing = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
    async function* cut(bytes: Buffer): AsyncGenerator<Buffer> {
      yield bytes;
      throw failing;
    }
    const unpacked = async (entries: AsyncIterable<Entry>) => {
      for await (const { stream } of entries) for await (const _ of stream);
    };
    await assert.rejects(unpacked(untar(cut(tar.subarray(0, 3000)))), { code: 'EIO' });
    await assert.rejects(unpacked(untar(gunzip(cut(gzipSync(tar).subarray(0, 200))))), { code: 'EIO' });
    await assert.rejects(
      unpacked(untar(gunzip(Readable.from([Buffer.from('no gzip')])))),
      /damaged gzip data/,
    );
  });

  it('the checksum of a zip entry is verified, for any size', async () => {
    const large = `${grantXml()}${grantXml({ number: '09100002' })}`.padEnd(2_500_000);
    const sound = zipOf({ 'a.xml': grantXml(), 'b.xml': large, 'c.xml': grantXml({ number: '09100003' }) });
    const at = (text: string, from: number): number => sound.indexOf(text, from);
    const wrong = Buffer.from(sound);
    for (const name of ['a.xml', 'b.xml']) wrong[at('gravity', at(name, 0))] = 0x47;
    const found = await open([await put('s/sound.zip', sound), await put('s/wrong.zip', wrong)]);
    assert.equal(found.filter((text) => text.startsWith('sound.zip')).length, 4);
    const read = found.filter((text) => text.startsWith('wrong.zip'));
    assert.deepEqual(
      read.map((text) => text.replace(/\b[0-9a-f]{8}\b/g, '…')),
      [
        'wrong.zip | entry a.xml ! damaged zip entry: its checksum is … and should be …; get the file again',
        'wrong.zip | entry b.xml ! damaged zip entry: its checksum is … and should be …; get the file again',
        'wrong.zip | entry c.xml, byte 0 | us-patent-grant',
      ],
    );
  });

  it('a zip is read to the end of its directory, also if its number of entries is too small', async () => {
    const inner = zipOf({ 'a.xml': grantXml(), 'b.xml': grantXml({ number: '09100002' }), '1.png': PNG });
    const expected = (from: string): string[] => [
      `${from}a.xml, byte 0 | us-patent-grant`,
      `${from}b.xml, byte 0 | us-patent-grant`,
      `${from}1.png (image)`,
    ];
    for (const count of [0, 1, 2, 3]) {
      const zip = Buffer.from(inner);
      // The numbers of entries on this disk and of all.
      for (const at of [-14, -12]) zip.writeUInt16LE(count, zip.length + at);
      const paths = [
        await put(`n/${count}.zip`, zip),
        await put(`n/o${count}.zip`, zipOf({ 'in.zip': zip })),
      ];
      const images: string[] = [];
      const onImage = ({ file, position }: ImageFile): void =>
        void images.push(`${basename(file)} | ${position} (image)`);
      const found = await open(paths, { onImage });
      assert.deepEqual(
        [...found, ...images].sort(),
        [...expected(`${count}.zip | entry `), ...expected(`o${count}.zip | entry in.zip > `)].sort(),
      );
    }
    const more = Buffer.from(inner);
    more.writeUInt16LE(4, more.length - 12);
    assert.match((await open([await put('n/4.zip', more)])).at(-1)!, /4\.zip \| .*! damaged zip: /);
  });

  it('an entry whose name leads out of its zip is reported, and the others are read', async () => {
    const unsafe = { '../up.xml': grantXml(), '/abs/up.xml': grantXml(), 'C:\\up.xml': grantXml() };
    const zip = zipOf({ ...unsafe, '../up.png': 'x', 'ok.xml': grantXml() });
    const found = await open([
      await put('u/unsafe.zip', zip),
      await put('u/outer.zip', zipOf({ 'in.zip': zip })),
    ]);
    const reason = '! its name leads out of the archive; pack it under another name';
    const within = (entry: string): string[] => [
      `${entry}../up.xml ${reason}`,
      `${entry}/abs/up.xml ${reason}`,
      `${entry}C:/up.xml ${reason}`,
      `${entry}ok.xml, byte 0 | us-patent-grant`,
      `${entry}../up.png ${reason}`,
    ];
    assert.deepEqual(found, [...within('unsafe.zip | entry '), ...within('outer.zip | entry in.zip > ')]);
  });

  it('decompression bombs are stopped', { timeout: 60_000 }, async () => {
    const bomb = gzipSync(Buffer.alloc(UNPACK_LIMITS.ratioFromBytes * 2, '<a>'.repeat(10)), { level: 9 });
    const found = await open([await put('b/bomb.gz', bomb)]);
    assert.match(found.at(-1) ?? '', /^bomb\.gz .*! unpacks to more than/);
    let nested: Buffer = gzipSync(grantXml());
    for (let depth = 0; depth < UNPACK_LIMITS.depth; depth++) nested = zipOf({ 'in.zip': nested });
    assert.match((await open([await put('b/nested.zip', nested)])).join(), /nested too deep/);
  });
});

describe('the walk', () => {
  it('the walk is sorted, ignores circular links, and can yield drawings', async () => {
    await put('w/b/2.xml', grantXml());
    await put('w/a/1.xml', grantXml());
    await put('w/a/d.png', PNG);
    await symlink(join(folder, 'w'), join(folder, 'w/a/up'));
    const images: string[] = [];
    const found = await open([join(folder, 'w')], {
      onImage: (image) => void images.push(`${image.name} ${image.bytes.length}`),
    });
    assert.deepEqual(found, ['1.xml | byte 0 | us-patent-grant', '2.xml | byte 0 | us-patent-grant']);
    assert.deepEqual(images, ['d.png 16']);
  });

  it('a broken link is a failure by its name, a link to a folder is counted, and the other files are read', async () => {
    await put('links/b.xml', grantXml());
    await put('links/inner/c.xml', grantXml());
    await put('linked/d.xml', grantXml());
    const path = join(folder, 'links');
    await symlink('/nowhere/at/all', join(path, 'a'));
    await symlink('/nowhere/at/all', join(path, 'inner/a'));
    await symlink('loop', join(path, 'loop'));
    await symlink(join(folder, 'linked'), join(path, 'folder'));
    await symlink(join(path, 'b.xml'), join(path, 'z.xml'));
    const skipped: string[] = [];
    const found = await open([path], {
      onSkipped: (file) => skipped.push(`${basename(file.file)} ${file.reason}`),
    });
    assert.deepEqual(found, [
      'a | byte 0 ! a link to a file or folder that does not exist',
      'loop | byte 0 ! a link that leads to itself',
      'a | byte 0 ! a link to a file or folder that does not exist',
      'b.xml | byte 0 | us-patent-grant',
      'z.xml | byte 0 | us-patent-grant',
      'c.xml | byte 0 | us-patent-grant',
    ]);
    assert.deepEqual(skipped, ['folder link to a folder; name the folder itself to read it']);
  });

  it('progress reaches all bytes', async () => {
    const paths = [await put('p/1.xml', grantXml()), await put('p/2.zip', zipOf({ 'x.xml': grantXml() }))];
    const seen: [number, number][] = [];
    await open(paths, { onProgress: (read, total) => void seen.push([read, total]) });
    const last = seen.at(-1) ?? [0, 1];
    assert.equal(last[0], last[1]);
    assert.ok(
      seen.every(([read], at) => read >= (seen[at - 1]?.[0] ?? 0)),
      `expected growing progress: ${JSON.stringify(seen)}`,
    );
  });

  it('the walk stops at once when its signal aborts', async () => {
    const path = await put('s/many.xml', Array.from({ length: 50 }, () => grantXml()).join(''));
    const stop = new AbortController();
    let count = 0;
    await assert.rejects(async () => {
      for await (const _ of openSources([path], { signal: stop.signal }))
        if (++count === 3) stop.abort(new Error('enough'));
    }, /enough/);
    assert.equal(count, 3);
  });
});

describe('files without patent data', () => {
  it('files without patent data are skipped in a folder and an archive, and are failures if they are named', async () => {
    const readme = await put('mixed/README.md', '# Delivery\nWhat is in here.\n');
    const table = await put('mixed/labels.tsv', 'a\tb\n1\t2\n');
    await put('mixed/grant.xml', grantXml());
    await put(
      'mixed/inner.zip',
      await zipOf({ 'notes.txt': 'notes', 'g.xml': grantXml({ number: '09100005' }) }),
    );
    const office = await put(
      'mixed/list.docx',
      await zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<document/>' }),
    );
    const skipped: string[] = [];
    const onSkipped: SourceOptions['onSkipped'] = ({ file, position, reason }) =>
      skipped.push(`${basename(file)} | ${position} ! ${reason.slice(0, 14)}`);
    const found = await open([join(folder, 'mixed')], { onSkipped });
    assert.deepEqual(found, [
      'grant.xml | byte 0 | us-patent-grant',
      'inner.zip | entry g.xml, byte 0 | us-patent-grant',
    ]);
    assert.deepEqual(skipped, [
      'README.md | byte 0 ! no patent data',
      'inner.zip | entry notes.txt ! no patent data',
      'labels.tsv | byte 0 ! no patent data',
      'list.docx | byte 0 ! an office docu',
    ]);
    for (const named of [readme, table, office]) {
      assert.match(
        (await open([named], { onSkipped })).join(),
        /! (?:not a known format|an office document)/,
      );
    }
    assert.equal(skipped.length, 4);
  });

  it('exports of other services are not read as JSON Lines', async () => {
    const ppubs = {
      guid: 'US-6103599-A',
      publication_number: '6103599',
      title: 'x',
      type: 'USPAT',
      inventors: [],
      uspc: [],
      cpc: [],
    };
    const paths = [
      await put('j/lines.jsonl', `${JSON.stringify(ppubs)}\n${JSON.stringify(ppubs)}\n`),
      await put('j/list.json', JSON.stringify([ppubs], null, 2)),
    ];
    for (const text of await open(paths)) assert.match(text, /! (?:not a known format|1 more pieces)/);
  });
});

describe('KIPRIS bulk tables', () => {
  it('a folder between the tables does not part them, and images come last', async () => {
    const number = '1020200000003';
    await put(
      'k/Bibliographic.txt',
      `출원번호¶공개번호¶등록번호¶발명의명칭(국문)\n${number}¶1020210000003¶ ¶뚜껑\n`,
    );
    await put('k/Images/readme.txt', 'hello');
    await put('k/Images/z.xml', grantXml());
    await put('k/Ipc/d.xml', grantXml({ number: '09100002' }));
    await put('k/IPC.txt', `출원번호¶특허분류일련번호¶ipc코드\n${number}¶1¶B65D 41/00\n`);
    await put('k/A.png', PNG);
    const order: string[] = [];
    for await (const item of openSources([join(folder, 'k')], {
      onImage: ({ name }) => void order.push(name),
    })) {
      assert.ok(!isFailure(item), JSON.stringify(item));
      const { patents } = parseUnit(item.format, item.bytes);
      order.push(`${basename(item.file)} ${patents.map(({ ipc_codes }) => ipc_codes?.join())}`);
    }
    assert.equal(order[0], 'k B65D 41/00');
    assert.deepEqual(
      order.map((text) => text.split(' ')[0]),
      ['k', 'z.xml', 'd.xml', 'A.png'],
    );
  });

  it('tables of each folder are joined separately, also in archives', async () => {
    const tables = (number: string): Record<string, string> => ({
      'Bibliographic.txt': `출원번호¶공개번호¶등록번호¶발명의명칭(국문)\n10202000${number}¶10202100${number}¶ ¶뚜껑\n`,
      'IPC.txt': `출원번호¶특허분류일련번호¶ipc코드\n10202000${number}¶1¶B65D 41/00\n`,
    });
    for (const [name, text] of Object.entries(tables('00001'))) await put(`t/one/${name}`, text);
    const archive = {
      ...tables('00002'),
      ...Object.fromEntries(Object.entries(tables('00002')).map(([name, text]) => [`deep/${name}`, text])),
    };
    await put('t/two.zip', await zipOf(archive));
    const found: string[] = [];
    for await (const item of openSources([join(folder, 't')])) {
      assert.ok(!isFailure(item), JSON.stringify(item));
      found.push(
        `${basename(item.file)} ${item.position} ${JSON.parse(Buffer.from(item.bytes).toString()).length}`,
      );
    }
    assert.deepEqual(found, [
      'two.zip application 1020200000002 2',
      'two.zip application 1020200000002 2',
      'one application 1020200000001 2',
    ]);
  });
});
