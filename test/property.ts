/**
 * fast-check with the seed of this run: `npm test` gives the same result every time, and .ci/run explores with another seed, which
 * it prints. `PRIORART_TEST_PROPERTY_SEED` sets it.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['PRIORART_TEST_PROPERTY_SEED'] ?? 1) });

export default fc;
