/** docs/errors.md: every code, with the program's texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.js';
import { ERROR_HELP, SHOWN_CODES, shownCode, statusOf } from '../../src/http/error-codes.js';
import { read } from './checkout.js';

const PAGE = read('docs/errors.md');
/** Codes of the first column, in order. */
const CODES = [...PAGE.matchAll(/^\| (?:\d{3} )?`([a-z_]+)` \|/gm)].map((match) => match[1]!);
const INNER = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => shownCode(code) !== code);

test('docs/errors.md has each public code with status, meaning and remedy', () => {
  for (const code of SHOWN_CODES) {
    const { means, solve } = ERROR_HELP[code];
    const row = `| ${statusOf(code)} \`${code}\` | ${means} | ${solve} |`;
    assert.ok(PAGE.includes(row), row);
  }
});

test('docs/errors.md has each other code once, and no unknown code', () => {
  assert.deepEqual([...CODES].sort(), Object.keys(ERROR_STATUS).sort());
});

test('docs/errors.md names the codes that are answered as other codes', () => {
  const asInvalid = INNER.filter((code) => shownCode(code) === 'invalid_request');
  const sentence = /((?:`[a-z_]+`[,\s]+(?:and\s+)?)+)are answered as `invalid_request`/.exec(PAGE)![1]!;
  assert.deepEqual([...sentence.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]).sort(), asInvalid.sort());
  const others = INNER.filter((code) => shownCode(code) !== 'invalid_request');
  assert.ok(others.every((code) => shownCode(code) === 'internal'));
});
