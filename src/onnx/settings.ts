/** Configuration fields of every ONNX model, embedder or reranker. */
import { z } from 'zod';
import { ONNX_BATCH_TOKENS, ONNX_THREADS_MAX, ONNX_TOKENS_MAX } from '../limits.js';

/** Number types of exported weights. files.ts has the usual file names of each. */
export const DTYPES = ['fp32', 'fp16', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'] as const;
export type Dtype = (typeof DTYPES)[number];

/** An integer in a range. */
export function integerField(min: number, max: number) {
  const error = `an integer from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function textField(what: string, maxChars = 10_000) {
  const error = `${what}, a text of 1 to ${maxChars} characters`;
  return z.string({ error }).min(1, { error }).max(maxChars, { error });
}

/** A template with placeholders in braces: all `required` ones, any `optional` ones, no others. */
export function templateField(required: readonly string[], optional: readonly string[] = []) {
  const known = [...required, ...optional];
  const all = known.map((name) => `{${name}}`).join(', ');
  const error = `a template that holds ${required.map((name) => `{${name}}`).join(' and ')}, of ${all}, each once at most`;
  return textField('a template').refine(
    (template) => {
      const found = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      return (
        required.every((name) => found.includes(name)) &&
        found.every((name, n) => known.includes(name) && found.indexOf(name) === n)
      );
    },
    { error },
  );
}

/** Names of the graph's inputs. Only inputs that the graph has are fed. */
export const inputNames = z.strictObject({
  ids: textField('name of the input with token ids').optional(),
  mask: textField('name of the attention mask').optional(),
  types: textField('name of the input with token types (segments)').optional(),
  positions: textField('name of the input with position ids').optional(),
});

export interface InputNames {
  ids: string;
  mask: string;
  types: string;
  positions: string;
}

const USUAL_NAMES: InputNames = {
  ids: 'input_ids',
  mask: 'attention_mask',
  types: 'token_type_ids',
  positions: 'position_ids',
};

/** The configured names; the usual names of the other inputs. */
export function inputNamesOf(configured: z.infer<typeof inputNames> = {}): InputNames {
  const named = Object.entries(configured).filter(([, name]) => name !== undefined);
  return { ...USUAL_NAMES, ...Object.fromEntries(named) };
}

/** Location of the files, and how the graph runs. */
export const graphFields = {
  /** Folder of the model. All other paths are relative to it. */
  folder: textField('the folder of the model', 4096),
  /** The graph file. Default: the usual names are tried, those of `dtype` if it is given; see files.ts. */
  graphFile: textField('path of the graph in the folder, such as onnx/model.onnx', 4096).optional(),
  dtype: z.enum(DTYPES, { error: `one of ${DTYPES.join(', ')}` }).optional(),
  /** Default: tokenizer.json. */
  tokenizerFile: textField('path of a tokenizer.json in the folder', 4096).optional(),
  inputs: inputNames.optional(),
  output: textField('name of an output of the graph').optional(),
  /** Side on which short rows are padded. */
  paddingSide: z.enum(['left', 'right'], { error: 'left or right' }).optional(),
  /** Token for padding. Default: the tokenizer's own. */
  padToken: textField('a token of the vocabulary', 100).optional(),
  /** Maximum tokens that the model was trained for. */
  maxTokens: integerField(8, ONNX_TOKENS_MAX).optional(),
  /** Maximum tokens of one row. Each kind of model states how it treats longer texts. */
  windowTokens: integerField(8, ONNX_TOKENS_MAX).optional(),
  /** Threads of one run of the graph. Default: 1 in a worker, all processors in the main thread. */
  threads: integerField(1, ONNX_THREADS_MAX).optional(),
  /** Maximum tokens of one run, padding included. Limits its memory. */
  batchTokens: integerField(ONNX_BATCH_TOKENS.min, ONNX_BATCH_TOKENS.max).optional(),
  licence: textField('the licence of the model', 200).optional(),
};
