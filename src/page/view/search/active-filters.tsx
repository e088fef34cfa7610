/** The filters of the search as chips, each with a button that removes it. */
import type { DetailsResponse } from '../../../search/public-types.js';
import { leftOutCountries, withoutCountry, withoutFilter } from '../../model/active.js';
import { linkTo } from '../../model/address.js';
import { type AsOfDate, asOfDate, publicationOfAsOf } from '../../model/as-of.js';
import type { ClassTitles } from '../../model/class-titles.js';
import { DATES, emptySearch, parametersOf, type Search } from '../../model/fields.js';
import { printedNumber } from '../../model/number.js';
import { useAnswer } from '../answers.js';
import { useClassTitles } from '../class-titles.js';
import { useSession, useTexts } from '../context.js';

interface Props {
  search: Search;
  /** The class that the server read in the question. */
  readAs?: string | undefined;
  onAsk(search: Search): void;
  /** Asks without filters, also without those that are not applied yet. */
  onClear(search: Search): void;
}

/** More kinds than these are one chip. */
const KINDS_EACH = 3;

interface Chip {
  text: string;
  /** Absent for a chip that is no filter. */
  without?: Search;
  /** Stays if the text changes. Default: the text. */
  key?: string;
  /** A search with another value of the filter. */
  instead?: { text: string; search: Search };
}

export function ActiveFilters({ search, readAs, onAsk, onClear }: Props) {
  const texts = useTexts();
  const hasCodes = readAs !== undefined || search.ipc_codes.length + search.cpc_codes.length > 0;
  const titles = useClassTitles(hasCodes);
  const chips = chipsOf(search, texts.filters, titles, useAsOfDate(search));
  if (readAs !== undefined) {
    const text = texts.filters.readAs(withTitle(readAs, titles));
    chips.unshift({ key: 'readAs', text });
  }
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={texts.filters.active}>
      {chips.map(({ text, without, key = text, instead }) => (
        <li key={key} class="chip">
          <span>{text}</span>
          {instead && <a href={linkTo([], parametersOf(instead.search))}>{instead.text}</a>}
          {without && (
            <button type="button" aria-label={texts.question.remove(text)} onClick={() => onAsk(without)}>
              ×
            </button>
          )}
        </li>
      ))}
      {chips.filter(({ without }) => without).length > 1 && (
        <li>
          <button type="button" class="button plain" onClick={() => onClear(withoutFilters(search))}>
            {texts.filters.clear}
          </button>
        </li>
      )}
    </ul>
  );
}

/** The same question without filters. */
export function withoutFilters(search: Search): Search {
  const { query, like, unlike, view, sort, top_k, collapse, balance } = search;
  return { ...emptySearch(), query, like, unlike, view, sort, top_k, collapse, balance };
}

/** `H01M Batteries, fuel cells`; the code alone until the titles are there. */
function withTitle(code: string, titles: ClassTitles | undefined): string {
  return [code, titles?.titleOf(code)].filter(Boolean).join(' ');
}

/** The date that `as_of` means, as soon as the server has answered. Reading it counts nothing. */
function useAsOfDate(search: Search): AsOfDate | undefined {
  const publication = publicationOfAsOf(search);
  const isReady = useSession().status !== 'waiting';
  const { answer, isWaiting } = useAnswer<DetailsResponse>(
    'api/v1/patents/details',
    isReady && publication !== undefined
      ? { patent_ids: [publication], sections: 'title', bibliography: true }
      : undefined,
  );
  const entry = isWaiting ? undefined : answer?.patents[0];
  return entry && asOfDate(search, entry);
}

type Filters = ReturnType<typeof useTexts>['filters'];

function chipsOf(
  search: Search,
  filters: Filters,
  titles: ClassTitles | undefined,
  asOf: AsOfDate | undefined,
): Chip[] {
  const { fields } = filters;
  const chips = countryChips(search, filters);
  if (search.doc_type !== 'all')
    chips.push({ text: filters.doc_type[search.doc_type], without: { ...search, doc_type: 'all' } });
  if (search.include_utility_model)
    chips.push({ text: fields.include_utility_model, without: { ...search, include_utility_model: false } });
  for (const kind of DATES) {
    const [from, to] = [search[`${kind}_date_from`], search[`${kind}_date_to`]];
    if (from === '' && to === '') continue;
    chips.push({
      text: `${fields[`${kind}_date`]} ${filters.range(from, to)}`,
      without: { ...search, [`${kind}_date_from`]: '', [`${kind}_date_to`]: '' },
    });
  }
  chips.push(...asOfChips(search, filters, asOf));
  for (const field of [
    'applicant',
    'inventor',
    'publication_number',
    'application_number',
    'family_id',
  ] as const) {
    const without = withoutFilter(search, field);
    if (!without) continue;
    // How a name is compared is part of its filter.
    const isCompared = field === 'applicant' && search.applicant_match !== 'contains';
    const how = isCompared ? ` (${filters.applicant_match[search.applicant_match]})` : '';
    chips.push({ text: `${fields[field]}${how}: ${search[field]}`, without });
  }
  for (const field of ['kind_codes', 'ipc_codes', 'cpc_codes', 'must_terms', 'must_not_terms'] as const) {
    if (field === 'kind_codes' && search.kind_codes.length > KINDS_EACH) {
      const text = `${fields.kind_codes}: ${search.kind_codes.join(', ')}`;
      chips.push({ text, without: { ...search, kind_codes: [] } });
      continue;
    }
    for (const value of search[field]) {
      const rest = search[field].filter((other) => other !== value);
      const shown = field.endsWith('pc_codes') ? withTitle(value, titles) : value;
      chips.push({ text: `${fields[field]}: ${shown}`, without: { ...search, [field]: rest } });
    }
  }
  return chips;
}

/** Of a publication, its priority date counts. If that is earlier than its filing date, the visitor may choose. */
function asOfChips(search: Search, filters: Filters, date: AsOfDate | undefined): Chip[] {
  const without = withoutFilter(search, 'as_of');
  if (!without) return [];
  const publication = publicationOfAsOf(search);
  const notes = [];
  if (publication === search.as_of)
    notes.push([filters.itsDate.priority, date?.day].filter(Boolean).join(' '));
  else if (publication !== undefined && date) notes.push(filters.filingOf(printedNumber(publication)));
  const value = [printedNumber(search.as_of), ...notes.map((note) => `(${note})`)].join(' ');
  const other = date?.other;
  return [
    {
      ...{ key: 'as_of', text: `${filters.fields.as_of}: ${value}`, without },
      ...(other && {
        instead: {
          text: filters.useDate(`${filters.itsDate[other.kind]} ${other.day}`),
          search: other.search,
        },
      }),
    },
  ];
}

function countryChips(search: Search, filters: Filters): Chip[] {
  const leftOut = leftOutCountries(search);
  if (leftOut.length > 0) {
    return leftOut.map((country) => ({
      text: filters.notCountry(filters.countries[country]),
      without: withoutCountry(search, country),
    }));
  }
  return search.countries.map((country) => ({
    text: filters.countries[country],
    without: { ...search, countries: search.countries.filter((other) => other !== country) },
  }));
}
