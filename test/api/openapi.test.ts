/** The OpenAPI document, its page, and real answers checked against it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROUTES } from '../../src/http/app.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { examplesOf, operationsOf } from '../../src/http/openapi/operations.js';
import { SCHEMAS, type SchemaName } from '../../src/http/openapi/schemas.js';
import { COUNTRIES, type Country } from '../../src/patent/country.js';
import { kindClass, knownKinds } from '../../src/patent/kind.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../../src/search/query.js';
import { onEachAdapter, Service } from './service.js';

const OPERATIONS = operationsOf(ROUTES);
const EXAMPLES = examplesOf(ROUTES);

describe('the OpenAPI document', () => {
  const document = openApiDocument(ROUTES, '1.2.3');

  it('SPEC 6, DECISIONS events: there are no webhooks and no notifications', () => {
    assert.equal(document['webhooks'], undefined);
    const paths = [...Object.keys(document['paths'] as object), ...ROUTES.map(({ path }) => path)];
    assert.deepEqual(
      paths.filter((path) => /event|hook|notif|subscri|callback/i.test(path)),
      [],
    );
  });

  it('the document is OpenAPI 3.1, and all its references resolve', () => {
    assert.equal(document['openapi'], '3.1.0');
    const text = JSON.stringify(document);
    const at = (pointer: string) =>
      pointer
        .slice(2)
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
    for (const [, pointer] of text.matchAll(/"\$ref":"([^"]+)"/g)) assert.ok(at(pointer!), pointer);
    const ids = OPERATIONS.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('the document has exactly the public endpoints of the program', () => {
    // Files of pages are not endpoints. Those of MCP speak another protocol, and OAuth has its own metadata.
    const served = ROUTES.filter(
      ({ path }) => !/^\/(?:$|docs\/|page\/|mcp(?:\/|$)|oauth\/|\.well-known\/)/.test(path),
    );
    const named = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    assert.deepEqual(named.sort(), served.map(({ method, path }) => `${method} ${path}`).sort());
    for (const { path, method, key, tag } of OPERATIONS) {
      const route = ROUTES.find((one) => one.path === path && one.method.toLowerCase() === method);
      assert.equal(route?.access === 'key', key, path);
      assert.equal(route?.access === 'admin', tag === 'Administration', path);
      assert.equal(route?.access === 'account', tag === 'Account', path);
    }
  });

  it('the document describes when each optional field is absent', () => {
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into whatever is there
    const { schemas } = document['components'] as any;
    const requests = OPERATIONS.flatMap(({ body }) => body ?? []) as string[];
    let fields = 0;
    const walk = (schema: typeof schemas, name: string) => {
      for (const [field, property] of Object.entries((schema?.properties ?? {}) as typeof schemas)) {
        const held = property as typeof schemas;
        if (!schema.required?.includes(field)) {
          fields += 1;
          assert.match(held.description ?? '', /absent/i, `${name}.${field}`);
        }
        for (const part of [held, held.items]) walk(part, `${name}.${field}`);
      }
    };
    for (const [name, schema] of Object.entries(schemas)) if (!requests.includes(name)) walk(schema, name);
    assert.ok(fields > 15, `${fields} fields`);
  });

  it('the document defines application, grant and priority date for each office', () => {
    const { description } = document['info'] as { description: string };
    const row = (country: Country) =>
      description.split('\n').find((line) => line.startsWith(`| ${country} |`));
    for (const country of COUNTRIES) {
      const [, , applications, grants, utilityApplications, utilityGrants, designs] =
        row(country)
          ?.split('|')
          .map((cell) => cell.trim().split(', ').filter(Boolean)) ?? [];
      const cells = { application: applications, grant: grants, design: designs };
      const utility = { utility_application: utilityApplications, utility_grant: utilityGrants };
      for (const [kind, codes = []] of Object.entries({ ...cells, ...utility }))
        for (const code of codes) assert.equal(kindClass(country, code), kind, `${country} ${code}`);
      assert.deepEqual(
        [applications, grants, utilityApplications, utilityGrants, designs].flat().sort(),
        knownKinds(country).sort(),
      );
    }
    assert.match(description, /priority date .* earliest priority .* without one, its own filing date/);
    const { SemanticRequest } = SCHEMAS;
    assert.match(SemanticRequest.shape.priority_date_from.description ?? '', /else the own filing date/);
  });

  it('examples fit their schemas, and the validators accept their requests', () => {
    const parsers: Partial<Record<SchemaName, (body: unknown) => unknown>> = {
      SemanticRequest: parseSemantic,
      AnalyticsRequest: parseAnalytics,
      DetailsRequest: parseDetails,
    };
    for (const [name, examples] of Object.entries(EXAMPLES) as [SchemaName, Record<string, unknown>][]) {
      for (const [id, example] of Object.entries(examples)) {
        const result = SCHEMAS[name].safeParse(example);
        assert.ok(result.success, `${name}.${id}: ${result.error?.message}`);
        parsers[name]?.(example);
      }
    }
    for (const { body, answers } of OPERATIONS) {
      const named = [body, ...Object.values(answers).map(({ content }) => content)];
      for (const name of named)
        if (typeof name === 'string') assert.ok(EXAMPLES[name], `${name} has no example`);
    }
  });
});

onEachAdapter('reference', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  it('/openapi.json is the document, without a key, with an ETag', async () => {
    const answer = await service.call('/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    const { info, ...rest } = openApiDocument(ROUTES, '');
    assert.deepEqual({ ...answer.json, info: undefined }, { ...rest, info: undefined });
    assert.match(answer.json.info.version, /^\d+\.\d+\.\d+/);
    assert.ok(info);
    const etag = answer.headers.get('etag') ?? '';
    assert.equal((await service.call('/openapi.json', { headers: { 'if-none-match': etag } })).status, 304);
  });

  it('/docs loads nothing from other hosts, and shows every endpoint and field', async () => {
    const page = await service.call('/docs');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, url]) => url!);
    assert.deepEqual(loaded.sort(), ['docs/style.css', 'docs/try-it.js', 'openapi.json']);
    for (const url of loaded) assert.equal((await service.call(`/${url}`)).status, 200, url);
    assert.doesNotMatch(page.text, /<script(?! src="docs)|<style|\son\w+=|undefined|\[object/);
    for (const { path, summary } of OPERATIONS) {
      assert.ok(page.text.includes(`<code>${path}</code>`), path);
      assert.ok(page.text.includes(summary), summary);
    }
    for (const name of Object.keys(SCHEMAS.SemanticRequest.shape))
      assert.ok(page.text.replaceAll('<wbr>', '').includes(`<code>${name}</code>`), name);
  });
});
