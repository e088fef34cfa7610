/**
 * A process of stopped-process.test.ts: told the name of a file of the access store, it takes the lock of that file, stops
 * itself (SIGSTOP) while it has it, and when it is continued commits and says so.
 */
import { join } from 'node:path';
import { native } from '../../src/index/native.js';

const dir = process.argv[2]!;

process.on('message', (name: string) => {
  const file = new native.Sqlite(join(dir, name), false, 10_000);
  file.rows('BEGIN IMMEDIATE', []);
  process.kill(process.pid, 'SIGSTOP');
  file.rows('COMMIT', []);
  file.close();
  process.send!('continued');
});
process.send!('ready');
