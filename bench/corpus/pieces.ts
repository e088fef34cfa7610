/** Reads the pieces of the static model with their scores and vectors from its file (models/static/FORMAT.md). */
import { readFileSync } from 'node:fs';
import { STATIC_MODEL } from '../../src/embed/static.js';

export interface Pieces {
  /** Text of each piece. Pieces that begin a word have the prefix `wordStart`. */
  texts: string[];
  wordStart: string;
  /** Log probability, nat. */
  scores: Float64Array;
  /** Inverse document frequency: high for rare pieces. */
  idf: Float32Array;
  /** Writes the vector of a piece, normalised to length 1. */
  direction(id: number, into: Float32Array): void;
  dimensions: number;
}

const FOOTER = 40;

export function readPieces(path = STATIC_MODEL): Pieces {
  const file = readFileSync(path);
  const section = sectionsOf(file);
  const dimensions = section('settings').readInt32LE(0);
  const scores = section('scores');
  const count = scores.length / 4;
  const [scales, idf] = [section('scales'), section('idf')];
  const bytes = section('rows');
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    texts: textsOf(section('trie'), count),
    wordStart: section('word_start').toString('utf8'),
    scores: Float64Array.from({ length: count }, (_, n) => scores.readInt32LE(n * 4) / 1024),
    idf: Float32Array.from({ length: count }, (_, n) => idf.readFloatLE(n * 4)),
    direction: (id, into) => {
      const row = rows.subarray(id * dimensions, (id + 1) * dimensions);
      const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0)) || 1;
      const sign = scales.readFloatLE(id * 4) < 0 ? -1 : 1;
      for (let i = 0; i < dimensions; i++) into[i] = (sign * row[i]!) / length;
    },
    dimensions,
  };
}

/** Reads the container's directory, which its footer points to. */
function sectionsOf(file: Buffer): (name: string) => Buffer {
  const footer = file.subarray(file.length - FOOTER);
  let at = Number(footer.readBigUInt64LE(8));
  const sections = new Map<string, Buffer>();
  while (at < file.length - FOOTER) {
    const length = file.readUInt16LE(at);
    const name = file.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    const [from, bytes] = [Number(file.readBigUInt64LE(at)), Number(file.readBigUInt64LE(at + 8))];
    sections.set(name, file.subarray(from, from + bytes));
    at += 16;
  }
  return (name) => {
    const found = sections.get(name);
    if (!found) throw new Error(`the model has no section ${name}`);
    return found;
  };
}

/** Walks the double-array trie. */
function textsOf(trie: Buffer, count: number): string[] {
  const nodes = new Uint32Array(trie.length / 4);
  for (let n = 0; n < nodes.length; n++) nodes[n] = trie.readUInt32LE(n * 4);
  const texts = new Array<string>(count).fill('');
  const bytes = Buffer.alloc(1024);
  const walk = (node: number, depth: number): void => {
    const word = nodes[node]!;
    const base = (word >>> 9) & 0x3fffff;
    if (word & 0x100) texts[nodes[base]! & 0x7fffffff] = bytes.toString('utf8', 0, depth);
    for (let byte = 1; byte < 256; byte++) {
      const child = nodes[base ^ byte];
      if (child === undefined || (child & 0x800000ff) !== byte) continue;
      bytes[depth] = byte;
      walk(base ^ byte, depth + 1);
    }
  };
  walk(0, 0);
  return texts;
}
