import assert from 'node:assert/strict';
import { type ErrorCode, PriorartError } from '../../src/errors.js';

export type Parse = (input: unknown) => unknown;

/** Expects an error with this code and a message that contains each of the words. */
export function refused(parse: Parse, input: unknown, code: ErrorCode, ...words: string[]): void {
  assert.throws(
    () => parse(input),
    (error: unknown) => {
      assert.ok(error instanceof PriorartError, `not a PriorartError: ${String(error)}`);
      assert.equal(error.code, code, error.message);
      for (const word of words) assert.ok(error.message.includes(word), `"${word}" not in: ${error.message}`);
      return true;
    },
  );
}

/** Expects an error with exactly this message. */
export function unhinted(parse: Parse, input: unknown, message: string): void {
  assert.throws(() => parse(input), { message });
}
