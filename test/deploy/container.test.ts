/** deploy/Dockerfile: checked as text, and built and run if a Docker daemon is available. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { launch } from '../crash/folder.js';
import { noGit, ROOT, read, trackedFiles } from '../house/checkout.js';
import { until } from '../until.js';

interface Instruction {
  name: string;
  text: string;
}

/** The instructions, each with its continuation lines joined. */
function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, text] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, text: text! }];
  });
}

const instructions = instructionsOf(read('deploy/Dockerfile'));
const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const textOf = (name: string) => last.findLast((each) => each.name === name)?.text;

/** Reason why no image can be built here, or false if it can. */
function noDocker(): string | false {
  const { status } = spawnSync('docker', ['info'], { stdio: 'ignore' });
  return status === 0 ? false : 'Docker has no daemon here: the image is neither built nor started';
}

const noLdd = process.platform === 'linux' ? false : 'ldd exists on Linux only';

describe('Dockerfile', () => {
  it('has a version of Node that the package supports, and the version of Rust that it names', () => {
    const version = (name: string) =>
      instructions.find((each) => each.text.startsWith(`${name}=`))!.text.split('=')[1]!;
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const least = Number(/^>=(\d+)$/.exec(engines.node)![1]);
    assert.ok(Number(version('NODE_VERSION')) >= least);
    assert.ok(read('native/Cargo.toml').includes(`rust-version = "${version('RUST_VERSION')}"`));
  });

  it('produces an image with an unprivileged user, a volume, and loopback as the default address', () => {
    assert.match(textOf('USER')!, /^[1-9]\d+:[1-9]\d+$/);
    assert.equal(textOf('VOLUME'), '/data');
    assert.match(textOf('ENV')!, /PRIORART_DATA=\/data(\s|$)/);
    assert.equal(textOf('ENTRYPOINT'), '["priorart"]');
    assert.equal(textOf('CMD'), '["serve"]');
    assert.ok(
      !instructions.some(({ text }) => text.includes('0.0.0.0')),
      'all addresses only by explicit argument',
    );
  });

  it('copies only files that .dockerignore allows', { skip: noGit }, () => {
    const lines = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const names = (each: string, file: string) =>
      file === each || file.startsWith(`${each}/`) || each === `**/*${/\.\w+$/.exec(file)?.[0]}`;
    // The last line that names a file decides.
    const isIgnored = (file: string) =>
      lines.findLast((line) => names(line.replace(/^!/, ''), file))?.startsWith('!') === false;
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const packed = files.filter((each) => !each.startsWith('!') && !each.includes('*'));
    for (const path of [...packed, 'package-lock.json', 'tsconfig.json', 'scripts/prepack.mjs', 'src']) {
      assert.ok(existsSync(join(ROOT, path)), path);
      assert.ok(!isIgnored(path), `.dockerignore excludes ${path}`);
    }
    const kept = trackedFiles().filter((file) => !isIgnored(file));
    assert.deepEqual(
      kept.filter((file) => file.startsWith('test/')),
      [],
    );
  });

  it('installs the libraries that the addon is linked with', { skip: noLdd }, () => {
    const packages = new Map([
      ['libgomp', 'libgomp1'],
      ['libstdc++', 'libstdc++6'],
    ]);
    const addon = readdirSync(join(ROOT, 'native')).find((name) => name.endsWith('.node'))!;
    const { stdout } = spawnSync('ldd', [join(ROOT, 'native', addon)], { encoding: 'utf8' });
    const linked = [...stdout.matchAll(/^\s*(?:\/\S*\/)?([\w+-]+?)(?:-[\w-]+)?\.so/gm)].map(
      (match) => match[1]!,
    );
    const ofTheSystem = new Set([
      'linux-vdso',
      'linux',
      'ld',
      'ld-linux',
      'libc',
      'libm',
      'libgcc_s',
      'libdl',
      'libpthread',
      'librt',
    ]);
    const needed = linked.filter((name) => !ofTheSystem.has(name));
    assert.ok(needed.includes('libgomp'), stdout);
    const run = last.filter(({ name }) => name === 'RUN').map(({ text }) => text);
    for (const name of needed)
      assert.ok(
        run.some((text) => text.includes(` ${packages.get(name) ?? name}`)),
        `${name} is installed`,
      );
  });

  it('has a health check of /readyz', async (t) => {
    const [, json] = /CMD (\[.*\])$/.exec(textOf('HEALTHCHECK')!)!;
    const [program, ...args] = JSON.parse(json!) as string[];
    assert.equal(program, 'node');
    let status = 503;
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/readyz' ? status : 404;
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await until(() => server.listening, 'a server listens');
    const { port } = server.address() as AddressInfo;
    const check = () =>
      launch(args[0]!, args.slice(1), { ...process.env, HEALTH_URL: `http://127.0.0.1:${port}/readyz` })
        .ended;
    assert.equal((await check()).code, 1);
    status = 200;
    assert.equal((await check()).code, 0);
    server.close();
    await until(() => !server.listening, 'the server has ended');
    assert.equal((await check()).code, 1);
  });

  it('builds, and serves from a read-only file system', {
    skip: noDocker(),
    timeout: 3_600_000,
  }, async (t) => {
    const docker = (...args: string[]) => spawnSync('docker', args, { cwd: ROOT, encoding: 'utf8' });
    const image = `priorart-test-${process.pid}`;
    const built = docker('build', '-f', 'deploy/Dockerfile', '-t', image, '.');
    assert.equal(built.status, 0, built.stderr);
    t.after(() => docker('rmi', '-f', image));
    t.after(() => docker('volume', 'rm', '-f', image));
    const hardened = [
      '--read-only',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      '-v',
      `${image}:/data`,
    ];
    const patents = ['-v', `${join(ROOT, 'fixtures/jsonl')}:/patents:ro`];
    const ingested = docker('run', '--rm', ...hardened, ...patents, image, 'ingest', '/patents');
    assert.equal(ingested.status, 0, ingested.stderr);
    assert.equal(docker('run', '--rm', ...hardened, image, 'keys', 'create', '--account', 'A').status, 0);
    const started = docker('run', '-d', '--name', image, ...hardened, image, 'serve', '--host', '0.0.0.0');
    assert.equal(started.status, 0, started.stderr);
    t.after(() => docker('rm', '-f', image));
    const health = () => docker('inspect', '-f', '{{.State.Health.Status}}', image).stdout.trim();
    await until(() => health() === 'healthy', 'the container is healthy');
  });
});
