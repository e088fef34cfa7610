import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';

/** A failure of the set-up that a person can act on: the message is all there is to show, a stack would not help. */
export class SetupError extends Error {}

const TAIL_LINES = 400;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Has a child end when this process is told to, so that no compiler is left running behind. */
function endWithParent(child) {
  const end = (signal) => {
    child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  child.on('close', () => {
    for (const signal of SIGNALS) process.off(signal, end);
  });
}

/**
 * Runs a program with its output captured.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void}} [options]
 * @returns {Promise<{code: number | null, signal: string | null, lines: string[]}>} `lines`: the last 400 of
 *   stdout and stderr together; `code` is null when a signal ended it.
 * @throws {SetupError} when the program can not be started
 */
export function runCaptured(command, args, { cwd, env = process.env, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    endWithParent(child);
    const lines = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > TAIL_LINES) lines.shift();
        onLine?.(line);
      });
    }
    child.on('error', (error) => {
      reject(new SetupError(`${command} could not be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      resolve({ code, signal, lines });
    });
  });
}

/**
 * Runs a program as if it stood in this one's place: same terminal, signals passed on.
 * @returns {Promise<number>} the exit code a shell would show
 */
export function runInPlace(command, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    const passOn = (signal) => child.kill(signal);
    // Ctrl-C reaches the child from the terminal itself; a second SIGINT would read as "stop at once".
    const onInterrupt = (signal) => process.stdin.isTTY || passOn(signal);
    process.on('SIGINT', onInterrupt).on('SIGTERM', passOn).on('SIGHUP', passOn);
    child.on('error', (error) => reject(new SetupError(`${command} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', passOn).off('SIGHUP', passOn);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Prints an error the way its kind deserves and sets the exit code. */
export function reportFailure(error) {
  console.error(error instanceof SetupError ? `\n${error.message}\n` : error);
  process.exitCode = 1;
}
