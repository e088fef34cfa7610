/**
 * The data of a fit: for each judged question the documents that a search finds, and the score of each part of late
 * interaction for each of their passages. Any mixture of the parts can then be tried without searching again.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openStaticModel } from '../../src/embed/static.js';
import { open } from '../../src/engine.js';
import { Judgements } from '../../src/eval/judgements.js';
import { type Grades, relevantIn } from '../../src/eval/measures.js';
import { calling, type RerankShare } from '../../src/index/native.js';
import { RERANK_DEPTH, TOP_K } from '../../src/limits.js';
import { closeModels, loadModels } from '../../src/models/load.js';
import type { ServedFit } from '../../src/rerank/fit.js';
import { staticReranker } from '../../src/rerank/late-interaction.js';
import type { FoundDocuments, Reranker, RerankScores } from '../../src/rerank/reranker.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import { titleOf } from '../../src/search/show.js';
import type { Context } from '../quality/measure.js';
import type { QuestionSet } from '../quality/retrieval.js';

/** Exponents of the IDF to try. */
export const RARITIES: readonly number[] = [1, 1.5, 2, 3];
const NONE: RerankShare = { partners: 0, cosine: 0 };
const PARTNERS: RerankShare = { partners: 1, cosine: 0 };
const COSINE: RerankShare = { partners: 0, cosine: 1 };
const EMPTY = { passage: NONE, title: NONE, abstract: NONE, similarity: 0, foreign: 0 };

/** One question with the documents found for it, best first by similarity. */
export interface Case {
  question: string;
  /** For each document: its link (an application and its grant share one), its grade, the index of its first passage. */
  links: string[];
  grades: Grades;
  starts: Uint32Array;
  /** For each passage: cosines of passage, title and abstract; and by IDF exponent the token matches in each of them. */
  cosines: Float32Array[];
  partners: Float32Array[][];
  /** For each passage: its similarity in the search. */
  similarities: Float32Array;
  /** For each document: 1 if it is in another language than the question. */
  foreign: Uint8Array;
}

export interface CaseSet {
  name: string;
  cases: Case[];
}

/** Collects the cases of a measure's question sets instead of measuring them. */
export async function collect(
  context: Context,
  sources: readonly string[],
  sets: readonly QuestionSet[],
): Promise<CaseSet[]> {
  const dir = join(context.temporary, 'index');
  const engine = await open(dir, { create: true, workers: availableParallelism() });
  await engine.ingest([...sources]);
  await engine.close();
  const models = await loadModels();
  const folder = new Folder(dir);
  try {
    const recorder = new Recorder();
    const reader = new IndexReader(folder, { embedder: models.embedder, reranker: recorder });
    const found: CaseSet[] = [];
    for (const set of sets.flatMap((own) => withOwnTitles(own, folder))) {
      const judgements = new Judgements(folder.store, set.qrels(folder.store));
      const cases: Case[] = [];
      for (const { id, text } of set.questions) {
        const grades = judgements.of(id);
        if (relevantIn(grades) === 0) continue;
        const request = { query: text, top_k: TOP_K.max, include_utility_model: true };
        await searchSemantic(reader, { ...parseSemantic(request), exact: true });
        const out = new Set(set.own?.(folder.store, id) ?? []);
        cases.push(
          recorder.taken(id, grades, (doc) => {
            const { patent_id } = folder.store.documents.get(doc)!;
            return out.has(patent_id) ? undefined : judgements.link(patent_id);
          }),
        );
      }
      context.progress(`  ${set.name}: ${cases.length} questions`);
      found.push({ name: set.name, cases });
    }
    return found;
  } finally {
    await folder.close();
    await closeModels(models);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Adds, to questions from titles in another language, the same questions in the documents' own language. */
function withOwnTitles(set: QuestionSet, { store }: Folder): QuestionSet[] {
  if (!set.name.startsWith('English title')) return [set];
  const judged = set.qrels(store);
  const questions = set.questions.flatMap(({ id }) => {
    const [patentId = ''] = judged.get(id)?.keys() ?? [];
    const head = store.documents.get(store.ids.get(patentId) ?? -1);
    return head ? [{ id, text: titleOf(head) }] : [];
  });
  return [set, { ...set, name: 'Korean title → Korean record', questions }];
}

/** A reranker that records the scores of every part. */
class Recorder implements Reranker {
  readonly name = 'recorder';
  readonly depth = RERANK_DEPTH.lateInteraction;
  readonly #model = openStaticModel();
  #seen: ({ docs: Uint32Array } & Omit<Case, 'question' | 'links' | 'grades'>) | undefined;

  score(): never {
    throw new Error('score() is not supported; expected scoreFound()');
  }

  scoreFound(query: string, found: FoundDocuments): RerankScores {
    const part = (fit: ServedFit) =>
      calling(
        () => staticReranker(this.#model, { short: fit, longer: fit }).scoreFound!(query, found).passages,
      );
    const parts = ['passage', 'title', 'abstract'] as const;
    const cosines = parts.map((name) => part({ ...EMPTY, [name]: COSINE, rarity: 1 }));
    const partners = RARITIES.map((rarity) =>
      parts.map((name) => part({ ...EMPTY, [name]: PARTNERS, rarity })),
    );
    const { docs, passageAt, passageScores } = found.hits;
    const foreign = found.foreign?.(query) ?? new Uint8Array(docs.length);
    this.#seen = { docs, starts: passageAt, cosines, partners, similarities: passageScores, foreign };
    return { documents: new Float32Array(docs.length), passages: new Float32Array(passageAt.at(-1) ?? 0) };
  }

  /** The case of the last search. Documents without a link are left out. */
  taken(question: string, grades: Grades, linkOf: (doc: number) => string | undefined): Case {
    const { docs, ...parts } = this.#seen!;
    return {
      question,
      grades,
      links: Array.from(docs, (doc) => linkOf(doc) ?? ''),
      ...parts,
    };
  }

  close(): void {
    this.#model.close();
  }
}

/** Whether a question is in the half for fitting. Questions on one topic, `q01-ko` and `q01-en`, are in the same half. */
export function isForFitting(question: string): boolean {
  const topic = question.replace(/-[a-z]{2}$/, '');
  return (createHash('sha256').update(`fit ${topic}`).digest()[0]! & 1) === 0;
}
