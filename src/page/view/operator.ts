/**
 * Whether an operator signed in from this tab. The cookie itself cannot be read by the page, and asking the server
 * each time would log a refusal for other clients.
 */
const NAME = 'priorart.operator';

export function isKnownOperator(): boolean {
  try {
    return sessionStorage.getItem(NAME) !== null;
  } catch {
    return known;
  }
}

let known = false;

export function rememberOperator(): void {
  known = true;
  try {
    sessionStorage.setItem(NAME, '1');
  } catch {
    // A browser may refuse storage. It is then known until the page is closed.
  }
}

export function forgetOperator(): void {
  known = false;
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing was stored.
  }
}
