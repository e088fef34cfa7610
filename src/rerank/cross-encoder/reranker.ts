/**
 * A configured cross-encoder. It reads question and passage together, which is more exact than comparing two vectors, and
 * costs a run of the graph for each pair.
 *
 * It reads a document's best passages by cosine, one by default, and its abstract, each with the title, because a claim
 * rarely states its subject. The document's score is the best of these: one passage is enough to answer a question, and
 * a mean would penalise a long description (MaxP of Dai and Callan, SIGIR 2019). Each further passage costs a run and
 * mostly repeats the best one.
 */
import { PriorartError } from '../../errors.js';
import {
  CROSS_ENCODER_LOOKAHEAD,
  ONNX_BATCH_TOKENS,
  ONNX_CONCURRENCY,
  ONNX_TEXT_MAX_CHARS,
  RERANK_DEPTH,
} from '../../limits.js';
import { RowBatches } from '../../onnx/batches.js';
import { openModel } from '../../onnx/open.js';
import type { TokenRow } from '../../onnx/tokenizer.js';
import type { RerankDocument, Reranker, RerankLimits, RerankScores } from '../reranker.js';
import { type CrossEncoderConfig, type CrossEncoderSettings, settingsOf } from './config.js';
import { type Pairing, pairsOf } from './pairs.js';
import { Scorer } from './scorer.js';

/**
 * Opens a cross-encoder: reads its files and scores test pairs to check that the output fits the configuration.
 * @throws PriorartError `invalid_models` if configuration and model do not fit, `model_missing`, `model_damaged`
 */
export async function openCrossEncoder(config: CrossEncoderConfig): Promise<Reranker> {
  const settings = settingsOf(config);
  return openModel(settings, async ({ tokenizer, graph }) => {
    const pairing = pairsOf(tokenizer, settings);
    const model = new CrossEncoder(pairing, new Scorer(graph, tokenizer, settings), settings);
    await model.check();
    return {
      name: settings.name,
      depth: RERANK_DEPTH.crossEncoder,
      concurrency: ONNX_CONCURRENCY,
      score: (query: string, documents: RerankDocument[], limits: RerankLimits = {}) =>
        model.score(query, documents, limits),
    };
  });
}

/** Test texts: a short and a longer one, whose activations differ in size. */
const PROBES: RerankDocument[] = [
  'a',
  'The housing of the battery is made of aluminium, and a coolant flows along 12 of its sides.',
].map((text) => ({ title: '', abstract: '', passages: [text] }));
/** A relative difference of scores above this is more than rounding, even in half precision. */
const INFLUENCE = 0.01;

/** A text of a document that is scored. `passage` is its index; undefined for title and abstract. */
interface Reading {
  text: string;
  title: string;
  document: number;
  passage: number | undefined;
}

class CrossEncoder {
  readonly #pairing: Pairing;
  readonly #settings: CrossEncoderSettings;
  readonly #batches: RowBatches<number>;

  constructor(pairing: Pairing, scorer: Scorer, settings: CrossEncoderSettings) {
    this.#pairing = pairing;
    this.#settings = settings;
    const run = (rows: TokenRow[]) => scorer.of(rows);
    this.#batches = new RowBatches(
      run,
      settings.batchTokens ?? ONNX_BATCH_TOKENS.default,
      CROSS_ENCODER_LOOKAHEAD,
    );
  }

  /** Scores a few pairs and detects whether a pair's score depends on the others in its run; see `oneByOne`. */
  async check(): Promise<void> {
    const alone = [];
    for (const document of PROBES) alone.push((await this.score('battery', [document], {})).documents[0]!);
    const together = (await this.score('battery', PROBES, {})).documents;
    const influenced = alone.some(
      (score, n) => Math.abs(score - together[n]!) > INFLUENCE * (1 + Math.abs(score)),
    );
    if (influenced) this.#batches.oneByOne();
  }

  async score(query: string, documents: RerankDocument[], limits: RerankLimits): Promise<RerankScores> {
    if (query.length > ONNX_TEXT_MAX_CHARS) {
      throw new PriorartError('invalid_request', `the query has more than ${ONNX_TEXT_MAX_CHARS} characters`);
    }
    const own = Date.now() + this.#settings.deadlineMs;
    const deadline = Math.min(own, limits.deadline ?? own);
    const readings = documents.flatMap((document, n) => this.#readingsOf(document, n));
    const rows = this.#pairing(query, readings);
    const scores = await this.#batches.add(rows, { urgent: true, signal: limits.signal, deadline });
    return this.#joined(documents, readings, scores);
  }

  #readingsOf({ title, abstract, passages }: RerankDocument, document: number): Reading[] {
    const first = title.split('\n', 1)[0]!;
    const best = passages.slice(0, this.#settings.passages).map((text, passage) => ({ text, passage }));
    // The abstract is often the best passage. A patent without an abstract is scored by its title.
    const about = best.some(({ text }) => text === abstract) || (abstract === '' && best.length > 0);
    return [...best, ...(about ? [] : [{ text: abstract, passage: undefined }])].map(({ text, passage }) => ({
      text,
      title: first,
      document,
      passage,
    }));
  }

  /** All documents from the first that the deadline left out count as not scored. */
  #joined(documents: RerankDocument[], readings: Reading[], scores: (number | undefined)[]): RerankScores {
    const missing = scores.indexOf(undefined);
    const scored = missing < 0 ? documents.length : readings[missing]!.document;
    const known = readings.flatMap((reading, n) =>
      reading.document < scored ? [{ ...reading, score: scores[n]! }] : [],
    );
    const lowest = known.reduce((least, { score }) => Math.min(least, score), 0);
    // Puts documents without a score behind all others, in their given order.
    const behind = (place: number) => lowest - 1 - place / 1000;
    const starts = documents.map(() => 0);
    documents.slice(1).forEach((_, n) => {
      starts[n + 1] = starts[n]! + documents[n]!.passages.length;
    });
    const passageCount = documents.reduce((sum, { passages }) => sum + passages.length, 0);
    const result = {
      documents: Float32Array.from(documents, (_, n) => behind(n)),
      passages: new Float32Array(passageCount),
    };
    documents.forEach(({ passages }, n) => {
      for (let place = 0; place < passages.length; place++)
        result.passages[starts[n]! + place] = behind(place);
    });
    const reached = new Set<number>();
    for (const { document, passage, score } of known) {
      const best = reached.has(document) ? Math.max(result.documents[document]!, score) : score;
      result.documents[document] = best;
      reached.add(document);
      if (passage !== undefined) result.passages[starts[document]! + passage] = score;
    }
    return scored === documents.length ? result : { ...result, scored };
  }
}
