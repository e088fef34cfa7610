/** Waits for a condition instead of a time, because durations depend on the machine's load. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves when `condition` holds. Checks it every 5 ms.
 * @throws AssertionError with `what` after a minute
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const last = performance.now() + 60_000;
  while (!(await condition())) {
    assert.ok(performance.now() < last, `not within a minute: ${what}`);
    await sleep(5);
  }
}
