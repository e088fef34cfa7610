import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COUNTRIES } from '../../src/patent/country.js';
import {
  isGrantPublication,
  kindClass,
  knownKinds,
  publicationClass,
  sameKind,
} from '../../src/patent/kind.js';

it('the kinds of every office have a class', () => {
  const classes: Record<string, string> = {
    ...{ USA1: 'application', USA2: 'application', USA9: 'application', USP1: 'application', USA: 'grant' },
    ...{
      USB1: 'grant',
      USB2: 'grant',
      USE: 'grant',
      USE1: 'grant',
      USP2: 'grant',
      USP3: 'grant',
      USH: 'grant',
    },
    ...{ USS: 'design', USS1: 'design', EPA1: 'application', EPA3: 'application', EPA9: 'application' },
    ...{ EPB1: 'grant', EPB2: 'grant', EPB9: 'grant', KRA: 'application', KRB1: 'grant', KRB: 'grant' },
    ...{
      KRU: 'utility_application',
      KRY1: 'utility_grant',
      KRS: 'design',
      JPA: 'application',
      JPT: 'application',
    },
    ...{ JPA1: 'application', JPB1: 'grant', JPB2: 'grant', JPU: 'utility_grant', JPY2: 'utility_grant' },
    ...{
      CNA: 'application',
      CNB: 'grant',
      CNC: 'grant',
      CNU: 'utility_grant',
      CNY: 'utility_grant',
      CNS: 'design',
    },
    ...{ CND: 'design', USZ7: 'other' },
  };
  for (const [code, expected] of Object.entries(classes)) {
    const country = COUNTRIES.find((name) => code.startsWith(name)) ?? 'US';
    assert.equal(kindClass(country, code.slice(2)), expected, code);
  }
});

it('grants are recognised, and every kind of the table is known', () => {
  assert.equal(isGrantPublication({ country: 'US', kind_code: 'B2', number: '09100001' }), true);
  assert.equal(isGrantPublication({ country: 'KR', kind_code: 'Y1', number: '2001305500000' }), true);
  assert.equal(isGrantPublication({ country: 'US', kind_code: 'S1', number: '0D435854' }), false);
  for (const country of COUNTRIES) {
    for (const kind of knownKinds(country)) assert.notEqual(kindClass(country, kind), 'other');
  }
});

it('a single letter matches its family of kinds', () => {
  assert.equal(sameKind('US', 'B', 'B2'), true);
  assert.equal(sameKind('US', 'B1', 'B2'), false);
  assert.equal(sameKind('JP', 'A', 'T'), true);
  assert.equal(sameKind('JP', 'T', 'A'), true);
  assert.equal(sameKind('JP', 'T', 'A1'), false);
  assert.equal(sameKind('KR', 'T', 'A'), false);
  assert.equal(sameKind('US', 'A', 'S1'), false);
});

it('JP U is a published application before 1994 and a registration since then', () => {
  const classOf = (number: string, publication_date?: string): string =>
    publicationClass({
      country: 'JP',
      kind_code: 'U',
      number,
      ...(publication_date ? { publication_date } : {}),
    });
  assert.equal(classOf('61123456', '1986-08-02'), 'utility_application');
  assert.equal(classOf('03012345', '1991-02-07'), 'utility_application', 'of Heisei 3');
  assert.equal(classOf('07012345', '1995-02-28'), 'utility_application', 'still under the old law');
  assert.equal(classOf('03012345', '1995-02-28'), 'utility_grant', 'the 12,345th registration');
  assert.equal(classOf('03206566', '2016-09-29'), 'utility_grant');
  assert.equal(classOf('03206566'), 'utility_grant');
  assert.equal(classOf('61123456'), 'utility_application');
  assert.equal(publicationClass({ country: 'CN', kind_code: 'U', number: '61123456' }), 'utility_grant');
});
