/** One OpenSearch node: its configuration, its process. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** OpenSearch refuses to run as root. Any id will do that owns nothing else. */
const OTHER_UID = 20_001;

/**
 * A small heap, and no work that pays only for long runs. These are instead of the options that bin/opensearch adds, which
 * starts Java three times before the server.
 */
const JVM_OPTIONS = [
  '-Xms512m',
  '-Xmx512m',
  '-Xss1m',
  '-XX:+UseSerialGC',
  '-XX:-UsePerfData',
  '-Djava.awt.headless=true',
  '-Dfile.encoding=UTF-8',
  '-Djna.nosys=true',
  '-Dio.netty.noUnsafe=true',
  '-Dio.netty.noKeySetOptimization=true',
  '-Dio.netty.recycler.maxCapacityPerThread=0',
  '-Dio.netty.allocator.numDirectArenas=0',
  '-Dlog4j.shutdownHookEnabled=false',
  '-Dlog4j2.disable.jmx=true',
  '-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1',
  '--add-modules=jdk.incubator.vector',
  '--add-opens=java.base/java.nio=org.apache.arrow.memory.core,ALL-UNNAMED',
  '-javaagent:agent/opensearch-agent.jar',
];

/** Java compiles once, which is ready sooner, and does not compile again what runs often. */
const QUICK = '-XX:TieredStopAtLevel=1';

/**
 * @typedef {object} NodeRecord
 * @property {string} name
 * @property {number} port of HTTP, on loopback
 * @property {number} transport port between nodes, on loopback
 * @property {number} pid of the process that was started last
 */

const folderOf = (cluster, { name }) => join(cluster, name);

/**
 * Starts a node. The process outlives this one. Its output goes to `output.log` in the folder of the node.
 * @param {string} home folder of the server
 * @param {string} java
 * @param {string} cluster folder of the cluster
 * @param {NodeRecord} node
 * @param {NodeRecord[]} all nodes of the cluster
 * @param {boolean} optimised Java also compiles again what runs often: for measurements
 * @returns {number} id of the process
 */
export function startNode(home, java, cluster, node, all, optimised) {
  const folder = folderOf(cluster, node);
  const config = join(folder, 'config');
  const folders = [folder, config, join(folder, 'data'), join(folder, 'logs'), join(folder, 'tmp')];
  for (const path of folders) mkdirSync(path, { recursive: true });
  writeFileSync(join(config, 'opensearch.yml'), settings(folder, node, all));
  copyFileSync(join(home, 'config', 'log4j2.properties'), join(config, 'log4j2.properties'));
  const log = openSync(join(folder, 'output.log'), 'a');
  const owner = process.getuid?.() === 0 ? { uid: OTHER_UID, gid: OTHER_UID } : {};
  // Java writes a keystore beside the configuration.
  if (owner.uid !== undefined) for (const path of folders) chownSync(path, owner.uid, owner.gid);
  const args = [
    ...JVM_OPTIONS,
    ...(optimised ? [] : [QUICK]),
    `-Djava.io.tmpdir=${join(folder, 'tmp')}`,
    `-XX:ErrorFile=${join(folder, 'logs', 'java-error.log')}`,
    `-Dopensearch.path.home=${home}`,
    `-Dopensearch.path.conf=${config}`,
    '-Dopensearch.distribution.type=zip',
    '-Dopensearch.bundled_jdk=false',
    ...['-cp', join(home, 'lib', '*')],
    'org.opensearch.bootstrap.OpenSearch',
  ];
  const child = spawn(java, args, {
    ...owner,
    cwd: home,
    detached: true,
    env: { PATH: process.env.PATH, OPENSEARCH_PATH_CONF: config, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', log, log],
  });
  child.on('error', () => {}); // The process is missing then, which `isRunning` finds.
  child.unref();
  return child.pid ?? 0;
}

function settings(folder, node, all) {
  const lines = {
    'cluster.name': 'priorart',
    'node.name': node.name,
    'path.data': join(folder, 'data'),
    'path.logs': join(folder, 'logs'),
    'network.host': '127.0.0.1',
    'http.port': node.port,
    'transport.port': node.transport,
    'discovery.seed_hosts': all.map(({ transport }) => `127.0.0.1:${transport}`),
    'cluster.initial_cluster_manager_nodes': all.map(({ name }) => name),
    // A nearly full disk of a test machine would make indexes read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    // The serial collector lets garbage fill a small heap before it works, which this would take for real use.
    'indices.breaker.total.use_real_memory': false,
  };
  // JSON is YAML.
  return Object.entries(lines)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** Whether the process of a node runs. Another process may have its id by now, so its command line is read. */
export function isRunning(cluster, node) {
  if (!node.pid) return false;
  return commandOf(node.pid).includes(`-Dopensearch.path.conf=${join(folderOf(cluster, node), 'config')}`);
}

function commandOf(pid) {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
}

/** The last lines that a node wrote. */
export function lastLines(cluster, node, count = 20) {
  const path = join(folderOf(cluster, node), 'output.log');
  if (!existsSync(path)) return '';
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
