/**
 * The process that judges folders, and its replacements. A damaged folder may crash the process; the crash is then
 * the verdict.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Question, Verdict } from './truth.js';

const PROCESS = fileURLToPath(new URL('./judge-process.js', import.meta.url));
/** Timeout of a judge, ms. */
const JUDGE_MS = 180_000;
/** Folders judged by one process. Bounded, because a process keeps its maps. */
const FOLDERS = 200;

export class Judge {
  readonly #script: string;
  #child: ChildProcess | undefined;
  #judged = 0;
  #said = '';

  /** @param script of its processes */
  constructor(script: string = PROCESS) {
    this.#script = script;
  }

  async judge(question: Question): Promise<Verdict> {
    if (this.#judged++ % FOLDERS === FOLDERS - 1) this.stop();
    const child = this.#running();
    const over = new AbortController();
    const { signal } = over;
    const timer = setTimeout(() => child.kill('SIGABRT'), JUDGE_MS);
    try {
      const answered = once(child, 'message', { signal }).then(([verdict]) => verdict as Verdict);
      const ended = once(child, 'exit', { signal }).then(([code, died]): Verdict => {
        return { fault: `the process that judges the folder died (${died ?? code}): ${this.#said}` };
      });
      // The later promise rejects; its error is ignored.
      for (const each of [answered, ended]) each.catch(() => {});
      child.send(question);
      return await Promise.race([answered, ended]);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  /** Whether a process is waiting for a folder. */
  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #running(): ChildProcess {
    if (this.#child) return this.#child;
    const child = fork(this.#script, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#said = '';
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-2000);
    });
    return child;
  }
}
