/** `npm run bench -- ready`: time to ingest documents with precomputed vectors, training and index included. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeSegments } from '../../src/index/merge.js';
import { writeSegment } from '../../src/index/segment.js';
import { textsOf } from '../../src/ingest/prepare.js';
import { loadModels } from '../../src/models/load.js';
import { commitDocuments } from '../../src/store/commit.js';
import { type PreparedDocument, patentOf } from '../../src/store/document.js';
import { dataFile } from '../../src/store/faults.js';
import { Store } from '../../src/store/store.js';
import { cachedCorpus } from '../corpus/cached.js';
import { ROOT } from '../machine.js';
import { Target } from '../recall/target.js';
import type { Benchmark, Figure } from '../result.js';
import { sectionOf, wantedOf } from '../sections.js';
import type { Opened } from './opened.js';

const SIZES = { short: [100_000], whole: [1_000_000] };
/** Same value as `SEGMENT_PASSAGES` in src/ingest/ingest.ts. */
const SEGMENT_PASSAGES = 16_384;
const OPENING = fileURLToPath(new URL('./opened.js', import.meta.url));

export const ready: Benchmark = {
  name: 'ready',
  summary: 'documents with ready vectors into a searchable folder: commits, merge, training, index',
  sections: ['ready'],
  run: async (setting) => {
    wantedOf(setting, [{ id: 'ready' }]);
    const measured = await sectionOf('ready', 'Documents with ready vectors', async () => {
      const figures: Figure[] = [];
      for (const size of setting.passages ?? (setting.short ? SIZES.short : SIZES.whole)) {
        const corpus = await cachedCorpus(size, setting.progress);
        setting.progress(`${corpus.name}: committing`);
        figures.push(...(await takenIn(corpus.dir, corpus.name)));
      }
      return figures;
    });
    const about =
      'Documents, passages, vectors and token bags of a generated folder, committed to a new one as an ingest commits them (a segment and a transaction forced to the disk for each 16,384 passages), then merged into one segment and indexed. Reading the old folder and making the bags is not counted. Then a new process opens the folder and runs a hundred searches. Its own memory is its memory without mapped files, minus that before it opened the folder.';
    return { models: {}, sections: [{ ...measured, about }] };
  },
};

async function takenIn(from: string, name: string): Promise<Figure[]> {
  const source = new Target(from);
  const dir = mkdtempSync(join(ROOT, '.bench', 'ready-'));
  const store = Store.openOrCreate(dir, source.manifest.model, 'auto');
  const { embedder, reranker } = await loadModels();
  try {
    const committing = new Watch();
    let waiting: PreparedDocument[] = [];
    let passages = 0;
    const commit = () => {
      const documents = waiting;
      if (documents.length === 0) return;
      committing.run(() =>
        commitDocuments(store, source.manifest.model, documents, (segment, firstDoc) =>
          writeSegment(store, segment, firstDoc, documents),
        ),
      );
      waiting = [];
      passages = 0;
    };
    for (const { key, value: head } of source.store.documents.getRange()) {
      const patent = patentOf(head, source.store.bodies.get(key)!);
      const texts = Array.from({ length: head.passages }, (_, n) => source.store.passage(key, n)!);
      const bags = reranker.bags?.of(textsOf({ patent, passages: texts }));
      const vectors = source.native.vectorsOf(key)!;
      waiting.push({ patent, hash: head.hash, passages: texts, vectors, bags });
      passages += head.passages;
      if (passages >= SEGMENT_PASSAGES) commit();
    }
    commit();
    const merging = new Watch();
    await merging.runAsync(() => mergeSegments(store, { full: true }));
    const { documents, passages: all, segments } = store.manifest();
    const index = segments[0]?.index;
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes + (segment.index?.bytes ?? 0), 0);
    const at = { measure: `${name} (${documents} documents, ${index?.kind ?? 'no index'})`, n: 1 };
    const rows = [
      ['commits', committing],
      ['merge, training and index', merging],
    ] as const;
    return [
      ...rows.flatMap(([metric, watch]) => watch.figures({ ...at, metric })),
      ...committing.plus(merging).figures({ ...at, metric: 'together' }),
      {
        ...at,
        metric: 'passages a second',
        variant: 'time',
        unit: '/s',
        value: all / committing.plus(merging).seconds,
      },
      { ...at, metric: 'vectors, columns, index a passage', variant: 'size', unit: 'B', value: bytes / all },
      {
        ...at,
        metric: 'texts a passage',
        variant: 'size',
        unit: 'B',
        value: statSync(dataFile(dir)).size / all,
      },
      ...openedFigures(dir, all, at),
    ];
  } finally {
    await Promise.all([source.close(), store.close(), embedder.close(), reranker.close()]);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Measures a separate process, with the files in the page cache. */
function openedFigures(dir: string, passages: number, at: Pick<Figure, 'measure' | 'n'>): Figure[] {
  const output = execFileSync(process.execPath, [OPENING, dir], { encoding: 'utf8' });
  const { openMs, firstMs, medianMs, ownBytes } = JSON.parse(output) as Opened;
  const times = { 'open the folder': openMs, 'first search': firstMs, 'a search, median of 100': medianMs };
  return [
    ...Object.entries(times).map(
      ([metric, ms]): Figure => ({ ...at, metric, variant: 'time', unit: 'ms', value: ms }),
    ),
    { ...at, metric: 'own memory a passage', variant: 'size', unit: 'B', value: ownBytes / passages },
  ];
}

/** Measures the time of a function, and the processor time of all threads. */
class Watch {
  seconds = 0;
  cpuSeconds = 0;

  run(work: () => unknown): void {
    const end = this.#start();
    work();
    end();
  }

  async runAsync(work: () => Promise<unknown>): Promise<void> {
    const end = this.#start();
    await work();
    end();
  }

  plus(other: Watch): Watch {
    const sum = new Watch();
    sum.seconds = this.seconds + other.seconds;
    sum.cpuSeconds = this.cpuSeconds + other.cpuSeconds;
    return sum;
  }

  figures(at: Pick<Figure, 'measure' | 'metric' | 'n'>): Figure[] {
    return [
      { ...at, variant: 'time', unit: 's', value: this.seconds },
      { ...at, variant: 'CPU', unit: 's', value: this.cpuSeconds },
    ];
  }

  #start(): () => void {
    const started = performance.now();
    const before = process.cpuUsage();
    return () => {
      const { user, system } = process.cpuUsage(before);
      this.seconds += (performance.now() - started) / 1000;
      this.cpuSeconds += (user + system) / 1e6;
    };
  }
}
