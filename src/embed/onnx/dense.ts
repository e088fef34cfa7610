/** Dense layers that some models have after pooling (the 2_Dense of sentence-transformers). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PriorartError } from '../../errors.js';
import { fromBfloat, fromHalf } from '../../onnx/tensor.js';
import type { DenseLayer } from './config.js';

interface Matrix {
  data: Float32Array;
  shape: number[];
}

export interface Dense {
  inputs: number;
  outputs: number;
  /** Applies the layer to a vector. */
  apply(vector: Float32Array): Float32Array;
}

/**
 * Reads a layer: y = activation(W x + b), W outputs × inputs.
 * @throws PriorartError `model_missing`, `model_damaged`
 */
export function readDense(folder: string, layer: DenseLayer): Dense {
  const path = resolve(folder, layer.file);
  const { weight, bias } = path.endsWith('.npy')
    ? {
        weight: readNpy(path),
        bias: layer.bias === undefined ? undefined : readNpy(resolve(folder, layer.bias)),
      }
    : readSafetensors(path, layer);
  const [outputs, inputs] = weight.shape;
  if (weight.shape.length !== 2 || outputs === undefined || inputs === undefined) {
    throw damaged(path, `the weights have ${weight.shape.length} dimensions; expected 2 (outputs × inputs)`);
  }
  if (bias !== undefined && bias.data.length !== outputs) {
    throw damaged(path, `the bias has ${bias.data.length} numbers, the weights ${outputs} outputs`);
  }
  const tanh = layer.activation === 'tanh';
  const apply = (vector: Float32Array) => {
    const out = new Float32Array(outputs);
    for (let n = 0; n < outputs; n++) {
      const row = weight.data.subarray(n * inputs, (n + 1) * inputs);
      let sum = bias?.data[n] ?? 0;
      for (let d = 0; d < inputs; d++) sum += row[d]! * vector[d]!;
      out[n] = tanh ? Math.tanh(sum) : sum;
    }
    return out;
  };
  return { inputs, outputs, apply };
}

/** https://huggingface.co/docs/safetensors: u64 length of a JSON header, the header, the numbers. */
function readSafetensors(path: string, layer: DenseLayer): { weight: Matrix; bias: Matrix | undefined } {
  const bytes = read(path);
  const length = bytes.length >= 8 ? Number(bytes.readBigUInt64LE(0)) : Number.POSITIVE_INFINITY;
  if (8 + length > bytes.length) throw damaged(path, 'it is too short for a .safetensors file');
  let header: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;
  try {
    header = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as typeof header;
  } catch (cause) {
    throw damaged(path, 'its header is not JSON', cause);
  }
  const tensor = (name: string): Matrix | undefined => {
    const entry = header[name];
    if (entry === undefined) return undefined;
    const [from, to] = entry.data_offsets;
    return numbers(path, entry.dtype, entry.shape, bytes.subarray(8 + length + from, 8 + length + to));
  };
  const name = layer.weight ?? 'linear.weight';
  const weight = tensor(name);
  if (weight === undefined) {
    const names = Object.keys(header).filter((key) => key !== '__metadata__');
    throw damaged(
      path,
      `it has no tensor ${name}; its tensors are ${names.join(', ')}. Name the weights with "weight"`,
    );
  }
  return { weight, bias: tensor(layer.bias ?? 'linear.bias') };
}

/** https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1 to 3. */
function readNpy(path: string): Matrix {
  const bytes = read(path);
  if (bytes.toString('latin1', 0, 6) !== '\x93NUMPY') throw damaged(path, 'it is not a .npy file');
  const long = bytes[6]! > 1;
  const start = long ? 12 : 10;
  const end = start + (long ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString('latin1', start, end);
  const type = /'descr':\s*'<?([^']+)'/.exec(header)?.[1];
  const shape = /'shape':\s*\(([^)']*)\)/.exec(header)?.[1];
  if (shape === undefined || !/'fortran_order':\s*False/.test(header)) {
    throw damaged(path, 'expected an array in C order');
  }
  const sizes = shape.split(',').filter((size) => size.trim() !== '');
  const types: Record<string, string> = { f4: 'F32', f2: 'F16', f8: 'F64' };
  return numbers(path, types[type ?? ''] ?? String(type), sizes.map(Number), bytes.subarray(end));
}

function numbers(path: string, type: string, shape: number[], bytes: Buffer): Matrix {
  const count = shape.reduce((product, size) => product * size, 1);
  const width = { F32: 4, F16: 2, BF16: 2, F64: 8 }[type];
  if (width === undefined) throw damaged(path, `its numbers are ${type}; expected F32, F16, BF16 or F64`);
  if (bytes.length !== count * width) throw damaged(path, `its ${type} numbers are not ${shape.join(' × ')}`);
  // A copy, because the numbers in the file may be unaligned.
  const { buffer } = Uint8Array.from(bytes);
  const data = {
    F32: () => new Float32Array(buffer),
    F64: () => Float32Array.from(new Float64Array(buffer)),
    F16: () => fromHalf(new Uint16Array(buffer)),
    BF16: () => fromBfloat(new Uint16Array(buffer)),
  }[type as 'F32' | 'F64' | 'F16' | 'BF16']();
  return { data, shape };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new PriorartError(
      'model_missing',
      `the dense layer ${path} cannot be read (${(cause as Error).message}); it is in the model's own repository. ` +
        'A graph that applies it itself needs {"dense": []}',
      { cause },
    );
  }
}

function damaged(path: string, reason: string, cause?: unknown): PriorartError {
  const message = `the dense layer ${path} cannot be used: ${reason}`;
  return new PriorartError('model_damaged', message, cause === undefined ? {} : { cause });
}
