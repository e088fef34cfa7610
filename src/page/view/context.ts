/** What every component may need: the texts, and who the visitor is. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en } from '../languages/en.js';
import type { Texts } from '../languages/index.js';
import type { SessionHandle, SessionState } from './session.js';

export const TextsContext = createContext<Texts>(en);
export const SessionContext = createContext<SessionHandle>({
  state: { status: 'waiting' },
  refresh: () => {},
  enter: () => {},
  replace: () => {},
});

export const useTexts = (): Texts => useContext(TextsContext);
export const useSession = (): SessionState => useContext(SessionContext).state;
export const useSessionHandle = (): SessionHandle => useContext(SessionContext);
