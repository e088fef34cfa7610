/** What a search leaves out by the kinds of publications, unless it says otherwise: utility models and designs. */
import { type KindClass, kindClass } from '../../patent/kind.js';
import type { Coverage } from '../../search/public-types.js';
import { COUNTRIES, type Country, type Search } from './fields.js';

/** Publications of the index that the kinds of a search leave out. */
export interface LeftOut {
  utilityModels: number;
  designs: number;
}

/** A number or a family finds publications of every kind. */
const OF_EVERY_KIND = ['publication_number', 'application_number', 'family_id'] as const;

export function isUtilityModel(country: Country, kindCode: string): boolean {
  return kindClass(country, kindCode).startsWith('utility_');
}

const isDesign = (country: Country, kindCode: string): boolean => kindClass(country, kindCode) === 'design';

/** Counts of the countries of the search. Its other filters are not considered. */
export function leftOutOf(search: Search, coverage: Coverage): LeftOut {
  const none = { utilityModels: 0, designs: 0 };
  if (search.kind_codes.length > 0) return none;
  if (!search.include_utility_model && OF_EVERY_KIND.some((name) => search[name] !== '')) return none;
  const count = (fits: typeof isDesign) =>
    kindsIn(coverage, search.countries)
      .filter(({ country, kind }) => fits(country, kind))
      .reduce((sum, { publications }) => sum + publications, 0);
  return {
    utilityModels: search.include_utility_model ? 0 : count(isUtilityModel),
    // Applications and grants have no designs: a visitor who chooses one of them does not look for designs.
    designs: search.doc_type === 'all' ? count(isDesign) : 0,
  };
}

/** The search with designs: it states all kinds that it has now, and those of designs. */
export function withDesigns(search: Search, coverage: Coverage): Search {
  const wanted: KindClass[] = ['application', 'grant', 'design'];
  if (search.include_utility_model) wanted.push('utility_application', 'utility_grant');
  const kinds = kindsIn(coverage, search.countries)
    .filter(({ country, kind }) => wanted.includes(kindClass(country, kind)))
    .map(({ kind }) => kind);
  return { ...search, kind_codes: [...new Set(kinds)].sort(), include_utility_model: false };
}

function kindsIn(coverage: Coverage, countries: readonly Country[]) {
  return (countries.length > 0 ? countries : COUNTRIES).flatMap((country) =>
    Object.entries(coverage.by_country[country]?.by_kind ?? {}).map(([kind, publications]) => ({
      country,
      kind,
      publications,
    })),
  );
}
