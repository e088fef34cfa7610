/**
 * What a patent publication is, once read. The field names are those of the specification and of the
 * project's JSON Lines, so one record in a `.jsonl` file is this type written out. A field that the source
 * lacks is absent, never guessed. Dates are `YYYY-MM-DD`.
 */
import type { Country } from './country.js';

/** A person or company, in the language of the publication and, where the source gives it, in English. */
export interface Name {
  /** Name as printed, in the language of the publication. */
  name: string;
  /** Name in Latin script. */
  name_en?: string;
}

/** One claim. */
export interface Claim {
  /** As printed, from 1. */
  number: number;
  /** Text of the claim, without its number. */
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
  /** Kind code as the source writes it. */
  kind?: string;
  /** As the office marks it: `X`, `Y`, `A`, `D`, … */
  category?: string;
  /** Who cites it. */
  cited_by?: 'examiner' | 'applicant';
  /** The reference as printed, where it is no patent document. */
  text?: string;
}

/** An earlier application whose date is claimed: a foreign priority, a provisional, a parent. */
export interface Priority {
  /** Two letters; any office of the world, `WO` for an international application. Absent if the source's name of the office is unknown. */
  country?: string;
  /** In the form of `application_number`. */
  number: string;
  /** Day of filing, `YYYY-MM-DD`. */
  date?: string;
}

/** The international application or publication that a national one rests on. */
export interface InternationalStage {
  /** `PCT/KR2018/016728` of an application, `WO2019135546` of a publication. */
  number: string;
  /** Day of filing or of publication, `YYYY-MM-DD`. */
  date?: string;
}

/** Legal status of a right, in the office's own words: `등록`. */
export interface LegalStatus {
  /** Status as the office states it. */
  status: string;
  /** Day of the status, `YYYY-MM-DD`. */
  date?: string;
}

/** One paragraph of a description. */
export interface Paragraph {
  /** The office's paragraph number (`[0012]` is 12), where the source numbers its paragraphs. */
  number?: number;
  /** Text of the paragraph, without its number. */
  text: string;
}

/** One section of a description. */
export interface Section {
  /** The document's own heading; `Description` where it has none. */
  section: string;
  /** Paragraphs in order. */
  paragraphs: Paragraph[];
}

/** A drawing that a publication names. */
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
  /** Office of the publication. */
  country: Country;
  /** Publication number in the KIPRIS form: digits only (a design or plant may carry letters). */
  number: string;
  /** Kind code, for instance `A1`. */
  kind_code: string;
  /** ISO 639-1 language of title and text. */
  language?: string;
  /** Title in the language of the publication. */
  title?: string;
  /** Title in other languages, by ISO 639-1 code. */
  titles?: Record<string, string>;
  /** Abstract in the language of the publication. */
  abstract?: string;
  /** Abstract in other languages, by ISO 639-1 code. */
  abstracts?: Record<string, string>;
  /** Claims in the language of the publication. */
  claims?: Claim[];
  /** Claims in other languages, by ISO 639-1 code. */
  translated_claims?: Record<string, Claim[]>;
  /** Description in the language of the publication. */
  description?: Section[];
  /** Description in other languages, by ISO 639-1 code. */
  descriptions?: Record<string, Section[]>;
  /** Day of filing, `YYYY-MM-DD`. */
  filing_date?: string;
  /** Day of publication, `YYYY-MM-DD`. */
  publication_date?: string;
  /** Day of grant, `YYYY-MM-DD`. */
  grant_date?: string;
  /** Day of the earliest priority, `YYYY-MM-DD`. */
  priority_date?: string;
  /** Applicants or assignees. */
  applicants?: Name[];
  /** Inventors. */
  inventors?: Name[];
  /** Attorneys and firms that represent the applicants. */
  agents?: Name[];
  /** Examiners of the office. */
  examiners?: Name[];
  /** Full codes as `H01M 10/0525`. */
  ipc_codes?: string[];
  /** CPC codes, in the form of `ipc_codes`. */
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
  /** International (PCT) application that a national one rests on. */
  pct_application?: InternationalStage;
  /** Its international publication. */
  pct_publication?: InternationalStage;
  /** Legal status of the right and its date. */
  legal_status?: LegalStatus;
  /** Id that all publications of one invention share. */
  family_id?: string;
  /** True where family_id was derived from the earliest priority instead of given by the source. */
  family_derived?: boolean;
  /** Drawings that the publication names, in order. */
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
   * ingest's own (see `revision.ts`): no office states it, only an export does.
   */
  filled?: string[];
  /** In the order of the document. */
  priorities?: Priority[];
  /** What the publication cites. */
  citations?: Citation[];
}

/** The titles of a publication in all its languages, each once, a line each. */
export function titlesOf({ title, titles }: Pick<Patent, 'title' | 'titles'>): string {
  const all = [title, ...Object.values(titles ?? {})].filter((text) => text?.trim());
  return [...new Set(all)].join('\n');
}
