/**
 * What a patent publication is, once read. The field names are those of the specification and of the
 * project's JSON Lines, so one record in a `.jsonl` file is this type written out. A field that the source
 * lacks is absent, never guessed. Dates are `YYYY-MM-DD`.
 */
import type { Country } from './country.js';

/** A person or company, in the language of the publication and, where the source gives it, in English. */
export interface Name {
  name: string;
  name_en?: string;
}

export interface Claim {
  /** As printed, from 1. */
  number: number;
  text: string;
  /** Numbers of the claims it refers to, as the source marks them or its text names them; absent on an independent claim. */
  depends_on?: number[];
}

/** What a publication cites: a patent document (`country`, `number`), or other literature (`text`). */
export interface Citation {
  /** The cited publication as this project names it, where its office is one of the five and its kind is known. */
  patent_id?: string;
  /** Two letters; any office of the world. */
  country?: string;
  /** As `Patent.number` where the office is one of the five, else as the source writes it. */
  number?: string;
  kind?: string;
  /** As the office marks it: `X`, `Y`, `A`, `D`, … */
  category?: string;
  cited_by?: 'examiner' | 'applicant';
  /** The reference as printed, where it is no patent document. */
  text?: string;
}

/** An earlier application whose date is claimed: a foreign priority, a provisional, a parent. */
export interface Priority {
  /** Two letters; any office of the world, `WO` for an international application. Absent if nobody knows the source's name of it. */
  country?: string;
  /** In the form of `application_number`. */
  number: string;
  date?: string;
}

/** The international application or publication that a national one rests on. */
export interface InternationalStage {
  /** `PCT/KR2018/016728` of an application, `WO2019135546` of a publication. */
  number: string;
  date?: string;
}

/** What the office says of a right, in its own words: `등록`. */
export interface LegalStatus {
  status: string;
  /** Since when. */
  date?: string;
}

export interface Paragraph {
  /** The office's paragraph number (`[0012]` is 12), where the source numbers its paragraphs. */
  number?: number;
  text: string;
}

export interface Section {
  /** The document's own heading; `Description` where it has none. */
  section: string;
  paragraphs: Paragraph[];
}

export interface Drawing {
  /** File name the office uses, for instance `US20250204297A1-20250626-D00001.TIF`. No folder. */
  file: string;
  /** Figure label as printed, for instance `FIG. 1` or `도 1`. */
  label?: string;
  /** What an image within the text shows; absent on a figure. Such an image may be missing where its document is. */
  content?: 'chemistry' | 'mathematics';
  /** True on the one drawing the office names as representative. */
  representative?: boolean;
}

/** One publication: an application (A, A1, …), a grant (B1, …), a utility model or a design. */
export interface Patent {
  /** country + number + kind_code, for instance `KR1020200104349A`; unique. */
  patent_id: string;
  country: Country;
  /** Publication number in the KIPRIS form: digits only (a design or plant may carry letters). */
  number: string;
  kind_code: string;
  /** ISO 639-1 language of title and text. */
  language?: string;
  title?: string;
  /** Title in other languages, by ISO 639-1 code. */
  titles?: Record<string, string>;
  abstract?: string;
  /** Abstract in other languages, by ISO 639-1 code. */
  abstracts?: Record<string, string>;
  claims?: Claim[];
  /** Claims in other languages, by ISO 639-1 code. */
  translated_claims?: Record<string, Claim[]>;
  description?: Section[];
  /** Description in other languages, by ISO 639-1 code. */
  descriptions?: Record<string, Section[]>;
  filing_date?: string;
  publication_date?: string;
  grant_date?: string;
  priority_date?: string;
  applicants?: Name[];
  inventors?: Name[];
  /** Attorneys and firms that represent the applicants. */
  agents?: Name[];
  examiners?: Name[];
  /** Full codes as `H01M 10/0525`. */
  ipc_codes?: string[];
  cpc_codes?: string[];
  /** Japanese FI, as `E04D 13/064 501A`. */
  fi_codes?: string[];
  /** Japanese F-terms: theme and term, as `2E108AA01`. */
  f_terms?: string[];
  /** Classes of the former US classification, as `435/320.1`. */
  uspc_codes?: string[];
  /** Locarno classes of designs, as `14-01`. */
  locarno_codes?: string[];
  /** Normalised application number: for KR the 13 digits; links an application with its grant. */
  application_number?: string;
  pct_application?: InternationalStage;
  pct_publication?: InternationalStage;
  legal_status?: LegalStatus;
  family_id?: string;
  /** True where family_id was derived from the earliest priority instead of given by the source. */
  family_derived?: boolean;
  drawings?: Drawing[];
  /**
   * True where the source holds a part of the publication, bibliographic data or text alone: it completes
   * what is stored instead of replacing it (see `revision.ts`).
   */
  partial?: boolean;
  /** patent_ids of the publications that this one, a correction, has taken the place of. */
  corrects?: string[];
  /**
   * Fields (`claims`, `titles.en`) that fill gaps of this publication: from parts of it, or from what it corrects. The
   * ingest's own (see `revision.ts`); no source states it.
   */
  filled?: string[];
  /** In the order of the document. */
  priorities?: Priority[];
  citations?: Citation[];
}

/** The titles of a publication in all its languages, each once, a line each. */
export function titlesOf({ title, titles }: Pick<Patent, 'title' | 'titles'>): string {
  const all = [title, ...Object.values(titles ?? {})].filter((text) => text?.trim());
  return [...new Set(all)].join('\n');
}
