/** A publication as an application hands it over: what a line of JSON Lines holds, as a type. */
import type { Citation, Claim, Drawing, Name, Paragraph, Priority } from '../patent/record.js';

/** A value that may be absent: `null` and `undefined` mean the same as leaving the field out. */
type Maybe<T> = T | null | undefined;

/** One name, or a list of names. A list may mix plain texts and objects. */
export type NamesInput = string | readonly (string | Name)[];

/** Claims in order. Plain texts are numbered from 1. */
export type ClaimsInput = readonly (string | Claim)[];

/** One section of a description. */
export interface SectionInput {
  /** Heading of the section. Default: `Description`. */
  section?: string | undefined;
  /** Paragraphs in order, with the office's numbers if there are any. */
  paragraphs: readonly (string | Paragraph)[];
}

/** One text, whose lines become paragraphs, or sections under their headings. */
export type DescriptionInput = string | readonly SectionInput[];

/**
 * One publication to be ingested. Required: a number (`patent_id`, `publication_number` or `number`), `country` and
 * `kind_code` unless the number tells them, and one text (`title`, `abstract`, `claims` or `description`). Dates are
 * `YYYY-MM-DD`. Fields whose names begin with an underscore are ignored; other unknown fields are refused.
 *
 * Every `Patent` that an index gives out is a `PatentInput`.
 */
export interface PatentInput {
  /** Country, number and kind code, for instance `KR1020200104349A`. */
  patent_id?: Maybe<string>;
  /** Publication number in any spelling of the office, for instance `US 9,971,313 B2`. Read if `patent_id` is absent. */
  publication_number?: Maybe<string>;
  /** Publication number without country and kind code, for instance `09971313`. Read if the two above are absent. */
  number?: Maybe<string>;
  /** `US`, `KR`, `JP`, `CN` or `EP`. A publication of another office is skipped. */
  country?: Maybe<string>;
  /** Kind code, for instance `A1` or `B2`. */
  kind_code?: Maybe<string>;
  /** ISO 639-1 code of the language of title and texts, for instance `ko`. */
  language?: Maybe<string>;
  /** Title in the language of the publication. */
  title?: Maybe<string>;
  /** Titles in other languages, by ISO 639-1 code. */
  titles?: Maybe<Readonly<Record<string, string>>>;
  /** Abstract in the language of the publication. */
  abstract?: Maybe<string>;
  /** Abstracts in other languages, by ISO 639-1 code. */
  abstracts?: Maybe<Readonly<Record<string, string>>>;
  /** Claims in the language of the publication. */
  claims?: Maybe<ClaimsInput>;
  /** Claims in other languages, by ISO 639-1 code. */
  translated_claims?: Maybe<Readonly<Record<string, ClaimsInput>>>;
  /** Description in the language of the publication. */
  description?: Maybe<DescriptionInput>;
  /** Descriptions in other languages, by ISO 639-1 code. */
  descriptions?: Maybe<Readonly<Record<string, DescriptionInput>>>;
  /** Day of filing, `YYYY-MM-DD`. */
  filing_date?: Maybe<string>;
  /** Day of publication, `YYYY-MM-DD`. */
  publication_date?: Maybe<string>;
  /** Day of grant, `YYYY-MM-DD`. */
  grant_date?: Maybe<string>;
  /** Day of the earliest priority, `YYYY-MM-DD`. */
  priority_date?: Maybe<string>;
  /** Applicants or assignees. */
  applicants?: Maybe<NamesInput>;
  /** Inventors. */
  inventors?: Maybe<NamesInput>;
  /** IPC codes, for instance `H01M 10/0525`. */
  ipc_codes?: Maybe<readonly string[]>;
  /** CPC codes, for instance `H01M 10/0525`. */
  cpc_codes?: Maybe<readonly string[]>;
  /** Locarno classes of a design, for instance `14-01`. */
  locarno_codes?: Maybe<readonly string[]>;
  /** Application number in any spelling of the office. It links an application with its grant. */
  application_number?: Maybe<string>;
  /** Id that all publications of one invention share. */
  family_id?: Maybe<string>;
  /** True if `family_id` was derived and not stated by an office. */
  family_derived?: Maybe<boolean>;
  /** Drawings by the office's file names. The images come from files, not from records. */
  drawings?: Maybe<readonly Drawing[]>;
  /** True if this is a part of the publication, which completes what is stored instead of replacing it. */
  partial?: Maybe<boolean>;
  /** patent_ids of the publications that this one, a correction, takes the place of. */
  corrects?: Maybe<readonly string[]>;
  /** Names of fields that were filled in from other sources, as a `Patent` of an index carries them. */
  filled?: Maybe<readonly string[]>;
  /** Earlier applications whose date is claimed. */
  priorities?: Maybe<readonly Priority[]>;
  /** What the publication cites. Each has `patent_id`, or `country` and `number`, or `text`. */
  citations?: Maybe<readonly Citation[]>;
}

/** Records for an ingest. They are taken one by one, only as fast as they are stored. */
export type PatentRecords = Iterable<PatentInput> | AsyncIterable<PatentInput>;
