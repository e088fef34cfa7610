/**
 * Sessions of the administration that were signed out before their time: a signed cookie is good until it expires
 * unless somebody remembers that it is not. The list is bounded: where it is full, all sessions that were begun up to
 * then are over, and everybody signs in again.
 */
import { ADMIN_ENDED_SESSIONS_MAX } from '../limits.js';
import type { Session } from './admin-secret.js';

export interface EndedSessions {
  /** Sessions begun up to this moment are over, ms since 1970. */
  until: number;
  /** Id and expiry of single ones that are over. */
  sessions: [id: string, expires: number][];
}

export function isEnded(ended: EndedSessions | undefined, { id, begun }: Session): boolean {
  return ended !== undefined && (begun <= ended.until || ended.sessions.some(([one]) => one === id));
}

/** The list with one more session in it, and without those whose time is over anyway. */
export function withEnded(ended: EndedSessions | undefined, session: Session, now: number): EndedSessions {
  const { until = 0, sessions = [] } = ended ?? {};
  const lasting = sessions.filter(([id, expires]) => expires > now && id !== session.id);
  if (lasting.length >= ADMIN_ENDED_SESSIONS_MAX) return { until: now, sessions: [] };
  return { until, sessions: [...lasting, [session.id, session.expires]] };
}
