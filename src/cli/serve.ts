import { Command } from 'commander';
import { AccessStore } from '../access/store.js';
import { type Config, SETTINGS, type SettingName } from '../config.js';
import { openDrawings } from '../drawings/open.js';
import { type Server, startServer } from '../http/server.js';
import { createLog, type Logger } from '../observe/log.js';
import { bufferedOutput } from '../observe/log-output.js';
import { Metrics } from '../observe/metrics.js';
import type { Coverage } from '../search/types.js';
import { IndexService } from '../service.js';
import { accessDir } from './access-folder.js';
import { createKey } from './keys.js';
import { settings, withSettings } from './options.js';
import { COMMAND, count, size } from './output.js';

const EXAMPLE = '리튬 이차전지의 고체 전해질';

/** The settings that a server has. */
const OF_A_SERVER = [
  'data',
  'models',
  'host',
  'port',
  'publicUrl',
  'workers',
  'httpAdapter',
  'queuePerWorker',
  'recallCheck',
  'deadlineMs',
  'shutdownGraceMs',
  'drawingLinkSeconds',
  'drawingSecretFile',
  's3Bucket',
  's3Endpoint',
  's3Region',
  's3Prefix',
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
  'settings',
  'requestLogDays',
  'requestLogMb',
  'requestLogQueries',
  'logLevel',
] as const satisfies SettingName[];

/** Those that a server takes over while it runs; the others need a restart. */
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
    .option('--demo', 'make a demonstration key on the first start and print it')
    .addHelpText(
      'after',
      `
Examples:
  priorart serve --data ./patents --port 9000
  priorart serve --host 0.0.0.0 --trust-proxy 1        (behind a reverse proxy)
  priorart serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem

SIGTERM and SIGINT shut down in order; SIGHUP reads certificate and settings file again.`,
    )
    .action(run);
  return withSettings(command, OF_A_SERVER);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const config = settings(flags);
  const { data, models, workers, queuePerWorker, recallCheck } = config;
  const metrics = new Metrics();
  const engine = await IndexService.open(data, {
    ...{ workers, queuePerWorker, recallCheck },
    observe: metrics.answered,
    ...(models === undefined ? {} : { models }),
  });
  const drawings = await openDrawings(data, config).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const secret = flags['demo'] === true ? await firstKey(data) : undefined;
  // A missing or damaged key store is answered with 503 until it is there; it does not keep the server down.
  const access = AccessStore.open(accessDir(data), { create: false });
  const output = bufferedOutput();
  const log = createLog(config.logLevel, output);
  const server = await startServer({ engine, access, drawings, log, config, metrics }).catch(
    async (error: unknown) => {
      // Its threads would keep the process alive, without a word.
      await engine.close();
      await access.close();
      output.flushSync();
      throw error;
    },
  );
  const onHangUp = () => reload(server, flags, log, config);
  process.on('SIGHUP', onHangUp);
  // Heard before the banner says how to stop: whoever reads it may do so at once.
  const told = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  process.stderr.write(await banner(engine, server.url, config, keyOf(access, data, secret)));

  await told;
  await server.close();
  process.off('SIGHUP', onHangUp);
  await engine.close();
  await access.close();
  output.flushSync();
}

/** A mistake in the settings must not end a server that runs. @param started the settings that it started with */
function reload(server: Server, flags: Record<string, unknown>, log: Logger, started: Config): void {
  try {
    const config = settings(flags);
    server.reload(config);
    const changed = OF_A_SERVER.filter((name) => !RELOADED.has(name) && config[name] !== started[name]);
    if (changed.length > 0) {
      const names = changed.map((name) => SETTINGS[name].flag.split(' ')[0]!.slice(2));
      log.warn({ settings: names }, 'changed settings need a restart; the server goes on with those before');
    }
  } catch (error) {
    log.error({ err: error }, 'settings were not read again; those before stay in force');
  }
}

/** The demonstration key of a folder that has none; undefined where keys exist. */
async function firstKey(data: string): Promise<string | undefined> {
  const access = AccessStore.open(accessDir(data));
  try {
    if (access.list().length > 0) return undefined;
    const account = 'Demonstration';
    const wanted = { account, plan: 'enterprise', environment: 'development', name: 'demo' } as const;
    return (await createKey(access, wanted)).secret;
  } finally {
    await access.close();
  }
}

interface KeyHint {
  /** What the example is called with. */
  key: string;
  line: string;
}

/** What there is to say of keys. */
function keyOf(access: AccessStore, data: string, secret: string | undefined): KeyHint {
  if (secret !== undefined) return { key: secret, line: `${secret}   (shown once; development only)` };
  const create = `${COMMAND} keys create --data ${data} --account NAME`;
  const key = '$PRIORART_KEY';
  if (!access.isAvailable()) return { key, line: `none, or they cannot be read; make one: ${create}` };
  return access.list().some(({ state }) => state === 'active')
    ? { key, line: `keys made before still work; a new one: ${create}` }
    : { key, line: `none is active; make one: ${create}` };
}

async function banner(
  engine: IndexService,
  url: string,
  config: Config,
  { key, line }: KeyHint,
): Promise<string> {
  const { json } = await engine.coverageBody({});
  const { total, chunks, index } = JSON.parse(new TextDecoder().decode(json)) as Coverage;
  const body = JSON.stringify({ query: EXAMPLE, top_k: 3 });
  return `
priorart serves ${count(total)} publications (${count(chunks)} passages, ${index.model}) at ${url}
  memory    ${size(process.memoryUsage.rss())} resident with ${config.workers} workers; the index is mapped once for all
  key       ${line}
  try       curl -s ${url}/api/v1/search/semantic -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d '${body}'
  stop      Ctrl-C

`;
}
