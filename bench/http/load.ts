/**
 * The load generator, a separate process. Reads a `Load` as one line of JSON and prints a `Measured`.
 *
 * Arrivals are open-loop: a Poisson process fixes their times in advance. A request is sent at its time, whether or not
 * earlier ones are answered, and its latency counts from that time. If a server stalls for a second, every request that
 * is due in that second shows its wait; a client that waits for each answer would not measure it. Without a rate, each
 * connection sends the next request at once: this measures throughput, not latency.
 */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { random } from '../../test/crash/folder.js';
import type { Load, Measured, Quantiles } from './generator.js';

/** A request in flight. */
interface Sent {
  kind: string;
  /** Time when it was due. */
  due: number;
}

const load = JSON.parse(await text(process.stdin)) as Load;
const next = random(load.seed);
const messages = load.requests.map(({ text: message, ...rest }) => ({
  ...rest,
  bytes: Buffer.from(message),
}));
const sums: number[] = [];
for (const { weight } of messages) sums.push((sums.at(-1) ?? 0) + weight);
const totalWeight = sums.at(-1) ?? 0;
const latencies = new Map<string, number[]>();
const statuses: Record<string, number> = {};
const late: number[] = [];
const idle: Connection[] = [];
const backlog: Sent[] = [];
let open = 0;
let unanswered = 0;
let whenDone: () => void = () => {};
let ended = false;

/** One connection, one request at a time. */
class Connection {
  readonly #socket: Socket;
  #sent: Sent | undefined;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are missing; undefined until the head is complete. */
  #missing: number | undefined;
  #status = '';

  constructor() {
    open++;
    this.#socket = connect(load.port, load.host);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      open--;
      const at = idle.indexOf(this);
      if (at >= 0) idle.splice(at, 1);
      if (this.#sent) this.#done('closed');
    });
  }

  send(sent: Sent, bytes: Buffer): void {
    this.#sent = sent;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing === undefined) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#head.toString('latin1', 0, end);
      this.#status = head.slice(9, 12);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      this.#missing = Number(length ?? 0) - (this.#head.length - end - 4);
      this.#head = Buffer.alloc(0);
    } else {
      this.#missing -= chunk.length;
    }
    if (this.#missing > 0) return;
    this.#missing = undefined;
    this.#done(this.#status);
  }

  #done(status: string): void {
    const sent = this.#sent!;
    this.#sent = undefined;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const key = /^[23]/.test(status) ? sent.kind : status;
    const list = latencies.get(key) ?? [];
    if (list.length === 0) latencies.set(key, list);
    list.push(performance.now() - sent.due);
    unanswered--;
    if (status === 'closed') return;
    if (load.rate === undefined && !ended) {
      begin({ kind: '', due: performance.now() }, this);
      return;
    }
    const waiting = backlog.shift();
    if (waiting) begin(waiting, this);
    else idle.push(this);
    if (ended && unanswered === 0) whenDone();
  }
}

/** Draws a request by the weights: the first whose cumulative weight exceeds a random number. */
function pick(): number {
  const at = next() * totalWeight;
  const found = sums.findIndex((sum) => sum > at);
  return found < 0 ? 0 : found;
}

/** Draws and sends a request. */
function begin(sent: Sent, connection: Connection): void {
  const message = messages[pick()]!;
  sent.kind = message.kind;
  if (load.rate === undefined) unanswered++;
  late.push(performance.now() - sent.due);
  connection.send(sent, message.bytes);
}

function arrive(due: number): void {
  unanswered++;
  const sent = { kind: '', due };
  const connection = idle.pop() ?? (open < load.connections ? new Connection() : undefined);
  if (connection) begin(sent, connection);
  else backlog.push(sent);
}

async function openLoop(rate: number): Promise<void> {
  const start = performance.now() + 50;
  const end = start + load.seconds * 1000;
  let due = start;
  await new Promise<void>((resolve) => {
    const tick = () => {
      const now = performance.now();
      while (due <= now && due < end) {
        arrive(due);
        due += (-Math.log(1 - next()) * 1000) / rate;
      }
      if (due < end) setTimeout(tick, Math.max(0, due - now));
      else resolve();
    };
    setTimeout(tick, 50);
  });
}

async function closedLoop(): Promise<void> {
  for (let n = 0; n < load.connections; n++) begin({ kind: '', due: performance.now() }, new Connection());
  await new Promise((resolve) => setTimeout(resolve, load.seconds * 1000));
}

const started = performance.now();
if (load.rate === undefined) await closedLoop();
else await openLoop(load.rate);
ended = true;
// Waits for the requests in flight, because they are the slowest.
await new Promise<void>((resolve) => {
  whenDone = resolve;
  if (unanswered === 0) resolve();
  setTimeout(resolve, load.patienceSeconds * 1000);
});
const seconds = (performance.now() - started) / 1000;
for (const connection of idle) connection.close();

function quantiles(values: number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { n: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}

const { user, system } = process.cpuUsage();
const good = [...latencies].filter(([key]) => !/^(?:\d+|closed)$/.test(key)).flatMap(([, list]) => list);
const measured: Measured = {
  seconds,
  statuses,
  unanswered,
  answered: quantiles(good),
  byKind: Object.fromEntries([...latencies].map(([key, list]) => [key, quantiles(list)])),
  late: quantiles(late),
  cpuSeconds: (user + system) / 1e6,
};
process.stdout.write(JSON.stringify(measured), () => process.exit(0));
