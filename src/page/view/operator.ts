/**
 * Whether an operator signed in from this tab. The cookie itself cannot be read by the page, and asking the server
 * each time would log a refusal for other clients.
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

export const operator = watched(attempt(() => sessionStorage.getItem(NAME) !== null, false));

export function rememberOperator(): void {
  attempt(() => sessionStorage.setItem(NAME, '1'), undefined);
  operator.set(true);
}

export function forgetOperator(): void {
  attempt(() => sessionStorage.removeItem(NAME), undefined);
  operator.set(false);
}
