/** `npm run bench -- corpus`: makes a data folder of generated documents. */
import { resolve } from 'node:path';
import { buildCorpus } from './build.js';

export interface MakeFlags {
  passages: string;
  out: string;
  seed: string;
  threads?: string;
}

/** Runs the command and prints the size of the folder. */
export async function makeCorpus({ passages, out, seed, threads }: MakeFlags): Promise<void> {
  const whole = (name: string, text: string) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name}: expected a whole number from 1 on`);
    return value;
  };
  let shown = 0;
  const state = await buildCorpus({
    dir: resolve(out),
    passages: whole('passages', passages),
    seed: whole('seed', seed),
    ...(threads === undefined ? {} : { threads: whole('threads', threads) }),
    progress: (text) => {
      if (Date.now() - shown < 2_000 && /^\d/.test(text)) return;
      shown = Date.now();
      process.stderr.write(`${text}\n`);
    },
  });
  console.log(
    `${state.documents} documents, ${state.passages} passages in ${out}; ` +
      `${state.seconds.toFixed(0)} s, ${state.cpuSeconds.toFixed(0)} s of processor time`,
  );
}
