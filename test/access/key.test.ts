import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWellFormed, KEY_PREFIX, newSecret, randomBase62 } from '../../src/access/key.js';
import { crc32 } from '../../src/store/crc32.js';

describe('API key text', () => {
  it('a key is psk_live_, 32 random base62 characters and a checksum of 6 characters', () => {
    const secrets = new Set(Array.from({ length: 1000 }, newSecret));
    assert.equal(secrets.size, 1000);
    for (const secret of secrets) {
      assert.match(secret, /^psk_live_[0-9A-Za-z]{38}$/);
      assert.ok(isWellFormed(secret), `expected a well-formed secret: ${secret}`);
    }
  });

  it('a key with a changed, missing or added character is refused', () => {
    const secret = newSecret();
    for (let i = 0; i < secret.length; i++) {
      const other = secret[i] === 'x' ? 'y' : 'x';
      assert.equal(isWellFormed(secret.slice(0, i) + other + secret.slice(i + 1)), false, `changed at ${i}`);
      assert.equal(isWellFormed(secret.slice(0, i) + secret.slice(i + 1)), false, `missing at ${i}`);
      assert.equal(isWellFormed(`${secret.slice(0, i)}x${secret.slice(i)}`), false, `added at ${i}`);
    }
    for (const text of [
      '',
      KEY_PREFIX,
      `Bearer ${secret}`,
      `${secret} `,
      secret.toUpperCase(),
      `${secret}\n`,
    ]) {
      assert.equal(isWellFormed(text), false, JSON.stringify(text));
    }
  });

  it('the checksum is the CRC-32 of the zip format', () => {
    // The check value in catalogues of CRCs, and two other known values.
    assert.equal(crc32(Buffer.from('123456789')), 0xcbf43926);
    assert.equal(crc32(Buffer.from('')), 0);
    assert.equal(crc32(Buffer.from('The quick brown fox jumps over the lazy dog')), 0x414fa339);
  });

  it('every character has equal probability', () => {
    const counts = new Map<string, number>();
    for (const c of randomBase62(620_000)) counts.set(c, (counts.get(c) ?? 0) + 1);
    assert.equal(counts.size, 62);
    // Chi-square with 61 degrees of freedom exceeds 130 about once in a million runs.
    let chi = 0;
    for (const n of counts.values()) chi += (n - 10_000) ** 2 / 10_000;
    assert.ok(chi < 130, `chi-square ${chi}`);
  });
});
