/** The parts of a search, each alone: the lexical index, and the reranker without words. Only benchmarks ask so. */

import type { TrecQuestion } from '../../src/eval/trec.js';
import { EVAL_DEPTH } from '../../src/limits.js';
import { loadModels } from '../../src/models/load.js';
import { Folder } from '../../src/search/folder.js';
import { translationShares } from '../../src/search/fusion.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';
import { wordsOf } from '../../src/search/words.js';
import type { Store } from '../../src/store/store.js';

/** patent_ids by question, best first. */
type Lists = Map<string, string[]>;

/** Ranks documents by their lexical score alone. An application and its grant are separate documents. */
export async function byWords(dir: string, store: Store, questions: readonly TrecQuestion[]): Promise<Lists> {
  const folder = new Folder(dir);
  try {
    const { native: snapshot, manifest } = folder.snapshot();
    const every = snapshot.select([]);
    const options = { documents: 2 * EVAL_DEPTH, chunks: 1, dedupe: false, minScore: -2 };
    const vector = new Float32Array(manifest.model.dimensions);
    const rank = ({ text }: TrecQuestion) => {
      const words = wordsOf(text);
      if (words.count === 0) return [];
      const { others } = snapshot.searchWords(
        words,
        translationShares(words.whole),
        vector,
        [every],
        new Uint32Array(),
        options,
      );
      const { hits, lexical } = others[0]!;
      return Array.from(hits.docs, (doc, n) => ({
        id: store.documents.get(doc)!.patent_id,
        score: lexical[n]!,
      }))
        .sort((a, b) => b.score - a.score)
        .map(({ id }) => id);
    };
    return new Map(questions.map((question) => [question.id, rank(question)]));
  } finally {
    await folder.close();
  }
}

/** Answers as they are with `words` switched off: the vectors' candidates in the order of the reranker. */
export async function withoutWords(dir: string, questions: readonly TrecQuestion[]): Promise<Lists> {
  const folder = new Folder(dir);
  const { embedder, reranker } = await loadModels();
  const { takesWords: _, ...plain } = reranker;
  try {
    const reader = new IndexReader(folder, { embedder, reranker: plain });
    const lists: Lists = new Map();
    for (const { id, text } of questions) {
      const query = parseSemantic({ query: text, top_k: EVAL_DEPTH, include_utility_model: true });
      const { response } = await searchSemantic(reader, query);
      lists.set(
        id,
        response.results.map(({ patent_id }) => patent_id),
      );
    }
    return lists;
  } finally {
    await reranker.close();
    await embedder.close();
    await folder.close();
  }
}
