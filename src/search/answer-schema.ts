/**
 * The bodies of the search API's answers, one zod schema each: TypeScript types (types.ts) and the OpenAPI document
 * come from here, and tests hold real answers against them.
 */
import { z } from 'zod';
import { CHUNKS_PER_RESULT, FAMILY_LISTED, MATCHES_MAX, TOP_K, TOP_LIST } from '../limits.js';
import { COUNTRIES } from '../patent/country.js';

/** Ways of comparing documents with a question; see plan.ts. */
const COUNT_SCANS = ['exact', 'documents', 'codes', 'ivf', 'hnsw', 'index'] as const;

const day = () => z.string().meta({ format: 'date', examples: ['2020-01-31'] });
/** A date of a record. */
const dayOf = (what: string) => z.exactOptional(day()).describe(`${what}; absent if the source has none`);
const count = () => z.int().min(0);
const similarity = () =>
  z
    .number()
    .min(0)
    .max(1)
    .describe('How near the text is to the query, calibrated: 0 to 1, higher is nearer');
const patentId = () =>
  z
    .string()
    .describe('Publication number: country, number in KIPRIS format, kind code')
    .meta({ examples: ['KR1020200104349A'] });
/** What answers tell of every publication. */
const bibliography = () => ({
  title: z.string().describe('Title; empty if the source has none'),
  applicant: z.string().describe('Names joined with "; "; empty if the source has none'),
  filing_date: dayOf('Day of filing'),
  publication_date: dayOf('Day of publication'),
  ipc_codes: z.array(z.string()).describe('Full IPC codes'),
  kind_code: z.string().describe('Kind code of the publication'),
  country: z.enum(COUNTRIES).describe('Office of the publication'),
});
const figure = () =>
  z.exactOptional(z.string()).describe('File name of the representative drawing; absent if none is stored');

export const highlightSchema = z.strictObject({
  from: count().describe('First UTF-16 code unit'),
  to: count().describe('UTF-16 code unit behind the last'),
});

/** Why a result is there. `rerank_score = reranker + lexical_weight × lexical + language`, but for rounding. */
export const hitExplanationSchema = z.strictObject({
  reranker: z.number().describe('Score of the reranker'),
  lexical: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'Lexical score: the share of the question’s words, weighted by their rarity, that the document holds. A document in ' +
        'another language than the question has at least that of an average one',
    ),
  lexical_weight: z.number().min(0).describe('Weight of the lexical score for this question'),
  language: z
    .number()
    .describe(
      'Added to a document in another language than the question, which holds translations of its words at best; 0 in the same language',
    ),
  found_by: z
    .enum(['similarity', 'words', 'number'])
    .describe(
      'What made the document a candidate: its vectors, its words alone, or its number in the question',
    ),
  rank_by_similarity: z
    .exactOptional(z.int().min(1))
    .describe(
      'Rank among the candidates by similarity, before reranking; absent unless found_by is similarity',
    ),
  rank: z.int().min(1).describe('Rank in the answer'),
  decided_by: z
    .exactOptional(z.int().min(0))
    .describe(
      'Place in chunks of the passage whose reranker score is that of the document; absent with ranked_by',
    ),
  ranked_by: z
    .exactOptional(patentId())
    .describe(
      'The best member of the family, whose scores are those of the result; absent unless prefer_countries shows another member',
    ),
  matches: z
    .array(
      z.strictObject({
        term: z.string().describe('Word as the question has it, or a translation as the passage has it'),
        translation_of: z
          .exactOptional(z.string())
          .describe(
            'The term of the question that the word translates; absent if it is a word of the question',
          ),
        required: z
          .exactOptional(z.literal(true))
          .describe('The term is an entry of must_terms; absent for words of the question'),
        documents: count().describe(
          'Documents of the index that hold the word of the question, before filters; a translation, if none holds the word',
        ),
        chunk: count().describe('Place in chunks of the passage that holds it'),
        from: count().describe('First UTF-16 code unit in the text of the chunk'),
        to: count().describe('UTF-16 code unit behind the last'),
      }),
    )
    .describe(
      `Words of the question, and entries of must_terms, in the passages shown: at most ${MATCHES_MAX}`,
    ),
  must_terms: z
    .exactOptional(
      z.array(
        z.strictObject({
          term: z.string().describe('Entry of must_terms'),
          in: z
            .array(z.enum(['names', 'title', 'claims', 'text']))
            .describe(
              'Parts of the document that hold it: names of applicants and inventors, title, claims, abstract or description; ' +
                'shown or not',
            ),
        }),
      ),
    )
    .describe('Where the document holds each entry of must_terms; absent unless the request has must_terms'),
});

export const chunkSchema = z.strictObject({
  text: z.string().describe('Text of the passage'),
  chunk_type: z.enum(['abstract', 'claim', 'description']).describe('Part of the document'),
  section_name: z
    .string()
    .describe(
      "The document's own heading, or Abstract, Claims, Description; Title if the title stands for a missing abstract",
    ),
  paragraph_numbers: z.array(z.int()).describe('Paragraphs covered, by the office’s numbers; may be empty'),
  claim_numbers: z.array(z.int()).describe('Claims covered; may be empty'),
  similarity_score: similarity(),
  rerank_score: z.number().describe('Orders the passages; its value means nothing by itself'),
  highlights: z
    .exactOptional(z.array(highlightSchema))
    .describe(
      'Places of words of the question and of must_terms in text, ascending; absent unless the request has highlight',
    ),
});

export const memberSchema = z.strictObject({
  patent_id: patentId(),
  country: z.enum(COUNTRIES).describe('Office of the publication'),
  kind_code: z.string().describe('Kind code of the publication'),
});
const members = () =>
  z
    .exactOptional(z.array(memberSchema).max(FAMILY_LISTED))
    .describe(
      'Publications for which this result stands, itself included, of those that the filters allow, at most ' +
        `${FAMILY_LISTED}; absent unless the request has collapse`,
    );

export const searchResultSchema = z.strictObject({
  patent_id: patentId(),
  ...bibliography(),
  similarity_score: similarity(),
  rerank_score: z.number().describe('Orders the results; its value means nothing by itself'),
  representative_figure: figure(),
  chunks: z.array(chunkSchema).max(CHUNKS_PER_RESULT).describe('Matched passages, sorted by rerank_score'),
  members: members(),
  explanation: z
    .exactOptional(hitExplanationSchema)
    .describe(
      'Why the result is there: rerank_score = reranker + lexical_weight × lexical + language; absent unless the request has explain',
    ),
});

/** What a condition of a request that allows nothing leaves out. */
export const excludedBySchema = z.strictObject({
  filter: z
    .string()
    .describe(
      'Field of the request; of a range of days, without _from and _to; doc_type also for the kinds that are left out by ' +
        'default; like and unlike for the publications that they hide',
    ),
  publications: count().describe('Publications of the index that this condition leaves out by itself'),
  terms: z
    .exactOptional(z.array(z.string()))
    .describe('The words of must_terms or must_not_terms; absent for other filters'),
});

const applicantNames = () =>
  z
    .exactOptional(z.array(z.string()))
    .describe(
      'Names of the applicant that were searched for beside the one asked; absent unless the request has applicant_expand',
    );

const classification = () =>
  z
    .exactOptional(z.string())
    .describe(
      'The IPC or CPC code, without spaces, that the question was read as; absent for other questions, and unless the request has explain',
    );

const notInIndex = () =>
  z
    .exactOptional(z.enum(['number', 'classification']))
    .describe(
      'The question is a number, or a classification code with a slash, and the index has nothing under it: patents whose ' +
        'texts hold it come first. Absent for other questions, and unless the request has explain',
    );

const excludedBy = () =>
  z
    .exactOptional(z.array(excludedBySchema))
    .describe(
      'If nothing was found: how many documents each condition leaves out, each condition by itself. Conditions that leave ' +
        'out none are not listed. Absent unless the request has explain',
    );

const asOfDay = () =>
  z
    .exactOptional(z.string())
    .describe(
      'The day of as_of, YYYY-MM-DD: only documents published before it; absent unless the request has as_of',
    );

export const searchResponseSchema = z.strictObject({
  total: count().max(TOP_K.max).describe('Length of results'),
  applicant_names: applicantNames(),
  as_of_day: asOfDay(),
  classification: classification(),
  not_in_index: notInIndex(),
  results: z.array(searchResultSchema).max(TOP_K.max).describe('Patents, best first'),
  excluded_by: excludedBy(),
});

export const analyticsResultSchema = z.strictObject({
  patent_id: patentId(),
  ...bibliography(),
  similarity_score: similarity(),
  chunk_text: z.string().describe('The best matching passage'),
  members: members(),
});

export const analyticsStatsSchema = z.strictObject({
  by_year: z
    .exactOptional(z.record(z.string(), count()))
    .describe('Documents by year of the date of date_type; absent if stats_group_by lacks year'),
  by_country: z
    .exactOptional(z.record(z.string(), count()))
    .describe('Documents by country; absent if stats_group_by lacks country'),
  top_applicants: z
    .exactOptional(
      z
        .array(
          z.strictObject({
            name: z.string().describe('Name as publications print it'),
            count: count().describe('Documents'),
          }),
        )
        .max(TOP_LIST),
    )
    .describe('Most frequent applicants; absent if stats_group_by lacks applicant'),
  top_ipc: z
    .exactOptional(
      z
        .array(
          z.strictObject({ code: z.string().describe('Subclass'), count: count().describe('Documents') }),
        )
        .max(TOP_LIST),
    )
    .describe('By 4-character subclass; absent if stats_group_by lacks ipc'),
});

/** How the documents of statistics were counted. */
export const countExplanationSchema = z.strictObject({
  exact: z
    .boolean()
    .describe(
      'Whether the count is exact. If not, every number is that of documents that do reach min_score, but documents that ' +
        'barely reach it may be missing: 1 % at most',
    ),
  documents: count().describe(
    'Documents that the filters allow, before deduplication; of a classification code, those of its class',
  ),
  scans: z
    .array(z.enum(COUNT_SCANS))
    .describe(
      'How documents were compared with the question. exact: all passages. documents: in the order of bounds on their scores, ' +
        'from sketches. codes, ivf, hnsw: estimated or proposed by an index of that kind. index: found by the index of a ' +
        'cluster. Empty if the filters allow nothing',
    ),
});

export const analyticsResponseSchema = z.strictObject({
  query: z.string().describe('The question'),
  applicant_names: applicantNames(),
  as_of_day: asOfDay(),
  total_matched: count().describe('Documents at or above min_score, deduplicated, up to max_results'),
  min_score_used: z.number().describe('The threshold that documents had to reach'),
  page: z.int().min(1).describe('Number of this page, from 1'),
  page_size: z.int().min(1).describe('Results on a full page'),
  total_pages: count().describe('Pages that there are'),
  stats: analyticsStatsSchema.describe('Counts over all documents that matched'),
  results: z.array(analyticsResultSchema).describe('Documents of this page, most similar first'),
  explanation: z
    .exactOptional(countExplanationSchema)
    .describe('How the documents were counted; absent unless the request has explain'),
  classification: classification(),
  not_in_index: notInIndex(),
  excluded_by: excludedBy(),
});

const nameSchema = z.strictObject({
  name: z.string().describe('Name as printed, in the language of the publication'),
  name_en: z.exactOptional(z.string()).describe('Name in Latin script; absent if the source has none'),
});

export const citedDocumentSchema = z.strictObject({
  patent_id: z
    .exactOptional(z.string())
    .describe(
      'Identity of the cited publication; absent if its office is not one of the five or its kind is unknown',
    ),
  country: z.exactOptional(z.string()).describe('Two-letter code of any office; absent if it is unknown'),
  number: z
    .exactOptional(z.string())
    .describe('Number of the cited publication; absent for other literature'),
  kind: z
    .exactOptional(z.string())
    .describe('Kind code as the source writes it; absent if the source has none'),
  category: z
    .exactOptional(z.string())
    .describe('Category of the office: X, Y, A, D; absent if the source has none'),
  cited_by: z
    .exactOptional(z.enum(['examiner', 'applicant']))
    .describe('Who named the citation; absent if it is unknown'),
  text: z.exactOptional(z.string()).describe('The reference as printed; absent for a patent document'),
  publications: z
    .exactOptional(z.array(z.string()))
    .describe('patent_ids of the index that the citation names; absent if none is stored'),
});

export const bibliographySchema = z.strictObject({
  applicants: z.array(nameSchema).describe('Applicants or assignees'),
  inventors: z.array(nameSchema).describe('Inventors'),
  cpc_codes: z.array(z.string()).describe('Full CPC codes'),
  grant_date: dayOf('Day of grant'),
  priority_date: dayOf('Day of the earliest priority'),
  application_number: z
    .exactOptional(z.string())
    .describe('Application number; absent if the source has none'),
  family_id: z
    .exactOptional(z.string())
    .describe('Id that all publications of one invention share; absent if it is unknown'),
  legal_status: z
    .exactOptional(
      z.strictObject({
        status: z.string().describe('Status as the office states it'),
        date: z.exactOptional(day()).describe('Day of the status; absent if it is unknown'),
      }),
    )
    .describe('Legal status; absent if the source has none'),
  priorities: z
    .exactOptional(
      z.array(
        z.strictObject({
          country: z
            .exactOptional(z.string())
            .describe('Two-letter code of any office; absent if it is unknown'),
          number: z.string().describe('Number of the earlier application'),
          date: z.exactOptional(day()).describe('Day of filing; absent if it is unknown'),
        }),
      ),
    )
    .describe('Claimed priorities; absent if the source has none'),
  citations: z.array(citedDocumentSchema).describe('Cited patent documents and other literature'),
  family: z
    .array(z.string())
    .max(FAMILY_LISTED)
    .describe('patent_ids of the other publications of the family or the application in the index'),
});

export const detailsEntrySchema = z.strictObject({
  patent_id: z.string().describe('As in answers; as it was asked for if nothing was found'),
  metadata: z
    .exactOptional(z.strictObject(bibliography()))
    .describe('Bibliographic data; absent beside an error'),
  content: z
    .exactOptional(z.string())
    .describe(
      'Markdown of the document, or of the sections asked for; the images in the answer of a server are links to its drawings endpoint; absent beside an error',
    ),
  representative_figure: figure(),
  bibliography: z
    .exactOptional(bibliographySchema)
    .describe('Further bibliographic data; absent unless the request has bibliography'),
  error: z
    .exactOptional(z.enum(['not_found', 'ambiguous']))
    .describe('Why there is no document; absent if there is one'),
  candidates: z
    .exactOptional(z.array(z.string()))
    .describe('patent_ids that a number fits; absent unless it is ambiguous'),
});

export const detailsResponseSchema = z.strictObject({
  patents: z.array(detailsEntrySchema).describe('One entry for each requested id, in request order'),
});

const days = (what: string) =>
  z
    .exactOptional(z.strictObject({ min: day().describe('First day'), max: day().describe('Last day') }))
    .describe(`${what}; absent if no record has the date`);

export const coverageCountrySchema = z.strictObject({
  total: count().describe('Publications'),
  by_kind: z.record(z.string(), count()).describe('Publications by kind code'),
  filing_date: days('First and last day of filing'),
  publication_date: days('First and last day of publication'),
  languages: z.array(z.string()).describe('ISO 639-1 codes of the languages of title and text'),
});

export const coverageSchema = z.strictObject({
  total: count().describe('Publications'),
  by_country: z
    .partialRecord(z.enum(COUNTRIES), coverageCountrySchema)
    .describe('Absent countries have none'),
  chunks: count().describe('Passages'),
  index: z
    .strictObject({
      model: z.string().describe('Name and version of the embedding model'),
      dimensions: z.int().describe('Components of a vector'),
      generation: z.int().describe('Number of the committed state'),
      updated_at: z.iso.datetime().describe('Time of the last commit'),
    })
    .describe('The index that was counted'),
  generated_at: z.iso.datetime().describe('Time of the count'),
});
