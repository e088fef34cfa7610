/** The schemas of requests and answers in OpenAPI form, derived from the schemas that validate. */
import { z } from 'zod';
import * as answers from '../../search/answer-schema.js';
import { analyticsSchema, detailsSchema, semanticSchema } from '../../search/schema.js';
import * as own from '../routes/account/schema.js';
import * as accounts from '../routes/admin/accounts/schema.js';
import * as grants from '../routes/admin/grants/schema.js';
import * as keys from '../routes/admin/keys/schema.js';
import * as operating from '../routes/admin/operation/schema.js';
import * as service from '../routes/admin/service/schema.js';
import * as session from '../routes/admin/session/schema.js';
import * as page from '../routes/session/schema.js';

/** The body of every error. */
export const errorSchema = z.strictObject({
  detail: z.string().describe('What was wrong and what was expected, for people'),
});

export const healthSchema = z.strictObject({ status: z.enum(['ok', 'ready']) });

/** Schemas by their name in the document. */
export const SCHEMAS = {
  SemanticRequest: semanticSchema,
  AnalyticsRequest: analyticsSchema,
  DetailsRequest: detailsSchema,
  Chunk: answers.chunkSchema,
  CollapsedMember: answers.memberSchema,
  SearchResult: answers.searchResultSchema,
  SearchResponse: answers.searchResponseSchema,
  AnalyticsResult: answers.analyticsResultSchema,
  AnalyticsStats: answers.analyticsStatsSchema,
  CountExplanation: answers.countExplanationSchema,
  AnalyticsResponse: answers.analyticsResponseSchema,
  CitedDocument: answers.citedDocumentSchema,
  Bibliography: answers.bibliographySchema,
  DetailsEntry: answers.detailsEntrySchema,
  DetailsResponse: answers.detailsResponseSchema,
  Coverage: answers.coverageSchema,
  Health: healthSchema,
  Error: errorSchema,
  OwnKeyInput: own.ownKeyInputSchema,
  KeyName: own.keyNameSchema,
  PasswordChange: own.passwordChangeSchema,
  PasswordInput: operating.passwordInputSchema,
  Ingests: operating.ingestsSchema,
  IngestFailures: operating.ingestFailuresSchema,
  HealthFigures: operating.healthFiguresSchema,
  PageSignIn: page.pageSignInSchema,
  PageSession: page.pageSessionSchema,
  AdminLogin: session.loginSchema,
  AdminSession: session.sessionSchema,
  Nothing: session.nothingSchema,
  Plans: accounts.plansSchema,
  AccountInput: accounts.accountInputSchema,
  AccountChange: accounts.accountChangeSchema,
  EnvironmentInput: accounts.environmentInputSchema,
  Account: accounts.accountSchema,
  Accounts: accounts.accountsSchema,
  KeyInput: keys.keyInputSchema,
  ApiKey: keys.keySchema,
  NewApiKey: keys.newKeySchema,
  ApiKeys: keys.keysSchema,
  RevokedKeys: keys.revokedKeysSchema,
  LogPage: keys.logPageSchema,
  Grant: grants.grantSchema,
  Grants: grants.grantsSchema,
  Usage: service.usageSchema,
  MaintenanceInput: service.maintenanceInputSchema,
  Maintenance: service.maintenanceStateSchema,
} as const;

export type SchemaName = keyof typeof SCHEMAS;

export function schemaRef(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components.schemas`. */
export function componentSchemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const uri = (id: string) => schemaRef(id as SchemaName).$ref;
  const { schemas } = z.toJSONSchema(registry, { target: 'draft-2020-12', io: 'input', uri });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}
