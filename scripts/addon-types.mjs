/**
 * Writes src/index/addon.ts: the types of the addon's exports, with their comments, out of the declarations that
 * napi-derive wrote when the addon of these sources was built (`npm run build`).
 * `--check` writes nothing, and fails if the file is not up to date.
 *
 * `napi build --dts` of @napi-rs/cli would do the same, but needs Node 22 and 63 packages.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { planAddon, typeDefinitions } from './setup/addon.mjs';
import { chosenLevel } from './setup/cpu.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = fileURLToPath(new URL('../src/index/addon.ts', import.meta.url));
const HEAD = `/**
 * Types of the addon's exports. Made by \`node scripts/addon-types.mjs\` from the declarations and comments in
 * native/node/src: change those, not this file. It has no code; native.ts loads the addon.
 */\n`;

/**
 * A declaration of napi-derive.
 * @typedef {object} Definition
 * @property {'struct' | 'impl' | 'interface' | 'type' | 'fn'} kind `struct`: a class; `impl`: methods of a class
 * @property {string} name
 * @property {string} js_doc
 * @property {string} def its fields, methods or signature
 */

/**
 * @param {Definition[]} definitions in the order of the sources
 * @returns {string} TypeScript
 */
function declarationsOf(definitions) {
  const methods = new Map();
  for (const { kind, name, def } of definitions) {
    if (kind === 'impl') methods.set(name, [...(methods.get(name) ?? []), def]);
  }
  return definitions
    .filter(({ kind }) => kind !== 'impl')
    .map((definition) => definition.js_doc + declarationOf(definition, methods.get(definition.name) ?? []))
    .join('\n');
}

/** @param {string[]} methods those of the class, if the definition is one */
function declarationOf({ kind, name, def }, methods) {
  switch (kind) {
    case 'interface':
      return `export interface ${name} {\n${def}\n}\n`;
    case 'struct': {
      const members = [def, ...methods].filter(Boolean).join('\n');
      const made = /^\s*constructor\(/m.test(members) ? '' : 'private constructor();\n';
      return `export declare class ${name} {\n${made}${members}\n}\n`;
    }
    case 'type':
      return `export type ${name} = ${def};\n`;
    case 'fn':
      return `export declare ${def};\n`;
    default:
      throw new Error(`napi-derive declares ${name} as ${kind}, which this script does not know`);
  }
}

/** @param {string} text TypeScript */
function formatted(text) {
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
  const options = { input: text, encoding: 'utf8' };
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path', FILE], options);
}

const source = typeDefinitions(await planAddon(ROOT, chosenLevel()));
if (!existsSync(source)) {
  process.stderr.write('the addon of these sources is not built; run `npm run build`\n');
  process.exit(1);
}
const lines = readFileSync(source, 'utf8').trimEnd().split('\n');
const text = formatted(`${HEAD}\n${declarationsOf(lines.map((line) => JSON.parse(line)))}`);
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write(
    'src/index/addon.ts is not what native/node says; run `node scripts/addon-types.mjs`\n',
  );
  process.exitCode = 1;
}
