/** The arithmetic of a quota. Servers on one folder keep the records in a file, servers on one cluster in documents. */
import type { Cycle } from './billing.js';

/**
 * `held`: running searches by lease. At every instant used + held <= quota, and only a held search becomes a
 * used search. So a quota cannot be exceeded, even if a process is killed.
 */
export interface QuotaRecord {
  /** Searches that were answered 200. */
  used: number;
  held: Record<string, number>;
}

export interface QuotaState {
  quota: number;
  /** Searches that are neither used nor held. */
  remaining: number;
  cycle: Cycle;
}

/** A running search. */
export interface Reservation {
  account: string;
  cycle: Cycle;
  quota: number;
}

/**
 * `answerable` is false if the search must not be answered: its reservation was released, and no quota
 * remains.
 */
export interface Settled {
  answerable: boolean;
  state: QuotaState;
}

export type Reserved =
  | { reserved: true }
  /** `running`: running searches hold the rest of the quota, which is not used up yet. */
  | { reserved: false; running: boolean };

/**
 * Reserves one search.
 * @param dropDead removes what ended processes hold; called only if nothing is left. Absent: the caller has removed it
 */
export function reserveIn(
  record: QuotaRecord,
  lease: string,
  quota: number,
  dropDead: (record: QuotaRecord) => void = () => {},
): Reserved {
  if (!hasRoom(record, quota)) dropDead(record);
  if (!hasRoom(record, quota)) return { reserved: false, running: record.used < quota };
  record.held[lease] = (record.held[lease] ?? 0) + 1;
  return { reserved: true };
}

/**
 * Ends a reservation: counts the search, or releases the reservation.
 * @returns false if the search must not be answered
 */
export function settleIn(record: QuotaRecord, lease: string, quota: number, counts: boolean): boolean {
  const held = record.held[lease] ?? 0;
  if (held === 0) {
    if (!counts) return true;
    if (!hasRoom(record, quota)) return false;
  } else if (held === 1) delete record.held[lease];
  else record.held[lease] = held - 1;
  if (counts) record.used++;
  return true;
}

export function stateOf(record: QuotaRecord, cycle: Cycle, quota: number): QuotaState {
  return { quota, remaining: Math.max(0, quota - record.used - heldBy(record)), cycle };
}

function hasRoom(record: QuotaRecord, quota: number): boolean {
  return record.used + heldBy(record) < quota;
}

function heldBy({ held }: QuotaRecord): number {
  let sum = 0;
  for (const id in held) sum += held[id]!;
  return sum;
}
