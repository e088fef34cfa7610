/** The models of a thread follow those of the folder. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openStaticModel } from '../../src/embed/static.js';
import { ThreadModels } from '../../src/models/thread-models.js';

it('a state whose models cannot be used is refused by every request', async () => {
  const native = openStaticModel();
  const { name, version } = JSON.parse(native.config);
  const model = { name, version, dimensions: native.dimensions };
  native.close();
  const models = new ThreadModels('folder', { opened: model });
  (await models.lease(() => ({ model }))).release();
  const broken = { model, models: { embedder: { type: 'unknown' } } };
  for (let request = 0; request < 3; request++) {
    await assert.rejects(
      models.lease(() => broken),
      { code: 'invalid_models' },
    );
  }
  (await models.lease(() => ({ model }))).release();
  await models.close();
});
