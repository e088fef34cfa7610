/**
 * Whether an operator may be signed in: one signed in from this browser, in any of its tabs, and did not sign out. The
 * cookie itself, which decides, cannot be read by the page, and asking the server each time would log a refusal for all
 * other visitors.
 */
import { watched } from './watched.js';

const NAME = 'priorart.operator';

/** A browser may refuse storage. It is then known until the page is closed. */
function attempt<T>(access: () => T, otherwise: T): T {
  try {
    return access();
  } catch {
    return otherwise;
  }
}

const isNoted = () => localStorage.getItem(NAME) !== null;

export const operator = watched(attempt(isNoted, false));

export function rememberOperator(): void {
  attempt(() => localStorage.setItem(NAME, '1'), undefined);
  operator.set(true);
}

export function forgetOperator(): void {
  attempt(() => localStorage.removeItem(NAME), undefined);
  operator.set(false);
}

// Other tabs tell of themselves only.
addEventListener('storage', ({ key }) => {
  if (key === NAME || key === null) operator.set(attempt(isNoted, operator.get()));
});
