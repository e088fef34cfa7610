/**
 * A child process of servers.test.ts: a server with an engine that answers from memory after a delay, and fails on
 * request. Sends its address when it listens.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AccessStore } from '../../src/access/store.js';
import { startServer } from '../../src/http/server.js';
import { createLog } from '../../src/observe/log.js';
import { LOCAL, MemoryEngine } from '../api/service.js';

const [dir, adapter, rateLimit, queries] = process.argv.slice(2);
const engine = new MemoryEngine();
const answer = engine.search;
engine.search = async (query) => {
  await sleep(Math.random() * 20);
  if (query.query === 'fail') throw new Error('as asked');
  return answer(query);
};
const access = AccessStore.open(dir!, { create: false });
const server = await startServer({
  engine,
  access,
  log: createLog('info'),
  config: {
    ...LOCAL,
    httpAdapter: adapter as 'uws' | 'node',
    rateLimit: Number(rateLimit),
    publicRateLimit: 20,
    requestLogQueries: queries === 'on' ? 'on' : 'off',
  },
});
process.send!({ url: server.url });
process.once('SIGTERM', async () => {
  await server.close();
  await access.close();
  process.disconnect();
});
