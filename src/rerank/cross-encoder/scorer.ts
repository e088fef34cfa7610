/** Reads one score a pair from a graph's output. */
import { PriorartError } from '../../errors.js';
import type { Graph, GraphOutput } from '../../onnx/graph.js';
import type { Tokenizer, TokenRow } from '../../onnx/tokenizer.js';
import type { CrossEncoderSettings } from './config.js';

/** Name that exporters give the output of scores. */
const USUAL_OUTPUT = 'logits';

export class Scorer {
  readonly #graph: Graph;
  readonly #settings: CrossEncoderSettings;
  readonly #output: string;
  readonly #yes: number;
  readonly #no: number;

  /** @throws PriorartError `invalid_models` */
  constructor(graph: Graph, tokenizer: Tokenizer, settings: CrossEncoderSettings) {
    this.#graph = graph;
    this.#settings = settings;
    this.#output = chooseOutput(graph, settings.output);
    const causal = settings.form === 'causal';
    this.#yes = causal ? tokenizer.idOf(settings.yesToken, 'yesToken') : 0;
    this.#no = causal ? tokenizer.idOf(settings.noToken, 'noToken') : 0;
  }

  /** One score a row. @throws PriorartError `invalid_models`, `embedding_failed` */
  async of(rows: readonly TokenRow[]): Promise<number[]> {
    const output = await this.#graph.run(rows, this.#output);
    const logits = rows.map((_, n) =>
      this.#settings.form === 'pair' ? this.#ofPair(output, n) : this.#ofAnswer(output, n),
    );
    if (!logits.every(Number.isFinite)) {
      throw new PriorartError(
        'embedding_failed',
        'the cross-encoder returned NaN or infinity; half-precision graphs overflow on some processors: try another ' +
          'dtype (fp32, int8)',
      );
    }
    return this.#settings.sigmoid ? logits.map((x) => 1 / (1 + Math.exp(-x))) : logits;
  }

  #ofPair({ data, dims }: GraphOutput, row: number): number {
    const { scoreIndex } = this.#settings;
    const [, width = 1] = dims;
    if (dims.length > 2 || scoreIndex >= width)
      throw this.#wrongShape(dims, `pairs × more than ${scoreIndex} scores`);
    return data[row * width + scoreIndex]!;
  }

  /** Logit of yes minus logit of no. Its sigmoid is the probability of yes among yes and no. */
  #ofAnswer({ data, dims, lengths }: GraphOutput, row: number): number {
    const [, width = 0, vocabulary = 0] = dims;
    if (dims.length !== 3 || Math.max(this.#yes, this.#no) >= vocabulary) {
      throw this.#wrongShape(dims, `pairs × tokens × more than ${Math.max(this.#yes, this.#no)} tokens`);
    }
    const last = this.#settings.paddingSide === 'left' || width === 1 ? width - 1 : lengths[row]! - 1;
    const start = (row * width + last) * vocabulary;
    return data[start + this.#yes]! - data[start + this.#no]!;
  }

  #wrongShape(dims: readonly number[], expected: string): PriorartError {
    return new PriorartError(
      'invalid_models',
      `output ${this.#output} of the cross-encoder is ${dims.join(' × ')}; form "${this.#settings.form}" expects ` +
        `${expected}: correct form, output or scoreIndex`,
    );
  }
}

function chooseOutput(graph: Graph, output: string | undefined): string {
  const names = graph.outputs.map(({ name }) => name);
  const wanted = output ?? (names.length === 1 ? names[0]! : USUAL_OUTPUT);
  if (names.includes(wanted)) return wanted;
  throw new PriorartError(
    'invalid_models',
    `the graph has the outputs ${names.join(', ')}${output === undefined ? '' : `, not ${output}`}; name the one with ` +
      'the scores in "output"',
  );
}
