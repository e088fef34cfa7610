/**
 * The quota of one account and billing cycle, in a document that all servers share. A server has at most one write of it
 * under way. What comes meanwhile is joined in the next write, so the cost of a search falls as the load rises.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PriorartError } from '../errors.js';
import { QUOTA_LEASE_MS, SHARED } from '../limits.js';
import { randomBase62 } from './key.js';
import { type QuotaRecord, type Reserved, reserveIn, settleIn } from './quota-record.js';
import type { DocumentVersion, SharedDocuments } from './shared-documents.js';

export interface QuotaDocument extends QuotaRecord {
  /** The number of the last write of each server, by lease. */
  writes: Record<string, number>;
}

/** What a caller wants changed. */
interface Order {
  /** Changes a record. It may run several times, on several states of the record. */
  apply(record: QuotaDocument): void;
  /** Whether the result is a refusal, which must not come from an old state. */
  isRefused(): boolean;
  /** Corrects a later record after the caller was told that the change failed. Absent if there is nothing to correct. */
  correct?(record: QuotaDocument, wasApplied: boolean): void;
  resolve(): void;
  reject(error: unknown): void;
}

/** Orders that are written together, with the number of their last attempt. */
interface Write {
  number: number;
  orders: readonly Order[];
}

interface Known {
  value: QuotaDocument;
  /** Absent: there is no document yet. */
  version?: DocumentVersion;
}

export interface QuotaLineOptions {
  documents: SharedDocuments;
  /** Name of the document. */
  id: string;
  /** Monotonic clock, ms. */
  clock: () => number;
}

/** Writes that failed and are not corrected yet. From this number on, no search begins before a write succeeds. */
export const DOUBTS_MAX = 1_000;

/** Longest pause before another attempt at a write that another server was faster with, ms. */
const PAUSE_MS = 20;

export class QuotaLine {
  readonly #documents: SharedDocuments;
  readonly #id: string;
  /** Name of this object in the document. */
  readonly #lease = randomBase62(12);
  readonly #clock: () => number;
  /** Since when the number of another server has been the same, by its lease. */
  readonly #seen = new Map<string, { number: number; since: number }>();
  /** The state that the next write is made from; undefined: it must be read. */
  #known: Known | undefined;
  #last: QuotaRecord | undefined;
  #waiting: Order[] = [];
  #working: Promise<void> | undefined;
  /** Writes that failed, after which the record may lack them or hold them. */
  #doubts: Write[] = [];
  #number = 0;
  /** Searches that have begun and are not settled. */
  #open = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor({ documents, id, clock }: QuotaLineOptions) {
    this.#documents = documents;
    this.#id = id;
    this.#clock = clock;
  }

  /** Reserves one search. @throws PriorartError `unavailable`, as a rejection */
  async reserve(quota: number): Promise<Reserved> {
    if (this.#doubts.length >= DOUBTS_MAX) {
      throw new PriorartError('unavailable', 'quotas cannot be written to the cluster', { retryAfter: 1 });
    }
    let result: Reserved = { reserved: false, running: true };
    this.#open++;
    await this.#order({
      apply: (record) => {
        result = reserveIn(record, this.#lease, quota);
      },
      isRefused: () => !result.reserved,
      correct: (record, wasApplied) => {
        if (wasApplied && result.reserved) settleIn(record, this.#lease, quota, false);
      },
    }).catch((error: unknown) => {
      this.#open--;
      throw error;
    });
    if (!result.reserved) this.#open--;
    return result;
  }

  /**
   * Ends a reservation. If it fails, a later write releases the reservation.
   * @returns whether the search may be answered
   * @throws PriorartError `unavailable`, as a rejection: the search must not be answered
   */
  async settle(quota: number, counts: boolean): Promise<boolean> {
    let answerable = false;
    await this.#order({
      apply: (record) => {
        answerable = settleIn(record, this.#lease, quota, counts);
      },
      isRefused: () => !answerable,
      correct: (record, wasApplied) => {
        if (!wasApplied) settleIn(record, this.#lease, quota, false);
        else if (counts && answerable) record.used--;
      },
    }).finally(() => {
      this.#open--;
    });
    return answerable;
  }

  /** The record as this server saw it last; undefined if it has not seen it. */
  get seen(): QuotaRecord | undefined {
    return this.#last;
  }

  /** Whether nothing is lost if this object is forgotten. */
  get isIdle(): boolean {
    return this.#open === 0 && !this.#working && this.#doubts.length === 0;
  }

  /**
   * Tells the other servers that this one lives, if it holds reservations and has not written for a while; and corrects
   * what failed. Call it several times per QUOTA_LEASE_MS.
   */
  async tend(): Promise<void> {
    const isDue = this.#open > 0 && this.#clock() - this.#writtenAt > QUOTA_LEASE_MS / 4;
    if (this.#working || (!isDue && this.#doubts.length === 0)) return this.#working;
    // A write of nothing has a number.
    await this.#order({ apply: () => {}, isRefused: () => false });
  }

  #order(order: Omit<Order, 'resolve' | 'reject'>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...order, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const orders = this.#waiting;
      this.#waiting = [];
      const write: Write = { number: 0, orders };
      try {
        await this.#change(write);
        for (const { resolve } of orders) resolve();
      } catch (error) {
        if (write.number === 0) write.number = ++this.#number;
        if (orders.some(({ correct }) => correct)) this.#doubts.push(write);
        this.#known = undefined;
        for (const { reject } of orders) reject(error);
      }
    }
    this.#working = undefined;
  }

  async #change(write: Write): Promise<void> {
    const { orders } = write;
    const until = performance.now() + SHARED.waitMs;
    let isFresh = false;
    for (let attempt = 0; attempt < SHARED.attempts && performance.now() < until; attempt++) {
      if (this.#known === undefined) {
        this.#known = await this.#read();
        isFresh = true;
      }
      const { value, version } = this.#known;
      const next = structuredClone(value);
      this.#dropDead(next);
      this.#correct(next);
      for (const { apply } of orders) apply(next);
      const refused = orders.filter((order) => order.isRefused());
      if (refused.length > 0 && !isFresh) {
        this.#known = undefined;
        continue;
      }
      if (refused.length === orders.length && this.#doubts.length === 0) return;
      write.number = ++this.#number;
      this.#sign(next, write.number);
      const written = await this.#documents.write(this.#id, next, version);
      this.#known = written === undefined ? await this.#read() : { value: next, version: written };
      // A request that was sent again is refused because of its first attempt.
      if (this.#known.value.writes[this.#lease] === write.number) {
        this.#doubts = [];
        this.#writtenAt = this.#clock();
        this.#last = this.#known.value;
        return;
      }
      isFresh = true;
      await sleep(Math.random() * Math.min(PAUSE_MS, 2 ** attempt));
    }
    throw new PriorartError('unavailable', 'other servers change the same quota all the time', {
      retryAfter: 1,
    });
  }

  async #read(): Promise<Known> {
    const [found] = await this.#documents.read<QuotaDocument>([this.#id]);
    const known = found ?? { value: { used: 0, held: {}, writes: {} } };
    this.#observe(known.value);
    this.#last = known.value;
    return known;
  }

  /** Enters this write as the last one, and forgets the servers that have not written for the longest time. */
  #sign({ writes, held }: QuotaDocument, number: number): void {
    delete writes[this.#lease];
    writes[this.#lease] = number;
    const others = Object.keys(writes).filter((lease) => held[lease] === undefined);
    for (const lease of others.slice(0, Math.max(0, others.length - SHARED.serversRemembered)))
      delete writes[lease];
  }

  /** Corrects a record for the callers of writes whose outcome was not known. */
  #correct(record: QuotaDocument): void {
    const last = record.writes[this.#lease] ?? 0;
    for (const { number, orders } of this.#doubts) {
      // The write after it contains its correction.
      if (number < last) continue;
      for (const { correct } of orders) correct?.(record, number === last);
    }
  }

  /** Notes when the numbers of other servers changed. */
  #observe({ held, writes }: QuotaDocument): void {
    for (const lease of this.#seen.keys()) if (held[lease] === undefined) this.#seen.delete(lease);
    for (const lease of Object.keys(held)) {
      const number = writes[lease] ?? 0;
      if (lease === this.#lease || this.#seen.get(lease)?.number === number) continue;
      this.#seen.set(lease, { number, since: this.#clock() });
    }
  }

  /**
   * Releases what servers hold that have not written for QUOTA_LEASE_MS. This server measures the time, so the clocks of
   * machines need not agree.
   */
  #dropDead(record: QuotaDocument): void {
    for (const [lease, { number, since }] of this.#seen) {
      const isSilent = (record.writes[lease] ?? 0) === number && this.#clock() - since > QUOTA_LEASE_MS;
      if (isSilent) delete record.held[lease];
    }
  }
}
