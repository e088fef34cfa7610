/** Terms of a question and their translations, by the table that is shipped and documents of fixtures/. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Engine, open } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { type FilterClause, native } from '../../src/index/native.js';
import { openTranslations } from '../../src/index/translations.js';
import type { Patent } from '../../src/patent/record.js';
import { FIT } from '../../src/search/fusion.js';
import { wordsOf } from '../../src/search/words.js';
import { FIXTURES } from '../crash/folder.js';
import { allows } from './allows.js';
import { type Collection, collect } from './collection.js';

/** Terms of the table that documents of fixtures hold in several languages: without endings in Latin script. */
const TERMS = [
  ['라이다', 'lidar', '激光雷达'],
  ['전해질', 'electrolyte', '電解質', '电解质'],
  ['이차전지', 'secondary battery', '二次電池', '二次电池'],
];

const TABLE = new URL('../../../models/terms/terms.bin', import.meta.url);
const COMPOUNDS = new URL('../../../models/terms/train/compounds.tsv', import.meta.url);
/** Maximum size of the table, bytes: the package has a limit. */
const LARGEST = 4_800_000;

describe('translations', () => {
  let collection: Collection;
  let engine: Engine;
  let patents: Patent[];
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 1 });
    patents = [...collection.patents.values()];
    openTranslations();
  });
  after(async () => {
    await engine.close();
    collection.remove();
  });

  /** patent_ids of the publications whose texts, without names, contain a word, by reading them. */
  const holding = (word: string) => {
    const pattern = new RegExp(word.replaceAll(' ', '[ -]'), 'iu');
    const holds = (patent: Patent) =>
      lexicalTexts(patent).some(({ part, text }) => part !== 'names' && pattern.test(text.normalize('NFKC')));
    return patents.filter(holds).map(({ patent_id }) => patent_id);
  };

  const allowed = async (filter: Record<string, unknown>) => {
    const ids = [];
    for await (const { patent_id } of engine.patents({ filter })) ids.push(patent_id);
    return new Set(ids);
  };

  it('names of a compound in four languages and its formula translate each other', () => {
    const rows = readFileSync(COMPOUNDS, 'utf8').trimEnd().split('\n');
    assert.ok(rows.length >= 150);
    for (const row of rows) {
      const names = row.split('\t').flatMap((column) => column.split('|')[0] || []);
      for (const name of names) {
        const words = native.Words.ofPhrases([name], true);
        const missing = names.filter((other) => words.find(`; ${other} ;`).length === 0);
        assert.deepEqual(missing, [], name);
      }
    }
    const plain = native.Words.ofPhrases(['황화리튬'], false);
    assert.deepEqual(plain.find('lithium sulfide, Li2S'), []);
  });

  it('must_terms match translations only if asked to', async () => {
    let others = 0;
    for (const forms of TERMS) {
      for (const form of forms) {
        const exact = await allowed({ must_terms: [form] });
        const wide = await allowed({ must_terms: [form], translate_terms: true });
        assert.deepEqual(exact, await allowed({ must_terms: [form], translate_terms: false }));
        assert.ok(
          [...exact].every((id) => wide.has(id)),
          form,
        );
        others += [...wide].filter((id) => !exact.has(id)).length;
        const lacking = await allowed({ must_not_terms: [form], translate_terms: true });
        assert.equal(lacking.size, patents.length - wide.size, form);
        // What the index finds is what reading one document finds, and it is there in each language.
        const clause: FilterClause = { column: 'words', test: 'holds', terms: [form], translate: true };
        for (const patent of patents)
          assert.equal(allows([clause], patent), wide.has(patent.patent_id), form);
        for (const other of forms)
          assert.ok(
            holding(other).every((id) => wide.has(id)),
            `${form}: ${other}`,
          );
      }
    }
    assert.ok(others > 10, `${others} by translation`);
  });

  it('search, statistics and export have the same filter', async () => {
    const filter = { must_terms: ['라이다'], translate_terms: true };
    const exported = await allowed({ ...filter, kind_codes: ['A1', 'A', 'B1', 'B2'] });
    const request = { query: 'distance sensor', kind_codes: ['A1', 'A', 'B1', 'B2'], ...filter };
    const { results } = await engine.search({ ...request, collapse: 'none', top_k: 100 }, { exact: true });
    assert.deepEqual(new Set(results.map(({ patent_id }) => patent_id)), exported);
    const { total_matched } = await engine.analyze({ ...request, collapse: 'none', min_score: 0 });
    assert.equal(total_matched, exported.size);
    assert.ok(exported.size > holding('라이다').length);
  });

  it('a term finds documents in other languages, and explains them', async () => {
    const english = holding('lidar');
    const korean = holding('라이다');
    const { results } = await engine.search({ query: '라이다', top_k: 100, explain: true, highlight: true });
    const ranks = (ids: readonly string[]) =>
      results.flatMap(({ patent_id }, n) => (ids.includes(patent_id) ? [n] : []));
    const [first = -1] = ranks(english.filter((id) => !korean.includes(id)));
    assert.ok(first >= 0);
    const { explanation, chunks } = results[first]!;
    assert.ok(explanation!.lexical > FIT.foreign);
    const match = explanation!.matches.find(({ translation_of }) => translation_of === '라이다');
    assert.ok(match, JSON.stringify(explanation));
    assert.match(match.term, /lidar/i);
    const { highlights } = chunks[match.chunk]!;
    assert.ok(highlights!.some(({ from, to }) => from <= match.from && match.to <= to));
  });

  it('a document that holds the word itself comes before one that holds a translation', async () => {
    const korean = holding('라이다');
    const english = holding('lidar').filter((id) => !korean.includes(id));
    const { results } = await engine.search({ query: '라이다', top_k: 100 });
    const at = (ids: readonly string[]) =>
      results.flatMap(({ patent_id }, n) => (ids.includes(patent_id) ? [n] : []));
    assert.ok(Math.max(...at(korean)) < Math.min(...at(english)));
  });

  it('refuses translate_terms that is not a boolean', async () => {
    await assert.rejects(engine.search({ query: 'x', translate_terms: 'yes' } as never), {
      code: 'invalid_request',
      message: /translate_terms.*true or false/,
    });
  });

  it('a table that is missing or damaged is named, with a remedy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'priorart-terms-'));
    try {
      const bytes = readFileSync(TABLE);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(join(folder, 'terms.bin'), bytes);
      // A process has one table, so the faults are seen in others.
      const fault = (path: string) => {
        const url = new URL('../../src/index/translations.js', import.meta.url).href;
        const code = `import { openTable } from ${JSON.stringify(url)}; try { openTable(process.argv[1]); } catch (error) { console.log(error.code, error.message); }`;
        const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code, path], {
          encoding: 'utf8',
        });
        return stdout;
      };
      assert.match(
        fault(join(folder, 'terms.bin')),
        /^model_damaged .*terms\.bin is damaged; in a clone run/,
      );
      assert.match(fault(join(folder, 'none.bin')), /^model_missing .*none\.bin is missing; in a clone run/);
      assert.equal(fault(fileURLToPath(TABLE)), '');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a long question has a bounded number of words, and only its beginning is translated', () => {
    const han = (n: number) => String.fromCharCode(0x4e00 + ((n * 7919) % 5000));
    const long = Array.from({ length: 10_000 }, (_, n) => han(n)).join('');
    assert.equal(wordsOf(long).count, 1000);
    const of = (question: string) =>
      wordsOf(question)
        .find('a lidar')
        .map((place) => place.translationOf);
    assert.deepEqual(of(`라이다 ${long}`), ['라이다']);
    assert.deepEqual(of(`${'막 '.repeat(3000)}라이다`), []);
  });

  it('the table is small', () => {
    assert.ok(statSync(TABLE).size <= LARGEST, `${statSync(TABLE).size} bytes`);
  });
});
