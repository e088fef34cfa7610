/** The quotas of accounts, shared by all servers on a cluster. Each search costs two writes: one before it, one after. */
import { PriorartError } from '../errors.js';
import { QUOTA_LEASE_MS, SHARED } from '../limits.js';
import { type Cycle, cycleAt } from './billing.js';
import { type QuotaDocument, QuotaLine } from './quota-line.js';
import { type QuotaState, type Reservation, type Reserved, type Settled, stateOf } from './quota-record.js';
import type { Account } from './records.js';
import type { SharedDocuments } from './shared-documents.js';
import { monotonicMs } from './window.js';

export class SharedQuotas {
  readonly #documents: SharedDocuments;
  readonly #clock: () => number;
  readonly #lines = new Map<string, QuotaLine>();
  readonly #timer: NodeJS.Timeout;

  /** @param clock monotonic, ms */
  constructor(documents: SharedDocuments, clock: () => number = monotonicMs) {
    this.#documents = documents;
    this.#clock = clock;
    // A failure is told to the next search.
    this.#timer = setInterval(() => void this.tend().catch(() => {}), QUOTA_LEASE_MS / 10).unref();
  }

  /** Reserves one search in the rest of a quota. @throws PriorartError `unavailable`, as a rejection */
  reserve(account: string, cycle: Cycle, quota: number): Promise<Reserved> {
    return this.#line(account, cycle).reserve(quota);
  }

  /**
   * Counts a search, or releases its reservation.
   * @throws PriorartError `unavailable`, as a rejection: the search must not be answered 200
   */
  async settle({ account, cycle, quota }: Reservation, counts: boolean): Promise<Settled> {
    const line = this.#line(account, cycle);
    const answerable = await line.settle(quota, counts);
    return { answerable, state: stateOf(line.seen!, cycle, quota) };
  }

  /** The rest of a quota as this server saw it last. @throws PriorartError `unavailable` if it has not seen it */
  seen(account: string, cycle: Cycle, quota: number): QuotaState {
    const record = this.#lines.get(idOf(account, cycle))?.seen;
    if (record) return stateOf(record, cycle, quota);
    throw new PriorartError('unavailable', 'the quota has not been read from the cluster yet');
  }

  /**
   * Searches that accounts have used of their quotas in this cycle, on all servers.
   * @throws PriorartError `unavailable`, as a rejection
   */
  async usedBy(
    accounts: readonly Account[],
    now: number = Date.now(),
  ): Promise<{ used: number; cycle: Cycle }[]> {
    const cycles = accounts.map((account) => cycleAt(account.created_at, now));
    const ids = accounts.map(({ id }, n) => idOf(id, cycles[n]!));
    const found = await this.#documents.read<QuotaDocument>(ids);
    return cycles.map((cycle, n) => ({ used: found[n]?.value.used ?? 0, cycle }));
  }

  /** Takes over searches that were counted before the account was shared. Does nothing if the quota is shared already. */
  async take(account: string, cycle: Cycle, used: number): Promise<void> {
    const document: QuotaDocument = { used, held: {}, writes: {} };
    await this.#documents.write(idOf(account, cycle), document, undefined);
  }

  /** Keeps reservations, and corrects what failed. Runs by itself several times per QUOTA_LEASE_MS. */
  async tend(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.tend()));
  }

  /** Corrects what failed, once more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.tend().catch(() => {});
  }

  #line(account: string, cycle: Cycle): QuotaLine {
    const id = idOf(account, cycle);
    const found = this.#lines.get(id);
    if (found) return found;
    if (this.#lines.size >= SHARED.quotasRemembered) {
      for (const [other, line] of this.#lines) if (line.isIdle) this.#lines.delete(other);
    }
    const line = new QuotaLine({ documents: this.#documents, id, clock: this.#clock });
    this.#lines.set(id, line);
    return line;
  }
}

function idOf(account: string, { start }: Cycle): string {
  return `quota-${account}-${start}`;
}
