/**
 * Puts the parts of the protocol's library that the program uses into one file, in the place of the file that imports
 * them. So the package needs no dependency of 8 MB.
 */
import { join } from 'node:path';

/** The file that imports the library, and nothing else; and its output. */
const SOURCE = 'src/mcp/sdk.ts';
const OUTPUT = 'dist/src/mcp/sdk.js';

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

/**
 * @param {string} root the checkout
 * @param {string} [outfile] default: in the place of the file
 */
export async function bundleSdk(root, outfile = join(root, OUTPUT)) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, SOURCE)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['zod', 'zod/*'],
    legalComments: 'eof',
    plugins: [withoutValidator],
    logLevel: 'error',
  });
}
