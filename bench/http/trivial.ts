/**
 * `node trivial.js DATA ADAPTER`: the whole server, with its keys, limits, log and metrics, over an engine that answers
 * at once. Measures the cost of a request without its search.
 */
import { AccessStore } from '../../src/access/store.js';
import { accessDir } from '../../src/cli/access-folder.js';
import { startServer } from '../../src/http/server.js';
import { loadConfig } from '../../src/load-config.js';
import { createLog } from '../../src/observe/log.js';
import { bufferedOutput } from '../../src/observe/log-output.js';
import { trivialEngine } from './trivial-engine.js';

const [data = '', httpAdapter = ''] = process.argv.slice(2);
const config = loadConfig({ env: {}, flags: { port: '0', httpAdapter, rateLimit: '1000000' } });
const access = AccessStore.open(accessDir(data), { create: false });
const output = bufferedOutput();
const log = createLog('info', output);
const server = await startServer({ engine: trivialEngine, access, log, config });
process.once('SIGTERM', async () => {
  await server.close();
  await access.close();
  output.flushSync();
});
