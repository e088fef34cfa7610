/** Spearman's correlation of cosines and judgements, for pairs of texts in one language. */
import { join } from 'node:path';
import { spearman } from '../../src/eval/measures.js';
import type { Figure } from '../result.js';
import { tokens } from './bm25.js';
import { csvIn, linesIn } from './corpora.js';
import { type Context, dot, embedAll, type Measure } from './measure.js';

interface Scored {
  a: string;
  b: string;
  score: number;
}

/** A short run uses every fourth pair. */
const SHORT = 4;

export const sts: Measure = {
  id: 'sts',
  title: 'Semantic textual similarity',
  about:
    'STS-B (test), KorSTS (test), JSTS (validation): pairs of sentences with scores by people. Never trained on. ' +
    'Words: the share of common tokens (Jaccard).',
  needs: ['evaluation/stsb-test.csv', 'evaluation/korsts-test.tsv', 'evaluation/jsts-valid.json'],
  run: async (context) => {
    const file = (name: string) => linesIn(join(context.corpora, 'evaluation', name));
    const tabbed = (lines: string[]) =>
      lines.flatMap((line) => {
        const [, , , , score = '', a, b] = line.split('\t');
        return a && b && /^[\d.]+$/.test(score) ? [{ a, b, score: Number(score) }] : [];
      });
    const jsts = file('jsts-valid.json')
      .filter(Boolean)
      .map((line) => {
        const { sentence1: a, sentence2: b, label: score } = JSON.parse(line);
        return { a, b, score } as Scored;
      });
    return [
      ...(await correlated(context, 'STS-B', tabbed(file('stsb-test.csv')))),
      ...(await correlated(context, 'KorSTS', tabbed(file('korsts-test.tsv').slice(1)))),
      ...(await correlated(context, 'JSTS', jsts)),
    ];
  },
};

const PHRASES = 'patents/MIXED/phrase-matching/wonkicho__train.csv.gz';

export const phrases: Measure = {
  id: 'phrases',
  title: 'Phrases of patents',
  about:
    'The 36,473 pairs of US patent phrases that people scored from 0 (unrelated) to 1 (the same), without their ' +
    'class as context. Never trained on. Words: the share of common tokens (Jaccard).',
  needs: [PHRASES],
  run: (context) => {
    const rows = csvIn(join(context.corpora, PHRASES)).slice(1);
    const scored = rows.map(([, a = '', b = '', , score]) => ({ a, b, score: Number(score) }));
    return correlated(context, 'patent phrases', scored);
  },
};

async function correlated(context: Context, measure: string, all: readonly Scored[]): Promise<Figure[]> {
  const scored = all.filter((_, n) => !context.short || n % SHORT === 0);
  if (scored.length === 0 || scored.some(({ score }) => !Number.isFinite(score))) {
    throw new Error(`${measure}: unexpected file format`);
  }
  const place = { measure, metric: 'spearman', n: scored.length };
  const wanted = scored.map(({ score }) => score);
  const figures: Figure[] = [];
  for (const { label, embedder } of context.underTest) {
    const a = await embedAll(
      embedder,
      scored.map((pair) => pair.a),
      'query',
    );
    const b = await embedAll(
      embedder,
      scored.map((pair) => pair.b),
      'query',
    );
    const cosines = scored.map((_, n) => dot(a, n, b, n, embedder.dimensions));
    figures.push({ ...place, variant: 'dense', model: label, value: spearman(cosines, wanted) });
  }
  const words = scored.map(({ a, b }) => jaccard(new Set(tokens(a)), new Set(tokens(b))));
  return [...figures, { ...place, variant: 'words', value: spearman(words, wanted) }];
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((token) => b.has(token)).length;
  return common / Math.max(1, a.size + b.size - common);
}
