/** Retrieval of the patent on the same work as a scientific paper (Pap2Pat). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUERY_MAX_CHARS } from '../../src/limits.js';
import { filesInTar, linesIn } from './corpora.js';
import type { Measure } from './measure.js';
import { measureRetrieval, relevant } from './retrieval.js';

const PAIRS = 'patents/DERIVED/pap2pat_pairs.tsv';
const TEXTS = 'patents/US/pap2pat/pap2pat.tar.gz';
const SHORT = 8;

interface Section {
  title?: string;
  paragraphs?: unknown[];
  subsections?: Section[];
}

export const papers: Measure = {
  id: 'papers',
  title: 'Paper to patent',
  about:
    'The query is title and abstract of a paper, the answer the patent of the same authors and work. First among 941 US ' +
    'applications with title, abstract and first claim, then among the 322 of them with full text, in passages. ' +
    'English. Titles and abstracts of these patents were pairs in training; the papers were not.',
  needs: [PAIRS, TEXTS],
  run: async (context) => {
    const rows = linesIn(join(context.corpora, PAIRS))
      .slice(1)
      .filter(Boolean)
      .map((line) => line.split('\t'));
    const short = join(context.temporary, 'abstracts');
    mkdirSync(short);
    const abstracts = rows.map(([, patent, , , title, abstract, claim]) =>
      JSON.stringify({
        patent_id: `${patent}A1`,
        language: 'en',
        title,
        abstract,
        claims: claim ? [claim] : [],
      }),
    );
    writeFileSync(join(short, 'patents.jsonl'), abstracts.join('\n'));
    const full = join(context.temporary, 'texts');
    const present = await fullTexts(join(context.corpora, TEXTS), full);
    const setOf = (name: string, wanted: string[][]) => {
      const asked = wanted.filter((_, n) => !context.short || n % SHORT === 0);
      const idOf = (row: string[]) => row[1]!;
      return {
        name,
        questions: asked.map((row) => ({
          id: idOf(row),
          text: `${row[2]}\n${row[3]}`.slice(0, QUERY_MAX_CHARS),
        })),
        qrels: () => relevant(new Map(asked.map((row) => [idOf(row), [`${idOf(row)}A1`]]))),
        recallAt: [1, 10, 100],
      };
    };
    return [
      ...(await measureRetrieval(context, [short], [setOf('paper → patent, abstracts', rows)])),
      ...(await measureRetrieval(
        context,
        [full],
        [
          setOf(
            'paper → patent, full texts',
            rows.filter(([, patent]) => present.has(patent!)),
          ),
        ],
      )),
    ];
  },
};

/** Writes the full texts as JSON Lines. Returns the publication numbers. */
async function fullTexts(archive: string, folder: string): Promise<Set<string>> {
  mkdirSync(folder);
  const lines = new Map<string, string>();
  for await (const { text } of filesInTar(archive)) {
    const {
      id,
      title,
      abstract,
      sections = [],
      claims = [],
    } = JSON.parse(text) as {
      id: string;
      title: string;
      abstract: string;
      sections?: Section[];
      claims?: unknown[];
    };
    const description = sections.flatMap(flattened);
    lines.set(
      id,
      JSON.stringify({
        patent_id: `${id}A1`,
        language: 'en',
        title,
        abstract,
        claims: claims.map(textIn).filter((claim) => claim !== ''),
        description: description.filter(({ paragraphs }) => paragraphs.length > 0),
      }),
    );
  }
  writeFileSync(join(folder, 'patents.jsonl'), [...lines.values()].join('\n'));
  return new Set(lines.keys());
}

function flattened({
  title,
  paragraphs = [],
  subsections = [],
}: Section): { section: string; paragraphs: string[] }[] {
  const own = paragraphs.map(textIn).filter((text) => text !== '');
  return [{ section: title || 'Description', paragraphs: own }, ...subsections.flatMap(flattened)];
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'object' && value !== null && 'text' in value ? String(value.text).trim() : '';
}
