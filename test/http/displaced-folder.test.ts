/** A data folder that is renamed, deleted or replaced under a running server. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AccessStore } from '../../src/access/store.js';
import { serverPort } from '../../src/engine.js';
import { type Server, startServer } from '../../src/http/server.js';
import { type Engine, open } from '../../src/index.js';
import { createLog } from '../../src/observe/log.js';
import { ADAPTERS } from '../adapters.js';
import { COVERAGE, LOCAL, SEMANTIC } from '../api/service.js';
import { until } from '../until.js';

const SECRET = 'a secret of the administration for tests';

for (const adapter of ADAPTERS) {
  describe(`a data folder under a running server (${adapter})`, () => {
    let above: string;
    let data: string;
    let engine: Engine;
    let access: AccessStore;
    let server: Server;
    let key: string;

    beforeEach(async () => {
      above = mkdtempSync(join(tmpdir(), 'priorart-displaced-'));
      data = join(above, 'data');
      engine = await open(data, { create: true, workers: 1 });
      const keys = AccessStore.open(join(data, 'access'));
      const account = await keys.createAccount({ name: 'Example', plan: 'enterprise' });
      key = (await keys.createKey({ account: account.id, environment: 'test', name: 'test' })).secret;
      await keys.close();
      access = AccessStore.open(join(data, 'access'), { create: false });
      server = await startServer({
        engine: serverPort(engine),
        access,
        log: createLog('fatal', { write() {} }),
        config: {
          ...{ ...LOCAL, httpAdapter: adapter },
          adminSecret: SECRET,
        },
      });
    });
    afterEach(async () => {
      await stop();
      rmSync(above, { recursive: true, force: true });
    });

    /** Writes all pending data and closes the server. */
    async function stop(): Promise<void> {
      await server.close();
      await engine.close();
      await access.close();
    }

    const ask = (path: string, init?: RequestInit) => fetch(server.url + path, init);
    const search = () =>
      ask(SEMANTIC, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: '{"query":"fuel cell"}',
      });
    const bearer = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' };
    const makeAccount = () =>
      ask('/admin/api/v1/accounts', {
        method: 'POST',
        headers: bearer,
        body: JSON.stringify({ name: randomUUID(), plan: 'free' }),
      });
    const readiness = async () => {
      const answer = await ask('/readyz');
      return [answer.status, ((await answer.json()) as { detail?: string }).detail];
    };
    /** Every call that makes a server write. */
    async function callAll(): Promise<number[]> {
      const answers = [
        await search(),
        await makeAccount(),
        await ask('/admin/api/v1/usage', { headers: bearer }),
      ];
      await ask(COVERAGE);
      return answers.map(({ status }) => status);
    }
    const REFUSED = [503, 503, 503];

    // Before its first call, a server has neither log nor counters, and would create them.
    for (const called of [false, true]) {
      const when = called ? 'after calls' : 'before the first call';

      it(`renamed ${when}: not ready, no folder replaces it, and all works when it is back`, async () => {
        if (called) assert.deepEqual(await callAll(), [200, 201, 200]);
        const aside = join(above, 'aside');
        renameSync(data, aside);
        assert.match(String(await readiness()), /^503,not ready: the data folder was deleted or renamed/);
        assert.deepEqual(await callAll(), REFUSED);
        await assert.rejects(engine.ingest('fixtures'), { code: 'unavailable' });
        assert.equal(existsSync(data), false);
        renameSync(aside, data);
        await until(async () => (await ask('/readyz')).status === 200, 'ready again');
        assert.deepEqual(await callAll(), [200, 201, 200]);
      });

      it(`deleted ${when}: not ready, and no folder replaces it`, async () => {
        if (called) assert.deepEqual(await callAll(), [200, 201, 200]);
        rmSync(data, { recursive: true });
        assert.match(String(await readiness()), /^503,not ready: the data folder was deleted or renamed/);
        assert.deepEqual(await callAll(), REFUSED);
        await assert.rejects(engine.ingest('fixtures'), { code: 'unavailable' });
        await stop();
        assert.deepEqual(readdirSync(above), []);
      });

      for (const by of ['an empty folder', 'a copy of it'] as const) {
        it(`replaced by ${by} ${when}: not ready, the other folder is unchanged, and all works when it is back`, async () => {
          if (called) assert.deepEqual(await callAll(), [200, 201, 200]);
          const aside = join(above, 'aside');
          renameSync(data, aside);
          if (by === 'a copy of it') cpSync(aside, data, { recursive: true });
          else mkdirSync(data);
          const before = contentOf(data);
          const why = by === 'a copy of it' ? 'replaced by another' : 'deleted or renamed';
          assert.match(String(await readiness()), new RegExp(`^503,not ready: the data folder was ${why}`));
          assert.deepEqual(await callAll(), REFUSED);
          await assert.rejects(engine.ingest('fixtures'), { code: 'unavailable' });
          await assert.rejects(engine.delete(['KR1020200000001A']), { code: 'unavailable' });
          assert.deepEqual(contentOf(data), before);
          rmSync(data, { recursive: true });
          renameSync(aside, data);
          await until(async () => (await ask('/readyz')).status === 200, 'ready again');
          assert.deepEqual(await callAll(), [200, 201, 200]);
        });
      }
    }
  });
}

/** Sorted names of all entries of a folder. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}
