/** No result: what each filter leaves out, and the search without it. */
import type { ExcludedBy } from '../../../search/public-types.js';
import { fieldsOfFilter, withoutFilter } from '../../model/active.js';
import { linkTo } from '../../model/address.js';
import { isAsked, parametersOf, type Search } from '../../model/fields.js';
import { useTexts } from '../context.js';

interface Props {
  search: Search;
  excluded: readonly ExcludedBy[];
}

export function NothingFound({ search, excluded }: Props) {
  const { empty, filters } = useTexts();
  const labels: Readonly<Record<string, string>> = filters.fields;
  // A filter that the visitor did not state, such as the kinds of documents that are found by default, can still be widened.
  const rows = excluded.filter(({ publications }) => publications > 0);
  return (
    <div class="note warn">
      <p role="status">
        <strong>{empty.nothing}</strong>
      </p>
      {rows.length > 0 && (
        <>
          <p>{empty.excludes}</p>
          <ul class="excluded">
            {rows.map(({ filter, publications, terms }) => {
              const named = fieldsOfFilter(search, filter).map((field) => field.replace(/_(?:from|to)$/, ''));
              const names = named.length > 0 ? [...new Set(named)] : [filter];
              const name = names.map((field) => labels[field] ?? field).join(' + ');
              const label = [name, terms?.join(', ')].filter(Boolean).join(': ');
              const without = withoutFilter(search, filter);
              const hasNoModels = !without && filter === 'doc_type' && !search.include_utility_model;
              const wider = hasNoModels ? withModels(search) : without;
              return (
                <li key={label}>
                  <span>
                    {label}: <b>{empty.patents(publications)}</b>
                  </span>
                  {wider && isAsked(wider) && (
                    <a class="button" href={linkTo([], parametersOf(wider))}>
                      {hasNoModels ? filters.fields.include_utility_model : empty.withoutFilter(label)}
                    </a>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}

/** By default, utility models are not found. */
function withModels(search: Search): Search {
  return { ...search, include_utility_model: true };
}
