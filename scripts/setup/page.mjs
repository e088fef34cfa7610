/** Type-checks and bundles the web page (src/page) to dist/page, from which the server serves it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured, SetupError } from './child.mjs';
import { digestOf, filesUnder } from './digest.mjs';

const OUTPUT = 'dist/page';
const STAMP = `${OUTPUT}/.stamp`;
/** Modules and types of the server that the page imports. */
export const SHARED = [
  'src/access/log-records.ts',
  'src/access/records.ts',
  'src/limits.ts',
  'src/observe/figures.ts',
  'src/observe/observations.ts',
  'src/patent/claim-reference.ts',
  'src/patent/kind.ts',
  'src/patent/number-forms.ts',
  'src/patent/priority.ts',
  'src/search/public-types.ts',
];

/**
 * Bundles the page if one of its sources changed.
 * @param {string} root the checkout
 * @param {(text: string) => void} report
 * @returns {Promise<boolean>} whether it was bundled
 * @throws {SetupError} with the compiler's messages
 */
export async function bundlePage(root, report) {
  const files = [...filesUnder(root, 'src/page'), ...SHARED, 'package-lock.json', 'scripts/setup/page.mjs'];
  const digest = digestOf(root, files);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return false;
  rmSync(join(root, OUTPUT), { recursive: true, force: true });
  report('tsc');
  await checkTypes(root);
  report('esbuild');
  await bundle(root);
  writeFileSync(stamp, digest);
  return true;
}

async function checkTypes(root) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'src/page/view', '--pretty', 'false'];
  const { code, lines } = await runCaptured(process.execPath, args, { cwd: root });
  if (code !== 0) throw new SetupError(`The web page does not compile:\n\n${lines.slice(0, 60).join('\n')}`);
}

/** The names of scripts and styles hold a hash of their content, so browsers may keep them for ever. */
async function bundle(root) {
  const { build } = await import('esbuild');
  const page = join(root, 'src/page');
  const { outputFiles, metafile } = await build({
    entryPoints: [join(page, 'view/main.tsx')],
    outdir: join(root, OUTPUT),
    entryNames: 'page-[hash]',
    chunkNames: 'part-[name]-[hash]',
    // Titles of classes, a part for each language.
    loader: { '.tsv': 'text' },
    bundle: true,
    // Views that the first paint does not need are loaded when they are opened.
    splitting: true,
    metafile: true,
    minify: true,
    charset: 'utf8',
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    logLevel: 'error',
  });
  const icon = readFileSync(join(page, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase()}.svg`;
  const nameOf = (path) => path.split(/[\\/]/).at(-1);
  const [script, { imports }] = Object.entries(metafile.outputs).find(
    // Parts that are loaded later have entry points of their own.
    ([path, { entryPoint }]) => entryPoint?.endsWith('view/main.tsx') && path.endsWith('.js'),
  );
  const style = outputFiles.find(({ path }) => path.endsWith('.css')).path;
  const parts = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  const template = readFileSync(join(page, 'index.html'), 'utf8')
    .replace('{script}', nameOf(script))
    .replace('{style}', nameOf(style))
    .replace('{icon}', iconName);
  mkdirSync(join(root, OUTPUT), { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  writeFileSync(join(root, OUTPUT, iconName), icon);
  const write = (name, language, paths) => {
    const links = paths.map((path) => `<link rel="modulepreload" href="page/${nameOf(path)}" />`);
    const html = template
      .replace('<html lang="en">', `<html lang="${language}">`)
      .replace('{preloads}', links.join('\n    '));
    writeFileSync(join(root, OUTPUT, name), html);
  };
  write('index.html', 'en', parts);
  // The texts of another language are a part of their own, which the first paint needs.
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    const [, language] = /src\/page\/languages\/([a-z]+)\.ts$/.exec(entryPoint ?? '') ?? [];
    if (language) write(`index.${language}.html`, language, [...parts, path]);
  }
}
