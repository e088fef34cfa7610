/** Priority of commands beside a server: its searches must stay as fast as without them. */
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process and all its threads, as nice(1) does. Never raises it. A failure is
 * ignored: it only makes searches slower.
 * @param niceness 0 (unchanged) to 19, as in nice(1)
 */
export function beNice(niceness: number): void {
  // On Linux, each thread has a priority of its own, and Node has started threads before this runs.
  const ids = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const id of ids) {
    try {
      if (getPriority(id) < niceness) setPriority(id, niceness);
    } catch {
      // The thread has ended, or the system does not allow it.
    }
  }
}
