/** What a model is told to do after a failed call. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quotaExceeded } from '../../src/access/call-limits.js';
import { PriorartError } from '../../src/errors.js';
import { failureText } from '../../src/mcp/advice.js';

describe('advice after a failed call', () => {
  const cycle = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 1, 1) };
  const after = (running: boolean, now: number) =>
    failureText('search', quotaExceeded(30, cycle, now, running));

  it('does not contradict the message: a quota that running searches hold may be free soon', () => {
    const held = after(true, cycle.start);
    assert.match(held, /try again when they have ended\. Wait 1 s, then make the same call again\.$/);
    assert.match(after(false, cycle.start), /is used up; .* Do not call again: tell the user/);
    assert.match(after(false, cycle.end - 30_000), / Wait 30 s, then make the same call again\.$/);
  });

  it('says how long to wait, what to correct, or whom to tell', () => {
    const advised = (error: unknown) => failureText('search', error);
    assert.match(advised(new PriorartError('overloaded', 'busy', { retryAfter: 2.1 })), /busy\. Wait 3 s, /);
    assert.match(advised(new PriorartError('invalid_request', 'x: bad.')), /x: bad\. Correct the arguments/);
    assert.match(advised(new PriorartError('unauthorized', 'no key')), /has to configure a valid API key/);
    assert.match(advised(new TypeError('secret')), /^search failed: internal error\. /);
  });
});
