/** An engine that knows one answer. */
import { PriorartError } from '../../src/errors.js';
import type { SearchEngine } from '../../src/search/types.js';

/** As long as an answer of ten results with five passages each mostly is. */
const ANSWER_BYTES = 16_000;

const answer = Buffer.from(JSON.stringify({ total: 0, results: [], padding: 'x'.repeat(ANSWER_BYTES) }));
const absent = () => {
  throw new PriorartError('not_found', 'this engine answers searches only');
};

export const trivialEngine: SearchEngine = {
  searchBytes: async () => answer,
  analyticsBody: absent,
  detailsBody: absent,
  coverageBody: () => ({ json: answer, etag: '"1"' }),
  findDrawing: absent,
  ready: () => ({ ready: true, missing: [] }),
};
