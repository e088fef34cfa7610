/** Configuration of a cross-encoder: a preset, all fields, or a preset with some fields changed. */
import { z } from 'zod';
import { PriorartError } from '../../errors.js';
import { CROSS_ENCODER_DEADLINE_MS, CROSS_ENCODER_PASSAGES, ONNX_WINDOW_TOKENS } from '../../limits.js';
import { graphFields, inputNamesOf, integerField, templateField, textField } from '../../onnx/settings.js';
import { CROSS_ENCODER_PRESETS } from './presets.js';

/** Every field but kind and preset. */
const fields = {
  ...graphFields,
  name: textField('a name', 200).optional(),
  /**
   * `pair`: the tokenizer joins question and document, and the graph returns scores for each pair. `causal`: a language
   * model that answers yes or no at the last token.
   */
  form: z.enum(['pair', 'causal'], { error: 'pair or causal' }).optional(),
  /** Template of a passage. */
  document: templateField(['text'], ['title']).optional(),
  /** Causal models: the text before the pair, the pair, the text after it. Special tokens are written as text. */
  before: textField('a text').optional(),
  pair: templateField(['query', 'document'], ['task']).optional(),
  after: textField('a text').optional(),
  task: textField('a sentence that describes the search').optional(),
  yesToken: textField('a token of the vocabulary', 100).optional(),
  noToken: textField('a token of the vocabulary', 100).optional(),
  /** Index of the score among the graph's numbers for a pair. */
  scoreIndex: integerField(0, 1000).optional(),
  /**
   * Converts scores to probabilities. Default: false. Near 0 and 1 probabilities differ by less than the six decimals
   * that results are ordered by, while the graph's own numbers still differ.
   */
  sigmoid: z.boolean({ error: 'true or false' }).optional(),
  /** Number of a document's best passages that are scored, besides title and abstract. */
  passages: integerField(CROSS_ENCODER_PASSAGES.min, CROSS_ENCODER_PASSAGES.max).optional(),
  /** Time limit of one question, ms. Documents not scored by then keep their order behind those that were. */
  deadlineMs: integerField(CROSS_ENCODER_DEADLINE_MS.min, CROSS_ENCODER_DEADLINE_MS.max).optional(),
};
export type CrossEncoderFields = z.infer<z.ZodObject<typeof fields>>;

const presetNames = Object.keys(CROSS_ENCODER_PRESETS) as (keyof typeof CROSS_ENCODER_PRESETS)[];

export const crossEncoderSchema = z.strictObject({
  kind: z.literal('onnx'),
  preset: z.enum(presetNames, { error: `one of ${presetNames.join(', ')}` }).optional(),
  ...fields,
});
export type CrossEncoderConfig = z.infer<typeof crossEncoderSchema>;

/** A configuration with the preset and the defaults filled in. */
export type CrossEncoderSettings = ReturnType<typeof settingsOf>;

/**
 * Fills in preset and defaults.
 * @throws PriorartError `invalid_models` if a field is missing or contradicts another
 */
export function settingsOf(config: CrossEncoderConfig) {
  const preset = config.preset === undefined ? {} : CROSS_ENCODER_PRESETS[config.preset].settings;
  const merged = { ...preset, ...config };
  const { maxTokens, form = 'pair', yesToken, noToken } = merged;
  if (maxTokens === undefined) {
    throw new PriorartError(
      'invalid_models',
      'the configuration of the cross-encoder lacks maxTokens; its model card states it. Or name a preset: ' +
        presetNames.join(', '),
    );
  }
  if (form === 'causal' && (yesToken === undefined || noToken === undefined || merged.pair === undefined)) {
    throw new PriorartError(
      'invalid_models',
      'a causal cross-encoder needs pair, yesToken and noToken; the preset qwen3-reranker-0.6b is an example',
    );
  }
  return {
    ...merged,
    form,
    maxTokens,
    windowTokens: Math.min(merged.windowTokens ?? ONNX_WINDOW_TOKENS, maxTokens),
    inputs: inputNamesOf(merged.inputs),
    name: merged.name ?? config.preset ?? 'cross-encoder',
    paddingSide: merged.paddingSide ?? (form === 'causal' ? ('left' as const) : ('right' as const)),
    document: merged.document ?? '{title}\n{text}',
    before: merged.before ?? '',
    pair: merged.pair ?? '',
    after: merged.after ?? '',
    task: merged.task ?? '',
    yesToken: yesToken ?? '',
    noToken: noToken ?? '',
    scoreIndex: merged.scoreIndex ?? 0,
    sigmoid: merged.sigmoid ?? false,
    passages: merged.passages ?? CROSS_ENCODER_PASSAGES.default,
    deadlineMs: merged.deadlineMs ?? CROSS_ENCODER_DEADLINE_MS.default,
  };
}
