/**
 * A hook of Node's module loader for the conformance suite of MCP, which imports `globSync` of `fs`: Node 20 has no such
 * function. The commands that the tests run do not call it. To be given to Node as `--import`.
 */
import * as fs from 'node:fs';
import { register } from 'node:module';

const WITH_GLOB = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined;`;
const HOOK = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(WITH_GLOB)}`)}, shortCircuit: true }
    : next(name, context);`;

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
