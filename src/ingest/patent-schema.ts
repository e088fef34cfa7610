/**
 * The project's own format: JSON Lines, one publication a line, described by this JSON Schema. It is what
 * the reader checks by, so the two can not differ.
 */

/** The part of JSON Schema that is used here (and that `validate.ts` understands). */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

const text: Schema = { type: 'string', minLength: 1 };
const date: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'a real day, YYYY-MM-DD',
};
const names = (who: string): Schema => ({
  description: `${who}: one name, or a list of names or of {name, name_en}`,
  anyOf: [
    text,
    {
      type: 'array',
      items: {
        anyOf: [
          text,
          {
            type: 'object',
            properties: { name: text, name_en: { ...text, description: 'the name in Latin script' } },
            required: ['name'],
            additionalProperties: false,
          },
        ],
      },
    },
  ],
});
const codes = (scheme: string, example: string): Schema => ({
  type: 'array',
  items: text,
  description: `${scheme} codes`,
  examples: [[example]],
});
const office: Schema = { type: 'string', pattern: '^[A-Z]{2}$', description: 'two letters of any office' };
const citation: Readonly<Record<string, Schema>> = {
  patent_id: { ...text, description: 'the publication cited', examples: ['US09971313B2'] },
  country: office,
  number: { ...text, description: 'publication number without country and kind' },
  kind: { type: 'string', pattern: '^[A-Z]\\d?$' },
  category: { ...text, description: 'as the office marks it', examples: ['X'] },
  cited_by: { type: 'string', enum: ['examiner', 'applicant'] },
  text: { ...text, description: 'a reference that is no patent document, as printed' },
};
const stage = (what: string, example: string): Schema => ({
  type: 'object',
  description: `the ${what} that this one rests on`,
  properties: { number: { ...text, examples: [example] }, date },
  required: ['number'],
  additionalProperties: false,
});
const claimList: Schema = {
  type: 'array',
  description: 'in order; texts alone are numbered from 1',
  items: {
    anyOf: [
      text,
      {
        type: 'object',
        properties: {
          number: { type: 'integer', minimum: 1 },
          text,
          depends_on: {
            type: 'array',
            items: { type: 'integer', minimum: 1 },
            description: 'numbers of the claims it refers to',
          },
        },
        required: ['number', 'text'],
        additionalProperties: false,
      },
    ],
  },
};
const sectionList: Schema = {
  description: 'one text, or sections under their headings',
  anyOf: [
    text,
    {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          section: text,
          paragraphs: {
            type: 'array',
            items: {
              anyOf: [
                text,
                {
                  type: 'object',
                  properties: { number: { type: 'integer', minimum: 0 }, text },
                  required: ['text'],
                  additionalProperties: false,
                },
              ],
            },
          },
        },
        required: ['paragraphs'],
        additionalProperties: false,
      },
    },
  ],
};
const inOtherLanguages = (value: Schema): Schema => ({
  type: 'object',
  patternProperties: { '^[a-z]{2}$': value },
  additionalProperties: false,
  description: 'by ISO 639-1 code',
});
const byLanguage = inOtherLanguages(text);

export const PATENT_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Patent publication, one line of a .jsonl file',
  description:
    'Needed: a number (patent_id, publication_number or number), the country, unless the number tells it, ' +
    'the kind, unless the number tells it, and one text (title, abstract, claims or description). Fields ' +
    'whose names begin with an underscore are ignored.',
  type: 'object',
  additionalProperties: false,
  patternProperties: { '^_': {} },
  properties: {
    patent_id: { ...text, description: 'country, number and kind', examples: ['KR1020200104349A'] },
    publication_number: { ...text, description: 'in any office spelling', examples: ['US 9,971,313 B2'] },
    number: { ...text, description: 'publication number without country and kind', examples: ['09971313'] },
    country: { type: 'string', pattern: '^[A-Z]{2}$', description: 'US, KR, JP, CN, EP; others are skipped' },
    kind_code: { type: 'string', pattern: '^[A-Z]\\d?$', examples: ['A1', 'B2'] },
    language: { type: 'string', pattern: '^[a-z]{2}$', description: 'ISO 639-1 language of title and text' },
    title: text,
    titles: byLanguage,
    abstract: text,
    abstracts: byLanguage,
    claims: claimList,
    translated_claims: inOtherLanguages(claimList),
    description: sectionList,
    descriptions: inOtherLanguages(sectionList),
    filing_date: date,
    publication_date: date,
    grant_date: date,
    priority_date: { ...date, description: 'the earliest priority, YYYY-MM-DD' },
    applicants: names('applicants'),
    inventors: names('inventors'),
    agents: names('agents'),
    examiners: names('examiners'),
    ipc_codes: codes('IPC', 'H01M 10/0525'),
    cpc_codes: codes('CPC', 'H01M 10/0525'),
    fi_codes: codes('FI', 'E04D 13/064 501A'),
    f_terms: codes('F-term', '2E108AA01'),
    uspc_codes: codes('USPC', '435/320.1'),
    locarno_codes: { ...codes('Locarno', '14-01'), items: { type: 'string', pattern: '^\\d{2}-\\d{2}$' } },
    application_number: { ...text, description: 'links an application with its grant' },
    pct_application: stage('international application', 'PCT/KR2018/016728'),
    pct_publication: stage('international publication', 'WO2019135546'),
    legal_status: {
      type: 'object',
      properties: { status: { ...text, description: 'in the words of the office' }, date },
      required: ['status'],
      additionalProperties: false,
    },
    family_id: { ...text, description: 'publications of one invention share it' },
    family_derived: {
      type: 'boolean',
      description: 'true where family_id was derived, not stated by an office',
    },
    drawings: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string', pattern: '^[^/\\\\]+$', description: 'file name without folder' },
          label: text,
          content: { type: 'string', enum: ['chemistry', 'mathematics'] },
          representative: { type: 'boolean' },
        },
        required: ['file'],
        additionalProperties: false,
      },
    },
    partial: {
      type: 'boolean',
      description: 'true where this is a part of the publication that completes what is stored',
    },
    corrects: {
      type: 'array',
      items: text,
      description: 'patent_ids that this publication, a correction, takes the place of',
    },
    filled: {
      type: 'array',
      items: text,
      description: 'fields that were filled in from other sources, as an export writes them',
    },
    priorities: {
      type: 'array',
      description: 'earlier applications whose date is claimed',
      items: {
        type: 'object',
        properties: { country: office, number: text, date },
        required: ['number'],
        additionalProperties: false,
      },
    },
    citations: {
      type: 'array',
      description: 'each a patent document (patent_id, or country and number) or other literature (text)',
      items: { type: 'object', properties: citation, additionalProperties: false },
    },
  },
};
