/** Configurations of the usual clients, ready to paste. */
import { PriorartError } from '../errors.js';

/** How a client reaches the tools: it starts a process, or calls a server. */
export type Target =
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { url: string; key: string };

interface ClientConfig {
  /** Where the text belongs. */
  place: string;
  text: string;
}

const NAME = 'priorart';
const KEY_HEADER = 'X-API-Key';

const json = (value: unknown) => JSON.stringify(value, null, 2);
const started = ({ command, args, env }: Extract<Target, { command: string }>) => ({
  command,
  args,
  ...(Object.keys(env).length > 0 ? { env } : {}),
});
const headers = (key: string) => ({ [KEY_HEADER]: key });

/** A word of a command line, quoted if needed. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `{"mcpServers": …}`, as most clients read it. `url` names the field of a remote address. */
function servers(target: Target, url: string): string {
  const server = 'url' in target ? { [url]: target.url, headers: headers(target.key) } : started(target);
  return json({ mcpServers: { [NAME]: server } });
}

/** Claude Desktop starts processes only. @throws PriorartError `usage` for a server that would be called without one */
function claudeDesktop(target: Target): ClientConfig {
  if ('url' in target) {
    throw new PriorartError(
      'usage',
      '--remote: the configuration of Claude Desktop starts processes only; leave --remote out, and the process calls the ' +
        'server',
    );
  }
  const place = 'claude_desktop_config.json (Settings, Developer, Edit Config)';
  return { place, text: servers(target, 'url') };
}

function claudeCode(target: Target): ClientConfig {
  const place = 'a shell';
  if ('url' in target) {
    const header = `${KEY_HEADER}: ${target.key}`;
    return {
      place,
      text: `claude mcp add --transport http ${NAME} ${word(target.url)} --header ${word(header)}`,
    };
  }
  const env = Object.entries(target.env).map(([name, value]) => `--env ${word(`${name}=${value}`)} `);
  const command = [target.command, ...target.args].map(word).join(' ');
  return { place, text: `claude mcp add ${NAME} ${env.join('')}-- ${command}` };
}

function vsCode(target: Target): ClientConfig {
  const server =
    'url' in target
      ? { type: 'http', url: target.url, headers: headers(target.key) }
      : { type: 'stdio', ...started(target) };
  return { place: '.vscode/mcp.json', text: json({ servers: { [NAME]: server } }) };
}

function codex(target: Target): ClientConfig {
  const table = (values: Readonly<Record<string, string>>) =>
    `{ ${Object.entries(values)
      .map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
      .join(', ')} }`;
  const lines =
    'url' in target
      ? [`url = ${JSON.stringify(target.url)}`, `http_headers = ${table(headers(target.key))}`]
      : [
          `command = ${JSON.stringify(target.command)}`,
          `args = ${JSON.stringify(target.args)}`,
          ...(Object.keys(target.env).length > 0 ? [`env = ${table(target.env)}`] : []),
        ];
  return { place: '~/.codex/config.toml', text: [`[mcp_servers.${NAME}]`, ...lines].join('\n') };
}

/** By the name that `priorart mcp --print-config` takes. */
export const CLIENTS: Readonly<Record<string, (target: Target) => ClientConfig>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  cursor: (target) => ({ place: '~/.cursor/mcp.json', text: servers(target, 'url') }),
  vscode: vsCode,
  codex,
  gemini: (target) => ({ place: '~/.gemini/settings.json', text: servers(target, 'httpUrl') }),
  windsurf: (target) => ({
    place: '~/.codeium/windsurf/mcp_config.json',
    text: servers(target, 'serverUrl'),
  }),
};
