/**
 * What attacks a server from outside: each attack sends its requests until it is told to stop, and notes the status of
 * each answer. The server trusts one proxy (header `Forwarded`), so that an attack can come from many addresses.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BODY_MAX_BYTES } from '../../src/limits.js';
import { ANALYTICS, DETAILS, SEMANTIC } from '../api/service.js';
import { get, post, RawClient } from '../http/raw.js';

/** The server that is attacked. */
export interface Target {
  port: number;
  /** Folder of its access store. */
  access: string;
  /** An API key of the attacker, which is a valid one. */
  key: string;
}

/** An attack under way. */
export interface Attack extends Target {
  /** Whether it is to go on. */
  goesOn(): boolean;
  /** Notes a status, or what came in its place. */
  note(outcome: number | string): void;
}

const PLANS = '/admin/api/v1/plans';
const SESSION = '/admin/api/v1/session';
/** Clients of an attack that send one request after the other. */
const CLIENTS = 4;
/** The same of an attack whose requests uWebSockets.js leaves without an answer for ten seconds. */
const MANY_CLIENTS = 60;
/** Pause of each, ms: an attack of this many requests a second would be a flood, which is another matter. */
const PAUSE_MS = 5;
const QUESTION = 'battery with a solid electrolyte';

const headersOf = (key: string) => ({ 'X-API-Key': key, 'Content-Type': 'application/json' });

/** Sends messages in turn on connections of its own, one after the other, by some clients at once. */
async function inTurn(attack: Attack, messages: readonly string[], clients = CLIENTS): Promise<void> {
  const client = async (first: number) => {
    for (let n = first; attack.goesOn(); n++) {
      attack.note(await exchange(attack.port, messages[n % messages.length]!));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
}

/** The status of an answer, or that the connection ended without one. */
async function exchange(port: number, message: string): Promise<number | string> {
  const client = new RawClient(port);
  try {
    return (await client.write(message).reply())?.status ?? 'closed';
  } catch {
    return 'no answer in time';
  } finally {
    client.destroy();
  }
}

const withFields = (path: string, fields: Record<string, string>) =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Texts that take super-linear time in a careless regular expression. */
function regexBombs({ key }: Target): string[] {
  const search = (body: object) => post(SEMANTIC, JSON.stringify(body), headersOf(key));
  const blanks = ' '.repeat(15_000);
  const question = { query: QUESTION };
  return [
    withFields(PLANS, { Authorization: `Bearer a${blanks}b` }),
    withFields(PLANS, { Forwarded: `for=${' '.repeat(1_600)}""x, for=1.2.3.4` }),
    withFields(PLANS, { Forwarded: `for=${blanks}` }),
    search({ ...question, ipc_codes: [`H01M${' '.repeat(100_000)}x`, `H${'0'.repeat(100_000)}`] }),
    search({
      ...question,
      publication_number: `KR${'-1'.repeat(100_000)}x`,
      application_number: ' .'.repeat(100_000),
    }),
    search({ ...question, applicant: `${'Co., '.repeat(50_000)}x` }),
    search({ ...question, filing_date_from: `2020-01-01${' '.repeat(100_000)}x` }),
    search({ query: `${' '.repeat(9_000)}x` }),
  ];
}

function deepJson({ key }: Target): string[] {
  const bodies = [
    `{"query":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    '['.repeat(BODY_MAX_BYTES),
  ];
  const paths = [SEMANTIC, ANALYTICS, DETAILS, SESSION];
  return paths.flatMap((path) => bodies.map((body) => post(path, body, headersOf(key))));
}

/** Processes that are stopped while they have a lock of the access store, each file in turn. */
async function stoppedLockHolders({ access, goesOn, note }: Attack): Promise<void> {
  const script = fileURLToPath(new URL('../access/lock-holder.js', import.meta.url));
  const holder = fork(script, [access]);
  await once(holder, 'message');
  try {
    for (let n = 0; goesOn(); n++) {
      const file = ['counters.db', 'keys.db', 'log.db'][n % 3]!;
      holder.send(file);
      await sleep(1_500);
      const continued = once(holder, 'message');
      holder.kill('SIGCONT');
      await continued;
      note(`${file} was locked`);
      await sleep(300);
    }
  } finally {
    holder.kill('SIGKILL');
  }
}

/** Guesses of the administrator's secret, from one address and from a thousand. */
async function wrongSecrets(attack: Attack): Promise<void> {
  let guesses = 0;
  const guess = async () => {
    while (attack.goesOn()) {
      const n = guesses++;
      const address = n % 2 === 0 ? '10.9.9.9' : `10.1.${(n >> 8) % 4}.${n % 256}`;
      const fields = { Forwarded: `for=${address}`, Authorization: `Bearer wrong-secret-number-${n}` };
      attack.note(await exchange(attack.port, withFields(PLANS, fields)));
    }
  };
  await Promise.all(Array.from({ length: 32 }, guess));
}

/** 1,000 searches at once, and again when all have been answered. */
async function waves(attack: Attack): Promise<void> {
  const message = post(SEMANTIC, JSON.stringify({ query: QUESTION }), headersOf(attack.key));
  const clients = Array.from({ length: 1_000 }, () => new RawClient(attack.port));
  try {
    while (attack.goesOn()) {
      const replies = clients.map((client) => client.write(message).reply());
      for (const reply of await Promise.all(replies)) attack.note(reply?.status ?? 'closed');
      await sleep(500);
    }
  } finally {
    for (const client of clients) client.destroy();
  }
}

/** Searches whose client ends its side behind the body. */
async function halfClosed(attack: Attack): Promise<void> {
  const message = post(SEMANTIC, JSON.stringify({ query: QUESTION }), headersOf(attack.key));
  const client = async () => {
    while (attack.goesOn()) {
      const socket = connect({ port: attack.port, host: '127.0.0.1', allowHalfOpen: true });
      let text = '';
      socket.setEncoding('latin1').on('data', (more: string) => (text += more));
      socket.on('error', () => {});
      socket.end(message);
      await once(socket, 'close').catch(() => {});
      attack.note(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) || 'closed');
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

/** Sixteen POSTs in one piece. */
async function pipelined(attack: Attack): Promise<void> {
  const message = post(SEMANTIC, JSON.stringify({ query: QUESTION }), headersOf(attack.key));
  while (attack.goesOn()) {
    const client = new RawClient(attack.port).write(message.repeat(16));
    for (let n = 0; n < 16; n++) attack.note((await client.reply())?.status ?? 'closed');
    client.destroy();
    await sleep(PAUSE_MS);
  }
}

const manyFields = () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`X-Field-${n}`, 'v']));
  return [withFields('/livez', fields), withFields('/readyz', fields), get('/livez')];
};

/** By the name of each. */
export const ATTACKS: Record<string, (attack: Attack) => Promise<void>> = {
  'nothing, to compare': async ({ goesOn }) => {
    while (goesOn()) await sleep(50);
  },
  'texts against regular expressions': (attack) => inTurn(attack, regexBombs(attack)),
  'deep JSON': (attack) => inTurn(attack, deepJson(attack)),
  'stopped processes that have a lock': stoppedLockHolders,
  'wrong secrets of the administrator': wrongSecrets,
  'waves of 1,000 searches': waves,
  'half-closed clients': halfClosed,
  'pipelined POSTs': pipelined,
  '300 header fields': (attack) => inTurn(attack, manyFields(), MANY_CLIENTS),
};

/** Where a data folder has its access store. */
export const accessOf = (data: string): string => join(data, 'access');
