/** Requests and answers of the page's sessions. */
import { z } from 'zod';
import { PLANS } from '../../../access/records.js';
import { PriorartError } from '../../../errors.js';

const text = z.string({ error: 'a text' });

/** A visitor, or an account with its password: see `checkSignIn`. */
export const pageSignInSchema = z.strictObject({
  visitor: z.literal(true, { error: 'true, or account and password instead' }).optional(),
  account: text.optional().describe('Id or name'),
  password: text.optional(),
});

/** @throws PriorartError `invalid_request` unless the fields name a visitor, or an account with its password */
export function checkSignIn({ visitor, account, password }: z.output<typeof pageSignInSchema>): void {
  if (visitor !== undefined || (account !== undefined && password !== undefined)) return;
  const missing = account === undefined ? 'account' : 'password';
  const expected = 'account and password, or visitor';
  throw new PriorartError('invalid_request', `${missing}: missing; expected ${expected}`);
}

export const pageSessionSchema = z.strictObject({
  kind: z
    .enum(['visitor', 'account', 'none'])
    .describe('A `visitor` may search; an `account` may also see and change its keys'),
  account: z
    .exactOptional(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        plan: z.enum(PLANS),
        monthly_quota: z.int().min(0).describe('Searches a month'),
        used: z.int().min(0).describe('Searches of this month'),
        resets_at: z.iso.datetime().describe('When the next month begins'),
      }),
    )
    .describe('Absent without a session'),
  expires_at: z.exactOptional(z.iso.datetime()).describe('When the session ends; absent without one'),
  can_sign_in: z.boolean().describe('Whether any account has a password'),
  has_mcp_sign_in: z.boolean().describe('Whether accounts can give clients of MCP access'),
  can_visit: z.boolean().describe('Whether this client may open the session of a visitor'),
});
