/**
 * The series of a US application number, for sources that state the serial number alone: the EPO prints `516238 P`, DOCDB writes
 * `US20100942680`, for 60/516,238 and 12/942,680. A series holds a million serial numbers and is given out in order, so the day
 * tells which series it was.
 */

/** A day, and the thousands of the number that was given then, with its series: 10346 stands for 10/346,000. */
type Given = readonly [day: string, thousands: number];

/** From 1995 on, numbers as publications state them; before, the years in which a series began. Until 1987 a series ended before it was full. */
const APPLICATIONS: readonly Given[] = [
  ['1948-01-01', 3000],
  ['1959-12-31', 3862],
  ['1960-01-01', 4000],
  ['1969-12-31', 4889],
  ['1970-01-01', 5000],
  ['1978-12-31', 5973],
  ['1979-01-01', 6000],
  ['1986-12-31', 6946],
  ['1987-01-01', 7000],
  ['1992-12-31', 7998],
  ['1993-01-04', 8000],
  ['1995-12-29', 8580],
  ['1997-12-31', 8999],
  ['1999-06-30', 9343],
  ['2000-06-09', 9590],
  ['2001-09-17', 9953],
  ['2003-01-17', 10346],
  ['2004-01-14', 10757],
  ['2004-11-18', 10991],
  ['2006-01-05', 11326],
  ['2007-12-17', 12000],
  ['2009-01-16', 12355],
  ['2010-01-25', 12693],
  ['2010-12-10', 12964],
  ['2012-01-12', 13349],
  ['2013-08-20', 13970],
  ['2014-06-26', 14315],
];

/** Provisional applications exist since 1995-06-08. */
const PROVISIONALS: readonly Given[] = [
  ['1995-06-08', 60000],
  ['1997-09-30', 60060],
  ['1999-04-06', 60128],
  ['2000-04-10', 60196],
  ['2001-06-14', 60298],
  ['2003-01-16', 60440],
  ['2003-12-30', 60533],
  ['2004-11-16', 60628],
  ['2005-11-07', 60734],
  ['2006-09-29', 60848],
  ['2007-11-05', 61000],
  ['2009-04-01', 61166],
  ['2010-02-18', 61306],
  ['2011-03-18', 61454],
  ['2012-01-26', 61591],
  ['2013-01-23', 61756],
  ['2014-05-20', 62000],
  ['2015-01-22', 62106],
  ['2016-01-15', 62280],
  ['2017-01-27', 62451],
  ['2018-01-12', 62617],
  ['2019-01-18', 62794],
  ['2020-03-26', 63000],
  ['2021-02-05', 63146],
];

const SERIES = 1_000_000;
/** Largest distance between a number and the one expected on its day. Numbers are given to mail rooms in blocks. */
const NEAR = 120_000;

/** The number with its series that was given on a day, by the known days around it. */
function expectedOn(day: string, given: readonly Given[]): number | undefined {
  const next = given.findIndex(([known]) => known >= day);
  const [after, before] = [given[next], given[Math.max(next - 1, 0)]];
  if (after === undefined || before === undefined || before[0] > day) return undefined;
  const [from, to, at] = [before[0], after[0], day].map((known) => Date.parse(known)) as [
    number,
    number,
    number,
  ];
  const share = to === from ? 0 : (at - from) / (to - from);
  return 1000 * (before[1] + share * (after[1] - before[1]));
}

/**
 * The number with its series, 8 digits. `undefined` if the serial number does not fit the day: it is no number of such an
 * application, or the day is not its own.
 * @param day `YYYY-MM-DD`
 */
export function usNumberWithSeries(serial: number, day: string, isProvisional: boolean): string | undefined {
  const expected = expectedOn(day, isProvisional ? PROVISIONALS : APPLICATIONS);
  if (expected === undefined) return undefined;
  const number = Math.round((expected - serial) / SERIES) * SERIES + serial;
  return Math.abs(number - expected) <= NEAR ? String(number).padStart(8, '0') : undefined;
}

/**
 * EPODOC's form of a number in DOCDB's, which until 2013 has the year behind the serial number: `94268010` of kind A is
 * `20100942680A`. `undefined` if the year of the day is not behind the number.
 */
export function usNumberOfDocdb(number: string, kind: string, day: string | undefined): string | undefined {
  if (day === undefined || !/^\d{3,8}$/.test(number) || !number.endsWith(day.slice(2, 4))) return undefined;
  return `${day.slice(0, 4)}0${number.slice(0, -2).padStart(6, '0')}${kind.slice(0, 1)}`;
}
