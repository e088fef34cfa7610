/** An engine that returns the same answer to every search. */

import type { EnginePort } from '../../src/engine-port.js';
import { PriorartError } from '../../src/errors.js';

/** Typical size of an answer with ten results of five passages each. */
const ANSWER_BYTES = 16_000;

const answer = Buffer.from(JSON.stringify({ total: 0, results: [], padding: 'x'.repeat(ANSWER_BYTES) }));
const absent = () => {
  throw new PriorartError('not_found', 'this engine answers searches only');
};

export const trivialEngine: EnginePort = {
  searchBody: async () => ({ json: answer, results: 0 }),
  analyticsBody: absent,
  detailsBody: absent,
  coverageBody: () => ({ json: answer, etag: '"1"' }),
  findDrawing: absent,
  ready: () => ({ ready: true, missing: [] }),
};
