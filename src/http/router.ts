/** Finds the route of a request. */
import { PriorartError } from '../errors.js';
import type { Route } from './route.js';

export interface Match {
  route: Route;
  parameters: Readonly<Record<string, string>>;
}

/** No route has this path (404), or only for other methods (405, with the Allow header). */
export interface NoMatch {
  error: PriorartError;
  allow?: string;
}

interface Pattern {
  segments: string[];
  routes: Route[];
}

const NO_PARAMETERS = Object.freeze({});

export class Router {
  readonly #exact = new Map<string, Route[]>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const known = this.#exact.get(route.path);
      if (known) known.push(route);
      else {
        const fresh = [route];
        this.#exact.set(route.path, fresh);
        if (route.path.includes('{')) this.#patterns.push({ segments: route.path.split('/'), routes: fresh });
      }
    }
  }

  /** HEAD matches the route of GET. */
  find(method: string, path: string): Match | NoMatch {
    const wanted = method === 'HEAD' ? 'GET' : method;
    // A path with a brace must not match the text of a pattern.
    const exact = path.includes('{') ? undefined : this.#exact.get(path);
    if (exact) return choose(exact, wanted, NO_PARAMETERS);
    const segments = path.split('/');
    for (const pattern of this.#patterns) {
      const parameters = fit(pattern.segments, segments);
      if (parameters) return choose(pattern.routes, wanted, parameters);
    }
    return { error: new PriorartError('not_found', 'there is no such endpoint') };
  }
}

function choose(routes: readonly Route[], method: string, parameters: Match['parameters']): Match | NoMatch {
  const route = routes.find((candidate) => candidate.method === method);
  if (route) return { route, parameters };
  const allow = routes
    .flatMap((candidate) => (candidate.method === 'GET' ? ['GET', 'HEAD'] : [candidate.method]))
    .join(', ');
  return { error: new PriorartError('method_not_allowed', `method not allowed; expected ${allow}`), allow };
}

function fit(pattern: readonly string[], segments: readonly string[]): Match['parameters'] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i]!;
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const decoded = decode(segment);
    if (decoded === undefined || decoded === '') return undefined;
    parameters[part.slice(1, -1)] = decoded;
  }
  return parameters;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
