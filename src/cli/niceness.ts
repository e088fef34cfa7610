/** What a command gives up of its share of the processors, so that searches beside it are as fast as without it. */
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process, all threads that it has and will have, as `nice` does; never raises it. What
 * cannot be lowered stays as it is, which costs a search some time and nothing else.
 * @param niceness 0 (as it is) to 19, as in nice(1)
 */
export function beNice(niceness: number): void {
  // On Linux a priority belongs to a thread, and some are there before the first line of a program runs.
  const ids = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const id of ids) {
    try {
      if (getPriority(id) < niceness) setPriority(id, niceness);
    } catch {
      // The thread has ended, or the system does not let us.
    }
  }
}
