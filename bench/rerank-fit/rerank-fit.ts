/**
 * `npm run bench -- rerank-fit`: fits the mixture of late interaction (src/rerank/fit.ts) on one half of the judged
 * questions and measures it on the other half, next to the shipped fit and the order by similarity alone.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimate } from '../../src/eval/bootstrap.js';
import { RERANK_DEPTH } from '../../src/limits.js';
import { FIT, FIT_LONGER, type ServedFit } from '../../src/rerank/fit.js';
import { fixtures } from '../quality/fixtures.js';
import { kiprisMixed } from '../quality/kipris-mixed.js';
import { figureOf, type Measure } from '../quality/measure.js';
import { papers } from '../quality/papers.js';
import { topics } from '../quality/topics.js';
import type { Benchmark, Figure, Section, Setting } from '../result.js';
import { type CaseSet, collect, isForFitting } from './cases.js';
import { ascend, quality } from './mixture.js';

const MEASURES: readonly Measure[] = [fixtures, kiprisMixed, papers, topics];

export const rerankFit: Benchmark = {
  name: 'rerank-fit',
  summary: 'fits the shares of late interaction on half of the questions, measures on the other half',
  sections: MEASURES.map(({ id }) => id),
  run: async (setting) => {
    const started = performance.now();
    const cpu = process.cpuUsage();
    const sets = await allCases(setting);
    const half = (fitting: boolean) =>
      sets
        .map(({ name, cases }) => ({
          name,
          cases: cases.filter(({ question }) => isForFitting(question) === fitting),
        }))
        .filter(({ cases }) => cases.length > 0);
    const fit = ascend(half(true), FIT_LONGER, RERANK_DEPTH.lateInteraction);
    setting.progress(`fitted: ${JSON.stringify(fit)}`);
    const { user, system } = process.cpuUsage(cpu);
    const section: Section = {
      id: 'rerank-fit',
      title: 'Late interaction, refitted',
      about: `Fitted on half of the questions (sha256, by topic), measured on the other half: ${JSON.stringify(fit)}. "for short questions" and "for longer questions" are ${JSON.stringify(FIT)} and ${JSON.stringify(FIT_LONGER)}, which were chosen on all questions and are served by the length of a question.`,
      figures: half(false).flatMap((set) => figuresOf(set, fit)),
      seconds: Math.round(performance.now() - started) / 1000,
      cpuSeconds: (user + system) / 1e6,
    };
    return { models: { default: 'late interaction over the shipped model' }, sections: [section] };
  },
};

async function allCases(setting: Setting): Promise<CaseSet[]> {
  const sets: CaseSet[] = [];
  for (const measure of MEASURES.filter(({ id }) => setting.only?.includes(id) ?? true)) {
    if (measure.needs.some((path) => !existsSync(join(setting.corpora, path)))) continue;
    setting.progress(measure.title);
    const temporary = mkdtempSync(join(tmpdir(), 'priorart-fit-'));
    try {
      const context = { ...setting, underTest: [], temporary };
      await measure.run({
        ...context,
        instead: async (sources, questions) => {
          sets.push(...(await collect(context, sources, questions)));
        },
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
  return sets;
}

function figuresOf({ name, cases }: CaseSet, fit: ServedFit): Figure[] {
  const of = (variant: string, metric: string, values: number[]) =>
    figureOf({ measure: name, metric, variant }, estimate(values));
  const variants: [string, ServedFit | undefined][] = [
    ['dense', undefined],
    ['for short questions', FIT],
    ['for longer questions', FIT_LONGER],
    ['fitted', fit],
  ];
  const measured = variants.map(([variant, own]) => ({
    variant,
    values: cases.map((one) => quality(one, own, RERANK_DEPTH.lateInteraction)),
  }));
  const dense = measured[0]!.values;
  return measured.flatMap(({ variant, values }) => [
    of(
      variant,
      'ndcg@10',
      values.map(({ ndcg }) => ndcg),
    ),
    of(
      variant,
      'mrr',
      values.map(({ mrr }) => mrr),
    ),
    ...(variant === 'dense'
      ? []
      : [
          of(
            `${variant} - dense`,
            'ndcg@10',
            values.map(({ ndcg }, n) => ndcg - dense[n]!.ndcg),
          ),
        ]),
  ]);
}
