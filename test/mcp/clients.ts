/** Real clients: both generations of the TypeScript SDK, and the Python SDK. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewHttp,
  SSEClientTransport as NewSse,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ROOT } from '../house/checkout.js';
import { PYTHON } from '../house/python.js';
import type { ScriptCall, ScriptClient, ScriptResult } from './script.js';

/** Where a client connects. */
export type Place =
  | { transport: 'http' | 'sse'; url: string; headers: Record<string, string> }
  | { transport: 'stdio'; command: string; args: string[]; env: Record<string, string> };

const ABOUT = { name: 'priorart-test', version: '1.0.0' };

/** What both generations have in common. */
interface Common {
  listTools(): Promise<unknown>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listPrompts(): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  listResourceTemplates(): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

function scripted(client: Common, revision: string | undefined): ScriptClient {
  const answer = ({ kind, name = '', args = {} }: ScriptCall): Promise<unknown> => {
    switch (kind) {
      case 'tools':
        return client.listTools();
      case 'call':
        return client.callTool({ name, arguments: args });
      case 'prompts':
        return client.listPrompts();
      case 'prompt':
        return client.getPrompt({ name, arguments: args as Record<string, string> });
      case 'templates':
        return client.listResourceTemplates();
      case 'read':
        return client.readResource({ uri: name });
    }
  };
  return {
    revision,
    close: () => client.close(),
    make: (call) =>
      answer(call).catch((error: { code?: unknown; message: string }): ScriptResult => {
        if (typeof error.code !== 'number') throw error;
        return { failed: { code: error.code, message: error.message } };
      }),
  };
}

/** @param era `auto` speaks the newest revision that the server has; `legacy` those of 2025 */
export async function newClient(place: Place, era: 'auto' | 'legacy'): Promise<ScriptClient> {
  const client = new NewClient(ABOUT, { versionNegotiation: { mode: era } });
  await client.connect(newTransport(place));
  return scripted(client as unknown as Common, client.getNegotiatedProtocolVersion());
}

function newTransport(place: Place) {
  if (place.transport === 'stdio') return new NewStdio({ ...place, stderr: 'ignore' });
  const init = { requestInit: { headers: place.headers } };
  if (place.transport === 'http') return new NewHttp(new URL(place.url), init);
  return new NewSse(new URL(place.url), init);
}

export async function oldClient(place: Place): Promise<ScriptClient> {
  const client = new OldClient(ABOUT);
  const transport = oldTransport(place);
  // The types of this package do not know exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const { protocolVersion } = transport as { protocolVersion?: string };
  return scripted(client as unknown as Common, protocolVersion);
}

function oldTransport(place: Place) {
  if (place.transport === 'stdio') return new OldStdio({ ...place, stderr: 'ignore' });
  const init = { requestInit: { headers: place.headers } };
  if (place.transport === 'http') return new OldHttp(new URL(place.url), init);
  return new OldSse(new URL(place.url), init);
}

/** Makes all calls with the Python SDK. */
export async function pythonResults(
  place: Place,
  mode: 'auto' | 'legacy',
  calls: readonly ScriptCall[],
): Promise<{ revision: string; results: ScriptResult[] }> {
  const child = spawn(PYTHON, [join(ROOT, 'test/mcp/client.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.end(JSON.stringify({ ...place, mode, calls }));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the Python client failed: ${errors.slice(-4000)}`);
  return JSON.parse(output);
}
