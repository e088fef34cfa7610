/** The sessions of the web page: who is signed in, sign-in, sign-out. */
import { PriorartError } from '../../../errors.js';
import { type PageCaller, type PageSessions, requirePage } from '../../admission/page-session.js';
import type { Call, Route } from '../../route.js';
import { answer, bodyOf } from '../answer.js';
import { pageSessionOperation, pageSignInOperation, pageSignOutOperation } from './openapi.js';
import { checkSignIn, pageSignInSchema } from './schema.js';

const path = '/session';
const access = 'public';

function pageOf({ services }: Call): PageSessions {
  if (!services.page) throw new PriorartError('not_found', 'there is no such endpoint');
  return services.page;
}

async function shown(call: Call, caller: PageCaller | undefined) {
  const page = pageOf(call);
  const possible = {
    can_sign_in: page.canSignIn(),
    has_mcp_sign_in: call.services.authorization !== undefined,
    can_visit: page.canVisit(call.request),
  };
  if (caller === undefined) return { kind: 'none', ...possible };
  const { session, account } = caller;
  const [quota] = await call.services.limits.quotasUsed([account]);
  const { used, cycle } = quota!;
  const { id, name, plan, monthly_quota } = account;
  return {
    kind: session.kind,
    account: { id, name, plan, monthly_quota, used, resets_at: new Date(cycle.end).toISOString() },
    expires_at: new Date(session.expires).toISOString(),
    ...possible,
  };
}

export const pageSession: Route = {
  method: 'GET',
  path,
  endpoint: 'page.session',
  access,
  operation: pageSessionOperation,
  handle: async (call) => answer(await shown(call, pageOf(call).find(call.request))),
};

export const pageSignIn: Route = {
  method: 'POST',
  path,
  endpoint: 'page.signin',
  access,
  operation: pageSignInOperation,
  async handle(call) {
    const page = pageOf(call);
    const { request } = call;
    requirePage(request);
    const asked = await bodyOf(call, pageSignInSchema);
    checkSignIn(asked);
    const { token, ...caller } =
      asked.visitor === true
        ? await page.visit(request)
        : await page.signIn(request, asked.account!, asked.password!);
    const reply = answer(await shown(call, caller));
    return { ...reply, cookies: [page.cookie(request, token)] };
  },
};

export const pageSignOut: Route = {
  method: 'DELETE',
  path,
  endpoint: 'page.signout',
  access,
  operation: pageSignOutOperation,
  async handle(call) {
    const page = pageOf(call);
    requirePage(call.request);
    // A copied cookie of an account must not stay valid at any server of the folder.
    await page.end(call.request);
    const reply = answer(await shown(call, undefined));
    return { ...reply, cookies: [page.cookie(call.request, '')] };
  },
};
