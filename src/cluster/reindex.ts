/**
 * Moves the publications of a cluster to a new index, of the current form and perhaps of another model, while searches and
 * ingests go on. The alias then names the new index. A repeated call goes on where another was stopped.
 */
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { ClusterAddress } from '../engine-options.js';
import { PriorartError } from '../errors.js';
import type { DocumentTexts } from '../index/native.js';
import { type Derived, type Embedded, textsOf } from '../ingest/prepare.js';
import { type ModelsConfig, type ModelsInput, readModels, storingModels } from '../models/config.js';
import { warnOfCopies } from '../models/copies.js';
import { type Answers, answersOf } from '../pool/pool.js';
import type { PreparedDocument } from '../store/document.js';
import { type ModelIdentity, modelName, sameModel } from '../store/manifest.js';
import { again } from './again.js';
import { bulkUntilTaken, isRefused, reasonOf } from './bulk.js';
import { ClusterClient, type OneState, together, unavailable } from './client.js';
import { documentsOfCluster, type Version, versionsOf } from './copied.js';
import { FORM, FORM_READ, type IndexMeta } from './mapping.js';
import { countCommit, createUnnamed, otherForm, readIndexMeta } from './meta.js';
import { settingsOf } from './settings.js';
import { knownUnder } from './stored-versions.js';
import { blockWrites, moveAlias } from './take-over.js';
import { ClusterTarget } from './target.js';
import { clusterThreads } from './thread.js';

/** Publications of one commit. */
const COMMITTED = 256;
/** Times that changes are copied while others write; then the old index takes no writes until the last are copied. */
const ROUNDS = 5;
/** If a round copied no more than this, the next is the last. */
const FEW = 1_000;
const READ_KEPT = '1h';
/** Documents that one thread embeds at a time. */
const EMBEDDED = 16;

export interface ReindexOptions {
  /** Embeds all passages again with these models. Default: the vectors are copied. */
  models?: string | ModelsInput | undefined;
  /** Threads that embed; 0 uses the calling thread. Default: one per processor. */
  workers?: number | undefined;
  /** Deletes the old index at the end. Default: it stays, and takes no writes. */
  deleteOld?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called after each commit with the publications copied, of all. */
  onProgress?: ((copied: number, all: number) => void) | undefined;
}

export interface ReindexSummary {
  from: string;
  to: string;
  model: string;
  documents: number;
  /** Publications that were written to the new index by this call, and removed from it. */
  copied: number;
  removed: number;
  /** Seconds for which the index took no writes. */
  blocked_seconds: number;
}

/** @throws PriorartError `no_data`, `unavailable`, `invalid_models`, `model_mismatch`, `cancelled` */
export async function reindex(
  address: Omit<ClusterAddress, 'engine'>,
  options: ReindexOptions = {},
): Promise<ReindexSummary> {
  const client = await ClusterClient.open(settingsOf(address));
  try {
    const from = await readIndexMeta(client, client.settings.index);
    if (from === undefined) {
      throw new PriorartError('no_data', `the cluster has no index ${client.settings.index}`);
    }
    if (from.meta.form < FORM_READ || from.meta.form > FORM) throw otherForm(from.index, from.meta);
    const chosen = options.models === undefined ? undefined : readModels(options.models);
    const embedding = chosen && embeddingThreads(client, from, chosen, options.workers);
    try {
      // An empty call returns the identity of the model.
      const model = embedding ? (await embed(embedding, [])).model : from.meta.model;
      const to = nextName(client.settings.index, from.index);
      const models = chosen === undefined ? from.meta.models : { ...chosen };
      await createUnnamed(client, to, model, models);
      await checkUnfinished(client, to, model, models);
      return await new Move(client, from.index, to, model, embedding, options).run();
    } finally {
      await embedding?.close();
    }
  } finally {
    await client.close();
  }
}

/** Threads that embed texts with these models, whatever the model of the index is. */
function embeddingThreads(
  { settings }: ClusterClient,
  { index, meta }: { index: string; meta: IndexMeta },
  chosen: ModelsConfig,
  workers = availableParallelism(),
): Answers {
  const opened = storingModels(chosen);
  warnOfCopies(opened, workers);
  const known = { index, model: meta.model, generation: 0, updatedAt: meta.createdAt };
  const changes = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const choice = { always: opened };
  return answersOf(clusterThreads({ settings, name: index, meta: known, choice, changes }), { workers });
}

function embed(threads: Answers, documents: DocumentTexts[], signal?: AbortSignal): Promise<Embedded> {
  return threads.ask({ kind: 'embed', documents }, { signal });
}

/** `patents-2` follows `patents-1`. */
function nextName(alias: string, index: string): string {
  const number = index.startsWith(`${alias}-`) ? Number(index.slice(alias.length + 1)) : Number.NaN;
  if (Number.isInteger(number)) return `${alias}-${number + 1}`;
  throw new PriorartError('data_version', `the alias ${alias} names ${index}; expected ${alias}-1 or so`);
}

/** Another call may have begun with another model or other settings. */
async function checkUnfinished(
  client: ClusterClient,
  to: string,
  model: ModelIdentity,
  models: IndexMeta['models'],
): Promise<void> {
  const { shards, knnEngine } = client.settings;
  const found = await readIndexMeta(client, to);
  const remedy = `Finish that first, or delete ${to}`;
  if (found?.meta.form !== FORM || !sameModel(found.meta.model, model)) {
    const what = found ? `${modelName(found.meta.model)}, form ${found.meta.form}` : 'nothing';
    const message = `the unfinished index ${to} is of ${what}; expected ${modelName(model)}, form ${FORM}. ${remedy}`;
    throw new PriorartError('model_mismatch', message);
  }
  const settings = await client.request<
    Record<string, { settings: { index: { number_of_shards: string } } }>
  >('GET', `/${to}/_settings`);
  const hasShards = Number(settings[to]?.settings.index.number_of_shards);
  const differs = [
    ...(hasShards === shards ? [] : [`${hasShards} shards instead of ${shards}`]),
    ...(found.meta.knnEngine === knnEngine ? [] : [`${found.meta.knnEngine} instead of ${knnEngine}`]),
    ...(isDeepStrictEqual(plain(found.meta.models), plain(models))
      ? []
      : ['another configuration of models']),
  ];
  if (differs.length === 0) return;
  const message = `the unfinished index ${to} has ${differs.join(', ')}. ${remedy}`;
  throw new PriorartError('model_mismatch', message);
}

/** As it comes back from the cluster. */
const plain = (models: IndexMeta['models']): unknown => JSON.parse(JSON.stringify(models ?? {}));

/** One move from an index to another. */
class Move {
  readonly #client: ClusterClient;
  readonly #from: string;
  readonly #to: string;
  readonly #model: ModelIdentity;
  readonly #embedding: Answers | undefined;
  readonly #options: ReindexOptions;
  readonly #target: ClusterTarget;
  #copied = 0;
  #removed = 0;
  /** Publications of the old index that the last comparison left out. */
  #leftOut = 0;

  /** @param embedding threads that embed all passages again; undefined: vectors are copied */
  constructor(
    client: ClusterClient,
    from: string,
    to: string,
    model: ModelIdentity,
    embedding: Answers | undefined,
    options: ReindexOptions,
  ) {
    [this.#client, this.#from, this.#to] = [client, from, to];
    [this.#model, this.#embedding, this.#options] = [model, embedding, options];
    this.#target = ClusterTarget.ofIndex(client, to, options.signal);
  }

  async run(): Promise<ReindexSummary> {
    for (let round = 0; round < ROUNDS; round++) if ((await this.#copyChanges()) <= FEW) break;
    const started = performance.now();
    let documents = 0;
    try {
      await blockWrites(this.#client, this.#from);
      // What was acknowledged before the block is visible only after this.
      await this.#client.refresh(this.#from);
      await this.#copyChanges();
      documents = await this.#checkedCount();
      await this.#checkAlias();
      await moveAlias(this.#client, this.#from, this.#to);
    } catch (error) {
      await this.#unblock();
      throw error;
    }
    const blocked = performance.now() - started;
    // The move is done. What fails now is no reason to repeat it.
    await again(() => countCommit(this.#client), 'ingest').catch(() => {});
    if (this.#options.deleteOld) await this.#deleteOld();
    return {
      from: this.#from,
      to: this.#to,
      model: modelName(this.#model),
      documents,
      copied: this.#copied,
      removed: this.#removed,
      blocked_seconds: Math.round(blocked / 10) / 100,
    };
  }

  /**
   * Another call may have moved the alias meanwhile. What is written since is in the new index alone, and would be undone.
   * @throws PriorartError `unavailable`
   */
  async #checkAlias(): Promise<void> {
    const alias = this.#client.settings.index;
    const named = await readIndexMeta(this.#client, alias);
    if (named?.index === this.#from) return;
    throw unavailable(
      `another reindex has moved ${alias} to ${named?.index ?? 'nothing'}, and this one stops`,
    );
  }

  async #deleteOld(): Promise<void> {
    try {
      // 404: the answer to a first attempt was lost.
      await this.#client.request('DELETE', `/${this.#from}`, undefined, { ignore: [404] });
    } catch (cause) {
      const message = `the alias names ${this.#to} now, but ${this.#from} was not deleted; delete it in OpenSearch`;
      throw new PriorartError('internal', message, { cause });
    }
  }

  /** Lets others write again, unless the alias names the new index already: its answer may have been lost. */
  async #unblock(): Promise<void> {
    const named = await readIndexMeta(this.#client, this.#client.settings.index).catch(() => undefined);
    if (named?.index !== this.#from) return;
    await this.#client
      .request('PUT', `/${this.#from}/_settings`, { index: { blocks: { write: false } } })
      .catch(() => {});
  }

  /** Copies what the indexes do not have in common, as of now. @returns number of changes */
  #copyChanges(): Promise<number> {
    const { signal } = this.#options;
    const compare = (from: OneState) => (to: OneState) => this.#copyDifferences(from, to);
    return this.#client.atOneState(
      this.#from,
      (from) => this.#client.atOneState(this.#to, compare(from), signal, READ_KEPT),
      signal,
      READ_KEPT,
    );
  }

  async #copyDifferences(from: OneState, to: OneState): Promise<number> {
    const { hits } = await from.search({ size: 0, track_total_hits: true });
    const all = hits.total!.value;
    let [changes, read] = [0, 0];
    this.#leftOut = 0;
    let [wanted, obsolete]: [string[], string[]] = [[], []];
    const flush = async () => {
      if (this.#options.signal?.aborted) {
        throw new PriorartError('cancelled', 'stopped; run `priorart reindex` again to go on');
      }
      await this.#checkAlias();
      const current = await this.#current(wanted);
      this.#leftOut += wanted.length - current.length;
      await this.#copy(from, current);
      await this.#remove(obsolete);
      changes += current.length + obsolete.length;
      [wanted, obsolete] = [[], []];
      this.#options.onProgress?.(read, all);
    };
    for await (const [mine, theirs] of inPairs(versionsOf(from), versionsOf(to))) {
      if (mine !== undefined) read += 1;
      if (mine === undefined) obsolete.push(theirs!.patentId);
      else if (mine.content !== theirs?.content) wanted.push(mine.patentId);
      if (wanted.length + obsolete.length >= COMMITTED) await flush();
    }
    await flush();
    return changes;
  }

  /**
   * Leaves out publications that a correction in the old index replaces. A killed program can leave such a publication behind.
   * The new index holds the correction only.
   */
  async #current(patentIds: readonly string[]): Promise<string[]> {
    const known = await knownUnder(this.#client, this.#from, patentIds);
    return patentIds.filter((patentId) => (known.get(patentId)?.head.patent_id ?? patentId) === patentId);
  }

  async #copy(from: OneState, patentIds: readonly string[]): Promise<void> {
    if (patentIds.length === 0) return;
    const documents: PreparedDocument[] = [];
    for await (const document of documentsOfCluster(from, patentIds)) {
      // The source decides, even if it went back to an earlier version.
      documents.push({ ...document, replaces: true });
    }
    const derived = await this.#derived(documents);
    for (const [n, vectors] of derived.entries()) Object.assign(documents[n]!, vectors);
    const outcomes = await this.#target.commit(this.#model, documents);
    for (const [n, outcome] of outcomes.entries()) {
      if (typeof outcome !== 'object') continue;
      const message = `${documents[n]!.patent.patent_id} cannot be copied: ${outcome.refused}`;
      throw new PriorartError('internal', message);
    }
    this.#copied += documents.length;
  }

  /** Vectors and bags of documents by the new models; empty if there are none. */
  async #derived(documents: readonly PreparedDocument[]): Promise<Derived[]> {
    const embedding = this.#embedding;
    if (embedding === undefined) return [];
    const asked: Promise<Embedded>[] = [];
    for (let at = 0; at < documents.length; at += EMBEDDED) {
      const texts = documents.slice(at, at + EMBEDDED).map(textsOf);
      asked.push(embed(embedding, texts, this.#options.signal));
    }
    return (await together(asked)).flatMap((part) => part.documents);
  }

  /** Removes what the old index has no longer. */
  async #remove(patentIds: readonly string[]): Promise<void> {
    if (patentIds.length === 0) return;
    const known = await knownUnder(this.#client, this.#to, patentIds);
    const obsolete = new Set(patentIds);
    const there = known.of(patentIds).filter(({ head }) => obsolete.has(head.patent_id));
    const operations = there.map(({ id }) => ({ action: { delete: { _index: this.#to, _id: id } } }));
    const refused = (await bulkUntilTaken(this.#client, operations)).find(isRefused);
    if (refused)
      throw new PriorartError('internal', `the new index is not as expected: ${reasonOf(refused)}`);
    await this.#client.refresh(this.#to);
    this.#removed += operations.length;
  }

  /** @throws PriorartError `internal` if the indexes have different numbers of publications */
  async #checkedCount(): Promise<number> {
    const counts = await Promise.all(
      [this.#from, this.#to].map(async (index) => {
        const { hits } = await this.#client.search(`/${index}/_search`, { size: 0, track_total_hits: true });
        return hits.total!.value;
      }),
    );
    const expected = counts[0]! - this.#leftOut;
    if (counts[1] === expected) return expected;
    const message = `${this.#to} has ${counts[1]} publications; expected ${expected}, as ${this.#from} has them`;
    throw new PriorartError('internal', `${message}; run \`priorart reindex\` again`);
  }
}

/** Two lists in the order of patent_id, side by side. One of a pair is undefined if its list lacks the publication. */
async function* inPairs(
  mine: AsyncGenerator<Version, void>,
  theirs: AsyncGenerator<Version, void>,
): AsyncGenerator<[Version | undefined, Version | undefined], void, undefined> {
  let [a, b] = [await mine.next(), await theirs.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compared(a.value.patentId, b.value.patentId);
    yield [order <= 0 ? a.value! : undefined, order >= 0 ? b.value! : undefined];
    if (order <= 0) a = await mine.next();
    if (order >= 0) b = await theirs.next();
  }
}

/** The order of the cluster: that of the bytes in UTF-8. */
function compared(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
