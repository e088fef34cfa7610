/**
 * Settings of known cross-encoders, from their model cards. A preset downloads nothing. The files come from the model's
 * own repository.
 */
import type { CrossEncoderFields } from './config.js';

export interface CrossEncoderPreset {
  /** Source of the numbers. */
  source: string;
  settings: Partial<Omit<CrossEncoderFields, 'folder'>>;
}

/** The instruction of Qwen3's card, here about patents. */
const TASK = 'Given a question about an invention, retrieve passages of patents that describe it';

/** The chat template around the pair, as in the training of Qwen3-Reranker. */
const QWEN3: CrossEncoderPreset['settings'] = {
  licence: 'Apache-2.0',
  form: 'causal',
  paddingSide: 'left',
  maxTokens: 32_768,
  before:
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct ' +
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
  pair: '<Instruct>: {task}\n<Query>: {query}\n<Document>: {document}',
  after: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
  task: TASK,
  yesToken: 'yes',
  noToken: 'no',
};

const presets = <const T extends Record<string, CrossEncoderPreset>>(
  table: T,
): Record<keyof T, CrossEncoderPreset> => table;

export const CROSS_ENCODER_PRESETS = presets({
  'bge-reranker-v2-m3': {
    source:
      'card of BAAI/bge-reranker-v2-m3: one logit for a pair, sigmoid; XLM-R of 8,192 positions (config.json)',
    settings: { licence: 'Apache-2.0', form: 'pair', maxTokens: 8192, windowTokens: 1024 },
  },
  'gte-multilingual-reranker-base': {
    source: 'card of Alibaba-NLP/gte-multilingual-reranker-base: one logit for a pair, 8,192 tokens',
    settings: { licence: 'Apache-2.0', form: 'pair', maxTokens: 8192, windowTokens: 1024 },
  },
  'jina-reranker-v2-base-multilingual': {
    source:
      'card of jinaai/jina-reranker-v2-base-multilingual: one logit for a pair, 1,024 tokens; the weights are for ' +
      'research, commercial use needs an agreement with Jina AI',
    settings: { licence: 'CC BY-NC 4.0', form: 'pair', maxTokens: 1024 },
  },
  'qwen3-reranker-0.6b': {
    source:
      'card of Qwen/Qwen3-Reranker-0.6B: its chat, the logits of yes and no at the last token, 32k tokens',
    settings: QWEN3,
  },
  'qwen3-reranker-4b': { source: 'card of Qwen/Qwen3-Reranker-4B: as 0.6B', settings: QWEN3 },
});
