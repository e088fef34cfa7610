/**
 * The HTTP adapters that load here. uWebSockets.js has no binary for some versions of Node, of glibc and of processors; its tests
 * are skipped then, and a test says so.
 */
import { test } from 'node:test';
import { createNodeAdapter } from '../src/http/adapters/node.js';
import { createUwsAdapter, loadUws } from '../src/http/adapters/uws.js';

export type AdapterName = 'node' | 'uws';

/** Why tests of uWebSockets.js are skipped; false if it loads. */
export const uwsIsMissing: string | false = (() => {
  try {
    loadUws();
    return false;
  } catch (error) {
    return `uWebSockets.js does not load: ${String(error)
      .split('\n')
      .find((line) => /uws_|uWebSockets/.test(line))}`;
  }
})();

export const CREATE = { node: createNodeAdapter, uws: createUwsAdapter };

/**
 * Whether the binary is of a later version than that for Node 20: its parser accepts more names of header fields and request lines
 * in pieces, and answers large heads itself.
 */
export const hasLaterParser = Number(process.versions.modules) >= 127;

/** The fastest last. */
export const ADAPTERS: readonly AdapterName[] = uwsIsMissing ? ['node'] : ['node', 'uws'];

// Not in processes that tests start: it would be in their output.
if (uwsIsMissing && process.argv[1]?.endsWith('.test.js'))
  test('uWebSockets.js', { skip: uwsIsMissing }, () => {});
