import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { noGit, ROOT, read, trackedFiles } from './checkout.js';
import { commandLines, foldersInHeadings, machinePaths } from './docs.js';

const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

test('ARCHITECTURE.md has one heading for each folder of src/ and native/', { skip: noGit }, () => {
  const folders = trackedFiles('src', 'native').flatMap(
    (file) => /^(?:src|native)\/[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  );
  assert.deepEqual(foldersInHeadings(read('ARCHITECTURE.md')).sort(), [...new Set(folders)].sort());
});

test('no file names a path of the machine it was written on', { skip: noGit }, () => {
  const found = trackedFiles().flatMap((file) => {
    const text = read(file);
    return text.includes('\0') ? [] : machinePaths(text).map((path) => `${file}: ${path}`);
  });
  assert.deepEqual(found, []);
});

test('NOTICE names what the lockfiles say is compiled in or installed', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/notice.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('every npm script that README.md or CONTRIBUTING.md names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [
    ...`${read('README.md')}${read('CONTRIBUTING.md')}`.matchAll(
      /npm (?:run )?(start|test|(?<=run )[\w:-]+)/g,
    ),
  ].map((match) => match[1]!);
  assert.deepEqual(
    [...new Set(named)].filter((name) => !Object.hasOwn(scripts, name)),
    [],
  );
});

const helps = new Map<string, { text: string; commands: string[] }>();

/** `--help` of a command of priorart, and the commands below it that the help lists; asked for once. */
function helpOf(words: readonly string[]): { text: string; commands: string[] } {
  const name = words.join(' ');
  const known = helps.get(name) ?? askHelp(words);
  helps.set(name, known);
  return known;
}

function askHelp(words: readonly string[]): { text: string; commands: string[] } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, ...words, '--help'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `priorart ${words.join(' ')} --help: ${stderr}`);
  const listed = /^Commands:\n((?: {2,}.*\n?)+)/m.exec(stdout)?.[1] ?? '';
  return { text: stdout, commands: [...listed.matchAll(/^ {2}(\w[\w-]*)/gm)].map((match) => match[1]!) };
}

/** What is wrong with a command line: a command or an option that does not exist. */
function wrongWith(words: readonly string[]): string | undefined {
  const path: string[] = [];
  let help = helpOf(path);
  for (const word of words) {
    if (help.commands.length === 0 || word.startsWith('-')) break;
    if (!help.commands.includes(word)) return `priorart ${[...path, word].join(' ')}: no such command`;
    path.push(word);
    help = helpOf(path);
  }
  const options = words.flatMap((word) => /^--[\w-]+/.exec(word)?.[0] ?? []);
  const unknown = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help.text));
  return unknown.length > 0 ? `priorart ${path.join(' ')}: no option ${unknown.join(', ')}` : undefined;
}

test('every priorart command and option that a document names exists', () => {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
  for (const page of pages.filter((name) => name.endsWith('.md')))
    assert.deepEqual(commandLines(read(page)).map(wrongWith).filter(Boolean), [], page);
  assert.ok(commandLines(read('README.md')).length > 0, 'README.md shows the command line');
  assert.match(wrongWith(['no-such-command'])!, /no such command/);
});

test('the checks of the documents find what they look for', () => {
  const markdown = [
    '# priorart',
    '## `src/patent/`: what is a patent?',
    '### native/core',
    '```sh',
    '$ npx priorart serve --port 9000 # comment',
    'priorart ingest \\',
    '  folder | less',
    '```',
    'Say `priorart keys create --name x`, not `priorart-x`.',
    '```',
    '## src/quoted',
    '```',
  ].join('\n');
  assert.deepEqual(foldersInHeadings(markdown), ['src/patent', 'native/core']);
  assert.deepEqual(commandLines(markdown), [
    ['serve', '--port', '9000'],
    ['ingest', 'folder'],
    ['keys', 'create', '--name', 'x'],
  ]);
  const [a, b] = ['home', 'root'].map((folder) => `/${folder}/kim`);
  assert.deepEqual(machinePaths(`in ${a}/x and "${b}": https://example.org/work/x ~/work/x`), [a, b]);
});
