/**
 * The record of a patent publication. Its field names are those of the specification and of the project's
 * JSON Lines: a line of a `.jsonl` file is this type in JSON. A field that the source lacks is absent, never
 * guessed. Dates are `YYYY-MM-DD`.
 */
import type { Country } from './country.js';

/** A person or company, in the language of the publication and, if the source has it, in Latin script. */
export interface Name {
  /** Name as printed, in the language of the publication. */
  name: string;
  /** Name in Latin script. */
  name_en?: string;
}

/** One claim. */
export interface Claim {
  /** Number as printed, from 1. */
  number: number;
  /** Text of the claim, without its number. */
  text: string;
  /**
   * Numbers of the claims that this one refers to, as marked in the source and named in the text. Absent on an
   * independent claim.
   */
  depends_on?: number[];
}

/** A citation: a patent document (`country`, `number`), or other literature (`text`). */
export interface Citation {
  /** Identity of the cited publication, if its office is one of the five and its kind is known. */
  patent_id?: string;
  /** Two-letter code of any office. */
  country?: string;
  /**
   * In the form of `Patent.number` if the office is one of the five, else as the source writes it. A Japanese number without a
   * kind keeps the letter of its era if a registration may have the same digits: `H05160085`.
   */
  number?: string;
  /** Kind code as the source writes it. */
  kind?: string;
  /** Category of the office: `X`, `Y`, `A`, `D`, … */
  category?: string;
  /** Who named the citation. */
  cited_by?: 'examiner' | 'applicant';
  /** The reference as printed, if it is not a patent document. */
  text?: string;
}

/** An earlier application whose date is claimed: a foreign priority, a provisional, a parent. */
export interface Priority {
  /**
   * Two-letter code of any office; `WO` for an international application. Absent if the source names an
   * unknown office.
   */
  country?: string;
  /** In the form of `application_number`. */
  number: string;
  /** Day of filing, `YYYY-MM-DD`. */
  date?: string;
}

/** The international application or publication on which a national one is based. */
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
  /** The office's paragraph number (`[0012]` is 12), if the source has numbers. */
  number?: number;
  /** Text of the paragraph, without its number. */
  text: string;
}

/** One section of a description. */
export interface Section {
  /** The document's own heading; `Description` if it has none. */
  section: string;
  /** Paragraphs in order. */
  paragraphs: Paragraph[];
}

/** A drawing of a publication. */
export interface Drawing {
  /** File name from the office, without a folder, such as `US20250204297A1-20250626-D00001.TIF`. */
  file: string;
  /** Figure label as printed, such as `FIG. 1` or `도 1`. */
  label?: string;
  /**
   * Content of an image within the text; absent on a figure. The file of such an image may be missing from
   * its source.
   */
  content?: 'chemistry' | 'mathematics';
  /** True on the drawing that the office names as representative. */
  representative?: boolean;
}

/** One publication: an application (A, A1, …), a grant (B1, …), a utility model or a design. */
export interface Patent {
  /** country + number + kind_code, such as `KR1020200104349A`. Unique. */
  patent_id: string;
  /** Office of the publication. */
  country: Country;
  /** Publication number in the KIPRIS form: digits; designs and plants may have letters. */
  number: string;
  /** Kind code, such as `A1`. */
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
  /** IPC codes, such as `H01M 10/0525`. */
  ipc_codes?: string[];
  /** CPC codes, in the form of `ipc_codes`. */
  cpc_codes?: string[];
  /** Japanese FI codes, such as `E04D 13/064 501A`. */
  fi_codes?: string[];
  /** Japanese F-terms: theme and term, such as `2E108AA01`. */
  f_terms?: string[];
  /** Classes of the former US classification, such as `435/320.1`. */
  uspc_codes?: string[];
  /** Locarno classes of designs, such as `14-01`. */
  locarno_codes?: string[];
  /** Normalised application number, which links an application with its grant. For KR, 13 digits. */
  application_number?: string;
  /** International (PCT) application on which a national one is based. */
  pct_application?: InternationalStage;
  /** Publication of the international application. */
  pct_publication?: InternationalStage;
  /** Legal status of the right and its date. */
  legal_status?: LegalStatus;
  /** Id that all publications of one invention share. */
  family_id?: string;
  /** True if family_id was derived from the earliest priority instead of given by the source. */
  family_derived?: boolean;
  /** Drawings that the publication names, in order. */
  drawings?: Drawing[];
  /**
   * True if the source has only a part of the publication, such as its bibliographic data or its text. It
   * completes the stored record instead of replacing it (see `revision.ts`).
   */
  partial?: boolean;
  /** patent_ids of the publications that this correction replaces, or of the same publication under another kind (JP A of T). */
  corrects?: string[];
  /**
   * Fields (`claims`, `titles.en`) that were filled from parts of the publication, or from the publication it
   * corrects. Set by the ingest (see `revision.ts`); sources do not have it, except an export.
   */
  filled?: string[];
  /** Claimed priorities, in the order of the document. */
  priorities?: Priority[];
  /** Cited documents. */
  citations?: Citation[];
}

/** Distinct titles of a publication in all its languages, one per line. */
export function titlesOf({ title, titles }: Pick<Patent, 'title' | 'titles'>): string {
  const all = [title, ...Object.values(titles ?? {})].filter((text) => text?.trim());
  return [...new Set(all)].join('\n');
}
