/** An ONNX graph. Its input is rows of ids, its output numbers. */
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { InferenceSession, Tensor, ValueMetadata } from 'onnxruntime-node';
import { PriorartError } from '../errors.js';
import { loadRuntime, type Runtime } from './runtime.js';
import type { InputNames } from './settings.js';
import { floatsOf } from './tensor.js';
import type { TokenRow } from './tokenizer.js';

export interface GraphSettings {
  inputs: InputNames;
  paddingSide: 'left' | 'right';
  paddingId: number;
  threads?: number | undefined;
}

/** The output of a run: numbers of the shape `dims`, whose first dimension is the row. */
export interface GraphOutput {
  data: Float32Array;
  dims: readonly number[];
  /** Number of tokens of each row, without padding. */
  lengths: number[];
}

/** Names of the cache inputs of language models, which are fed empty. */
const PAST = /^past_/;

export class Graph {
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #settings: GraphSettings;
  readonly #path: string;

  private constructor(runtime: Runtime, session: InferenceSession, path: string, settings: GraphSettings) {
    this.#runtime = runtime;
    this.#session = session;
    this.#path = path;
    this.#settings = settings;
    this.#checkInputs();
  }

  /**
   * Loads a graph. It runs on the calling thread and on the configured number of further threads.
   * @throws PriorartError `model_missing` if onnxruntime-node is not installed, `model_damaged`, `invalid_models`
   */
  static async open(path: string, settings: GraphSettings): Promise<Graph> {
    const runtime = await loadRuntime();
    try {
      const session = await runtime.InferenceSession.create(path, {
        executionProviders: ['cpu'],
        // By default every processor already has a worker.
        intraOpNumThreads: settings.threads ?? (isMainThread ? availableParallelism() : 1),
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: 'all',
        logSeverityLevel: 4,
      });
      return new Graph(runtime, session, path, settings);
    } catch (cause) {
      if (cause instanceof PriorartError) throw cause;
      throw new PriorartError(
        'model_damaged',
        `onnxruntime cannot load the graph ${path}: ${(cause as Error).message}. Compare its size with that in the ` +
          "model's repository; a file of external weights (.onnx_data) must be in the same folder",
        { cause },
      );
    }
  }

  /** Names of the outputs, each with its number of dimensions if the graph declares it. */
  get outputs(): { name: string; rank: number | undefined }[] {
    return this.#session.outputMetadata.map(({ name, shape }) => ({ name, rank: shape?.length }));
  }

  /**
   * Runs the graph over rows, padded to the length of the longest.
   * @throws PriorartError `embedding_failed` if the graph cannot read the rows
   */
  async run(rows: readonly TokenRow[], output: string): Promise<GraphOutput> {
    const lengths = rows.map(({ ids }) => ids.length);
    const width = Math.max(...lengths);
    const feeds: Record<string, Tensor> = {};
    for (const input of this.#session.inputMetadata) feeds[input.name] = this.#feed(input, rows, width);
    let tensor: Tensor;
    try {
      tensor = (await this.#session.run(feeds, [output]))[output]!;
    } catch (cause) {
      throw this.#failed(cause as Error, rows);
    }
    return { data: floatsOf(tensor, output), dims: tensor.dims, lengths };
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #feed(input: ValueMetadata, rows: readonly TokenRow[], width: number): Tensor {
    const { name, type = 'int64', shape = [] } = input;
    const { Tensor } = this.#runtime;
    if (PAST.test(name)) {
      const dims = shape.map((size, n) => (typeof size === 'number' ? size : n === 0 ? rows.length : 0));
      const none = type === 'float16' ? new Uint16Array(0) : new Float32Array(0);
      return new Tensor(type, none, dims);
    }
    // Writes the lower half of an int64 only: ids are far below 2^31, and BigInts cost ten times as much.
    const step = type === 'int64' ? 2 : 1;
    const numbers = new Int32Array(rows.length * width * step);
    const number = this.#numbersOf(name);
    rows.forEach((row, n) => {
      const left = this.#settings.paddingSide === 'left' ? width - row.ids.length : 0;
      for (let at = 0; at < width; at++) numbers[(n * width + at) * step] = number(row, at - left);
    });
    return new Tensor(type, step === 2 ? new BigInt64Array(numbers.buffer) : numbers, [rows.length, width]);
  }

  /** The values of an input by row and token. Tokens outside of the row are padding. */
  #numbersOf(name: string): (row: TokenRow, at: number) => number {
    const { inputs, paddingId } = this.#settings;
    if (name === inputs.ids) return ({ ids }, at) => ids[at] ?? paddingId;
    if (name === inputs.mask) return ({ ids }, at) => (at >= 0 && at < ids.length ? 1 : 0);
    if (name === inputs.types) return ({ types }, at) => types?.[at] ?? 0;
    return ({ ids }, at) => (at >= 0 && at < ids.length ? at : 0);
  }

  #checkInputs(): void {
    const { inputs } = this.#settings;
    const names = this.#session.inputMetadata.map(({ name }) => name);
    const known: string[] = Object.values(inputs);
    const unknown = names.filter((name) => !known.includes(name) && !PAST.test(name));
    const has = `the graph ${this.#path} has the inputs ${names.join(', ')}`;
    if (!names.includes(inputs.ids)) {
      throw new PriorartError(
        'invalid_models',
        `${has}; name the one with token ids: {"inputs": {"ids": …}}`,
      );
    }
    if (unknown.length > 0) {
      throw new PriorartError(
        'invalid_models',
        `${has}; nothing is configured for ${unknown.join(', ')}. Name the inputs with ` +
          '{"inputs": {"ids", "mask", "types", "positions"}}, or export the graph without it',
      );
    }
    for (const { name, type } of this.#session.inputMetadata) {
      if (PAST.test(name) || type === 'int64' || type === 'int32') continue;
      throw new PriorartError(
        'invalid_models',
        `input ${name} of ${this.#path} is ${type}; expected int64 or int32`,
      );
    }
  }

  #failed(cause: Error, rows: readonly TokenRow[]): PriorartError {
    const highest = rows.reduce((most, { ids }) => ids.reduce((a, b) => Math.max(a, b), most), 0);
    const outside = /out of (data )?bounds|out of range|indices element/i.test(cause.message);
    const message = outside
      ? `the graph ${this.#path} does not know a token of its tokenizer (the highest id was ${highest}, the ` +
        `longest row ${Math.max(...rows.map(({ ids }) => ids.length))} tokens): tokenizer.json and graph are of ` +
        'different models, or maxTokens is more than the positions that the graph has'
      : `the graph ${this.#path} could not be run`;
    return new PriorartError('embedding_failed', `${message}: ${cause.message}`, { cause });
  }
}
