/**
 * The figures of publications on a cluster: which names they have, and which images of the bucket show them. They are documents
 * of an index beside that of the publications, because images come before or after their publication, and in other runs. So
 * they stay where they are while `reindex` moves the publications. A document is written only if it is unchanged since it was
 * read.
 */
import type { FigureTable, Namer, PublicationFigures, ReadyImage } from '../ingest/figure-table.js';
import {
  type Figure,
  type GivenImage,
  type NamedFigure,
  withCopied,
  withImage,
  withNames,
} from '../store/figures.js';
import { again } from './again.js';
import { bulkUntilTaken, isConflict, isRefused, reasonOf } from './bulk.js';
import { type BulkOperation, type ClusterClient, LostState, type OneState, unavailable } from './client.js';
import { createBeside } from './meta.js';

/** Documents and names of one request. */
const EACH = 500;
/** Documents of one answer to a copy. */
const READ = 200;
/** Attempts at documents that other writers change at the same time. */
const CONFLICTS = 20;
const NO_INDEX = 'index_not_found_exception';
const GONE = 404;
/** Time for which the state of all figures can be read on, while images are copied. */
const READ_KEPT = '1h';

/** The document of a publication. */
interface Stored {
  patent_id: string;
  /** Place and key of each figure. */
  names: string[];
  figures: Figure[];
}

interface Read extends Partial<Version> {
  _id: string;
  found?: boolean;
  _source?: Pick<Stored, 'figures'>;
  error?: { type?: string; reason?: string };
}

interface Version {
  _seq_no: number;
  _primary_term: number;
}

/** Name of the index with the figures. */
export function figuresIndexOf({ settings }: ClusterClient): string {
  return `${settings.index}-drawings`;
}

/**
 * The figures of publications with the names of their images, for answers. Publications without figures are absent.
 * @throws PriorartError `unavailable`
 */
export async function figuresOf(
  client: ClusterClient,
  patentIds: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, { figures: Pick<Figure, 'key' | 'image'>[] }>> {
  const parts = ['figures.key', 'figures.image.content'];
  return (await read(client, patentIds, { parts, signal })) ?? new Map();
}

/** The newest versions of documents; undefined if there is no index. @param parts fields to read; absent: all */
async function read(
  client: ClusterClient,
  patentIds: readonly string[],
  { parts, signal }: { parts?: string[]; signal?: AbortSignal | undefined } = {},
): Promise<Map<string, { figures: Figure[]; version: Version }> | undefined> {
  const found = new Map<string, { figures: Figure[]; version: Version }>();
  for (let at = 0; at < patentIds.length; at += EACH) {
    const ids = patentIds.slice(at, at + EACH);
    const path = `/${figuresIndexOf(client)}/_mget`;
    const query = { _source_includes: (parts ?? ['figures']).join(',') };
    const { docs } = await client.request<{ docs?: Read[] }>('POST', path, { ids }, { signal, query });
    if (docs?.length !== ids.length)
      throw unavailable(`${path} was answered by something else than OpenSearch`);
    for (const { _id, found: isThere, _source, error, ...version } of docs) {
      if (error?.type === NO_INDEX) return undefined;
      if (error) throw new LostState(`the drawings of ${_id} cannot be read: ${error.type}: ${error.reason}`);
      if (isThere) found.set(_id, { figures: _source?.figures ?? [], version: version as Version });
    }
  }
  return found;
}

/** Removes the figures of publications. */
export async function removeFigures(
  client: ClusterClient,
  patentIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const operations = patentIds.map((id) => ({
    action: { delete: { _index: figuresIndexOf(client), _id: id } },
  }));
  for (let at = 0; at < operations.length; at += EACH) {
    const items = await bulkUntilTaken(client, operations.slice(at, at + EACH), signal);
    // Most publications have none, and a cluster without drawings has no index of them.
    const refused = items.find((item) => item.status !== GONE && isRefused(item));
    if (refused) throw unavailable(`the drawings of a publication were not removed: ${reasonOf(refused)}`);
  }
}

/** The figures of all publications, in the order of their patent_id, of one state; none if there is no index. */
export async function* allFigures(
  client: ClusterClient,
  signal?: AbortSignal,
): AsyncGenerator<{ patentId: string; figures: Figure[] }, void, undefined> {
  const index = figuresIndexOf(client);
  const there = await client.request<{ status?: number }>('GET', `/${index}`, undefined, { ignore: [GONE] });
  if (there.status === GONE) return;
  await client.refresh(index);
  const state = await client.openState(index, signal, READ_KEPT);
  try {
    yield* figuresIn(state);
  } finally {
    state.release();
  }
}

async function* figuresIn(
  state: OneState,
): AsyncGenerator<{ patentId: string; figures: Figure[] }, void, undefined> {
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search<Stored>({
      size: READ,
      sort: [{ patent_id: 'asc' }],
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    for (const { _source } of hits.hits) yield { patentId: _source!.patent_id, figures: _source!.figures };
    after = hits.hits.length < READ ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}

/** What becomes of a publication's figures; undefined if they stay as they are. */
type Change = (patentId: string, old: readonly Figure[]) => Figure[] | undefined;

export class ClusterFigures implements FigureTable {
  readonly #client: ClusterClient;
  readonly #index: string;
  readonly #signal: AbortSignal | undefined;

  private constructor(client: ClusterClient, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#index = figuresIndexOf(client);
    this.#signal = signal;
  }

  /** Makes the index if the cluster has none. */
  static async open(client: ClusterClient, signal?: AbortSignal): Promise<ClusterFigures> {
    await createBeside(client, figuresIndexOf(client), client.settings.shards, {
      patent_id: { type: 'keyword' },
      names: { type: 'keyword' },
      figures: { type: 'object', enabled: false },
    });
    return new ClusterFigures(client, signal);
  }

  async name(named: readonly PublicationFigures[], run: number): Promise<string[][]> {
    const places = placesBy(named.map(({ patentId }, n) => [patentId, n]));
    const missed: string[][] = [];
    await this.#change([...places.keys()], (patentId, old) => {
      let [figures, isChanged] = [[...old], false];
      for (const n of places.get(patentId)!) {
        const after = withNames(figures, named[n]!.figures, run);
        figures = after.figures;
        isChanged ||= after.changed;
        // A second attempt finds what the first one has written.
        missed[n] ??= after.missed;
      }
      return isChanged ? figures : undefined;
    });
    return missed;
  }

  namers(names: readonly NamedFigure[]): Promise<Namer[][]> {
    return again(() => this.#namers(names), 'ingest', this.#signal);
  }

  async #namers(names: readonly NamedFigure[]): Promise<Namer[][]> {
    const places = placesBy(names.map((name, n) => [nameOf(name), n]));
    const found: Namer[][] = names.map(() => []);
    // Other programs may have named them, too.
    await this.#client.refresh(this.#index);
    const wanted = [...places.keys()];
    for (let at = 0; at < wanted.length; at += EACH) {
      for await (const { patent_id: patentId, figures } of this.#naming(wanted.slice(at, at + EACH))) {
        for (const figure of figures) {
          for (const n of places.get(nameOf(figure)) ?? []) found[n]!.push({ patentId, image: figure.image });
        }
      }
    }
    return found;
  }

  async give(images: readonly ReadyImage[], run: number): Promise<({ patentId: string } & GivenImage)[][]> {
    const namers = await this.namers(images);
    const places = placesBy(
      namers.flatMap((all, n) => all.map(({ patentId }): [string, number] => [patentId, n])),
    );
    const given = images.map(() => new Map<string, GivenImage>());
    await this.#change([...places.keys()], (patentId, old) => {
      let [figures, isChanged] = [[...old], false];
      for (const n of places.get(patentId)!) {
        const { key, image } = images[n]!;
        const after = withImage(figures, key, image, run);
        if (after === undefined) continue;
        figures = after.figures;
        isChanged = true;
        if (!given[n]!.has(patentId)) given[n]!.set(patentId, after.given);
      }
      return isChanged ? figures : undefined;
    });
    return given.map((all) => [...all].map(([patentId, outcome]) => ({ patentId, ...outcome })));
  }

  /** Adds figures that were copied from elsewhere. Their images take the place of others. */
  async copy(copied: readonly { patentId: string; figures: readonly Figure[] }[]): Promise<void> {
    const of = new Map(copied.map(({ patentId, figures }) => [patentId, figures]));
    await this.#change([...of.keys()], (patentId, old) => withCopied(old, of.get(patentId)!));
  }

  async *#naming(names: readonly string[]): AsyncGenerator<Stored, void, undefined> {
    let after: unknown[] | undefined;
    do {
      const { hits } = await this.#client.search<Stored>(
        `/${this.#index}/_search`,
        {
          size: EACH,
          query: { bool: { filter: [{ terms: { names } }] } },
          _source: {
            includes: ['patent_id', 'figures.key', 'figures.place', 'figures.image'],
          },
          sort: [{ patent_id: 'asc' }],
          track_total_hits: false,
          ...(after ? { search_after: after } : {}),
        },
        { signal: this.#signal },
      );
      for (const { _source } of hits.hits) yield _source!;
      after = hits.hits.length < EACH ? undefined : hits.hits.at(-1)?.sort;
    } while (after !== undefined);
  }

  /** Changes the figures of publications, each in one write. */
  async #change(patentIds: readonly string[], change: Change): Promise<void> {
    for (let at = 0; at < patentIds.length; at += EACH) {
      let waiting = patentIds.slice(at, at + EACH);
      for (let attempt = 0; waiting.length > 0; attempt++) {
        if (attempt > CONFLICTS) throw unavailable('other writers change the same drawings all the time');
        waiting = await this.#changeSome(waiting, change);
      }
    }
  }

  /** @returns publications whose figures another writer has changed meanwhile */
  async #changeSome(patentIds: readonly string[], change: Change): Promise<string[]> {
    const signal = this.#signal;
    const there = await again(() => read(this.#client, patentIds, { signal }), 'ingest', signal);
    if (there === undefined) throw unavailable(`the index ${this.#index} was deleted meanwhile`);
    const written: string[] = [];
    const operations: BulkOperation[] = [];
    for (const patentId of patentIds) {
      const known = there.get(patentId);
      const figures = change(patentId, known?.figures ?? []);
      if (figures === undefined) continue;
      const document: Stored = { patent_id: patentId, names: [...new Set(figures.map(nameOf))], figures };
      const place = { _index: this.#index, _id: patentId };
      const action = known
        ? {
            index: {
              ...place,
              if_seq_no: known.version._seq_no,
              if_primary_term: known.version._primary_term,
            },
          }
        : { create: place };
      written.push(patentId);
      operations.push({ action, document: JSON.stringify(document) });
    }
    const items = await bulkUntilTaken(this.#client, operations, this.#signal);
    const refused = items.find(isRefused);
    if (refused) throw unavailable(`the cluster refused the drawings of a publication: ${reasonOf(refused)}`);
    return written.filter((_, n) => isConflict(items[n]!));
  }
}

function nameOf({ place, key }: NamedFigure): string {
  return `${place} ${key}`;
}

/** The positions of each key. */
function placesBy(entries: readonly [string, number][]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [key, n] of entries) places.set(key, [...(places.get(key) ?? []), n]);
  return places;
}
