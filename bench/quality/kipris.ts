/** Retrieval of Korean records of KIPRIS, by English titles and by records that examiners cited. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TrecQuestion } from '../../src/eval/trec.js';
import { QUERY_MAX_CHARS } from '../../src/limits.js';
import { filesInTar, linesIn } from './corpora.js';
import type { Context, Measure } from './measure.js';
import { measureRetrieval, publicationsOf, relevant } from './retrieval.js';

export const RECORDS = 'patents/KR/kipris-json/77eileen.tar.gz';
export const EXAMINER_CITATIONS = 'patents/DERIVED/kr_examiner_citations_inset.tsv';
/** A short run uses every eighth question. */
const SHORT = 8;

export interface Application {
  /** 13 digits. */
  number: string;
  title: string;
  titleEn: string;
  abstract: string;
}

export const kipris: Measure = {
  id: 'kipris',
  title: 'Korean records: English titles, examiner citations',
  about:
    'All 1,605 KIPRIS records in Korean, without their English fields. "English title": the query is the English title ' +
    'of a record, for the 533 records (sha256 of the number, modulo 3 = 0) that were not in training; the other ' +
    'records were, and are in the pool. "Citation": the query is title and abstract of a record, for the records that ' +
    'its examiner cited (26 pairs; citations were never trained on, the texts of two thirds of the records were).',
  needs: [RECORDS, EXAMINER_CITATIONS],
  run: async (context) => {
    const folder = join(context.temporary, 'records');
    const applications = await stripped(context, folder);
    return measureRetrieval(
      context,
      [folder],
      [titles(applications, context), examinerCitations(applications, context)],
    );
  },
};

/** Writes the records without their English fields. Returns the data for the questions. */
export async function stripped({ corpora }: Context, folder: string): Promise<Map<string, Application>> {
  mkdirSync(folder, { recursive: true });
  const found = new Map<string, Application>();
  for await (const { name, text } of filesInTar(join(corpora, RECORDS))) {
    if (!name.endsWith('.json')) continue;
    const record = JSON.parse(text);
    const summary = record.biblioSummaryInfoArray.biblioSummaryInfo;
    const number = String(summary.applicationNumber).replace(/\D/g, '');
    const abstracts = [record.abstractInfoArray?.abstractInfo ?? []].flat();
    found.set(number, {
      number,
      title: String(summary.inventionTitle ?? '').trim(),
      titleEn: String(summary.inventionTitleEng ?? '').trim(),
      abstract: abstracts
        .map((one: { astrtCont?: string }) => one.astrtCont ?? '')
        .join(' ')
        .trim(),
    });
    writeFileSync(join(folder, basename(name)), JSON.stringify(record, withoutEnglish));
  }
  return found;
}

/** A JSON reviver that removes `inventionTitleEng`, `engName` and `documentEngName`. */
function withoutEnglish(key: string, value: unknown): unknown {
  return /(^e|E)ng([A-Z]|$)/.test(key) ? '' : value;
}

function heldOut(number: string): boolean {
  const digest = createHash('sha256').update(number).digest('hex');
  return BigInt(`0x${digest}`) % 3n === 0n;
}

/** Questions with the English titles of the records that were not in training. */
export function titles(applications: ReadonlyMap<string, Application>, { short }: Context) {
  const asked = [...applications.values()]
    .filter(({ number, titleEn }) => heldOut(number) && titleEn !== '')
    .sort((a, b) => (a.number < b.number ? -1 : 1))
    .filter((_, n) => !short || n % SHORT === 0);
  const questions: TrecQuestion[] = asked.map(({ number, titleEn }) => ({ id: number, text: titleEn }));
  return {
    name: 'English title → Korean record',
    questions,
    qrels: (store: Parameters<typeof publicationsOf>[0]) =>
      relevant(new Map(asked.map(({ number }) => [number, publicationsOf(store, 'KR', number)]))),
    recallAt: [1, 10, 100],
  };
}

/** Questions with the records whose examiner cited other records. */
export function examinerCitations(applications: ReadonlyMap<string, Application>, { corpora }: Context) {
  const cited = new Map<string, string[]>();
  for (const line of linesIn(join(corpora, EXAMINER_CITATIONS)).slice(1)) {
    const [citing = '', target = ''] = line.split('\t');
    if (applications.has(citing) && applications.has(target)) {
      cited.set(citing, [...(cited.get(citing) ?? []), target]);
    }
  }
  const questions: TrecQuestion[] = [...cited.keys()].map((number) => {
    const { title, abstract } = applications.get(number)!;
    return { id: number, text: `${title}\n${abstract}`.slice(0, QUERY_MAX_CHARS) };
  });
  type Store = Parameters<typeof publicationsOf>[0];
  return {
    name: 'record → record its examiner cited',
    questions,
    qrels: (store: Store) =>
      relevant(
        new Map(
          [...cited].map(([citing, targets]) => [
            citing,
            targets.flatMap((target) => publicationsOf(store, 'KR', target)),
          ]),
        ),
      ),
    own: (store: Store, number: string) => publicationsOf(store, 'KR', number),
    recallAt: [10, 100],
  };
}
