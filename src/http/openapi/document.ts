/** The OpenAPI 3.1 document, generated from the routes and the schemas. */
import { SESSION_COOKIE } from '../admission/administrator.js';
import { PAGE_COOKIE } from '../admission/page-session.js';
import { ERROR_HELP, SHOWN_CODES } from '../error-codes.js';
import type { Route } from '../route.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import { notes } from './notes.js';
import { type Answer, type Examples, TAGS } from './operation.js';
import { examplesOf, operationsOf, type RoutedOperation } from './operations.js';
import { componentSchemas, type SchemaName, schemaRef } from './schemas.js';

const text = (description: string) => ({ description, schema: { type: 'string' } });

const HEADERS = {
  'X-Request-Id': text('Names the request in the log; taken over from the request where it sent a sane one'),
  'X-Error-Code': {
    description: `Names the error for programs; a code keeps its meaning.\n\n${codeList()}`,
    schema: { type: 'string', enum: SHOWN_CODES },
  },
  'RateLimit-Policy': text('Requests allowed a minute, and searches a month, as structured fields'),
  RateLimit: text('What is left of them, and for how many seconds'),
  'Retry-After': {
    description: 'Seconds after which a retry can succeed',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text('How to authenticate'),
  'Set-Cookie': text('The session'),
  ETag: text('Entity tag of the content; of a GET, for If-None-Match'),
  'Cache-Control': text('How long the answer may be kept'),
  Location: text('Link to the image, relative where this server hands it out'),
  'Accept-Ranges': text('bytes'),
  'Content-Range': text('Which bytes of how many'),
};

/** The codes with meaning and remedy, as Markdown. */
function codeList(): string {
  return SHOWN_CODES.map((code) => {
    const { means, solve } = ERROR_HELP[code];
    return `- `.concat('`', code, '`', `: ${means}. To solve it: ${solve}.`);
  }).join('\n');
}

/**
 * @param routes the endpoints of the server
 * @param version version of the program
 * @param url the address of the server; absent: the origin of the document
 */
export function openApiDocument(
  routes: readonly Route[],
  version: string,
  url = '/',
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const examples = examplesOf(routes);
  for (const operation of operationsOf(routes)) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = operationObject(operation, examples);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'priorart',
      version,
      summary: 'Semantic search over patents of US, KR, JP, CN and EP',
      description:
        'Every error is JSON of the form {"detail": "…"}, with a code in X-Error-Code. Searches and documents need the ' +
        `header X-API-Key.\n\n${notes()}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      schemas: componentSchemas(),
      headers: HEADERS,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        PageSession: { type: 'apiKey', in: 'cookie', name: PAGE_COOKIE },
        PageHeader: { type: 'apiKey', in: 'header', name: 'X-Priorart-Page', description: 'Any value' },
        AdminSecret: { type: 'http', scheme: 'bearer', description: 'The secret of the administration' },
        AdminSession: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      },
    },
  };
}

function operationObject(operation: RoutedOperation, examples: Examples): Record<string, unknown> {
  const { id, tag, summary, description, body, parameters, answers } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(operation),
    ...(parameters ? { parameters: parameters.map((given) => ({ ...given })) } : {}),
    ...(body ? { requestBody: { required: true, content: jsonContent(body, examples) } } : {}),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, answerObject(answer, examples)]),
    ),
  };
}

/** Each entry is enough. */
function securityOf({ key, session, account, admin }: RoutedOperation): Record<string, string[]>[] {
  return [
    ...(key ? [{ ApiKey: [] }] : []),
    ...(session || account ? [{ PageSession: [], PageHeader: [] }] : []),
    ...(admin ? [{ AdminSecret: [] }, { AdminSession: [] }] : []),
  ];
}

function answerObject(
  { description, content, headers = [], codes }: Answer,
  examples: Examples,
): Record<string, unknown> {
  const names = ['X-Request-Id', ...headers];
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content === undefined
      ? {}
      : { content: codes ? errorContent(codes) : contentObject(content, examples) }),
  };
}

/** An example for each code, with the server's own text. */
function errorContent(codes: NonNullable<Answer['codes']>): Record<string, unknown> {
  const examples = SHOWN_CODES.filter((code) => Object.hasOwn(codes, code)).map((code) => [
    code,
    { summary: ERROR_HELP[code].means, value: { detail: codes[code] ?? ERROR_EXAMPLES[code] } },
  ]);
  return { 'application/json': { schema: schemaRef('Error'), examples: Object.fromEntries(examples) } };
}

function contentObject(content: NonNullable<Answer['content']>, examples: Examples): Record<string, unknown> {
  if (typeof content === 'string') return jsonContent(content, examples);
  return { [content.type]: content.type === 'application/json' ? { schema: { type: 'object' } } : {} };
}

function jsonContent(name: SchemaName, known: Examples): Record<string, unknown> {
  const examples = Object.entries(known[name] ?? {}).map(([id, value]) => [id, { value }]);
  return {
    'application/json': {
      schema: schemaRef(name),
      ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
    },
  };
}
