/** GET /readyz, and /healthz as its alias: requests can be answered now; 503 with what is missing if not. */
import type { HttpReply } from '../adapters/adapter.js';
import { detailReply } from '../problem.js';
import { type Call, jsonReply, type Route, type Services } from '../route.js';

const RETRY_SECONDS = 2;

export function readyzReply(services: Pick<Services, 'engine' | 'access' | 'lifecycle'>): HttpReply {
  const engine = services.engine.ready();
  const missing = [...engine.missing];
  if (!services.access.isAvailable()) missing.push('the key store cannot be read');
  if (services.lifecycle.draining) missing.push('the server is shutting down');
  if (engine.ready && missing.length === 0) return jsonReply('{"status":"ready"}');
  const detail = `not ready: ${missing.join('; ') || 'the engine is not ready'}`;
  return detailReply('not_ready', detail, { 'retry-after': String(RETRY_SECONDS) });
}

const handle = ({ services }: Call) => readyzReply(services);

export const readyz: Route = { method: 'GET', path: '/readyz', endpoint: 'readyz', access: 'health', handle };
export const healthz: Route = {
  method: 'GET',
  path: '/healthz',
  endpoint: 'readyz',
  access: 'health',
  handle,
};
