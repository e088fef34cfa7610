/** The search: question, filters, and below them the results or the statistics. The address says which. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnalyticsResponse, SearchResponse } from '../../../search/public-types.js';
import type { Texts } from '../../languages/index.js';
import { activeCount } from '../../model/active.js';
import { linkTo } from '../../model/address.js';
import { complaintsOf } from '../../model/complaints.js';
import { isoDay } from '../../model/day.js';
import { draftAfter } from '../../model/draft.js';
import {
  isAsked,
  parametersOf,
  QUESTION_MAX_CHARS,
  questionLength,
  type Search,
  searchOf,
} from '../../model/fields.js';
import { printedNumber } from '../../model/number.js';
import { analyticsRequest, semanticRequest, statisticsDate } from '../../model/request.js';
import { type Asked, useAnswer } from '../answers.js';
import { useSessionHandle, useTexts } from '../context.js';
import { usePageTitle } from '../page-title.js';
import { Answered } from '../parts/answered.js';
import { Failure } from '../parts/failure.js';
import { lazy } from '../parts/lazy.js';
import { ResultsView } from '../results/results-view.js';
import { focusPlace, goTo, hasMoved, scrollToPlace } from '../router.js';
import { hasEnded, sessionEnded } from '../session.js';
import { ActiveFilters } from './active-filters.js';
import { ComplaintsNote } from './complaints-note.js';
import { FilterPanel } from './filter-panel.js';
import { LeftOut } from './left-out.js';
import { NoQuestion } from './no-question.js';
import { Question } from './question.js';
import { SignInNote } from './sign-in-note.js';
import { Start } from './start.js';

const StatisticsView = lazy(async () => (await import('../statistics/statistics-view.js')).StatisticsView);

export function SearchPage({ parameters }: { parameters: URLSearchParams }) {
  const texts = useTexts();
  const address = parameters.toString();
  const search = useMemo(() => searchOf(new URLSearchParams(address)), [address]);
  const [draft, setDraft] = useState(search);
  const { state: session, refresh } = useSessionHandle();
  const mayAsk = isAsked(search) && session.status !== 'waiting';
  const isEnded = hasEnded.use();
  const isList = search.view === 'list';
  const list = useAnswer<SearchResponse>(
    'api/v1/search/semantic',
    mayAsk && isList ? semanticRequest(search) : undefined,
  );
  const statistics = useAnswer<AnalyticsResponse>(
    'api/v1/search/semantic-analytics',
    mayAsk && !isList ? analyticsRequest(search) : undefined,
  );
  const listed = useSearchOf(list, search);
  const counted = useSearchOf(statistics, search);
  const shown = useRef(search);
  useEffect(() => {
    const before = shown.current;
    shown.current = search;
    setDraft((draft) => draftAfter(draft, before, search));
  }, [search]);
  const { answer: latest, isWaiting } = isList ? list : statistics;
  useEffect(() => {
    // The search was counted.
    if (latest !== undefined) refresh();
  }, [latest, refresh]);
  usePageTitle(questionOf(search, texts), isAsked(search) && !isList ? texts.statistics.heading : '');
  const heading = useFocusOnAnswer(formless(search), latest !== undefined && !isWaiting);

  const { error, retry } = isList ? list : statistics;
  const ask = (wanted: Search) => goTo(linkTo([], parametersOf(wanted)));
  const askAlso = (change: Partial<Search>) => ask({ ...search, ...change });
  /** Asks what the form says: nothing of it waits any more. */
  const apply = (wanted: Search) => {
    if (questionLength(wanted) > QUESTION_MAX_CHARS) {
      document.getElementById('question')?.focus();
      return;
    }
    const spelled = { ...wanted, as_of: isoDay(wanted.as_of) };
    setDraft(spelled);
    // What is typed before the address has changed stays in the form.
    shown.current = spelled;
    // The same address again would change nothing. After a failure, it asks again.
    if (error && parametersOf(spelled).toString() === parametersOf(search).toString()) retry();
    else ask(spelled);
  };
  const isComplaint = error && error.status < 500 && error.status !== 429;
  const complaints = isComplaint
    ? complaintsOf(error.message, texts.errors.wrong, statisticsDate(search).kind)
    : [];
  const ofFields = new Map(complaints.flatMap(({ field, message }) => (field ? [[field, message]] : [])));
  const length = questionLength(draft);
  const tooLong =
    length > QUESTION_MAX_CHARS ? texts.question.tooLong(length, QUESTION_MAX_CHARS) : undefined;
  const question = (
    <Question
      search={draft}
      complaint={tooLong ?? ofFields.get('query')}
      onChange={setDraft}
      onAsk={() => apply(draft)}
      onRemove={apply}
    />
  );
  const isStart = !isAsked(search) && activeCount(search) === 0;
  useCursorOfQuestion(isStart);
  if (isStart) {
    return (
      <Start question={question}>
        <SignInNote />
      </Start>
    );
  }
  return (
    <div class="search">
      <div class="search-question">{question}</div>
      <FilterPanel
        search={draft}
        isChanged={parametersOf(draft).toString() !== parametersOf(search).toString()}
        complaints={ofFields}
        onChange={setDraft}
        onAsk={apply}
      />
      <section class="search-answer" aria-labelledby="answer-heading">
        <h1 id="answer-heading" class="unseen" tabIndex={-1} ref={heading}>
          {isList ? texts.results.heading : texts.statistics.heading}
        </h1>
        {isAsked(search) && <Views search={search} />}
        <ActiveFilters
          search={search}
          readAs={isList && !list.isWaiting ? list.answer?.classification : undefined}
          onAsk={ask}
          onClear={apply}
        />
        {isAsked(search) ? <LeftOut search={search} onAsk={ask} /> : <NoQuestion />}
        {ofFields.size > 0 && <ComplaintsNote complaints={complaints} />}
        {isEnded && !error && <Failure error={sessionEnded()} />}
        {error && ofFields.size === 0 && <Failure error={error} onRetry={retry} />}
        {isList ? (
          <AnswerTo asked={list}>
            {(answer) => (
              <ResultsView
                search={{ ...listed, sort: search.sort, titles: search.titles }}
                answer={answer}
                onAsk={askAlso}
              />
            )}
          </AnswerTo>
        ) : (
          <AnswerTo asked={statistics}>
            {(answer) => <StatisticsView search={counted} answer={answer} wanted={search} onAsk={askAlso} />}
          </AnswerTo>
        )}
      </section>
    </div>
  );
}

/** The question in a title; without one, its examples. */
function questionOf({ query, like, unlike }: Search, { question }: Texts): string {
  if (query !== '') return query;
  const examples = [
    ...like.map((id) => `${question.like} ${printedNumber(id)}`),
    ...unlike.map((id) => `${question.unlike} ${printedNumber(id)}`),
  ];
  return examples.join(', ');
}

/** The address of a search without the form of its list: what the server is asked. */
function formless(search: Search): string {
  return parametersOf({ ...search, sort: 'best', titles: 'shown' }).toString();
}

/** The search that the latest answer belongs to: while a new one is awaited, not that of the address. */
function useSearchOf({ answer, isWaiting }: Asked<unknown>, search: Search): Search {
  const answered = useRef(search);
  if (answer !== undefined && !isWaiting) answered.current = search;
  return answered.current;
}

/** What the server answered last, if it was no error. */
function AnswerTo<T>({
  asked: { answer, error, isWaiting },
  children,
}: {
  asked: Asked<T>;
  children(answer: T): preact.ComponentChildren;
}) {
  const { results } = useTexts();
  return (
    <Answered isWaiting={isWaiting} text={results.searching} waits={results.waits}>
      {answer !== undefined && !error && children(answer)}
    </Answered>
  );
}

function Views({ search }: { search: Search }) {
  const { results, patent } = useTexts();
  return (
    <nav class="views" aria-label={results.heading}>
      {(['list', 'statistics'] as const).map((view) => (
        <a
          key={view}
          href={linkTo([], parametersOf({ ...search, view }))}
          aria-current={search.view === view ? 'page' : undefined}
        >
          {results[view]}
          {view === 'statistics' && search.view === 'list' && <small> · {patent.similarCost}</small>}
        </a>
      ))}
    </nav>
  );
}

/** Keeps the cursor in the question box when the first page, which has a box of its own, becomes the page of results. */
function useCursorOfQuestion(isStart: boolean): void {
  const active = document.activeElement;
  const left = active instanceof HTMLTextAreaElement && active.id === 'question' ? active : undefined;
  const [from, to] = [left?.selectionStart ?? 0, left?.selectionEnd ?? 0];
  useLayoutEffect(() => {
    const box = document.getElementById('question') as HTMLTextAreaElement;
    if (!left || left === box) return;
    box.focus({ preventScroll: true });
    box.setSelectionRange(from, to);
  }, [isStart]);
}

/**
 * Moves the focus to the heading of a new answer, so that a screen reader says that the page changed. It stays in a text
 * field, and where it is when the page is loaded. A visitor who comes back from another view, where the focus was lost
 * with that view, finds it at the link by which the results were left.
 * @param isThere whether the answer is that of the address
 */
function useFocusOnAnswer(address: string, isThere: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!isThere || before.current === address) return;
    const isFirst = before.current === undefined;
    before.current = address;
    scrollToPlace();
    const active = document.activeElement;
    const isLost = active === null || active === document.body;
    const isTyping =
      active instanceof HTMLTextAreaElement ||
      (active instanceof HTMLInputElement && active.type !== 'checkbox');
    if (isFirst ? !isLost || !hasMoved() : isTyping) return;
    if (!isLost || !focusPlace()) heading.current?.focus({ preventScroll: true });
  }, [address, isThere]);
  return heading;
}
