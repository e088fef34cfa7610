/** Runs `priorart serve` for a benchmark, with raised limits, and leaves a processor to the load generator. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { RATE_LIMIT_MAX } from '../../src/limits.js';
import { Served } from './served.js';

export const ADAPTERS = ['uws', 'node'] as const;
export type Adapter = (typeof ADAPTERS)[number];
const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
/** One processor is left to the load generator. */
export const WORKERS = Math.max(1, availableParallelism() - 1);

/**
 * Starts the server on a data folder, calls `run`, and stops it.
 * @param processors the processors that it may use; default: all
 */
export async function serving<T>(
  dir: string,
  adapter: Adapter,
  run: (served: Served) => Promise<T>,
  workers = WORKERS,
  processors?: readonly number[],
): Promise<T> {
  const limits = ['--rate-limit', String(RATE_LIMIT_MAX), '--public-rate-limit', String(RATE_LIMIT_MAX)];
  const args = [
    'serve',
    ...['--data', dir, '--port', '0', '--metrics-port', '0', '--http-adapter', adapter],
    ...['--workers', String(workers), ...limits],
  ];
  const served = await Served.start(CLI, args, processors);
  try {
    return await run(served);
  } finally {
    await served.stop();
  }
}
