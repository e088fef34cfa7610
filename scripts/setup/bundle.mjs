/**
 * Puts the parts of large libraries that the program uses into one file each, in the place of the file that imports
 * them. So the package needs no dependencies of 8 MB for MCP, 2 MB for OAuth and 3 MB for metrics.
 */
import { join } from 'node:path';

/** The program validates no answers of clients, so their validator is left out, with half of the bytes. */
const NO_VALIDATOR = `
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('no validator');
  }
}
export { default as process } from 'node:process';
`;
const SHIMS = '@modelcontextprotocol/server/_shims';

const withoutValidator = {
  name: 'without validator',
  setup(build) {
    build.onResolve({ filter: /_shims$/ }, ({ path }) =>
      path === SHIMS ? { path, namespace: 'shims' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'shims' }, () => ({ contents: NO_VALIDATOR }));
  },
};

/** The authorization server writes advice for its settings to the terminal. */
const QUIET = 'export function info() {}\nexport function warn() {}\n';

const withoutAdvice = {
  name: 'without advice',
  setup(build) {
    build.onLoad({ filter: /oidc-provider\/lib\/helpers\/attention\.js$/ }, () => ({ contents: QUIET }));
  },
};

/** Packages for CommonJS call `require` for modules of Node. */
const WITH_REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** The files that import a library, and nothing else. */
export const BUNDLES = {
  mcp: { source: 'src/mcp/sdk.ts', external: ['zod', 'zod/*'], plugins: [withoutValidator] },
  // The library names the kinds of its records by its classes.
  oauth: {
    source: 'src/http/oauth/library.ts',
    plugins: [withoutAdvice],
    banner: { js: WITH_REQUIRE },
    keepNames: true,
  },
  metrics: { source: 'src/observe/prometheus.ts', banner: { js: WITH_REQUIRE } },
};

/** The compiled file that a bundle replaces. */
export function outputOf(name) {
  return `dist/${BUNDLES[name].source.replace(/\.ts$/, '.js')}`;
}

/** @param {string} root the checkout */
export async function bundleLibraries(root) {
  for (const name of Object.keys(BUNDLES)) await bundle(root, name);
}

/**
 * @param {string} root the checkout
 * @param {keyof typeof BUNDLES} name
 * @param {string} [outfile] default: in the place of the file
 * @returns the result of esbuild, with the files that it read
 */
export async function bundle(root, name, outfile, isWritten = true) {
  const { build } = await import('esbuild');
  const { source, ...options } = BUNDLES[name];
  return build({
    entryPoints: [join(root, source)],
    outfile: outfile ?? join(root, outputOf(name)),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'eof',
    metafile: true,
    write: isWritten,
    logLevel: 'error',
    ...options,
  });
}
