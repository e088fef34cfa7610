/** Errors as models read them: what is wrong, and what to do next. */
import { type ErrorCode, isPriorartError, type PriorartError } from '../errors.js';

const WAIT: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'unavailable',
  'maintenance',
  'cancelled',
]);
const KEY: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'key_deactivated', 'forbidden']);
const WAIT_DEFAULT_S = 5;
/** A quota that is free again so soon is worth a wait: running searches hold the rest of it, or its cycle ends. */
const QUOTA_WAIT_MAX_S = 60;

/** A failed call as text. Faults of the program are not described. */
export function failureText(tool: string, error: unknown): string {
  if (!isPriorartError(error)) return `${tool} failed: internal error. Try once more, then tell the user.`;
  const message = error.message.trimEnd();
  const end = message.endsWith('.') ? '' : '.';
  return `${tool} failed (${error.code}): ${message}${end} ${adviceFor(tool, error)}`;
}

function adviceFor(tool: string, { code, status, retryAfter }: PriorartError): string {
  const isHeld = code === 'quota_exceeded' && retryAfter !== undefined && retryAfter <= QUOTA_WAIT_MAX_S;
  if (isHeld || WAIT.has(code)) {
    return `Wait ${Math.max(1, Math.ceil(retryAfter ?? WAIT_DEFAULT_S))} s, then make the same call again.`;
  }
  if (code === 'quota_exceeded')
    return 'Do not call again: tell the user, who can wait or ask for a larger plan.';
  if (KEY.has(code)) return 'Do not call again: the user has to configure a valid API key.';
  if (code === 'not_found') return 'Take numbers and file names from answers of the other tools.';
  if (status >= 400 && status < 500) return `Correct the arguments and call ${tool} again.`;
  return 'Try once more, then tell the user.';
}
