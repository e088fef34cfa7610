/** Finds the output of a graph that holds the vectors, and reads one vector per row from it. */
import { PriorartError } from '../../errors.js';
import type { Graph, GraphOutput } from '../../onnx/graph.js';
import type { TokenRow } from '../../onnx/tokenizer.js';
import type { OnnxEmbedderSettings, Pooling } from './config.js';
import { pool } from './pooling.js';

/** Names that exporters give the output of token vectors. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];
/** Optimum's name for the pooled vector of a text, after the model's own modules and dense layers. */
const TEXT_OUTPUT = 'sentence_embedding';

export class GraphVectors {
  readonly #graph: Graph;
  readonly #output: string;
  readonly #paddingSide: 'left' | 'right';
  /** As configured. `none` if no output was named and the graph has a pooled one. */
  readonly pooling: Pooling;

  /** @throws PriorartError `invalid_models` if no output fits */
  constructor(graph: Graph, settings: OnnxEmbedderSettings) {
    this.#graph = graph;
    this.#paddingSide = settings.paddingSide;
    const { output, pooling } = chooseOutput(graph, settings);
    this.#output = output;
    this.pooling = pooling;
  }

  /** One vector per row. */
  async of(rows: readonly TokenRow[]): Promise<Float32Array[]> {
    const output = await this.#graph.run(rows, this.#output);
    const { dims } = output;
    const expected = this.pooling === 'none' ? 2 : 3;
    if (dims.length !== expected || dims[0] !== rows.length) throw this.#wrongShape(dims);
    return rows.map((_, n) => this.#vector(output, n));
  }

  #vector({ data, dims, lengths }: GraphOutput, row: number): Float32Array {
    if (this.pooling === 'none') {
      const dimensions = dims[1]!;
      return pool({ data, start: row * dimensions, tokens: 1, dimensions }, 'none');
    }
    const [, width = 0, dimensions = 0] = dims;
    const tokens = lengths[row]!;
    const skipped = this.#paddingSide === 'left' ? width - tokens : 0;
    return pool({ data, start: (row * width + skipped) * dimensions, tokens, dimensions }, this.pooling);
  }

  #wrongShape(dims: readonly number[]): PriorartError {
    const needed =
      this.pooling === 'none'
        ? 'pooling "none" needs texts × dimensions: name another output, or the pooling of the model card'
        : `pooling "${this.pooling}" needs texts × tokens × dimensions: name another output, or pooling "none" if it ` +
          'is pooled already';
    return new PriorartError('invalid_models', `output ${this.#output} is ${dims.join(' × ')}; ${needed}`);
  }
}

function chooseOutput(graph: Graph, settings: OnnxEmbedderSettings): { output: string; pooling: Pooling } {
  const { output, pooling } = settings;
  const names = graph.outputs.map(({ name }) => name);
  if (output !== undefined) {
    if (names.includes(output)) return { output, pooling };
    throw new PriorartError(
      'invalid_models',
      `the graph has no output ${output}; its outputs are ${names.join(', ')}`,
    );
  }
  const pooled = graph.outputs.find(({ name, rank }) => name === TEXT_OUTPUT && rank === 2);
  if (pooled) return { output: TEXT_OUTPUT, pooling: 'none' };
  const usual =
    TOKEN_OUTPUTS.find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (usual !== undefined) return { output: usual, pooling };
  throw new PriorartError(
    'invalid_models',
    `the graph has the outputs ${names.join(', ')}; name the one with the vectors in "output"`,
  );
}
