/**
 * Writes the types of the library's requests, answers and records from the zod schemas that check them, with a
 * doc comment on every field. Types that zod infers show no comments in an editor. `--check` writes nothing,
 * and fails if a file is out of date. Needs the output of `tsc`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import * as records from '../dist/src/ingest/patent-schema.js';
import * as answers from '../dist/src/search/answer-schema.js';
import * as requests from '../dist/src/search/schema.js';

/** Schema, name of its type, comment. A type precedes the types that contain it. */
const SEARCH_TYPES = [
  [requests.semanticSchema, 'SemanticRequest', 'A search. `null` means that the field is absent.'],
  [
    requests.filterSchema,
    'PatentFilter',
    'Filters of a search, without a question. `null` means that the field is absent.',
  ],
  [
    requests.analyticsSchema,
    'AnalyticsRequest',
    'A request for statistics and a page of results. `null` means that the field is absent.',
  ],
  [requests.detailsSchema, 'DetailsRequest', 'A request for documents as markdown.'],
  [answers.chunkSchema, 'Chunk', 'A passage that matches a question.'],
  [answers.excludedBySchema, 'ExcludedBy', 'What a condition of a request that allows nothing leaves out.'],
  [answers.highlightSchema, 'Highlight', 'A place in a text, in UTF-16 code units.'],
  [
    answers.hitExplanationSchema,
    'HitExplanation',
    'Why a result is there. `rerank_score = reranker + lexical_weight × lexical + language`, but for rounding; a publication that the question names has at least the best `rerank_score` of the others.',
  ],
  [answers.memberSchema, 'CollapsedMember', 'A publication for which a result stands.'],
  [answers.searchResultSchema, 'SearchResult', 'A patent that fits a question.'],
  [answers.searchResponseSchema, 'SearchResponse', 'The answer of a search.'],
  [answers.analyticsResultSchema, 'AnalyticsResult', 'A patent on a page of statistics.'],
  [answers.analyticsStatsSchema, 'AnalyticsStats', 'Counts by the requested axes.'],
  [answers.countExplanationSchema, 'CountExplanation', 'How the documents of statistics were counted.'],
  [
    answers.analyticsResponseSchema,
    'AnalyticsResponse',
    'Statistics over all patents with at least `min_score`, and a page of them.',
  ],
  [answers.citedDocumentSchema, 'CitedDocument', 'A document that a publication cites.'],
  [answers.bibliographySchema, 'Bibliography', 'Bibliographic data of a publication beyond its metadata.'],
  [answers.detailsEntrySchema, 'DetailsEntry', 'A requested document, or why it is missing.'],
  [answers.detailsResponseSchema, 'DetailsResponse', 'Documents as markdown.'],
  [answers.coverageCountrySchema, 'CoverageCountry', 'Contents of the index for one country.'],
  [answers.coverageSchema, 'Coverage', 'Contents of the index.'],
];

const RECORD_TYPES = [
  [records.nameSchema, 'NameInput', 'A person or company.'],
  [
    records.namesSchema,
    'NamesInput',
    'One name, or a list of names. A list may mix plain texts and objects.',
  ],
  [records.claimSchema, 'ClaimInput', 'One claim.'],
  [records.claimsSchema, 'ClaimsInput', 'Claims in order. Plain texts are numbered from 1.'],
  [records.paragraphSchema, 'ParagraphInput', 'One paragraph of a description.'],
  [records.sectionSchema, 'SectionInput', 'One section of a description.'],
  [
    records.descriptionSchema,
    'DescriptionInput',
    'One text, whose lines become paragraphs, or sections under their headings.',
  ],
  [
    records.internationalStageSchema,
    'InternationalStageInput',
    'The international (PCT) application or publication that a national one rests on.',
  ],
  [records.legalStatusSchema, 'LegalStatusInput', 'Legal status of a right.'],
  [records.drawingSchema, 'DrawingInput', 'A drawing that a publication names.'],
  [
    records.prioritySchema,
    'PriorityInput',
    'An earlier application whose date is claimed: a foreign priority, a provisional, a parent.',
  ],
  [
    records.citationSchema,
    'CitationInput',
    'What a publication cites. Needed: `patent_id`, or `country` and `number`, or `text`.',
  ],
  [
    records.patentSchema,
    'PatentInput',
    `One publication to be ingested. Required: a number (\`patent_id\`, \`publication_number\` or \`number\`), \`country\` and
 * \`kind_code\` unless the number tells them, and one text (\`title\`, \`abstract\`, \`claims\` or \`description\`). Dates are
 * \`YYYY-MM-DD\`. \`null\` means the same as leaving a field out. Fields whose names begin with an underscore are ignored;
 * other unknown fields are refused.
 *
 * Every \`Patent\` that an index gives out is a \`PatentInput\`.`,
  ],
];

/** Lists of an application's requests and records may be read-only, so that `as const` data is accepted. */
const FILES = [
  {
    file: 'src/search/public-types.ts',
    title: "Types of the library's requests and answers.",
    sources: 'schema.ts and answer-schema.ts',
    types: SEARCH_TYPES,
    isReadonly: (schema) => Object.values(requests).includes(schema),
  },
  {
    file: 'src/ingest/patent-input.ts',
    title: 'Types of the records for an ingest.',
    sources: 'patent-schema.ts',
    types: RECORD_TYPES,
    isReadonly: () => true,
  },
];

let known = new Map();
let isReadonly = false;

function typeOf(schema) {
  const name = known.get(shape(schema));
  if (name !== undefined) return name;
  if (schema.anyOf) return [...new Set(schema.anyOf.map((part) => typeOf(part)))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'array': {
      const item = typeOf(schema.items);
      const list = item.includes('|') ? `(${item})[]` : `${item}[]`;
      return isReadonly ? `readonly ${list}` : list;
    }
    case 'object':
      return schema.properties ? membersOf(schema) : recordOf(schema);
    case 'integer':
      return 'number';
    default:
      return schema.type;
  }
}

/** Identity of an object's schema, without its comment, which differs by use. */
function shape({ $schema: _, description: __, ...schema }) {
  return JSON.stringify(schema);
}

function recordOf({ propertyNames, additionalProperties, required }) {
  const keys = propertyNames?.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? 'string';
  const record = `Record<${keys}, ${typeOf(additionalProperties)}>`;
  const whole = propertyNames?.enum && !required ? `Partial<${record}>` : record;
  return isReadonly ? `Readonly<${whole}>` : whole;
}

function membersOf({ properties, required = [] }) {
  const members = Object.entries(properties).map(([name, property]) => {
    const comment = commentOf(property);
    if (comment === '') throw new Error(`the field ${name} has no description in its schema`);
    const isOptional = !required.includes(name);
    const isNullish = /\| null$/.test(typeOf(property));
    return `/** ${comment} */\n${name}${isOptional ? '?' : ''}: ${typeOf(property)}${isOptional && isNullish ? ' | undefined' : ''};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

function commentOf(property) {
  const { description = '', default: fallback } = property;
  const value = property.anyOf?.[0] ?? property;
  const range =
    value.minimum !== undefined && value.maximum !== undefined && value.maximum < Number.MAX_SAFE_INTEGER
      ? `${value.minimum} to ${value.maximum}`
      : '';
  const sentences = [
    description,
    value.format === 'date' && !/YYYY/.test(description) ? 'YYYY-MM-DD' : '',
    /\d to \d/.test(description) ? '' : range,
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}`,
  ];
  return sentences
    .filter(Boolean)
    .map((sentence) => `${sentence.replaceAll('*/', '*\\/').replace(/\.$/, '')}.`)
    .join(' ');
}

const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));

for (const { file, title, sources, types, ...options } of FILES) {
  known = new Map();
  let text = `/**
 * ${title} Made by \`node scripts/types.mjs\` from the schemas in
 * ${sources}, whose descriptions are the comments. Change those, not this file.
 */\n`;
  for (const [schema, name, comment] of types) {
    isReadonly = options.isReadonly(schema);
    const json = z.toJSONSchema(schema, { io: 'input' });
    text += comment.includes('\n') ? `\n/**\n * ${comment}\n */\n` : `\n/** ${comment} */\n`;
    text += json.properties
      ? `export interface ${name} ${membersOf(json)}\n`
      : `export type ${name} = ${typeOf(json)};\n`;
    known.set(shape(json), name);
  }
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const formatted = execFileSync(process.execPath, [biome, 'format', '--stdin-file-path', path], {
    input: text,
    encoding: 'utf8',
  });
  if (!process.argv.includes('--check')) writeFileSync(path, formatted);
  else if (readFileSync(path, 'utf8') !== formatted) {
    process.stderr.write(`${file} does not match the schemas; run \`node scripts/types.mjs\`\n`);
    process.exitCode = 1;
  }
}
