import { Command } from 'commander';
import { AccessStore } from '../access/store.js';
import type { Config } from '../config.js';
import { openDrawings } from '../drawings/open.js';
import { type Engine, open } from '../engine.js';
import { type Server, startServer } from '../http/server.js';
import { createLog, type Logger } from '../observe/log.js';
import { bufferedOutput } from '../observe/log-output.js';
import { Metrics } from '../observe/metrics.js';
import { accessDir } from './access-folder.js';
import { createKey } from './keys.js';
import { openOptions, settings, withSettings } from './options.js';
import { COMMAND, count, size } from './output.js';

const EXAMPLE = '리튬 이차전지의 고체 전해질';

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
  return withSettings(command, [
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
  ]);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const config = settings(flags);
  const { data, ...options } = openOptions(flags);
  const { workers, queuePerWorker, recallCheck } = config;
  const metrics = new Metrics();
  const engine = await open(data, {
    ...{ workers, queuePerWorker, recallCheck },
    observe: metrics.answered,
    ...options,
  });
  const drawings = await openDrawings(config.data, config).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const secret = flags['demo'] === true ? await firstKey(config.data) : undefined;
  // A missing or damaged key store is answered with 503 until it is there; it does not keep the server down.
  const access = AccessStore.open(accessDir(config.data), { create: false });
  const output = bufferedOutput();
  const log = createLog(config.logLevel, output);
  const server = await startServer({ engine, access, drawings, log, config, metrics });
  const onHangUp = () => reload(server, flags, log);
  process.on('SIGHUP', onHangUp);
  process.stderr.write(await banner(engine, server.url, config, secret));

  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await server.close();
  process.off('SIGHUP', onHangUp);
  await engine.close();
  await access.close();
  output.flushSync();
}

/** A mistake in the settings must not end a server that runs. */
function reload(server: Server, flags: Record<string, unknown>, log: Logger): void {
  try {
    server.reload(settings(flags));
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

async function banner(
  engine: Engine,
  url: string,
  config: Config,
  secret: string | undefined,
): Promise<string> {
  const { total, chunks, index } = await engine.coverage();
  const key = secret ?? '$PRIORART_KEY';
  const body = JSON.stringify({ query: EXAMPLE, top_k: 3 });
  const keyLine = secret
    ? `  key       ${secret}   (shown once; development only)`
    : `  key       keys made before still work; a new one: ${COMMAND} keys create --data ${config.data} --account NAME`;
  return `
priorart serves ${count(total)} publications (${count(chunks)} passages, ${index.model}) at ${url}
  memory    ${size(process.memoryUsage.rss())} resident with ${config.workers} workers; the index is mapped once for all
${keyLine}
  try       curl -s ${url}/api/v1/search/semantic -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d '${body}'
  stop      Ctrl-C

`;
}
