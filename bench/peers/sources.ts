/** What the libraries are compared on: generated documents, and real ones. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/engine.js';
import { type Patent, titlesOf } from '../../src/patent/record.js';
import type { Store } from '../../src/store/store.js';
import { cachedCorpus, questionsFor } from '../corpus/cached.js';
import { below, stream } from '../corpus/random.js';
import { ROOT } from '../machine.js';
import { Target } from '../recall/target.js';
import type { Setting } from '../result.js';

export interface Source {
  /** `200k`, `real` */
  name: string;
  title: string;
  about: string;
  /** The index folder. */
  folder: string;
  target: Target;
  questions: { text: string; target: Patent }[];
  /** Documents that are not compared, because questions are made from them. */
  heldOut: ReadonlySet<number>;
}

/** Real documents that are held out for questions, whatever the number of questions. */
const HELD_OUT = 1_000;
/** Passages of real documents in a short run. */
const SHORT_PASSAGES = 30_000;
/** Characters of an abstract that make a question. */
const BEGINNING = 200;

/** Generated documents with questions about their inventions. */
export async function generated(setting: Setting, size: number, count: number): Promise<Source> {
  const corpus = await cachedCorpus(size, setting.progress);
  return {
    name: corpus.name,
    title: `${corpus.name} generated passages`,
    about: 'Passages of generated documents, and questions about their inventions.',
    folder: corpus.dir,
    target: new Target(corpus.dir),
    questions: questionsFor(corpus, count),
    heldOut: new Set(),
  };
}

/** Real documents: of the folder `--folder`, or of one that is made once from the collections. */
export async function real(setting: Setting, count: number): Promise<Source | { missing: string }> {
  const dir = setting.folder ?? (await madeOnce(setting));
  if (typeof dir !== 'string') return dir;
  const target = new Target(dir);
  const { questions, heldOut } = questionsFrom(target.store);
  if (setting.short) holdOutMost(target.store, heldOut);
  if (questions.length < count) {
    await target.close();
    return { missing: `${questions.length} of ${count} questions in the documents` };
  }
  return {
    name: setting.short ? 'real-short' : 'real',
    title: 'real passages',
    about: `Passages of real publications. Questions are titles and the first ${BEGINNING} characters of abstracts of ${HELD_OUT} other publications, which are left out of the passages together with all publications of their applications.${setting.short ? ' Only a random part of the passages is compared.' : ''}`,
    folder: dir,
    target,
    questions: questions.slice(0, count),
    heldOut,
  };
}

async function madeOnce({ corpora, progress }: Setting): Promise<string | { missing: string }> {
  const patents = join(corpora, 'patents');
  if (!existsSync(patents)) return { missing: `no ${patents}, and no --folder` };
  const dir = join(ROOT, '.bench/real');
  progress(`ingesting ${patents} into ${dir}`);
  const engine = await open(dir, { create: true, workers: availableParallelism() });
  try {
    const { documents, failed } = await engine.ingest([patents]);
    if (documents === 0 && failed.length > 0) return { missing: failed[0]!.reason };
  } finally {
    await engine.close();
  }
  return dir;
}

/** Holds out documents at random until about `SHORT_PASSAGES` are left. */
function holdOutMost(store: Store, heldOut: Set<number>): void {
  const heads = [...store.documents.getRange()].filter(({ key }) => !heldOut.has(key));
  const total = heads.reduce((sum, { value }) => sum + value.passages, 0);
  const next = stream(41);
  for (const { key } of heads) if (next() > SHORT_PASSAGES / total) heldOut.add(key);
}

/** Questions made from documents with a title and an abstract, and these documents with all of the same applications. */
function questionsFrom(store: Store): { questions: Source['questions']; heldOut: Set<number> } {
  const applicationOf = ({ country, application_number: number, patent_id: id }: Partial<Patent>) =>
    number ? `${country} ${number}` : id!;
  const candidates: number[] = [];
  const applications = new Map<string, number[]>();
  for (const { key, value: head } of store.documents.getRange()) {
    const application = applicationOf(head);
    const same = applications.get(application);
    if (same) same.push(key);
    else applications.set(application, [key]);
    if (!same && (store.bodies.get(key)?.abstract?.length ?? 0) >= BEGINNING) candidates.push(key);
  }
  const next = stream(37);
  const heldOut = new Set<number>();
  const questions: Source['questions'] = [];
  while (questions.length < HELD_OUT && candidates.length > 0) {
    const [key] = candidates.splice(below(next, candidates.length), 1);
    const head = store.documents.get(key!)! as unknown as Patent;
    const title = titlesOf(head).split('\n')[0]!;
    if (title === '') continue;
    const text = questions.length % 2 === 0 ? title : store.bodies.get(key!)!.abstract!.slice(0, BEGINNING);
    questions.push({ text, target: head });
    for (const one of applications.get(applicationOf(head))!) heldOut.add(one);
  }
  return { questions, heldOut };
}
