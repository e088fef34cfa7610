/** Output formats of vectors: JSON lines, tab-separated values, or NumPy's array file. */
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';

export const VECTOR_FORMATS = ['jsonl', 'tsv', 'npy'] as const;
export type VectorFormat = (typeof VECTOR_FORMATS)[number];

/** Output of vectors. `npy` needs a file, since its head holds the number of rows. */
export interface VectorOutput {
  /** Rows of `dimensions` numbers, one after another. */
  write(rows: Float32Array): Promise<void>;
  end(): Promise<void>;
}

export async function vectorOutput(
  format: VectorFormat,
  dimensions: number,
  file: string | undefined,
): Promise<VectorOutput> {
  const handle = file === undefined ? undefined : await open(file, 'w');
  if (format === 'npy') return npyOutput(handle!, dimensions);
  const write = handle ? (text: string) => handle.appendFile(text) : writeStdout;
  let line = 0;
  return {
    write: (rows) => {
      const lines: string[] = [];
      for (let at = 0; at < rows.length; at += dimensions) {
        const numbers = Array.from(rows.subarray(at, at + dimensions), shortest);
        lines.push(
          format === 'tsv' ? numbers.join('\t') : `{"line":${++line},"vector":[${numbers.join(',')}]}`,
        );
      }
      return write(`${lines.join('\n')}\n`);
    },
    end: async () => handle?.close(),
  };
}

/** The shortest decimal that gives the same single-precision number again: 9 digits are enough. */
export function shortest(value: number): string {
  return String(Number(value.toPrecision(9)));
}

async function writeStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Bytes of the head: a multiple of 64 with room for any number of rows. */
const NPY_HEAD = 128;

/**
 * Format 1.0 of numpy.lib.format. The head says 0 rows until the end, so that an incomplete file does not
 * look complete.
 */
async function npyOutput(handle: FileHandle, dimensions: number): Promise<VectorOutput> {
  let rows = 0;
  await handle.write(npyHead(rows, dimensions), 0, NPY_HEAD, 0);
  return {
    write: async (values) => {
      const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
      // Numbers are little-endian on every processor that the addon supports.
      await handle.write(bytes, 0, bytes.length, NPY_HEAD + rows * dimensions * 4);
      rows += values.length / dimensions;
    },
    end: async () => {
      await handle.write(npyHead(rows, dimensions), 0, NPY_HEAD, 0);
      await handle.close();
    },
  };
}

function npyHead(rows: number, dimensions: number): Buffer {
  const description = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`;
  const head = Buffer.alloc(NPY_HEAD, ' ');
  head.write('\x93NUMPY\x01\x00', 0, 'latin1');
  head.writeUInt16LE(NPY_HEAD - 10, 8);
  head.write(description, 10, 'latin1');
  head.write('\n', NPY_HEAD - 1, 'latin1');
  return head;
}
