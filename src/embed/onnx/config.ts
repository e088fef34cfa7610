/**
 * Configuration of an ONNX embedding model: a preset, all fields, or a preset with some fields changed. The presets
 * (presets.ts) are the best examples.
 */
import { z } from 'zod';
import { PriorartError } from '../../errors.js';
import { ONNX_WINDOW_TOKENS } from '../../limits.js';
import { graphFields, inputNamesOf, integerField, templateField, textField } from '../../onnx/settings.js';
import { NEUTRAL_CALIBRATION } from '../calibration.js';
import { calibrationSchema } from '../config.js';
import { EMBEDDER_PRESETS } from './presets.js';

export const POOLINGS = ['mean', 'cls', 'last', 'max', 'none'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** Maximum that a segment supports; wider than any known model. */
const DIMENSIONS_MAX = 8192;

const dense = z.strictObject({
  /** `.safetensors` (with the names below), or `.npy` with the weights alone. */
  file: textField('path of a .safetensors or .npy file', 4096),
  weight: textField('name of the weights, outputs × inputs').optional(),
  bias: textField('name of the bias, or path of its .npy file', 4096).optional(),
  activation: z.enum(['identity', 'tanh'], { error: 'identity or tanh' }).optional(),
});
export type DenseLayer = z.infer<typeof dense>;

/** Every field but kind and preset. */
const fields = {
  ...graphFields,
  /** Identity: an index belongs to one name, version and number of dimensions. */
  name: textField('a name', 200).optional(),
  version: textField('a version', 200).optional(),
  /** How token vectors are pooled into one; `none` if the graph's output is one vector per text. */
  pooling: z.enum(POOLINGS, { error: `one of ${POOLINGS.join(', ')}` }).optional(),
  /** Templates of the model's input for a query and for a passage. Line breaks are \n. */
  query: templateField(['text'], ['task']).optional(),
  document: templateField(['text'], ['title', 'task']).optional(),
  /** Value of {task}; value of {title} for a patent without a title. */
  task: textField('a sentence that describes the search').optional(),
  emptyTitle: z.string({ error: 'a text' }).max(100).optional(),
  /** Token that ends every sequence, if tokenizer.json does not add it. */
  endToken: textField('a token of the vocabulary', 100).optional(),
  /** Dimensions of the model's vectors, after its dense layers. */
  dimensions: integerField(1, DIMENSIONS_MAX).optional(),
  /** Keeps the first dimensions only. For models trained for it (Matryoshka). */
  truncatedDimensions: integerField(1, DIMENSIONS_MAX).optional(),
  /** false: the graph normalises its vectors, which is then checked. */
  normalize: z.boolean({ error: 'true or false' }).optional(),
  /** Layers applied in order to the pooled vector. */
  dense: z.array(dense).max(8).optional(),
  calibration: calibrationSchema.optional(),
};
export type EmbedderFields = z.infer<z.ZodObject<typeof fields>>;

const presetNames = Object.keys(EMBEDDER_PRESETS) as (keyof typeof EMBEDDER_PRESETS)[];

export const onnxEmbedderSchema = z.strictObject({
  kind: z.literal('onnx'),
  preset: z.enum(presetNames, { error: `one of ${presetNames.join(', ')}` }).optional(),
  ...fields,
});
export type OnnxEmbedderConfig = z.infer<typeof onnxEmbedderSchema>;

/** A configuration with the preset and the defaults filled in. */
export type OnnxEmbedderSettings = ReturnType<typeof settingsOf>;

/**
 * Fills in preset and defaults.
 * @throws PriorartError `invalid_models` if a field is missing or contradicts another
 */
export function settingsOf(config: OnnxEmbedderConfig) {
  const preset = config.preset === undefined ? {} : EMBEDDER_PRESETS[config.preset].settings;
  const merged = { ...preset, ...config };
  const { pooling, dimensions, maxTokens } = merged;
  const missing = Object.entries({ pooling, dimensions, maxTokens }).filter(
    ([, value]) => value === undefined,
  );
  if (pooling === undefined || dimensions === undefined || maxTokens === undefined) {
    throw new PriorartError(
      'invalid_models',
      `the configuration of the ONNX embedder lacks ${missing.map(([name]) => name).join(', ')}; its model card ` +
        `states them. Or name a preset: ${presetNames.join(', ')}`,
    );
  }
  const { truncatedDimensions = dimensions } = merged;
  if (truncatedDimensions > dimensions) {
    throw new PriorartError(
      'invalid_models',
      `truncatedDimensions is ${truncatedDimensions}, but the model has ${dimensions} dimensions`,
    );
  }
  return {
    ...merged,
    pooling,
    dimensions,
    maxTokens,
    truncatedDimensions,
    name: merged.name ?? config.preset ?? 'onnx',
    paddingSide: merged.paddingSide ?? ('right' as const),
    query: merged.query ?? '{text}',
    document: merged.document ?? '{text}',
    task: merged.task ?? '',
    emptyTitle: merged.emptyTitle ?? '',
    inputs: inputNamesOf(merged.inputs),
    windowTokens: Math.min(merged.windowTokens ?? ONNX_WINDOW_TOKENS, maxTokens),
    normalize: merged.normalize ?? true,
    dense: merged.dense ?? [],
    calibrated: merged.calibration !== undefined,
    calibration: merged.calibration ?? NEUTRAL_CALIBRATION,
  };
}
