/** Converts texts to the rows of ids that a graph reads. */
import { PriorartError } from '../errors.js';
import { calling, fromNative, type NativeTokenizerJson, native, type TokenFrame } from '../index/native.js';

/** One input row of a graph: token ids, and the segment of each token. */
export interface TokenRow {
  ids: Uint32Array;
  types?: Uint32Array;
}

/** The tokens of one text with its prompt, without special tokens. */
export interface PromptedText {
  ids: Uint32Array;
  /** Number of tokens at the beginning and at the end that belong to the prompt. */
  before: number;
  after: number;
}

/** Usual padding tokens, most likely first. */
const PADDING = ['<pad>', '[PAD]', '<|endoftext|>', '<eos>', '</s>'];

/** A model's tokenizer.json. All threads share the vocabulary. */
export class Tokenizer {
  readonly #native: NativeTokenizerJson;
  readonly #path: string;
  readonly size: number;

  /** @throws PriorartError `model_missing`, `model_damaged` */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#native = new native.TokenizerJson(path);
      this.size = this.#native.size;
    } catch (error) {
      const cause = fromNative(error);
      if (!(cause instanceof PriorartError)) throw cause;
      const message = `the tokenizer ${path} cannot be used: ${cause.message}; put an undamaged tokenizer.json there`;
      throw new PriorartError('model_damaged', message, { cause });
    }
  }

  /** Tokens of `before + text + after` for each text. Lone surrogates are read as U+FFFD. */
  encode(texts: readonly string[], before = '', after = ''): PromptedText[] {
    const tokens = calling(() => this.#native.encode([...texts], before, after));
    return texts.map((_, n) => ({
      ids: tokens.ids.subarray(tokens.starts[n], tokens.starts[n + 1]),
      before: tokens.before[n]!,
      after: tokens.after[n]!,
    }));
  }

  /** The special tokens around one text, or around and between two texts. */
  frame(pair: boolean): TokenFrame {
    return calling(() => this.#native.frame(pair));
  }

  /** @throws PriorartError `invalid_models` if the vocabulary does not have the token */
  idOf(token: string, field: string): number {
    const id = this.#native.idOf(token);
    if (id !== null && id !== undefined) return id;
    throw new PriorartError(
      'invalid_models',
      `${field} is ${JSON.stringify(token)}, which is not a token of ${this.#path}; its added_tokens and vocab list the tokens`,
    );
  }

  /** The padding id. Padding is masked, but some graphs derive positions from it. */
  paddingId(token: string | undefined): number {
    if (token !== undefined) return this.idOf(token, 'padToken');
    for (const name of PADDING) {
      const id = this.#native.idOf(name);
      if (id !== null && id !== undefined) return id;
    }
    return 0;
  }

  close(): void {
    this.#native.close();
  }
}
