/** What the index holds, counted by the cluster. */

import { PriorartError } from '../errors.js';
import type { Country } from '../patent/country.js';
import { COUNTRIES } from '../patent/country.js';
import { fromEpochDay } from '../patent/date.js';
import type { Coverage, CoverageCountry } from '../search/types.js';
import { modelName } from '../store/manifest.js';
import type { OneState } from './client.js';
import type { ClusterMeta } from './meta.js';

interface Bucket {
  key: string;
  doc_count: number;
}

interface Buckets {
  buckets: Bucket[];
  /** Documents with values beyond those that were counted. */
  sum_other_doc_count: number;
}

interface CountryBucket extends Bucket {
  kinds: Buckets;
  languages: Buckets;
  filing: { min: number | null; max: number | null };
  publication: { min: number | null; max: number | null };
}

/** Values of a column that are counted, at most: kind codes and languages are some dozens. */
const VALUES_MOST = 1_000;

export async function coverageOf(state: OneState, meta: ClusterMeta): Promise<Coverage> {
  const values = (field: string, size = VALUES_MOST) => ({ terms: { field: `columns.${field}`, size } });
  const { hits, aggregations } = await state.search({
    size: 0,
    track_total_hits: true,
    aggs: {
      passages: { sum: { field: 'passage_count' } },
      countries: {
        ...values('country', COUNTRIES.length),
        aggs: {
          kinds: values('kind'),
          languages: values('language'),
          filing: { stats: { field: 'columns.filing_date' } },
          publication: { stats: { field: 'columns.publication_date' } },
        },
      },
    },
  });
  const { buckets } = aggregations!['countries'] as { buckets: CountryBucket[] };
  const cut = buckets
    .flatMap(({ kinds, languages }) => [kinds, languages])
    .some(({ sum_other_doc_count: n }) => n > 0);
  if (cut)
    throw new PriorartError('internal', `a country has more than ${VALUES_MOST} kind codes or languages`);
  const found = new Map(buckets.map((bucket) => [bucket.key, bucket]));
  const byCountry: Partial<Record<Country, CoverageCountry>> = {};
  for (const country of COUNTRIES) {
    const bucket = found.get(country);
    if (bucket) byCountry[country] = countryOf(bucket);
  }
  return {
    total: hits.total!.value,
    by_country: byCountry,
    chunks: (aggregations!['passages'] as { value: number }).value,
    index: {
      model: modelName(meta.model),
      dimensions: meta.model.dimensions,
      generation: meta.generation,
      updated_at: meta.updatedAt,
    },
    generated_at: new Date().toISOString(),
  };
}

function countryOf({
  doc_count: total,
  kinds,
  languages,
  filing,
  publication,
}: CountryBucket): CoverageCountry {
  const range = ({ min, max }: { min: number | null; max: number | null }) =>
    min === null || max === null ? undefined : { min: fromEpochDay(min), max: fromEpochDay(max) };
  const sorted = [...kinds.buckets].sort((a, b) => (a.key < b.key ? -1 : 1));
  const [filed, published] = [range(filing), range(publication)];
  return {
    total,
    by_kind: Object.fromEntries(sorted.map(({ key, doc_count }) => [key, doc_count])),
    ...(filed ? { filing_date: filed } : {}),
    ...(published ? { publication_date: published } : {}),
    languages: languages.buckets.map(({ key }) => key).sort(),
  };
}
