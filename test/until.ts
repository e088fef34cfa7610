/** Waiting for a condition: how long something takes depends on what else the machine does. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns when `condition` holds, which it looks at every few milliseconds.
 * @throws AssertionError with `what` when it does not within a minute
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const last = performance.now() + 60_000;
  while (!(await condition())) {
    assert.ok(performance.now() < last, `not within a minute: ${what}`);
    await sleep(5);
  }
}
