/**
 * Writes NOTICE from the packages that the lockfiles compile into the addon or install with the package:
 * `node scripts/notice.mjs`. With `--check`, only checks whether the file is up to date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUNDLES, bundle, outputOf } from './setup/bundle.mjs';
import { reportFailure, runCaptured, SetupError } from './setup/child.mjs';
import { findRust } from './setup/prerequisites.mjs';
import { ROOT } from './setup.mjs';

/** One platform represents all: on others, only bindings to the system by the same authors differ. */
const PLATFORM = 'x86_64-unknown-linux-gnu';
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
const RULE = '-'.repeat(80);

async function cargoMetadata(...args) {
  const rust = await findRust();
  if (!rust) throw new SetupError('NOTICE lists crates, but Rust was not found; install it with rustup.');
  const command = ['metadata', '--locked', '--format-version', '1', ...args];
  // cargo prints the answer in one line; its other lines are about downloads.
  const { code, lines } = await runCaptured(rust.cargo, command, { cwd: join(ROOT, 'native') });
  const json = lines.find((line) => line.startsWith('{'));
  if (code !== 0 || !json)
    throw new SetupError(`cargo ${command.join(' ')} failed:\n\n${lines.slice(-20).join('\n')}`);
  return JSON.parse(json);
}

/** Crates whose code is in the addon. Excludes build scripts and macros, which only run during the build. */
async function compiledCrates() {
  const { packages, resolve } = await cargoMetadata('--filter-platform', PLATFORM);
  const byId = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set();
  const visit = (id) => {
    const isMacro = byId.get(id).targets.some((target) => target.kind.includes('proc-macro'));
    if (reached.has(id) || isMacro) return;
    reached.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg);
    }
  };
  visit(packages.find((crate) => crate.name === 'priorart-node').id);
  const all = await cargoMetadata();
  // faiss-sys contains the C++ sources of FAISS. It is downloaded for these sources and never compiled as a
  // crate.
  const carriers = all.packages.filter((crate) => crate.name === 'faiss-sys');
  return [...reached]
    .map((id) => byId.get(id))
    .filter((crate) => crate.source !== null)
    .concat(carriers);
}

/** Licence files of a crate, by name. */
function licenceFiles(folder) {
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|unlicense)/i.test(name) && !/third/i.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').trim() }));
}

/** Apache-2.0 if a crate offers it: the text is then this project's LICENSE. */
function chosenLicence({ name, license }) {
  if (!license)
    throw new SetupError(
      `${name} states no licence; check the crate and add its licence to scripts/notice.mjs.`,
    );
  return /\bApache-2\.0\b/.test(license) && !/ AND /.test(license) ? 'Apache-2.0' : license;
}

/** Standard text of a licence that a crate names without a copy. */
function standardText(crate, licence) {
  if (licence !== 'MIT')
    throw new SetupError(
      `${crate.name} contains no text of its licence, ${licence}; add the text to scripts/notice.mjs.`,
    );
  return `MIT License\n\nCopyright (c) ${crate.authors.join(', ') || `the authors of ${crate.name}`}\n\n${MIT}`;
}

function describeCrate(crate) {
  const files = licenceFiles(dirname(crate.manifest_path));
  const copyright = new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/^\s*(Copyright (?:\(c\) |©|\d).*)$/gim)].map((match) => match[1].trim()),
    ),
  );
  copyright.delete('Copyright [yyyy] [name of copyright owner]');
  const licence = chosenLicence(crate);
  const own =
    licence === 'Apache-2.0' ? [] : files.filter(({ name }) => !/apache/i.test(name)).map(({ text }) => text);
  if (licence !== 'Apache-2.0' && own.length === 0) own.push(standardText(crate, licence));
  const holder =
    copyright.size > 0 ? [...copyright] : crate.authors.length > 0 ? [`by ${crate.authors.join(', ')}`] : [];
  return { title: `${crate.name} ${crate.version}`, url: crate.repository, licence, holder, own };
}

/** FAISS is contained in another crate, with its own licence file. */
function describeFaiss(carrier) {
  const folder = join(dirname(carrier.manifest_path), 'faiss');
  const text = readFileSync(join(folder, 'LICENSE'), 'utf8').trim();
  const version = /project\(faiss\s+VERSION (\d+\.\d+\.\d+)/.exec(
    readFileSync(join(folder, 'CMakeLists.txt'), 'utf8'),
  )[1];
  const holder = [/^Copyright.*$/m.exec(text)[0]];
  const url = 'https://github.com/facebookresearch/faiss';
  return { title: `FAISS ${version}`, url, licence: 'MIT', holder, own: [text] };
}

/** SQLite is contained in another crate, too. It is in the public domain and has no licence file. */
function describeSqlite(carrier) {
  const header = readFileSync(join(dirname(carrier.manifest_path), 'sqlite3/sqlite3.h'), 'utf8');
  const [, version] = /^#define SQLITE_VERSION +"([\d.]+)"$/m.exec(header);
  return {
    title: `SQLite ${version}`,
    url: 'https://sqlite.org',
    licence: 'public domain',
    holder: [],
    own: [],
  };
}

/**
 * Licences that the lockfile does not state fully. For uWebSockets.js, npm says ISC, its default, because the
 * package was repacked; the LICENSE in it is that of uWebSockets.
 */
const NPM_LICENCES = {
  sharp:
    'Apache-2.0; its binaries for a platform link to libvips and its dependencies, LGPL-3.0-or-later, as ' +
    'shared libraries that can be replaced',
  'uWebSockets.js': 'Apache-2.0, © Alex Hultman; as repacked on npm under the name uwebsockets',
};

/** Licence of content-type 1.0.5, which the library of MCP contains without its licence file. */
const CONTENT_TYPE = `MIT License\n\nCopyright (c) 2015 Douglas Christopher Wilson\n\n${MIT}`;

/** Packages whose code is in the files that setup/bundle.mjs makes. */
async function describeBundles() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const lines = [];
  const texts = new Map([[CONTENT_TYPE, ['content-type']]]);
  for (const name of Object.keys(BUNDLES)) {
    const { metafile } = await bundle(ROOT, name, undefined, false);
    const folders = Object.keys(metafile.inputs).flatMap(
      (file) => /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
    );
    const own = name === 'mcp' ? ['  content-type 1.0.5 (MIT)'] : [];
    for (const folder of new Set(folders)) {
      const title = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      own.push(`  ${title} ${packages[folder].version} (${packages[folder].license ?? 'see below'})`);
      const text = licenceText(join(ROOT, folder), title, packages[folder].license);
      texts.set(text, [...new Set(texts.get(text)).add(title)]);
    }
    lines.push(`Contained in ${outputOf(name)} of the package:`, '', ...own.sort(), '');
  }
  return { lines, texts };
}

/** Text of the licence of an npm package. */
function licenceText(folder, title, licence) {
  const own = licenceFiles(folder)[0]?.text;
  if (own !== undefined) return own;
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const holder = typeof author === 'string' ? author : author?.name;
  return standardText({ name: title, authors: holder ? [holder] : [] }, licence);
}

/** Packages whose code is in dist/page, the bundle of the web page (setup/page.mjs). */
function describePage() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const names = ['preact', 'uplot'];
  const folders = names.map((name) => `node_modules/${name}`);
  return {
    lines: names.map((name, n) => `  ${name} ${packages[folders[n]].version} (MIT)`),
    texts: names.map((name, n) => [readFileSync(join(ROOT, folders[n], 'LICENSE'), 'utf8').trim(), [name]]),
  };
}

/** npm packages that come with `npm install priorart`. Their binaries for single platforms are not listed. */
function npmPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const listed = Object.entries(packages).filter(
    ([path, entry]) => path && !entry.dev && !entry.os && !entry.cpu,
  );
  return listed.map(([path, entry]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return `  ${name} ${entry.version} (${NPM_LICENCES[name] ?? entry.license ?? 'see its LICENSE'})`;
  });
}

/** The dictionaries of models/terms, with their licences. */
const TERM_SOURCES = [
  'CC-CEDICT (https://www.mdbg.net/chinese/dictionary?page=cc-cedict), CC BY-SA 4.0',
  'JMdict, by the Electronic Dictionary Research and Development Group (https://www.edrdg.org), used in conformance',
  '  with the licence of the Group, CC BY-SA 4.0',
  'Wiktionary, by its contributors, through open-dsl-dict/wiktionary-dict, CC BY-SA 3.0',
  'EJDict (https://github.com/kujirahand/EJDict), CC0 1.0',
  'dahlia/cjk-compsci-terms, CC BY-SA 4.0',
  'Chinese Open Wordnet, through the Open Multilingual Wordnet, under its own licence, joined by CILI and Open English',
  '  WordNet, CC BY 4.0',
  'hanja.txt of libhangul, Copyright (c) 2005, 2006 Choe Hwanjin, BSD-3-Clause',
  'Ontology of units of Measure, QUDT and Planteome, CC BY 4.0',
  'OpenStreetMap id-tagging-schema, ISC',
];

async function notice() {
  const crates = await compiledCrates();
  const parts = crates.map((crate) =>
    crate.name === 'faiss-sys' ? describeFaiss(crate) : describeCrate(crate),
  );
  parts.push(describeSqlite(crates.find(({ name }) => name === 'libsqlite3-sys')));
  parts.sort((a, b) => a.title.toLowerCase().localeCompare(b.title.toLowerCase(), 'en'));
  const bundles = await describeBundles();
  const page = describePage();
  const texts = new Map([...bundles.texts, ...page.texts]);
  for (const { title, own } of parts) {
    for (const text of own) texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  return [
    'priorart',
    'Licensed under the Apache License 2.0; see LICENSE.',
    '',
    'Compiled into the native addon (native/*.node), besides the Rust standard library (MIT OR Apache-2.0):',
    '',
    ...parts.flatMap(({ title, url, licence, holder }) => [
      `  ${title} (${licence}) ${url ?? ''}`.trimEnd(),
      ...holder.map((line) => `      ${line}`),
    ]),
    '',
    'Shipped with the package: models/static/model.bin, weights trained for priorart. The sources they were trained',
    'from, with their licences and attribution, are listed in models/static/README.md under "Data".',
    '',
    'Shipped with the package: models/terms/terms.bin, a table of translations of technical terms, under the Creative',
    'Commons Attribution-ShareAlike 4.0 International licence (https://creativecommons.org/licenses/by-sa/4.0/). It is',
    'adapted from:',
    '',
    ...TERM_SOURCES.map((source) => `  ${source}`),
    '',
    'What was changed: pairs of terms were chosen, cut to their stems and joined to groups; see models/terms/README.md.',
    '',
    ...bundles.lines,
    'Contained in dist/page of the package, the web page:',
    '',
    ...page.lines,
    '',
    'Installed with the package by npm, each under its own licence, and not contained in it:',
    '',
    ...[...new Set(npmPackages())].sort(),
    '',
    'Texts of the licences, other than Apache-2.0, of the compiled and contained parts:',
    ...[...texts].flatMap(([text, titles]) => ['', RULE, `${titles.join(', ')}`, RULE, '', text]),
    '',
  ].join('\n');
}

async function main(check) {
  const file = join(ROOT, 'NOTICE');
  const text = await notice();
  if (!check) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') === text) return undefined;
  throw new SetupError(
    'NOTICE does not match the lockfiles: run node scripts/notice.mjs and commit the result.',
  );
}

await main(process.argv.includes('--check')).catch(reportFailure);
