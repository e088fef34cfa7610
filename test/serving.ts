/** `priorart serve` in a process of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLI } from './crash/folder.js';

export interface Serving {
  url: string;
  /** Throws if the server has ended. */
  check(): void;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a server on a free port. Resolves when it listens. */
export async function serving(options: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, [CLI, 'serve', ...options, '--port', '0', '--log-level', 'error'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = await new Promise<string>((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const at = /at (http:\S+)/.exec(said)?.[1];
      if (at !== undefined) done(at);
    });
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}: ${said}`)));
  });
  return {
    url,
    check: () => assert.equal(child.exitCode, null, said),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
