/** Environment variables that look like settings and are none: a mistyped name would be passed over in silence. */
import { SETTINGS } from '../config.js';
import { nearestName } from '../nearest-name.js';

const PREFIX = 'PRIORART_';
/** Of the build, of examples, and of tests and benchmarks. */
const OTHERS = new Set(['PRIORART_CACHE', 'PRIORART_CPU', 'PRIORART_PROGRESS', 'PRIORART_KEY']);
const DEVELOPMENT = /^PRIORART_(?:TEST|BENCH|FUZZ|SHIM|GOLDEN|KILLS|SERVE_KILLS)(?:_|$)/;

/** A warning for each variable that is no setting, with the name that is most like it. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(SETTINGS).map((setting) => setting.env);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .filter((name) => !OTHERS.has(name) && !DEVELOPMENT.test(name))
    .map((name) => {
      // The prefix is common to all: what follows it tells names apart.
      const short = known.map((one) => one.slice(PREFIX.length));
      const near = nearestName(name.slice(PREFIX.length), short);
      return `there is no setting ${name}${near === undefined ? '' : `, perhaps ${PREFIX}${near}`}; it has no effect`;
    });
}
