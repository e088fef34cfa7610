/**
 * The state of the authorization server, an LMDB environment in the folder of the access store, which every process of
 * the folder shares. What a client or a browser presents (tokens, codes, secrets, ids of sign-ins) is stored as its
 * SHA-256 only: they are random, so the hash does not tell them.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PriorartError } from '../../errors.js';
import {
  OAUTH_LIFETIME_S,
  OAUTH_RECORDS_MAX,
  OAUTH_RECORDS_PER_GRANT,
  OAUTH_REFRESH_TOKENS_PER_GRANT,
} from '../../limits.js';
import { checkedValues, whole } from '../../store/checked-values.js';
import { diskFullIn } from '../../store/faults.js';
import { fileId } from '../../store/file-id.js';
import { openLmdb } from '../../store/lmdb-open.js';
import { makeFolderWithin, makeRoom, type Room, roomForValue, syncFolder } from '../../store/room.js';

/** A record of the library, without the value that names it. */
export interface StoredRecord {
  payload: Record<string, unknown>;
  /** ms since 1970 */
  expires: number;
}

/** The access that an account has given to a client. Times are ISO 8601. */
export interface Connection {
  id: string;
  /** Id of the account. */
  account: string;
  client_id: string;
  client_name: string;
  /** Id of the API key that counts the client's calls. */
  key: string;
  scope: string;
  created_at: string;
  expires_at: string;
}

/** Folder of the environment within that of the access store. */
export const OAUTH_FOLDER = 'oauth';

type Root = ReturnType<typeof openLmdb>;

export class OAuthTables {
  readonly folder: string;
  readonly #file: string;
  readonly #id: string;
  readonly #root: Root;
  readonly #records;
  /** Keys `grant name of a record`. */
  readonly #ofGrant;
  readonly #connections;
  /** Number of records, by kind. */
  readonly #counts;

  /**
   * @param access folder of the access store
   * @throws PriorartError `unavailable` if it cannot be opened, `disk_full`
   */
  constructor(access: string) {
    this.folder = join(access, OAUTH_FOLDER);
    this.#file = join(this.folder, 'data.mdb');
    try {
      makeFolderWithin(this.folder, 0o700);
      this.#root = openLmdb({ path: this.#file, maxDbs: 4, overlappingSync: false });
      const values = (name: string) => ({ name, ...(checkedValues(this.#root, access, name) as object) });
      this.#records = this.#root.openDB<StoredRecord, string>(values('records'));
      this.#connections = this.#root.openDB<Connection, string>(values('connections'));
      this.#counts = this.#root.openDB<number, string>(values('counts'));
      this.#ofGrant = this.#root.openDB<true, string>(values('of_grant'));
      // LMDB syncs its file, but not the name of a new one.
      for (const named of [this.folder, access]) syncFolder(named);
      this.#id = fileId(this.#file) ?? '';
    } catch (error) {
      throw this.#fault(error);
    }
  }

  /** Where the file is that was opened. LMDB goes on with a file that other processes do not see any more. */
  get place(): 'here' | 'gone' | 'replaced' {
    const found = fileId(this.#file);
    if (found === this.#id) return 'here';
    return found === undefined ? 'gone' : 'replaced';
  }

  /** A record that has not expired. `value` is what the client presented. */
  record(kind: string, value: string): StoredRecord | undefined {
    this.#root.resetReadTxn();
    const found = whole(() => this.#records.get(nameOf(kind, value)));
    return found !== undefined && found.expires > Date.now() ? found : undefined;
  }

  connection(id: string): Connection | undefined {
    this.#root.resetReadTxn();
    return whole(() => this.#connections.get(id));
  }

  /** Oldest first. */
  connections(): Connection[] {
    this.#root.resetReadTxn();
    const now = new Date().toISOString();
    const all = [...this.#connections.getKeys()].map((id) => whole(() => this.#connections.get(id)));
    return all
      .filter((one): one is Connection => one !== undefined && one.expires_at > now)
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  /** @throws PriorartError `unavailable` if there are too many of this kind */
  put(kind: string, value: string, record: StoredRecord): void {
    this.#write({ bytes: roomForValue(JSON.stringify(record).length) }, () => {
      const name = nameOf(kind, value);
      const grant = record.payload['grantId'];
      if (typeof grant === 'string') this.#keepFew(grant, kind);
      if (!this.#records.doesExist(name)) this.#count(kind, 1);
      this.#records.putSync(name, record);
      if (typeof grant === 'string') this.#ofGrant.putSync(`${grant} ${name}`, true);
    });
  }

  remove(kind: string, value: string): void {
    this.#write({}, () => this.#remove(nameOf(kind, value)));
  }

  /**
   * Marks a record that may be used once.
   * @returns false if it was used before, or is gone, or if its grant has had too many refresh tokens
   */
  consume(kind: string, value: string): boolean {
    // With room for the tokens that the client then gets: on a full disk, a token must not be used up for nothing.
    return this.#write({ bytes: EXCHANGE_BYTES }, () => {
      const name = nameOf(kind, value);
      const found = this.#records.get(name);
      if (found === undefined || found.payload['consumed'] !== undefined) return false;
      const grant = found.payload['grantId'];
      if (kind === REFRESH && typeof grant === 'string') {
        if (this.#namesOf(grant, kind).length >= OAUTH_REFRESH_TOKENS_PER_GRANT) return false;
      }
      const payload = { ...found.payload, consumed: Math.floor(Date.now() / 1000) };
      // It is kept to detect that it is used again, which ends the grant.
      const expires = Math.min(found.expires, Date.now() + OAUTH_LIFETIME_S.usedToken * 1000);
      this.#records.putSync(name, { ...found, payload, expires });
      return true;
    });
  }

  /** Keeps a grant, and its registered client for as long. */
  putConnection(connection: Connection): void {
    this.#write({ bytes: roomForValue(16_384) }, () => {
      this.#connections.putSync(connection.id, connection);
      const name = nameOf('Client', connection.client_id);
      const found = this.#records.get(name);
      const expires = Date.parse(connection.expires_at);
      if (found !== undefined && found.expires < expires) this.#records.putSync(name, { ...found, expires });
    });
  }

  /**
   * Ends a grant with all its tokens.
   * @returns the connection; undefined for an unknown id
   */
  endGrant(id: string): Connection | undefined {
    return this.#write(MANY, () => this.#endGrant(id));
  }

  /**
   * Removes what has expired. Registered clients without a grant expire as new ones do, so that a person can agree again
   * in this time.
   * @returns the connections that have ended by it
   */
  sweep(now: number = Date.now()): Connection[] {
    const ended: Connection[] = [];
    const time = new Date(now).toISOString();
    // One transaction for each part, so that no other process waits for long.
    for (const id of [...this.#connections.getKeys()]) {
      const found = whole(() => this.#connections.get(id));
      if (found !== undefined && found.expires_at > time) continue;
      const gone = this.endGrant(id);
      if (gone) ended.push(gone);
    }
    this.#limitClientsWithoutGrant(now);
    let names: string[] = [];
    const flush = () => {
      const some = names;
      names = [];
      this.#write(MANY, () => {
        for (const name of some) this.#remove(name);
      });
    };
    for (const name of [...this.#records.getKeys()]) {
      const found = whole(() => this.#records.get(name));
      if (found !== undefined && found.expires > now) continue;
      names.push(name);
      if (names.length >= SWEPT_AT_ONCE) flush();
    }
    if (names.length > 0) flush();
    return ended;
  }

  #limitClientsWithoutGrant(now: number): void {
    const latest = now + OAUTH_LIFETIME_S.unusedClient * 1000;
    const keptLonger = () => {
      const used = new Set(
        [...this.#connections.getKeys()].map((id) =>
          nameOf('Client', whole(() => this.#connections.get(id))?.client_id ?? ''),
        ),
      );
      // `!` follows the blank.
      return [...this.#records.getKeys({ start: 'Client ', end: 'Client!' })].filter(
        (name) => !used.has(name) && (whole(() => this.#records.get(name))?.expires ?? 0) > latest,
      );
    };
    if (keptLonger().length === 0) return;
    this.#write(MANY, () => {
      // Another process may have added a grant since.
      for (const name of keptLonger().slice(0, SWEPT_AT_ONCE))
        this.#records.putSync(name, { ...this.#records.get(name)!, expires: latest });
    });
  }

  /** Runs work while no other process writes. */
  exclusively<T>(work: () => T): T {
    return this.#write({}, work);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #endGrant(id: string): Connection | undefined {
    // `!` follows the blank.
    for (const key of [...this.#ofGrant.getKeys({ start: `${id} `, end: `${id}!` })]) {
      this.#remove(key.slice(id.length + 1));
      this.#ofGrant.removeSync(key);
    }
    this.#remove(nameOf('Grant', id));
    const connection = whole(() => this.#connections.get(id));
    this.#connections.removeSync(id);
    return connection;
  }

  /** The records of a kind and grant. */
  #namesOf(grant: string, kind: string): string[] {
    const keys = this.#ofGrant.getKeys({ start: `${grant} ${kind} `, end: `${grant} ${kind}!` });
    return [...keys].map((key) => key.slice(grant.length + 1));
  }

  /**
   * Removes the record of a kind and grant that expires first if there are many. Refresh tokens stay: a used one tells that it was
   * copied if it is used again.
   */
  #keepFew(grant: string, kind: string): void {
    const names = kind === REFRESH ? [] : this.#namesOf(grant, kind);
    if (names.length < OAUTH_RECORDS_PER_GRANT) return;
    const expires = (name: string) => whole(() => this.#records.get(name))?.expires ?? 0;
    const [first] = names.map((name) => ({ name, at: expires(name) })).sort((a, b) => a.at - b.at);
    this.#remove(first!.name);
  }

  #remove(name: string): void {
    if (!this.#records.doesExist(name)) return;
    const grant = whole(() => this.#records.get(name))?.payload['grantId'];
    if (typeof grant === 'string') this.#ofGrant.removeSync(`${grant} ${name}`);
    this.#records.removeSync(name);
    this.#count(name.slice(0, name.indexOf(' ')), -1);
  }

  #count(kind: string, change: 1 | -1): void {
    const count = (this.#counts.get(kind) ?? 0) + change;
    if (change > 0 && count > (OAUTH_RECORDS_MAX[kind] ?? 0)) {
      throw new PriorartError('unavailable', `the authorization server holds its most of kind ${kind}`, {
        retryAfter: 60,
      });
    }
    this.#counts.putSync(kind, Math.max(0, count));
  }

  #write<T>(room: Room, work: () => T): T {
    try {
      return this.#root.transactionSync(() => {
        if (this.place !== 'here') throw new Error('it was removed or replaced while it was open');
        makeRoom(this.#file, room);
        return work();
      });
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): unknown {
    const known = diskFullIn(this.folder, error);
    if (known instanceof PriorartError) return known;
    const why = error instanceof Error ? error.message : String(error);
    const message = `${this.folder} cannot be used: ${why}; if it is damaged, delete it: clients then sign in again`;
    return new PriorartError('unavailable', message, { cause: error, retryAfter: 5 });
  }
}

/** The kind of refresh tokens. */
const REFRESH = 'RefreshToken';

/** Room of the records that are written when a code or a refresh token is exchanged. */
const EXCHANGE_BYTES = 128 << 10;
const SWEPT_AT_ONCE = 500;
/** Room of a transaction that changes that many records: each lies on pages of its own. */
const MANY: Room = { changed: 8 << 20 };

/** The name of a record: its kind, and the hash of its value. */
function nameOf(kind: string, value: string): string {
  return `${kind} ${createHash('sha256').update(value).digest('base64url')}`;
}
