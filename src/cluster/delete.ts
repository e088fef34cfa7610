/** Deletes publications of a cluster by number. */
import type { DeleteResult } from '../engine-port.js';
import { resolvePublications } from '../store/resolve.js';
import { bulkUntilTaken, checkIndex, isRefused, reasonOf } from './bulk.js';
import { checkPlace } from './check-place.js';
import { type ClusterClient, type OneState, unavailable } from './client.js';
import { removeFigures } from './figures.js';
import { PublicationsInMemory } from './publications.js';
import { resolved } from './records.js';
import { knownUnder } from './stored-versions.js';
import { finishCommit } from './target.js';

/** Numbers that are resolved, and documents that are deleted, by one request. */
const EACH = 500;
const GONE = 404;

/** Deletes publications, perhaps in several attempts: the index may take no writes for a while, or a state may be lost. */
export class Deletion {
  readonly #client: ClusterClient;
  readonly #numbers: readonly string[];
  readonly #signal: AbortSignal | undefined;
  /** The publication of each number, as it was last found. A later attempt no longer finds what was deleted. */
  readonly #found: (string | undefined)[];
  readonly #deleted = new Set<string>();

  constructor(client: ClusterClient, numbers: readonly string[], signal?: AbortSignal) {
    [this.#client, this.#numbers, this.#signal] = [client, numbers, signal];
    this.#found = numbers.map(() => undefined);
  }

  /**
   * One attempt, which leaves out what an earlier one has deleted.
   * @param index name of the index
   * @throws PriorartError `invalid_request` if a number matches several publications; this attempt deletes nothing then
   */
  async attempt(index: string): Promise<DeleteResult> {
    const left = [...this.#numbers.keys()].filter((n) => !this.#deleted.has(this.#found[n] ?? ''));
    const ids = await this.#resolved(
      index,
      left.map((n) => this.#numbers[n]!),
    );
    for (const [at, n] of left.entries()) this.#found[n] = ids[at] ?? this.#found[n];
    const patentIds = [...new Set(ids.flatMap((id) => id ?? []))];
    const deleted: string[] = [];
    try {
      for (let at = 0; at < patentIds.length; at += EACH) {
        const some = patentIds.slice(at, at + EACH);
        await deleteSome(this.#client, index, some, this.#signal);
        deleted.push(...some);
      }
    } finally {
      if (this.#found.some((id) => id !== undefined)) {
        await checkPlace(this.#client, index);
        for (const id of deleted) this.#deleted.add(id);
        await finishCommit(this.#client, index);
      }
    }
    return {
      deleted: [...new Set(this.#found.flatMap((id) => id ?? []))],
      not_found: this.#numbers.filter((_, n) => this.#found[n] === undefined),
    };
  }

  /** The patent_id of each number; undefined for a number that matches no publication. */
  #resolved(index: string, numbers: readonly string[]): Promise<(string | undefined)[]> {
    const all = async (state: OneState) => {
      const ids: (string | undefined)[] = [];
      for (let at = 0; at < numbers.length; at += EACH) {
        const publications = new PublicationsInMemory(this.#client.settings.index);
        const some = numbers.slice(at, at + EACH);
        ids.push(...(await resolved(state, publications, some, ['head'], resolvePublications)));
      }
      return ids;
    };
    return this.#client.atOneState(index, all, this.#signal);
  }
}

async function deleteSome(
  client: ClusterClient,
  index: string,
  patentIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = (await knownUnder(client, index, patentIds)).of(patentIds);
  // First: if the deletion fails after this, it is repeated, and no drawing of a deleted publication is left.
  const names = found.flatMap(({ head }) => [head.patent_id, ...(head.corrects ?? [])]);
  await removeFigures(client, [...new Set(names)], signal);
  const operations = found.map(({ id }) => ({ action: { delete: { _index: index, _id: id } } }));
  const items = await bulkUntilTaken(client, operations, signal);
  checkIndex(items, index);
  // Another caller may have deleted it meanwhile, or the answer to the first attempt was lost.
  const refused = items.find((item) => item.status !== GONE && isRefused(item));
  if (refused) throw unavailable(`a publication was not deleted: ${reasonOf(refused)}`);
}
