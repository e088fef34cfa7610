/** A re-embedding in a separate process, with small segments, that can kill itself some ms after an event. */
import { reembed } from '../../src/pool/reembed.js';

const [dir, models, json] = process.argv.slice(2) as [string, string, string];
const { killAt, killMs = 0, ...options } = JSON.parse(json) as { killAt?: number; killMs?: number };
let events = 0;
const summary = await reembed(dir, {
  models,
  workers: 1,
  ...options,
  onProgress: () => {
    if (++events !== killAt) return;
    if (killMs === 0) process.kill(process.pid, 'SIGKILL');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), killMs);
  },
});
process.stdout.write(JSON.stringify({ ...summary, events }));
