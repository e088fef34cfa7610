/**
 * Types of the library's requests and answers. Made by `node scripts/types.mjs` from the schemas in
 * schema.ts and answer-schema.ts, whose descriptions are the comments. Change those, not this file.
 */

/** A search. `null` means that the field is absent. */
export interface SemanticRequest {
  /** Natural-language query in sentence form; white space around it does not count. Required unless like is given. A query that is only the number of a stored publication gives that publication first, then what is like it; one that is only an IPC or CPC code gives the documents of that class. */
  query?: string | null | undefined;
  /** Number of results. 1 to 100. Default: 10. */
  top_k?: number | null | undefined;
  /** Applications and grants (deduplicated), or one of them. Default: "all". */
  doc_type?: 'all' | 'application' | 'grant' | null | undefined;
  /** Kind codes; take priority over doc_type and include_utility_model. */
  kind_codes?: readonly string[] | null | undefined;
  /** Include utility models. Filters by number or family_id find every kind, unless kind_codes, doc_type or this field is given. Default: false. */
  include_utility_model?: boolean | null | undefined;
  /** How applicant is compared. Default: "contains". */
  applicant_match?: 'contains' | 'prefix' | 'exact' | null | undefined;
  /** Search for the applicant under its names in other languages, too, as far as the records state them. The answer lists them in applicant_names. Default: false. */
  applicant_expand?: boolean | null | undefined;
  /** Jurisdictions to search; all five when absent. */
  countries?: readonly ('US' | 'KR' | 'JP' | 'CN' | 'EP')[] | null | undefined;
  /** Applicant; case-insensitive, in any of the languages and any form of Han characters. Has a letter or digit, and is not a legal form alone. */
  applicant?: string | null | undefined;
  /** Prefix of an inventor’s name. Has a letter or digit, and is not a legal form alone. */
  inventor?: string | null | undefined;
  /** IPC code prefixes; case, white space and full-width forms do not matter. */
  ipc_codes?: readonly string[] | null | undefined;
  /** CPC code prefixes; case, white space and full-width forms do not matter. */
  cpc_codes?: readonly string[] | null | undefined;
  /** Exact publication number. */
  publication_number?: string | null | undefined;
  /** Exact application number. */
  application_number?: string | null | undefined;
  /** Exact family id. */
  family_id?: string | null | undefined;
  /** Words or phrases that a document must all hold, in its title, abstract, claims, description or names. Case, hyphens, width and forms of Han characters do not matter, nor endings of words, except in names. */
  must_terms?: readonly string[] | null | undefined;
  /** Words or phrases of which a document must hold none. */
  must_not_terms?: readonly string[] | null | undefined;
  /** A document that holds a translation of an entry of must_terms or must_not_terms holds that entry, too, if the whole entry is a term of the table of translations. Default: false. */
  translate_terms?: boolean | null | undefined;
  /** Publications that are one result: those of an application, those of a family, or none. Each result then lists its members. When absent, an application and its grant are one for doc_type all. */
  collapse?: 'none' | 'application' | 'family' | null | undefined;
  /** With collapse family: the member of the first of these countries is shown instead of the best one. The order and the scores of families stay those of their best members. */
  prefer_countries?: readonly ('US' | 'KR' | 'JP' | 'CN' | 'EP')[] | null | undefined;
  /** Results of each country, or of each language of the documents, by turns: the best of each, then the second of each. Default: "none". */
  balance?: 'none' | 'country' | 'language' | null | undefined;
  /** More like these publications, by number in any spelling; with or without a query. They and other publications of their applications are not in the answer. */
  like?: readonly string[] | null | undefined;
  /** Less like these publications, which are not in the answer either; with query or like. */
  unlike?: readonly string[] | null | undefined;
  /** Prior art: only documents published before this day (YYYY-MM-DD), or before the priority date of this publication of the index, whose number may have any spelling. Without a priority its filing date counts. */
  as_of?: string | null | undefined;
  /** Filed on this day or later. YYYY-MM-DD. */
  filing_date_from?: string | null | undefined;
  /** Filed on this day or earlier; not before filing_date_from. YYYY-MM-DD. */
  filing_date_to?: string | null | undefined;
  /** Published on this day or later. YYYY-MM-DD. */
  publication_date_from?: string | null | undefined;
  /** Published on this day or earlier; not before publication_date_from. YYYY-MM-DD. */
  publication_date_to?: string | null | undefined;
  /** Granted on this day or later; grants only. YYYY-MM-DD. */
  grant_date_from?: string | null | undefined;
  /** Granted on this day or earlier; grants only; not before grant_date_from. YYYY-MM-DD. */
  grant_date_to?: string | null | undefined;
  /** Priority date on this day or later: the earliest priority claimed, else the own filing date. YYYY-MM-DD. */
  priority_date_from?: string | null | undefined;
  /** Priority date on this day or earlier; not before priority_date_from. YYYY-MM-DD. */
  priority_date_to?: string | null | undefined;
  /** off orders results by similarity alone, as those of a classification code always are. on refuses an answer that is not reranked completely: without a reranker (422), or if its time ran out (503). The built-in reranker reads the query and the publications of like. Default: "auto". */
  rerank?: 'auto' | 'on' | 'off' | null | undefined;
  /** Explain each result: the parts of its score, its ranks, and the words that it shares with the question. If nothing is found, the answer says in excluded_by how many documents each condition leaves out. Default: false. */
  explain?: boolean | null | undefined;
  /** Give the places of words of the question in each passage. Default: false. */
  highlight?: boolean | null | undefined;
}

/** Filters of a search, without a question. `null` means that the field is absent. */
export interface PatentFilter {
  /** Applications and grants (deduplicated), or one of them. Without it, kind_codes and include_utility_model, every kind. */
  doc_type?: 'all' | 'application' | 'grant' | null | undefined;
  /** Kind codes; take priority over doc_type and include_utility_model. */
  kind_codes?: readonly string[] | null | undefined;
  /** Include utility models. If this field or doc_type is given, designs are left out, and utility models unless it is true. */
  include_utility_model?: boolean | null | undefined;
  /** How applicant is compared. Default: "contains". */
  applicant_match?: 'contains' | 'prefix' | 'exact' | null | undefined;
  /** Search for the applicant under its names in other languages, too, as far as the records state them. The answer lists them in applicant_names. Default: false. */
  applicant_expand?: boolean | null | undefined;
  /** Jurisdictions to search; all five when absent. */
  countries?: readonly ('US' | 'KR' | 'JP' | 'CN' | 'EP')[] | null | undefined;
  /** Applicant; case-insensitive, in any of the languages and any form of Han characters. Has a letter or digit, and is not a legal form alone. */
  applicant?: string | null | undefined;
  /** Prefix of an inventor’s name. Has a letter or digit, and is not a legal form alone. */
  inventor?: string | null | undefined;
  /** IPC code prefixes; case, white space and full-width forms do not matter. */
  ipc_codes?: readonly string[] | null | undefined;
  /** CPC code prefixes; case, white space and full-width forms do not matter. */
  cpc_codes?: readonly string[] | null | undefined;
  /** Exact publication number. */
  publication_number?: string | null | undefined;
  /** Exact application number. */
  application_number?: string | null | undefined;
  /** Exact family id. */
  family_id?: string | null | undefined;
  /** Words or phrases that a document must all hold, in its title, abstract, claims, description or names. Case, hyphens, width and forms of Han characters do not matter, nor endings of words, except in names. */
  must_terms?: readonly string[] | null | undefined;
  /** Words or phrases of which a document must hold none. */
  must_not_terms?: readonly string[] | null | undefined;
  /** A document that holds a translation of an entry of must_terms or must_not_terms holds that entry, too, if the whole entry is a term of the table of translations. Default: false. */
  translate_terms?: boolean | null | undefined;
  /** Prior art: only documents published before this day (YYYY-MM-DD), or before the priority date of this publication of the index, whose number may have any spelling. Without a priority its filing date counts. */
  as_of?: string | null | undefined;
  /** Filed on this day or later. YYYY-MM-DD. */
  filing_date_from?: string | null | undefined;
  /** Filed on this day or earlier; not before filing_date_from. YYYY-MM-DD. */
  filing_date_to?: string | null | undefined;
  /** Published on this day or later. YYYY-MM-DD. */
  publication_date_from?: string | null | undefined;
  /** Published on this day or earlier; not before publication_date_from. YYYY-MM-DD. */
  publication_date_to?: string | null | undefined;
  /** Granted on this day or later; grants only. YYYY-MM-DD. */
  grant_date_from?: string | null | undefined;
  /** Granted on this day or earlier; grants only; not before grant_date_from. YYYY-MM-DD. */
  grant_date_to?: string | null | undefined;
  /** Priority date on this day or later: the earliest priority claimed, else the own filing date. YYYY-MM-DD. */
  priority_date_from?: string | null | undefined;
  /** Priority date on this day or earlier; not before priority_date_from. YYYY-MM-DD. */
  priority_date_to?: string | null | undefined;
}

/** A request for statistics and a page of results. `null` means that the field is absent. */
export interface AnalyticsRequest {
  /** Natural-language query in sentence form; white space around it does not count. Required unless like is given. A query that is only the number of a stored publication gives that publication first, then what is like it; one that is only an IPC or CPC code gives the documents of that class. */
  query?: string | null | undefined;
  /** Accepted and checked, without effect: see page_size. 1 to 100. Default: 10. */
  top_k?: number | null | undefined;
  /** Applications and grants (deduplicated), or one of them. Default: "all". */
  doc_type?: 'all' | 'application' | 'grant' | null | undefined;
  /** Kind codes; take priority over doc_type and include_utility_model. */
  kind_codes?: readonly string[] | null | undefined;
  /** Include utility models. Filters by number or family_id find every kind, unless kind_codes, doc_type or this field is given. Default: false. */
  include_utility_model?: boolean | null | undefined;
  /** How applicant is compared. Default: "contains". */
  applicant_match?: 'contains' | 'prefix' | 'exact' | null | undefined;
  /** Search for the applicant under its names in other languages, too, as far as the records state them. The answer lists them in applicant_names. Default: false. */
  applicant_expand?: boolean | null | undefined;
  /** Jurisdictions to search; all five when absent. */
  countries?: readonly ('US' | 'KR' | 'JP' | 'CN' | 'EP')[] | null | undefined;
  /** Applicant; case-insensitive, in any of the languages and any form of Han characters. Has a letter or digit, and is not a legal form alone. */
  applicant?: string | null | undefined;
  /** Prefix of an inventor’s name. Has a letter or digit, and is not a legal form alone. */
  inventor?: string | null | undefined;
  /** IPC code prefixes; case, white space and full-width forms do not matter. */
  ipc_codes?: readonly string[] | null | undefined;
  /** CPC code prefixes; case, white space and full-width forms do not matter. */
  cpc_codes?: readonly string[] | null | undefined;
  /** Exact publication number. */
  publication_number?: string | null | undefined;
  /** Exact application number. */
  application_number?: string | null | undefined;
  /** Exact family id. */
  family_id?: string | null | undefined;
  /** Words or phrases that a document must all hold, in its title, abstract, claims, description or names. Case, hyphens, width and forms of Han characters do not matter, nor endings of words, except in names. */
  must_terms?: readonly string[] | null | undefined;
  /** Words or phrases of which a document must hold none. */
  must_not_terms?: readonly string[] | null | undefined;
  /** A document that holds a translation of an entry of must_terms or must_not_terms holds that entry, too, if the whole entry is a term of the table of translations. Default: false. */
  translate_terms?: boolean | null | undefined;
  /** Publications that are one result: those of an application, those of a family, or none. Each result then lists its members. When absent, an application and its grant are one for doc_type all. */
  collapse?: 'none' | 'application' | 'family' | null | undefined;
  /** With collapse family: the member of the first of these countries is shown instead of the best one. The order and the scores of families stay those of their best members. */
  prefer_countries?: readonly ('US' | 'KR' | 'JP' | 'CN' | 'EP')[] | null | undefined;
  /** Results of each country, or of each language of the documents, by turns: the best of each, then the second of each. Default: "none". */
  balance?: 'none' | 'country' | 'language' | null | undefined;
  /** More like these publications, by number in any spelling; with or without a query. They and other publications of their applications are not in the answer. */
  like?: readonly string[] | null | undefined;
  /** Less like these publications, which are not in the answer either; with query or like. */
  unlike?: readonly string[] | null | undefined;
  /** Prior art: only documents published before this day (YYYY-MM-DD), or before the priority date of this publication of the index, whose number may have any spelling. Without a priority its filing date counts. */
  as_of?: string | null | undefined;
  /** A document counts when its best score is at least this. 0 to 1. Default: 0.5. */
  min_score?: number | null | undefined;
  /** Most documents considered for statistics. 1 to 10000. Default: 10000. */
  max_results?: number | null | undefined;
  /** Range of the date that date_type names. */
  date_range?:
    | {
        /** First day, inclusive. YYYY-MM-DD. */
        from?: string | null | undefined;
        /** Last day, inclusive; not before `from`. YYYY-MM-DD. */
        to?: string | null | undefined;
      }
    | null
    | undefined;
  /** The date of date_range and of by_year; priority: the earliest priority claimed, else the own filing date. Default: "filing". */
  date_type?: 'filing' | 'publication' | 'grant' | 'priority' | null | undefined;
  /** What is counted, each by itself: documents by year, by country, by applicant, by IPC subclass. Default: ["year","country"]. */
  stats_group_by?: readonly ('year' | 'country' | 'applicant' | 'ipc')[] | null | undefined;
  /** Page number, from 1. Default: 1. */
  page?: number | null | undefined;
  /** Results on a page. 1 to 100. Default: 20. */
  page_size?: number | null | undefined;
  /** Say in explanation how the documents were counted, and whether the count is exact. If the filters allow nothing, the answer says in excluded_by how many documents each condition leaves out. Default: false. */
  explain?: boolean | null | undefined;
}

/** A request for documents as markdown. */
export interface DetailsRequest {
  /** Publication numbers in any spelling. */
  patent_ids: readonly string[];
  /** Comma-separated subset of title, abstract, claims, description; all when absent. */
  sections?: string | null | undefined;
  /** Add to each entry: names, CPC codes, priorities, citations, and the family members of the index. Default: false. */
  bibliography?: boolean | null | undefined;
}

/** A passage that matches a question. */
export interface Chunk {
  /** Text of the passage. */
  text: string;
  /** Part of the document. */
  chunk_type: 'abstract' | 'claim' | 'description';
  /** The document's own heading, or Abstract, Claims, Description; Title if the title stands for a missing abstract. */
  section_name: string;
  /** Paragraphs covered, by the office’s numbers; may be empty. */
  paragraph_numbers: number[];
  /** Claims covered; may be empty. */
  claim_numbers: number[];
  /** How near the text is to the query, calibrated: 0 to 1, higher is nearer. */
  similarity_score: number;
  /** Orders the passages; its value means nothing by itself. */
  rerank_score: number;
  /** Places of words of the question and of must_terms in text, ascending; absent unless the request has highlight. */
  highlights?: {
    /** First UTF-16 code unit. */
    from: number;
    /** UTF-16 code unit behind the last. */
    to: number;
  }[];
}

/** What a condition of a request that allows nothing leaves out. */
export interface ExcludedBy {
  /** Field of the request; of a range of days, without _from and _to; doc_type also for the kinds that are left out by default; like and unlike for the publications that they hide. */
  filter: string;
  /** Publications of the index that this condition leaves out by itself. */
  publications: number;
  /** The words of must_terms or must_not_terms; absent for other filters. */
  terms?: string[];
}

/** A place in a text, in UTF-16 code units. */
export interface Highlight {
  /** First UTF-16 code unit. */
  from: number;
  /** UTF-16 code unit behind the last. */
  to: number;
}

/** Why a result is there. `rerank_score = reranker + lexical_weight × lexical + language`, but for rounding; a publication that the question names has at least the best `rerank_score` of the others. */
export interface HitExplanation {
  /** Score of the reranker. */
  reranker: number;
  /** Lexical score: the share of the question’s words, weighted by their rarity, that the document holds. A document in another language than the question has at least that of an average one. 0 to 1. */
  lexical: number;
  /** Weight of the lexical score for this question. */
  lexical_weight: number;
  /** Added to a document in another language than the question, which holds translations of its words at best; 0 in the same language. */
  language: number;
  /** What made the document a candidate: its vectors, its words alone, or its number in the question. */
  found_by: 'similarity' | 'words' | 'number';
  /** Rank among the candidates by similarity, before reranking; absent unless found_by is similarity. */
  rank_by_similarity?: number;
  /** Rank in the answer. */
  rank: number;
  /** Place in chunks of the passage whose reranker score is that of the document; absent with ranked_by. */
  decided_by?: number;
  /** The best member of the family, whose scores are those of the result; absent unless prefer_countries shows another member. */
  ranked_by?: string;
  /** Words of the question, and entries of must_terms, in the passages shown: at most 2000. */
  matches: {
    /** Word as the question has it, or a translation as the passage has it. */
    term: string;
    /** The term of the question that the word translates; absent if it is a word of the question. */
    translation_of?: string;
    /** The term is an entry of must_terms; absent for words of the question. */
    required?: boolean;
    /** Documents of the index that hold the word of the question, before filters; a translation, if none holds the word. */
    documents: number;
    /** Place in chunks of the passage that holds it. */
    chunk: number;
    /** First UTF-16 code unit in the text of the chunk. */
    from: number;
    /** UTF-16 code unit behind the last. */
    to: number;
  }[];
  /** Where the document holds each entry of must_terms; absent unless the request has must_terms. */
  must_terms?: {
    /** Entry of must_terms. */
    term: string;
    /** Parts of the document that hold it: names of applicants and inventors, title, claims, abstract or description; shown or not. */
    in: ('names' | 'title' | 'claims' | 'text')[];
  }[];
}

/** A publication for which a result stands. */
export interface CollapsedMember {
  /** Publication number: country, number in KIPRIS format, kind code. */
  patent_id: string;
  /** Office of the publication. */
  country: 'US' | 'KR' | 'JP' | 'CN' | 'EP';
  /** Kind code of the publication. */
  kind_code: string;
}

/** A patent that fits a question. */
export interface SearchResult {
  /** Publication number: country, number in KIPRIS format, kind code. */
  patent_id: string;
  /** Title; empty if the source has none. */
  title: string;
  /** Names joined with "; "; empty if the source has none. */
  applicant: string;
  /** Day of filing; absent if the source has none. YYYY-MM-DD. */
  filing_date?: string;
  /** Day of publication; absent if the source has none. YYYY-MM-DD. */
  publication_date?: string;
  /** Full IPC codes. */
  ipc_codes: string[];
  /** Kind code of the publication. */
  kind_code: string;
  /** Office of the publication. */
  country: 'US' | 'KR' | 'JP' | 'CN' | 'EP';
  /** How near the text is to the query, calibrated: 0 to 1, higher is nearer. */
  similarity_score: number;
  /** Orders the results; its value means nothing by itself. */
  rerank_score: number;
  /** File name of the representative drawing; absent if none is stored. */
  representative_figure?: string;
  /** Matched passages, sorted by rerank_score. */
  chunks: Chunk[];
  /** Publications for which this result stands, itself included, of those that the filters allow, at most 1000; absent unless the request has collapse. */
  members?: CollapsedMember[];
  /** Why the result is there: rerank_score = reranker + lexical_weight × lexical + language; absent unless the request has explain. */
  explanation?: HitExplanation;
}

/** The answer of a search. */
export interface SearchResponse {
  /** Length of results. 0 to 100. */
  total: number;
  /** Names of the applicant that were searched for beside the one asked; absent unless the request has applicant_expand. */
  applicant_names?: string[];
  /** The day of as_of, YYYY-MM-DD: only documents published before it; absent unless the request has as_of. */
  as_of_day?: string;
  /** The IPC or CPC code, without spaces, that the question was read as; absent for other questions, and unless the request has explain. */
  classification?: string;
  /** The question is a number, or a classification code with a slash, and the index has nothing under it: patents whose texts hold it come first. Absent for other questions, and unless the request has explain. */
  not_in_index?: 'number' | 'classification';
  /** Patents, best first. */
  results: SearchResult[];
  /** If nothing was found: how many documents each condition leaves out, each condition by itself. Conditions that leave out none are not listed. Absent unless the request has explain. */
  excluded_by?: ExcludedBy[];
}

/** A patent on a page of statistics. */
export interface AnalyticsResult {
  /** Publication number: country, number in KIPRIS format, kind code. */
  patent_id: string;
  /** Title; empty if the source has none. */
  title: string;
  /** Names joined with "; "; empty if the source has none. */
  applicant: string;
  /** Day of filing; absent if the source has none. YYYY-MM-DD. */
  filing_date?: string;
  /** Day of publication; absent if the source has none. YYYY-MM-DD. */
  publication_date?: string;
  /** Full IPC codes. */
  ipc_codes: string[];
  /** Kind code of the publication. */
  kind_code: string;
  /** Office of the publication. */
  country: 'US' | 'KR' | 'JP' | 'CN' | 'EP';
  /** How near the text is to the query, calibrated: 0 to 1, higher is nearer. */
  similarity_score: number;
  /** The best matching passage. */
  chunk_text: string;
  /** Publications for which this result stands, itself included, of those that the filters allow, at most 1000; absent unless the request has collapse. */
  members?: CollapsedMember[];
}

/** Counts by the requested axes. */
export interface AnalyticsStats {
  /** Documents by year of the date of date_type; absent if stats_group_by lacks year. */
  by_year?: Record<string, number>;
  /** Documents by country; absent if stats_group_by lacks country. */
  by_country?: Record<string, number>;
  /** Most frequent applicants; absent if stats_group_by lacks applicant. */
  top_applicants?: {
    /** Name as publications print it. */
    name: string;
    /** Documents. */
    count: number;
  }[];
  /** By 4-character subclass; absent if stats_group_by lacks ipc. */
  top_ipc?: {
    /** Subclass. */
    code: string;
    /** Documents. */
    count: number;
  }[];
}

/** How the documents of statistics were counted. */
export interface CountExplanation {
  /** Whether the count is exact. If not, every number is that of documents that do reach min_score, but documents that barely reach it may be missing: 1 % at most. */
  exact: boolean;
  /** Documents that the filters allow, before deduplication; of a classification code, those of its class. */
  documents: number;
  /** How documents were compared with the question. exact: all passages. documents: in the order of bounds on their scores, from sketches. codes, ivf, hnsw: estimated or proposed by an index of that kind. index: found by the index of a cluster. Empty if the filters allow nothing. */
  scans: ('exact' | 'documents' | 'codes' | 'ivf' | 'hnsw' | 'index')[];
}

/** Statistics over all patents with at least `min_score`, and a page of them. */
export interface AnalyticsResponse {
  /** The question. */
  query: string;
  /** Names of the applicant that were searched for beside the one asked; absent unless the request has applicant_expand. */
  applicant_names?: string[];
  /** The day of as_of, YYYY-MM-DD: only documents published before it; absent unless the request has as_of. */
  as_of_day?: string;
  /** Documents at or above min_score, deduplicated, up to max_results. */
  total_matched: number;
  /** The threshold that documents had to reach. */
  min_score_used: number;
  /** Number of this page, from 1. */
  page: number;
  /** Results on a full page. */
  page_size: number;
  /** Pages that there are. */
  total_pages: number;
  /** Counts over all documents that matched. */
  stats: AnalyticsStats;
  /** Documents of this page, most similar first. */
  results: AnalyticsResult[];
  /** How the documents were counted; absent unless the request has explain. */
  explanation?: CountExplanation;
  /** The IPC or CPC code, without spaces, that the question was read as; absent for other questions, and unless the request has explain. */
  classification?: string;
  /** The question is a number, or a classification code with a slash, and the index has nothing under it: patents whose texts hold it come first. Absent for other questions, and unless the request has explain. */
  not_in_index?: 'number' | 'classification';
  /** If nothing was found: how many documents each condition leaves out, each condition by itself. Conditions that leave out none are not listed. Absent unless the request has explain. */
  excluded_by?: ExcludedBy[];
}

/** A document that a publication cites. */
export interface CitedDocument {
  /** Identity of the cited publication; absent if its office is not one of the five or its kind is unknown. */
  patent_id?: string;
  /** Two-letter code of any office; absent if it is unknown. */
  country?: string;
  /** Number of the cited publication; absent for other literature. */
  number?: string;
  /** Kind code as the source writes it; absent if the source has none. */
  kind?: string;
  /** Category of the office: X, Y, A, D; absent if the source has none. */
  category?: string;
  /** Who named the citation; absent if it is unknown. */
  cited_by?: 'examiner' | 'applicant';
  /** The reference as printed; absent for a patent document. */
  text?: string;
  /** patent_ids of the index that the citation names; absent if none is stored. */
  publications?: string[];
}

/** Bibliographic data of a publication beyond its metadata. */
export interface Bibliography {
  /** Applicants or assignees. */
  applicants: {
    /** Name as printed, in the language of the publication. */
    name: string;
    /** Name in Latin script; absent if the source has none. */
    name_en?: string;
  }[];
  /** Inventors. */
  inventors: {
    /** Name as printed, in the language of the publication. */
    name: string;
    /** Name in Latin script; absent if the source has none. */
    name_en?: string;
  }[];
  /** Full CPC codes. */
  cpc_codes: string[];
  /** Day of grant; absent if the source has none. YYYY-MM-DD. */
  grant_date?: string;
  /** Day of the earliest priority; absent if the source has none. YYYY-MM-DD. */
  priority_date?: string;
  /** Application number; absent if the source has none. */
  application_number?: string;
  /** Id that all publications of one invention share; absent if it is unknown. */
  family_id?: string;
  /** Legal status; absent if the source has none. */
  legal_status?: {
    /** Status as the office states it. */
    status: string;
    /** Day of the status; absent if it is unknown. YYYY-MM-DD. */
    date?: string;
  };
  /** Claimed priorities; absent if the source has none. */
  priorities?: {
    /** Two-letter code of any office; absent if it is unknown. */
    country?: string;
    /** Number of the earlier application. */
    number: string;
    /** Day of filing; absent if it is unknown. YYYY-MM-DD. */
    date?: string;
  }[];
  /** Cited patent documents and other literature. */
  citations: CitedDocument[];
  /** patent_ids of the other publications of the family or the application in the index. */
  family: string[];
}

/** A requested document, or why it is missing. */
export interface DetailsEntry {
  /** As in answers; as it was asked for if nothing was found. */
  patent_id: string;
  /** Bibliographic data; absent beside an error. */
  metadata?: {
    /** Title; empty if the source has none. */
    title: string;
    /** Names joined with "; "; empty if the source has none. */
    applicant: string;
    /** Day of filing; absent if the source has none. YYYY-MM-DD. */
    filing_date?: string;
    /** Day of publication; absent if the source has none. YYYY-MM-DD. */
    publication_date?: string;
    /** Full IPC codes. */
    ipc_codes: string[];
    /** Kind code of the publication. */
    kind_code: string;
    /** Office of the publication. */
    country: 'US' | 'KR' | 'JP' | 'CN' | 'EP';
  };
  /** Markdown of the document, or of the sections asked for; the images in the answer of a server are links to its drawings endpoint; absent beside an error. */
  content?: string;
  /** File name of the representative drawing; absent if none is stored. */
  representative_figure?: string;
  /** Further bibliographic data; absent unless the request has bibliography. */
  bibliography?: Bibliography;
  /** Why there is no document; absent if there is one. */
  error?: 'not_found' | 'ambiguous';
  /** patent_ids that a number fits; absent unless it is ambiguous. */
  candidates?: string[];
}

/** Documents as markdown. */
export interface DetailsResponse {
  /** One entry for each requested id, in request order. */
  patents: DetailsEntry[];
}

/** Contents of the index for one country. */
export interface CoverageCountry {
  /** Publications. */
  total: number;
  /** Publications by kind code. */
  by_kind: Record<string, number>;
  /** First and last day of filing; absent if no record has the date. */
  filing_date?: {
    /** First day. YYYY-MM-DD. */
    min: string;
    /** Last day. YYYY-MM-DD. */
    max: string;
  };
  /** First and last day of publication; absent if no record has the date. */
  publication_date?: {
    /** First day. YYYY-MM-DD. */
    min: string;
    /** Last day. YYYY-MM-DD. */
    max: string;
  };
  /** ISO 639-1 codes of the languages of title and text. */
  languages: string[];
}

/** Contents of the index. */
export interface Coverage {
  /** Publications. */
  total: number;
  /** Absent countries have none. */
  by_country: Partial<Record<'US' | 'KR' | 'JP' | 'CN' | 'EP', CoverageCountry>>;
  /** Passages. */
  chunks: number;
  /** The index that was counted. */
  index: {
    /** Name and version of the embedding model. */
    model: string;
    /** Components of a vector. */
    dimensions: number;
    /** Number of the committed state. */
    generation: number;
    /** Time of the last commit. */
    updated_at: string;
  };
  /** Time of the count. */
  generated_at: string;
}
