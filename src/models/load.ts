/** Opens the models of a configuration. Implementations are loaded on demand. */
import type { Embedder } from '../embed/embedder.js';
import { openStaticModel, staticEmbedder } from '../embed/static.js';
import { staticReranker } from '../rerank/late-interaction.js';
import { noReranker } from '../rerank/none.js';
import type { Reranker } from '../rerank/reranker.js';
import type { ModelIdentity } from '../store/manifest.js';
import { DEFAULT_MODELS, type EmbedderConfig, type ModelsConfig, type RerankerConfig } from './config.js';

export interface Models {
  embedder: Embedder;
  reranker: Reranker;
}

/**
 * Opens the models of a configuration. Default: the models of the package.
 * @throws PriorartError `model_missing`, `model_damaged`; `invalid_models` if model and configuration do not fit
 */
export async function loadModels(config: ModelsConfig = DEFAULT_MODELS): Promise<Models> {
  const embedder = await openEmbedder(config.embedder);
  try {
    return { embedder, reranker: await openReranker(config.reranker) };
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

/** Closes embedder and reranker. */
export async function closeModels({ embedder, reranker }: Models): Promise<void> {
  await Promise.all([embedder.close(), reranker.close()]);
}

/** Identity of the model, which is stored in an index. */
export function identityOf({ name, version, dimensions }: Embedder): ModelIdentity {
  return { name, version, dimensions };
}

/** Opens an embedder without a reranker. */
export async function openEmbedder(config: EmbedderConfig): Promise<Embedder> {
  switch (config.kind) {
    case 'static':
      return staticEmbedder(config.file, config.calibration);
    case 'onnx':
      return (await import('../embed/onnx/embedder.js')).openOnnxEmbedder(config);
    case 'http':
      return (await import('../embed/http/embedder.js')).openHttpEmbedder(config);
  }
}

async function openReranker(config: RerankerConfig): Promise<Reranker> {
  switch (config.kind) {
    case 'static':
      return staticReranker(openStaticModel(config.file));
    case 'onnx':
      return (await import('../rerank/cross-encoder/reranker.js')).openCrossEncoder(config);
    case 'none':
      return noReranker();
  }
}
