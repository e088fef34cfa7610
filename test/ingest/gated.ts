/** Ingests whose reading of the stored documents and whose commits happen when a test says so. */
import { ingestInto } from '../../src/ingest/ingest.js';
import { embedDocuments, type Preparer, prepareUnits } from '../../src/ingest/prepare.js';
import type { IngestSummary } from '../../src/ingest/summary.js';
import type { IngestTarget, StoredHeads } from '../../src/ingest/target.js';
import { loadModels } from '../../src/models/load.js';

const models = await loadModels();

/** The steps of an ingest that touch what is stored. */
export type Step = 'revise' | 'commit';

/** A target whose steps wait for a gate. */
export function gated(target: IngestTarget, gate: (step: Step) => Promise<void>): IngestTarget {
  return {
    revise: async (documents) => {
      await gate('revise');
      return target.revise(documents);
    },
    commit: async (model, documents) => {
      await gate('commit');
      return target.commit(model, documents);
    },
    isRead: (file) => target.isRead(file),
    isJoined: (file) => target.isJoined(file),
    enter: (files) => target.enter(files),
    // No merge runs beside the steps.
    tend: () => {},
    stop: async () => {},
    settle: async () => {},
  };
}

/** Ingests records as the lines of a file. @param segmentPassages passages of a commit */
export function ingestLines(
  target: IngestTarget,
  stored: StoredHeads,
  file: string,
  segmentPassages?: number,
): Promise<IngestSummary> {
  const preparer: Preparer = {
    prepare: (units) => prepareUnits(stored, models, units),
    embed: (documents) => embedDocuments(models, documents),
    keepImage: () => Promise.reject(new Error('there are no images')),
    parallel: 1,
  };
  return ingestInto(target, preparer, [file], segmentPassages === undefined ? {} : { segmentPassages });
}

/** Gates that a test opens one by one. */
export class Gates {
  readonly #waiting: { actor: number; step: Step; open: () => void }[] = [];
  #running = 0;

  /** A gate for one ingest. */
  of(actor: number): (step: Step) => Promise<void> {
    return (step) =>
      new Promise((open) => {
        this.#waiting.push({ actor, step, open });
      });
  }

  /** Counts an ingest as running until it ends. */
  run<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    return work.finally(() => {
      this.#running -= 1;
    });
  }

  /** Opens gates until all ingests have ended: each time when every ingest that runs waits. @param choose which one */
  async openAll(choose: (waiting: readonly { actor: number; step: Step }[]) => number): Promise<void> {
    while (this.#running > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#running === 0 || this.#waiting.length < this.#running) continue;
      // In the order of the actors, whichever of them waited first.
      this.#waiting.sort((a, b) => a.actor - b.actor);
      const [one] = this.#waiting.splice(choose(this.#waiting), 1);
      one!.open();
    }
  }
}
