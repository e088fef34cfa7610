/**
 * Types of the records for an ingest. Made by `node scripts/types.mjs` from the schemas in
 * patent-schema.ts, whose descriptions are the comments. Change those, not this file.
 */

/** A person or company. */
export interface NameInput {
  /** Name as printed, in the language of the publication. */
  name: string;
  /** Name in Latin script. */
  name_en?: string | null | undefined;
}

/** One name, or a list of names. A list may mix plain texts and objects. */
export type NamesInput = readonly (NameInput | string)[] | string;

/** One claim. */
export interface ClaimInput {
  /** As printed, from 1. */
  number: number;
  /** Text of the claim, without its number. */
  text: string;
  /** Numbers of the claims it refers to. Absent on an independent claim. */
  depends_on?: readonly number[] | null | undefined;
}

/** Claims in order. Plain texts are numbered from 1. */
export type ClaimsInput = readonly (ClaimInput | string)[];

/** One paragraph of a description. */
export interface ParagraphInput {
  /** The office's paragraph number (`[0012]` is 12), if the source numbers its paragraphs. */
  number?: number | null | undefined;
  /** Text of the paragraph, without its number. */
  text: string;
}

/** One section of a description. */
export interface SectionInput {
  /** Heading of the section. Default: "Description". */
  section?: string | null | undefined;
  /** Paragraphs in order, with the office's numbers if there are any. */
  paragraphs: readonly (ParagraphInput | string)[];
}

/** One text, whose lines become paragraphs, or sections under their headings. */
export type DescriptionInput = readonly SectionInput[] | string;

/** The international (PCT) application or publication that a national one rests on. */
export interface InternationalStageInput {
  /** `PCT/KR2018/016728` of an application, `WO2019135546` of a publication. */
  number: string;
  /** Day of filing or of publication. YYYY-MM-DD. */
  date?: string | null | undefined;
}

/** Legal status of a right. */
export interface LegalStatusInput {
  /** Status as the office states it. */
  status: string;
  /** Day of the status. YYYY-MM-DD. */
  date?: string | null | undefined;
}

/** A drawing that a publication names. */
export interface DrawingInput {
  /** File name the office uses, for instance `US20250204297A1-20250626-D00001.TIF`. No folder. */
  file: string;
  /** Figure label as printed, for instance `FIG. 1` or `도 1`. */
  label?: string | null | undefined;
  /** What an image within the text shows. Absent on a figure. */
  content?: 'chemistry' | 'mathematics' | null | undefined;
  /** True on the one drawing the office names as representative. */
  representative?: boolean | null | undefined;
}

/** An earlier application whose date is claimed: a foreign priority, a provisional, a parent. */
export interface PriorityInput {
  /** Two letters of any office of the world, `WO` for an international application. Absent if unknown. */
  country?: string | null | undefined;
  /** Application number in any spelling of the office. */
  number: string;
  /** Day of filing. YYYY-MM-DD. */
  date?: string | null | undefined;
}

/** What a publication cites. Needed: `patent_id`, or `country` and `number`, or `text`. */
export interface CitationInput {
  /** The cited publication, for instance `US09971313B2`. */
  patent_id?: string | null | undefined;
  /** Two letters of any office of the world. */
  country?: string | null | undefined;
  /** Publication number without country and kind code. */
  number?: string | null | undefined;
  /** Kind code as the source writes it. */
  kind?: string | null | undefined;
  /** Category as the office marks it: `X`, `Y`, `A`, `D`. */
  category?: string | null | undefined;
  /** Who cites it. */
  cited_by?: 'examiner' | 'applicant' | null | undefined;
  /** The reference as printed, if it is not a patent document. */
  text?: string | null | undefined;
}

/**
 * One publication to be ingested. Required: a number (`patent_id`, `publication_number` or `number`), `country` and
 * `kind_code` unless the number tells them, and one text (`title`, `abstract`, `claims` or `description`). Dates are
 * `YYYY-MM-DD`. `null` means the same as leaving a field out. Fields whose names begin with an underscore are ignored;
 * other unknown fields are refused.
 *
 * Every `Patent` that an index gives out is a `PatentInput`.
 */
export interface PatentInput {
  /** Country, number and kind code, for instance `KR1020200104349A`. */
  patent_id?: string | null | undefined;
  /** Publication number in any spelling of the office, for instance `US 9,971,313 B2`. Read if `patent_id` is absent. */
  publication_number?: string | null | undefined;
  /** Publication number without country and kind code, for instance `09971313`. Read if the two above are absent. */
  number?: string | null | undefined;
  /** `US`, `KR`, `JP`, `CN` or `EP`. Needed unless the number tells it. A publication of another office is skipped. */
  country?: string | null | undefined;
  /** Kind code, for instance `A1` or `B2`. Needed unless the number tells it. */
  kind_code?: string | null | undefined;
  /** ISO 639-1 code of the language of title and texts, for instance `ko`. */
  language?: string | null | undefined;
  /** Title in the language of the publication. */
  title?: string | null | undefined;
  /** Titles in other languages, by ISO 639-1 code. */
  titles?: Readonly<Record<string, string | null>> | null | undefined;
  /** Abstract in the language of the publication. */
  abstract?: string | null | undefined;
  /** Abstracts in other languages, by ISO 639-1 code. */
  abstracts?: Readonly<Record<string, string | null>> | null | undefined;
  /** Claims in the language of the publication. */
  claims?: ClaimsInput | null | undefined;
  /** Claims in other languages, by ISO 639-1 code. */
  translated_claims?: Readonly<Record<string, ClaimsInput | null>> | null | undefined;
  /** Description in the language of the publication. */
  description?: DescriptionInput | null | undefined;
  /** Descriptions in other languages, by ISO 639-1 code. */
  descriptions?: Readonly<Record<string, DescriptionInput | null>> | null | undefined;
  /** Day of filing. YYYY-MM-DD. */
  filing_date?: string | null | undefined;
  /** Day of publication. YYYY-MM-DD. */
  publication_date?: string | null | undefined;
  /** Day of grant. YYYY-MM-DD. */
  grant_date?: string | null | undefined;
  /** Day of the earliest priority; by default the earliest day of `priorities`. YYYY-MM-DD. */
  priority_date?: string | null | undefined;
  /** Applicants or assignees. */
  applicants?: NamesInput | null | undefined;
  /** Inventors. */
  inventors?: NamesInput | null | undefined;
  /** Attorneys and firms that represent the applicants. */
  agents?: NamesInput | null | undefined;
  /** Examiners of the office. */
  examiners?: NamesInput | null | undefined;
  /** IPC codes, for instance `H01M 10/0525`. */
  ipc_codes?: readonly string[] | null | undefined;
  /** CPC codes, for instance `H01M 10/0525`. */
  cpc_codes?: readonly string[] | null | undefined;
  /** Japanese FI, for instance `E04D 13/064 501A`. */
  fi_codes?: readonly string[] | null | undefined;
  /** Japanese F-terms: theme and term, for instance `2E108AA01`. */
  f_terms?: readonly string[] | null | undefined;
  /** Classes of the former US classification, for instance `435/320.1`. */
  uspc_codes?: readonly string[] | null | undefined;
  /** Locarno classes of a design, for instance `14-01`. */
  locarno_codes?: readonly string[] | null | undefined;
  /** Application number in any spelling of the office. It links an application with its grant. */
  application_number?: string | null | undefined;
  /** International (PCT) application that a national one rests on. */
  pct_application?: InternationalStageInput | null | undefined;
  /** Publication of the international (PCT) application. */
  pct_publication?: InternationalStageInput | null | undefined;
  /** Legal status of the right and its date. */
  legal_status?: LegalStatusInput | null | undefined;
  /** Id that all publications of one invention share. */
  family_id?: string | null | undefined;
  /** True if `family_id` was derived and not stated by an office. */
  family_derived?: boolean | null | undefined;
  /** Drawings by the office's file names. The images come from files, not from records. */
  drawings?: readonly DrawingInput[] | null | undefined;
  /** True if this is a part of the publication, which completes what is stored instead of replacing it. A part has a text, too: the title at least. */
  partial?: boolean | null | undefined;
  /** patent_ids of the publications that this one, a correction, takes the place of, or of the same publication under another kind. */
  corrects?: readonly string[] | null | undefined;
  /** Names of fields that were filled in from other sources, as a `Patent` of an index carries them. */
  filled?: readonly string[] | null | undefined;
  /** Earlier applications whose date is claimed. */
  priorities?: readonly PriorityInput[] | null | undefined;
  /** What the publication cites. Each has `patent_id`, or `country` and `number`, or `text`. */
  citations?: readonly CitationInput[] | null | undefined;
}
