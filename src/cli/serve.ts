import { constants } from 'node:os';
import { Command } from 'commander';
import { AdminSecret } from '../access/admin-secret.js';
import type { AccessStore } from '../access/store.js';
import { type Config, DEMONSTRATION_ACCOUNT, SETTINGS, type SettingName } from '../config.js';
import { openDrawings } from '../drawings/open.js';
import type { DrawingStore } from '../drawings/store.js';
import type { EnginePort } from '../engine-port.js';
import { isPriorartError, PriorartError } from '../errors.js';
import { type Server, startServer } from '../http/server.js';
import { createLog, type Logger } from '../observe/log.js';
import { bufferedOutput } from '../observe/log-output.js';
import { Metrics } from '../observe/metrics.js';
import type { Coverage } from '../search/types.js';
import { IndexService } from '../service.js';
import { makeDurableFolder } from '../store/room.js';
import { accessDir, openAccess } from './access-folder.js';
import { releaseSignals } from './early-signals.js';
import { createKey } from './keys.js';
import { withSources } from './messages.js';
import { clusterOf, OF_A_BUCKET, OF_A_CLUSTER, settings, whereOf, withSettings } from './options.js';
import { COMMAND, counted, size } from './output.js';

const EXAMPLE = '리튬 이차전지의 고체 전해질';

/** Settings of a server. */
const OF_A_SERVER = [
  'data',
  ...OF_A_CLUSTER,
  'models',
  'host',
  'port',
  'publicUrl',
  'page',
  'pageAccount',
  'mcp',
  'mcpHosts',
  'oauthEmbedded',
  'oauthIssuer',
  'oauthJwks',
  'oauthAudience',
  'oauthScope',
  'oauthClaim',
  'oauthKey',
  'workers',
  'httpAdapter',
  'queuePerWorker',
  'recallCheck',
  'deadlineMs',
  'shutdownGraceMs',
  'drawingLinkSeconds',
  'drawingSecretFile',
  ...OF_A_BUCKET,
  'rateLimit',
  'publicRateLimit',
  'shutdownDelayMs',
  'tlsCert',
  'tlsKey',
  'trustProxy',
  'trustProxyHeader',
  'corsOrigins',
  'compression',
  'connectionsMax',
  'metricsPort',
  'metricsHost',
  'adminSecret',
  'settings',
  'requestLogDays',
  'requestLogMb',
  'requestLogQueries',
  'logLevel',
] as const satisfies SettingName[];

/** Settings that take effect at SIGHUP. The others need a restart. */
const RELOADED: ReadonlySet<SettingName> = new Set([
  'settings',
  'tlsCert',
  'tlsKey',
  'trustProxy',
  'trustProxyHeader',
  'corsOrigins',
  'compression',
  'logLevel',
]);

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the HTTP interface')
    .option('--demo', 'create a demonstration key and print it, if the folder has no key')
    .addHelpText(
      'after',
      `
Examples:
  priorart serve --data ./patents --port 9000
  priorart serve --host 0.0.0.0 --trust-proxy 1        (behind a reverse proxy)
  priorart serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem

SIGTERM and SIGINT shut down after running requests; SIGHUP reads the certificate and the settings file again.`,
    )
    .action(run);
  return withSettings(command, OF_A_SERVER);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const config = settings(flags);
  const { data } = config;
  // From the start: a service manager may send signals while the index is opened. The process must not end then, since Node crashes
  // if it ends threads that load.
  let isTold = false;
  let onStop = () => {
    isTold = true;
  };
  atStopSignal(() => onStop());
  let isHungUp = false;
  let onHangUp = () => {
    isHungUp = true;
  };
  process.on('SIGHUP', () => onHangUp());
  releaseSignals();
  const metrics = new Metrics();
  const engine = await openEngine(config, metrics);
  if (isTold) return engine.close();
  const drawings = await openStore(config).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const { access, secret } = await openKeys(config, flags['demo'] === true).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const output = bufferedOutput();
  const log = createLog(config.logLevel, output);
  const server = await startServer({ engine, access, ...drawings, log, config, metrics }).catch(
    async (error: unknown) => {
      // The engine's threads would keep the process alive.
      await engine.close();
      await access.close();
      output.flushSync();
      throw error;
    },
  );
  // Before the banner is shown: a user may press Ctrl-C at once.
  const told = new Promise<void>((resolve) => {
    onStop = resolve;
    if (isTold) resolve();
  });
  onHangUp = () => reload(server, flags, log, config);
  if (isHungUp) onHangUp();
  try {
    const hint = keyOf(access, flags, data, secret);
    process.stderr.write(await banner(engine, server.url, config, hint, secretOf(config, data)));
    await told;
  } finally {
    await server.close();
    onHangUp = () => {};
    await engine.close();
    await access.close();
    output.flushSync();
  }
}

/** Calls `stop` at the first signal to stop. Any further one ends the process, with the exit code that a shell shows. */
function atStopSignal(stop: () => void): void {
  let isStopping = false;
  const told = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(128 + constants.signals[signal]);
    isStopping = true;
    stop();
  };
  process.on('SIGINT', told).on('SIGTERM', told);
}

/** Opens the engine that the settings name. */
async function openEngine(
  config: Config,
  metrics: Metrics,
): Promise<EnginePort & { close(): Promise<void> }> {
  const { data, models, workers, queuePerWorker, recallCheck } = config;
  const options = { observe: metrics.answered, ...(models === undefined ? {} : { models }) };
  const cluster = clusterOf(config);
  if (cluster === undefined) {
    return IndexService.open(data, { ...options, workers, queuePerWorker, recallCheck });
  }
  // The request log, the secret of links and a copy of the keys are in the data folder, with this engine, too.
  makeDurableFolder(data);
  const { ClusterEngine } = await import('../cluster/engine.js');
  return ClusterEngine.open(cluster, { ...options, workers, queuePerWorker });
}

/** The store of drawings. A folder of this server is none for a cluster, whose drawings other servers show, too. */
async function openStore(config: Config): Promise<{ drawings?: DrawingStore }> {
  if (clusterOf(config) !== undefined && config.s3Bucket === undefined) return {};
  return { drawings: await openDrawings(config.data, config) };
}

/**
 * Applies changed settings. An invalid setting is logged and does not end the server. @param started settings
 * at the start
 */
function reload(server: Server, flags: Record<string, unknown>, log: Logger, started: Config): void {
  try {
    const config = settings(flags);
    server.reload(config);
    // As texts: a list is read into a new array each time.
    const isChanged = (name: SettingName) => String(config[name]) !== String(started[name]);
    const changed = OF_A_SERVER.filter((name) => !RELOADED.has(name) && isChanged(name));
    if (changed.length > 0) {
      const names = changed.map((name) => SETTINGS[name].flag.split(' ')[0]!.slice(2));
      log.warn({ settings: names }, 'changed settings need a restart; the old values stay in force');
    }
  } catch (error) {
    const err = isPriorartError(error)
      ? new PriorartError(error.code, withSources(error.message), { cause: error })
      : error;
    log.error({ err }, 'settings could not be read; the old values stay in force');
  }
}

/**
 * Opens the store of keys. A missing or damaged store of a folder does not stop the server: calls get 503 until it can be
 * opened.
 * @returns the store, and the secret of the demonstration key if that was made
 */
async function openKeys(
  config: Config,
  isDemo: boolean,
): Promise<{ access: AccessStore; secret: string | undefined }> {
  const secret = isDemo ? await firstKey(config) : undefined;
  return { access: await openAccess(config, true), secret };
}

/** Creates the demonstration key if there are no keys. Undefined if there are. */
async function firstKey(config: Config): Promise<string | undefined> {
  const access = await openAccess(config, false);
  try {
    if (access.list().length > 0) return undefined;
    const account = DEMONSTRATION_ACCOUNT;
    const wanted = { account, plan: 'enterprise', environment: 'development', name: 'demo' } as const;
    return (await createKey(access, wanted)).secret;
  } finally {
    await access.close();
  }
}

interface KeyHint {
  /** Key in the example. */
  key: string;
  line: string;
}

/** Key and hint for the banner. */
function keyOf(
  access: AccessStore,
  flags: Record<string, unknown>,
  data: string,
  secret: string | undefined,
): KeyHint {
  if (secret !== undefined) return { key: secret, line: `${secret}   (shown once; development only)` };
  const create = `${COMMAND} keys create ${whereOf(flags, 'keys')} --account NAME`;
  const key = '$PRIORART_KEY';
  if (access.isMissing()) return { key, line: `no key yet; create one: ${create}` };
  if (!access.isAvailable()) {
    return {
      key,
      line: `the key store in ${accessDir(data)} cannot be read; calls are answered 503 until it can`,
    };
  }
  return access.list().some(({ state }) => state === 'active')
    ? { key, line: `existing keys still work; create another: ${create}` }
    : { key, line: `no key is active; create one: ${create}` };
}

/** Where the operator finds the administrator's secret. */
function secretOf({ adminSecret }: Config, data: string): string {
  if (adminSecret !== undefined) return 'the secret is that of the setting admin-secret';
  const secret = new AdminSecret(accessDir(data));
  return secret.exists()
    ? `the secret is in ${secret.file}`
    : `closed: ${secret.file} could not be made; the log says why`;
}

async function banner(
  engine: EnginePort,
  url: string,
  config: Config,
  { key, line }: KeyHint,
  operatorSecret: string,
): Promise<string> {
  const { json } = await engine.coverageBody({});
  const { total, chunks, index } = JSON.parse(new TextDecoder().decode(json)) as Coverage;
  const body = JSON.stringify({ query: EXAMPLE, top_k: 3 });
  return `
priorart serves ${counted(total, 'publication')} (${counted(chunks, 'passage')}, ${index.model}) at ${url}
  memory    ${size(process.memoryUsage.rss())} resident with ${counted(config.workers, 'worker')}; all share one mapping of the index
${config.page === 'on' ? `  page      ${url}/   (search in a browser)\n  operator  ${url}/#/dashboard   (${operatorSecret})\n` : ''}  key       ${line}
  try       curl -s ${url}/api/v1/search/semantic -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d '${body}'
  stop      Ctrl-C

`;
}
