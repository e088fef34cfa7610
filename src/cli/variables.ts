/** Warns of environment variables that look like settings but are not, such as mistyped names. */
import { SETTINGS } from '../config.js';
import { nearestName } from '../nearest-name.js';

const PREFIX = 'PRIORART_';
/** Variables of the build, of scripts, of examples and `priorart mcp`, and of tests and benchmarks. */
const OTHERS = new Set([
  'PRIORART_CACHE',
  'PRIORART_CPU',
  'PRIORART_PROGRESS',
  'PRIORART_KEY',
  'PRIORART_BASE_URL',
  'PRIORART_MAVEN_URL',
]);
const DEVELOPMENT = /^PRIORART_(?:TEST|BENCH|FUZZ|SHIM|GOLDEN|KILLS|SERVE_KILLS)(?:_|$)/;

/** A warning for each variable that is not a setting, with the most similar name. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(SETTINGS).map((setting) => setting.env);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .filter((name) => !OTHERS.has(name) && !DEVELOPMENT.test(name))
    .map((name) => {
      // The prefix is common to all names, so only the rest is compared.
      const short = known.map((one) => one.slice(PREFIX.length));
      const near = nearestName(name.slice(PREFIX.length), short);
      return `unknown setting ${name}: it has no effect${near === undefined ? '' : `; did you mean ${PREFIX}${near}?`}`;
    });
}
