/**
 * Terms sampled from the documents, which at most ten documents hold: a search for such a term should show these documents.
 * Nothing was fitted on them: another seed samples others.
 */
import type { Engine } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { oneOf, type Random, stream } from '../corpus/random.js';
import type { Figure } from '../result.js';
import { folded, patternOf } from './exact.js';
import { bothVariants, type Measure } from './measure.js';
import { onRealDocuments, PATENTS } from './real-documents.js';

/** A short run reads the documents of one office. */
const SHORT = ['KR'];
const FIRST = 10;
/** Documents that hold a term, at most. */
const MOST_HOLDING = 10;
/** Terms of each kind, at most. */
const EACH = 200;
/** Share of the documents that terms are sampled from. */
const SHARE = 0.2;
const SEED = 1;

/** What a text may have of each kind of term. */
const KINDS: Record<string, RegExp> = {
  code: /[A-Za-z0-9]*(?:[A-Za-z]\d|\d[A-Za-z])[A-Za-z0-9]*(?:[-/+.][A-Za-z0-9]+)*/g,
  acronym: /(?<![A-Za-z0-9-])[A-Z]{2,6}(?![A-Za-z0-9-])/g,
  'joined words': /(?<![A-Za-z0-9-])[A-Za-z]{2,}-[A-Za-z]{2,}(?![A-Za-z0-9-])/g,
  word: /(?<![A-Za-z-])[a-z]{5,14}(?![A-Za-z-])/g,
  'two words': /(?<![A-Za-z-])[A-Za-z]{4,} [A-Za-z]{4,}(?![A-Za-z-])/g,
  'number with a unit': /(?<![\d.])\d+(?:\.\d+)?(?:nm|μm|MPa|GHz|ppm|kW|℃)(?![A-Za-z])/g,
  // Before a particle, so that it is a noun more often than not.
  'Korean word': /(?<![가-힣])[가-힣]{2,6}(?=[은는을를의] )/g,
  // Between function words.
  'Chinese word': /(?<=[的和与及或在为])[\u4e00-\u9fff]{3,6}(?=[的和与及或在为，。])/g,
};

interface Sampled {
  kind: string;
  text: string;
  holding: string[];
}

export const sampled: Measure = {
  id: 'sampled',
  title: 'Terms sampled from the documents',
  about:
    `Terms of the real documents, sampled at random, which at most ${MOST_HOLDING} documents hold. Each is a question. "In the first ` +
    '10": the share of the documents that hold it. Documents that hold a translation in the title compete for the same places.',
  needs: [PATENTS],
  run: (context) =>
    onRealDocuments(context, SHORT, async (engine) => {
      const terms = await sample(engine);
      const figures: Figure[] = [];
      for (const kind of Object.keys(KINDS)) {
        const own = terms.filter((term) => term.kind === kind);
        if (own.length > 0) figures.push(...(await figuresOf(engine, kind, own)));
      }
      return figures;
    }),
};

async function sample(engine: Engine): Promise<Sampled[]> {
  const texts: { id: string; text: string }[] = [];
  const next = stream(SEED);
  const candidates = new Map<string, string>();
  for await (const patent of engine.patents()) {
    if (patent.kind_code.startsWith('S')) continue;
    const text = lexicalTexts(patent)
      .map((own) => own.text)
      .join('\n');
    texts.push({ id: patent.patent_id, text: folded(text) });
    if (next() < SHARE) for (const [kind, term] of termsOf(text, next)) candidates.set(term, kind);
  }
  const terms: Sampled[] = [];
  for (const [text, kind] of shuffled([...candidates], next)) {
    if (terms.filter((term) => term.kind === kind).length === EACH) continue;
    const holding = holdingOf(texts, text);
    if (holding.length > 0 && holding.length <= MOST_HOLDING) terms.push({ kind, text, holding });
  }
  return terms;
}

/** A term of each kind that a text has. */
function termsOf(text: string, next: Random): [string, string][] {
  return Object.entries(KINDS).flatMap(([kind, pattern]): [string, string][] => {
    const all = text.match(pattern) ?? [];
    return all.length === 0 ? [] : [[kind, oneOf(next, all)]];
  });
}

/** The documents that hold a term: `MOST_HOLDING` and one more, at most. */
function holdingOf(texts: readonly { id: string; text: string }[], term: string): string[] {
  const pattern = patternOf(term);
  // Tells most documents apart, and is faster.
  const part = /^[a-z]+|^[0-9.]+/.exec(folded(term))?.[0] ?? folded(term);
  const holding: string[] = [];
  for (const { id, text } of texts) {
    if (!text.includes(part) || !pattern.test(text)) continue;
    if (holding.push(id) > MOST_HOLDING) break;
  }
  return holding;
}

function shuffled<T>(list: readonly T[], next: Random): T[] {
  return list
    .map((value) => ({ value, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

function figuresOf(engine: Engine, kind: string, terms: readonly Sampled[]): Promise<Figure[]> {
  return bothVariants(`sampled terms, ${kind}`, async (rerank) => {
    const shares: number[] = [];
    for (const { text, holding } of terms) {
      const request = { query: text, top_k: FIRST, collapse: 'none', include_utility_model: true } as const;
      const { results } = await engine.search(request, { rerank });
      const found = new Set(results.map(({ patent_id }) => patent_id));
      shares.push(holding.filter((id) => found.has(id)).length / holding.length);
    }
    return { 'in the first 10': shares };
  });
}
