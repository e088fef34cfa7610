/**
 * A hundred thousand repetitions of one character in texts of every format: the reading time is linear. An expression
 * that scans a run again from each of its characters takes ten seconds or more.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';

const FORMATS = resolve('fixtures/formats');
const names = readdirSync(FORMATS).filter((name) => name !== 'golden');
const LENGTH = 100_000;
const RUNS = [' ', '1', '.', '( '].map((text) => text.repeat(LENGTH / text.length));
const LONGEST_MS = 4_000;
/** Places of each document. */
const PLACES = 12;

/** Starts and ends of texts, spread over the document. */
function places(text: string): number[] {
  const all = [...text.matchAll(/(?<=[>:,"] ?)\p{L}|\p{L}(?=[<",\n])/gu)].map(({ index }) => index + 1);
  const step = Math.max(1, Math.floor(all.length / PLACES));
  return all.filter((_, n) => n % step === 0);
}

describe('long runs of a character take linear time', () => {
  for (const name of names) {
    it(name, async () => {
      for await (const unit of openSources([join(FORMATS, name)])) {
        if (isFailure(unit)) continue;
        const text = Buffer.from(unit.bytes).toString('utf8');
        for (const at of places(text)) {
          for (const run of RUNS) {
            const bytes = Buffer.from(text.slice(0, at) + run + text.slice(at));
            const started = performance.now();
            parseUnit(unit.format, bytes);
            const ms = performance.now() - started;
            assert.ok(ms < LONGEST_MS, `${Math.round(ms)} ms with ${JSON.stringify(run[0])} at ${at}`);
          }
        }
      }
    });
  }
});
