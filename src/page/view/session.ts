/** Who the visitor is. */
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, call, failureOf } from './api.js';
import { maintenance } from './maintenance.js';
import { watched } from './watched.js';

export interface SessionAccount {
  id: string;
  name: string;
  plan: string;
  /** Searches a month. */
  monthly_quota: number;
  used: number;
  /** When the next month begins. */
  resets_at: string;
}

export interface SessionAnswer {
  /** A visitor may search; an account may also see and change its keys. */
  kind: 'visitor' | 'account' | 'none';
  account?: SessionAccount;
  /** When the session ends. */
  expires_at?: string;
  /** Whether any account has a password. */
  can_sign_in: boolean;
  /** Whether accounts can give clients of MCP access. */
  has_mcp_sign_in: boolean;
  /** Whether a visitor's session may be opened here, without a password. */
  can_visit: boolean;
}

export type SessionState =
  | { status: 'waiting' }
  | { status: 'failed'; error: ApiError }
  | { status: 'known'; session: SessionAnswer };

/** The account that is signed in, as this tab knows it. */
let signedIn: string | undefined;

/** The session that the latest sign-in or sign-out of this tab answered. */
let replaced: SessionAnswer | undefined;

/**
 * Whether an account was signed in here, and its session has ended: by itself, by the operator, or in another tab. Then
 * nothing is asked until a user signs in, because the calls would count for another account.
 */
export const hasEnded = watched(false);

/** What a call is answered after the session of an account has ended. */
export const sessionEnded = () => new ApiError('', 401, new Headers({ 'x-error-code': 'session_ended' }));

/** Who is signed in from now on. */
function accept({ kind, account }: SessionAnswer): void {
  signedIn = kind === 'account' ? account?.id : undefined;
  if (hasEnded.get()) hasEnded.set(false);
}

async function current(): Promise<SessionAnswer> {
  const before = replaced;
  const session = await call<SessionAnswer>('GET', 'session');
  // A sign-in or sign-out was answered meanwhile, and this answer may be older.
  if (replaced !== undefined && replaced !== before) return replaced;
  const isSame = session.kind === 'account' && session.account?.id === signedIn;
  if (signedIn === undefined || isSame) accept(session);
  else hasEnded.set(true);
  return session;
}

/** The session. Without one, opens that of a visitor if the server allows it and no account was signed in. */
export async function enterSession(): Promise<SessionAnswer> {
  const session = await current();
  if (session.kind !== 'none' || !session.can_visit || hasEnded.get()) return session;
  try {
    return await call<SessionAnswer>('POST', 'session', { body: { visitor: true } });
  } catch (error) {
    // No visitors by this name of the server (--public-url). Accounts can sign in.
    if (failureOf(error).status === 403) return session;
    throw error;
  }
}

let first: Promise<SessionAnswer> | undefined;

/** Asks for the session before the page is rendered, so that a shared search need not wait for the rendering. */
export function startSession(): void {
  first = enterSession();
  // The component that shows the session asks again, and says what is wrong.
  first.catch(() => {
    first = undefined;
  });
}

/** The session that `startSession` asked for, once; later a new one. */
function firstOrNew(): Promise<SessionAnswer> {
  const asked = first ?? enterSession();
  first = undefined;
  return asked;
}

export interface SessionHandle {
  state: SessionState;
  /** Asks the server again, such as after a search that was counted. */
  refresh(): void;
  /** As `refresh`, and opens the session of a visitor if the server allows it. */
  enter(): void;
  /** Takes over the session that a sign-in or a sign-out answered. */
  replace(session: SessionAnswer): void;
}

export function useSessionOfServer(): SessionHandle {
  const [state, setState] = useState<SessionState>({ status: 'waiting' });
  const show = useCallback((session: SessionAnswer) => setState({ status: 'known', session }), []);
  const replace = useCallback(
    (session: SessionAnswer) => {
      replaced = session;
      accept(session);
      show(session);
    },
    [show],
  );
  const load = useCallback(
    (ask: () => Promise<SessionAnswer>) => {
      ask().then(show, (error: unknown) => {
        const failure = failureOf(error);
        setState({ status: 'failed', error: failure });
      });
    },
    [show],
  );
  const isDown = maintenance.use() !== undefined;
  // Also when maintenance ends, which refused the session.
  useLayoutEffect(() => {
    if (!isDown) load(firstOrNew);
  }, [load, isDown]);
  const refresh = useCallback(() => load(current), [load]);
  const enter = useCallback(() => load(enterSession), [load]);
  // Another tab may have signed in or out, and a search from this one would count for another account.
  useEffect(() => {
    const comesBack = () => {
      current().then(
        // Without a session, the next search opens that of a visitor.
        (session) => (session.kind === 'none' && session.can_visit && !hasEnded.get()) || show(session),
        // If the session cannot be read, the next call says why.
        () => {},
      );
    };
    addEventListener('focus', comesBack);
    return () => removeEventListener('focus', comesBack);
  }, [show]);
  return { state, refresh, enter, replace };
}
