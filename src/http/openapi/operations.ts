/** The operations of the document and their examples, from the routes. */
import { LOGIN } from '../admission/administrator.js';
import type { Route } from '../route.js';
import type { Examples, Operation } from './operation.js';

/** An operation with the fields of its route. */
export interface RoutedOperation extends Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  /** Needs X-API-Key. */
  key: boolean;
  /** Takes a session of the web page instead. */
  session: boolean;
  /** Needs the session of an account. */
  account: boolean;
  /** Needs the administration's secret or a session. */
  admin: boolean;
}

export function operationsOf(routes: readonly Route[]): RoutedOperation[] {
  return routes.flatMap(({ operation, method, path, access, endpoint, takesSession }) =>
    operation === undefined
      ? []
      : {
          ...operation,
          method: method.toLowerCase() as RoutedOperation['method'],
          path,
          key: access === 'key',
          account: access === 'account',
          session: takesSession === true,
          admin: access === 'admin' && endpoint !== LOGIN,
        },
  );
}

const ERROR: Examples = { Error: { error: { detail: 'top_k: got 500; expected an integer from 1 to 100' } } };

/** The examples of all operations, by the name of their schema. */
export function examplesOf(routes: readonly Route[]): Examples {
  return Object.assign({}, ERROR, ...routes.map(({ operation }) => operation?.examples ?? {})) as Examples;
}
