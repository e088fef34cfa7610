/** scripts/cluster: an OpenSearch cluster on loopback. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../house/checkout.js';
import { zipOf } from '../ingest/documents.js';
import { until } from '../until.js';
import { missingForCluster, startedCluster } from './started.js';

/** The scripts are plain JavaScript without types. */
const script = (file: string) => import(pathToFileURL(join(ROOT, 'scripts/cluster', file)).href);
const { findJava } = await script('java.mjs');
const { withLock } = await import(pathToFileURL(join(ROOT, 'scripts/setup/lock.mjs')).href);
const { homeIn, install } = await script('artifacts.mjs');
const { clusters, endNow, start, status, stop } = await script('cluster.mjs');

const folder = mkdtempSync(join(tmpdir(), 'priorart-cluster-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const quiet = () => undefined;

/**
 * A program that says it is a Java of some version.
 * @param otherwise what it does for other arguments than `-version`, in the language of the shell
 */
function javaOf(version: string, otherwise = ''): string {
  const home = join(folder, `java-${version}`);
  mkdirSync(join(home, 'bin'), { recursive: true });
  const path = join(home, 'bin', 'java');
  const told = `if [ "$1" = -version ]; then echo 'openjdk version "${version}" 2026-01-01' >&2; exit; fi`;
  writeFileSync(path, `#!/bin/sh\n${told}\n${otherwise}\n`);
  chmodSync(path, 0o755);
  return home;
}

describe('Java', () => {
  test('the first Java that is new enough is used, and older ones are ignored', () => {
    const [old, fit] = [javaOf('17.0.15'), javaOf('25.0.3')];
    const found = findJava({ JAVA_HOME: old, PATH: join(fit, 'bin') }, []);
    assert.deepEqual(found, { java: join(fit, 'bin', 'java'), version: 25 });
  });

  test('without a Java that is new enough, the message says what was found and what to do', () => {
    assert.throws(() => findJava({ PATH: join(javaOf('17.0.15'), 'bin') }, []), /java is 17.*JAVA_HOME/);
    assert.throws(() => findJava({ PATH: '' }, []), /needs Java 21 or newer, and none was found.*Install/);
  });
});

describe('download', () => {
  const [server, plugin] = [
    zipOf({ 'opensearch-1/config/opensearch.yml': 'a: 1\n', 'opensearch-1/lib/x.jar': 'x' }),
    zipOf({ 'plugin-descriptor.properties': 'name=knn\n' }),
  ];
  const digest = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex');
  const artifacts = (sha512 = digest(server)) => [
    { group: 'org.example.server', name: 'server', version: '1.0', sha512 },
    { group: 'org.example', name: 'plugin', version: '1.0.0', sha512: digest(plugin) },
  ];
  const files: Record<string, Buffer> = {
    '/maven/org/example/server/server/1.0/server-1.0.zip': server,
    '/maven/org/example/plugin/1.0.0/plugin-1.0.0.zip': plugin,
  };
  const repository = createServer((request, response) => {
    const bytes = files[request.url ?? ''];
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  after(() => repository.close());
  const address = async () => {
    if (!repository.listening) await new Promise<void>((done) => repository.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(repository.address() as AddressInfo).port}/maven`;
  };

  test('server and plugin come from a Maven repository, and are unpacked into one folder', async () => {
    const env = { PRIORART_MAVEN_URL: await address() };
    const home = await install(join(folder, 'good'), quiet, env, artifacts());
    assert.equal(readFileSync(join(home, 'config/opensearch.yml'), 'utf8'), 'a: 1\n');
    const descriptor = join(home, 'plugins/opensearch-knn/plugin-descriptor.properties');
    assert.equal(readFileSync(descriptor, 'utf8'), 'name=knn\n');
  });

  test('a file with another checksum is deleted, and nothing is unpacked', async () => {
    const cache = join(folder, 'bad');
    const env = { PRIORART_MAVEN_URL: await address() };
    await assert.rejects(install(cache, quiet, env, artifacts('0'.repeat(128))), /SHA-512.*expected 0000/);
    assert.equal(existsSync(join(cache, 'download')), false);
    assert.equal(existsSync(join(cache, 'server-1.0.zip')), false);
  });

  test('a repository without the file, and a machine without Maven, are named with what to do', async () => {
    const env = { PRIORART_MAVEN_URL: `${await address()}/none` };
    await assert.rejects(
      install(join(folder, 'none'), quiet, env, artifacts()),
      /404; check PRIORART_MAVEN_URL/,
    );
    const bare = install(join(folder, 'bare'), quiet, { PATH: '' }, artifacts());
    await assert.rejects(bare, /no Maven. Install it.*PRIORART_MAVEN_URL/);
  });
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a cluster that is started twice at once has one set of nodes, and a stop at once ends them', async (t) => {
  // The nodes run under another user if this process is root's.
  chmodSync(folder, 0o755);
  const cache = join(folder, 'twice');
  const java = javaOf('26.0.1', 'echo started\nwhile :; do sleep 0.2; done');
  const env = { PRIORART_CACHE: cache, JAVA_HOME: java, PATH: process.env['PATH'] };
  mkdirSync(join(homeIn(join(cache, 'opensearch')), 'config'), { recursive: true });
  writeFileSync(join(homeIn(join(cache, 'opensearch')), 'config', 'log4j2.properties'), '');
  // Answers for the node.
  const health = createServer((_, response) => response.end('{"number_of_nodes":1,"status":"green"}'));
  await new Promise<void>((done) => health.listen(0, '127.0.0.1', done));
  const { port } = health.address() as AddressInfo;
  const one = { name: 'twice', env };
  t.after(() => {
    endNow(one);
    health.close();
  });
  const reports: string[] = [];
  const report = (text: string) => reports.push(text);
  let starting: Promise<{ urls: string[]; pids: number[] }[]> | undefined;
  // All wait for this process first, and then begin at the same time.
  await withLock(join(cache, 'opensearch', 'cluster-twice.lock'), async () => {
    starting = Promise.all([0, 1, 2].map(() => start({ ...one, nodes: 1, port, report })));
    const waits = `waiting for process ${process.pid}, which starts or stops the cluster`;
    await until(() => reports.filter((text) => text === waits).length === 3, 'all wait');
    assert.equal((await status(one)).status, 'absent');
  });
  const started = await starting!;
  assert.deepEqual(
    started.map(({ urls, pids }) => ({ urls, pids })),
    Array(3).fill({ urls: [`http://127.0.0.1:${port}`], pids: started[0]!.pids }),
  );
  const output = join(cache, 'opensearch', 'clusters', 'twice', 'node-1', 'output.log');
  await until(() => readFileSync(output, 'utf8').includes('started'), 'the node has begun');
  assert.equal(readFileSync(output, 'utf8'), 'started\n', 'one process');
  assert.deepEqual(clusters(env), ['twice'], 'a lock is no cluster');

  await Promise.all([stop(one), stop({ ...one, remove: true })]);
  assert.equal((await status(one)).status, 'absent');
  await until(() => !runs(started[0]!.pids[0]!), 'the node has ended');
});

describe('a cluster of one node', { skip: await missingForCluster() }, () => {
  test('starts, restarts a killed node with its data, and stops', async (t) => {
    const { name, urls, remove } = await startedCluster();
    t.after(remove);
    const plugins = await (await fetch(`${urls[0]}/_cat/plugins?format=json`)).json();
    assert.ok((plugins as { component: string }[]).some(({ component }) => component === 'opensearch-knn'));
    const put = await fetch(`${urls[0]}/kept/_doc/1?refresh=true`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"kept":true}',
    });
    assert.equal(put.status, 201);

    const again = await start({ name });
    assert.deepEqual(again.urls, urls);
    process.kill(again.pids[0], 'SIGKILL');
    const restarted = await start({ name });
    assert.notDeepEqual(restarted.pids, again.pids);
    assert.equal((await fetch(`${restarted.urls[0]}/kept/_doc/1`)).status, 200);

    await stop({ name });
    assert.equal((await status({ name })).status, 'stopped');
    await stop({ name, remove: true });
    assert.equal((await status({ name })).status, 'absent');
  });
});
