/** Which language a client prefers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { preferredLanguage } from '../../src/http/accept-language.js';

it('the language of the greatest weight, of equal ones the first, and none that is refused or unknown', () => {
  for (const [header, language] of [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['fr, de;q=0.9', undefined],
    ['ko', 'ko'],
    ['KO-kr', 'ko'],
    ['zh-Hant-TW, en;q=0.5', 'zh'],
    ['ko, ja', 'ko'],
    ['en;q=0.3, ja ; q=0.7', 'ja'],
    ['ko;q=0, en;q=0.1', 'en'],
    ['ko;q=x, ja', 'ja'],
    ['korean', undefined],
  ] as const)
    assert.equal(preferredLanguage(header, ['en', 'ko', 'ja', 'zh']), language, String(header));
});
