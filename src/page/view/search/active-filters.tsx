/** The filters of the search as chips, each with a button that removes it. */
import { leftOutCountry, withoutFilter } from '../../model/active.js';
import type { ClassTitles } from '../../model/class-titles.js';
import { DATES, emptySearch, type Search } from '../../model/fields.js';
import { printedNumber } from '../../model/number.js';
import { useClassTitles } from '../class-titles.js';
import { useTexts } from '../context.js';

interface Props {
  search: Search;
  onAsk(search: Search): void;
}

/** More kinds than these are one chip. */
const KINDS_EACH = 3;

interface Chip {
  text: string;
  without: Search;
}

export function ActiveFilters({ search, onAsk }: Props) {
  const texts = useTexts();
  const titles = useClassTitles(search.ipc_codes.length + search.cpc_codes.length > 0);
  const chips = chipsOf(search, texts.filters, titles);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={texts.filters.active}>
      {chips.map(({ text, without }) => (
        <li key={text} class="chip">
          <span>{text}</span>
          <button type="button" aria-label={texts.question.remove(text)} onClick={() => onAsk(without)}>
            ×
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" class="button plain" onClick={() => onAsk(withoutFilters(search))}>
            {texts.filters.clear}
          </button>
        </li>
      )}
    </ul>
  );
}

/** The same question without filters. */
export function withoutFilters({ query, like, unlike, view, top_k, collapse, balance }: Search): Search {
  return { ...emptySearch(), query, like, unlike, view, top_k, collapse, balance };
}

type Filters = ReturnType<typeof useTexts>['filters'];

function chipsOf(search: Search, filters: Filters, titles: ClassTitles | undefined): Chip[] {
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
      text: `${fields[`${kind}_date`]} ${from === '' ? '' : `${filters.from} ${from} `}${to === '' ? '' : `${filters.to} ${to}`}`.trim(),
      without: { ...search, [`${kind}_date_from`]: '', [`${kind}_date_to`]: '' },
    });
  }
  for (const field of [
    'as_of',
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
    const value = field === 'as_of' ? asOfText(search.as_of, filters) : search[field];
    chips.push({ text: `${fields[field]}${how}: ${value}`, without });
  }
  for (const field of ['kind_codes', 'ipc_codes', 'cpc_codes', 'must_terms', 'must_not_terms'] as const) {
    if (field === 'kind_codes' && search.kind_codes.length > KINDS_EACH) {
      const text = `${fields.kind_codes}: ${search.kind_codes.join(', ')}`;
      chips.push({ text, without: { ...search, kind_codes: [] } });
      continue;
    }
    for (const value of search[field]) {
      const rest = search[field].filter((other) => other !== value);
      const title = field.endsWith('pc_codes') ? titles?.titleOf(value) : undefined;
      chips.push({
        text: `${fields[field]}: ${value}${title === undefined ? '' : ` ${title}`}`,
        without: { ...search, [field]: rest },
      });
    }
  }
  return chips;
}

/** A day as it is. Of a publication, its priority date counts. */
function asOfText(asOf: string, filters: Filters): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(asOf) ? asOf : `${printedNumber(asOf)} (${filters.ofPriority})`;
}

function countryChips(search: Search, filters: Filters): Chip[] {
  const leftOut = leftOutCountry(search);
  if (leftOut) {
    return [{ text: filters.notCountry(filters.countries[leftOut]), without: { ...search, countries: [] } }];
  }
  return search.countries.map((country) => ({
    text: filters.countries[country],
    without: { ...search, countries: search.countries.filter((other) => other !== country) },
  }));
}
