/**
 * Refuses to run inside a bundle. The package loads its addon, workers and models by paths relative to its own files, which
 * a bundle does not have. The entry points of the package load this module first.
 */
import { existsSync } from 'node:fs';
import { PriorartError } from '../errors.js';

/** The folder of the addon's sources, which every install of the package has; undefined in a bundle. */
function nativeFolder(): URL | undefined {
  // A bundle in the form of CommonJS has no import.meta.url.
  if (!import.meta.url) return undefined;
  const folder = new URL('../../../native/', import.meta.url);
  return existsSync(new URL('Cargo.toml', folder)) ? folder : undefined;
}

const found = nativeFolder();
if (found === undefined) {
  throw new PriorartError(
    'addon_missing',
    'priorart was bundled, and its addon, its workers and its models are not beside the bundle; ' +
      'mark priorart as external, with esbuild by --external:priorart, and install it where the bundle runs',
  );
}

/** Folder of the addon, with its sources. */
export const NATIVE_FOLDER: URL = found;
