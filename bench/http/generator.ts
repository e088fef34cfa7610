/** The load generator as its parent sees it. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Load {
  host: string;
  port: number;
  /** Requests a second on average; undefined: each connection asks again at once. */
  rate?: number;
  seconds: number;
  /** How long answers that are missing at the end are waited for. */
  patienceSeconds: number;
  connections: number;
  requests: readonly Message[];
  seed: number;
}

export interface Message {
  /** What answers are counted as. */
  kind: string;
  weight: number;
  /** The whole of the request, head and body. */
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
  /** Answers by status; `closed`: the connection ended without one. */
  statuses: Record<string, number>;
  unanswered: number;
  /** Answers of 2xx and 3xx, all and by kind; others under their status. */
  answered: Quantiles;
  byKind: Record<string, Quantiles>;
  /** How much later than due requests were sent: the generator's own share in the latencies. */
  late: Quantiles;
  /** Processor time of the generator, s. */
  cpuSeconds: number;
}

export async function generate(load: Load): Promise<Measured> {
  const script = fileURLToPath(new URL('./load.js', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(load));
  const printed = await text(child.stdout);
  if (printed === '') throw new Error('the load generator ended without a result');
  return JSON.parse(printed) as Measured;
}
