/** Bibliographic data. Names and codes lead to searches, numbers to patents of the index. */
import type { ComponentChildren } from 'preact';
import { isGrant } from '../../../patent/kind.js';
import type { Bibliography as Data, DetailsEntry } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { isAsked, parametersOf, searchOf } from '../../model/fields.js';
import { isolated } from '../../model/isolated.js';
import { printedNumber } from '../../model/number.js';
import { useTexts } from '../context.js';
import { PublicationNumber } from '../parts/number.js';
import { Codes } from './codes.js';

interface Props {
  entry: DetailsEntry;
  /** The search from which the visitor came. */
  parameters: URLSearchParams;
}

export function Bibliography({ entry, parameters }: Props) {
  const { patent: texts, filters } = useTexts();
  const { patent_id: id, metadata, bibliography } = entry;
  if (!metadata || !bibliography) return null;
  const { applicants, inventors, cpc_codes, family, priorities = [], legal_status: status } = bibliography;
  const search = isAsked(searchOf(parameters)) ? parameters : new URLSearchParams({ like: id });
  const row = (name: string, value: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value || <span class="soft">{texts.unknown}</span>}</dd>
    </div>
  );
  // The office states some data of some patents only: without it, there is no row.
  const known = (name: string, value: ComponentChildren) => value && row(name, value);
  return (
    <section class="panel" aria-labelledby="heading-data">
      <h2 id="heading-data">{texts.data}</h2>
      <dl class="data">
        {row(
          texts.number,
          <>
            {printedNumber(id)} <span class="number soft">{id}</span>
          </>,
        )}
        {row(texts.country, filters.countries[metadata.country])}
        {row(texts.kind, metadata.kind_code)}
        {row(
          texts.applicants,
          applicants.length > 0 && <Names names={applicants} field="applicant" search={search} />,
        )}
        {row(
          texts.inventors,
          inventors.length > 0 && <Names names={inventors} field="inventor" search={search} />,
        )}
        {row(texts.filed, metadata.filing_date)}
        {row(
          isGrant(metadata.country, metadata.kind_code) ? texts.publishedGrant : texts.published,
          metadata.publication_date,
        )}
        {known(texts.granted, bibliography.grant_date)}
        {known(texts.application, bibliography.application_number)}
        {known(texts.status, status && [isolated(status.status), status.date].filter(Boolean).join(', '))}
        {known(
          texts.priorities,
          priorities.length > 0 && (
            <ul>
              {priorities.map(({ country, number, date }) => (
                <li key={`${country} ${number}`}>
                  {[country, number].filter(Boolean).join(' ')} {date && <time dateTime={date}>{date}</time>}
                </li>
              ))}
            </ul>
          ),
        )}
        {row(
          texts.classes,
          metadata.ipc_codes.length > 0 && (
            <Codes codes={metadata.ipc_codes} name="ipc_codes" parameters={parameters} />
          ),
        )}
        {known(
          texts.cpc,
          cpc_codes.length > 0 && <Codes codes={cpc_codes} name="cpc_codes" parameters={parameters} />,
        )}
        {row(
          texts.family,
          family.length > 0 ? <Numbers ids={family} parameters={parameters} /> : texts.noFamily,
        )}
      </dl>
    </section>
  );
}

interface NamesProps {
  names: Data['inventors'];
  field: 'applicant' | 'inventor';
  /** The search that a name narrows. */
  search: URLSearchParams;
}

function Names({ names, field, search }: NamesProps) {
  const { statistics } = useTexts();
  return (
    <ul class="names">
      {names.map(({ name, name_en }, at) => (
        <li key={at}>
          <a
            href={linkTo([], parametersOf({ ...searchOf(search), [field]: name }))}
            title={statistics.narrowTo(isolated(name))}
          >
            {name}
          </a>
          {name_en && name_en !== name && <span class="soft"> {name_en}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Links to patents of the index. */
export function Numbers({ ids, parameters }: { ids: readonly string[]; parameters: URLSearchParams }) {
  return (
    <ul class="codes">
      {ids.map((id) => (
        <li key={id}>
          <a href={linkTo(['patent', id], parameters)}>
            <PublicationNumber id={id} />
          </a>
        </li>
      ))}
    </ul>
  );
}
