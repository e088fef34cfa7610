/** Answers about grants. */
import { z } from 'zod';

const id = (of: string) => z.string().describe(`Id of ${of}`);
const time = () => z.iso.datetime();
export const listGrantsSchema = z.strictObject({ account: z.string({ error: 'a text' }).optional() });

export const grantSchema = z.strictObject({
  id: id('the grant'),
  account: id('the account'),
  client_id: z.string().describe('The client: its registration, or the address of its metadata document'),
  client_name: z.string().describe('The name that the client gave itself'),
  key: id('the API key of the account for this client, whose log and quota hold its calls'),
  scope: z.string(),
  created_at: time(),
  expires_at: time(),
  last_used_at: z
    .exactOptional(time())
    .describe('Last call of the key; absent if the log of requests has none, and in the answer of an end'),
});

export const grantsSchema = z.strictObject({ grants: z.array(grantSchema).describe('Oldest first') });
