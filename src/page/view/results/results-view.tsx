/** The list of results, or what to do if there are none. */
import { Fragment } from 'preact';
import type { AnalyticsResponse, SearchResponse, SearchResult } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { CHOICES, DATES, parametersOf, type Search } from '../../model/fields.js';
import { isolated } from '../../model/isolated.js';
import { CLEAR, isTitleOnly, type Relevance, relevanceOf } from '../../model/relevance.js';
import { analyticsRequest, statisticsDate } from '../../model/request.js';
import { shownResults } from '../../model/shown-results.js';
import { knownAnswer } from '../answers.js';
import { useTexts } from '../context.js';
import { useAfterPaint } from '../parts/after-paint.js';
import { ShareBar } from '../share/share-bar.js';
import { NothingFound } from './nothing-found.js';
import { Result } from './result.js';

interface Props {
  /** What the answer belongs to. */
  search: Search;
  answer: SearchResponse;
  /** Asks what the address says, with a change. */
  onAsk(change: Partial<Search>): void;
}

export function ResultsView({ search, answer, onAsk }: Props) {
  const { results: texts, empty, filters } = useTexts();
  const { results } = answer;
  const isPainted = useAfterPaint('results');
  if (results.length === 0) return <NothingFound search={search} excluded={answer.excluded_by ?? []} />;
  const relevance = relevanceOf(results, Number(search.top_k));
  const shown = shownResults(results, search);
  const { cutAt } = relevanceOf(shown, Number(search.top_k));
  const isFar = relevance.clear === 0;
  const missing = answer.not_in_index;
  const sizes: readonly string[] = CHOICES.top_k;
  const more = sizes[sizes.indexOf(search.top_k) + 1] as Search['top_k'] | undefined;
  return (
    <>
      <div class="answer-line">
        <Count
          search={search}
          shown={shown.length}
          all={results.length}
          relevance={relevance}
          isClass={answer.classification !== undefined}
          isCountable={missing === undefined}
        />
        <ShareBar search={search} answer={answer} />
      </div>
      <details class="bars-help">
        <summary>
          <span class="help-mark" aria-hidden="true">
            ?
          </span>{' '}
          {texts.barsHelp}
        </summary>
        <p>
          {texts.similarityHelp} {texts.similarityLine}
        </p>
        <p>{texts.orderHelp}</p>
      </details>
      {answer.applicant_names && answer.applicant_names.length > 0 && (
        <p class="soft">{filters.also(answer.applicant_names.map(isolated).join('; '))}</p>
      )}
      {missing !== undefined && (
        <div class="note warn">
          <p>
            <strong>{empty.notInIndex[missing](search.query.trim())}</strong>
          </p>
          {isFar && <p>{empty.notInIndexHelp}</p>}
        </div>
      )}
      {missing === undefined && (isFar || relevance.isNearlyFar) && (
        <div class="note warn">
          <p>
            <strong>{isFar ? empty.far : empty.nearlyFar(relevance.clear, results.length)}</strong>
          </p>
          <p>{isFar ? empty.farHelp : empty.nearlyFarHelp}</p>
        </div>
      )}
      <ListForm search={search} results={results} onAsk={onAsk} />
      {shown.length === 0 && (
        <div class="note">
          <p>
            <strong>{empty.allTitles(results.length)}</strong>
          </p>
          <p>{empty.allTitlesHelp}</p>
        </div>
      )}
      <ol class={isPainted ? 'results' : 'results first-paint'}>
        {shown.map((result, at) => (
          <Fragment key={result.patent_id}>
            {at === cutAt && <li class="cut">{texts.cut}</li>}
            <Result
              search={search}
              result={result}
              isMarked={!isFar && cutAt === undefined && result.similarity_score < CLEAR}
            />
          </Fragment>
        ))}
      </ol>
      {results.length >= Number(search.top_k) && (
        <p class="results-end">
          {more ? (
            <button type="button" class="button" onClick={() => onAsk({ top_k: more })}>
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

interface FormProps {
  search: Search;
  results: readonly SearchResult[];
  onAsk(change: Partial<Search>): void;
}

/** Order and selection of the results that are loaded. Neither asks the server. */
function ListForm({ search, results, onAsk }: FormProps) {
  const { results: texts } = useTexts();
  const titles = results.filter(isTitleOnly).length;
  return (
    <div class="list-form">
      <label class="inline">
        {texts.order}
        <select
          value={search.sort}
          onChange={(event) => onAsk({ sort: event.currentTarget.value as Search['sort'] })}
        >
          {CHOICES.sort.map((sort) => (
            <option key={sort} value={sort}>
              {texts.sorts[sort]}
            </option>
          ))}
        </select>
      </label>
      {titles > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={search.titles === 'hidden'}
            onChange={(event) => onAsk({ titles: event.currentTarget.checked ? 'hidden' : 'shown' })}
          />
          {texts.hideTitles(titles)}
        </label>
      )}
      <span class="soft" role="status">
        {search.sort === 'best' ? '' : texts.sorted(results.length)}
      </span>
    </div>
  );
}

interface CountProps {
  search: Search;
  /** Results in the list: without those that are hidden. */
  shown: number;
  /** Results of the answer. */
  all: number;
  relevance: Relevance;
  /** Whether the question is a class, whose patents statistics count as a whole. */
  isClass: boolean;
  /** Whether statistics may find something to count. */
  isCountable: boolean;
}

/** How many results are shown, and how many patents the statistics count, if that is known already. */
function Count({ search, shown, all, relevance, isClass, isCountable }: CountProps) {
  const { results: texts, patent } = useTexts();
  const counted = relevance.isWhole
    ? { count: isClass ? all : relevance.clear, isLeast: false }
    : countedBefore(search);
  const parts = [relevance.isWhole ? texts.shown(all) : texts.first(all)];
  if (shown < all) parts[0] = relevance.isWhole ? texts.shownOf(shown, all) : texts.firstOf(shown, all);
  if (counted) parts.push((isClass ? texts.ofClass : texts.ofClear)(counted.count, counted.isLeast));
  return (
    <div class="count">
      <p role="status">{parts.join(' · ')}</p>
      {!counted && isCountable && (
        <p>
          <a href={linkTo([], parametersOf({ ...search, view: 'statistics' }))}>
            {isClass ? texts.countClass : texts.countClear}
          </a>{' '}
          <small class="soft">{patent.similarCost}</small>
        </p>
      )}
    </div>
  );
}

/** Default of `max_results`: statistics count no further. */
export const MOST_COUNTED = 10_000;

/** The count of statistics that the visitor has seen for this search. To ask for them only for the count costs a search. */
function countedBefore(search: Search): { count: number; isLeast: boolean } | undefined {
  for (const date_type of DATES) {
    const counting = { ...search, date_type };
    if (statisticsDate(counting).ignored.length > 0) return undefined;
    const known = knownAnswer<AnalyticsResponse>(
      'api/v1/search/semantic-analytics',
      analyticsRequest(counting),
    );
    if (known) return { count: known.total_matched, isLeast: known.total_matched >= MOST_COUNTED };
  }
  return undefined;
}
