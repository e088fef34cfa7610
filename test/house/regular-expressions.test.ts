/**
 * The time of every regular expression is linear in its text. Users write the texts, and one malicious text could
 * otherwise stop an event loop or an ingest for minutes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { env } from 'node:process';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { noGit, ROOT, read, trackedFiles } from './checkout.js';
import { constructed, constructs, writtenExpressions } from './regular-expressions.js';

/** The checker in JavaScript, which needs no binary and no second process. */
env['RECHECK_BACKEND'] = 'pure';

/**
 * Three rounds of guessing, for expressions with assertions; ten rounds find nothing more. No time limits, because
 * results would then depend on the machine's load.
 */
const SETTINGS = {
  maxIteration: 3,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  timeout: 600_000,
} as const;

/** Linear expressions that the checker reports as slow: source → reason. */
const FALSE_ALARMS = new Map<string, string>([]);

/** Files that build expressions from arguments, with the reason why this is safe. */
const OF_ARGUMENTS = new Map<string, string>([
  ['src/ingest/readers/damaged-xml.ts', 'of the names of elements, which readers name'],
  ['src/ingest/split.ts', 'of the names of elements, which readers name'],
  ['src/search/markdown.ts', 'of a label: test/search/markdown.test.ts'],
]);

type Check = typeof import('recheck').checkSync;
let check: Check;

before(async () => {
  ({ checkSync: check } = await import('recheck'));
});

/** The fault of an expression; undefined if its time is linear. */
function complaint(source: string, flags: string): string | undefined {
  if (FALSE_ALARMS.has(source)) return undefined;
  const found = check(source, flags, SETTINGS);
  if (found.status === 'safe') return undefined;
  const why = found.status === 'vulnerable' ? found.complexity.summary : found.error.kind;
  return `/${source}/${flags}: ${why}`;
}

const sources = noGit ? [] : trackedFiles('src').filter((path) => /\.([cm]?ts|js)$/.test(path));

describe('regular expressions', { skip: noGit }, () => {
  test('expressions in src are linear', () => {
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const path of sources) {
      for (const { source, flags, line } of writtenExpressions(path, read(path))) {
        const key = `/${source}/${flags}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const why = complaint(source, flags);
        if (why !== undefined) wrong.push(`${path}:${line}: ${why}`);
      }
    }
    assert.ok(seen.size > 200, 'the expressions were found');
    assert.deepEqual(wrong, []);
  });

  test('expressions that modules build while they load are linear, too', async () => {
    const putTogether = sources.filter((path) => constructs(path, read(path)).atOnce);
    const found = await constructed(async () => {
      for (const path of putTogether) {
        const compiled = path.replace(/\.ts$/, '.js');
        await import(pathToFileURL(join(ROOT, 'dist', compiled)).href);
      }
    });
    assert.ok(found.length >= putTogether.length && putTogether.length > 3, 'the expressions were caught');
    assert.deepEqual(
      found.flatMap(({ source, flags }) => complaint(source, flags) ?? []),
      [],
    );
  });

  test('expressions built from arguments are in files of the list', () => {
    const later = sources.filter((path) => constructs(path, read(path)).later);
    assert.deepEqual(later, [...OF_ARGUMENTS.keys()]);
  });

  test('a planted expression is found in any notation', () => {
    const planted = [
      'const a = /^bearer +(\\S.*?) *$/i;',
      "const a = new RegExp('\\\\s+$');",
      "const schema = { pattern: '^(a+)+$' };",
      'text.replace(/(?:a|a)*b/g, "")',
    ];
    for (const text of planted) {
      const [written, ...more] = writtenExpressions('src/a.ts', text);
      assert.ok(written && more.length === 0, text);
      assert.ok(complaint(written.source, written.flags), text);
    }
  });
});
