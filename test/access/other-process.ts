/** A child process of store.test.ts: opens the store as a server does and follows messages. */
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';

const dir = process.argv[2]!;
const store = AccessStore.open(dir, { create: false });

process.on('message', async (message: { verify?: string; createForever?: string }) => {
  if (message.verify !== undefined) process.send!(verify(message.verify));
  while (message.createForever !== undefined) {
    const made = await store.createKey({ account: message.createForever, environment: 'test', name: 'k' });
    process.send!({ made });
  }
});

function verify(secret: string): string {
  try {
    const result = store.verify(secret);
    return result.ok ? 'ok' : result.reason;
  } catch (error) {
    return isPriorartError(error) ? error.code : String(error);
  }
}
