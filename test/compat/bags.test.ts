import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { native } from '../../src/index/native.js';

test('the default model reads the token bags of folders of its version', () => {
  const file = fileURLToPath(new URL('../../../models/static/model.bin', import.meta.url));
  // A search of a folder with bags of another name reads texts, and takes several times as long. If the rows change, the
  // version of the model has to change with this name.
  const model = new native.StaticModel(file);
  assert.equal(JSON.parse(model.config).version, '4');
  assert.equal(model.bagsModel, 'eb51f3a91de24d32');
  model.close();
});
