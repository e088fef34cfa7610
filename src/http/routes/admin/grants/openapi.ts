/** OpenAPI operations of grants. */
import { adminOperation, inPath, inQuery } from '../openapi.js';

export const GRANT_EXAMPLE = {
  id: 'grant_Xy12abcdef345678',
  account: 'acc_Xy12abcdef34',
  client_id: 'https://client.example.com/mcp.json',
  client_name: 'A client',
  key: 'key_Xy12abcdef34',
  scope: 'patents:read',
  created_at: '2026-01-15T09:31:00.000Z',
  expires_at: '2027-01-15T09:31:00.000Z',
};

export const listGrantsOperation = adminOperation({
  id: 'listGrants',
  summary: 'Clients of MCP to which accounts gave access',
  description: 'Of the embedded authorization server; empty if it is off.',
  answer: 'Grants',
  parameters: [inQuery('account', 'Only those of this account', { type: 'string' })],
  invalid: 'unknown field "acount"; the nearest known field is "account"',
  examples: { Grants: { one: { grants: [{ ...GRANT_EXAMPLE, last_used_at: '2026-03-02T10:00:00.000Z' }] } } },
});

export const revokeGrantOperation = adminOperation({
  id: 'revokeGrant',
  summary: 'Ends the access of a client',
  description:
    'Holds on every server from the next call on. Revokes the API key of the client, too, if no other grant has it.',
  answer: 'Grant',
  parameters: [inPath('grant', 'Id of the grant')],
  unknown: 'there is no grant "grant_none"',
  changes: true,
  examples: { Grant: { ended: GRANT_EXAMPLE } },
});
