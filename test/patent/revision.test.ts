/** The rule that joins parts and corrections of a publication into one record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Patent } from '../../src/patent/record.js';
import { isSameDocument, revised } from '../../src/patent/revision.js';
import fc from '../property.js';

const ep = (kind: string, fields: Partial<Patent> = {}): Patent => ({
  patent_id: `EP01234567${kind}`,
  country: 'EP',
  number: '01234567',
  kind_code: kind,
  ...fields,
});

/** What some publications become that arrive one after the other, as an ingest merges them. */
function arrived(patents: readonly Patent[]): Patent[] {
  let stored: Patent[] = [];
  for (const patent of patents) {
    const same = stored.filter((other) => isSameDocument(other, patent));
    const merged = same.reduce((result, other) => revised(other, result), patent);
    stored = [...stored.filter((other) => !same.includes(other)), merged];
  }
  return stored.sort((a, b) => (a.patent_id < b.patent_id ? -1 : 1));
}

describe('revision', () => {
  it('a complete record replaces a complete one entirely', () => {
    const later = ep('A1', { title: 'Lid' });
    assert.equal(revised(ep('A1', { title: 'Cover', abstract: 'A cover.' }), later), later);
  });

  it('a part fills the gaps of a complete record, in either order', () => {
    const whole = ep('A1', {
      ...{ language: 'de', title: 'DECKEL', claims: [{ number: 1, text: 'Deckel.' }] },
      ...{ family_id: 'DE102020', family_derived: true, applicants: [{ name: 'Müller GmbH' }] },
    });
    const part = ep('A1', {
      ...{ partial: true, language: 'en', title: 'Lid', abstract: 'A lid.', family_id: '4711' },
      ...{ applicants: [{ name: 'MUELLER GMBH' }], cpc_codes: ['B65D 1/00'] },
    });
    const expected = ep('A1', {
      ...{ language: 'de', title: 'DECKEL', titles: { en: 'Lid' }, abstracts: { en: 'A lid.' } },
      ...{ claims: [{ number: 1, text: 'Deckel.' }], applicants: [{ name: 'Müller GmbH' }] },
      ...{ family_id: '4711', cpc_codes: ['B65D 1/00'] },
      filled: ['abstracts.en', 'cpc_codes', 'family_id', 'titles.en'],
    });
    assert.deepEqual(revised(whole, part), expected);
    assert.deepEqual(revised(part, whole), expected);
  });

  it('a derived family stays marked, and gives way to that of a later complete record', () => {
    const whole = ep('A1', { title: 'Lid' });
    const part = ep('A1', { partial: true, family_id: 'EP01', family_derived: true });
    const filled = revised(whole, part);
    assert.deepEqual([filled.family_id, filled.family_derived], ['EP01', true]);
    const later = ep('A1', { title: 'Lid', family_id: 'US02', family_derived: true });
    assert.deepEqual(
      [revised(filled, later)].map(({ family_id, family_derived }) => [family_id, family_derived]),
      [['US02', true]],
    );
    const again = revised(filled, { ...part, abstract: 'A lid.' });
    assert.deepEqual([again.family_id, again.family_derived], ['EP01', true]);
    const told = revised(filled, ep('A1', { partial: true, family_id: '4711' }));
    assert.deepEqual([told.family_id, told.family_derived], ['4711', undefined]);
  });

  it('the later of two parts takes precedence in common fields, and the result is a part', () => {
    const claims = ep('A1', { partial: true, language: 'de', claims: [{ number: 1, text: 'Deckel.' }] });
    const front = ep('A1', { partial: true, language: 'en', title: 'Lid', titles: { de: 'Deckel' } });
    const expected = ep('A1', {
      ...{ partial: true, language: 'de', title: 'Deckel', titles: { en: 'Lid' } },
      claims: [{ number: 1, text: 'Deckel.' }],
    });
    assert.deepEqual(revised(claims, front), expected);
    assert.deepEqual(revised(front, claims), expected);
    const newer = ep('A1', { partial: true, language: 'en', title: 'Cover' });
    assert.equal(revised(ep('A1', { partial: true, language: 'en', title: 'Lid' }), newer).title, 'Cover');
  });

  it('a correction takes precedence, keeps fields that it lacks, and names the corrected publication', () => {
    const grant = ep('B1', {
      ...{ title: 'Lid', inventors: [{ name: 'Mayer' }], claims: [{ number: 1, text: 'A lid.' }] },
      ...{ publication_date: '2010-01-06', grant_date: '2010-01-06' },
    });
    const frontPage = ep('B8', {
      title: 'Lid',
      inventors: [{ name: 'Meyer' }],
      publication_date: '2010-05-05',
    });
    const expected = ep('B8', {
      ...{ title: 'Lid', inventors: [{ name: 'Meyer' }], claims: [{ number: 1, text: 'A lid.' }] },
      ...{ publication_date: '2010-05-05', grant_date: '2010-01-06', corrects: ['EP01234567B1'] },
      filled: ['claims', 'grant_date'],
    });
    assert.deepEqual(revised(grant, frontPage), expected);
    assert.deepEqual(revised(frontPage, grant), expected, 'also when the grant is read after its correction');

    const reprint = ep('B9', {
      title: 'Lid',
      claims: [{ number: 1, text: 'A lid of tin.' }],
      publication_date: '2011-02-02',
    });
    const both = revised(expected, reprint);
    assert.deepEqual(both.corrects, ['EP01234567B1', 'EP01234567B8']);
    assert.deepEqual([both.patent_id, both.claims?.[0]?.text], ['EP01234567B9', 'A lid of tin.']);
    assert.deepEqual(both.inventors, [{ name: 'Meyer' }]);
  });

  it('a third version keeps the fields of a part, but none of the replaced record', () => {
    const first = ep('A1', { title: 'Lid', abstract: 'Old.', applicants: [{ name: 'A' }] });
    const part = ep('A1', {
      partial: true,
      language: 'en',
      titles: { de: 'Deckel' },
      cpc_codes: ['B65D 1/00'],
    });
    const second = revised(first, part);
    const third = revised(second, ep('A1', { title: 'Cover' }));
    assert.deepEqual(third.titles, { de: 'Deckel' });
    assert.deepEqual([third.title, third.cpc_codes], ['Cover', ['B65D 1/00']]);
    assert.deepEqual([third.abstract, third.applicants], [undefined, undefined], 'gone from the publication');
    const later = revised(third, ep('A1', { partial: true, cpc_codes: ['B65D 2/00'] }));
    assert.deepEqual(later.cpc_codes, ['B65D 2/00'], 'a later part takes precedence over an earlier one');
    assert.deepEqual([later.title, later.titles], ['Cover', { de: 'Deckel' }]);
  });

  it('a correction that is read again keeps the corrected data, and the corrected publication may be read again', () => {
    const grant = ep('B1', {
      title: 'Lid',
      claims: [{ number: 1, text: 'A lid.' }],
      inventors: [{ name: 'Mayer' }],
    });
    const front = ep('B8', { title: 'Lid', inventors: [{ name: 'Meyer' }] });
    const reprint = ep('B9', { title: 'Lid', publication_date: '2011-02-02' });
    const both = revised(grant, front);
    const again = revised(both, ep('B8', { title: 'LID', inventors: [{ name: 'Meier' }] }));
    assert.deepEqual([again.title, again.inventors], ['LID', [{ name: 'Meier' }]]);
    assert.deepEqual([again.claims?.[0]?.text, again.corrects], ['A lid.', ['EP01234567B1']]);
    const clearer = { ...grant, claims: [{ number: 1, text: 'A lid of tin.' }] };
    const mended = revised(again, clearer);
    assert.deepEqual([mended.claims?.[0]?.text, mended.inventors], ['A lid of tin.', [{ name: 'Meier' }]]);
    const all = revised(revised(both, reprint), clearer);
    assert.deepEqual(
      all.inventors,
      [{ name: 'Meyer' }],
      'the first correction, not the corrected publication',
    );
  });

  it('two merged records of one correction are one, found under the numbers of both', () => {
    const correction = ep('A9', { title: 'Lid' });
    const one = revised(ep('A1', { claims: [{ number: 1, text: 'A lid.' }] }), correction);
    const two = revised(ep('A2', { inventors: [{ name: 'Mayer' }], abstract: 'A lid.' }), correction);
    const expected = ep('A9', {
      ...{ title: 'Lid', abstract: 'A lid.', claims: [{ number: 1, text: 'A lid.' }] },
      ...{ inventors: [{ name: 'Mayer' }], corrects: ['EP01234567A1', 'EP01234567A2'] },
      filled: ['abstract', 'claims', 'inventors'],
    });
    assert.deepEqual(revised(one, two), expected);
    assert.deepEqual(revised(two, one), expected);
    assert.deepEqual(
      revised(ep('A2', { inventors: [{ name: 'Mayer' }], abstract: 'A lid.' }), one),
      expected,
    );
    const again = revised(expected, ep('A2', { inventors: [{ name: 'Meyer' }], abstract: 'A tin lid.' }));
    assert.deepEqual([again.inventors, again.abstract], [[{ name: 'Meyer' }], 'A tin lid.']);
  });

  it('only kinds of one letter belong together, and a search report is separate', () => {
    assert.ok(isSameDocument(ep('A9'), ep('A2')));
    assert.ok(!isSameDocument(ep('A1'), ep('A2')), 'neither corrects the other');
    assert.ok(!isSameDocument(ep('B9'), ep('A1')));
    assert.ok(!isSameDocument(ep('A9'), ep('A3')));
    assert.ok(!isSameDocument(ep('A9'), { ...ep('A1'), country: 'US' }));
  });

  it('a patent amended after a correction is a document of its own', () => {
    const dated = (kind: string, publication_date: string): Patent => ep(kind, { publication_date });
    assert.ok(isSameDocument(dated('B9', '2004-05-05'), dated('B1', '2003-01-01')));
    assert.ok(!isSameDocument(dated('B9', '2004-05-05'), dated('B2', '2006-03-01')));
    assert.ok(!isSameDocument(dated('B3', '2006-03-01'), dated('B8', '2004-05-05')));
    assert.ok(isSameDocument(dated('B9', '2006-06-07'), dated('B2', '2006-03-01')));
    assert.ok(isSameDocument(ep('B9'), dated('B1', '2003-01-01')), 'without a day, the patent as granted');
    assert.ok(!isSameDocument(ep('B9'), dated('B2', '2006-03-01')));
    assert.ok(!isSameDocument(dated('B9', '2004-05-05'), ep('B3')));
    const known = { ...dated('B9', '2006-06-07'), corrects: ['EP01234567B2'] };
    assert.ok(isSameDocument(known, ep('B2')), 'a part of what it is known to correct');
    const us = (kind_code: string): Patent => ({
      ...ep(kind_code),
      country: 'US',
      patent_id: `US1${kind_code}`,
    });
    assert.ok(isSameDocument(us('B9'), us('B2')), 'elsewhere B2 is the patent as granted');
  });

  it('corrections and amended patents become the same records in any order', () => {
    const year = fc.integer({ min: 2003, max: 2007 });
    const days = fc.record({
      B1: year,
      B2: year,
      B3: year,
      correction: year,
      kind: fc.constantFrom('B8', 'B9'),
    });
    fc.assert(
      fc.property(
        days,
        fc.boolean(),
        fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        (drawn, whole, keys) => {
          const [first, second, third] = [drawn.B1, drawn.B2, drawn.B3].sort();
          const issued = [`B1 ${first}-01-01`, `B2 ${second}-02-01`, `B3 ${third}-03-01`];
          const all = [...issued, `${drawn.kind} ${drawn.correction}-06-01`].map((text): Patent => {
            const [kind = '', publication_date = ''] = text.split(' ');
            const claims = whole || issued.includes(text) ? { claims: [{ number: 1, text: kind }] } : {};
            return ep(kind, { title: kind, publication_date, ...claims });
          });
          const shuffled = all.map((patent, n) => ({ patent, key: keys[n]! })).sort((a, b) => a.key - b.key);
          const found = arrived(shuffled.map(({ patent }) => patent));
          assert.deepEqual(found, arrived(all));
          const { publication_date: corrected = '' } = all[3]!;
          const before = all.slice(0, 3).filter(({ publication_date = '' }) => publication_date <= corrected);
          const correction = found.find(({ kind_code }) => kind_code === drawn.kind);
          assert.deepEqual(
            correction?.corrects ?? [],
            before.map(({ patent_id }) => patent_id),
          );
          assert.equal(found.length, 4 - before.length);
          const expected = whole ? drawn.kind : before.at(-1)?.kind_code;
          assert.equal(correction?.claims?.[0]?.text, expected, 'those of the last one before it');
        },
      ),
    );
  });

  it('a Japanese translation is one document under T and A, and T leads', () => {
    const jp = (number: string, kind_code: string, fields: Partial<Patent> = {}): Patent => ({
      ...{ patent_id: `JP${number}${kind_code}`, country: 'JP', number, kind_code },
      ...fields,
    });
    assert.ok(isSameDocument(jp('30524120', 'T'), jp('30524120', 'A')));
    assert.ok(!isSameDocument(jp('30024120', 'T'), jp('30024120', 'A')), 'no number of a translation');
    assert.ok(!isSameDocument(jp('30524120', 'T'), jp('30524120', 'A1')));
    assert.ok(!isSameDocument(jp('30524120', 'T'), jp('30524120', 'B2')));
    const gazette = jp('30524120', 'T', { language: 'ja', title: '電池', publication_date: '2018-08-30' });
    const docdb = jp('30524120', 'A', {
      partial: true,
      language: 'en',
      title: 'BATTERY',
      family_id: '22345678',
    });
    const expected = jp('30524120', 'T', {
      ...{ language: 'ja', title: '電池', titles: { en: 'BATTERY' }, publication_date: '2018-08-30' },
      ...{ family_id: '22345678', corrects: ['JP30524120A'], filled: ['family_id', 'titles.en'] },
    });
    assert.deepEqual(revised(gazette, docdb), expected);
    assert.deepEqual(revised(docdb, gazette), expected);
    assert.deepEqual(revised(expected, docdb), expected, 'read again');
  });

  it('no text is lost, and a part merged again changes nothing', () => {
    const language = fc.constantFrom('en', 'de', 'fr');
    const texts = fc.dictionary(language, fc.constantFrom('x', 'y'), { maxKeys: 3 });
    const record = fc
      .record({ language, titles: texts, abstracts: texts, own: fc.boolean(), text: fc.boolean() })
      .map(({ language: own, titles, abstracts, text, own: has }): Patent => {
        const { [own]: title, ...otherTitles } = titles;
        const { [own]: abstract, ...otherAbstracts } = abstracts;
        return ep('A1', {
          ...{ language: own, titles: otherTitles, abstracts: otherAbstracts, partial: true },
          ...(title === undefined ? {} : { title }),
          ...(abstract === undefined ? {} : { abstract }),
          ...(text && has ? { claims: [{ number: 1, text: own }] } : {}),
        });
      });
    const languages = (
      patent: Patent,
      single: 'title' | 'abstract',
      many: 'titles' | 'abstracts',
    ): string[] =>
      [
        ...Object.keys(patent[many] ?? {}),
        ...(patent[single] === undefined ? [] : [patent.language ?? '']),
      ].sort();
    fc.assert(
      fc.property(record, record, (a, b) => {
        const both = revised(a, b);
        for (const [single, many] of [
          ['title', 'titles'],
          ['abstract', 'abstracts'],
        ] as const) {
          const expected = [
            ...new Set([...languages(a, single, many), ...languages(b, single, many)]),
          ].sort();
          assert.deepEqual(languages(both, single, many), expected);
        }
        assert.deepEqual(revised(both, b), both);
      }),
    );
  });
});
