/** Generates the records of an invention: its application, possibly a grant, possibly the same at another office. */
import type { Claim, Name, Patent, Section } from '../../src/patent/record.js';
import type { Invention, Inventions, Topic } from './inventions.js';
import { applicantName, inventorName } from './names.js';
import { Alias, below, drawn, type Random, zipf } from './random.js';
import { ABROAD, GRANTED, type Measured, OFFICES, type Office, UTILITY, WITHOUT_CLAIMS } from './shape.js';
import type { TextStatistics } from './statistics.js';
import type { Texts } from './texts.js';

/** Headings of descriptions, by language. */
const HEADINGS = {
  en: ['Technical Field', 'Background', 'Summary', 'Detailed Description'],
  ko: ['기술분야', '배경기술', '발명의 내용', '발명을 실시하기 위한 구체적인 내용'],
  ja: ['技術分野', '背景技術', '発明の概要', '発明を実施するための形態'],
  zh: ['技术领域', '背景技术', '发明内容', '具体实施方式'],
};
/** Cumulative shares of the description under each heading. */
const PARTS = [0.02, 0.1, 0.28, 1];
/** Length of the title that each claim begins with, in passages. */
const CLAIMED_TITLE = 0.03;
const DAY = 86_400_000;

export class Publications {
  readonly #inventions: Inventions;
  readonly #texts: Texts;
  readonly #measured: Measured['texts'];
  readonly #offices = new Alias(OFFICES.map(({ share }) => share));
  readonly #years: { names: string[]; draw: Alias };

  constructor(inventions: Inventions, texts: Texts, measured: Measured['texts']) {
    this.#inventions = inventions;
    this.#texts = texts;
    this.#measured = measured;
    this.#years = {
      names: Object.keys(measured.filingYears),
      draw: new Alias(Object.values(measured.filingYears)),
    };
  }

  /** All publications of the nth invention. */
  of(next: Random, nth: number): Patent[] {
    const invention = this.#inventions.draw(next);
    const first = OFFICES[this.#offices.draw(next)]!;
    const found = this.#at(next, nth, first, invention);
    if (next() < ABROAD) {
      const others = OFFICES.filter((office) => office !== first);
      found.push(...this.#at(next, nth, others[below(next, others.length)]!, invention));
    }
    return found;
  }

  /** The application at an office and its grant, which has the same description but different claims. */
  #at(next: Random, nth: number, office: Office, invention: Invention): Patent[] {
    const measured = this.#measured;
    const isUtility = office.country !== 'US' && office.country !== 'EP' && next() < UTILITY;
    const filed = this.#filingDay(next);
    const full = next() < office.full;
    const { country, language } = office;
    const application = numbersOf(country, nth, new Date(filed).getUTCFullYear());
    const claimed = next() < measured.priorityShare;
    const shared: Omit<Patent, 'patent_id' | 'number' | 'kind_code'> = {
      country,
      language,
      application_number: application.application,
      family_id: `G${nth}`,
      filing_date: dayOf(filed),
      ...(claimed ? { priority_date: dayOf(filed - drawn(next, measured.priorityLag) * DAY) } : {}),
      applicants: this.#applicants(next, office, invention),
      inventors: this.#names(next, drawn(next, measured.inventors), office),
      ...this.#codes(next, invention),
      ...this.#text(next, language, invention, full ? measured.full : measured.short, full),
    };
    const kind = isUtility ? application.utility : application.kind;
    const made: Patent = {
      ...shared,
      patent_id: `${country}${application.number}${kind}`,
      number: application.number,
      kind_code: kind,
      ...(full || next() >= WITHOUT_CLAIMS
        ? { claims: this.#claims(next, language, invention, full ? measured.full : measured.short) }
        : {}),
      publication_date: dayOf(filed + drawn(next, measured.applicationLag) * DAY),
    };
    if (isUtility || next() >= GRANTED) return [made];
    const granted = dayOf(filed + drawn(next, measured.grantLag) * DAY);
    return [
      made,
      {
        ...made,
        patent_id: `${country}${application.grant}${application.grantKind}`,
        number: application.grant,
        kind_code: application.grantKind,
        ...(made.claims ? { claims: this.#granted(next, language, invention, made.claims) } : {}),
        publication_date: granted,
        grant_date: granted,
      },
    ];
  }

  #filingDay(next: Random): number {
    const year = this.#years.names[this.#years.draw.draw(next)]!;
    return Date.UTC(Number(year), 0, 1) + below(next, 365) * DAY;
  }

  #text(
    next: Random,
    language: Office['language'],
    invention: Invention,
    shape: TextStatistics,
    full: boolean,
  ): Pick<Patent, 'title' | 'abstract' | 'description'> {
    const title = this.#texts.title(next, language, invention.concepts, drawn(next, this.#measured.title));
    const abstract = this.#texts.text(next, language, invention, drawn(next, shape.abstract));
    if (!full) return { title, abstract };
    const most = drawn(next, shape.description);
    const headings = HEADINGS[language];
    const description: Section[] = headings.map((section) => ({ section, paragraphs: [] }));
    for (let filled = 0, number = 1; filled < most; number++) {
      const fill = drawn(next, shape.paragraph);
      const part = PARTS.findIndex((share) => filled <= share * most);
      description[part]!.paragraphs.push({ number, text: this.#texts.text(next, language, invention, fill) });
      filled += fill;
    }
    return { title, abstract, description: description.filter(({ paragraphs }) => paragraphs.length > 0) };
  }

  #claims(next: Random, language: Office['language'], invention: Invention, shape: TextStatistics): Claim[] {
    const count = Math.max(1, Math.round(drawn(next, shape.claims)));
    const title = this.#texts.title(next, language, invention.concepts, CLAIMED_TITLE);
    return Array.from({ length: count }, (_, n) => ({
      number: n + 1,
      // Claims repeat earlier claims with additions.
      text: `${title} ${this.#texts.text(next, language, invention, drawn(next, shape.claim))}`,
      ...(n > 0 ? { depends_on: [1] } : {}),
    }));
  }

  /** The claims after examination: fewer, and the first one is longer. */
  #granted(
    next: Random,
    language: Office['language'],
    invention: Invention,
    claims: readonly Claim[],
  ): Claim[] {
    const kept = claims.slice(0, Math.max(1, Math.ceil(claims.length * (0.5 + next() / 2))));
    const [first, ...rest] = kept;
    return [
      { ...first!, text: `${first!.text} ${this.#texts.text(next, language, invention, 0.1)}` },
      ...rest,
    ];
  }

  #applicants(next: Random, office: Office, { subclass }: Invention): Name[] {
    const count = Math.max(1, Math.round(drawn(next, this.#measured.applicants)));
    return Array.from({ length: count }, () => applicantName(next, office, subclass[0]!));
  }

  #names(next: Random, count: number, office: Office): Name[] {
    return Array.from({ length: Math.max(1, Math.round(count)) }, () => inventorName(next, office));
  }

  #codes(next: Random, invention: Invention): Pick<Patent, 'ipc_codes' | 'cpc_codes'> {
    const { ipcCodes, cpcCodes } = this.#measured;
    const codes = (count: number) => [
      ...new Set(Array.from({ length: count }, (_, n) => codeOf(next, this.#topic(next, invention, n)))),
    ];
    return {
      ipc_codes: codes(Math.max(1, Math.round(drawn(next, ipcCodes)))),
      cpc_codes: codes(Math.max(1, Math.round(drawn(next, cpcCodes)))),
    };
  }

  #topic(next: Random, invention: Invention, n: number): Topic {
    const { sameGroup, sameSubclass } = this.#measured;
    const at = n === 0 ? 0 : next();
    if (at < sameGroup) return invention;
    return this.#inventions.otherTopic(next, invention, at < sameSubclass);
  }
}

function codeOf(next: Random, { subclass, group }: Topic): string {
  return `${subclass} ${group}/${String(zipf(next, 60, 0.8, 1) * 2).padStart(2, '0')}`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Unique application and publication numbers in the format of the office. */
function numbersOf(country: Office['country'], nth: number, year: number) {
  const serial = (digits: number) => String(nth + 1).padStart(digits, '0');
  switch (country) {
    case 'KR': {
      const number = `10${year}${serial(7)}`;
      return {
        number,
        application: number,
        grant: `10${serial(7)}0000`,
        kind: 'A',
        utility: 'U',
        grantKind: 'B1',
      };
    }
    case 'US':
      return {
        number: `${year}${serial(7)}`,
        application: `18${serial(6)}`,
        grant: serial(8),
        kind: 'A1',
        utility: 'A1',
        grantKind: 'B2',
      };
    case 'JP':
      return {
        number: `${year}${serial(6)}`,
        application: `${year}${serial(6)}`,
        grant: serial(8),
        kind: 'A',
        utility: 'U',
        grantKind: 'B2',
      };
    case 'CN':
      return {
        number: `1${serial(8)}`,
        application: `${year}1${serial(7)}`,
        grant: `1${serial(8)}`,
        kind: 'A',
        utility: 'U',
        grantKind: 'B',
      };
    case 'EP':
      return {
        number: serial(8),
        application: `${year % 100}${serial(7)}`.padStart(9, '0'),
        grant: serial(8),
        kind: 'A1',
        utility: 'A1',
        grantKind: 'B1',
      };
  }
}
