/** Bibliographic data. */
import type { ComponentChildren } from 'preact';
import { isGrant } from '../../../patent/kind.js';
import type { DetailsEntry } from '../../../search/public-types.js';
import { printedNumber } from '../../model/number.js';
import { useTexts } from '../context.js';
import { Codes } from './codes.js';

interface Props {
  entry: DetailsEntry;
  /** The search from which the visitor came. */
  parameters: URLSearchParams;
}

export function Bibliography({ entry, parameters }: Props) {
  const { patent: texts, filters } = useTexts();
  const { patent_id: id, metadata } = entry;
  if (!metadata) return null;
  const row = (name: string, value: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value || <span class="soft">{texts.unknown}</span>}</dd>
    </div>
  );
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
        {row(texts.applicant, metadata.applicant)}
        {row(texts.filed, metadata.filing_date)}
        {row(
          isGrant(metadata.country, metadata.kind_code) ? texts.publishedGrant : texts.published,
          metadata.publication_date,
        )}
        {row(
          texts.classes,
          metadata.ipc_codes.length > 0 && (
            <Codes codes={metadata.ipc_codes} name="ipc_codes" parameters={parameters} />
          ),
        )}
      </dl>
    </section>
  );
}
