/**
 * Attacks on a server beside a good client, a second each. Checks the statuses of all answers. attack.ts measures how long
 * the good client waits, on an idle machine.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADAPTERS } from '../adapters.js';
import { FIXTURES } from '../crash/folder.js';
import { type Collection, collect } from '../search/collection.js';
import { ATTACKS } from './attacks.js';
import { Attacked, faultsOf } from './beside.js';

const skip = process.platform === 'linux' ? false : 'stops processes';

for (const adapter of ADAPTERS) {
  describe(`a server under attack (${adapter})`, { skip }, () => {
    let collection: Collection;
    let server: Attacked;
    before(async () => {
      collection = await collect(FIXTURES);
      server = await Attacked.start(collection.dir, adapter);
    });
    after(async () => {
      await server.stop();
      collection.remove();
    });
    for (const attack of Object.keys(ATTACKS)) {
      it(`a good client is answered, and no client gets 5xx other than 503: ${attack}`, async () => {
        const {
          livez,
          livezOutcomes,
          searches,
          administrator,
          attack: answered,
        } = await server.under(attack, 1);
        assert.deepEqual(livezOutcomes, { 200: livez.length });
        assert.deepEqual(Object.keys(administrator), ['200']);
        assert.deepEqual(
          Object.keys(searches).filter((outcome) => !['200', '503'].includes(outcome)),
          [],
        );
        assert.deepEqual(faultsOf(answered), []);
        assert.deepEqual(
          Object.keys(answered).filter((outcome) => outcome === 'no answer in time'),
          [],
        );
        if (attack !== 'nothing, to compare') assert.notDeepEqual(answered, {});
        assert.ok(server.lives, `expected that the server survives the attack: ${attack}`);
      });
    }
  });
}
