/** `priorart mcp`: the tools for an LLM client, over standard input and output. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { PriorartError } from '../errors.js';
import { PORT_DEFAULT } from '../limits.js';
import type { PatentApi } from '../mcp/api.js';
import { CLIENTS, type Target } from '../mcp/client-config.js';
import { IndexService } from '../service.js';
import { inOneLine } from './output.js';

const KEY = 'PRIORART_KEY';
const BASE_URL = 'PRIORART_BASE_URL';
const DEFAULT_URL = `http://127.0.0.1:${PORT_DEFAULT}`;
/** Clients show the key of a configuration that is printed. It is not printed. */
const PLACEHOLDER = 'YOUR_API_KEY';

interface Flags {
  data?: string;
  models?: string;
  url?: string;
  printConfig?: string;
  remote?: true;
}

export function mcpCommand(): Command {
  return new Command('mcp')
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
  ${KEY}=psk_live_... priorart mcp --url https://patents.example.com
  priorart mcp --data ./patents --print-config claude-desktop
  priorart mcp --url https://patents.example.com --print-config vscode --remote`,
    )
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  if (flags.data !== undefined && (flags.url !== undefined || flags.remote)) {
    throw new PriorartError(
      'usage',
      '--data opens a folder without a server; expected it without --url and --remote',
    );
  }
  const base = baseUrl(flags.url ?? process.env[BASE_URL] ?? DEFAULT_URL);
  if (flags.printConfig !== undefined) {
    printConfig(flags.printConfig, targetOf(flags, base));
    return;
  }
  if (flags.remote) throw new PriorartError('usage', '--remote: expected it with --print-config');
  const { packageVersion } = await import('../http/package-version.js');
  const { serveOverStdio } = await import('../mcp/stdio.js');
  const folder = flags.data === undefined ? undefined : await openFolder(flags.data, flags.models);
  const api = folder ? await folderApi(folder) : await serverApi(base);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const onFault = (error: unknown) =>
    process.stderr.write(
      `priorart: ${inOneLine(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
    );
  try {
    process.stderr.write(`priorart: serving MCP on standard input and output, from ${flags.data ?? base}\n`);
    await serveOverStdio(api, { version: packageVersion(), onFault }, stop.signal);
  } finally {
    await folder?.close();
  }
  // A reader of standard input, or a kept connection, would keep the process.
  process.exit();
}

function openFolder(data: string, models: string | undefined): Promise<IndexService> {
  // One client asks one question after the other.
  return IndexService.open(data, { workers: 1, ...(models === undefined ? {} : { models }) });
}

async function folderApi(folder: IndexService): Promise<PatentApi> {
  const { EngineApi } = await import('../mcp/engine-api.js');
  const { LocalDrawings } = await import('../drawings/files.js');
  return new EngineApi(folder, new LocalDrawings(folder.dir));
}

async function serverApi(base: string): Promise<PatentApi> {
  const key = process.env[KEY]?.trim() || undefined;
  if (key === undefined)
    process.stderr.write(`priorart: warning: ${KEY} is not set; searches will be refused\n`);
  const { restClient } = await import('../mcp/rest-client.js');
  return restClient(base, key);
}

/** @throws PriorartError `usage` */
function baseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new PriorartError(
      'usage',
      `--url: got ${JSON.stringify(given)}; expected an address such as ${DEFAULT_URL}`,
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
  const needsKey = 'url' in target || Object.keys(target.env).length > 0;
  process.stderr.write(`Put this into ${place}${needsKey ? `, with your key for ${PLACEHOLDER}` : ''}:\n`);
  process.stdout.write(`${text}\n`);
}
