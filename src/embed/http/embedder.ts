/** An embedding model on a server with one of two common protocols. */
import { joinedSignal } from '../../joined-signal.js';
import type { Embedder } from '../embedder.js';
import { normalize } from '../onnx/pooling.js';
import { promptOf, titleFor } from '../onnx/prompt.js';
import { HttpBatches, requestsInFlight } from './batches.js';
import { Client } from './client.js';
import { type HttpEmbedderConfig, type HttpEmbedderSettings, settingsOf } from './config.js';
import { partsOf } from './windows.js';

/**
 * Makes the embedder. It connects to the server when it embeds the first text.
 * @throws PriorartError `invalid_models` if the variable of the key is not set
 */
export function openHttpEmbedder(config: HttpEmbedderConfig): Embedder {
  const settings = settingsOf(config);
  const client = new Client(settings);
  const closed = new AbortController();
  const { batchTexts: texts, batchChars: chars, concurrency } = settings;
  const ask = async (batch: readonly string[], signal: AbortSignal) => {
    const either = joinedSignal(signal, closed.signal);
    try {
      return await client.vectors(batch, either.signal);
    } finally {
      either.release();
    }
  };
  const batches = new HttpBatches(ask, { texts, chars, concurrency });
  return {
    name: settings.name,
    version: settings.version,
    dimensions: settings.truncatedDimensions,
    calibration: settings.calibration,
    calibrated: settings.calibrated,
    concurrency: requestsInFlight(concurrency),
    async embed(given, kind, titles, signal) {
      const parts = given.map((text) => partsOf(text, settings.windowChars));
      const { before, after } = promptFor(settings, kind, titles);
      const inputs = parts.flat().map((part) => before + part + after);
      const vectors = await batches.add(inputs, { urgent: kind === 'query', signal });
      return joined(parts, vectors, settings.truncatedDimensions);
    },
    close: () => closed.abort(new Error('the embedder is closed')),
  };
}

function promptFor(settings: HttpEmbedderSettings, kind: 'query' | 'passage', titles: string | undefined) {
  const { query, document, task, emptyTitle } = settings;
  const template = kind === 'query' ? query : document;
  return promptOf(template, { title: titleFor(titles, emptyTitle), task });
}

/** One vector of length 1 per text: the mean of its parts' first dimensions, weighted by the parts' lengths. */
function joined(
  parts: readonly (readonly string[])[],
  vectors: readonly Float32Array[],
  dimensions: number,
): Float32Array {
  const rows = new Float32Array(parts.length * dimensions);
  let at = 0;
  for (const [n, ofText] of parts.entries()) {
    const row = rows.subarray(n * dimensions, (n + 1) * dimensions);
    for (const part of ofText) {
      const vector = vectors[at++]!.slice(0, dimensions);
      normalize(vector);
      for (let d = 0; d < dimensions; d++) row[d]! += vector[d]! * part.length;
    }
    if (!normalize(row)) row.fill(0);
  }
  return rows;
}
