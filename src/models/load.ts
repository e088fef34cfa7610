/** From a configuration to models that work. A kind's implementation is loaded when it is asked for. */
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
 * Opens the models of a configuration, the default ones without one.
 * @throws PriorartError `model_missing`, `model_damaged`, `invalid_models` where model and configuration do not fit
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

/** Closes both. */
export async function closeModels({ embedder, reranker }: Models): Promise<void> {
  await Promise.all([embedder.close(), reranker.close()]);
}

/** What an index that this embedder makes belongs to. */
export function identityOf({ name, version, dimensions }: Embedder): ModelIdentity {
  return { name, version, dimensions };
}

/** Opens an embedder alone. */
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
