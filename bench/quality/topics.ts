/** Two topics from a university course on search, with judgements (CS3245, PatSnap export). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Qrels } from '../../src/eval/trec.js';
import { filesUnder, readText, unpackXz } from './corpora.js';
import type { Measure } from './measure.js';
import { measureRetrieval } from './retrieval.js';

const ARCHIVE = 'patents/US/cs3245-patsnap/sanlil.tar.xz';
const TOPICS = ['q1', 'q2'];

export const topics: Measure = {
  id: 'topics',
  title: 'Topics in natural language',
  about:
    'Two topics (washing with bubbles, biological waste water treatment) on the US and EP publications among 2,244, ' +
    'by their title alone and with their description. English. Titles and abstracts of these patents were pairs in ' +
    'training; the topics and judgements were not. Two topics are an example, not a measure.',
  needs: [ARCHIVE],
  run: async (context) => {
    const folder = unpackXz(join(context.corpora, ARCHIVE), join(context.temporary, 'topics'));
    const patents = join(context.temporary, 'patents');
    mkdirSync(patents);
    const lines = filesUnder(join(folder, 'patsnap-corpus')).flatMap(lineOf);
    writeFileSync(join(patents, 'patents.jsonl'), lines.join('\n'));
    const qrels: Qrels = new Map();
    const [short, long] = [[], []] as { id: string; text: string }[][];
    for (const topic of TOPICS) {
      const xml = readText(join(folder, 'queries', `${topic}.xml`));
      const part = (name: string) =>
        new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
      short!.push({ id: topic, text: part('title') });
      long!.push({ id: topic, text: `${part('title')}. ${part('description')}` });
      const grades = new Map<string, number>();
      for (const [sign, grade] of [
        ['+ve', 1],
        ['-ve', 0],
      ] as const) {
        const file = join(folder, 'queries', `${topic}-qrels${sign}.txt`);
        for (const id of readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)) grades.set(id, grade);
      }
      qrels.set(topic, grades);
    }
    return measureRetrieval(
      context,
      [patents],
      [
        { name: 'topic title', questions: short!, qrels: () => qrels, recallAt: [10, 100] },
        { name: 'topic with description', questions: long!, qrels: () => qrels, recallAt: [10, 100] },
      ],
    );
  },
};

/** Converts a publication to a line. Empty for unsupported offices. */
function lineOf(file: string): string[] {
  const xml = readText(file);
  const field = (name: string) =>
    new RegExp(`<str name="${name}">([^<]*)<`)
      .exec(xml)?.[1]
      ?.replace(/\s+/g, ' ')
      .trim()
      .replaceAll('&amp;', '&');
  const number = field('Patent Number') ?? '';
  const country = number.slice(0, 2);
  const [title, abstract] = [field('Title'), field('Abstract')];
  if (!['US', 'EP'].includes(country) || !(title || abstract)) return [];
  // US grants have no kind code here. Grants are B2 since 2001, when the publication of applications began.
  const grant = /^US(RE?)?(\d+)$/.exec(number);
  const kind = grant ? (grant[1] ? 'E1' : Number(grant[2]) < 6_167_569 ? 'A' : 'B2') : field('Kind Code');
  return [
    JSON.stringify({
      publication_number: number.replace(/^USR(?=\d)/, 'USRE'),
      country,
      kind_code: kind,
      language: 'en',
      ...(title && { title }),
      ...(abstract && { abstract }),
    }),
  ];
}
