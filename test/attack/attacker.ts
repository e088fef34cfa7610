/**
 * `node attacker.js NAME TARGET`: runs an attack of attacks.ts until its input ends. Prints `ready`, and at the end how
 * often each status came, as JSON. A process of its own, so that it does not slow down the client that measures.
 */
import { ATTACKS, type Target } from './attacks.js';

process.stdout.write('ready\n');
const [name, target] = process.argv.slice(2) as [string, string];
const outcomes: Record<string, number> = {};
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});
await ATTACKS[name]!({
  ...(JSON.parse(target) as Target),
  goesOn: () => !isOver,
  note: (outcome) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  },
});
console.log(JSON.stringify(outcomes));
process.exit(0);
