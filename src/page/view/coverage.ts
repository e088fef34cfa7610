/** What the index holds. Reading it needs no session, and counts nothing. */
import { useEffect, useState } from 'preact/hooks';
import type { Coverage } from '../../search/public-types.js';
import { call } from './api.js';

let known: Coverage | undefined;

/** Undefined until the server has answered. A page without these figures is complete. */
export function useCoverage(): Coverage | undefined {
  const [coverage, setCoverage] = useState(known);
  useEffect(() => {
    call<Coverage>('GET', 'api/v1/stats/coverage').then(
      (answer) => {
        known = answer;
        setCoverage(answer);
      },
      () => {},
    );
  }, []);
  return coverage;
}
