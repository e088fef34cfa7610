/** A re-embedding in a process of its own, with small segments, that may kill itself so many ms after an event. */
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
