/** Creates the small files of a data folder and a line of the request log, and reports each. */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AdminSecret } from '../../src/access/admin-secret.js';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { linkSecret } from '../../src/drawings/secret.js';

const [dir, saidPath, key] = process.argv.slice(2) as [string, string, string];
const said = openSync(saidPath, 'a');
const say = (line: object) => writeSync(said, `${JSON.stringify(line)}\n`);
const folder = join(dir, 'access');

await AccessStore.open(folder).close();
new AdminSecret(folder).make();
say({ admin: true });
say({ links: linkSecret(dir) });
const log = RequestLog.ofFolder(folder);
log.add({
  ...{ key, time: Date.now(), requestId: 'first', endpoint: 'semantic', status: 200, ms: 1 },
  client: '127.0.0.1',
});
await log.flush();
say({ logged: 'first' });
await log.close();
