/** Who the visitor is. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, call } from './api.js';

export interface SessionAccount {
  id: string;
  name: string;
  plan: string;
  /** Searches in a billing cycle; null for an unlimited plan. */
  monthly_quota: number | null;
  used: number;
  resets_at: string;
}

export interface SessionAnswer {
  /** `visitor`: the demonstration account, on loopback; `none`: no session, and none can be opened without a password. */
  kind: 'visitor' | 'account' | 'none';
  account?: SessionAccount;
  can_sign_in: boolean;
}

export type SessionState =
  | { status: 'waiting' }
  | { status: 'failed'; error: ApiError }
  | { status: 'known'; session: SessionAnswer };

const current = () => call<SessionAnswer>('GET', 'session');

/** The session; opens a visitor's session if the server offers one. */
async function enter(): Promise<SessionAnswer> {
  const session = await current();
  if (session.kind !== 'none') return session;
  try {
    await call('POST', 'session', { body: { visitor: true } });
  } catch (error) {
    // Visitors are not served here: they sign in.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return session;
    throw error;
  }
  return current();
}

export interface SessionHandle {
  state: SessionState;
  /** Asks the server again, such as after a search that was counted. */
  refresh(): void;
}

export function useSessionOfServer(): SessionHandle {
  const [state, setState] = useState<SessionState>({ status: 'waiting' });
  const load = useCallback((ask: () => Promise<SessionAnswer>) => {
    ask().then(
      (session) => setState({ status: 'known', session }),
      (error: unknown) => {
        const failure = error instanceof ApiError ? error : new ApiError(String(error), 0);
        setState({ status: 'failed', error: failure });
      },
    );
  }, []);
  useEffect(() => load(enter), [load]);
  return { state, refresh: () => load(current) };
}
