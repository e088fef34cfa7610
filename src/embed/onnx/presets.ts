/**
 * Settings of known models, from their model cards. A configuration then needs only a preset and a folder. A preset
 * downloads nothing. The files come from the model's own repository: its `tokenizer.json`, and an ONNX graph from its
 * `onnx` folder or made with `optimum-cli export onnx`.
 */
import type { EmbedderFields } from './config.js';

export interface EmbedderPreset {
  /** Source of the numbers. */
  source: string;
  settings: Partial<Omit<EmbedderFields, 'folder'>>;
}

/** Value of {task}: the sentence on the search that model cards ask for, here about patents. */
const TASK = 'Given a question about an invention, retrieve passages of patents that describe it';

const E5: EmbedderPreset['settings'] = {
  licence: 'MIT',
  pooling: 'mean',
  maxTokens: 512,
  query: 'query: {text}',
  document: 'passage: {text}',
};

const QWEN3: EmbedderPreset['settings'] = {
  licence: 'Apache-2.0',
  pooling: 'last',
  paddingSide: 'left',
  maxTokens: 32_768,
  endToken: '<|endoftext|>',
  query: 'Instruct: {task}\nQuery:{text}',
  task: TASK,
};

const presets = <const T extends Record<string, EmbedderPreset>>(table: T): Record<keyof T, EmbedderPreset> =>
  table;

export const EMBEDDER_PRESETS = presets({
  'multilingual-e5-small': {
    source:
      'card of intfloat/multilingual-e5-small: 384 dimensions, 512 tokens, average pooling, both prefixes',
    settings: { ...E5, dimensions: 384 },
  },
  'multilingual-e5-base': {
    source:
      'card of intfloat/multilingual-e5-base: 768 dimensions, 512 tokens, average pooling, both prefixes',
    settings: { ...E5, dimensions: 768 },
  },
  'multilingual-e5-large': {
    source:
      'card of intfloat/multilingual-e5-large: 1,024 dimensions, 512 tokens, average pooling, both prefixes',
    settings: { ...E5, dimensions: 1024 },
  },
  'multilingual-e5-large-instruct': {
    source:
      'card of intfloat/multilingual-e5-large-instruct: 1,024 dimensions, 512 tokens, average pooling, an ' +
      'instruction before questions, nothing before passages',
    settings: {
      ...E5,
      dimensions: 1024,
      query: 'Instruct: {task}\nQuery: {text}',
      document: '{text}',
      task: TASK,
    },
  },
  'bge-m3': {
    source: 'card of BAAI/bge-m3: 1,024 dimensions, 8,192 tokens, [CLS], no prefix; its dense vectors only',
    settings: { licence: 'MIT', pooling: 'cls', dimensions: 1024, maxTokens: 8192 },
  },
  'gte-multilingual-base': {
    source:
      'card of Alibaba-NLP/gte-multilingual-base: 768 dimensions (elastic: 128 to 768), 8,192 tokens, [CLS], no prefix',
    settings: { licence: 'Apache-2.0', pooling: 'cls', dimensions: 768, maxTokens: 8192 },
  },
  'embeddinggemma-300m': {
    source:
      'card of google/embeddinggemma-300m: 768 dimensions (512, 256, 128), 2,048 tokens, its prompts for search; ' +
      'modules.json: mean pooling, then 2_Dense (768 → 3,072) and 3_Dense (3,072 → 768) without activation',
    settings: {
      licence: 'Gemma Terms of Use',
      pooling: 'mean',
      dimensions: 768,
      maxTokens: 2048,
      query: 'task: search result | query: {text}',
      document: 'title: {title} | text: {text}',
      emptyTitle: 'none',
      dense: [{ file: '2_Dense/model.safetensors' }, { file: '3_Dense/model.safetensors' }],
    },
  },
  'qwen3-embedding-0.6b': {
    source:
      'card of Qwen/Qwen3-Embedding-0.6B: 1,024 dimensions (32 to 1,024), 32k tokens, last token with left padding, ' +
      'an instruction before questions; its tokenizer ends a text with <|endoftext|>',
    settings: { ...QWEN3, dimensions: 1024 },
  },
  'qwen3-embedding-4b': {
    source: 'card of Qwen/Qwen3-Embedding-4B: 2,560 dimensions (32 to 2,560), else as 0.6B',
    settings: { ...QWEN3, dimensions: 2560 },
  },
  'qwen3-embedding-8b': {
    source: 'card of Qwen/Qwen3-Embedding-8B: 4,096 dimensions (32 to 4,096), else as 0.6B',
    settings: { ...QWEN3, dimensions: 4096 },
  },
  paecter: {
    source: 'card of mpi-inno-comp/paecter: 1,024 dimensions, 512 tokens, mean pooling; English patents',
    settings: { licence: 'Apache-2.0', pooling: 'mean', dimensions: 1024, maxTokens: 512 },
  },
  pat_specter: {
    source: 'card of mpi-inno-comp/pat_specter: 768 dimensions, 512 tokens, [CLS] pooling; English patents',
    settings: { licence: 'Apache-2.0', pooling: 'cls', dimensions: 768, maxTokens: 512 },
  },
  patentsberta: {
    source: 'card of AI-Growth-Lab/PatentSBERTa: 768 dimensions, 512 tokens, [CLS] pooling; English patents',
    settings: { pooling: 'cls', dimensions: 768, maxTokens: 512 },
  },
  'patembed-base': {
    source:
      'card of datalyes/patembed-base: 768 dimensions by a projection of 1,024 (a dense layer, 2_Dense), 512 ' +
      'tokens, mean pooling; English patents; not for commercial use. The card mentions prompts for each task but ' +
      'does not state them: the preset sets none; those of its `config_sentence_transformers.json` can be configured',
    settings: {
      licence: 'CC BY-NC-SA 4.0',
      pooling: 'mean',
      dimensions: 768,
      maxTokens: 512,
      dense: [{ file: '2_Dense/model.safetensors' }],
    },
  },
});
