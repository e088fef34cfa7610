/** Whether the cluster can answer searches, asked in the background. */
import { isPriorartError } from '../errors.js';
import type { ClusterClient } from './client.js';

const CHECK_MS = 2_000;
/** After this time, a cluster does not answer. */
const ANSWER_MS = 5_000;

export class Health {
  readonly #client: ClusterClient;
  readonly #timer: NodeJS.Timeout;
  #missing: string[] = ['the cluster was not asked yet'];
  #checking: Promise<void> | undefined;

  constructor(client: ClusterClient) {
    this.#client = client;
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  /** Why searches cannot be answered, as of the last check; empty if they can. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Asks the cluster. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    try {
      const { status } = await this.#client.request<{ status: string }>(
        'GET',
        `/_cluster/health/${this.#client.settings.index}`,
        undefined,
        // What a node knows by itself: searches need no elected manager.
        { query: { local: true }, signal: AbortSignal.timeout(ANSWER_MS) },
      );
      this.#missing = status === 'red' ? ['a shard of the index is missing'] : [];
    } catch (error) {
      this.#missing = [
        isPriorartError(error) ? 'the cluster does not answer' : 'the cluster cannot be asked',
      ];
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
