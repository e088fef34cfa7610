/** What every component may need: the texts, and who the visitor is. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en } from '../languages/en.js';
import type { Texts } from '../languages/index.js';
import type { SessionState } from './session.js';

export const TextsContext = createContext<Texts>(en);
export const SessionContext = createContext<SessionState>({ status: 'waiting' });

export const useTexts = (): Texts => useContext(TextsContext);
export const useSession = (): SessionState => useContext(SessionContext);
