/**
 * The project's own format: JSON Lines with one publication per line. One zod schema checks a line. The JSON
 * Schema and the type `PatentInput` in patent-input.ts are generated from it (`node scripts/types.mjs`).
 *
 * The message of a schema is an expectation ("a text"). `wrongField` adds field and value.
 */
import { z } from 'zod';
import { KEY_MAX_CHARS } from '../limits.js';
import { nearestName } from '../nearest-name.js';
import { parseDate } from '../patent/date.js';
import type { PatentInput } from './patent-input.js';

/** Edits after which a name is a different name and not a mistyped one. */
const ALIKE = 3;
const VALUE_CHARS_SHOWN = 60;
/** Known names in a message, at most. */
const NAMES_SHOWN = 8;

function text(error = 'a text', holds = /\S/) {
  return z.string({ error }).regex(holds, { error });
}

/** A text by which a publication is found, which every store can take as a key. */
function keyText() {
  return text().max(KEY_MAX_CHARS, { error: `a text of at most ${KEY_MAX_CHARS} characters` });
}

/** An object that has only these fields. */
function record<S extends z.core.$ZodShape>(shape: S, what = 'an object') {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `unknown field${hint(String(issue['keys'][0]), names)}` : what,
  });
}

function hint(name: string, known: readonly string[]): string {
  const synonym = SYNONYMS[name.toLowerCase()];
  const nearest = synonym && known.includes(synonym) ? synonym : nearestName(name, known, ALIKE);
  if (nearest !== undefined) return `; did you mean ${nearest}?`;
  if (known.length <= NAMES_SHOWN) return `; known are ${known.join(', ')}`;
  return '; remove it, or let its name begin with _. `priorart ingest --schema` prints the known fields';
}

/** Other names of fields, as sources and searchers use them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{
    id: 'patent_id',
    publication_id: 'patent_id',
    doc_number: 'number',
    kind: 'kind_code',
    lang: 'language',
  },
  ...{ assignee: 'applicants', assignees: 'applicants', owner: 'applicants', applicant_name: 'applicants' },
  ...{ attorney: 'agents', attorneys: 'agents', inventor_name: 'inventors' },
  ...{ ipc: 'ipc_codes', ipcs: 'ipc_codes', cpc: 'cpc_codes', cpcs: 'cpc_codes', family: 'family_id' },
  ...{ summary: 'abstract', body: 'description', text: 'description', fulltext: 'description' },
  ...{ application_date: 'filing_date', filed: 'filing_date', published: 'publication_date' },
  ...{ pub_date: 'publication_date', priority: 'priorities', references: 'citations', figures: 'drawings' },
};

const list = <T extends z.ZodType>(entry: T, error = 'a list') => z.array(entry, { error });
const wholeNumber = (from: number) =>
  z.int({ error: 'a whole number' }).min(from, { error: `a whole number from ${from}` });
const flag = () => z.boolean({ error: 'true or false' });

const DAY = 'a real day, YYYY-MM-DD';
const day = () =>
  z
    .string({ error: DAY })
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error: DAY })
    .refine((value) => parseDate(value) !== undefined, { error: DAY })
    .meta({ format: 'date' });
const office = () => text('two letters of an office', /^[A-Z]{2}$/);
const kindCode = () => text('a kind code, such as A1', /^[A-Z]\d?$/);

const inLanguages = <T extends z.ZodType>(value: T) =>
  z.record(z.string().regex(/^[a-z]{2}$/), value.nullish(), {
    error: (issue) =>
      issue.code === 'invalid_key'
        ? 'a language as an ISO 639-1 code, such as en'
        : 'an object with a field for each language, by ISO 639-1 code',
  });

// A union tries its choices in order. The most frequent choice comes first.

export const nameSchema = record(
  {
    name: text().describe('Name as printed, in the language of the publication.'),
    name_en: text().nullish().describe('Name in Latin script.'),
  },
  'a name, or an object with name and name_en',
);
export const namesSchema = z.union(
  [list(z.union([nameSchema, text()], { error: 'a name, or an object with name and name_en' })), text()],
  { error: 'one name, or a list of names or of {name, name_en}' },
);

export const claimSchema = record({
  number: wholeNumber(1).describe('As printed, from 1.'),
  text: text().describe('Text of the claim, without its number.'),
  depends_on: list(wholeNumber(1), 'a list of the numbers of the claims it refers to')
    .nullish()
    .describe('Numbers of the claims it refers to. Absent on an independent claim.'),
});
export const claimsSchema = list(
  z.union([claimSchema, text()], { error: 'a text, or an object with number and text' }),
  'a list (in order; texts alone are numbered from 1)',
);

export const paragraphSchema = record({
  number: wholeNumber(0)
    .nullish()
    .describe("The office's paragraph number (`[0012]` is 12), if the source numbers its paragraphs."),
  text: text().describe('Text of the paragraph, without its number.'),
});
export const sectionSchema = record(
  {
    section: text().nullish().describe('Heading of the section').meta({ default: 'Description' }),
    paragraphs: list(
      z.union([paragraphSchema, text()], { error: 'a text, or an object with number and text' }),
      'a list of paragraphs',
    ).describe("Paragraphs in order, with the office's numbers if there are any."),
  },
  'an object with section and paragraphs',
);
export const descriptionSchema = z.union([list(sectionSchema), text()], {
  error: 'one text, or a list of sections {section, paragraphs}',
});

export const drawingSchema = record({
  file: text('file name without folder', /^[^/\\]+$/).describe(
    'File name the office uses, for instance `US20250204297A1-20250626-D00001.TIF`. No folder.',
  ),
  label: text().nullish().describe('Figure label as printed, for instance `FIG. 1` or `도 1`.'),
  content: z
    .enum(['chemistry', 'mathematics'], { error: 'one of chemistry, mathematics' })
    .nullish()
    .describe('What an image within the text shows. Absent on a figure.'),
  representative: flag().nullish().describe('True on the one drawing the office names as representative.'),
});

export const internationalStageSchema = record({
  number: text().describe('`PCT/KR2018/016728` of an application, `WO2019135546` of a publication.'),
  date: day().nullish().describe('Day of filing or of publication'),
});

export const legalStatusSchema = record({
  status: text().describe('Status as the office states it.'),
  date: day().nullish().describe('Day of the status'),
});

export const prioritySchema = record({
  country: office()
    .nullish()
    .describe(
      'Two letters of any office of the world, `WO` for an international application. Absent if unknown.',
    ),
  number: text().describe('Application number in any spelling of the office.'),
  date: day().nullish().describe('Day of filing'),
});

export const citationSchema = record({
  patent_id: text().nullish().describe('The cited publication, for instance `US09971313B2`.'),
  country: office().nullish().describe('Two letters of any office of the world.'),
  number: text().nullish().describe('Publication number without country and kind code.'),
  kind: kindCode().nullish().describe('Kind code as the source writes it.'),
  category: text().nullish().describe('Category as the office marks it: `X`, `Y`, `A`, `D`.'),
  cited_by: z
    .enum(['examiner', 'applicant'], { error: 'one of examiner, applicant' })
    .nullish()
    .describe('Who cites it.'),
  text: text().nullish().describe('The reference as printed, if it is not a patent document.'),
}).refine(({ patent_id, text, country, number }) => patent_id ?? text ?? (country && number), {
  error: 'patent_id, country and number, or text',
});

const codes = (scheme: string, example: string, holds?: RegExp) =>
  list(text(holds ? `a code such as ${example}` : 'a text', holds), `a list of ${scheme} codes`)
    .nullish()
    .meta({ examples: [[example]] });
const texts = (what: string) => list(text(), `a list of ${what}`).nullish();

export const patentSchema = record({
  patent_id: keyText().nullish().describe('Country, number and kind code, for instance `KR1020200104349A`.'),
  publication_number: keyText()
    .nullish()
    .describe(
      'Publication number in any spelling of the office, for instance `US 9,971,313 B2`. Read if `patent_id` is absent.',
    ),
  number: keyText()
    .nullish()
    .describe(
      'Publication number without country and kind code, for instance `09971313`. Read if the two above are absent.',
    ),
  country: office()
    .nullish()
    .describe(
      '`US`, `KR`, `JP`, `CN` or `EP`. Needed unless the number tells it. A publication of another office is skipped.',
    ),
  kind_code: kindCode()
    .nullish()
    .describe('Kind code, for instance `A1` or `B2`. Needed unless the number tells it.'),
  language: text('a language as an ISO 639-1 code, such as en', /^[a-z]{2}$/)
    .nullish()
    .describe('ISO 639-1 code of the language of title and texts, for instance `ko`.'),
  title: text().nullish().describe('Title in the language of the publication.'),
  titles: inLanguages(text()).nullish().describe('Titles in other languages, by ISO 639-1 code.'),
  abstract: text().nullish().describe('Abstract in the language of the publication.'),
  abstracts: inLanguages(text()).nullish().describe('Abstracts in other languages, by ISO 639-1 code.'),
  claims: claimsSchema.nullish().describe('Claims in the language of the publication.'),
  translated_claims: inLanguages(claimsSchema)
    .nullish()
    .describe('Claims in other languages, by ISO 639-1 code.'),
  description: descriptionSchema.nullish().describe('Description in the language of the publication.'),
  descriptions: inLanguages(descriptionSchema)
    .nullish()
    .describe('Descriptions in other languages, by ISO 639-1 code.'),
  filing_date: day().nullish().describe('Day of filing'),
  publication_date: day().nullish().describe('Day of publication'),
  grant_date: day().nullish().describe('Day of grant'),
  priority_date: day()
    .nullish()
    .describe('Day of the earliest priority; by default the earliest day of `priorities`'),
  applicants: namesSchema.nullish().describe('Applicants or assignees.'),
  inventors: namesSchema.nullish().describe('Inventors.'),
  agents: namesSchema.nullish().describe('Attorneys and firms that represent the applicants.'),
  examiners: namesSchema.nullish().describe('Examiners of the office.'),
  ipc_codes: codes('IPC', 'H01M 10/0525').describe('IPC codes, for instance `H01M 10/0525`.'),
  cpc_codes: codes('CPC', 'H01M 10/0525').describe('CPC codes, for instance `H01M 10/0525`.'),
  fi_codes: codes('FI', 'E04D 13/064 501A').describe('Japanese FI, for instance `E04D 13/064 501A`.'),
  f_terms: codes('F-term', '2E108AA01').describe(
    'Japanese F-terms: theme and term, for instance `2E108AA01`.',
  ),
  uspc_codes: codes('USPC', '435/320.1').describe(
    'Classes of the former US classification, for instance `435/320.1`.',
  ),
  locarno_codes: codes('Locarno', '14-01', /^\d{2}-\d{2}$/).describe(
    'Locarno classes of a design, for instance `14-01`.',
  ),
  application_number: keyText()
    .nullish()
    .describe('Application number in any spelling of the office. It links an application with its grant.'),
  pct_application: internationalStageSchema
    .nullish()
    .describe('International (PCT) application that a national one rests on.'),
  pct_publication: internationalStageSchema
    .nullish()
    .describe('Publication of the international (PCT) application.'),
  legal_status: legalStatusSchema.nullish().describe('Legal status of the right and its date.'),
  family_id: keyText().nullish().describe('Id that all publications of one invention share.'),
  family_derived: flag().nullish().describe('True if `family_id` was derived and not stated by an office.'),
  drawings: list(drawingSchema, 'a list of drawings')
    .nullish()
    .describe("Drawings by the office's file names. The images come from files, not from records."),
  partial: flag()
    .nullish()
    .describe(
      'True if this is a part of the publication, which completes what is stored instead of replacing it. A part has a text, too: the title at least.',
    ),
  corrects: list(keyText(), 'a list of patent_ids')
    .nullish()
    .describe(
      'patent_ids of the publications that this one, a correction, takes the place of, or of the same publication under another kind.',
    ),
  filled: texts('names of fields').describe(
    'Names of fields that were filled in from other sources, as a `Patent` of an index carries them.',
  ),
  priorities: list(prioritySchema, 'a list of priorities')
    .nullish()
    .describe('Earlier applications whose date is claimed.'),
  citations: list(citationSchema, 'a list of citations')
    .nullish()
    .describe('What the publication cites. Each has `patent_id`, or `country` and `number`, or `text`.'),
});

/** A checked record without nulls. */
export type PatentLine = WithoutNull<z.output<typeof patentSchema>>;

type WithoutNull<T> = T extends readonly (infer I)[]
  ? WithoutNull<I>[]
  : T extends object
    ? { [name in keyof T]: WithoutNull<Exclude<T[name], null | undefined>> }
    : T;

/** The JSON Schema of a line. */
export function patentJsonSchema(): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(
    patentSchema.meta({
      title: 'Patent publication, one line of a .jsonl file',
      description:
        'Needed: a number (patent_id, publication_number or number), the country, unless the number tells it, ' +
        'the kind, unless the number tells it, and one text (title, abstract, claims or description). null means the ' +
        'same as leaving a field out. Fields whose names begin with an underscore are ignored.',
      patternProperties: { '^_': {} },
    }),
    { io: 'input' },
  );
}

/** Records for an ingest. The ingest takes the next record when it can store it. */
export type PatentRecords = Iterable<PatentInput> | AsyncIterable<PatentInput>;

/** Checks a record that has no null fields. Returns the line, or the fault. */
export function checkPatent(record: unknown): { line: PatentLine } | { wrong: string } {
  const { error } = patentSchema.safeParse(record);
  // Returns the record itself, not the output of zod, to keep the order of its fields.
  return error ? { wrong: wrongField(record, error.issues[0]!) } : { line: record as PatentLine };
}

type Issue = z.core.$ZodIssue;

/** Field, value and expectation, for example `claims[2].text: 7; expected a text`. */
function wrongField(input: unknown, issue: Issue): string {
  const cause = causeOf(issue);
  if (cause.code === 'unrecognized_keys')
    return `${fieldName([...cause.path, cause.keys[0]!])}: ${cause.message}`;
  const field = cause.path.length === 0 ? 'the record' : fieldName(cause.path);
  const value = valueAt(input, cause.path);
  if (value === undefined) return `${field}: missing; expected ${cause.message}`;
  if (typeof value === 'string' && value.trim() === '')
    return `${field}: an empty text; leave the field out or fill it`;
  return `${field}: ${shown(value)}; expected ${cause.message}`;
}

/** Selects the alternative of the value's own type. Its message explains the fault. */
function causeOf(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const alike = issue.errors.find(
    ([first]) => first && (first.code !== 'invalid_type' || first.path.length > 0),
  );
  const inner = alike?.[0];
  return inner ? causeOf({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
}

function fieldName(path: readonly PropertyKey[]): string {
  let name = '';
  for (const part of path) name += typeof part === 'number' ? `[${part}]` : `${name && '.'}${String(part)}`;
  return name;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    input,
  );
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > VALUE_CHARS_SHOWN ? `${json.slice(0, VALUE_CHARS_SHOWN)}…` : json;
}
