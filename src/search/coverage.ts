/** What the index holds, counted from columns: documents per country and kind, date ranges, languages. */
import type { DateColumn } from '../index/columns.js';
import { calling, type NativeSnapshot, type Selection } from '../index/native.js';
import { COUNTRIES } from '../patent/country.js';
import { fromEpochDay } from '../patent/date.js';
import { modelName } from '../store/manifest.js';
import type { Searched } from './reader.js';
import type { Coverage, CoverageCountry } from './types.js';

/** Counts the current state. */
export function coverageOf(folder: Searched): Coverage {
  const { manifest, native } = folder.snapshot();
  const byCountry: Coverage['by_country'] = {};
  for (const country of COUNTRIES) {
    const found = calling(() => {
      const selection = native.select([{ column: 'country', test: 'exact', terms: [country] }]);
      return countryOf(native, selection);
    });
    if (found.total > 0) byCountry[country] = found;
  }
  return {
    total: manifest.documents,
    by_country: byCountry,
    chunks: manifest.passages,
    index: {
      model: modelName(manifest.model),
      dimensions: manifest.model.dimensions,
      generation: manifest.generation,
      updated_at: manifest.updatedAt,
    },
    generated_at: new Date().toISOString(),
  };
}

function countryOf(native: NativeSnapshot, selection: Selection): CoverageCountry {
  const range = (column: DateColumn) => {
    const [min, max] = native.extent(selection, column);
    return min === undefined || max === undefined
      ? undefined
      : { min: fromEpochDay(min), max: fromEpochDay(max) };
  };
  const filing = range('filing_date');
  const publication = range('publication_date');
  const kinds = native.tally(selection, 'kind').sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    total: selection.docs.reduce((sum, count) => sum + count, 0),
    by_kind: Object.fromEntries(kinds.map(({ name, count }) => [name, count])),
    ...(filing ? { filing_date: filing } : {}),
    ...(publication ? { publication_date: publication } : {}),
    languages: native
      .tally(selection, 'language')
      .map(({ name }) => name)
      .sort(),
  };
}
