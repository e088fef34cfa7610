/**
 * `npm run cluster:start|stop|status`: an OpenSearch cluster on loopback for development and tests. `node scripts/cluster.mjs fetch`
 * only downloads the server. CONTRIBUTING.md describes the options.
 */
import { parseArgs } from 'node:util';
import { clusters, fetchServer, start, status, stop } from './cluster/cluster.mjs';
import { findJava } from './cluster/java.mjs';
import { reportFailure, SetupError } from './setup/child.mjs';
import { withProgress } from './setup/progress.mjs';

const NODES_MAX = 9;
const PORT_MAX = 65_535 - NODES_MAX;

function optionsOf(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string', default: 'default' },
        nodes: { type: 'string', default: '3' },
        port: { type: 'string', default: '0' },
        delete: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new SetupError(error.message);
  }
}

function integer(option, text, min, max) {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new SetupError(`--${option}: got "${text}"; expected an integer from ${min} to ${max}`);
}

/** A name becomes a folder. */
function nameOf(text) {
  if (/^[a-z0-9][a-z0-9-]{0,40}$/.test(text)) return text;
  throw new SetupError(`--name: got "${text}"; expected lower-case letters, digits and hyphens`);
}

function show(found, json) {
  const { name, status: state, nodes, running, urls } = found;
  const all = nodes === undefined ? '' : `, ${running} of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
  console.log(json ? JSON.stringify(found) : [`cluster ${name}: ${state}${all}`, ...urls].join('\n  '));
}

async function main() {
  const { positionals, values } = optionsOf(process.argv.slice(2));
  const [command, ...rest] = positionals;
  if (rest.length > 0) throw new SetupError(`unknown word "${rest[0]}"`);
  const name = nameOf(values.name);
  if (command === 'start') {
    const asked = {
      nodes: integer('nodes', values.nodes, 1, NODES_MAX),
      port: integer('port', values.port, 0, PORT_MAX),
    };
    show(await withProgress('OpenSearch', (report) => start({ name, ...asked, report })), values.json);
  } else if (command === 'stop') {
    await withProgress('OpenSearch', () => stop({ name, remove: values.delete }));
    show(await status({ name }), values.json);
  } else if (command === 'status') {
    const names = new Set([name, ...(name === 'default' ? clusters() : [])]);
    for (const each of names) show(await status({ name: each }), values.json);
  } else if (command === 'fetch') {
    findJava();
    await withProgress('OpenSearch', (report) => fetchServer(report));
  } else {
    throw new SetupError(
      `got ${command === undefined ? 'no command' : `"${command}"`}; expected start, stop, status or fetch`,
    );
  }
}

await main().catch(reportFailure);
