#!/usr/bin/env node
/**
 * Entry of `priorart`. Checks for file descriptors before it loads the program: without them, Node reports an
 * error about some module file.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { FILE_DESCRIPTORS_MIN } from '../limits.js';
import { holdSignals } from './early-signals.js';

/** Whether this number of files can be open at the same time. */
function canOpen(files: number): boolean {
  const open: number[] = [];
  try {
    while (open.length < files) open.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of open) closeSync(file);
  }
}

if (process.argv[2] === 'serve') holdSignals();
if (canOpen(FILE_DESCRIPTORS_MIN)) await import('./program.js');
else {
  process.stderr.write(
    `priorart: too few file descriptors; expected at least ${FILE_DESCRIPTORS_MIN} and one for each connection; raise the limit: ulimit -n 65536\n`,
  );
  process.exitCode = 1;
}
