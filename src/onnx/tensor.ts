/** Converts the numbers of a tensor to float32. */
import type { Tensor } from 'onnxruntime-node';
import { PriorartError } from '../errors.js';

/**
 * The numbers of a tensor of type float32, float16, float64 or int8.
 * @throws PriorartError `invalid_models` for other types
 */
export function floatsOf(tensor: Tensor, name: string): Float32Array {
  const { type, data } = tensor;
  if (type === 'float32') return data as Float32Array;
  if (type === 'float16') {
    // Before Node 24 there is no Float16Array, and the runtime returns the bits.
    return data instanceof Uint16Array ? fromHalf(data) : Float32Array.from(data as ArrayLike<number>);
  }
  if (type === 'int8' || type === 'float64') return Float32Array.from(data as ArrayLike<number>);
  throw new PriorartError(
    'invalid_models',
    `output ${name} of the graph has the type ${type}; expected float32, float16, float64 or int8. Name another output`,
  );
}

/** Converts IEEE 754 half precision to float32. */
export function fromHalf(bits: Uint16Array): Float32Array {
  const out = new Float32Array(bits.length);
  for (let n = 0; n < bits.length; n++) out[n] = halfValue(bits[n]!);
  return out;
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Converts bfloat16, the upper half of a float32. */
export function fromBfloat(bits: Uint16Array): Float32Array {
  const out = new Uint32Array(bits.length);
  for (let n = 0; n < bits.length; n++) out[n] = bits[n]! << 16;
  return new Float32Array(out.buffer);
}
