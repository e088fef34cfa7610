/** A configured embedding model: an ONNX graph with its tokenizer. */
import { resolve } from 'node:path';
import { PriorartError } from '../../errors.js';
import type { TokenFrame } from '../../index/native.js';
import { ONNX_BATCH_TOKENS, ONNX_CONCURRENCY, ONNX_LOOKAHEAD, ONNX_TEXT_MAX_CHARS } from '../../limits.js';
import { RowBatches } from '../../onnx/batches.js';
import { fingerprint } from '../../onnx/files.js';
import { openModel } from '../../onnx/open.js';
import type { Tokenizer, TokenRow } from '../../onnx/tokenizer.js';
import { fixedTokens, type Windows, windowsOf } from '../../onnx/windows.js';
import type { Embedder } from '../embedder.js';
import { type OnnxEmbedderConfig, type OnnxEmbedderSettings, settingsOf } from './config.js';
import { type Dense, readDense } from './dense.js';
import { normalize } from './pooling.js';
import { promptOf, titleFor } from './prompt.js';
import { GraphVectors } from './vectors.js';

/**
 * Opens a model: reads its files, embeds test texts, and compares the output with the configuration.
 * @throws PriorartError `invalid_models` if configuration and model do not fit, `model_missing`, `model_damaged`
 */
export async function openOnnxEmbedder(config: OnnxEmbedderConfig): Promise<Embedder> {
  const settings = settingsOf(config);
  return openModel(settings, async ({ files, tokenizer, graph }) => {
    const frame = frameOf(tokenizer, settings);
    const vectors = new GraphVectors(graph, settings);
    // A graph that pools contains its dense layers.
    const layers: Dense[] =
      vectors.pooling === 'none' ? [] : settings.dense.map((layer) => readDense(settings.folder, layer));
    const model = new OnnxModel(tokenizer, frame, vectors, layers, settings);
    await model.check();
    const dense =
      layers.length === 0
        ? []
        : settings.dense.flatMap(({ file, bias }) => (file.endsWith('.npy') && bias ? [file, bias] : [file]));
    const all = [
      files.graph,
      ...files.weights,
      files.tokenizer,
      ...dense.map((file) => resolve(settings.folder, file)),
    ];
    return {
      name: settings.name,
      version: settings.version ?? fingerprint(all, changingVectors(settings)),
      dimensions: settings.truncatedDimensions,
      calibration: settings.calibration,
      calibrated: settings.calibrated,
      concurrency: ONNX_CONCURRENCY,
      embed: model.embed.bind(model),
    };
  });
}

/** Special tokens around a text. Adds the end token if the tokenizer does not. */
function frameOf(tokenizer: Tokenizer, { endToken }: OnnxEmbedderSettings): TokenFrame {
  const frame = tokenizer.frame(false);
  if (endToken === undefined) return frame;
  const id = tokenizer.idOf(endToken, 'endToken');
  const [lead = [], , trail = []] = frame.ids;
  if (trail.at(-1) === id) return frame;
  const types = [frame.types[0]!, [], [...frame.types[2]!, frame.textTypes[0]!]];
  return { ...frame, ids: [lead, [], [...trail, id]], types };
}

/** The settings that change vectors, on which an index depends. */
function changingVectors(settings: OnnxEmbedderSettings): unknown {
  const { pooling, query, document, task, emptyTitle, endToken, windowTokens, truncatedDimensions } =
    settings;
  const { output, dense, dimensions, inputs } = settings;
  const numbers = { dimensions, truncatedDimensions, windowTokens };
  return { pooling, query, document, task, emptyTitle, endToken, output, dense, inputs, numbers };
}

class OnnxModel {
  readonly #tokenizer: Tokenizer;
  readonly #frame: TokenFrame;
  readonly #dense: readonly Dense[];
  readonly #settings: OnnxEmbedderSettings;
  readonly #batches: RowBatches<Float32Array>;

  constructor(
    tokenizer: Tokenizer,
    frame: TokenFrame,
    vectors: GraphVectors,
    dense: readonly Dense[],
    settings: OnnxEmbedderSettings,
  ) {
    this.#tokenizer = tokenizer;
    this.#frame = frame;
    this.#dense = dense;
    this.#settings = settings;
    const run = async (rows: TokenRow[]) => (await vectors.of(rows)).map((vector) => this.#finished(vector));
    this.#batches = new RowBatches(run, settings.batchTokens ?? ONNX_BATCH_TOKENS.default, ONNX_LOOKAHEAD);
  }

  /**
   * Embeds a few texts, so that a wrong configuration fails before an ingest begins. Also detects whether a text's vector
   * depends on the other texts in its run.
   */
  async check(): Promise<void> {
    await this.embed(['a'], 'passage');
    const alone = [];
    for (const text of PROBES) alone.push(await this.embed([text], 'query'));
    const together = await this.embed(PROBES, 'query');
    const dimensions = this.#settings.truncatedDimensions;
    const cosines = alone.map((vector, n) => {
      const beside = together.subarray(n * dimensions, (n + 1) * dimensions);
      return vector.reduce((sum, x, d) => sum + x * beside[d]!, 0);
    });
    if (Math.min(...cosines) < 1 - INFLUENCE) this.#batches.oneByOne();
  }

  async embed(
    texts: readonly string[],
    kind: 'query' | 'passage',
    titles?: string,
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const windows = this.#windows(texts, kind, titles);
    const rows = windows.flatMap((window) => window.rows);
    // Longest first: the run that needs most memory comes before the results take memory.
    const order = rows.map((_, n) => n).sort((a, b) => rows[b]!.ids.length - rows[a]!.ids.length);
    const options = { urgent: kind === 'query', signal };
    const ordered = await this.#batches.add(
      order.map((n) => rows[n]!),
      options,
    );
    const vectors = new Array<Float32Array>(rows.length);
    order.forEach((n, at) => {
      vectors[n] = ordered[at]!;
    });
    return this.#joined(windows, vectors);
  }

  /** A blank text has no rows and gets the zero vector. */
  #windows(texts: readonly string[], kind: 'query' | 'passage', titles: string | undefined): Windows[] {
    const long = texts.find((text) => text.length > ONNX_TEXT_MAX_CHARS);
    if (long !== undefined) {
      throw new PriorartError(
        'embedding_failed',
        `a text has ${long.length} characters; the embedder takes at most ${ONNX_TEXT_MAX_CHARS}`,
      );
    }
    const windows = this.#prompted(texts, kind, titles) ?? this.#prompted(texts, kind, undefined);
    if (windows !== undefined) return windows;
    const { windowTokens, query, document } = this.#settings;
    throw new PriorartError(
      'invalid_models',
      `${JSON.stringify(kind === 'query' ? query : document)} and the special tokens leave no room for a text in ` +
        `windows of ${windowTokens} tokens; set a larger windowTokens, or a shorter template or task`,
    );
  }

  /** Undefined if the prompt leaves the text less than half of a window. The caller then omits a long title. */
  #prompted(
    texts: readonly string[],
    kind: 'query' | 'passage',
    titles: string | undefined,
  ): Windows[] | undefined {
    const { query, document, task, emptyTitle, windowTokens } = this.#settings;
    const title = titleFor(titles, emptyTitle);
    const { before, after } = promptOf(kind === 'query' ? query : document, { title, task });
    const tokens = this.#tokenizer.encode(texts, before, after);
    const most = tokens.reduce((most, text) => Math.max(most, fixedTokens(text, this.#frame)), 0);
    if (most >= windowTokens || (title !== emptyTitle && most > windowTokens / 2)) return undefined;
    return tokens.map((text, n) => {
      const nothing = text.ids.length === text.before + text.after || texts[n]!.trim() === '';
      return nothing ? { rows: [], weights: [] } : windowsOf(text, this.#frame, windowTokens);
    });
  }

  /** Applies the dense layers, truncates to the configured dimensions, and normalises. */
  #finished(pooled: Float32Array): Float32Array {
    const { dimensions, truncatedDimensions } = this.#settings;
    let vector = pooled;
    for (const layer of this.#dense) {
      if (vector.length !== layer.inputs)
        throw mismatch(`a dense layer takes ${layer.inputs} numbers but gets ${vector.length}`);
      vector = layer.apply(vector);
    }
    if (vector.length !== dimensions) {
      throw mismatch(
        `the model returns vectors of ${vector.length} dimensions, configured are ${dimensions}`,
      );
    }
    const kept = vector.slice(0, truncatedDimensions);
    if (!this.#settings.normalize) checkLength(kept);
    if (normalize(kept)) return kept;
    throw new PriorartError(
      'embedding_failed',
      'the model returned a vector that holds NaN or infinity, or only zeros; half-precision graphs overflow on some ' +
        'processors: try another dtype (fp32, int8)',
    );
  }

  /** The vector of a text: the mean of its windows' vectors, weighted by the text's tokens in each. */
  #joined(windows: readonly Windows[], vectors: readonly Float32Array[]): Float32Array {
    const { truncatedDimensions } = this.#settings;
    const out = new Float32Array(windows.length * truncatedDimensions);
    let at = 0;
    windows.forEach(({ rows, weights }, n) => {
      const row = out.subarray(n * truncatedDimensions, (n + 1) * truncatedDimensions);
      if (rows.length === 1) row.set(vectors[at]!);
      else {
        rows.forEach((_, window) => {
          const vector = vectors[at + window]!;
          for (let d = 0; d < row.length; d++) row[d]! += weights[window]! * vector[d]!;
        });
        normalize(row);
      }
      at += rows.length;
    });
    return out;
  }
}

/** Test texts: a short and a longer one, whose activations differ in size. */
const PROBES = [
  'a',
  'The housing of the battery is made of aluminium, and a coolant flows along 12 of its sides.',
];
/** A cosine below 1 by this is more than rounding: half precision stays a hundred times closer to 1. */
const INFLUENCE = 1e-4;

/** Allowed deviation from length 1 of a vector that the graph normalised in half precision. */
const LENGTH_TOLERANCE = 0.02;

function checkLength(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  if (Math.abs(length - 1) <= LENGTH_TOLERANCE) return;
  throw mismatch(
    `"normalize" is false, but the graph returned a vector of length ${length.toFixed(3)}; expected length 1. ` +
      'Remove "normalize"',
  );
}

function mismatch(what: string): PriorartError {
  return new PriorartError('invalid_models', `${what}; correct dimensions, output, pooling or dense`);
}
