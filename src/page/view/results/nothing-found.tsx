/** No result: what each filter leaves out, and the search without it. */
import type { ExcludedBy } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { emptySearch, parametersOf, type Search } from '../../model/fields.js';
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
              const label = [labels[filter] ?? filter, terms?.join(', ')].filter(Boolean).join(': ');
              const hasNoModels = filter === 'doc_type' && !search.include_utility_model;
              const wider = without(search, filter) ?? (hasNoModels ? withModels(search) : undefined);
              return (
                <li key={label}>
                  <span>
                    {label}: <b>{empty.patents(publications)}</b>
                  </span>
                  {wider && (
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

/** The search without one of its filters, by the name that the API gives it; undefined if the search does not state it. */
function without(search: Search, filter: string): Search | undefined {
  const fields = [filter, `${filter}_from`, `${filter}_to`].filter((name) => name in search);
  if (fields.length === 0) return undefined;
  const none = emptySearch() as unknown as Record<string, unknown>;
  const wider = { ...search, ...Object.fromEntries(fields.map((name) => [name, none[name]])) };
  return parametersOf(wider).toString() === parametersOf(search).toString() ? undefined : wider;
}
