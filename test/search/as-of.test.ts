/** `as_of` against its definition, over random days and publications of the fixtures. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Patent } from '../../src/patent/record.js';
import { FIXTURES, questions, random } from '../crash/folder.js';
import { openBefore } from './collection.js';
import { byKind, numberSpellings } from './requests.js';
import { applicationsOf, dateOf } from './truth.js';

const RUNS = 150;

describe('as_of by its definition', () => {
  const fixtures = openBefore(FIXTURES);

  const pick = <T>(next: () => number, from: readonly T[]): T => from[Math.floor(next() * from.length)]!;

  /** The earliest priority date of the publications of a patent's application. */
  const priorityOf = (patent: Patent): string | undefined =>
    fixtures.patents
      .filter(
        (other) =>
          other === patent ||
          (patent.application_number !== undefined &&
            other.application_number === patent.application_number &&
            other.country === patent.country),
      )
      .map((other) => dateOf(other, 'priority'))
      .filter((date) => date !== undefined)
      .sort()[0];

  it(`finds and counts what was published before a day or a priority date, ${RUNS} times`, async () => {
    const next = random(31);
    const found = { some: 0, none: 0 };
    const queries = questions(6);
    for (let n = 0; n < RUNS; n++) {
      const kinds = byKind(next, fixtures.patents);
      const named = pick(next, fixtures.patents);
      const isDay = next() < 0.5;
      const day = isDay ? pick(next, fixtures.patents).publication_date : priorityOf(named);
      if (day === undefined) continue;
      const until = next() < 0.3 ? pick(next, fixtures.patents).publication_date : undefined;
      const as_of = isDay ? day : pick(next, numberSpellings(named));
      const request = { query: queries[n % queries.length]!, ...kinds.fields, as_of };
      const allowed = fixtures.patents.filter(
        (p) =>
          kinds.matches(p) &&
          p.publication_date !== undefined &&
          p.publication_date < day &&
          (until === undefined || p.publication_date <= until),
      );
      const isCollapsed = (kinds.fields.doc_type ?? 'all') === 'all' && !kinds.fields.kind_codes;
      const expected = isCollapsed ? applicationsOf(allowed) : allowed.length;
      const label = `${JSON.stringify(request)} is ${day}, until ${until}`;

      const limit = until === undefined ? {} : { publication_date_to: until };
      const { results, as_of_day } = await fixtures.engine.search({ ...request, ...limit, top_k: 100 });
      assert.equal(as_of_day, day, label);
      for (const { patent_id, publication_date } of results) {
        assert.ok(publication_date! < day, `${label}: ${patent_id} was published ${publication_date}`);
      }
      assert.equal(results.length, Math.min(100, expected), label);
      const range =
        until === undefined ? {} : { date_type: 'publication' as const, date_range: { to: until } };
      const counted = await fixtures.engine.analyze({ ...request, ...range, min_score: 0 });
      assert.equal(counted.total_matched, expected, label);
      assert.equal(counted.as_of_day, day, label);
      found[expected === 0 ? 'none' : 'some']++;
    }
    assert.ok(found.some > RUNS / 2, JSON.stringify(found));
  });

  it('explain states the day', async () => {
    const named = fixtures.patents.find(
      (p) => priorityOf(p) !== undefined && priorityOf(p) !== p.filing_date,
    )!;
    const { asOf } = await fixtures.engine.explain({ query: 'pump', as_of: named.patent_id });
    assert.equal(asOf, priorityOf(named));
    assert.equal(
      (await fixtures.engine.explain({ query: 'pump', as_of: ' 2019-05-05 ' })).asOf,
      '2019-05-05',
    );
    assert.ok(!('asOf' in (await fixtures.engine.explain({ query: 'pump' }))));
  });
});
