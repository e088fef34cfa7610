import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';

/** A failure of the set-up that users can fix. Only its message is shown, without a stack. */
export class SetupError extends Error {}

const TAIL_LINES = 400;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Passes signals of this process on to a child, so that no compiler keeps running. */
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
 * Runs a program and captures its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void}} [options]
 * @returns {Promise<{code: number | null, signal: string | null, lines: string[]}>} `lines`: the last 400
 *   lines of stdout and stderr together; `code` is null if a signal ended the program.
 * @throws {SetupError} if the program cannot be started
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
 * Runs a program in place of this one: on the same terminal, with signals passed on.
 * @returns {Promise<number>} the exit code that a shell would show
 */
export function runInPlace(command, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    const passOn = (signal) => child.kill(signal);
    // On a terminal, Ctrl-C reaches the child directly. A second SIGINT would mean "stop at once".
    const onInterrupt = (signal) => process.stdin.isTTY || passOn(signal);
    process.on('SIGINT', onInterrupt).on('SIGTERM', passOn).on('SIGHUP', passOn);
    child.on('error', (error) => reject(new SetupError(`${command} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', passOn).off('SIGHUP', passOn);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Prints an error, without a stack if it is a SetupError, and sets the exit code. */
export function reportFailure(error) {
  console.error(error instanceof SetupError ? `\n${error.message}\n` : error);
  process.exitCode = 1;
}
