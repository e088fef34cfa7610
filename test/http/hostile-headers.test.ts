/** Header fields that could be slow to parse. They need no credential and are parsed on the event loop. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { it } from 'node:test';
import { SecretGuard } from '../../src/access/secret-guard.js';
import type { HttpRequest } from '../../src/http/adapters/adapter.js';
import { type Administration, requireAdministrator } from '../../src/http/admission/administrator.js';
import { trustingProxies } from '../../src/http/admission/client-address.js';

const LONGEST_MS = 1_000;

function quickly(work: () => void): void {
  const started = performance.now();
  work();
  assert.ok(
    performance.now() - started < LONGEST_MS,
    `expected at most ${LONGEST_MS} ms: ${performance.now() - started} ms`,
  );
}

/** The secret in a header, as the administration parses it. */
function secretIn(authorization: string): string | undefined {
  let seen: string | undefined;
  const secret = {
    matches(text: string) {
      seen = text;
      return true;
    },
  };
  const guard = new SecretGuard();
  try {
    requireAdministrator(
      { headers: { authorization }, method: 'GET', remoteAddress: '::1' } as unknown as HttpRequest,
      { secret, guard } as unknown as Administration,
    );
  } catch {
    // Sends a request with a secret.
  }
  return seen;
}

it('a secret with many blanks is parsed in linear time', () => {
  quickly(() => {
    const blanks = ' '.repeat(100_000);
    assert.equal(secretIn(`Bearer a${blanks}b`), `a${blanks}b`);
    assert.equal(secretIn(`Bearer ${blanks}x${blanks}`), 'x');
    assert.equal(secretIn(`Bearer${blanks}`), undefined);
  });
  assert.equal(secretIn('bEARER a b'), 'a b');
  assert.equal(secretIn('Basic abc'), undefined);
});

it('an address with many blanks is parsed in linear time', () => {
  const read = trustingProxies('1', 'forwarded');
  quickly(() => {
    const forwarded = `for=${' '.repeat(3_000)}""x, for=1.2.3.4`;
    assert.equal(read('9.9.9.9', { forwarded }), '1.2.3.4');
    assert.equal(read('9.9.9.9', { forwarded: `for${' '.repeat(100_000)}=1.2.3.4` }), '1.2.3.4');
  });
  assert.equal(read('9.9.9.9', { forwarded: 'proto=https; FOR = "[2001:db8::1]:4711" ' }), '2001:db8::1');
});
