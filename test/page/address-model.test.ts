/** The search that an address holds: its filters, what it asks the server, and where an error of it is shown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '../../src/page/languages/en.js';
import { ko } from '../../src/page/languages/ko.js';
import { activeCount, leftOutCountries, withoutCountry, withoutFilter } from '../../src/page/model/active.js';
import { addressOf, backOf, linkTo, signInFrom } from '../../src/page/model/address.js';
import { asOfDate, publicationOfAsOf } from '../../src/page/model/as-of.js';
import { complaintsOf } from '../../src/page/model/complaints.js';
import { isoDay } from '../../src/page/model/day.js';
import { draftAfter } from '../../src/page/model/draft.js';
import {
  emptySearch,
  FLAGS,
  LISTS,
  parametersOf,
  type Search,
  searchOf,
  TEXTS,
} from '../../src/page/model/fields.js';
import { isUtilityModel, leftOutOf, withDesigns } from '../../src/page/model/kinds.js';
import { within, yearWithin } from '../../src/page/model/narrowed.js';
import { analyticsRequest, semanticRequest, statisticsDate } from '../../src/page/model/request.js';
import { lessLike, moreLike, priorArtFor, publishedBefore } from '../../src/page/model/steps.js';
import { FILTER_SCHEMAS } from '../../src/search/filter-rows.js';
import type { Coverage, DetailsEntry } from '../../src/search/public-types.js';
import { parseAnalytics, parseSemantic } from '../../src/search/query.js';
import fc from '../property.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('the address', () => {
  it('holds every part and parameter', () => {
    fc.assert(
      fc.property(fc.array(text.filter(Boolean)), fc.array(fc.tuple(text, text)), (parts, pairs) => {
        const parameters = new URLSearchParams(pairs);
        const found = addressOf(linkTo(parts, parameters));
        assert.deepEqual(found.parts, parts);
        assert.equal(found.parameters.toString(), parameters.toString());
      }),
    );
  });

  it('holds a whole search, and what it does not know is left out', () => {
    const search = {
      ...emptySearch(),
      query: '고체 전해질 & "quoted"',
      countries: ['KR', 'CN'] as const,
      must_terms: ['solid, dry', '電池'],
      filing_date_from: '2015-01-01',
      include_utility_model: true,
      collapse: 'none' as const,
      view: 'statistics' as const,
    };
    assert.deepEqual(searchOf(parametersOf(search)), search);
    const strange = new URLSearchParams('countries=XX&countries=US&view=nothing&top_k=7&colour=red');
    assert.deepEqual(searchOf(strange), { ...emptySearch(), countries: ['US'] });
  });

  it('of a sign-in leads back to the view from which it was opened, and nowhere else', () => {
    const hash = linkTo([], parametersOf({ ...emptySearch(), query: '고체 전해질 & #', countries: ['KR'] }));
    assert.equal(backOf(addressOf(signInFrom(hash)).parameters), hash);
    assert.equal(backOf(addressOf(signInFrom('')).parameters), '#/');
    assert.equal(backOf(addressOf('#/dashboard').parameters), undefined);
    assert.match(backOf(new URLSearchParams({ back: 'https://example.com/' }))!, /^#\//);
  });

  it('that is broken is still an address', () => {
    assert.deepEqual(addressOf('#/patent/%E0%A4%A').parts, ['patent', '%E0%A4%A']);
  });
});

describe('requests', () => {
  it('can state every filter of the API', () => {
    const known: ReadonlySet<string> = new Set([
      'countries',
      'doc_type',
      'applicant_match',
      ...TEXTS,
      ...LISTS,
      ...FLAGS,
    ]);
    const missing = Object.keys(FILTER_SCHEMAS).filter((field) => !known.has(field));
    assert.deepEqual(missing, [], 'add them to src/page: see ARCHITECTURE.md, "To add a filter"');
  });

  it('have the fields that are stated, and no others', () => {
    const search = { ...emptySearch(), query: ' laser ', applicant: 'Bosch', ipc_codes: ['H01S'] };
    assert.deepEqual(semanticRequest(search), {
      query: 'laser',
      ipc_codes: ['H01S'],
      applicant: 'Bosch',
      collapse: 'family',
      top_k: 20,
      explain: true,
      highlight: true,
    });
  });

  it('for statistics keep one range of dates, and name those they leave out', () => {
    const search = {
      ...emptySearch(),
      query: 'laser',
      grant_date_from: '2020-01-01',
      priority_date_to: '2010-12-31',
    };
    assert.deepEqual(statisticsDate(search), { kind: 'grant', ignored: ['priority'] });
    const { date_type, date_range, explain } = analyticsRequest(search);
    assert.deepEqual([date_type, date_range, explain], ['grant', { from: '2020-01-01' }, true]);
    assert.equal(statisticsDate({ ...search, date_type: 'priority' }).kind, 'priority');
  });
});

describe('a click that narrows', () => {
  const search = { ...emptySearch(), query: 'laser' };

  it('keeps the codes that lie under the clicked one', () => {
    assert.deepEqual(within([], 'H01M'), ['H01M']);
    assert.deepEqual(within(['H01M 10/0562', 'C08F'], 'H01M'), ['H01M 10/0562']);
    assert.deepEqual(within(['H01M'], 'H01M10/0562'), ['H01M10/0562']);
    assert.deepEqual(within(['C08F'], 'H01M'), ['H01M']);
  });

  it('stays within the range of days', () => {
    const range = { ...search, filing_date_from: '2019-08-20', filing_date_to: '2021-03-31' };
    const of = (year: string) => Object.values(yearWithin(range, 'filing', year));
    assert.deepEqual(of('2019'), ['2019-08-20', '2019-12-31']);
    assert.deepEqual(of('2020'), ['2020-01-01', '2020-12-31']);
    assert.deepEqual(of('2021'), ['2021-01-01', '2021-03-31']);
    assert.deepEqual(Object.values(yearWithin(search, 'grant', '2021')), ['2021-01-01', '2021-12-31']);
  });
});

describe('kinds that a search leaves out', () => {
  const coverage = {
    by_country: {
      KR: { total: 10, by_kind: { A: 5, U: 2, Y1: 1, S: 2 }, languages: [] },
      US: { total: 4, by_kind: { A1: 1, B2: 1, S1: 2 }, languages: [] },
    },
  } as unknown as Coverage;
  const search = { ...emptySearch(), query: 'laser' };

  it('are counted in its countries', () => {
    assert.deepEqual(leftOutOf(search, coverage), { utilityModels: 3, designs: 4 });
    assert.deepEqual(leftOutOf({ ...search, countries: ['US'] }, coverage), { utilityModels: 0, designs: 2 });
    assert.deepEqual(leftOutOf({ ...search, include_utility_model: true }, coverage), {
      utilityModels: 0,
      designs: 4,
    });
  });

  it('are none if it states kinds, or a number, which finds every kind', () => {
    const none = { utilityModels: 0, designs: 0 };
    assert.deepEqual(leftOutOf({ ...search, kind_codes: ['A1'] }, coverage), none);
    assert.deepEqual(leftOutOf({ ...search, publication_number: '2020123456' }, coverage), none);
  });

  it('come in with the kinds that it had', () => {
    const designs = withDesigns(search, coverage);
    assert.deepEqual(designs.kind_codes, ['A', 'A1', 'B2', 'S', 'S1']);
    const all = withDesigns({ ...search, include_utility_model: true }, coverage);
    assert.deepEqual(all.kind_codes, ['A', 'A1', 'B2', 'S', 'S1', 'U', 'Y1']);
    assert.equal(isUtilityModel('CN', 'U') && !isUtilityModel('CN', 'S'), true);
  });
});

describe('filters in use', () => {
  const search = { ...emptySearch(), query: 'laser' };

  it('are counted once each, without the question, its examples and the form of the list', () => {
    assert.equal(activeCount({ ...search, like: ['US1A1'], collapse: 'none', applicant_match: 'exact' }), 0);
    const used: Search = {
      ...search,
      countries: ['US', 'KR'],
      ipc_codes: ['H01M', 'H01S'],
      applicant: 'Bosch',
      filing_date_from: '2019-01-01',
      filing_date_to: '2020-01-01',
      as_of: '2020-01-01',
      include_utility_model: true,
    };
    assert.equal(activeCount(used), 6);
  });

  it('of countries can be all but one or two', () => {
    const one = withoutCountry(search, 'CN');
    assert.deepEqual(one.countries, ['US', 'KR', 'JP', 'EP']);
    const two = withoutCountry(one, 'KR');
    assert.deepEqual([leftOutCountries(one), leftOutCountries(two)], [['CN'], ['KR', 'CN']]);
    assert.deepEqual(withoutCountry(two, 'CN').countries, ['US', 'JP', 'CN', 'EP']);
    assert.deepEqual(withoutCountry(one, 'CN'), search);
    // A third one leaves two countries, which the search then names.
    assert.deepEqual(withoutCountry(two, 'JP').countries, ['US', 'EP']);
    assert.deepEqual(leftOutCountries({ countries: ['US', 'EP'] }), []);
    assert.deepEqual(withoutCountry({ ...search, countries: ['US'] }, 'US').countries, [
      ...['KR', 'JP', 'CN', 'EP'],
    ]);
    assert.deepEqual(leftOutCountries(search), []);
  });

  it('that leave nothing are taken away by the name of the API', () => {
    const dated = { ...search, as_of: 'US1A1', publication_date_to: '2020-01-01' };
    assert.deepEqual(withoutFilter(dated, 'publication_date'), { ...search, as_of: 'US1A1' });
    assert.deepEqual(withoutFilter({ ...search, as_of: 'US1A1' }, 'as_of'), search);
    const named = {
      ...search,
      applicant: 'Bosch',
      applicant_match: 'exact',
      applicant_expand: true,
    } as const;
    assert.deepEqual(withoutFilter(named, 'applicant'), search);
    assert.equal(withoutFilter(search, 'doc_type'), undefined);
  });
});

describe('a patent as the next step of a search', () => {
  const search = { ...emptySearch(), query: 'laser', countries: ['US'] as const, ipc_codes: ['H01S'] };

  it('keeps the filters', () => {
    for (const step of [moreLike, lessLike, priorArtFor, publishedBefore]) {
      const { countries, ipc_codes } = step(search, 'US1A1');
      assert.deepEqual([countries, ipc_codes], [['US'], ['H01S']], step.name);
    }
  });

  it('as prior art is like the patent and before it', () => {
    const { query, like, as_of } = priorArtFor(search, 'US1A1');
    assert.deepEqual([query, like, as_of], ['', ['US1A1'], 'US1A1']);
    const later = { ...search, publication_date_from: '2005-01-01', filing_date_to: '2020-12-31' };
    const { publication_date_from, filing_date_to } = priorArtFor(later, 'US1A1');
    assert.deepEqual([publication_date_from, filing_date_to], ['', '2020-12-31']);
    assert.deepEqual(publishedBefore(emptySearch(), 'US1A1'), priorArtFor(emptySearch(), 'US1A1'));
  });
});

/** The message with which the server refuses a request. */
function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  assert.fail('the request is refused');
}

describe('an error of the API', () => {
  it('is told by the fields that it names', () => {
    const detail =
      'ipc_codes[0]: malformed code "ZZ"; expected a prefix. It has a section. ' +
      'filing_date_from: got "x"; expected YYYY-MM-DD';
    const { wrong } = en.errors;
    assert.deepEqual(complaintsOf(detail, wrong, 'filing'), [
      { field: 'ipc_codes', message: wrong.code('ZZ') },
      { field: 'filing_date_from', message: 'got "x"; expected YYYY-MM-DD' },
    ]);
    assert.deepEqual(complaintsOf('internal error', wrong, 'filing'), [
      { field: undefined, message: 'internal error' },
    ]);
  });

  it('is told in the language of the page, if people make the mistake often', () => {
    const { wrong } = ko.errors;
    const said = (request: () => unknown) => {
      const detail = messageOf(request);
      return complaintsOf(detail, wrong, 'priority').map(({ field, message }) => [field, message]);
    };
    const query = 'battery';
    assert.deepEqual(
      said(() => parseSemantic({ query, filing_date_from: '2021-01-01', filing_date_to: '2020-01-01' })),
      [['filing_date_from', wrong.range('2021-01-01', '2020-01-01')]],
    );
    // Statistics have one range, which is that of the date by which they count.
    const date_range = { from: '2021-01-01', to: '2020-01-01' };
    assert.deepEqual(
      said(() => parseAnalytics({ query, date_range })),
      [['priority_date_from', wrong.range('2021-01-01', '2020-01-01')]],
    );
    assert.deepEqual(
      said(() => parseAnalytics({ query, date_range: { to: '2021-02-30' } })),
      [['priority_date_to', wrong.day('2021-02-30')]],
    );
    assert.deepEqual(
      said(() => parseSemantic({ query, grant_date_to: '2021-02-30' })),
      [['grant_date_to', wrong.day('2021-02-30')]],
    );
    assert.deepEqual(
      said(() => parseSemantic({ query, as_of: '2021-02-30' })),
      [['as_of', wrong.day('2021-02-30')]],
    );
    assert.deepEqual(
      said(() => parseSemantic({ query, as_of: 'tomorrow' })),
      [['as_of', wrong.asOf('tomorrow')]],
    );
    assert.deepEqual(
      said(() => parseSemantic({ query, ipc_codes: ['battery cells'] })),
      [['ipc_codes', wrong.code('battery cells')]],
    );
    const long = 'x'.repeat(3_000);
    const ofFields: [object, string, string][] = [
      [{ kind_codes: ['ZZZ'] }, 'kind_codes', wrong.kind('ZZZ')],
      [{ inventor: '...' }, 'inventor', wrong.noLetter('...')],
      [{ must_terms: ['--'] }, 'must_terms', wrong.noLetter('--')],
      [{ applicant: 'Inc.' }, 'applicant', wrong.legalForm('Inc.')],
      [{ applicant: long }, 'applicant', wrong.tooLong('3,000', '500')],
      [{ must_not_terms: [long] }, 'must_not_terms', wrong.tooLong('3,000', '200')],
      [{ family_id: long }, 'family_id', wrong.tooLong('3,000', '500')],
      [{ must_terms: Array(30).fill('x') }, 'must_terms', wrong.tooMany('30', '20')],
      [{ like: Array(30).fill('x') }, 'like', wrong.tooMany('30', '20')],
    ];
    for (const [fields, field, message] of ofFields) {
      assert.deepEqual(
        said(() => parseSemantic({ query, ...fields })),
        [[field, message]],
      );
    }
    const kinds = Array.from({ length: 7 }, (_, n) => `ZZ${n}`);
    assert.deepEqual(
      said(() => parseSemantic({ query, kind_codes: kinds })),
      [...kinds.slice(0, 5).map((kind) => ['kind_codes', wrong.kind(kind)]), [undefined, wrong.more('2')]],
    );
    for (const [detail, field, message] of [
      [
        'as_of: got "US9999999B2"; expected a day as YYYY-MM-DD, or the number of a publication in the index',
        'as_of',
        wrong.asOf('US9999999B2'),
      ],
      [
        'as_of: got "EP1A1"; expected a day as YYYY-MM-DD: the index does not know the priority date of EP00000001A1',
        'as_of',
        wrong.priority('EP1A1'),
      ],
      [
        'unlike: the index has no publication "US7777777B2", "x"; expected numbers of stored ones',
        'unlike',
        wrong.publications('"US7777777B2", "x"'),
      ],
      [
        'like: "123" is the number of US123B1, EP123A1; expected one of these',
        'like',
        wrong.several('123', 'US123B1, EP123A1'),
      ],
      [
        'as_of: got "123"; expected one of the publications with this number, because their priority dates differ: US123B1, EP123A1 and 2 more',
        'as_of',
        wrong.several('123', 'US123B1, EP123A1 and 2 more'),
      ],
    ] as const)
      assert.deepEqual(complaintsOf(detail, wrong, 'filing'), [{ field, message }]);
  });
});

describe('the day of a search for prior art', () => {
  const entry = (dates: Partial<DetailsEntry['bibliography']>, filing?: string): DetailsEntry => ({
    patent_id: 'US1A1',
    metadata: {
      ...{ title: '', applicant: '', ipc_codes: [], kind_code: 'A1', country: 'US' },
      ...(filing === undefined ? {} : { filing_date: filing }),
    },
    bibliography: { applicants: [], inventors: [], cpc_codes: [], citations: [], family: [], ...dates },
  });
  const search = { ...emptySearch(), query: 'laser', as_of: 'US1A1' };
  const [priority, filing] = ['2012-05-01', '2013-03-02'];

  it('is the priority date of a publication, or its filing date if the visitor chooses it', () => {
    const both = entry({ priority_date: priority }, filing);
    assert.equal(publicationOfAsOf(search), 'US1A1');
    const found = asOfDate(search, both)!;
    assert.deepEqual([found.kind, found.day, found.other?.day], ['priority', priority, filing]);
    const chosen = found.other!.search;
    assert.deepEqual(chosen, { ...search, as_of: filing });
    // The address does not say whose filing date it is, unless there is an example.
    assert.equal(publicationOfAsOf(chosen), undefined);
    const like = { ...chosen, like: ['US1A1'] };
    assert.equal(publicationOfAsOf(like), 'US1A1');
    const back = asOfDate(like, both)!;
    assert.deepEqual([back.kind, back.day, back.other?.day], ['filing', filing, priority]);
    assert.equal(back.other?.search.as_of, 'US1A1');
    assert.equal(publicationOfAsOf({ ...like, like: ['US1A1', 'US2A1'] }), undefined);
  });

  it('leaves no choice without an earlier priority, and is not told if it is unknown', () => {
    assert.deepEqual(asOfDate(search, entry({}, filing)), { kind: 'priority', day: filing });
    assert.deepEqual(asOfDate(search, entry({ priority_date: filing }, filing)), {
      ...{ kind: 'priority', day: filing },
    });
    const undated = entry({ priorities: [{ number: '1' }] }, filing);
    assert.equal(asOfDate(search, undated), undefined);
    assert.equal(asOfDate(search, { patent_id: 'US1A1', error: 'not_found' }), undefined);
    const day = { ...search, as_of: '2012-12-31', like: ['US1A1'] };
    assert.equal(asOfDate(day, entry({ priority_date: priority }, filing)), undefined, 'another day');
    assert.equal(publicationOfAsOf(emptySearch()), undefined);
  });
});

describe('what is not applied yet', () => {
  const before: Search = { ...emptySearch(), query: 'battery', countries: ['KR'] };
  const draft: Search = { ...before, filing_date_from: '2015-01-01', kind_codes: ['B1'] };

  it('stays when another view or order is shown, and when another filter is taken away', () => {
    const statistics = draftAfter(draft, before, { ...before, view: 'statistics', date_type: 'grant' });
    assert.deepEqual(statistics, { ...draft, view: 'statistics', date_type: 'grant' });
    const removed = draftAfter(draft, before, { ...before, countries: [] });
    assert.deepEqual(removed, { ...draft, countries: [] });
    const typed = { ...before, query: 'battery of sodium' };
    assert.deepEqual(draftAfter(typed, before, { ...before, sort: 'newest' }), { ...typed, sort: 'newest' });
  });

  it('goes with its question, and what was applied does not come back', () => {
    for (const other of [{ query: 'pump' }, { query: '', like: ['US1A1'] }]) {
      const after = { ...before, ...other };
      assert.deepEqual(draftAfter(draft, before, after), after);
    }
    // A step back in the history.
    assert.deepEqual(draftAfter(draft, draft, before), before);
  });
});

describe('a day', () => {
  it('is read as offices and people write it; other texts stay as they are', () => {
    for (const spelled of [
      '2021-03-05',
      '2021.03.05',
      '2021.3.5.',
      '2021. 3. 5.',
      '2021/03/05',
      '2021년 3월 5일',
      '2021年3月5日',
      ' 2021-3-5 ',
    ])
      assert.equal(isoDay(spelled), '2021-03-05', spelled);
    for (const other of ['KR1010606300000B1', '20210305', '05.03.2021', '2021-03', '2021-03-05-1', ''])
      assert.equal(isoDay(other), other);
  });
});
