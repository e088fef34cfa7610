/** Cited documents: links to those that the index holds, the numbers of the others, and other literature. */
import { useState } from 'preact/hooks';
import type { CitedDocument } from '../../../search/public-types.js';
import { citedName } from '../../model/cited-number.js';
import { useTexts } from '../context.js';
import { Numbers } from './bibliography.js';

/** Shown at first: some patents cite a thousand documents. */
const FIRST = 10;

interface Props {
  citations: readonly CitedDocument[];
  /** Day of the publication that cites them. */
  day: string | undefined;
  /** The search from which the visitor came. */
  parameters: URLSearchParams;
}

export function Citations({ citations, day, parameters }: Props) {
  const { patent: texts } = useTexts();
  const [isWhole, setWhole] = useState(false);
  if (citations.length === 0) return null;
  // Those that can be read here come first, then patents, then other literature, each in the order of the document.
  const rank = ({ publications, number }: CitedDocument) => (publications ? 0 : number ? 1 : 2);
  const ordered = [...citations].sort((a, b) => rank(a) - rank(b));
  const shown = isWhole ? ordered : ordered.slice(0, FIRST);
  return (
    <section class="panel" aria-labelledby="heading-citations">
      <h2 id="heading-citations">{texts.citations(citations.length)}</h2>
      <ul class="citations">
        {shown.map((citation, at) => (
          <li key={at}>
            {citation.publications ? (
              <Numbers ids={citation.publications} parameters={parameters} />
            ) : (
              <span
                class={citation.number ? 'number' : ''}
                title={
                  [citation.country, citation.number, citation.kind].filter(Boolean).join(' ') || undefined
                }
              >
                {citedName(citation, day)}
              </span>
            )}
            <small class="soft">
              {citation.category && <span title={texts.category}>{citation.category}</span>}{' '}
              {citation.cited_by && texts.citedBy[citation.cited_by]}
            </small>
          </li>
        ))}
      </ul>
      {ordered.length > shown.length && (
        <button type="button" class="button plain" onClick={() => setWhole(true)}>
          {texts.allCitations(ordered.length)}
        </button>
      )}
    </section>
  );
}
