/** The engine on a data folder conforms, however its publications were committed: in one batch a source, or in many. */
import { FIXTURES } from '../crash/folder.js';
import { embedded, MANY_BATCHES, ONE_BATCH } from './embedded-holding.js';
import { conformance } from './suite.js';

conformance('a data folder of many batches', {
  sources: FIXTURES,
  subject: embedded(MANY_BATCHES),
  reference: embedded(ONE_BATCH),
});
