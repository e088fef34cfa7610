/** The list of results, or what to do if there are none. */
import type { SearchResponse } from '../../../search/public-types.js';
import { CHOICES, type Search } from '../../model/fields.js';
import { useTexts } from '../context.js';
import { useAfterPaint } from '../parts/after-paint.js';
import { ShareBar } from '../share/share-bar.js';
import { NothingFound } from './nothing-found.js';
import { Result } from './result.js';

/** The similarity from which on a patent counts as clearly about the question: `min_score` of statistics. */
export const CLEAR = 0.5;

interface Props {
  search: Search;
  answer: SearchResponse;
  onAsk(search: Search): void;
}

export function ResultsView({ search, answer, onAsk }: Props) {
  const { results: texts, empty, filters } = useTexts();
  const { results } = answer;
  const isPainted = useAfterPaint('results');
  if (results.length === 0) return <NothingFound search={search} excluded={answer.excluded_by ?? []} />;
  const isFar = !results.some((result) => result.similarity_score >= CLEAR);
  const sizes: readonly string[] = CHOICES.top_k;
  const more = sizes[sizes.indexOf(search.top_k) + 1] as Search['top_k'] | undefined;
  return (
    <>
      <div class="answer-line">
        <p role="status">{texts.shown(results.length)}</p>
        <ShareBar search={search} answer={answer} />
      </div>
      {answer.applicant_names && answer.applicant_names.length > 0 && (
        <p class="soft">{filters.also(answer.applicant_names.join('; '))}</p>
      )}
      {isFar && (
        <div class="note warn">
          <p>
            <strong>{empty.far}</strong>
          </p>
          <p>{empty.farHelp}</p>
        </div>
      )}
      <ol class={isPainted ? 'results' : 'results first-paint'}>
        {results.map((result) => (
          <Result key={result.patent_id} search={search} result={result} />
        ))}
      </ol>
      {results.length >= Number(search.top_k) && (
        <p class="results-end">
          {more ? (
            <button type="button" class="button" onClick={() => onAsk({ ...search, top_k: more })}>
              {texts.more(Number(more))}
            </button>
          ) : (
            texts.end
          )}
        </p>
      )}
    </>
  );
}
