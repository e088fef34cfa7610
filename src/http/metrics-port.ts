/** /metrics and health on a separate port, for monitoring systems without a key. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../observe/metrics.js';
import { cannotListen, type HttpReply } from './adapters/adapter.js';
import { detailReply } from './problem.js';

export interface MetricsPort {
  port: number;
  close(): void;
}

/** The answer of a health path. */
export type Health = () => HttpReply | Promise<HttpReply>;

/**
 * Always on node:http, because it receives a request every few seconds.
 * @throws PriorartError `cannot_listen`
 */
export async function openMetricsPort(
  { host, port }: { host: string; port: number },
  metrics: Metrics,
  health: Readonly<Record<string, Health>>,
): Promise<MetricsPort> {
  const replyTo = async (method: string | undefined, path: string): Promise<HttpReply> => {
    if (method !== 'GET' && method !== 'HEAD')
      return detailReply('method_not_allowed', 'method not allowed; expected GET, HEAD', {
        allow: 'GET, HEAD',
      });
    if (path === '/metrics') return metricsReply(metrics);
    return (await health[path]?.()) ?? detailReply('not_found', 'there is no such endpoint');
  };
  const server = createServer({ requestTimeout: 10_000 }, async (message, response) => {
    const path = message.url?.split('?')[0] ?? '';
    // A gauge reads the store, which may fail. An unhandled rejection would end the process.
    const reply = await replyTo(message.method, path).catch(() => detailReply('internal', 'internal error'));
    response.writeHead(reply.status, reply.headers).end(message.method === 'HEAD' ? undefined : reply.body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, port, error, '--metrics-port')));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function metricsReply(metrics: Metrics): Promise<HttpReply> {
  return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.text() };
}
