/** Semantic search: embed → candidates → rerank → answer. */
import { calibrationFor } from '../embed/calibration.js';
import { calling } from '../index/native.js';
import { WORDS_HELD_FROM } from '../limits.js';
import { modelName } from '../store/manifest.js';
import { readFilters } from './as-of.js';
import { type Cancellation, uncancelled } from './cancel.js';
import { candidatesOf } from './candidates.js';
import { bestSimilarity, type Explanation, isFar } from './explanation.js';
import { Found } from './found.js';
import type { ScoreParts } from './hit-explanation.js';
import { invalidField } from './invalid.js';
import { excludedBy } from './left-out.js';
import type { SemanticQuery } from './query.js';
import { rankingOf, wentToReranker } from './ranking.js';
import type { IndexReader } from './reader.js';
import type { Reranked } from './reranked.js';
import { type Placed, placesOf, resultsOf, withRest } from './results.js';
import { ShownMembers } from './shown-members.js';
import { stopwatch } from './stopwatch.js';
import { readQuestion, type Subject, subjectOf } from './subject.js';
import type { SearchResponse } from './types.js';

/** Answers a query. `explanation` says how the answer was found. */
export async function searchSemantic(
  reader: IndexReader,
  query: SemanticQuery,
  cancellation: Cancellation = uncancelled,
): Promise<{ response: SearchResponse; explanation: Explanation }> {
  if (query.rerank === 'on' && reader.reranker.name === 'none') {
    throw invalidField('rerank', 'on', '"auto" or "off", because this index has no reranker');
  }
  const clock = stopwatch();
  const subject = await subjectOf(reader, query, cancellation);
  const calibration = calibrationFor(reader.embedder, subject.vector);
  const asked = rerankingOf(query, subject);
  const embed = clock();
  const gathering = reader.gather(asked, subject, calibration);
  if (gathering) await gathering;
  cancellation.check();

  // No await from here to the last text that is read, so that manifest, segments and texts are of one state. There are two
  // exceptions: a reranker that reads its texts before it waits, and a reader whose texts stay those of one state.
  const snapshot = reader.snapshot();
  const candidates = calling(() =>
    candidatesOf(reader, snapshot, asked, subject, calibration, clock, cancellation),
  );
  const excluded =
    query.explain && candidates.hits.docs.length === 0
      ? { excluded_by: calling(() => excludedBy(snapshot.native, candidates.filters, reader.store, subject)) }
      : {};
  cancellation.check();
  const { used, added, names, question, required } = candidates;
  const candidatesFound = new Found(
    reader.store,
    snapshot.native,
    candidates.hits,
    reader.embedder.languages,
  );
  const read = readFilters(reader.store, query.filters, names);
  const { documents } = snapshot.manifest;
  const instead = candidates.instead && new ShownMembers(reader, snapshot.native, candidates.instead);
  // Rerankers that wait are given texts, which cannot be read after an await.
  if (asked.rerank !== 'off' && !reader.reranker.scoreFound) instead?.fetch();
  const ranked = rankingOf(
    reader,
    asked,
    subject.vector,
    candidates,
    candidatesFound,
    documents,
    cancellation,
  );
  // At once, if the reranker is not awaited: another search may replace the segments meanwhile.
  const ranking = ranked instanceof Promise ? await ranked : ranked;
  const { weight, parts } = ranking;
  const rerank = clock();
  const wanted = { explain: query.explain === true, highlight: query.highlight === true };
  const { topK, balance } = query;
  const { firsts, members } = candidates;
  const options = {
    topK,
    firsts,
    members,
    balance,
    wanted,
    parts,
    question: { words: question, used, required },
  };
  const headOf = (n: number) => instead?.head(n) ?? ranking.found.head(n);
  const order = withRest(ranking.scores, ranking.found);
  const places = placesOf(calibration, options, ranking.found.hits, headOf, order);
  const placed = places.map(({ n }) => n);
  const ownPlaced = placed.filter((n) => instead?.head(n) === undefined);
  const { found, scores } = ranking.withShown(order, ownPlaced);
  const { hits } = found;
  const shown = candidates.instead?.docs ?? hits.docs;
  const fetching = reader.gatherTexts(placed.map((n) => shown[n]!));
  if (fetching) await fetching;
  const scoring = instead?.score(reader, asked, placed, cancellation);
  const others = scoring instanceof Promise ? await scoring : scoring;
  const shownInstead = others ?? (() => undefined);
  const results = resultsOf(calibration, options, found, scores, places, shownInstead, cancellation);
  const best = bestSimilarity(results);
  const { calibrated } = reader.embedder;
  const isReranked = asked.rerank !== 'off';
  const explanation: Explanation = {
    plan: { ...candidates.plan, exact: candidates.plan.exact && reader.gathered !== 'index' },
    ...(reader.gathered === undefined ? {} : { gathered: reader.gathered }),
    ...(read.as_of_day === undefined ? {} : { asOf: read.as_of_day }),
    ...(subject.reading === undefined ? {} : { reading: subject.reading }),
    model: modelName(reader.embedder),
    calibrated,
    ...(best === undefined ? {} : { best }),
    unrelated: calibrated && isFar(best) && lexicalOfFirst(places, parts) < WORDS_HELD_FROM,
    reranker: isReranked ? reader.reranker.name : 'none',
    documents: wentToReranker(reader, found),
    reranked: ranking.scores.scored ?? wentToReranker(reader, found),
    read: isReranked ? (ranking.scores.read ?? hits.docs.length) : 0,
    scored: hits.rowsScored,
    candidates: hits.candidates,
    visited: hits.visited,
    widened: hits.widened,
    rescanned: hits.rescanned,
    words: { used: used.map(({ text, documents }) => ({ text, documents })), weight, added },
    timings: { embed, ...candidates.timings, rerank, fetch: clock() },
  };
  const asRead = query.explain ? readQuestion(subject) : {};
  return { response: { total: results.length, ...read, ...asRead, results, ...excluded }, explanation };
}

/** Lexical score of the first result. */
function lexicalOfFirst([first]: readonly Placed[], parts: (n: number) => ScoreParts): number {
  return first === undefined ? 0 : parts(first.n).lexical;
}

/** The texts for the reranker, and whether there are any. */
function rerankingOf(query: SemanticQuery, { text, examples }: Subject): Reranked {
  return text === undefined
    ? { ...query, rerank: 'off' }
    : { ...query, query: text, ...(examples && { examples }) };
}
