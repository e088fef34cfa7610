/**
 * A server over standard input and output. Standard output carries the protocol only: messages of the program go to
 * standard error.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { PatentApi } from './api.js';
import { StdioServerTransport, serveStdio } from './sdk.js';
import { mcpServer, type ServerOptions } from './server.js';
import { CheckedLines } from './stdio-lines.js';

/** Turns of the event loop without a call, after which all requests that were read are answered. */
const IDLE_TURNS = 20;
/** Time between two checks of running calls, ms. */
const CHECK_MS = 10;

/** Serves until the client closes standard input and its calls are answered, or until the signal fires. */
export async function serveOverStdio(
  api: PatentApi,
  options: ServerOptions,
  stop: AbortSignal,
): Promise<void> {
  const calls = new Calls(api);
  // The transport would close with its input, before running calls are answered.
  const lines = new CheckedLines((line) => process.stdout.write(line));
  const input = process.stdin.pipe(lines, { end: false });
  const transport = new StdioServerTransport(input, process.stdout);
  const handle = serveStdio(() => mcpServer(() => calls.api, options), { transport, onerror: () => {} });
  const stopped = new Promise<void>((resolve) => {
    // The client has gone.
    process.stdout.once('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await Promise.race([stopped, ended.then(() => calls.answered())]);
  await handle.close();
}

/** Counts the calls of an API that run. */
class Calls {
  readonly api: PatentApi;
  #running = 0;

  constructor(api: PatentApi) {
    this.api = {
      search: (...call) => this.#counted(api.search(...call)),
      analyze: (...call) => this.#counted(api.analyze(...call)),
      details: (...call) => this.#counted(api.details(...call)),
      coverage: (...call) => this.#counted(api.coverage(...call)),
      drawing: async (...call) => {
        const drawing = await this.#counted(api.drawing(...call));
        const { link } = drawing;
        return { ...(link === undefined ? {} : { link }), image: () => this.#counted(drawing.image()) };
      },
    };
  }

  /** Resolves when no call runs, and the answers were written. */
  async answered(): Promise<void> {
    // A request that was read begins its call, and a call that has ended writes its answer, within a few turns.
    for (let idle = 0; idle < IDLE_TURNS; idle = this.#running > 0 ? 0 : idle + 1) {
      await (this.#running > 0 ? new Promise((resolve) => setTimeout(resolve, CHECK_MS)) : turn());
    }
  }

  async #counted<T>(call: Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await call;
    } finally {
      this.#running -= 1;
    }
  }
}
