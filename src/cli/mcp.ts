/** `priorart mcp`: the tools for an LLM client, over standard input and output. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { SETTINGS } from '../config.js';
import type { DrawingFiles } from '../drawings/files.js';
import type { ClusterAddress, DrawingBucket } from '../engine-options.js';
import type { EngineBackend } from '../engine-port.js';
import { PriorartError } from '../errors.js';
import { PORT_DEFAULT } from '../limits.js';
import type { PatentApi } from '../mcp/api.js';
import { CLIENTS, type Target } from '../mcp/client-config.js';
import { IndexService } from '../service.js';
import { clusterOf, indexSettings, OF_A_BUCKET, OF_A_CLUSTER, withSettings } from './options.js';
import { inOneLine } from './output.js';

const KEY = 'PRIORART_KEY';
const BASE_URL = 'PRIORART_BASE_URL';
const DEFAULT_URL = `http://127.0.0.1:${PORT_DEFAULT}`;
/** Clients show the key of a configuration that is printed. It is not printed. */
const PLACEHOLDER = 'YOUR_API_KEY';
const PASSWORD_PLACEHOLDER = 'YOUR_PASSWORD';
/** Credentials of the bucket with drawings. */
const S3_PLACEHOLDERS = {
  AWS_ACCESS_KEY_ID: 'YOUR_ACCESS_KEY_ID',
  AWS_SECRET_ACCESS_KEY: 'YOUR_SECRET_ACCESS_KEY',
};

interface Flags {
  data?: string;
  models?: string;
  url?: string;
  printConfig?: string;
  remote?: true;
  opensearchCa?: string;
}

export function mcpCommand(): Command {
  const command = new Command('mcp')
    .description('offer the searches to an LLM client as tools (MCP), over standard input and output')
    .option('--url <url>', `address of the server (default: ${BASE_URL}, or ${DEFAULT_URL})`)
    .option('--data <folder>', 'open this data folder instead of calling a server; needs no key')
    .option('--models <file>', 'with --data: models.json (default: the models of the data folder)')
    .option(
      '--print-config <client>',
      `print the configuration of a client: ${Object.keys(CLIENTS).join(', ')}`,
    )
    .option('--remote', 'with --print-config: connect to /mcp of the server, without a local process')
    .addHelpText(
      'after',
      `
The API key comes from the variable ${KEY}, so that no list of processes shows it. Messages go to standard error.

Examples:
  priorart mcp --data ./patents
  priorart mcp --engine opensearch --opensearch-nodes https://node-1:9200
  ${KEY}=psk_live_... priorart mcp --url https://patents.example.com
  priorart mcp --data ./patents --print-config claude-desktop
  priorart mcp --url https://patents.example.com --print-config vscode --remote`,
    )
    .action(run);
  return withSettings(command, [...OF_A_CLUSTER, ...OF_A_BUCKET]);
}

async function run(flags: Flags): Promise<void> {
  const config = indexSettings({ ...flags });
  const cluster = clusterOf(config);
  if (cluster !== undefined && [flags.data, flags.url, flags.remote].some((flag) => flag !== undefined)) {
    throw new PriorartError(
      'usage',
      'the settings name a cluster, which is opened without a server; expected no --data, --url and --remote',
    );
  }
  if (flags.data !== undefined && (flags.url !== undefined || flags.remote)) {
    throw new PriorartError(
      'usage',
      '--data opens a folder without a server; expected it without --url and --remote',
    );
  }
  const base =
    flags.url === undefined
      ? baseUrl(process.env[BASE_URL] ?? DEFAULT_URL, BASE_URL)
      : baseUrl(flags.url, '--url');
  if (flags.printConfig !== undefined) {
    printConfig(flags.printConfig, cluster ? clusterTarget(cluster, flags) : targetOf(flags, base));
    return;
  }
  if (flags.remote) throw new PriorartError('usage', '--remote: expected it with --print-config');
  const { packageVersion } = await import('../http/package-version.js');
  const { serveOverStdio } = await import('../mcp/stdio.js');
  const engine = await openEngine(cluster ?? flags.data, flags.models ?? config.models);
  const api = await (engine ? engineApi(engine, cluster) : serverApi(base)).catch(async (error: unknown) => {
    await engine?.close();
    throw error;
  });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const onFault = (error: unknown) =>
    process.stderr.write(
      `priorart: ${inOneLine(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
    );
  try {
    process.stderr.write(`priorart: serving MCP on standard input and output, from ${engine?.dir ?? base}\n`);
    await serveOverStdio(api, { version: packageVersion(), onFault }, stop.signal);
  } finally {
    await engine?.close();
  }
  // A reader of standard input, or a kept connection, would keep the process.
  process.exit();
}

/** Opens a data folder or a cluster; undefined if a server is called instead. */
async function openEngine(
  place: string | ClusterAddress | undefined,
  models: string | undefined,
): Promise<EngineBackend | undefined> {
  if (place === undefined) return undefined;
  const chosen = models === undefined ? {} : { models };
  // One client asks one question after the other.
  if (typeof place === 'string') return IndexService.open(place, { workers: 1, ...chosen });
  const { ClusterEngine } = await import('../cluster/engine.js');
  const { engine: _, ...address } = place;
  return ClusterEngine.open(address, { workers: 1, ...chosen });
}

async function engineApi(engine: EngineBackend, cluster: ClusterAddress | undefined): Promise<PatentApi> {
  const { EngineApi } = await import('../mcp/engine-api.js');
  return new EngineApi(engine, await imagesOf(engine, cluster));
}

/** Where the images of an engine's drawings are. */
async function imagesOf(
  { dir }: EngineBackend,
  cluster: ClusterAddress | undefined,
): Promise<Pick<DrawingFiles, 'read'>> {
  if (cluster !== undefined) return (await import('../cluster/drawings.js')).imagesIn(cluster.drawings);
  const { LocalDrawings } = await import('../drawings/files.js');
  return new LocalDrawings(dir);
}

async function serverApi(base: string): Promise<PatentApi> {
  const key = process.env[KEY]?.trim() || undefined;
  if (key === undefined)
    process.stderr.write(`priorart: warning: ${KEY} is not set; searches will be refused\n`);
  const { restClient } = await import('../mcp/rest-client.js');
  return restClient(base, key);
}

/** @throws PriorartError `usage`, with the flag or variable that gives the address */
function baseUrl(given: string, source: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new PriorartError(
      'usage',
      `${source}: got ${JSON.stringify(given)}; expected an address such as ${DEFAULT_URL}`,
    );
  }
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end--;
  return url.origin + url.pathname.slice(0, end);
}

function targetOf({ data, models, remote }: Flags, base: string): Target {
  if (remote) return { url: `${base}/mcp`, key: PLACEHOLDER };
  // Clients start processes in any folder, so every path is absolute.
  const script = resolve(process.argv[1] ?? 'priorart');
  const source = data === undefined ? ['--url', base] : ['--data', resolve(data)];
  const args = [script, 'mcp', ...source, ...(models === undefined ? [] : ['--models', resolve(models)])];
  return { command: process.execPath, args, env: data === undefined ? { [KEY]: PLACEHOLDER } : {} };
}

/** A process that opens the cluster. Its password is not printed. */
function clusterTarget(
  { nodes, index, username, drawings }: ClusterAddress,
  { models, opensearchCa }: Flags,
): Target {
  const args = [
    ...[resolve(process.argv[1] ?? 'priorart'), 'mcp', '--engine', 'opensearch'],
    ...['--opensearch-nodes', nodes.join(',')],
    ...(index === undefined ? [] : ['--opensearch-index', index]),
    ...(username === undefined ? [] : ['--opensearch-username', username]),
    ...(opensearchCa === undefined ? [] : ['--opensearch-ca', resolve(opensearchCa)]),
    ...(models === undefined ? [] : ['--models', resolve(models)]),
    ...(drawings === undefined ? [] : bucketArgs(drawings)),
  ];
  const env = {
    ...(username === undefined ? {} : { [SETTINGS.opensearchPassword.env]: PASSWORD_PLACEHOLDER }),
    ...(drawings === undefined ? {} : S3_PLACEHOLDERS),
  };
  return { command: process.execPath, args, env };
}

function bucketArgs({ bucket, endpoint, region, prefix }: DrawingBucket): string[] {
  const flags = {
    '--s3-bucket': bucket,
    '--s3-endpoint': endpoint,
    '--s3-region': region,
    '--s3-prefix': prefix,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

function printConfig(client: string, target: Target): void {
  const config = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (!config) {
    const known = Object.keys(CLIENTS).join(', ');
    throw new PriorartError(
      'usage',
      `--print-config: got ${JSON.stringify(client)}; expected one of ${known}`,
    );
  }
  const { place, text } = config(target);
  const secret = 'url' in target ? PLACEHOLDER : Object.values(target.env)[0];
  const what = secret === PASSWORD_PLACEHOLDER ? 'password' : 'key';
  process.stderr.write(`Put this into ${place}${secret ? `, with your ${what} for ${secret}` : ''}:\n`);
  process.stdout.write(`${text}\n`);
}
