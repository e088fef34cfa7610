/** Parts of the engine on a cluster that need no cluster. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { queryOf } from '../../src/cluster/clauses.js';
import type { Json, OneState } from '../../src/cluster/client.js';
import { documentOf, vectorsOf } from '../../src/cluster/documents.js';
import { occurrences } from '../../src/cluster/forms.js';
import { fulfilling } from '../../src/cluster/known.js';
import { PATENT_ID } from '../../src/cluster/lookups.js';
import { PublicationsInMemory } from '../../src/cluster/publications.js';
import { openWorkingSet, SCORE_QUESTION, scoreVectors } from '../../src/cluster/working.js';
import { type FilterClause, native } from '../../src/index/native.js';
import type { Passage } from '../../src/patent/passage.js';
import type { Patent } from '../../src/patent/record.js';
import { WORDS } from '../../src/search/filter-rows.js';
import type { DocumentHead } from '../../src/store/document.js';
import { resolvePublications } from '../../src/store/resolve.js';
import { random } from '../crash/folder.js';
import { smallDisk } from '../small-disk.js';
import { until } from '../until.js';

describe('a score as a vector', () => {
  test('its product with the question is the score, to the last digit of 32 bits', () => {
    const next = random(7);
    const scores = [0, 1, -1, 1e-7, -1e-7, 0.1, ...Array.from({ length: 2_000 }, () => 2 * next() - 1)];
    const vectors = scoreVectors(Float32Array.from(scores));
    for (const [at, score] of scores.entries()) {
      const product = SCORE_QUESTION.reduce((sum, part, n) => sum + part * vectors[3 * at + n]!, 0);
      assert.ok(Math.abs(product - score) <= 2 ** -25, `${score} became ${product}`);
    }
  });
});

describe('publications in memory', () => {
  const head = (patent_id: string, number: string) =>
    ({ patent_id, number, country: 'US', kind_code: 'B2', passages: 1 }) as unknown as DocumentHead;

  test('what is read and is not known is noted once, until it is known', () => {
    const publications = new PublicationsInMemory('test');
    assert.deepEqual(resolvePublications(publications, 'US 9971313 B2'), []);
    const missing = publications.takeMissing();
    assert.ok(missing && missing.numbers.size > 0 && missing.ids.size > 0);
    assert.equal(publications.takeMissing(), undefined);
    publications.add({ head: head('US09971313B2', [...missing.numbers][0]!) });
    publications.know(missing);
    assert.deepEqual(resolvePublications(publications, 'US 9971313 B2'), ['US09971313B2']);
    assert.equal(publications.takeMissing(), undefined);
  });

  test('fields that come later are added to a publication', () => {
    const publications = new PublicationsInMemory('test');
    const stored = { head: head('US09971313B2', '09971313') };
    const doc = publications.add(stored);
    assert.equal(publications.add({ ...stored, body: { abstract: 'A cell.' } }), doc);
    assert.equal(publications.bodies.get(doc)?.abstract, 'A cell.');
    assert.equal(publications.size, 1);
  });
});

test('any number of publications is asked for words, with at most 65,536 in a query', async () => {
  const ids = Array.from({ length: 70_001 }, (_, n) => `US${String(10_000_000 + n)}B2`);
  const asked: string[] = [];
  const search = async (body: Json) => {
    const { query, size } = body as { query: { bool: { filter: Json[] } }; size: number };
    const [{ terms }] = query.bool.filter as [{ terms: Record<string, string[]> }];
    const named = terms[PATENT_ID]!;
    assert.ok(named.length <= 65_536 && named.length <= size, `${named.length} named, ${size} wanted`);
    asked.push(...named);
    return { hits: { hits: named.filter((id) => id.endsWith('0B2')).map((id) => ({ sort: [id] })) } };
  };
  const clause: FilterClause = { column: WORDS, test: 'holds', terms: ['cell'] };
  const found = await fulfilling({ search } as unknown as OneState, [clause], ids);
  assert.deepEqual(asked, ids);
  assert.deepEqual([...found.values()], [ids.filter((id) => id.endsWith('0B2'))]);
});

describe('a document as JSON', () => {
  test('the numbers of its vectors are those that are stored, to the last bit', () => {
    const every = Uint16Array.from({ length: 1 << 16 }, (_, n) => n).filter(
      (half) => (half & 0x7c00) !== 0x7c00,
    );
    const vectors = native.fromHalves(new Uint8Array(every.buffer));
    const patent = { patent_id: 'US1B2', country: 'US', number: '1', kind_code: 'B2', title: 'A' } as Patent;
    const passage = { text: 'A' } as Passage;
    const text = documentOf({ patent, hash: 'h', passages: [passage], vectors }, [], vectors.length);
    const { passages, ...rest } = JSON.parse(text);
    // Zero has one sign there.
    assert.deepEqual(
      Float32Array.from(passages[0].vector, (number: number) => number + 0),
      vectors.map((number) => number + 0),
    );
    assert.deepEqual(vectorsOf(rest), vectors);
    assert.deepEqual(rest.ids, ['US1B2']);
  });
});

describe('a working set', () => {
  test('is written elsewhere if the folder in memory is too small', async (t) => {
    const disk = smallDisk(t, 1);
    if (typeof disk === 'string') return t.skip(disk);
    const publications = new PublicationsInMemory('test');
    const documents = Array.from({ length: 60 }, (_, n) => {
      const head = { patent_id: `US${n}B2`, number: `${n}`, country: 'US', kind_code: 'B2', passages: 100 };
      const doc = publications.add({ head: head as unknown as DocumentHead });
      return { doc, vectors: new Float32Array(100 * 256).fill(0.1) };
    });
    const model = { name: 'test', version: '1', dimensions: 256 };
    const set = openWorkingSet(publications, documents, {
      model,
      documents: 60,
      passages: 6_000,
      memory: disk.dir,
    });
    try {
      assert.equal(set.native.select([]).docs.length, 1);
      assert.deepEqual(readdirSync(disk.dir), []);
    } finally {
      set.native.close();
    }
    // What was begun there is closed when it is collected.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await until(() => {
      collect();
      return spawnSync('umount', [disk.dir]).status === 0;
    }, 'the disk is free');
  });
});

describe('clauses as queries', () => {
  test('a name with signs of a wildcard is looked for literally', () => {
    const clause = { column: 'applicant_name', test: 'contains' as const, terms: ['a*b?c\\d'] };
    assert.deepEqual(queryOf(clause), {
      wildcard: { 'columns.applicant_name': { value: '*a\\*b\\?c\\\\d*' } },
    });
  });

  test('terms of which one must fit; none of no terms fits', () => {
    const clause = { column: 'ipc', or: ['cpc'], test: 'prefix' as const, terms: ['H01M'] };
    assert.deepEqual(queryOf(clause), {
      bool: {
        should: [
          { terms: { 'columns.ipc.prefix': ['H01M'] } },
          { terms: { 'columns.cpc.prefix': ['H01M'] } },
        ],
        minimum_should_match: 1,
      },
    });
    assert.deepEqual(queryOf({ column: 'inventor_name', test: 'prefix', terms: ['kim'] }), {
      prefix: { 'columns.inventor_name': { value: 'kim' } },
    });
    assert.deepEqual(queryOf({ column: 'inventor_name', test: 'prefix', terms: [] }), { match_none: {} });
  });

  test('a name in any form of its Han characters is an expression; one of a single form is not', () => {
    const of = (test: 'exact' | 'prefix' | 'contains', terms: string[]) =>
      queryOf({ column: 'applicant_name', test, terms, anyForm: true });
    const expression = (value: string) => ({
      regexp: { 'columns.applicant_name': { value, flags: 'NONE' } },
    });
    assert.deepEqual(of('exact', ['三菱電機']), expression('三菱(电|電)(机|機)'));
    assert.deepEqual(of('prefix', ['三菱电机 a.b']), expression('三菱(电|電)(机|機) a\\.b.*'));
    assert.deepEqual(of('contains', ['電a*']), expression('.*(电|電)a\\*.*'));
    assert.deepEqual(of('exact', ['한빛', 'hanbit', '東芝']), {
      bool: {
        should: [{ terms: { 'columns.applicant_name': ['한빛', 'hanbit'] } }, expression('(东|東)芝')],
        minimum_should_match: 1,
      },
    });
    assert.deepEqual(of('prefix', ['hanbit']), {
      prefix: { 'columns.applicant_name': { value: 'hanbit' } },
    });
    assert.deepEqual(of('exact', []), { match_none: {} });
    // A cluster refuses longer expressions.
    const long = '電'.repeat(400);
    assert.deepEqual(of('exact', [long]), { terms: { 'columns.applicant_name': [long] } });
  });

  test('a required word is looked for in names as it is written', () => {
    const fields = (word: string) => {
      const { bool } = queryOf({ column: 'words', test: 'holds', terms: [word] }) as {
        bool: { should: { terms: Record<string, string[]> }[] };
      };
      const each = bool.should.flatMap(({ terms }) => Object.entries(terms));
      assert.equal(
        new Set(each.map(([name]) => name)).size,
        each.length,
        'the terms of a part are one clause',
      );
      return each.flatMap(([name, values]) => values.map((value) => [name, value]));
    };
    const inNames = fields('parking').filter(([name]) => name === 'terms.names');
    assert.deepEqual(inNames, [['terms.names', 'parking']]);
    assert.ok(fields('parking').some(([name, value]) => name === 'terms.text' && value === 'park'));
  });

  test('a thousand classification codes are one clause for the cluster, which takes 1,024', () => {
    const terms = Array.from({ length: 1_000 }, (_, n) => `H01M${n + 1}/`);
    assert.deepEqual(queryOf({ column: 'cpc', test: 'prefix', terms }), {
      terms: { 'columns.cpc.prefix': terms },
    });
  });

  test('a phrase counts once for each occurrence, and not once for each of its terms', () => {
    assert.deepEqual(occurrences('电池 池膜', 'text', 0.5), {
      match_phrase: { 'terms.text': { query: '电池 池膜', boost: 0.25 } },
    });
    assert.deepEqual(occurrences('cell', 'title'), {
      term: { 'terms.title': { value: 'cell', boost: 1 } },
    });
  });
});
