/** A server in a separate process, and its cost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pinned, TICKS_PER_SECOND } from '../machine.js';

export interface Cost {
  /** Processor time of all threads, s. */
  cpu: number;
  /** Resident memory, bytes. */
  memory: number;
}

export class Served {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly metricsPort: number | undefined;

  private constructor(child: ChildProcess, port: number, metricsPort: number | undefined) {
    this.#child = child;
    this.port = port;
    this.metricsPort = metricsPort;
  }

  /**
   * Runs a script that logs like `serve` and waits until it listens.
   * @param processors the processors that it may use; default: all
   */
  static async start(
    script: string,
    args: readonly string[],
    processors?: readonly number[],
  ): Promise<Served> {
    const whole = { command: process.execPath, args: [script, ...args] };
    const run = processors ? pinned(processors, whole.command, whole.args) : whole;
    const child = spawn(run.command, run.args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2_000);
    });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${complaints}`)));
      // Reads the whole log: without a reader, lines would be dropped and would cost nothing.
      createInterface(child.stdout!).on('line', (line) => {
        if (!line.includes('"listening"')) return;
        const { url, metrics_port: metricsPort } = JSON.parse(line) as { url: string; metrics_port?: number };
        resolve(new Served(child, Number(new URL(url).port), metricsPort));
      });
    });
  }

  cost(): Cost {
    const of = (file: string) => readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8');
    const stat = of('stat');
    // The name in brackets may contain any character. User and system time are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { cpu, memory: Number(/VmRSS:\s*(\d+)/.exec(of('status'))?.[1]) * 1024 };
  }

  /** Total time that its threads waited for a processor, s. */
  waitedForProcessor(): number {
    const dir = `/proc/${this.#child.pid}/task`;
    const waits = readdirSync(dir).map((id) =>
      Number(readFileSync(`${dir}/${id}/schedstat`, 'utf8').split(' ')[1]),
    );
    return waits.reduce((sum, ns) => sum + ns, 0) / 1e9;
  }

  /** Metrics by series. A read starts a new interval of the event loop's metrics. */
  async metrics(): Promise<Map<string, number>> {
    if (this.metricsPort === undefined) return new Map();
    const text =
      await // Without keep-alive, because the server may close an idle connection just as it is used again.
      (
        await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`, { headers: { connection: 'close' } })
      ).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}
