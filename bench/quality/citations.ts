/** Retrieval of the publications that a publication cites, in a pool of many languages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimate } from '../../src/eval/bootstrap.js';
import type { RankedLists } from '../../src/eval/rank.js';
import type { TrecQuestion } from '../../src/eval/trec.js';
import { EVAL_DEPTH, QUERY_MAX_CHARS } from '../../src/limits.js';
import type { Figure } from '../result.js';
import { linesIn } from './corpora.js';
import { type Context, figureOf, type Measure } from './measure.js';
import { measureRetrieval, type QuestionSet, relevant } from './retrieval.js';

/** Publications of US, EP, JP and WO, in Latin script, Japanese, Chinese and Korean. */
export const POOL = 'evaluation/citations/docs.jsonl.gz';
const CITED = 'evaluation/citations/qrels.tsv';
/** A short run uses every eighth question, and every eighth document of those that no question needs. */
const SHORT = 8;

/** A publication of the pool. */
export interface Publication {
  /** The office's number. */
  id: string;
  country: string;
  /** `latin`, `ja`, `zh`, `ko`. */
  lang: string;
  title: string;
  /** May be empty. */
  abstract: string;
}

/** Minimum of questions for a pair of languages. */
const PAIRS_FROM = 15;

interface Citation {
  citing: string;
  cited: string;
  acrossScripts: boolean;
}

export const citations: Measure = {
  id: 'citations',
  title: 'Citations in a pool of many languages',
  about:
    'Title and abstract of a publication are the query for what it cites, among 6,833 publications of US, EP, JP and WO with ' +
    'title and abstract in Latin script, Japanese, Chinese and Korean. The publication itself is left out. "Across ' +
    'scripts": only citations of another script are relevant; the whole pool is searched. The shares are those of the ' +
    'scripts among the best 100 by similarity, next to the shares of the pool. Never trained on.',
  needs: [POOL, CITED],
  run: async (context) => {
    const publications = publicationsIn(context);
    const scripts = new Map(publications.map(({ id, lang }) => [id, lang]));
    const cited = citationsIn(context).filter(({ citing }) => scripts.has(citing));
    const asked = new Set(
      [...new Set(cited.map(({ citing }) => citing))].filter((_, n) => !context.short || n % SHORT === 0),
    );
    const own = cited.filter(({ citing }) => asked.has(citing));
    const needed = new Set(own.flatMap((one) => [one.citing, one.cited]));
    const pool = publications.filter(({ id }, n) => !context.short || needed.has(id) || n % SHORT === 0);
    const folder = join(context.temporary, 'pool');
    const numbers = writePool(pool, folder);
    const ids = new Map([...numbers].map(([id, number]) => [number, id]));
    const scriptOf = (number: string) => scripts.get(ids.get(number)!)!;
    const setOf = (name: string, list: readonly Citation[], more: Partial<QuestionSet> = {}): QuestionSet => {
      const answers = new Map<string, string[]>();
      for (const { citing, cited } of list) {
        answers.set(citing, [...(answers.get(citing) ?? []), numbers.get(cited)!]);
      }
      return {
        name,
        questions: pool.filter(({ id }) => answers.has(id)).map(questionOf),
        qrels: () => relevant(answers),
        own: (_, question) => [numbers.get(question)!],
        recallAt: [10, 100],
        pairsFrom: PAIRS_FROM,
        pairs: 'recall@10',
        ...more,
      };
    };
    const questions = [...asked].map((id) => ({ id, script: scripts.get(id)! }));
    const figures = await measureRetrieval(
      context,
      [folder],
      [
        setOf('publication → what it cites', own, {
          also: (rankings, model) => foundShares(questions, rankings, scriptOf, model),
        }),
        setOf(
          'publication → what it cites, across scripts',
          own.filter(({ acrossScripts }) => acrossScripts),
        ),
      ],
    );
    return [...figures, ...poolShares(questions, pool)];
  },
};

/** All publications of the pool. */
export function publicationsIn({ corpora }: Context): Publication[] {
  return linesIn(join(corpora, POOL))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Publication);
}

/**
 * Writes publications as JSON Lines, as EPO applications with new numbers: an index skips WO publications, and the original
 * numbers would merge applications with their grants.
 * @returns the new numbers
 */
export function writePool(pool: readonly Publication[], folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  const numbers = new Map(pool.map(({ id }, n) => [id, `EP${String(1_000_000 + n).padStart(8, '0')}A1`]));
  const lines = pool.map((one) => {
    const language = languageOf(one);
    return JSON.stringify({
      patent_id: numbers.get(one.id),
      title: one.title,
      ...(one.abstract && { abstract: one.abstract }),
      ...(language && { language }),
    });
  });
  writeFileSync(join(folder, 'pool.jsonl'), lines.join('\n'));
  return numbers;
}

function citationsIn({ corpora }: Context): Citation[] {
  return linesIn(join(corpora, CITED))
    .slice(1)
    .filter(Boolean)
    .map((line) => {
      const [citing = '', cited = '', , across] = line.split('\t');
      return { citing, cited, acrossScripts: across === '1' };
    });
}

function questionOf(one: Publication): TrecQuestion {
  const language = languageOf(one);
  return { id: one.id, text: textOf(one), ...(language && { language }) };
}

function textOf({ title, abstract }: Publication): string {
  return `${title}\n${abstract}`.trim().slice(0, QUERY_MAX_CHARS);
}

/** Words that occur in most sentences of a language, but in none of the other two. */
const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set(['the', 'of', 'and', 'is', 'with', 'for', 'to', 'having']),
  de: new Set(['der', 'das', 'und', 'ein', 'eine', 'eines', 'mit', 'ist', 'zum', 'zur', 'einer']),
  fr: new Set(['le', 'la', 'les', 'du', 'une', 'et', 'est', 'dans', 'pour', 'avec']),
};

/** Detects the language of a publication; undefined if a short title in Latin script is ambiguous. */
function languageOf(one: Publication): string | undefined {
  // The pool counts titles from Japan in Chinese characters only as Chinese script.
  if (one.country === 'JP') return 'ja';
  if (one.lang !== 'latin') return one.lang;
  const words = textOf(one)
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  const counts = Object.entries(COMMON).map(([language, common]) => ({
    language,
    count: words.filter((word) => common.has(word)).length,
  }));
  const best = counts.reduce((most, each) => (each.count > most.count ? each : most));
  return best.count > 0 ? best.language : undefined;
}

type Asked = { id: string; script: string };

/** Shares of scripts among the best hundred by similarity, by script of the question. */
function foundShares(
  questions: readonly Asked[],
  { dense }: RankedLists,
  scriptOf: (number: string) => string,
  model: string,
): Figure[] {
  const found = new Map(
    questions.map(({ id }) => [id, dense.get(id)!.slice(0, EVAL_DEPTH).map(scriptOf)] as const),
  );
  const scripts = [...new Set([...found.values()].flat())];
  return groupsOf(questions).flatMap(([from, asked]) =>
    scripts.map((to) => {
      const shares = asked.map(({ id }) => shareOf(found.get(id)!, to));
      return figureOf({ ...placeOf(from, to), variant: 'dense', model }, estimate(shares));
    }),
  );
}

/** Shares of scripts in the pool, for comparison. */
function poolShares(questions: readonly Asked[], pool: readonly Publication[]): Figure[] {
  const all = pool.map(({ lang }) => lang);
  return groupsOf(questions).flatMap(([from, asked]) =>
    [...new Set(all)].map((to) => ({
      ...placeOf(from, to),
      variant: 'pool',
      value: shareOf(all, to),
      n: asked.length,
    })),
  );
}

function placeOf(from: string, to: string) {
  return { measure: `question ${from}`, metric: `share of ${to}` };
}

function groupsOf(questions: readonly Asked[]): [script: string, questions: Asked[]][] {
  const scripts = [...new Set(questions.map(({ script }) => script))];
  return scripts.map((script) => [script, questions.filter((one) => one.script === script)]);
}

function shareOf(list: readonly string[], wanted: string): number {
  return list.filter((each) => each === wanted).length / Math.max(1, list.length);
}
