/** The dashboard: of the account that is signed in, or of the operator. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../../model/address.js';
import { type ApiError, call, failureOf } from '../api.js';
import { useSessionHandle, useTexts } from '../context.js';
import { maintenance, toldOperator } from '../maintenance.js';
import { forgetOperator, operator as knownOperator } from '../operator.js';
import { usePageTitle } from '../page-title.js';
import { Progress } from '../parts/progress.js';
import { hasEnded, type SessionAnswer } from '../session.js';
import { AccountSettings } from './account-settings.js';
import { Accounts } from './accounts.js';
import { chosenAccount, type Role, useData } from './data.js';
import { Health } from './health.js';
import { Ingests } from './ingests.js';
import { Keys } from './keys.js';
import { Log } from './log.js';
import { McpClients, McpWithoutSignIn } from './mcp-clients.js';
import { Problem } from './problem.js';
import { SignIn } from './sign-in.js';
import { useDashboardTexts, useLoadedTexts } from './texts.js';
import { Usage } from './usage.js';

const TABS = {
  account: ['keys', 'usage', 'log', 'mcp', 'account'],
  operator: ['accounts', 'keys', 'usage', 'log', 'mcp', 'ingests', 'health'],
} as const;
type Tab = (typeof TABS)[Role][number];

/** Id of the heading, of the sign-in as well. */
const HEADING = 'dashboard-heading';

const NO_SESSION: SessionAnswer = {
  kind: 'none',
  can_sign_in: true,
  can_visit: false,
  has_mcp_sign_in: false,
};

export function Dashboard({ part, parameters }: { part: string | undefined; parameters: URLSearchParams }) {
  const { state, replace, enter } = useSessionHandle();
  const { frame } = useTexts();
  const texts = useDashboardTexts();
  const isNoted = knownOperator.use();
  const [failure, setFailure] = useState<ApiError>();
  const operator = useData(async () => {
    if (!isNoted) return false;
    return call<{ since?: string; retry_after?: number }>('GET', 'admin/api/v1/maintenance').then(
      (found) => {
        toldOperator(found);
        return true;
      },
      (error: unknown) => {
        const failure = failureOf(error);
        // The server refuses all calls but health. The view of its health says why.
        if (failure.code === 'unavailable') return true;
        if (failure.status !== 401) throw failure;
        forgetOperator();
        return false;
      },
    );
  }, [isNoted]);
  // During maintenance, an operator can sign in, and an account cannot.
  const isDown = maintenance.use() !== undefined;
  const isEnded = hasEnded.use();
  const session = state.status === 'known' ? state.session : NO_SESSION;
  const isAccount = session.kind === 'account' && !isEnded;
  const role = operator.data ? 'operator' : isAccount ? 'account' : undefined;
  const hasTexts = useLoadedTexts() !== undefined;
  const isKnown = hasTexts && operator.data !== undefined && state.status !== 'waiting';
  useFocusAfterSignIn(isKnown ? (role ?? 'none') : undefined);
  const named = [...TABS.account, ...TABS.operator].find((one) => one === part);
  usePageTitle(named ? texts.tabs[named] : '', frame.dashboard);
  if (!hasTexts) return <Progress text={frame.dashboard} />;
  if (operator.error) return <Problem error={operator.error} onRetry={operator.reload} />;
  if (state.status === 'failed' && !isDown && operator.data !== true)
    return <Problem error={state.error} onRetry={() => location.reload()} />;
  if (operator.data === undefined || state.status === 'waiting') return <Progress text={texts.loading} />;
  if (role === undefined) return <SignIn session={session} parameters={parameters} heading={HEADING} />;
  const signOut = async () => {
    setFailure(undefined);
    try {
      if (role === 'account') {
        replace(await call<SessionAnswer>('DELETE', 'session'));
        return enter();
      }
      await call('DELETE', 'admin/api/v1/session');
    } catch (cause) {
      const error = failureOf(cause);
      // 401: the session of an operator has ended elsewhere.
      if (role === 'account' || error.status !== 401) return setFailure(error);
    }
    forgetOperator();
  };
  // During maintenance it is not known how clients of LLMs sign in.
  const hasMcpSignIn = state.status === 'known' ? state.session.has_mcp_sign_in : undefined;
  const tabs: readonly Tab[] = TABS[role].filter((one) => one !== 'mcp' || hasMcpSignIn !== undefined);
  const tab = tabs.find((one) => one === part) ?? tabs[0]!;
  return (
    <div class="dashboard">
      <div class="dashboard-head">
        <h1 id={HEADING} tabIndex={-1}>
          {frame.dashboard}
        </h1>
        <span>{role === 'operator' ? texts.signIn.operator : session.account?.name}</span>
        <button type="button" class="button" onClick={signOut}>
          {texts.signIn.out}
        </button>
      </div>
      {failure && <Problem error={failure} />}
      <nav class="dashboard-tabs" aria-label={texts.tabs.label}>
        {tabs.map((one) => (
          <a key={one} href={linkTo(['dashboard', one])} aria-current={one === tab ? 'page' : undefined}>
            {texts.tabs[one]}
          </a>
        ))}
      </nav>
      <View
        key={`${role} ${tab}`}
        tab={tab}
        role={role}
        parameters={parameters}
        hasMcpSignIn={hasMcpSignIn === true}
      />
    </div>
  );
}

/**
 * Moves the focus to the heading after a sign-in or sign-out, which takes away what had it.
 * @param who is signed in, or `none`; undefined: not known yet
 */
function useFocusAfterSignIn(who: string | undefined): void {
  const before = useRef(who);
  useEffect(() => {
    if (before.current !== undefined && who !== undefined) document.getElementById(HEADING)?.focus();
    before.current = who;
  }, [who]);
}

interface ViewProps {
  tab: Tab;
  role: Role;
  parameters: URLSearchParams;
  hasMcpSignIn: boolean;
}

function View({ tab, role, parameters, hasMcpSignIn }: ViewProps) {
  switch (tab) {
    case 'keys':
      return <Keys role={role} of={chosenAccount(role, parameters)} />;
    case 'usage':
      return <Usage role={role} />;
    case 'log':
      return <Log role={role} parameters={parameters} />;
    case 'mcp':
      return hasMcpSignIn ? <McpClients role={role} /> : <McpWithoutSignIn role={role} />;
    case 'account':
      return <AccountSettings />;
    case 'accounts':
      return <Accounts />;
    case 'ingests':
      return <Ingests />;
    default:
      return <Health />;
  }
}
