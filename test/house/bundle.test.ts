import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from './checkout.js';

/** Apps that open a folder or use FAISS. */
const APPS = {
  import: `
    import { open } from 'priorart';
    open('data', { create: true }).then((engine) => engine.close()).then(() => console.log('opened'));`,
  require: `
    const { open } = require('priorart');
    open('data', { create: true }).then((engine) => engine.close()).then(() => console.log('opened'));`,
  faiss: `
    import { FaissIndex } from 'priorart/faiss';
    console.log(typeof FaissIndex === 'function' ? 'opened' : 'nothing');`,
};

describe('an app that esbuild bundles', () => {
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'priorart-bundle-'));
    await mkdir(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'priorart'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function run(app: keyof typeof APPS, format: 'esm' | 'cjs', external: string[]): Promise<string> {
    const extension = format === 'esm' ? 'mjs' : 'cjs';
    const source = join(folder, `app.${app === 'require' ? 'cjs' : 'mjs'}`);
    writeFileSync(source, APPS[app]);
    const bundle = join(folder, `bundle.${extension}`);
    await build({
      entryPoints: [source],
      ...{ bundle: true, platform: 'node', format, external, outfile: bundle, logLevel: 'silent' },
    });
    const { stdout, stderr } = spawnSync(process.execPath, [bundle], { cwd: folder, encoding: 'utf8' });
    return stdout + stderr;
  }

  const bundles = [
    ['import', 'esm'],
    ['import', 'cjs'],
    ['require', 'cjs'],
    ['faiss', 'esm'],
  ] as const;
  for (const [app, format] of bundles) {
    it(`an error says that priorart must be external (${app}, bundled as ${format})`, async () => {
      // esbuild cannot bundle onnxruntime-node, an optional peer, if it is installed.
      assert.match(
        await run(app, format, ['onnxruntime-node']),
        /mark priorart as external.*--external:priorart/,
      );
    });
  }

  it('works with priorart as external', async () => {
    assert.match(await run('import', 'esm', ['priorart']), /^opened$/m);
    assert.match(await run('require', 'cjs', ['priorart']), /^opened$/m);
    assert.match(await run('faiss', 'esm', ['priorart']), /^opened$/m);
  });
});
