/** Accuracy at which sentences and terms find their translations. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { estimate } from '../../src/eval/bootstrap.js';
import { placeOf } from '../../src/eval/measures.js';
import type { Figure } from '../result.js';
import { Bm25 } from './bm25.js';
import { filesUnder, linesIn, plainText } from './corpora.js';
import { type Context, dot, embedAll, figureOf, type Measure } from './measure.js';

/** Held out of training by models/static/train/collect.py: one English side in 60, by its hash. */
const DEV_ONE_IN = 60;
const DEV_REST = 7;
const DICTIONARIES = new Set(['dict-cedict', 'dict-wiktionary', 'cldr-names', 'osm-id-tagging']);
/** Sets of this project that are entirely in training. */
const TRAINED = new Set(['glossary-patent-terms']);
const SIZE = { whole: 1000, short: 200 };
/** Minimum size of a set. */
const LEAST = 100;
const SENTENCE_CHARS = 30;

type Pair = readonly [from: string, to: string];

export const pairs: Measure = {
  id: 'pairs',
  title: 'Sentences and terms across languages',
  about:
    'The query is a sentence or term, the answer its translation among up to 1,000 others: accuracy@1; equal scores ' +
    'count against the model. From the parallel data; training left out one English side in 60, by its hash, and every ' +
    'pair that shares the other side. The sentences are from software manuals, as in training, and therefore easy.',
  needs: ['parallel'],
  run: async (context) => {
    const sets = setsOf(join(context.corpora, 'parallel'), context.short ? SIZE.short : SIZE.whole);
    const figures: Figure[] = [];
    for (const [name, set] of sets) {
      for (const { label, embedder } of context.underTest) {
        const accuracy = await denseAccuracy(set, embedder);
        figures.push(
          figureOf({ measure: name, metric: 'accuracy@1', variant: 'dense', model: label }, accuracy),
        );
      }
      figures.push(figureOf({ measure: name, metric: 'accuracy@1', variant: 'bm25' }, lexicalAccuracy(set)));
    }
    return figures;
  },
};

async function denseAccuracy(set: readonly Pair[], embedder: Context['underTest'][number]['embedder']) {
  const asked = await embedAll(
    embedder,
    set.map(([from]) => from),
    'query',
  );
  const texts = await embedAll(
    embedder,
    set.map(([, to]) => to),
    'passage',
  );
  const scores = new Float32Array(set.length);
  const right = set.map((_, n) => {
    for (let other = 0; other < set.length; other++)
      scores[other] = dot(asked, n, texts, other, embedder.dimensions);
    return placeOf(scores, n) === 1 ? 1 : 0;
  });
  return estimate(right);
}

function lexicalAccuracy(set: readonly Pair[]) {
  const index = new Bm25();
  for (const [n, [, to]] of set.entries()) index.add(String(n), to);
  return estimate(set.map(([from], n) => (index.search(from, 1)[0] === String(n) ? 1 : 0)));
}

/** Reads the held-out pairs by kind and languages. */
function setsOf(folder: string, size: number): Map<string, Pair[]> {
  /** kind and language → English → the other side */
  const groups = new Map<string, Map<string, string>>();
  for (const file of filesUnder(folder)
    .filter((name) => name.endsWith('.tsv.gz'))
    .sort()) {
    const source = basename(file, '.tsv.gz');
    if (TRAINED.has(source)) continue;
    const kind = DICTIONARIES.has(source) ? 'term' : 'sentence';
    for (const line of linesIn(file)) {
      const [language = '', other = '', english = '', ...more] = line.split('\t');
      const pair = heldOut(source, other, english);
      if (!pair || more.length > 0) continue;
      if (kind === 'sentence' && pair.english.length < SENTENCE_CHARS) continue;
      const key = `${kind} ${language}`;
      const group = groups.get(key) ?? new Map<string, string>();
      const english1 = pair.english.toLowerCase();
      if (!group.has(english1)) group.set(english1, pair.other);
      groups.set(key, group);
    }
  }
  const sets = new Map<string, Pair[]>();
  const add = (name: string, all: Pair[]) => {
    const taken = new Set<string>();
    // Keeps each text once, because a duplicate could rank above the right answer.
    const distinct = all.filter(([from, to]) => {
      const known = taken.has(`>${from}`) || taken.has(`<${to}`);
      taken.add(`>${from}`).add(`<${to}`);
      return !known;
    });
    const chosen = distinct.sort((a, b) => (digest(a[1]) < digest(b[1]) ? -1 : 1)).slice(0, size);
    if (chosen.length >= LEAST) sets.set(name, chosen);
  };
  for (const kind of ['sentence', 'term']) {
    for (const language of ['ko', 'ja', 'zh']) {
      const group = groups.get(`${kind} ${language}`) ?? new Map<string, string>();
      add(
        `${kind} ${language} → en`,
        [...group].map(([english, other]) => [other, english] as const),
      );
      if (kind === 'sentence') {
        add(
          `${kind} en → ${language}`,
          [...group].map(([english, other]) => [english, other] as const),
        );
      }
    }
  }
  for (const [from, to] of [
    ['ko', 'ja'],
    ['zh', 'ja'],
    ['ko', 'zh'],
  ]) {
    const [a, b] = [groups.get(`sentence ${from}`), groups.get(`sentence ${to}`)];
    if (!a || !b) continue;
    const shared = [...a].flatMap(([english, text]) =>
      b.has(english) ? [[text, b.get(english)!] as const] : [],
    );
    add(`sentence ${from} → ${to}`, shared);
  }
  return sets;
}

function heldOut(
  source: string,
  other: string,
  english: string,
): { other: string; english: string } | undefined {
  const [foreign, plain] = [plainText(other), plainText(english)];
  if (!foreign || !plain || !/[A-Za-z]/.test(plain)) return undefined;
  const side = source === 'dict-cedict' ? plain.replace(/\[[^\]]*\]|[一-鿿|]+/g, ' ') : plain;
  const hash = createHash('sha256').update(side.toLowerCase()).digest().readUIntBE(0, 6);
  return hash % DEV_ONE_IN === DEV_REST
    ? { other: foreign.slice(0, 600), english: side.slice(0, 600) }
    : undefined;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
