/** A server as an operator starts it, an attack on it, and a good client beside the attack that measures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { getPriority, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AccessStore } from '../../src/access/store.js';
import { SEMANTIC } from '../api/service.js';
import { CLI } from '../crash/folder.js';
import { accessOf, type Target } from './attacks.js';

/** The good client asks /livez, and a search, this often, ms. */
const EVERY_MS = 20;
/** The right secret is tried this often, ms. */
const SIGN_IN_EVERY_MS = 500;
const ATTACKER_NICENESS = 5;
const SECRET = 'a secret of the administration under attack';

export type Adapter = 'uws' | 'node';

/** Number of answers by status, or by what came in the place of one. */
export type Outcomes = Record<string, number>;

export interface Figures {
  /** Times of /livez, ascending, ms. */
  livez: number[];
  livezOutcomes: Outcomes;
  searches: Outcomes;
  /** Answers to the right secret of the administrator, from an address of its own. */
  administrator: Outcomes;
  /** What the attack was answered. */
  attack: Outcomes;
}

export class Attacked {
  readonly #child: ChildProcess;
  readonly #target: Target;
  readonly #key: string;

  private constructor(child: ChildProcess, target: Target, key: string) {
    this.#child = child;
    this.#target = target;
    this.#key = key;
  }

  /** Serves a data folder. Limits of calls are lifted, so that the attacks reach what they are for. */
  static async start(data: string, adapter: Adapter): Promise<Attacked> {
    const access = AccessStore.open(accessOf(data));
    const made = ['Good', 'Attacker'].map(async (name) => {
      const { id } = await access.createAccount({ name: `${name} ${adapter}`, plan: 'enterprise' });
      return (await access.createKey({ account: id, environment: 'production', name })).secret;
    });
    const [good, attacker] = (await Promise.all(made)) as [string, string];
    await access.close();
    const limits = ['--rate-limit', '1000000', '--public-rate-limit', '1000000'];
    const proxy = ['--trust-proxy', '1', '--trust-proxy-header', 'forwarded'];
    const args = [
      CLI,
      'serve',
      '--data',
      data,
      '--port',
      '0',
      '--http-adapter',
      adapter,
      ...limits,
      ...proxy,
    ];
    const env = { ...process.env, PRIORART_ADMIN_SECRET: SECRET };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2_000);
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${complaints}`)));
      // Reads the whole log, so that no line is dropped.
      createInterface(child.stdout!).on('line', (line) => {
        if (line.includes('"listening"'))
          resolve(Number(new URL((JSON.parse(line) as { url: string }).url).port));
      });
    });
    return new Attacked(child, { port, access: accessOf(data), key: attacker }, good);
  }

  /** Whether the process is still there. */
  get lives(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Attacks for a while, or until `isEnough`, with the good client beside it. */
  async under(attack: string, seconds: number): Promise<Figures> {
    const figures: Figures = {
      livez: [],
      livezOutcomes: {},
      searches: {},
      administrator: {},
      attack: {},
    };
    const script = fileURLToPath(new URL('./attacker.js', import.meta.url));
    const attacker = spawn(process.execPath, [script, attack, JSON.stringify(this.#target)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A lower priority than the server: a real attacker uses another machine's processors.
    setPriority(attacker.pid!, Math.min(19, getPriority() + ATTACKER_NICENESS));
    let output = '';
    const ready = once(attacker.stdout!, 'data');
    attacker.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = new Promise<void>((done) => attacker.once('close', () => done()));
    await ready;
    await this.#goodClient(figures, seconds);
    attacker.stdin!.end();
    await ended;
    figures.attack = JSON.parse(output.slice(output.indexOf('{'))) as Outcomes;
    figures.livez.sort((a, b) => a - b);
    return figures;
  }

  async #goodClient(figures: Figures, seconds: number): Promise<void> {
    const agent = new Agent({ keepAlive: true });
    const port = this.#target.port;
    const search = {
      path: SEMANTIC,
      body: JSON.stringify({ query: 'wind turbine blade', top_k: 5 }),
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
    };
    const signIn = {
      path: '/admin/api/v1/plans',
      headers: { authorization: `Bearer ${SECRET}`, forwarded: 'for=192.0.2.7' },
    };
    const waiting = new Set<Promise<void>>();
    const ask = (asked: Asked, outcomes: Outcomes, times?: number[]) => {
      const begun = performance.now();
      const answered = exchange(agent, port, asked).then((outcome) => {
        times?.push(performance.now() - begun);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        waiting.delete(answered);
      });
      waiting.add(answered);
    };
    const started = performance.now();
    // By the clock, not after the last answer: a client that waits for answers does not measure the delay of others.
    for (let n = 0; n * EVERY_MS < seconds * 1_000; n++) {
      await sleep(Math.max(0, started + n * EVERY_MS - performance.now()));
      ask({ path: '/livez' }, figures.livezOutcomes, figures.livez);
      ask(search, figures.searches);
      if ((n * EVERY_MS) % SIGN_IN_EVERY_MS === 0) ask(signIn, figures.administrator);
    }
    await Promise.all(waiting);
    agent.destroy();
  }

  async stop(): Promise<void> {
    if (!this.lives) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}

interface Asked {
  path: string;
  headers?: Record<string, string>;
  /** Makes it a POST. */
  body?: string;
}

/** A longer wait is a failure. */
const PATIENCE_MS = 30_000;

/** The status, or the error code if no whole answer came. */
function exchange(agent: Agent, port: number, { path, headers = {}, body }: Asked): Promise<number | string> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent,
      signal,
      headers: { ...headers, ...length },
    });
    sent.on('response', (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
      answer.on('error', () => resolve('broken'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    sent.end(body);
  });
}

/** The value that a share of all does not exceed. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

/** Statuses that no attack may bring about: of the server's faults only 503, by which it refuses. */
export function faultsOf(outcomes: Outcomes): string[] {
  return Object.keys(outcomes).filter((outcome) => /^5/.test(outcome) && outcome !== '503');
}
