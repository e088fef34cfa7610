/**
 * The inner products of a document's passages with a question, computed by the node that has the document. Its vectors
 * would be a hundred times as many bytes.
 */
import type { Embedder } from '../embed/embedder.js';
import type { Json } from './client.js';

/** Name of the field of a hit. */
export const PRODUCTS = 'products';

/** Where a vector says which language its passage is in. */
export type Languages = NonNullable<Embedder['languages']>;

/** What is known of each passage of a document. */
export interface Products {
  scores: Float32Array;
  /** Numbers of the languages; undefined if the model has none. */
  languages: Uint8Array | undefined;
}

/**
 * A half-precision number whose bits are shifted into a number of 32 bits is 2^-112 of itself. A loop has its own limit of
 * iterations in each function.
 */
const SOURCE = `
double half(byte[] bytes, int at) {
  int bits = (bytes[at] & 255) | ((bytes[at + 1] & 255) << 8);
  return Float.intBitsToFloat(((bits & 32768) << 16) | ((bits & 32767) << 13));
}
double product(byte[] bytes, int at, float[] question) {
  double sum = 0.0;
  for (int d = 0; d < question.length; d++) {
    int bits = (bytes[at] & 255) | ((bytes[at + 1] & 255) << 8);
    sum += question[d] * Float.intBitsToFloat(((bits & 32768) << 16) | ((bits & 32767) << 13));
    at += 2;
  }
  return sum * 5.192296858534828E33;
}
int greatest(byte[] bytes, int at, int count) {
  int best = 0;
  for (int d = 1; d < count; d++) {
    if (half(bytes, at + 2 * d) > half(bytes, at + 2 * best)) best = d;
  }
  return best;
}
BytesRef packed = doc['vectors'].value;
byte[] bytes = packed.bytes;
int dimensions = params.question.size();
float[] question = new float[dimensions];
for (int d = 0; d < dimensions; d++) question[d] = (float) params.question[d];
int end = packed.offset + packed.length;
int count = params.languages;
List found = new ArrayList();
for (int at = packed.offset; at < end; at += 2 * dimensions) {
  found.add((float) product(bytes, at, question));
  if (count > 0) found.add(greatest(bytes, at + 2 * params.first, count));
}
return found;
`.trim();

/** The part of a request that makes its hits have products. */
export function askingProducts(question: Float32Array, languages: Languages | undefined): Json {
  const { first = 0, names = [] } = languages ?? {};
  const params = { question: Array.from(question), first, languages: names.length };
  return { script_fields: { [PRODUCTS]: { script: { source: SOURCE, params } } } };
}

/** What a hit says. */
export function productsOf(found: readonly number[], languages: Languages | undefined): Products {
  if (languages === undefined) return { scores: Float32Array.from(found), languages: undefined };
  const passages = found.length / 2;
  const products = { scores: new Float32Array(passages), languages: new Uint8Array(passages) };
  for (let n = 0; n < passages; n++) {
    products.scores[n] = found[2 * n]!;
    products.languages[n] = found[2 * n + 1]!;
  }
  return products;
}
