/** What operators see and do beside accounts and keys: all logs, passwords, sessions, ingests, health. */
import { PriorartError } from '../../../../errors.js';
import type { ListedFile } from '../../../../observe/observations.js';
import type { Route } from '../../../route.js';
import { keyNameSchema } from '../../account/schema.js';
import { answer, bodyOf, queryOf } from '../../answer.js';
import { readiness } from '../../health/readyz.js';
import { allLogsQuerySchema, filterOf } from '../../log-query.js';
import { ADMIN, adminOf } from '../admin.js';
import * as operations from './openapi.js';
import { ingestFailuresQuerySchema, ingestsQuerySchema, passwordInputSchema } from './schema.js';

const access = 'admin';
/** Files of the ledger in an answer. */
const LATEST_FILES = 200;
/** Runs in an answer. */
const LATEST_RUNS = 50;

export const allLogs: Route = {
  method: 'GET',
  path: `${ADMIN}/logs`,
  endpoint: 'admin.logs',
  access,
  operation: operations.allLogsOperation,
  async handle(call) {
    const asked = queryOf(call, allLogsQuerySchema);
    const { store, requests } = adminOf(call);
    const ofAccount = asked.account === undefined ? undefined : store.keysOf(store.account(asked.account).id);
    let keys = ofAccount?.map(({ id }) => id);
    if (asked.key !== undefined) {
      const { id } = store.key(asked.key);
      keys = keys === undefined || keys.includes(id) ? [id] : [];
    }
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
  handle(call) {
    const files = call.services.engine.sources?.() ?? [];
    // Files that were read in the same millisecond have an order, too: pages neither repeat nor lose one.
    files.sort((a, b) =>
      a.last_read === b.last_read ? (a.path < b.path ? -1 : 1) : a.last_read < b.last_read ? 1 : -1,
    );
    const { with_failures: withFailures, offset } = queryOf(call, ingestsQuerySchema);
    const listed = withFailures === 'true' ? files.filter(({ failed }) => failed > 0) : files;
    return answer({
      running: call.services.engine.running?.() ?? [],
      files: files.length,
      totals: totalsOf(files),
      runs: runsOf(files),
      listed: listed.length,
      latest: listed.slice(offset, offset + LATEST_FILES),
    });
  },
};

type Outcomes = Pick<ListedFile, 'ingested' | 'updated' | 'unchanged' | 'skipped' | 'failed' | 'bytes'>;

function totalsOf(files: readonly ListedFile[]): Outcomes {
  const totals: Outcomes = { ingested: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, bytes: 0 };
  for (const file of files)
    for (const name of Object.keys(totals) as (keyof Outcomes)[]) totals[name] += file[name];
  return totals;
}

/** The runs that read these files last, newest first. */
function runsOf(files: readonly ListedFile[]) {
  const byRun = new Map<string, ListedFile[]>();
  for (const file of files) {
    if (file.run === undefined) continue;
    const others = byRun.get(file.run);
    if (others) others.push(file);
    else byRun.set(file.run, [file]);
  }
  const newest = [...byRun].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, LATEST_RUNS);
  return newest.map(([started, read]) => ({
    ...{ started, files: read.length, files_with_failures: read.filter(({ failed }) => failed > 0).length },
    ...totalsOf(read),
  }));
}

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
