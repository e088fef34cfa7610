import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { patentSchema } from '../../src/ingest/patent-schema.js';
import { analyticsSchema, detailsSchema, semanticSchema } from '../../src/search/schema.js';
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

/** README.md, and the pages of docs/. */
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('every npm script that README.md, CONTRIBUTING.md or a page of docs/ names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const text = [...PAGES, 'CONTRIBUTING.md'].map(read).join('');
  const named = [...text.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map((match) => match[1]!);
  assert.ok(named.includes('start'));
  assert.deepEqual(
    [...new Set(named)].filter((name) => !Object.hasOwn(scripts, name)),
    [],
  );
});

test('README.md is short, and its first screen has the two commands and their prerequisites', () => {
  const lines = read('README.md').trimEnd().split('\n');
  assert.ok(lines.length <= 150, `${lines.length} lines`);
  const screen = lines.slice(0, 24).join('\n');
  for (const word of ['npm start', 'npm test', 'Node ≥ 20', 'Rust', 'C++'])
    assert.ok(screen.includes(word), word);
});

test('docs/cli.md has every command', () => {
  const table = read('docs/cli.md');
  const rows = [...table.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].flatMap((row) =>
    [...row[1]!.matchAll(/`([\w-]+)`/g)].map((match) => match[1]!),
  );
  const commands = helpOf([]).commands.filter((name) => name !== 'help');
  assert.deepEqual(
    commands.filter((name) => !rows.includes(name)),
    [],
  );
});

/** Names in backquotes in the first column of a text's tables. */
function rowsOf(text: string): string[] {
  return [...text.matchAll(/^\| ([^|]*)\|/gm)].flatMap((row) =>
    [...row[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );
}

/** The text below a heading, up to the next one of the same level. */
function under(heading: string, page: string): string {
  const text = read(page);
  const from = text.indexOf(`\n## ${heading}\n`);
  assert.ok(from >= 0, `${page} has ## ${heading}`);
  const to = text.indexOf('\n## ', from + 1);
  return text.slice(from, to < 0 ? undefined : to);
}

test('docs/http.md has every field of a search and of statistics', () => {
  const search = rowsOf(under('Search', 'docs/http.md'));
  const statistics = rowsOf(under('Statistics', 'docs/http.md'));
  assert.deepEqual(
    Object.keys(semanticSchema.shape).filter((name) => !search.includes(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(analyticsSchema.shape).filter((name) => ![...search, ...statistics].includes(name)),
    [],
  );
  const details = under('Documents', 'docs/http.md');
  for (const name of Object.keys(detailsSchema.shape)) assert.ok(details.includes(`\`${name}\``), name);
});

test('docs/formats.md has exactly the fields of a record', () => {
  const rows = rowsOf(under('Your own documents: JSON Lines', 'docs/formats.md'));
  assert.deepEqual(rows.sort(), Object.keys(patentSchema.shape).sort());
});

const helps = new Map<string, { text: string; commands: string[] }>();

/** `--help` of a command of priorart, and the commands that its help lists. Cached. */
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

/** The error of a command line: an unknown command or option. Undefined for a valid command line. */
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

test('every priorart command and option in a document exists', () => {
  for (const page of PAGES)
    assert.deepEqual(commandLines(read(page)).map(wrongWith).filter(Boolean), [], page);
  for (const page of ['README.md', 'docs/cli.md'])
    assert.ok(commandLines(read(page)).length > 0, `${page} contains the command line`);
  assert.match(wrongWith(['no-such-command'])!, /no such command/);
});

test('the checks of the documents find planted mistakes', () => {
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
  const relative = ['work', 'x'].join('/');
  const text = `in ${a}/x and "${b}": https://example.org/${relative} ~/${relative}`;
  assert.deepEqual(machinePaths(text), [a, b]);
});
