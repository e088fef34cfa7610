import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { figureKey, isInlineImage, isUniqueName, shownName } from '../../src/drawings/name.js';
import { representatives } from '../../src/drawings/representative.js';
import { DRAWING_NAME_MAX_CHARS } from '../../src/limits.js';
import fc from '../property.js';

describe('the name of a figure', () => {
  it('the name is the stem of the office’s file name, in any case', () => {
    const names: [string, string, string][] = [
      [
        'US20250204297A1-20250626-D00001.TIF',
        'us20250204297a1-20250626-d00001',
        'US20250204297A1-20250626-D00001.webp',
      ],
      ['imgf0001.tif', 'imgf0001', 'imgf0001.webp'],
      ['1020180098231.jpg', '1020180098231', '1020180098231.webp'],
      ['図1.png', '図1', '図1.webp'],
      ['도면 1.JPEG', '도면 1', '도면 1.webp'],
      // macOS decomposes Hangul; the name is the same.
      ['도면1.png'.normalize('NFD'), '도면1', '도면1.webp'],
      ['no-extension', 'no-extension', 'no-extension.webp'],
      ['version 1.2.gif', 'version 1.2', 'version 1.2.webp'],
    ];
    for (const [file, key, shown] of names) {
      assert.equal(figureKey(file), key, file);
      assert.equal(shownName(file), shown, file);
      assert.equal(figureKey(shown), key, 'a shown name can be requested');
    }
  });

  it('the shown name of the longest file name can be requested', () => {
    for (const extension of ['', '.tif', '.webp']) {
      const file = 'a'.repeat(DRAWING_NAME_MAX_CHARS - extension.length) + extension;
      assert.equal(figureKey(shownName(file)), figureKey(file));
      assert.notEqual(figureKey(file), undefined);
    }
  });

  it('a name is never a path, a reserved name or too long', () => {
    const tricks = [
      ...['', '.', '..', '.tif', '../a.png', 'a/../b.png', '/etc/passwd', 'a\\b.png', 'C:\\a.png', 'a..png'],
      ...[
        '%2e%2e%2fa.png',
        'a%2Fb.png',
        'a%00.png',
        'a\0.png',
        'a\n.png',
        '\u202egnp.a',
        'a\u2044b.png',
        '／a.png',
      ],
      ...[
        '~/.ssh/id',
        '-rf',
        ' a.png',
        'a .png',
        'a..',
        'con:stream',
        'a?.png',
        'a*.png',
        'http://x/a.png',
        '\ud800.png',
      ],
      'a'.repeat(DRAWING_NAME_MAX_CHARS + 1),
    ];
    for (const name of tricks) assert.equal(figureKey(name), undefined, JSON.stringify(name));
  });

  it('a key of any text cannot leave its folder, is idempotent, and ignores case', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '\0', ' ', 'a', 'Z', '図', '１'),
      }),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('.tif', '.TIF', '.Jpg', '.png', '.webp'), (stem, extension) => {
        const key = figureKey(stem + extension);
        if (key === undefined) return;
        assert.doesNotMatch(key, /[/\\%:*?"<>|~\p{C}]|\.\.|^[.\- ]|[ .]$/u);
        assert.ok(
          key.length <= DRAWING_NAME_MAX_CHARS,
          `expected at most ${DRAWING_NAME_MAX_CHARS} characters: ${key.length}`,
        );
        assert.equal(figureKey(`${key}.webp`), key);
        assert.equal(figureKey(shownName(stem + extension)), key);
        assert.equal(figureKey(stem + extension.toUpperCase()), key);
      }),
      { numRuns: 2000 },
    );
  });

  it('a name with a number belongs to one publication', () => {
    for (const name of ['us11056350-20210706-d00001', '1020180098231', 'jp32031055a-d00001']) {
      assert.ok(isUniqueName(name), name);
    }
    for (const name of ['imgf0001', '図1', 'fig-12', 'd00001']) assert.ok(!isUniqueName(name), name);
  });
});

describe('the representative figure', () => {
  it("the representative figure is the office's, otherwise the first that is not a formula or a table", () => {
    const list = (...files: string[]) => files.map((file) => ({ file }));
    const best = (drawings: { file: string; representative?: boolean }[]) =>
      representatives(drawings)[0]?.file;
    assert.equal(best([{ file: 'a.tif' }, { file: 'b.tif', representative: true }]), 'b.tif');
    const us = 'US20250204297A1-20250626-';
    const mixed = ['C00001.TIF', 'M00001.TIF', 'T00001.TIF', 'D00002.TIF', 'D00001.TIF'].map((n) => us + n);
    assert.equal(best(list(...mixed)), `${us}D00002.TIF`);
    assert.equal(best(list('imgb0001.tif', 'imgib0002.tif', 'imgf0001.tif')), 'imgf0001.tif');
    assert.equal(best(list('imgaf001.tif')), 'imgaf001.tif');
    assert.equal(best(list('imgb0001.tif')), undefined);
    assert.ok(isInlineImage(`${us}C00001.TIF`) && !isInlineImage(`${us}D00001.TIF`));
  });
});
