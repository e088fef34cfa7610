/** Filters, in groups as a searcher thinks of them. A change is a draft until it is applied, since a search costs quota. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { activeCount, leftOutCountries, withoutCountry } from '../../model/active.js';
import { COUNTRIES, DATES, type Search } from '../../model/fields.js';
import { useTexts } from '../context.js';
import { withoutFilters } from './active-filters.js';
import { ClassField } from './class-field.js';
import {
  CheckField,
  ChoiceField,
  DateField,
  type FieldProps,
  ListFieldInput,
  TextFieldInput,
} from './fields.js';

interface Props {
  search: Search;
  isChanged: boolean;
  /** Messages by the field that they speak of. */
  complaints: ReadonlyMap<string, string>;
  onChange(search: Search): void;
  onAsk(search: Search): void;
}

export function FilterPanel({ search, isChanged, complaints, onChange, onAsk }: Props) {
  const { filters } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const active = activeCount(search);
  const props: FieldProps = { search, complaints, onChange };
  const { hints, groups } = filters;
  const submit = (event: Event) => {
    event.preventDefault();
    setOpen(false);
    onAsk(search);
  };
  const group = (name: keyof typeof groups, fields: readonly string[], children: ComponentChildren) => (
    <Group
      heading={groups[name]}
      isOpen={name === 'countries' || name === 'documents' || fields.some((field) => isUsed(search, field))}
      isWrong={fields.some((field) => complaints.has(field))}
    >
      {children}
    </Group>
  );
  return (
    <form class={isOpen || complaints.size > 0 ? 'filters open' : 'filters'} onSubmit={submit}>
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        aria-controls="filter-groups"
        onClick={() => setOpen(!isOpen)}
      >
        {active > 0 ? `${filters.heading} (${active})` : filters.heading}
      </button>
      <h2 class="filters-heading">{filters.heading}</h2>
      <div id="filter-groups" class="filter-groups">
        {group('countries', ['countries'], <Countries {...props} />)}
        {group(
          'documents',
          ['doc_type', 'kind_codes', 'include_utility_model'],
          <>
            <ChoiceField {...props} name="doc_type" />
            <CheckField {...props} name="include_utility_model" />
            <ListFieldInput {...props} name="kind_codes" hint={hints.kinds} />
          </>,
        )}
        {group('priorArt', ['as_of'], <TextFieldInput {...props} name="as_of" hint={hints.as_of} />)}
        {group(
          'dates',
          DATES.flatMap((kind) => [`${kind}_date_from`, `${kind}_date_to`]),
          DATES.map((kind) => <DateField key={kind} {...props} kind={kind} />),
        )}
        {group(
          'names',
          ['applicant', 'inventor', 'applicant_match', 'applicant_expand'],
          <>
            <TextFieldInput {...props} name="applicant" />
            <ChoiceField {...props} name="applicant_match" />
            <CheckField {...props} name="applicant_expand" />
            <TextFieldInput {...props} name="inventor" hint={hints.inventor} />
          </>,
        )}
        {group(
          'classes',
          ['ipc_codes', 'cpc_codes'],
          <>
            <ClassField {...props} name="ipc_codes" hint={hints.classes} />
            <ClassField {...props} name="cpc_codes" />
          </>,
        )}
        {group(
          'words',
          ['must_terms', 'must_not_terms', 'translate_terms'],
          <>
            <ListFieldInput {...props} name="must_terms" hint={hints.words} />
            <ListFieldInput {...props} name="must_not_terms" />
            <CheckField {...props} name="translate_terms" />
          </>,
        )}
        {group(
          'numbers',
          ['like', 'unlike', 'publication_number', 'application_number', 'family_id'],
          <>
            <ListFieldInput {...props} name="like" hint={hints.numbers} />
            <ListFieldInput {...props} name="unlike" />
            <TextFieldInput {...props} name="publication_number" />
            <TextFieldInput {...props} name="application_number" />
            <TextFieldInput {...props} name="family_id" />
          </>,
        )}
        {group(
          'results',
          ['collapse', 'balance', 'top_k'],
          <>
            <ChoiceField {...props} name="collapse" />
            <ChoiceField {...props} name="balance" />
            <ChoiceField {...props} name="top_k" />
          </>,
        )}
      </div>
      <div class={isChanged ? 'filters-end changed' : 'filters-end'}>
        <span class="filters-changed" role="status">
          {isChanged ? filters.changed : ''}
        </span>
        <button type="submit" class={isChanged ? 'button main' : 'button'}>
          {filters.apply}
        </button>
        <button type="button" class="button plain" onClick={() => onAsk(withoutFilters(search))}>
          {filters.clear}
        </button>
      </div>
    </form>
  );
}

function isUsed(search: Search, field: string): boolean {
  const value: unknown = search[field as keyof Search];
  if (['family', 'none', '20', 'contains', 'all'].includes(String(value))) return false;
  return Array.isArray(value) ? value.length > 0 : value !== '' && value !== false;
}

interface GroupProps {
  heading: string;
  isOpen: boolean;
  isWrong: boolean;
  children: ComponentChildren;
}

/** A group that is in use is open at first; then the visitor decides, but a mistake is never hidden. */
function Group({ heading, isOpen, isWrong, children }: GroupProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details
      class="filter-group"
      open={open || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{heading}</summary>
      <div class="filter-fields">{children}</div>
    </details>
  );
}

function Countries({ search, onChange }: FieldProps) {
  const { filters } = useTexts();
  return (
    <fieldset>
      <legend class="unseen">{filters.fields.countries}</legend>
      {COUNTRIES.map((country) => (
        <div key={country} class="country">
          <label class="check">
            <input
              type="checkbox"
              checked={search.countries.includes(country)}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                const countries = COUNTRIES.filter((other) =>
                  other === country ? checked : search.countries.includes(other),
                );
                onChange({ ...search, countries });
              }}
            />
            {filters.countries[country]}
          </label>
          <button
            type="button"
            class="button plain"
            aria-pressed={leftOutCountries(search).includes(country)}
            onClick={() => onChange(withoutCountry(search, country))}
          >
            <span class="unseen">{filters.notCountry(filters.countries[country])}</span>
            <span aria-hidden="true">{filters.not}</span>
          </button>
        </div>
      ))}
    </fieldset>
  );
}
