/** Counts over all patents that are clearly about the question. Each bar narrows the search. */
import type { AnalyticsResponse } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { DATES, type DateKind, parametersOf, type Search } from '../../model/fields.js';
import { within, yearWithin } from '../../model/narrowed.js';
import { CLEAR } from '../../model/relevance.js';
import { limitedDates, statisticsDate } from '../../model/request.js';
import { useClassTitles } from '../class-titles.js';
import { useTexts } from '../context.js';
import { MOST_COUNTED } from '../results/results-view.js';
import { type Bar, Bars } from './bars.js';
import { Years } from './years.js';

interface Props {
  /** What the answer belongs to. */
  search: Search;
  answer: AnalyticsResponse;
  /** What the address says. */
  wanted: Search;
  /** Asks what the address says, with a change. */
  onAsk(change: Partial<Search>): void;
}

export function StatisticsView({ search, answer, wanted, onAsk }: Props) {
  const { statistics: texts, empty, filters } = useTexts();
  const titles = useClassTitles();
  const { stats, total_matched, min_score_used, explanation } = answer;
  // A class is counted as a whole, whatever the similarities are.
  const isClass = min_score_used < CLEAR;
  const to = (change: Partial<Search>) => linkTo([], parametersOf({ ...search, ...change }));
  if (total_matched === 0) {
    const missing = answer.not_in_index;
    const whole = isClass ? empty.nothing : empty.noStatistics;
    const nothing = missing === undefined ? whole : empty.notInIndex[missing](search.query.trim());
    return (
      <div class="note warn">
        <p role="status">
          <strong>{nothing}</strong>
        </p>
        <p class="note-actions">
          <a class="button" href={to({ view: 'list' })}>
            {empty.toList}
          </a>
        </p>
      </div>
    );
  }
  const isLeast = total_matched >= MOST_COUNTED;
  // A least number is no count.
  const exactness =
    explanation && !isLeast ? ` · ${explanation.exact ? texts.exact : texts.approximate}` : '';
  const { kind, ignored } = statisticsDate(search);
  const limited = limitedDates(wanted);
  const years = stats.by_year ?? {};
  const undated = total_matched - Object.values(years).reduce((sum, count) => sum + count, 0);
  const countries = Object.entries(stats.by_country ?? {}).map(
    ([code, count]): Bar => ({
      name: filters.countries[code as keyof typeof filters.countries] ?? code,
      count,
      link: to({ countries: [code as Search['countries'][number]] }),
    }),
  );
  const applicants = (stats.top_applicants ?? []).map(
    ({ name, count }): Bar => ({ name, count, link: to({ applicant: name, applicant_match: 'exact' }) }),
  );
  const classes = (stats.top_ipc ?? []).map(
    ({ code, count }): Bar => ({
      name: code,
      title: titles?.titleOf(code),
      count,
      link: to({ ipc_codes: within(search.ipc_codes, code) }),
    }),
  );
  return (
    <div class="statistics">
      <div class="answer-line">
        <p role="status">
          {(isClass ? texts.countOfClass : texts.count)(total_matched, isLeast)}
          {exactness}
        </p>
        <p class="soft">{texts.narrow}</p>
      </div>
      {ignored.length > 0 && (
        <p class="note warn">
          {texts.ignored(texts.dates[kind], ignored.map((other) => texts.dates[other]).join(', '))}
        </p>
      )}
      <section class="panel wide">
        <div class="panel-head">
          <h2>{texts.years}</h2>
          <label class="inline">
            {texts.by}
            <select
              value={statisticsDate(wanted).kind}
              onChange={(event) => onAsk({ date_type: event.currentTarget.value as DateKind })}
            >
              {DATES.map((date) => (
                <option key={date} value={date} disabled={limited.length > 0 && !limited.includes(date)}>
                  {texts.dates[date]}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Years
          counts={years}
          linkOf={(year) =>
            to({
              date_type: kind,
              ...yearWithin(search, kind, year),
            })
          }
        />
        {undated > 0 && <p class="soft">{texts.undated(undated, texts.dates[kind])}</p>}
      </section>
      <Bars heading={texts.countries} bars={countries} />
      <Bars heading={texts.classes} bars={classes} />
      <Bars heading={texts.applicants} bars={applicants} isWide />
    </div>
  );
}
