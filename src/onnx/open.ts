/** Opens the parts of a model that embedders and rerankers share. */
import { findFiles, type ModelFiles, type Places } from './files.js';
import { Graph, type GraphSettings } from './graph.js';
import { Tokenizer } from './tokenizer.js';

export interface ModelParts {
  files: ModelFiles;
  tokenizer: Tokenizer;
  graph: Graph;
}

type Settings = Places & Omit<GraphSettings, 'paddingId'> & { padToken?: string | undefined };

/**
 * Opens graph and tokenizer, and makes a model of them, whose `close` closes both. If `make` fails, they are closed.
 * @throws PriorartError `model_missing`, `model_damaged`, `invalid_models`; the errors of `make`
 */
export async function openModel<Model extends object>(
  settings: Settings,
  make: (parts: ModelParts) => Promise<Model>,
): Promise<Model & { close(): Promise<void> }> {
  const files = findFiles(settings);
  const tokenizer = new Tokenizer(files.tokenizer);
  let graph: Graph | undefined;
  const close = async () => {
    await graph?.close();
    tokenizer.close();
  };
  try {
    const paddingId = tokenizer.paddingId(settings.padToken);
    graph = await Graph.open(files.graph, { ...settings, paddingId });
    return { ...(await make({ files, tokenizer, graph })), close };
  } catch (error) {
    await close();
    throw error;
  }
}
