/**
 * A server over standard input and output. Standard output carries the protocol only: messages of the program go to
 * standard error.
 */
import type { PatentApi } from './api.js';
import { serveStdio } from './sdk.js';
import { mcpServer, type ServerOptions } from './server.js';

/** Serves until the client closes standard input, or until the signal fires. */
export async function serveOverStdio(
  api: PatentApi,
  options: ServerOptions,
  stop: AbortSignal,
): Promise<void> {
  const handle = serveStdio(() => mcpServer(() => api, options), { onerror: () => {} });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    // The client has gone.
    process.stdout.once('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
