/** Links within the repository's documents have existing targets. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { noGit, ROOT, read, trackedFiles } from './checkout.js';
import { linksOf } from './docs.js';

/** Anchors of headings as code hosts make them: lower case, words joined by hyphens. */
function anchorsOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The fault of a link of a page; undefined if it has none. */
function fault(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(join(ROOT, target))) return `${page}: ${target} does not exist`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(read(target)).includes(anchor)
    ? undefined
    : `${page}: ${target} has no heading #${anchor}`;
}

test('links within the documents lead to files and headings', { skip: noGit }, () => {
  const pages = trackedFiles().filter((file) => file.endsWith('.md'));
  assert.ok(pages.includes('docs/operations.md'));
  const faults = pages.flatMap((page) => linksOf(read(page)).map((link) => fault(page, link)));
  assert.deepEqual(faults.filter(Boolean), []);
});

test('a broken link is found', () => {
  assert.deepEqual(linksOf('[a](b.md#c) `[d](e)` [f](https://g.example)'), ['b.md#c']);
  assert.deepEqual(anchorsOf('# What `uWebSockets.js` answers itself\n'), [
    'what-uwebsocketsjs-answers-itself',
  ]);
  assert.match(fault('docs/operations.md', 'nowhere.md')!, /nowhere\.md does not exist/);
  assert.match(fault('docs/operations.md', '#nowhere')!, /no heading/);
});
