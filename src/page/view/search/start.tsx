/** The first page: what can be asked, and what the index holds. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { linkTo } from '../../model/address.js';
import { COUNTRIES } from '../../model/fields.js';
import { useTexts } from '../context.js';
import { useCoverage } from '../coverage.js';
import { useAfterPaint } from '../parts/after-paint.js';

interface Props {
  question: ComponentChildren;
  children: ComponentChildren;
}

export function Start({ question, children }: Props) {
  const { start } = useTexts();
  useQuestionFocus();
  const isPainted = useAfterPaint('page');
  return (
    <div class="start">
      <h1>{start.heading}</h1>
      <p class="start-lead">{start.lead}</p>
      {question}
      {children}
      <section class="start-examples">
        <h2>{start.try}</h2>
        <ul>
          {(isPainted ? start.examples : []).map((example) => (
            <li key={example}>
              <a href={linkTo([], new URLSearchParams({ query: example }))}>{example}</a>
            </li>
          ))}
        </ul>
      </section>
      <Holdings />
    </div>
  );
}

/** Puts the cursor into the question box of a page that waits for a question. */
export function useQuestionFocus(): void {
  useEffect(() => {
    // With a finger, the focus would open the keyboard of the screen over the page.
    if (matchMedia('(pointer: fine)').matches) document.getElementById('question')?.focus();
  }, []);
}

/** Publications of each office. */
function Holdings() {
  const { start, filters, number } = useTexts();
  const coverage = useCoverage();
  if (!coverage) return <div class="holdings" />;
  const offices = COUNTRIES.filter((country) => coverage.by_country[country]);
  if (coverage.total === 0) return <p class="holdings">{start.empty}</p>;
  return (
    <section class="holdings">
      <h2>{start.holds(coverage.total, offices.length)}</h2>
      <dl>
        {offices.map((country) => {
          const { total = 0, publication_date } = coverage.by_country[country] ?? {};
          return (
            <div key={country}>
              <dt>{filters.countries[country]}</dt>
              <dd>
                <b>{number(total)}</b>
                {publication_date && <small>{years(publication_date)}</small>}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** `2001–2025`, or `2021`. */
function years({ min, max }: { min: string; max: string }): string {
  const [first, last] = [min.slice(0, 4), max.slice(0, 4)];
  return first === last ? first : `${first}–${last}`;
}
