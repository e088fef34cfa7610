/**
 * GET /readyz, and /healthz as its alias: 200 if calls with keys can be answered now. Otherwise 503 with the
 * missing parts, so that a load balancer uses a different server.
 */
import type { HttpReply } from '../../adapters/adapter.js';
import { detailReply } from '../../problem.js';
import { type Call, jsonReply, type Route, type Services } from '../../route.js';
import { healthzOperation, readyzOperation } from './openapi.js';

const RETRY_SECONDS = 2;

type Checked = Pick<Services, 'engine' | 'access' | 'limits' | 'lifecycle'>;

/** Whether calls with keys can be answered now, and what is missing if not. */
export interface Readiness {
  ready: boolean;
  /** Empty if it is ready. */
  missing: string[];
}

export async function readiness(services: Checked): Promise<Readiness> {
  const engine = services.engine.ready();
  const missing = [...engine.missing];
  if (services.access.isMissing())
    missing.push(
      'there are no keys: make the first with `priorart keys create`, or put back access/keys.db if it was there',
    );
  else if (!services.access.isAvailable()) missing.push('the key store cannot be read');
  // The check creates missing counters. So it runs only in a folder of the engine.
  else if (engine.ready) {
    const fault = await faultOfLimits(services);
    if (fault !== undefined) missing.push(fault);
  }
  if (services.lifecycle.draining) missing.push('the server is shutting down');
  if (!engine.ready && missing.length === 0) missing.push('the engine is not ready');
  return { ready: missing.length === 0, missing };
}

export async function readyzReply(services: Checked): Promise<HttpReply> {
  const { ready, missing } = await readiness(services);
  if (ready) return jsonReply('{"status":"ready"}');
  const detail = `not ready: ${missing.join('; ')}`;
  return detailReply('not_ready', detail, { 'retry-after': String(RETRY_SECONDS) });
}

/** The reason why calls with keys are answered 503 although the key store is available. */
async function faultOfLimits({
  access,
  limits,
}: Pick<Services, 'access' | 'limits'>): Promise<string | undefined> {
  try {
    if (access.maintenance()) return 'maintenance is on';
  } catch {
    return 'the key store cannot be read';
  }
  return (await limits.canCount()) ? undefined : 'calls cannot be counted';
}

const handle = ({ services }: Call) => readyzReply(services);

export const readyz: Route = {
  method: 'GET',
  path: '/readyz',
  endpoint: 'readyz',
  access: 'health',
  operation: readyzOperation,
  handle,
};
export const healthz: Route = {
  method: 'GET',
  path: '/healthz',
  endpoint: 'readyz',
  access: 'health',
  operation: healthzOperation,
  handle,
};
