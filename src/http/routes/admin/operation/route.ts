/** What operators see and do beside accounts and keys: all logs, passwords, sessions, ingests, health. */
import { PriorartError } from '../../../../errors.js';
import type { Route } from '../../../route.js';
import { keyNameSchema } from '../../account/schema.js';
import { answer, bodyOf, queryOf } from '../../answer.js';
import { readiness } from '../../health/readyz.js';
import { allLogsQuerySchema, filterOf } from '../../log-query.js';
import { ADMIN, adminOf } from '../admin.js';
import { overviewOf } from './ingest-overview.js';
import * as operations from './openapi.js';
import { ingestFailuresQuerySchema, ingestsQuerySchema, passwordInputSchema } from './schema.js';

const access = 'admin';
/** Files of the ledger in an answer. */
const LATEST_FILES = 200;

export const allLogs: Route = {
  method: 'GET',
  path: `${ADMIN}/logs`,
  endpoint: 'admin.logs',
  access,
  operation: operations.allLogsOperation,
  async handle(call) {
    const asked = queryOf(call, allLogsQuerySchema);
    const { store, requests } = adminOf(call);
    const keys = store.selectedKeys(asked);
    await requests.flush();
    const { limit, cursor } = asked;
    return answer(await requests.pageOfKeys(keys, limit, { filter: filterOf(asked), cursor }));
  },
};

export const setPassword: Route = {
  method: 'POST',
  path: `${ADMIN}/accounts/{account}/password`,
  endpoint: 'admin.password',
  access,
  operation: operations.setPasswordOperation,
  async handle(call) {
    const { password } = await bodyOf(call, passwordInputSchema);
    const { store } = adminOf(call);
    await store.passwords.set(store.account(call.parameters['account']!).id, password);
    return answer({});
  },
};

export const removePassword: Route = {
  method: 'DELETE',
  path: `${ADMIN}/accounts/{account}/password`,
  endpoint: 'admin.password',
  access,
  operation: operations.removePasswordOperation,
  async handle(call) {
    await adminOf(call).store.passwords.set(call.parameters['account']!, undefined);
    return answer({});
  },
};

export const endSessions: Route = {
  method: 'DELETE',
  path: `${ADMIN}/accounts/{account}/sessions`,
  endpoint: 'admin.sessions',
  access,
  operation: operations.endSessionsOperation,
  async handle(call) {
    await adminOf(call).store.passwords.endSessions(call.parameters['account']!);
    return answer({});
  },
};

export const renameKey: Route = {
  method: 'PATCH',
  path: `${ADMIN}/keys/{key}`,
  endpoint: 'admin.keys',
  access,
  operation: operations.renameKeyOperation,
  async handle(call) {
    const { name } = await bodyOf(call, keyNameSchema);
    return answer(await adminOf(call).store.renameKey(call.parameters['key']!, name));
  },
};

export const ingests: Route = {
  method: 'GET',
  path: `${ADMIN}/ingests`,
  endpoint: 'admin.ingests',
  access,
  operation: operations.ingestsOperation,
  async handle(call) {
    const { with_failures: withFailures, offset } = queryOf(call, ingestsQuerySchema);
    const { engine } = call.services;
    const { files, failing, totals, runs } = overviewOf((await engine.sources?.()) ?? []);
    const listed = withFailures === 'true' ? failing : files;
    return answer({
      running: engine.running?.() ?? [],
      files: files.length,
      totals,
      runs,
      listed: listed.length,
      latest: listed.slice(offset, offset + LATEST_FILES),
    });
  },
};

export const ingestFailures: Route = {
  method: 'GET',
  path: `${ADMIN}/ingests/failures`,
  endpoint: 'admin.ingests',
  access,
  operation: operations.ingestFailuresOperation,
  handle(call) {
    const { path } = queryOf(call, ingestFailuresQuerySchema);
    const file = call.services.engine.source?.(path);
    if (!file)
      throw new PriorartError('not_found', `path: there is no file ${JSON.stringify(path)} in the ledger`);
    return answer({ path, failed: file.failed, failures: file.failures ?? [] });
  },
};

export const healthFigures: Route = {
  method: 'GET',
  path: `${ADMIN}/health`,
  endpoint: 'admin.health',
  access,
  operation: operations.healthFiguresOperation,
  async handle(call) {
    const { services } = call;
    if (!services.figures) throw new PriorartError('not_found', 'there is no such endpoint');
    const maintenance = adminOf(call).store.maintenance();
    const [state, figures] = [await readiness(services), services.figures()];
    return answer({ ...state, ...(maintenance ? { maintenance } : {}), ...figures });
  },
};
