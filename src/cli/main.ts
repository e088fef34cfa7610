#!/usr/bin/env node
/**
 * `priorart`. The program is loaded when there are file descriptors for it: without them, loading its modules fails
 * with whatever Node says of the file that was not to be opened.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { FILE_DESCRIPTORS_MIN } from '../limits.js';

/** Whether so many files can be open at once. */
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

if (canOpen(FILE_DESCRIPTORS_MIN)) await import('./program.js');
else {
  process.stderr.write(
    `priorart: too few file descriptors; expected room for ${FILE_DESCRIPTORS_MIN} and one for each connection: ulimit -n 65536\n`,
  );
  process.exitCode = 1;
}
