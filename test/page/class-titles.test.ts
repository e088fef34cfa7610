/** Titles of classes: whole in every language, and found by code and by words. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LANGUAGES } from '../../src/page/languages/index.js';
import { ClassTitles } from '../../src/page/model/class-titles.js';
import { entryAt, listOf, withEntry } from '../../src/page/model/entries.js';
import { FIXTURES } from '../crash/folder.js';
import { ROOT } from '../house/checkout.js';
import { recordsOf } from '../search/collection.js';

const tableOf = (language: string) =>
  readFileSync(join(ROOT, `src/page/languages/classes/${language}.tsv`), 'utf8');
const rowsOf = (language: string) =>
  tableOf(language)
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split('\t'));
const codesOf = (language: string) => rowsOf(language).map(([code]) => code!);

describe('the titles of classes', () => {
  for (const language of LANGUAGES) {
    it(`are whole in ${language}: well-formed codes in order, each once, with a short title`, () => {
      const rows = rowsOf(language);
      assert.ok(rows.length > 800, String(rows.length));
      const codes = codesOf(language);
      assert.deepEqual(codes, [...new Set(codes)].sort());
      for (const [code, title, further, ...rest] of rows) {
        assert.match(code!, /^[A-HY](?:\d{2}[A-Z]?)?$/);
        assert.ok(title && title === title.trim() && title.length <= 60, `${code}: ${title}`);
        assert.ok(further !== '' && rest.length === 0, code);
        // A class stands behind its section, a subclass behind its class.
        if (code!.length > 1) assert.ok(codes.includes(code!.slice(0, code!.length === 4 ? 3 : 1)), code);
      }
      assert.match(tableOf(language), /written for this project: not the texts of the offices/);
    });
  }

  it('are there for the same codes in all languages, and differ from language to language', () => {
    const [first, ...others] = LANGUAGES.map(codesOf);
    for (const codes of others) assert.deepEqual(codes, first);
    const titles = LANGUAGES.map((code) => rowsOf(code).map(([, title]) => title));
    for (const [at, code] of first!.entries()) {
      assert.equal(new Set([titles[0]![at], titles[1]![at], titles[2]![at]]).size, 3, code);
    }
  });

  it('are there for every class of the fixtures', async () => {
    const titles = new ClassTitles(tableOf('en'));
    const patents = [...(await recordsOf(FIXTURES)).values()];
    const codes = patents.flatMap(({ ipc_codes = [], cpc_codes = [] }) => [...ipc_codes, ...cpc_codes]);
    const classes = new Set(codes.map((code) => code.slice(0, 4)));
    assert.ok(classes.size > 10, String(classes.size));
    assert.deepEqual(
      [...classes].filter((code) => titles.titleOf(code) === undefined),
      [],
    );
  });

  it('belong to a code in any spelling', () => {
    const titles = new ClassTitles(tableOf('en'));
    for (const code of ['H01M', 'h01m', 'H01M 10/0525', ' h01m10 ']) {
      assert.equal(titles.titleOf(code), 'Batteries, fuel cells', code);
    }
    assert.equal(titles.titleOf('H01'), 'Electric elements');
    assert.equal(titles.titleOf('Z99Z'), undefined);
  });
});

describe('the suggestions of classes', () => {
  const codes = (language: string, text: string, scheme: 'ipc' | 'cpc' = 'ipc', most = 8) =>
    new ClassTitles(tableOf(language)).suggest(text, scheme, most).map(({ code }) => code);

  it('follow the code that is typed', () => {
    assert.deepEqual(codes('en', 'h01m'), ['H01M']);
    assert.deepEqual(codes('ko', 'h0', 'ipc', 3), ['H01', 'H01B', 'H01C']);
    assert.deepEqual(codes('en', 'H01M 10/05'), []);
    assert.deepEqual(codes('en', ''), []);
    assert.deepEqual(codes('en', ' ,'), []);
  });

  for (const [language, text, wanted] of [
    ['en', 'battery', 'H01M'],
    ['en', 'batt', 'H01M'],
    ['en', 'BATTERIES', 'H01M'],
    ['en', 'fuel cells', 'H01M'],
    ['en', 'tire', 'B60C'],
    ['en', 'machine learning', 'G06N'],
    ['ko', '전지', 'H01M'],
    ['ko', '배터리', 'H01M'],
    ['ko', '로봇 청소기', 'A47L'],
    ['ja', '電池', 'H01M'],
    ['ja', '半導体', 'H01L'],
    ['zh', '电池', 'H01M'],
    ['zh', '无人机', 'B64U'],
  ] as const) {
    it(`find ${wanted} by ${text}`, () => {
      assert.ok(codes(language, text).slice(0, 3).includes(wanted), String(codes(language, text)));
    });
  }

  it('offer codes of the CPC alone for the CPC alone', () => {
    assert.deepEqual(codes('en', 'Y02E'), []);
    assert.deepEqual(codes('en', 'Y02E', 'cpc'), ['Y02E']);
    assert.ok(!codes('en', 'clean energy').includes('Y02E'));
  });

  it('find every class by its own title', () => {
    for (const language of LANGUAGES) {
      const titles = new ClassTitles(tableOf(language));
      for (const [code, title] of rowsOf(language)) {
        const found = titles.suggest(title!, 'cpc', 8).map((suggestion) => suggestion.code);
        assert.ok(found.includes(code!), `${language} ${code} ${title}: ${found}`);
      }
    }
  });
});

describe('a list as a text', () => {
  it('has the entry at the caret', () => {
    assert.deepEqual(entryAt('H01M, batt, G06', 9), { entry: 'batt', from: 5, to: 10 });
    assert.deepEqual(entryAt('', 0), { entry: '', from: 0, to: 0 });
    assert.deepEqual(listOf('H01M、 G06F ，, H01M'), ['H01M', 'G06F']);
  });

  it('gets an entry instead of the one that is typed', () => {
    assert.deepEqual(withEntry('batt', 4, 'H01M'), { text: 'H01M, ', caret: 6 });
    assert.deepEqual(withEntry('G06F, batt', 10, 'H01M'), { text: 'G06F, H01M, ', caret: 12 });
    assert.deepEqual(withEntry('batt, G06F', 2, 'H01M'), { text: 'H01M, G06F', caret: 6 });
  });
});
