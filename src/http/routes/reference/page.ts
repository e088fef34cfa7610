/** The reference page: the OpenAPI document as HTML, with forms that send requests. */
import { ERROR_HELP, SHOWN_CODES, statusOf } from '../../error-codes.js';
import { ABSENT_NOTE, KINDS_NOTE, KINDS_TABLE, PRIORITY_NOTE } from '../../openapi/notes.js';
import type { Answer, Examples, Operation, Parameter } from '../../openapi/operation.js';
import { examplesOf, operationsOf, type RoutedOperation } from '../../openapi/operations.js';
import { componentSchemas, type SchemaName } from '../../openapi/schemas.js';
import type { Route } from '../../route.js';

type Json = Record<string, unknown>;

/** The whole page. It contains nothing from a request. */
export function docsPage(routes: readonly Route[], version: string): string {
  const operations = operationsOf(routes);
  const examples = examplesOf(routes);
  const schemas = componentSchemas();
  const links = operations.map(
    ({ id, method, path }) => `<li><a href="#${id}"><b>${method.toUpperCase()}</b> ${escaped(path)}</a></li>`,
  );
  const names = Object.keys(schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>priorart API</title>
<link rel="stylesheet" href="docs/style.css">
</head>
<body>
<nav aria-label="Endpoints">
<h1>priorart API</h1>
<p>Version ${escaped(version)}. <a href="openapi.json">openapi.json</a></p>
<label for="key">Your X-API-Key</label>
<input id="key" type="password" autocomplete="off" placeholder="psk_live_…">
<p class="hint">Needed for what is marked with it. Stays in this page. Searches sent from here count against your quota.</p>
<ul>${links.join('')}</ul>
<div class="schemas">
<h2>Schemas</h2>
<ul>${names.map((name) => `<li><a href="#${name}">${name}</a></li>`).join('')}</ul>
</div>
</nav>
<main>
<p>Requests and answers are JSON. Every error is <code>{"detail": "…"}</code> with
<a href="#errors">a code</a> in <code>X-Error-Code</code>, and every answer carries <code>X-Request-Id</code>. Searches and documents need the header <code>X-API-Key</code>.</p>
${operations.map((operation) => operationSection(operation, examples)).join('\n')}
${errorSection()}
${noteSections()}
<h2>Schemas</h2>
${names.map((name) => schemaSection(name, schemas[name] as Json)).join('\n')}
</main>
<script src="docs/try-it.js" type="module"></script>
</body>
</html>
`;
}

/** Operations without a form: the signature of a link cannot be typed by hand, and `docs` is this page. */
const NOT_TRIED = new Set(['drawingFile', 'docs']);
/** Operations with secrets and passwords, which do not belong on this page. */
const TAGS_NOT_TRIED = new Set<Operation['tag']>(['Administration', 'Web page', 'Account']);

function operationSection(operation: RoutedOperation, examples: Examples): string {
  const { id, method, path, summary, description, key, admin, body, parameters = [], answers } = operation;
  const credential = key ? ' <span>X-API-Key</span>' : admin ? ' <span>Administration</span>' : '';
  return `<section id="${id}">
<h2>${escaped(summary)}</h2>
<p class="endpoint"><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code>${credential}</p>
<p>${escaped(description)}</p>
${parameters.length > 0 ? parametersTable(parameters) : ''}
${body ? `<p>Body: ${link(body)}</p>` : ''}
${NOT_TRIED.has(id) || TAGS_NOT_TRIED.has(operation.tag) ? '' : form(operation, examples)}
<table><caption>Answers</caption><tbody>${Object.entries(answers).map(answerRow).join('')}</tbody></table>
</section>`;
}

function parametersTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, description }) =>
      `<tr><th scope="row">${field(name)}</th><td>${place}</td><td>${escaped(description)}</td></tr>`,
  );
  return `<table><caption>Parameters</caption><tbody>${rows.join('')}</tbody></table>`;
}

function answerRow([status, { description, content }]: [string, Answer]): string {
  const holds = typeof content === 'string' ? link(content) : escaped(content?.type ?? '');
  return `<tr><th scope="row">${status}</th><td>${escaped(description)}</td><td>${holds}</td></tr>`;
}

/**
 * A form whose request the script of the page sends. Without the script, the reader can run its command line.
 */
function form(operation: RoutedOperation, known: Examples): string {
  const { id, method, path, key, body, parameters = [], answers } = operation;
  const examples = body ? Object.entries(known[body] ?? {}) : [];
  const inputs = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(
      ({ name, in: place, required, description }) =>
        `<label>${escaped(name)} <input name="${escaped(name)}" data-in="${place}"${required ? ' required' : ''} ` +
        `autocomplete="off" placeholder="${escaped(description)}"></label>`,
    );
  const choices = examples.map(
    ([name, value]) =>
      `<button type="button" data-example="${escaped(JSON.stringify(value, null, 2))}">${escaped(name)}</button>`,
  );
  const first = JSON.stringify(examples[0]?.[1] ?? {}, null, 2);
  return `<form data-method="${method}" data-path="${escaped(path)}"${key ? ' data-key' : ''}${answers[302] ? ' data-saved' : ''}>
${inputs.join('\n')}
${choices.length > 1 ? `<p>Examples: ${choices.join(' ')}</p>` : ''}
${body ? `<label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="${first.split('\n').length}" spellcheck="false">${escaped(first)}</textarea>` : ''}
<button type="submit">Send</button>
<pre class="curl" aria-label="The same with curl"></pre>
<pre class="answer" aria-live="polite" hidden></pre>
</form>`;
}

function errorSection(): string {
  const rows = SHOWN_CODES.map((code) => {
    const { means, solve } = ERROR_HELP[code];
    return `<tr><th scope="row">${field(code)}</th><td>${statusOf(code)}</td><td>${prose(means)}. To solve it: ${prose(solve)}.</td></tr>`;
  });
  return `<section id="errors"><h2>Error codes</h2><table><tbody>${rows.join('')}</tbody></table></section>`;
}

function noteSections(): string {
  // One row per class, because six columns do not fit a narrow screen.
  const [titles = [], ...rows] = KINDS_TABLE;
  const body = rows.flatMap(([office = '', ...cells]) =>
    cells.map((codes, n) =>
      codes === ''
        ? ''
        : `<tr><th scope="row">${office}</th><td>${escaped(titles[n + 1] ?? '')}</td><td>${codes}</td></tr>`,
    ),
  );
  return `<section id="kinds"><h2>Kinds</h2>
<table><tbody>${body.join('')}</tbody></table><p>${escaped(KINDS_NOTE)}</p></section>
<section id="priority-date"><h2>Priority date</h2><p>${escaped(PRIORITY_NOTE)}</p></section>
<section id="absent-fields"><h2>Absent fields</h2><p>${escaped(ABSENT_NOTE)}</p></section>`;
}

/** Text with code in backquotes. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function schemaSection(title: string, schema: Json): string {
  const required = new Set(schema['required'] as string[] | undefined);
  const rows = Object.entries((schema['properties'] ?? {}) as Record<string, Json>).map(
    ([name, property]) =>
      `<tr><th scope="row">${field(name)}${required.has(name) ? ' <em>required</em>' : ''}</th>` +
      `<td>${typeOf(property)}</td><td>${describe(property)}</td></tr>`,
  );
  return `<section id="${title}"><h3>${title}</h3><table><tbody>${rows.join('')}</tbody></table></section>`;
}

function typeOf(schema: Json): string {
  const { $ref: ref, anyOf, type, items, enum: values, additionalProperties: rest } = schema;
  if (typeof ref === 'string') return link(ref.split('/').at(-1)!);
  if (Array.isArray(anyOf)) return anyOf.map((one: Json) => typeOf(one)).join(' or ');
  if (Array.isArray(values)) return values.map((value) => `<code>${escaped(String(value))}</code>`).join(' ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Json)}`;
  if (type === 'object' && typeof rest === 'object') return `map to ${typeOf(rest as Json)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return escaped(String(type ?? 'any'));
}

function describe(schema: Json): string {
  const facts = [schema, ...((schema['anyOf'] as Json[] | undefined) ?? [])].flatMap((part) =>
    (['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'format'] as const)
      .filter((name) => part[name] !== undefined && Math.abs(Number(part[name])) !== Number.MAX_SAFE_INTEGER)
      .map((name) => `${name} ${String(part[name])}`),
  );
  if (schema['default'] !== undefined) facts.unshift(`default ${JSON.stringify(schema['default'])}`);
  const text = typeof schema['description'] === 'string' ? escaped(schema['description']) : '';
  return `${text}${facts.length > 0 ? ` <span class="facts">${escaped(facts.join(', '))}</span>` : ''}`;
}

function link(name: SchemaName | string): string {
  return `<a href="#${name}">${name}</a>`;
}

/** A name with optional line breaks for narrow screens. */
function field(name: string): string {
  return `<code>${escaped(name).replaceAll('_', '_<wbr>')}</code>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
