/** Korean records among publications of other languages, with the questions of `kipris.ts`. */
import { join } from 'node:path';
import { POOL, publicationsIn, writePool } from './citations.js';
import { EXAMINER_CITATIONS, examinerCitations, RECORDS, stripped, titles } from './kipris.js';
import type { Context, Measure } from './measure.js';
import { measureRetrieval } from './retrieval.js';

/** Sources of the mixed folder. */
export const MIXED = [RECORDS, POOL];
/** A short run uses every eighth of the other publications. */
const SHORT = 8;

export const kiprisMixed: Measure = {
  id: 'kipris-mixed',
  title: 'Korean records among publications of other languages',
  about:
    'The questions of "Korean records: English titles, examiner citations" on the same records, with the 6,833 ' +
    'publications of "Citations in a pool of many languages" in the same folder: the Korean record has to rank above ' +
    'publications in English.',
  needs: [...MIXED, EXAMINER_CITATIONS],
  run: async (context) => {
    const { sources, applications } = await mixedRecords(context);
    return measureRetrieval(context, sources, [
      titles(applications, context),
      examinerCitations(applications, context),
    ]);
  },
};

/** Writes the records without their English fields, and the other publications. */
export async function mixedRecords(context: Context) {
  const [records, others] = [join(context.temporary, 'records'), join(context.temporary, 'others')];
  const applications = await stripped(context, records);
  writePool(
    publicationsIn(context).filter((_, n) => !context.short || n % SHORT === 0),
    others,
  );
  return { sources: [records, others], applications };
}
