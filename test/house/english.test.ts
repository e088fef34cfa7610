/** Comments and texts of the program are in plain English. Each banned phrase has a replacement. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { noGit, read, trackedFiles } from './checkout.js';

/** Folders whose comments and texts are checked. */
const ROOMS = ['.ci', 'bench', 'deploy', 'examples', 'native', 'scripts', 'src', 'test'];

/** Files with banned phrases as test data. */
const DATA = new Set([
  'test/embed/onnx/presets.test.ts',
  'test/house/english.test.ts',
  'test/ingest/passages.test.ts',
]);

/** Files with comments and texts: sources, manifests and configuration. */
const SOURCES = /\.(?:tsx?|mjs|rs|cpp|h|toml|conf|cfg|service|sysusers)$|^\.ci\/run$|Dockerfile$/;

/** Banned phrase → what to write. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bwhere (?:there (?:is|are|was|were)|nobody|nothing|it has none)\b/i, '"if"'],
  [/\bwhere not\b/i, '"otherwise"'],
  [/(?:\bundefined|\bNaN|\babsent|@throws \w+ `\w+`) where\b/i, '"if"'],
  [/\b(?:whoever|nobody|somebody|anybody)\b/i, 'the noun: process, client, caller, request, user'],
  [/\b(?:he|his|himself)\b/i, 'the noun, or "it" for a process or thread'],
  [/\bso (?:many|much)\b/i, 'the name of the number'],
  [/\bas (?:many|much|long|far) as there (?:is|are)\b/i, '"all", or the name of the limit'],
  [/\bbehind (?:its|their|his) backs?\b/i, 'what happens meanwhile'],
  [/\bby the way\b/i, '"also", or nothing'],
  [/\blook(?:s|ed|ing)? at\b/i, '"read", "scan" or "check"'],
  [/\bpass(?:es|ed) over\b/i, '"ignore" or "skip"'],
  [/\bwhat (?:is|was) (?:looked|asked|wished) for\b/i, 'the noun'],
  [/\bwhat comes (?:with|out|of)\b/i, 'the noun'],
  [/\b(?:is|are) another one\b/i, '"changes" or "differs"'],
  [/\bgo(?:es)? by (?:it|this|that|one)\b/i, '"use" or "depend on"'],
  [/\bcounts? for nothing\b/i, '"is ignored"'],
  [/\b(?:leave|leaves|left) (?:it |them )?away\b/i, '"omit"'],
  [/\bno other than\b/i, '"only"'],
  [/\bcan not\b/i, '"cannot"'],
  [/\b(?:is|are|was|were) to be\b/i, '"must be", or the active voice'],
  [/\bmend(?:s|ed|ing)?\b/i, '"fix" or "repair"'],
  [/\bso that one that\b/i, 'a sentence of its own'],
  [/\b(?:lets? go of|gives? back)\b/i, '"release", "free" or "return"'],
  [/\bkeeps? book\b/i, '"tracks"'],
  [/\bfor want of\b/i, '"because … is missing"'],
  [/\bwhich there (?:is|are) not?\b/i, '"which does not exist"'],
  [/\btakes? (?:it|them|that|this) for\b/i, '"treats … as"'],
  [/\bdo(?:es)? not fit together\b/i, '"is inconsistent"'],
  [/\bhowever (?:many|much|long|few)\b/i, '"for every", or the limit'],
  [/\bcomes? by\b/i, 'the verb of the field'],
  [/\b(?:in silence|without a word)\b/i, '"without an error" or "silently"'],
  [/\bnow and then\b/i, '"at intervals", or the interval'],
  [/\bcuts? short\b/i, '"incomplete" or "interrupted"'],
  [/\banew\b/i, '"again"'],
  [/\b(?:one|\d+) an? (?:minute|passage|query|row|second|text|worker)\b/i, '"per"'],
];

/** Pages that users read. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'BENCHMARKS.md',
  'ARCHITECTURE.md',
];

describe('English', { skip: noGit }, () => {
  test('README and the pages of docs/ have no banned phrase', () => {
    const pages = [...PAGES, ...trackedFiles('docs').filter((file) => file.endsWith('.md'))];
    assert.ok(pages.length > PAGES.length + 5);
    assert.deepEqual(
      pages.flatMap((page) => pageFaults(page, read(page))),
      [],
    );
  });

  test('a phrase is found in a page, also across a line break, but not in code', () => {
    const page = ['# Title', 'If it works, where', 'there is one.', '```', 'nobody', '```'].join('\n');
    assert.deepEqual(pageFaults('a.md', page), ['a.md: "where there is"; write "if"']);
  });

  test('comments and strings have no banned phrase', () => {
    const files = trackedFiles(...ROOMS).filter((file) => SOURCES.test(file) && !DATA.has(file));
    assert.ok(files.length > ROOMS.length);
    assert.deepEqual(
      files.flatMap((file) => faultsOf(file, read(file))),
      [],
    );
  });

  test('a phrase is found in comments and strings, also across a line break, with its line', () => {
    const source = [
      '/**',
      ' * Kept for',
      ' * whoever asks, where',
      ' * there is one.',
      ' */',
      'const nobody = 1; // by the way',
      "const text = 'can not be read';",
    ].join('\n');
    assert.deepEqual(
      faultsOf('a.ts', source).map((fault) => fault.replace(/;.*/, '')),
      ['a.ts:3: "whoever"', 'a.ts:3: "where there is"', 'a.ts:6: "by the way"', 'a.ts:7: "can not"'].sort(),
    );
  });

  test('a phrase is found in comments and strings of Rust, C++ and shell', () => {
    const rust = ['/// Kept, where', '/// there is one.', 'let nobody = "can not"; // by the way'].join('\n');
    const shell = ['# Mends it.', 'echo "so many"'].join('\n');
    assert.deepEqual(
      [...faultsOf('a.rs', rust), ...faultsOf('run', shell)].map((fault) => fault.replace(/;.*/, '')),
      [
        'a.rs:1: "where there is"',
        'a.rs:3: "by the way"',
        'a.rs:3: "can not"',
        'run:1: "Mends"',
        'run:2: "so many"',
      ],
    );
  });
});

/** Banned phrases in the prose of a Markdown page, as `file: "phrase"; write …`. */
function pageFaults(page: string, markdown: string): string[] {
  const words = markdown.replace(/^```[\s\S]*?^```/gm, '').replaceAll('\n', ' ');
  return BANNED.flatMap(([phrase, instead]) => {
    const match = phrase.exec(words);
    return match ? [`${page}: "${match[0]}"; write ${instead}`] : [];
  });
}

/** Banned phrases in the comments and strings of a source, as `file:line: "phrase"; write …`. */
function faultsOf(file: string, text: string): string[] {
  const faults = prose(file, text).flatMap(({ line, lines }) => {
    const words = lines.join(' ');
    return BANNED.flatMap(([phrase, instead]) => {
      const match = phrase.exec(words);
      if (!match) return [];
      const at = line + lines.join('\n').slice(0, match.index).split('\n').length - 1;
      return [`${file}:${at}: "${match[0]}"; write ${instead}`];
    });
  });
  return faults.sort();
}

interface Prose {
  /** Line of the source on which it begins, from 1. */
  line: number;
  /** Its lines, without comment marks. */
  lines: string[];
}

/** Comments and string literals of a source. */
function prose(file: string, text: string): Prose[] {
  return /\.(?:ts|mjs)$/.test(file) ? scriptProse(file, text) : lineProse(text);
}

/** Comments of adjacent lines, and string literals of one line, of languages other than TypeScript. */
function lineProse(text: string): Prose[] {
  const found: Prose[] = [];
  let comment: Prose | undefined;
  for (const [n, line] of text.split('\n').entries()) {
    const words = /^\s*(?:\/\/[/!]?|\/\*|\*|#)(.*)$/.exec(line)?.[1]?.trim();
    if (words === undefined) {
      comment = undefined;
      for (const [literal] of line.matchAll(/"[^"]*"|\/\/.*$/g))
        found.push({ line: n + 1, lines: [literal] });
    } else if (comment) comment.lines.push(words);
    else {
      comment = { line: n + 1, lines: [words] };
      found.push(comment);
    }
  }
  return found;
}

/** Comments and string literals of TypeScript or JavaScript. */
function scriptProse(file: string, text: string): Prose[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found = new Map<number, string>();
  const add = (start: number, end: number) => found.set(start, text.slice(start, end));
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) add(pos, end);
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) add(pos, end);
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) add(node.getStart(source), node.end);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found].map(([start, own]) => ({
    line: source.getLineAndCharacterOfPosition(start).line + 1,
    lines: own.split('\n').map((one) =>
      one
        .trim()
        .replace(/^\/?\*+\/?/, '')
        .trim(),
    ),
  }));
}
