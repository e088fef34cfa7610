/** Similar patents: a search for the patent's own number. It counts as a search, so the visitor asks for it. */
import { useState } from 'preact/hooks';
import type { SearchResponse } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { isTitleOnly } from '../../model/relevance.js';
import { useAnswer } from '../answers.js';
import { useTexts } from '../context.js';
import { Failure } from '../parts/failure.js';
import { PublicationNumber } from '../parts/number.js';
import { Progress } from '../parts/progress.js';
import { Similarity } from '../results/similarity.js';

const SIMILAR = 8;

export function Related({ id, parameters }: { id: string; parameters: URLSearchParams }) {
  const { patent: texts, results } = useTexts();
  const [isAsked, setAsked] = useState(false);
  const { answer, error, isWaiting, retry } = useAnswer<SearchResponse>(
    'api/v1/search/semantic',
    isAsked ? { query: id, top_k: SIMILAR + 1, collapse: 'family', include_utility_model: true } : undefined,
  );
  const own = answer?.results.find(
    (result) => result.patent_id === id || result.members?.some((member) => member.patent_id === id),
  );
  const similar = (answer?.results ?? []).filter((result) => result !== own).slice(0, SIMILAR);
  return (
    <section class="panel" aria-labelledby="heading-related">
      <h2 id="heading-related">{texts.similar}</h2>
      {!isAsked && (
        <p>
          <button type="button" class="button" onClick={() => setAsked(true)}>
            {texts.findSimilar}
          </button>{' '}
          <small class="soft">{texts.similarCost}</small>
        </p>
      )}
      {isWaiting && <Progress text={results.searching} />}
      {error && <Failure error={error} onRetry={retry} />}
      {answer && !error && (
        <>
          <p class="soft">{texts.similarKinds}</p>
          <ol class="similar">
            {similar.map((result) => (
              <li key={result.patent_id}>
                <a href={linkTo(['patent', result.patent_id], parameters)}>
                  {result.title || results.untitled}
                </a>
                <span>
                  <PublicationNumber id={result.patent_id} />{' '}
                  {isTitleOnly(result) && <span class="badge warn">{results.titleOnly}</span>}
                </span>
                <Similarity value={result.similarity_score} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
