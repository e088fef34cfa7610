/**
 * Writes src/search/public-types.ts from the zod schemas: types of the library's requests and answers, with a
 * doc comment on every field. Types that zod infers show no comments in an editor. `--check` writes nothing,
 * and fails if the file is out of date. Needs the output of `tsc`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import * as answers from '../dist/src/search/answer-schema.js';
import * as requests from '../dist/src/search/schema.js';

const FILE = fileURLToPath(new URL('../src/search/public-types.ts', import.meta.url));

/** Schema, name of its type, comment. A type precedes the types that contain it. */
const TYPES = [
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
  [answers.searchResultSchema, 'SearchResult', 'A patent that fits a question.'],
  [answers.searchResponseSchema, 'SearchResponse', 'The answer of a search.'],
  [answers.analyticsResultSchema, 'AnalyticsResult', 'A patent on a page of statistics.'],
  [answers.analyticsStatsSchema, 'AnalyticsStats', 'Counts by the requested axes.'],
  [
    answers.analyticsResponseSchema,
    'AnalyticsResponse',
    'Statistics over all patents with at least `min_score`, and a page of them.',
  ],
  [answers.detailsEntrySchema, 'DetailsEntry', 'A requested document, or why it is missing.'],
  [answers.detailsResponseSchema, 'DetailsResponse', 'Documents as markdown.'],
  [answers.coverageCountrySchema, 'CoverageCountry', 'Contents of the index for one country.'],
  [answers.coverageSchema, 'Coverage', 'Contents of the index.'],
];

const known = new Map();

function typeOf(schema) {
  const name = known.get(shape(schema));
  if (name !== undefined) return name;
  if (schema.anyOf) return [...new Set(schema.anyOf.map((part) => typeOf(part)))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'array': {
      const item = typeOf(schema.items);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
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
  return schema.type === 'object' && schema.properties ? JSON.stringify(schema) : undefined;
}

function recordOf({ propertyNames, additionalProperties, required }) {
  const keys = propertyNames?.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? 'string';
  const record = `Record<${keys}, ${typeOf(additionalProperties)}>`;
  return propertyNames?.enum && !required ? `Partial<${record}>` : record;
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

let text = `/**
 * Types of the library's requests and answers. Made by \`node scripts/types.mjs\` from the schemas in schema.ts and
 * answer-schema.ts, whose descriptions are the comments: change those, not this file.
 */\n`;
for (const [schema, name, comment] of TYPES) {
  const json = z.toJSONSchema(schema, { io: 'input' });
  text += `\n/** ${comment} */\nexport interface ${name} ${membersOf(json)}\n`;
  known.set(shape(json), name);
}
const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
const formatted = execFileSync(process.execPath, [biome, 'format', '--stdin-file-path', FILE], {
  input: text,
  encoding: 'utf8',
});
if (!process.argv.includes('--check')) writeFileSync(FILE, formatted);
else if (readFileSync(FILE, 'utf8') !== formatted) {
  process.stderr.write(
    'src/search/public-types.ts does not match the schemas; run `node scripts/types.mjs`\n',
  );
  process.exitCode = 1;
}
