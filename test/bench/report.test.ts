/** The output of a benchmark: tables, comparison with a baseline, page; and a complete short run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pageOf } from '../../bench/page.js';
import { type Figure, joined, type Result } from '../../bench/result.js';
import { tableOf } from '../../bench/table.js';
import { resultMarkdown, resultText, verdictOf } from '../../bench/text.js';

const MAIN = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

function resultWith(figures: Figure[]): Result {
  return {
    benchmark: 'quality',
    version: '1',
    commit: 'abc',
    command: 'npm run bench -- quality',
    startedAt: '2026-01-02T03:04:05Z',
    machine: { processor: 'P <&>', cores: 2, memoryGb: 8, system: 'Linux', node: '20' },
    load: { before: 0.5, after: 1 },
    short: false,
    models: { default: 'm 1' },
    sections: [{ id: 's', title: 'Set', about: 'of <b>', figures, seconds: 1, cpuSeconds: 1 }],
  };
}

const base = { measure: 'set', metric: 'mrr', n: 3 };
const before = resultWith([{ ...base, variant: 'dense', model: 'default', value: 0.5 }]);
const now = resultWith([
  { ...base, variant: 'dense', model: 'default', value: 0.625, low: 0.5, high: 0.7 },
  { ...base, variant: 'difference', model: 'default', value: -0.25, low: -0.3, high: -0.1 },
  { ...base, variant: 'bm25', value: 0.25 },
]);

describe('report of a benchmark', () => {
  it('shows figures side by side, with changes beside them', () => {
    const { columns, rows } = tableOf(now.sections[0]!, before);
    assert.deepEqual(columns, ['dense', 'difference', 'bm25']);
    assert.deepEqual(
      rows[0]!.cells.map((cell) => cell?.change),
      [0.125, undefined, undefined],
    );
    const two = resultWith([
      { ...base, variant: 'dense', model: 'a', value: 0.1 },
      { ...base, variant: 'bm25', value: 0.3 },
      { ...base, variant: 'dense', model: 'b', value: 0.2 },
    ]);
    assert.deepEqual(tableOf(two.sections[0]!).columns, ['a: dense', 'b: dense', 'bm25']);
  });

  it('takes the sections that it lacks from an earlier run, and names that run', () => {
    const real = { ...now.sections[0]!, id: 'real', title: 'Real' };
    const earlier = {
      ...now,
      commit: 'e4r11',
      load: { before: 2, after: 7.5 },
      sections: [real, before.sections[0]!],
    };
    const both = joined(before, earlier);
    assert.deepEqual(
      both.sections.map(({ id, run }) => [id, run?.commit]),
      [
        ['real', 'e4r11'],
        ['s', undefined],
      ],
    );
    assert.equal(joined(before, { ...earlier, short: true }).short, true);
    const page = resultMarkdown(both);
    assert.match(
      page,
      /## Real\n\nof <b>\n\nOf another run: priorart 1 \(e4r11\).*load 2\.0 before, 7\.5 after/,
    );
    assert.equal(page.match(/Of another run/g)?.length, 1);
  });

  it('lists the rows in which the reranker is worse than similarity alone', () => {
    assert.match(verdictOf(now), /in 0 of 1 rows, worse in 1: set, mrr \(default\) −0\.250/);
    assert.equal(verdictOf(before), 'No reranker was measured.');
    const unsure = resultWith([
      { ...base, variant: 'difference', model: 'm', value: -0.1, low: -0.3, high: 0.1 },
    ]);
    assert.match(verdictOf(unsure), /in 0 of 1 rows, worse in none/);
  });

  it('renders text, Markdown and a page with escaped text', () => {
    assert.match(resultText(now, before), /set, mrr \(3\) +0\.625 \(\+0\.125\) +−0\.250 +0\.250/);
    assert.match(
      resultMarkdown(now),
      /\| set, mrr \| 3 \| 0\.625 \| −0\.250 \(−0\.300 to −0\.100\) \| 0\.250 \|/,
    );
    const page = pageOf(now, before);
    for (const text of [resultText(now), resultMarkdown(now), page])
      assert.match(text, /worse in 1: set, mrr/);
    assert.match(page, /class="down">−0\.250/);
    assert.doesNotMatch(page, /P <&>|of <b>/);
    assert.doesNotMatch(page, /https?:/, 'loads nothing from the network');
  });

  it('a short run on the example patents completes, and lists the sections without data', () => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-bench-test-'));
    const json = join(dir, 'result.json');
    try {
      const args = [
        'quality',
        '--short',
        '--only',
        'fixtures,counts,scale,citations,sts',
        '--corpora',
        join(dir, 'none'),
        '--out',
        dir,
        '--json',
        json,
      ];
      const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /fixtures, ndcg@10 \(94\) +0\.\d{3}/);
      assert.match(stdout, /not measured: .*stsb-test\.csv/);
      assert.match(stdout, /not measured: .*citations/);
      assert.match(stdout, /fixtures, recall, clearly relevant \(301\) +[01]\.\d{3}/);
      assert.match(stdout, /en → ko, irrelevant \(\d{3}\)( +[01]\.\d{3}){5}/);
      const chart = readFileSync(join(dir, 'similarity.svg'), 'utf8');
      assert.match(chart, /^<svg [\s\S]*>all<\/text>[\s\S]*>en → ko<\/text>[\s\S]*<\/svg>\n$/);
      assert.doesNotMatch(chart, /NaN|undefined/);
      const { sections } = JSON.parse(readFileSync(json, 'utf8')) as Result;
      assert.match(readFileSync(join(dir, 'quality.html'), 'utf8'), /<h2>Semantic textual similarity<\/h2>/);
      const of = (variant: string) =>
        sections[0]!.figures.find((figure) => figure.metric === 'ndcg@10' && figure.variant === variant)!
          .value;
      assert.ok(of('dense') > of('bm25'), 'BM25 does not work across six languages');
      const unknown = spawnSync(process.execPath, [MAIN, 'quality', '--only', 'nothing'], {
        encoding: 'utf8',
      });
      assert.equal(unknown.status, 1);
      assert.match(unknown.stderr, /no section nothing; there are fixtures,/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
