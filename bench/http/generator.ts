/** Starts the load generator as a child process. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { pinned } from '../machine.js';

export interface Load {
  host: string;
  port: number;
  /** Mean requests a second. Undefined: each connection sends the next request at once. */
  rate?: number;
  seconds: number;
  /** Maximum time to wait for missing answers at the end, s. */
  patienceSeconds: number;
  connections: number;
  requests: readonly Message[];
  seed: number;
}

export interface Message {
  /** Name that answers are counted under. */
  kind: string;
  weight: number;
  /** The complete request, head and body. */
  text: string;
}

/** Milliseconds. */
export interface Quantiles {
  n: number;
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}

export interface Measured {
  seconds: number;
  /** Number of answers by status. `closed`: the connection ended without an answer. */
  statuses: Record<string, number>;
  unanswered: number;
  /** Latencies of 2xx and 3xx answers, in total and by kind. Other answers are under their status. */
  answered: Quantiles;
  byKind: Record<string, Quantiles>;
  /** Delay between due time and sending: the generator's own share of the latencies. */
  late: Quantiles;
  /** Processor time of the generator, s. */
  cpuSeconds: number;
}

/** @param processors the processors that the generator may use; default: all */
export async function generate(load: Load, processors?: readonly number[]): Promise<Measured> {
  const script = fileURLToPath(new URL('./load.js', import.meta.url));
  const whole = { command: process.execPath, args: [script] };
  const run = processors ? pinned(processors, whole.command, whole.args) : whole;
  const child = spawn(run.command, run.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(load));
  const printed = await text(child.stdout);
  if (printed === '') throw new Error('the load generator ended without a result');
  return JSON.parse(printed) as Measured;
}
