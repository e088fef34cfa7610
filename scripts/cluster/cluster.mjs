/** An OpenSearch cluster on loopback, for development and tests. */
import { randomInt } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../setup/child.mjs';
import { withLock } from '../setup/lock.mjs';
import { cacheFolder } from '../setup/target.mjs';
import { install, isInstalled } from './artifacts.mjs';
import { findJava } from './java.mjs';
import { isRunning, lastLines, startNode } from './node.mjs';

/** Time in which a cluster has to be up, and in which a node has to end, ms. A loaded machine is slow. */
const START_MS = 600_000;
const STOP_MS = 30_000;
const POLL_MS = 500;

/**
 * Folder of server and clusters: the cache of the project. A server that is started by root runs under another user, who
 * cannot enter a home of mode 700; then it is /var/cache/priorart.
 */
export function clusterCache(env = process.env) {
  const cache = resolve(cacheFolder(env));
  if (process.getuid?.() !== 0 || isOpenToOthers(cache)) return join(cache, 'opensearch');
  return '/var/cache/priorart/opensearch';
}

/** Whether every user may enter a folder and those above it. Missing ones are made so. */
function isOpenToOthers(folder) {
  for (let path = folder; ; path = dirname(path)) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && (found.mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/** Whether a cluster can be started without a download. */
export function isReadyToStart(env = process.env) {
  return isInstalled(clusterCache(env));
}

/** Downloads the server, unless it is there. @returns its folder @throws {SetupError} */
export function fetchServer(report, env = process.env) {
  // The other user has to read what root unpacks.
  if (process.getuid?.() === 0) process.umask(0o022);
  const cache = clusterCache(env);
  return withLock(
    join(cache, 'install.lock'),
    () => install(cache, report, env),
    () => report('waiting for another download'),
  );
}

const folderOf = (name, env) => join(clusterCache(env), 'clusters', name);
const stateFile = (folder) => join(folder, 'cluster.json');

function readState(folder) {
  const path = stateFile(folder);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).nodes : undefined;
}

function writeState(folder, nodes) {
  const path = stateFile(folder);
  writeFileSync(`${path}.part`, `${JSON.stringify({ nodes }, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}

const urlOf = ({ port }) => `http://127.0.0.1:${port}`;

/**
 * Starts a cluster, or those of its nodes that do not run. Their data is kept.
 * @param {{name?: string, nodes?: number, port?: number, optimised?: boolean, report?: (text: string) => void, env?: NodeJS.ProcessEnv}} [options]
 *   nodes: how many, if the cluster is new. port: of the first node, the others have the next ones. 0: any free ports.
 *   optimised: for measurements, see `startNode`.
 * @returns {Promise<{name: string, status: string, urls: string[]}>}
 * @throws {SetupError} if something is missing, or a node ends before it answers
 */
export async function start({
  name = 'default',
  nodes = 3,
  port = 0,
  optimised = false,
  report = () => {},
  env = process.env,
} = {}) {
  const { java } = findJava(env);
  const home = await fetchServer(report, env);
  const folder = folderOf(name, env);
  const launch = async () => {
    mkdirSync(folder, { recursive: true });
    const known = readState(folder) ?? (await newNodes(nodes, port));
    for (const node of known) {
      if (isRunning(folder, node)) continue;
      node.pid = startNode(home, java, folder, node, known, optimised);
      writeState(folder, known);
    }
    return known;
  };
  // Without the lock: a cluster that does not come up can be stopped.
  await untilUp(folder, await locked(name, env, launch, report), report);
  return await status({ name, env });
}

/** Runs work that starts or ends nodes of a cluster. Such work of other processes on the same cluster waits. */
function locked(name, env, work, report = () => {}) {
  const file = join(clusterCache(env), `cluster-${name}.lock`);
  return withLock(file, work, (holder) => report(`waiting for ${holder}, which starts or stops the cluster`));
}

async function newNodes(count, port) {
  const free = await freePorts(count * 2);
  return Array.from({ length: count }, (_, n) => ({
    name: `node-${n + 1}`,
    port: port === 0 ? free[n] : port + n,
    transport: free[count + n],
    pid: 0,
  }));
}

/**
 * Ports that are free now. All are taken at the same time, so that they differ. A node takes its port seconds later, so they are below
 * those that systems give to outgoing connections.
 */
async function freePorts(count) {
  const servers = [];
  for (let attempts = 0; servers.length < count; attempts++) {
    const server = createServer();
    const port = randomInt(15_000, 32_000);
    try {
      await new Promise((resolve, reject) => {
        server.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      servers.push(server);
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || attempts > 1_000) throw error;
    }
  }
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function untilUp(folder, nodes, report) {
  const end = Date.now() + START_MS;
  report(`waiting for ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}`);
  for (;;) {
    const dead = nodes.find((node) => !isRunning(folder, node));
    if (dead) {
      throw new SetupError(`${dead.name} ended before it answered. It wrote:\n${lastLines(folder, dead)}`);
    }
    const states = await Promise.all(nodes.map(health));
    if (states.every((state) => state?.number_of_nodes === nodes.length && state.status !== 'red')) return;
    if (Date.now() > end) {
      const late = nodes[states.findIndex((state) => state?.number_of_nodes !== nodes.length)] ?? nodes[0];
      throw new SetupError(
        `the cluster was not up after ${START_MS / 1000} s. ${late.name} wrote:\n${lastLines(folder, late)}`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** What a node knows of the health of its cluster; undefined if it does not answer. */
async function health(node) {
  try {
    const response = await fetch(`${urlOf(node)}/_cluster/health`, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The state of a cluster: `green`, `yellow` or `red` as its nodes say, `starting` if none answers yet, `stopped`, or `absent` if
 * there is no cluster of the name.
 */
export async function status({ name = 'default', env = process.env } = {}) {
  const folder = folderOf(name, env);
  const nodes = readState(folder);
  if (nodes === undefined) return { name, status: 'absent', urls: [] };
  const running = nodes.filter((node) => isRunning(folder, node));
  if (running.length === 0) return { name, status: 'stopped', urls: [] };
  const states = await Promise.all(running.map(health));
  const answer = states.find((state) => state !== undefined);
  return {
    name,
    status: answer?.status ?? 'starting',
    nodes: nodes.length,
    running: running.length,
    pids: running.map(({ pid }) => pid),
    urls: running.map(urlOf),
  };
}

/** Names of the clusters of this machine. */
export function clusters(env = process.env) {
  const folder = join(clusterCache(env), 'clusters');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/**
 * Ends the nodes of a cluster.
 * @param {{name?: string, remove?: boolean, env?: NodeJS.ProcessEnv}} [options] remove: also delete its data
 */
export function stop({ name = 'default', remove = false, env = process.env } = {}) {
  return locked(name, env, () => endNodes(folderOf(name, env), remove));
}

async function endNodes(folder, remove) {
  const nodes = readState(folder) ?? [];
  const alive = () => nodes.filter((node) => isRunning(folder, node));
  for (const { pid } of alive()) end(pid, 'SIGTERM');
  const until = Date.now() + STOP_MS;
  while (alive().length > 0 && Date.now() < until) await sleep(POLL_MS);
  for (const { pid } of alive()) end(pid, 'SIGKILL');
  while (alive().length > 0) await sleep(POLL_MS);
  if (remove) rmSync(folder, { recursive: true, force: true });
}

/** Ends the nodes of a cluster without waiting, for a process that ends itself. Their data stays. */
export function endNow({ name = 'default', env = process.env } = {}) {
  const folder = folderOf(name, env);
  for (const node of readState(folder) ?? []) if (isRunning(folder, node)) end(node.pid, 'SIGKILL');
}

function end(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
