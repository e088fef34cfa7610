import { createReadStream } from 'node:fs';
import { Command } from 'commander';
import type { Embedder } from '../embed/embedder.js';
import { PriorartError, whyUnreadable } from '../errors.js';
import { EMBED_BATCH, EMBED_LINE_MAX_BYTES } from '../limits.js';
import { openEmbedder } from '../models/load.js';
import { linesOf } from './lines.js';
import { modelsOf, withSettings } from './options.js';
import { counted, ProgressLine } from './output.js';
import { VECTOR_FORMATS, type VectorFormat, type VectorOutput, vectorOutput } from './vector-output.js';

const KINDS = ['query', 'passage'] as const;

export function embedCommand(): Command {
  const command = new Command('embed')
    .description('embed texts: lines in, vectors out')
    .argument('[files...]', 'text files, one text per line (default: standard input)')
    .option('--kind <name>', `what the texts are: ${KINDS.join(', ')} (default: passage)`)
    .option('--format <name>', `${VECTOR_FORMATS.join(', ')} (default: jsonl); npy needs --out`)
    .option('--out <file>', 'write here instead of standard output')
    .addHelpText(
      'after',
      `
One vector of length 1 for each line, in order. An empty line, or one with no known word, gives zeros.

Examples:
  priorart embed passages.txt --format npy --out passages.npy
  echo "고체 전해질" | priorart embed --kind query`,
    )
    .action(run);
  return withSettings(command, ['data', 'models']);
}

async function run(files: string[], flags: Record<string, unknown>): Promise<void> {
  const kind = chosen(flags['kind'], '--kind', KINDS, 'passage');
  const format = chosen<VectorFormat>(flags['format'], '--format', VECTOR_FORMATS, 'jsonl');
  const out = flags['out'] === undefined ? undefined : String(flags['out']);
  if (format === 'npy' && out === undefined) {
    throw new PriorartError(
      'usage',
      '--format npy: expected --out FILE too, because the number of rows is written to the head at the end',
    );
  }
  const embedder = await openEmbedder((await modelsOf(flags)).embedder);
  const output = await vectorOutput(format, embedder.dimensions, out);
  try {
    // Lines on a terminal show the progress themselves.
    const progress = out === undefined && process.stdout.isTTY ? undefined : new ProgressLine();
    await embedAll(embedder, kind, texts(files), output, progress);
    await output.end();
  } finally {
    await embedder.close();
  }
}

function chosen<T extends string>(
  given: unknown,
  option: string,
  values: readonly T[],
  fallback: NoInfer<T>,
): T {
  if (given === undefined) return fallback;
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw new PriorartError('usage', `${option}: got "${given}"; expected one of ${values.join(', ')}`);
}

async function* texts(files: readonly string[]): AsyncGenerator<string> {
  if (files.length === 0) yield* linesOf(process.stdin, EMBED_LINE_MAX_BYTES, 'standard input');
  for (const file of files) {
    try {
      yield* linesOf(createReadStream(file), EMBED_LINE_MAX_BYTES, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      const message = `the file ${JSON.stringify(file)} ${whyUnreadable(error)}; check the path`;
      throw new PriorartError('usage', message, { cause: error });
    }
  }
}

/** Embeds in batches, so that memory does not grow with the input. */
async function embedAll(
  embedder: Embedder,
  kind: (typeof KINDS)[number],
  lines: AsyncIterable<string>,
  output: VectorOutput,
  progress: ProgressLine | undefined,
): Promise<void> {
  let batch: string[] = [];
  let [chars, done] = [0, 0];
  const flush = async () => {
    if (batch.length > 0) await output.write(await embedder.embed(batch, kind));
    done += batch.length;
    progress?.update(`${counted(done, 'line')} embedded`);
    batch = [];
    chars = 0;
  };
  try {
    for await (const line of lines) {
      batch.push(line);
      chars += line.length;
      if (batch.length >= EMBED_BATCH.lines || chars >= EMBED_BATCH.chars) await flush();
    }
    await flush();
  } finally {
    progress?.end();
  }
}
