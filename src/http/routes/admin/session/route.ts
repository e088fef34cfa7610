import { PriorartError } from '../../../../errors.js';
import { ADMIN_SESSION_S } from '../../../../limits.js';
import { checkSecret, LOGIN, SESSION_COOKIE, sessionOf } from '../../../admission/administrator.js';
import { sessionCookie } from '../../../admission/cookie.js';
import type { Call, Route } from '../../../route.js';
import { answer, bodyOf } from '../../answer.js';
import { ADMIN, adminOf } from '../admin.js';
import { loginOperation, logoutOperation, sessionOperation } from './openapi.js';
import { loginSchema } from './schema.js';

const path = `${ADMIN}/session`;

function cookie(call: Call, token: string): string {
  const made = { name: SESSION_COOKIE, token, path: '/admin', maxAge: ADMIN_SESSION_S };
  return sessionCookie(call.request, made, adminOf(call).cookies);
}

export const login: Route = {
  method: 'POST',
  path,
  endpoint: LOGIN,
  access: 'admin',
  operation: loginOperation,
  async handle(call) {
    const admin = adminOf(call);
    const { remoteAddress } = call.request;
    await admin.guard.read(remoteAddress, async () => {
      const { secret } = await bodyOf(call, loginSchema).catch((error: unknown) => {
        // Reading a body costs more than comparing a secret. A body without a secret counts as a wrong secret.
        admin.guard.wrong(remoteAddress);
        throw error;
      });
      checkSecret(secret, call.request, admin);
    });
    const { token, expires } = admin.secret.newSession();
    const reply = answer({ expires_at: new Date(expires).toISOString() });
    return { ...reply, cookies: [cookie(call, token)] };
  },
};

export const session: Route = {
  method: 'GET',
  path,
  endpoint: 'admin.session',
  access: 'admin',
  operation: sessionOperation,
  handle(call) {
    const found = sessionOf(call.request, adminOf(call));
    if (found === undefined) throw new PriorartError('not_found', 'this request has no session');
    return answer({ expires_at: new Date(found.expires).toISOString() });
  },
};

export const logout: Route = {
  method: 'DELETE',
  path,
  endpoint: 'admin.logout',
  access: 'admin',
  operation: logoutOperation,
  async handle(call) {
    const admin = adminOf(call);
    const found = sessionOf(call.request, admin);
    // A copied cookie must not stay valid at any server of the folder.
    if (found !== undefined) await admin.store.endSession(found);
    const reply = answer({});
    return { ...reply, cookies: [cookie(call, '')] };
  },
};
