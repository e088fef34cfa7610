/**
 * The two protocols of embedding servers: OpenAI's POST /v1/embeddings
 * (https://platform.openai.com/docs/api-reference/embeddings) and POST /embed of text-embeddings-inference
 * (https://huggingface.github.io/text-embeddings-inference). Answers are checked as untrusted input.
 */
import { PriorartError } from '../../errors.js';
import type { HttpEmbedderSettings } from './config.js';

type Settings = Pick<HttpEmbedderSettings, 'protocol' | 'model' | 'encoding' | 'dimensions'>;

/** The body of a request for the vectors of some texts. */
export function requestBody(texts: readonly string[], { protocol, model, encoding }: Settings): string {
  if (protocol === 'tei') return JSON.stringify({ inputs: texts, truncate: false, normalize: true });
  return JSON.stringify({
    ...(model === undefined ? {} : { model }),
    input: texts,
    encoding_format: encoding,
  });
}

/**
 * The vectors in an answer, in the order of the texts.
 * @throws PriorartError `embedding_failed` if the answer does not fit the request
 */
export function vectorsIn(answer: unknown, count: number, settings: Settings): Float32Array[] {
  const rows = settings.protocol === 'tei' ? answer : openAiRows(answer, count);
  if (!Array.isArray(rows)) throw unexpected('no list of vectors');
  if (rows.length !== count) throw unexpected(`${rows.length} vectors for ${count} texts`);
  return rows.map((row) => vectorOf(row, settings.dimensions));
}

/** Vectors sorted by their `index`; a server may return them in another order. */
function openAiRows(answer: unknown, count: number): unknown[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw unexpected('no "data"');
  if (data.length !== count) throw unexpected(`${data.length} vectors for ${count} texts`);
  const rows = new Array<unknown>(count);
  const seen = new Set<number>();
  for (const [n, entry] of data.entries()) {
    const { index = n, embedding } = (entry ?? {}) as { index?: unknown; embedding?: unknown };
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= count || seen.has(Number(index))) {
      throw unexpected(`a vector with index ${JSON.stringify(index)} among ${count}`);
    }
    seen.add(Number(index));
    rows[Number(index)] = embedding;
  }
  return rows;
}

function vectorOf(row: unknown, dimensions: number): Float32Array {
  const vector = typeof row === 'string' ? fromBase64(row) : fromNumbers(row);
  if (vector === undefined) throw unexpected('a vector that is not a list of numbers');
  if (vector.length !== dimensions) {
    throw new PriorartError(
      'invalid_models',
      `the embedding server returns vectors of ${vector.length} dimensions, configured are ${dimensions}; ` +
        'set "dimensions" to those of the model',
    );
  }
  if (!vector.every(Number.isFinite)) throw unexpected('a vector with a value that is not a finite number');
  return vector;
}

function fromNumbers(row: unknown): Float32Array | undefined {
  if (!Array.isArray(row) || !row.every((x) => typeof x === 'number')) return undefined;
  return Float32Array.from(row as number[]);
}

/** Numbers in single precision, little-endian. */
function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(4 * n));
}

function unexpected(what: string): PriorartError {
  return new PriorartError('embedding_failed', `the embedding server returned ${what}`);
}
