/**
 * A child process of stopped-process.test.ts. It takes the lock of a given file of the access store and stops itself
 * (SIGSTOP) while it holds the lock. When continued, it commits and reports.
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
