import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootId } from '../../src/access/boot.js';

const failing = (fields: object) => () => {
  throw Object.assign(new Error('cannot be read'), fields);
};

describe('name of the boot', () => {
  it('is the same whenever it is asked for', () => {
    assert.equal(bootId(), bootId());
    assert.equal(
      bootId(() => ' 783665D0-8dcc-4e2f-a6bf-1c63c0da084b\n'),
      '783665d0-8dcc-4e2f-a6bf-1c63c0da084b',
    );
  });

  it('is absent only where the system never tells it', () => {
    for (const code of ['ENOENT', 'EACCES', 'EPERM']) assert.equal(bootId(failing({ code })), undefined);
    assert.equal(bootId(failing({ status: 1 })), undefined);
  });

  it('is an error where it could not be read this time: two processes must not count in two places', () => {
    for (const code of ['EMFILE', 'ENFILE', 'EIO', 'EAGAIN', 'ENOMEM'])
      assert.throws(() => bootId(failing({ code, status: null })), /cannot be read/);
    for (const text of ['', 'none', '../..']) assert.throws(() => bootId(() => text), /expected a UUID/);
  });
});
