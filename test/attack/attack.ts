/**
 * Attacks a server on each adapter, with a good client beside each attack, and prints what the good client saw:
 * `node dist/test/attack/attack.js [--seconds 20] [--adapter uws] [ATTACK…]`, from the repository's root. Exits with 1
 * if 1 % of the answers to /livez took longer than 100 ms, if any was not 200, if the right secret of the administrator was
 * refused, or if any client got 5xx other than 503. Run it on an idle machine. The attacker's
 * processes run at a lower priority, because they would use another machine's processors.
 */
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { FIXTURES } from '../crash/folder.js';
import { collect } from '../search/collection.js';
import { ATTACKS } from './attacks.js';
import { type Adapter, Attacked, type Figures, faultsOf, type Outcomes, quantile } from './beside.js';

const LIVEZ_P99_MS = 100;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '20' },
    adapter: { type: 'string' },
  },
});
const adapters: readonly Adapter[] = values.adapter ? [values.adapter as Adapter] : ['uws', 'node'];
const attacks = Object.keys(ATTACKS).filter((name) => positionals.length === 0 || positionals.includes(name));

/** What a good client must not see. */
function complaintsOf(figures: Figures): string[] {
  const p99 = quantile(figures.livez, 0.99);
  const all = { ...figures.livezOutcomes, ...figures.searches, ...figures.attack, ...figures.administrator };
  return [
    ...(p99 < LIVEZ_P99_MS ? [] : [`1 % of /livez took ${p99.toFixed(0)} ms and more`]),
    ...Object.keys(figures.livezOutcomes)
      .filter((outcome) => outcome !== '200')
      .map((outcome) => `/livez: ${outcome}`),
    ...Object.keys(figures.administrator)
      .filter((outcome) => outcome !== '200')
      .map((outcome) => `the right secret: ${outcome}`),
    ...faultsOf(all).map((outcome) => `an answer ${outcome}`),
  ];
}

const shown = (outcomes: Outcomes) =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${outcome} × ${count}`)
    .join(', ');

const collection = await collect(FIXTURES);
let complaints = 0;
console.log(
  '| adapter | attack | /livez asked | p50, ms | p99, ms | longest, ms | searches | the attack was answered |',
);
console.log('|---|---|---|---|---|---|---|---|');
try {
  for (const adapter of adapters) {
    const server = await Attacked.start(collection.dir, adapter);
    try {
      for (const attack of attacks) {
        const figures = await server.under(attack, Number(values.seconds));
        const times = [0.5, 0.99, 1].map((share) => quantile(figures.livez, share).toFixed(1));
        const cells = [
          adapter,
          attack,
          figures.livez.length,
          ...times,
          shown(figures.searches),
          shown(figures.attack),
        ];
        console.log(`| ${cells.join(' | ')} |`);
        for (const complaint of complaintsOf(figures)) {
          complaints++;
          console.log(`  ${adapter}, ${attack}: ${complaint}`);
        }
        if (!server.lives) throw new Error(`the server ended under the attack ${attack}`);
      }
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(collection.dir, { recursive: true, force: true });
}
console.log(
  `load of the machine: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}; ${complaints} complaints`,
);
process.exitCode = complaints === 0 ? 0 : 1;
