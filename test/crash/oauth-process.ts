/**
 * Signs clients in, refreshes tokens and ends grants, as the authorization server does, and reports each change before
 * it begins and after it is on the disk.
 */
import { openSync, writeSync } from 'node:fs';
import { OAuthStore } from '../../src/http/oauth/store.js';

const [access, saidPath, round, most] = process.argv.slice(2) as [string, string, string, string];
const said = openSync(saidPath, 'a');
const DAY_MS = 86_400_000;

/** To the file, whose content survives with the disk, and to the process that kills this one. */
function say(line: object): void {
  const text = `${JSON.stringify(line)}\n`;
  writeSync(said, text);
  writeSync(1, text);
}

async function reported(
  line: { grant: string; token?: string; next?: string },
  work: () => Promise<unknown>,
) {
  say({ ...line, begins: true });
  await work();
  say(line);
}

const store = new OAuthStore(access);
await store.tendKeys();
for (let n = 0; n < Number(most); n++) {
  const grant = `grant_${round}_${n}`;
  const expires = Date.now() + DAY_MS;
  const token = (turn: number) => `refresh ${grant} ${turn}`;
  const record = { payload: { grantId: grant, text: 'x'.repeat(n % 700) }, expires };
  await reported({ grant, next: token(0) }, async () => {
    await store.put('Client', `client_${n % 5}`, { payload: { client_name: 'C' }, expires });
    await store.putConnection({
      ...{ id: grant, account: 'acc_1', client_id: `client_${n % 5}`, client_name: 'C', key: 'key_1' },
      ...{ scope: 's', created_at: new Date().toISOString(), expires_at: new Date(expires).toISOString() },
    });
    await store.put('Grant', grant, { payload: {}, expires });
    await store.put('RefreshToken', token(0), record);
  });
  for (let turn = 0; turn < n % 3; turn++) {
    await reported({ grant, token: token(turn), next: token(turn + 1) }, async () => {
      if (!(await store.consume('RefreshToken', token(turn)))) throw new Error(`${token(turn)} was used`);
      await store.put('AccessToken', `access ${grant} ${turn}`, record);
      await store.put('RefreshToken', token(turn + 1), record);
    });
  }
  if (n % 2 === 1) await reported({ grant }, () => store.endGrant(grant));
  if (n % 5 === 4) await store.sweep();
}
await store.close();
