/**
 * The request schemas in /openapi.json and the server agree on values from and around the schemas. Rules that JSON
 * Schema cannot express are listed here and described in the document.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { checkedQuota, checkName } from '../../src/access/rules.js';
import { ROUTES } from '../../src/http/app.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import {
  keyNameSchema,
  ownKeyInputSchema,
  passwordChangeSchema,
} from '../../src/http/routes/account/schema.js';
import {
  accountChangeSchema,
  accountInputSchema,
  environmentInputSchema,
} from '../../src/http/routes/admin/accounts/schema.js';
import { keyInputSchema } from '../../src/http/routes/admin/keys/schema.js';
import { passwordInputSchema } from '../../src/http/routes/admin/operation/schema.js';
import { maintenanceInputSchema } from '../../src/http/routes/admin/service/schema.js';
import { loginSchema } from '../../src/http/routes/admin/session/schema.js';
import { checkSignIn, pageSignInSchema } from '../../src/http/routes/session/schema.js';
import { plainCode } from '../../src/patent/classification.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../../src/search/query.js';
import fc from '../property.js';

// biome-ignore lint/suspicious/noExplicitAny: schemas are walked as they come
type Schema = any;

const document = openApiDocument(ROUTES, '1.2.3');
const { schemas } = document['components'] as { schemas: Record<string, Schema> };
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'document', components: document['components'] });

/** Parses a decoded body as the server does; throws if the server refuses it. */
const SERVER: Record<string, (body: unknown) => unknown> = {
  SemanticRequest: parseSemantic,
  AnalyticsRequest: parseAnalytics,
  DetailsRequest: parseDetails,
  AccountInput: (body) => {
    const { name, plan, monthly_quota: quota } = accountInputSchema.parse(body);
    checkName('name', name);
    checkedQuota(plan, quota);
  },
  AccountChange: (body) => accountChangeSchema.parse(body),
  EnvironmentInput: (body) => environmentInputSchema.parse(body),
  KeyInput: (body) => keyInputSchema.parse(body),
  MaintenanceInput: (body) => maintenanceInputSchema.parse(body),
  AdminLogin: (body) => loginSchema.parse(body),
  OwnKeyInput: (body) => ownKeyInputSchema.parse(body),
  KeyName: (body) => keyNameSchema.parse(body),
  PasswordChange: (body) => passwordChangeSchema.parse(body),
  PasswordInput: (body) => passwordInputSchema.parse(body),
  PageSignIn: (body) => checkSignIn(pageSignInSchema.parse(body)),
};

/** Rules that only the server checks: a body fits the schema, but the server refuses it. */
const REFUSED: readonly { rule: string; says: RegExp; example: [string, object] }[] = [
  {
    rule: 'a range does not end before it begins',
    says: /expected a day not after /,
    example: ['SemanticRequest', { query: 'x', grant_date_from: '2021-01-01', grant_date_to: '2020-01-01' }],
  },
  {
    rule: 'a name contains a letter or digit',
    says: /^(applicant|inventor): .*expected a name with a letter or digit$/,
    example: ['SemanticRequest', { query: 'x', applicant: '...' }],
  },
  {
    rule: 'a word or phrase contains a letter or digit',
    says: /^must_(not_)?terms\[\d+\]: .*expected a word or phrase with a letter or digit$/,
    example: ['SemanticRequest', { query: 'x', must_terms: ['PM2.5', '--'] }],
  },
  {
    rule: 'a name is not a legal form alone',
    says: /^(applicant|inventor): .*expected a name, not a legal form alone$/,
    example: ['AnalyticsRequest', { query: 'x', applicant: 'Co., Ltd.' }],
  },
  {
    rule: 'a text that resembles a day is a real day, written YYYY-MM-DD',
    says: /^as_of: invalid date /,
    example: ['SemanticRequest', { query: 'x', as_of: '2019-02-29' }],
  },
  {
    rule: 'a publication number has a digit',
    says: /^as_of: got .*expected a day as YYYY-MM-DD, or the number of a publication in the index$/,
    example: ['SemanticRequest', { query: 'x', as_of: 'yesterday' }],
  },
  {
    rule: 'prefer_countries chooses among the members of a family',
    says: /^prefer_countries: .*expected collapse "family" with it$/,
    example: ['SemanticRequest', { query: 'x', prefer_countries: ['KR'], collapse: 'application' }],
  },
  {
    rule: 'an account signs in with its password',
    says: /^(account|password): missing; expected account and password, or visitor$/,
    example: ['PageSignIn', { account: 'x' }],
  },
  {
    rule: 'only the plan enterprise has a quota',
    says: /^monthly_quota is for the plan enterprise; /,
    example: ['AccountInput', { name: 'x', plan: 'free', monthly_quota: 5 }],
  },
];

/** Spellings that only the server accepts, because a schema cannot express them. The plain spelling fits the schema. */
const ACCEPTED: readonly {
  rule: string;
  field: RegExp;
  plain(text: string): string;
  example: [string, object];
}[] = [
  {
    rule: 'white space around a text is ignored',
    field:
      /^(query|applicant|inventor|publication_number|application_number|family_id|must_terms|must_not_terms|as_of|like|unlike|patent_ids)$/,
    plain: (text) => text.trim(),
    example: ['SemanticRequest', { query: 'x', family_id: `1${' '.repeat(5_000)}` }],
  },
  {
    rule: 'in lists of sections, any white space is a space',
    field: /^sections$/,
    plain: (text) => text.replace(/\s/g, ' '),
    example: ['DetailsRequest', { patent_ids: ['x'], sections: 'title,\tclaims' }],
  },
  {
    rule: 'in classifications, what offices print around a code, white space and full width do not matter',
    field: /^(ipc|cpc)_codes$/,
    plain: plainCode,
    example: ['SemanticRequest', { query: 'x', ipc_codes: ['Ｈ０１Ｍ\u300010/05 (2010.01)'] }],
  },
];

/** A body with the plain spelling of each value. */
function plain(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const fields = Object.entries(body).map(([field, value]) => {
    const known = ACCEPTED.find((one) => one.field.test(field));
    const written = (text: unknown) => (known && typeof text === 'string' ? known.plain(text) : text);
    return [field, Array.isArray(value) ? value.map(written) : written(value)];
  });
  return Object.fromEntries(fields);
}

const SPACE = fc.constantFrom('', '', '', '', ' ', '\t', '\n', '\u00a0', '\u3000', '  ');
const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    '\u200b',
    '\u0000',
    '\ud800',
    '𠀀',
    '...',
    'Co., Ltd.',
    '株式会社',
    '㈜',
    'é',
    '__proto__',
  ),
  fc.constantFrom(
    'US11217824B2',
    '10-2020-0022285',
    'A',
    'A1',
    'b2',
    'A12',
    'Ａ１',
    'production',
    'a_b-c',
    '-a',
    'x'.repeat(33),
  ),
  fc.constantFrom(
    'H',
    'H01',
    'h01m',
    'H01M10',
    'H01M 10/05',
    'H 0 1 M',
    'H01M 0010/05',
    'H01M/05',
    'Ｈ０１Ｍ',
    'I01M',
    'H01M10/',
    'H01M10/0000000',
    'H01M\t10/05',
    'H01M:10',
    'H01M 0/05',
    'H01M 10000',
  ),
  fc.constantFrom('title', 'title,claims', ' title ,\tclaims', 'title,', 'TITLE', 'abstract\n'),
  fc.constantFrom(
    '2020-01-31',
    '2020-02-30',
    '2020-2-1',
    '20200131',
    '0000-01-01',
    '0001-01-01',
    '9999-12-31',
    '2020-01-31T00:00:00Z',
    '2019-02-29',
    '2020-02-29',
    '1582-10-10',
    '+2020-01-01',
    '٢٠٢٠-٠١-٠١',
    '2020-13-01',
    '2020-00-10',
  ),
);
const ANY = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, 1e21, '', 'true', '1', [], {}, [null], [[]]),
  TEXT,
);

/** Values that fit a schema or nearly fit it. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(schema), weight: 12 }, { arbitrary: ANY, weight: 1 });
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(schemas[schema.$ref.split('/').at(-1)]);
  if (schema.anyOf !== undefined && schema.properties === undefined)
    return fc.oneof(...schema.anyOf.map(near));
  if (schema.enum !== undefined) {
    const values = fc.constantFrom<string>(...schema.enum);
    return fc.oneof(
      { arbitrary: values, weight: 8 },
      { arbitrary: fc.tuple(SPACE, values).map(([space, value]) => value + space), weight: 1 },
    );
  }
  switch (schema.type) {
    case 'object':
      return objects(schema);
    case 'array': {
      const { minItems = 0, maxItems = 3, items } = schema;
      const many = fc
        .tuple(near(items), fc.constantFrom(maxItems - 1, maxItems, maxItems + 1))
        .map(([value, length]) => Array(length).fill(value));
      return fc.oneof(
        { arbitrary: fc.array(near(items), { minLength: minItems, maxLength: 4 }), weight: 8 },
        { arbitrary: many, weight: 1 },
      );
    }
    case 'integer':
    case 'number': {
      const { minimum = -5, maximum = 5 } = schema;
      const edges = [minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1, minimum + 0.5];
      return fc.oneof(fc.constantFrom(...edges), fc.double({ min: minimum, max: maximum, noNaN: true }));
    }
    case 'string':
      return strings(schema);
    default:
      return ANY;
  }
}

function strings({ maxLength, examples = [], pattern }: Schema): fc.Arbitrary<string> {
  const all: fc.Arbitrary<string>[] = [TEXT];
  if (examples.length > 0) all.push(fc.constantFrom<string>(...examples));
  if (pattern !== undefined) all.push(fc.stringMatching(new RegExp(pattern, 'u')));
  if (maxLength !== undefined) {
    const units = fc.constantFrom('x', '한', '𠀀', ' ');
    all.push(
      fc
        .tuple(units, fc.constantFrom(maxLength - 1, maxLength, maxLength + 1))
        .map(([unit, n]) => unit.repeat(n)),
    );
  }
  return fc.tuple(SPACE, fc.oneof(...all), SPACE).map((parts) => parts.join(''));
}

/** A body has few fields, because bodies with many fields are rarely valid. */
function objects({ properties, anyOf, required = anyOf?.[0].required ?? [] }: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(properties);
  const all = [...names, 'unknown', '__proto__', 'toString'];
  const weighted = fc.oneof(
    { arbitrary: fc.constantFrom(...names), weight: 20 },
    { arbitrary: fc.constantFrom(...all), weight: 1 },
  );
  const chosen = fc.uniqueArray(weighted, { maxLength: 3 });
  const left = fc.oneof(
    { arbitrary: fc.constant<string[]>([]), weight: 12 },
    { arbitrary: fc.subarray<string>(required), weight: 1 },
  );
  return fc.tuple(chosen, left).chain(([optional, leftOut]) => {
    const fields = [...new Set([...required, ...optional])].filter((name) => !leftOut.includes(name));
    const values = fields.map((name) => (Object.hasOwn(properties, name) ? near(properties[name]) : ANY));
    // A name such as __proto__ is an ordinary field in JSON.
    return fc.tuple(...values).map((given) => {
      const text = fields.map((name, n) => `${JSON.stringify(name)}:${JSON.stringify(given[n])}`);
      return JSON.parse(`{${text.join(',')}}`);
    });
  });
}

/** The reason why the server refuses a body; undefined if the server accepts it. */
function refusal(name: string, body: unknown): string | undefined {
  try {
    SERVER[name]!(body);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function validator(name: string): ValidateFunction {
  return ajv.compile({ $ref: `document#/components/schemas/${name}` });
}

describe('request schemas and server accept the same bodies', () => {
  it('every documented body has a check', () => {
    const named = JSON.stringify(document['paths']).matchAll(
      /"requestBody":.*?"\$ref":"#\/components\/schemas\/(\w+)"/g,
    );
    assert.deepEqual([...new Set([...named].map(([, name]) => name))].sort(), Object.keys(SERVER).sort());
  });

  for (const name of Object.keys(SERVER)) {
    it(name, () => {
      const fits = validator(name);
      const verdicts = { both: 0, neither: 0 };
      fc.assert(
        fc.property(near(schemas[name]), (given) => {
          const body = JSON.parse(JSON.stringify(given));
          const says = refusal(name, body);
          if (fits(body)) {
            if (says === undefined) verdicts.both++;
            else
              assert.ok(
                REFUSED.some((known) => known.says.test(says)),
                `fits, but is refused: ${says}`,
              );
          } else if (says !== undefined) verdicts.neither++;
          else assert.ok(fits(plain(body)), `is accepted, but does not fit: ${ajv.errorsText(fits.errors)}`);
        }),
        { numRuns: 1_500 },
      );
      // Both verdicts are frequent.
      assert.ok(verdicts.both > 20 && verdicts.neither > 20, JSON.stringify(verdicts));
    });
  }

  for (const { rule, says, example } of REFUSED) {
    it(`the schema cannot express: ${rule}`, () => {
      const [name, body] = example;
      assert.ok(validator(name)(body), `expected that the schema ${name} accepts ${JSON.stringify(body)}`);
      assert.match(refusal(name, body) ?? 'accepted', says);
    });
  }
  for (const { rule, example } of ACCEPTED) {
    it(`the schema cannot express: ${rule}`, () => {
      const [name, body] = example;
      const fits = validator(name);
      assert.ok(!fits(body), `expected that the schema refuses ${JSON.stringify(body)}`);
      assert.equal(refusal(name, body), undefined);
      assert.ok(fits(plain(body)), `expected that the schema accepts ${JSON.stringify(plain(body))}`);
    });
  }
});
