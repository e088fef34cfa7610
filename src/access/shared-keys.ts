/**
 * Accounts and keys that all servers on a cluster share. Each server reads them from a copy, the file of its folder, and asks
 * for changes every second.
 *
 * The document `head` has the number of the last change and its content. A change is one write of the head, which succeeds
 * only if no other server has written it since it was read. So changes come one after the other, and none is half done. The
 * writer of a change first stores the content of the one before it in documents of their own, one for each account. A
 * server that has missed some changes reads these.
 */
import { PriorartError } from '../errors.js';
import { SHARED } from '../limits.js';
import { randomBase62 } from './key.js';
import type { KeysConnection, KeysSource } from './keys-connection.js';
import { putSetting, setting } from './keys-file.js';
import { accountOwners, changesOf, clearRows, type OwnedChange, putRows, rowsOf } from './keys-rows.js';
import type { SharedDocuments, Stored } from './shared-documents.js';
import type { Sqlite } from './sqlite.js';

const HEAD = 'head';
/** The setting of a copy that says which state it has. It is not shared. */
const STATE = 'shared';

interface Head {
  /** Random name of these accounts, made with the first head. */
  store: string;
  /** Number of changes. */
  number: number;
  /** Random names of the last changes, the newest last. */
  names: string[];
  /** Content of the last change. */
  changes: OwnedChange[];
}

/** The last change that a copy has. */
interface CopyState {
  store: string;
  number: number;
  name: string;
}

export class SharedKeys implements KeysSource {
  readonly #copy: KeysConnection;
  readonly #documents: SharedDocuments;
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  /** Until when the copy was surely up to date, by the clock. */
  #knownAt = Number.NEGATIVE_INFINITY;
  #fault: unknown;
  #refreshing: Promise<void> | undefined;
  /** The end of what was begun last; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(copy: KeysConnection, documents: SharedDocuments, clock: () => number) {
    this.#copy = copy;
    this.#documents = documents;
    this.#clock = clock;
  }

  /**
   * Brings a copy up to date and keeps it so. The accounts of a file that was not shared before become shared.
   * @param taking called once before these accounts become shared
   * @param clock monotonic, ms
   * @throws PriorartError `unavailable`
   */
  static async open(
    copy: KeysConnection,
    documents: SharedDocuments,
    taking: () => Promise<void>,
    clock: () => number = () => performance.now(),
  ): Promise<SharedKeys> {
    const keys = new SharedKeys(copy, documents, clock);
    if (copy.read(stateIn) === undefined) {
      await taking();
      await keys.#begin();
      await keys.#takeOver();
    }
    await keys.refresh();
    keys.#timer = setInterval(() => void keys.refresh().catch(() => {}), SHARED.pollMs).unref();
    return keys;
  }

  /** Brings the copy up to date. @throws PriorartError `unavailable` */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#inTurn(async () => void (await this.#current())).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  isOpen(): boolean {
    return this.#isKnown() && this.#copy.isOpen();
  }

  isMissing(): boolean {
    return this.#copy.isMissing();
  }

  require(): void {
    this.#copy.require();
    if (this.#isKnown()) return;
    const seconds = SHARED.staleMs / 1000;
    throw new PriorartError(
      'unavailable',
      `accounts and keys have not been read from the cluster for more than ${seconds} seconds`,
      { cause: this.#fault, retryAfter: SHARED.pollMs / 1000 },
    );
  }

  read<T>(read: (file: Sqlite) => T): T {
    this.require();
    return this.#copy.read(read);
  }

  remembered<T extends object | undefined>(name: string, read: (file: Sqlite) => T): T {
    this.require();
    return this.#copy.remembered(name, read);
  }

  /**
   * Makes a change for all servers. Resolves when the cluster has stored it and the copy has it.
   * @throws PriorartError `unavailable`, and the errors of the change, as a rejection. After `unavailable` the change
   *   may have been made
   */
  write<T>(change: (file: Sqlite) => T): Promise<T> {
    return this.#inTurn(async () => {
      for (let attempt = 0; attempt < SHARED.attempts; attempt++) {
        const head = await this.#current();
        const tried = await this.#copy.tried((file) =>
          isSame(stateIn(file), stateOf(head.value)) ? changesOf(file, change) : undefined,
        );
        // Another process on this folder was faster.
        if (tried === undefined) continue;
        const { result, changes } = tried;
        if (changes.length === 0) return result;
        if (!(await this.#isPublished(head, changes))) continue;
        await this.#current();
        return result;
      }
      throw new PriorartError('unavailable', 'other servers change accounts all the time', { retryAfter: 1 });
    });
  }

  copyTo(folder: string): void {
    this.#copy.copyTo(folder);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#knownAt = Number.NEGATIVE_INFINITY;
    this.#copy.close();
  }

  #isKnown(): boolean {
    return this.#clock() - this.#knownAt <= SHARED.staleMs;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch((error: unknown) => {
      this.#fault = error;
    });
    return result;
  }

  /** Brings the copy up to date. @returns the head that it has then, unless another process was faster */
  async #current(): Promise<Stored<Head>> {
    const asked = this.#clock();
    const head = await this.#head();
    const known = this.#copy.read(stateIn);
    const last = stateOf(head.value);
    if (!isSame(known, last)) await this.#catchUp(known, head.value);
    if (isSame(this.#copy.read(stateIn), last)) this.#knownAt = asked;
    return head;
  }

  async #catchUp(known: CopyState | undefined, head: Head): Promise<void> {
    const { number, names, changes } = head;
    if (known !== undefined && known.store !== head.store) {
      throw new PriorartError(
        'unavailable',
        'the folder has a copy of other accounts than those of the cluster; delete access/keys.db in it, with the files ' +
          'whose names begin with this name, to use those of the cluster',
      );
    }
    // An unknown name is that of a change too long ago, or of one that the cluster lost because it was restored.
    const isOld = known !== undefined && names.includes(known.name);
    if (isOld && known.number + 1 === number) return this.#apply(known, head, changes);
    const stored = await this.#documents.numberedAfter<OwnedChange>(isOld ? known.number : -1);
    await this.#apply(known, head, [...stored.map(({ value }) => value), ...changes], !isOld);
  }

  /** Applies changes to the copy, unless another process has changed it meanwhile. */
  #apply(
    known: CopyState | undefined,
    head: Head,
    changes: readonly OwnedChange[],
    isWhole = false,
  ): Promise<void> {
    return this.#copy.write((file) => {
      if (!isSame(stateIn(file), known)) return;
      if (isWhole) clearRows(file);
      for (const change of changes) putRows(file, change);
      putSetting(file, STATE, stateOf(head));
    });
  }

  /** Makes changes the next change. @returns false if another server was first */
  async #isPublished(head: Stored<Head>, changes: OwnedChange[]): Promise<boolean> {
    const { store, number, names, changes: before } = head.value;
    await this.#documents.putNumbered(before.map((value) => ({ id: value.owner, number, value })));
    const name = randomBase62(12);
    const next: Head = {
      store,
      number: number + 1,
      names: [...names, name].slice(-SHARED.changesRemembered),
      changes,
    };
    if ((await this.#documents.write(HEAD, next, head.version)) !== undefined) return true;
    // A request that was sent again is refused because of its first attempt.
    return (await this.#head()).value.names.includes(name);
  }

  /** Shares the accounts of a file that was not shared before. Accounts that are shared already stay as they are. */
  async #takeOver(): Promise<void> {
    for (const owner of this.#copy.read(accountOwners)) {
      for (;;) {
        const head = await this.#head();
        const [stored] = await this.#documents.read([owner]);
        const isShared = stored !== undefined || head.value.changes.some((change) => change.owner === owner);
        if (isShared) break;
        const rows = this.#copy.read((file) => rowsOf(file, owner));
        if (await this.#isPublished(head, [{ owner, rows }])) break;
      }
    }
  }

  /** Makes the head if the cluster has none. */
  async #begin(): Promise<void> {
    const [found] = await this.#documents.read([HEAD]);
    if (found !== undefined) return;
    const [store, name] = [randomBase62(12), randomBase62(12)];
    const head: Head = { store, number: 0, names: [name], changes: [] };
    // Another server may be first.
    await this.#documents.write(HEAD, head, undefined);
  }

  /** @throws PriorartError `unavailable` if the cluster lost the accounts */
  async #head(): Promise<Stored<Head>> {
    const [head] = await this.#documents.read<Head>([HEAD]);
    if (head !== undefined) return head;
    throw new PriorartError(
      'unavailable',
      'the cluster has lost the accounts that it had; restore its index of accounts from a snapshot of the cluster',
    );
  }
}

function stateIn(file: Sqlite): CopyState | undefined {
  return setting<CopyState>(file, STATE);
}

function stateOf({ store, number, names }: Head): CopyState {
  return { store, number, name: names.at(-1)! };
}

function isSame(a: CopyState | undefined, b: CopyState | undefined): boolean {
  return a?.number === b?.number && a?.name === b?.name;
}
