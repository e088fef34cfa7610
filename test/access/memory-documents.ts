/** Shared documents in memory, which fail as a cluster fails. */
import { setImmediate as turn } from 'node:timers/promises';
import type {
  DocumentVersion,
  NumberedDocument,
  SharedDocuments,
  SharedStore,
  Stored,
} from '../../src/access/shared-documents.js';
import { PriorartError } from '../../src/errors.js';

/**
 * What happens to a write: done and acknowledged; done, but the answer is lost; done, but sent again, so that the second
 * request finds the first; not done; done later, and the answer is lost.
 */
export type Fault = 'none' | 'lost answer' | 'sent again' | 'lost write' | 'late write';

/** The state that all servers see. */
export class MemoryCluster {
  readonly documents = new Map<string, Stored<string>>();
  readonly numbered = new Map<string, { number: number; value: string }>();
  /** The fault of the next write. */
  nextFault: () => Fault = () => 'none';
  isDown = false;
  writes = 0;
  reads = 0;
  #seqNo = 0;
  #late: (() => void)[] = [];

  /** Does the writes that are late. Those that came too late change nothing. */
  land(): void {
    for (const write of this.#late.splice(0)) write();
  }

  /** What another server shares. Its log is none. */
  store(): SharedStore {
    const openLog = () => {
      throw new Error('there is no log in memory');
    };
    return { documents: this.connect(), openLog };
  }

  /** Another server's connection. @param link false: the server is dead, and nothing of it arrives */
  connect(link = { isUp: true }): SharedDocuments {
    return {
      read: async <T>(ids: readonly string[]) => {
        await this.#travel(link);
        this.reads++;
        return ids.map((id) => {
          const found = this.documents.get(id) ?? this.#numberedAt(id);
          return found && { ...found, value: JSON.parse(found.value) as T };
        });
      },
      write: async (id, value, known) => {
        await this.#travel(link);
        this.writes++;
        const text = JSON.stringify(value);
        const write = () => this.#write(id, text, known);
        const fault = this.nextFault();
        if (fault === 'sent again') write();
        if (fault === 'none' || fault === 'sent again') {
          const written = write();
          await turn();
          return written;
        }
        if (fault === 'lost answer') write();
        if (fault === 'late write') this.#late.push(write);
        throw unavailable();
      },
      putNumbered: async (documents) => {
        await this.#travel(link);
        for (const { id, number, value } of documents) {
          if ((this.numbered.get(id)?.number ?? -1) < number)
            this.numbered.set(id, { number, value: JSON.stringify(value) });
        }
      },
      numberedAfter: async <T>(number: number) => {
        await this.#travel(link);
        const found = [...this.numbered].map(([id, at]): NumberedDocument<T> => {
          return { id, number: at.number, value: JSON.parse(at.value) };
        });
        return found.filter((one) => one.number > number).sort((a, b) => a.number - b.number);
      },
      close: async () => {},
    };
  }

  #numberedAt(id: string): Stored<string> | undefined {
    const found = this.numbered.get(id);
    return found && { value: found.value, version: { seqNo: found.number, term: 1 } };
  }

  #write(id: string, value: string, known: DocumentVersion | undefined): DocumentVersion | undefined {
    if (this.documents.get(id)?.version.seqNo !== known?.seqNo) return undefined;
    const version = { seqNo: ++this.#seqNo, term: 1 };
    this.documents.set(id, { value, version });
    return version;
  }

  async #travel(link: { isUp: boolean }): Promise<void> {
    await turn();
    if (this.isDown || !link.isUp) throw unavailable();
  }
}

function unavailable(): PriorartError {
  return new PriorartError('unavailable', 'the cluster does not answer');
}
