/**
 * Sessions of the administration that were signed out before they expired. A signed cookie is valid until it
 * expires, so the store records the sessions that have ended. The list is bounded. If the list is full, all
 * sessions that began before this moment end, and all administrators have to sign in again.
 */
import { ADMIN_ENDED_SESSIONS_MAX } from '../limits.js';
import type { Session } from './admin-secret.js';

export interface EndedSessions {
  /** Sessions that began up to this moment have ended, ms since 1970. */
  until: number;
  /** Id and expiry of single sessions that have ended. */
  sessions: [id: string, expires: number][];
}

export function isEnded(ended: EndedSessions | undefined, { id, begun }: Session): boolean {
  return ended !== undefined && (begun <= ended.until || ended.sessions.some(([one]) => one === id));
}

/** The list with one more session, and without expired sessions. */
export function withEnded(ended: EndedSessions | undefined, session: Session, now: number): EndedSessions {
  const { until = 0, sessions = [] } = ended ?? {};
  const lasting = sessions.filter(([id, expires]) => expires > now && id !== session.id);
  if (lasting.length >= ADMIN_ENDED_SESSIONS_MAX) return { until: now, sessions: [] };
  return { until, sessions: [...lasting, [session.id, session.expires]] };
}
