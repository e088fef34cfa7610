/** A data folder of some sources for a test, and the records read separately by the readers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import type { Patent } from '../../src/patent/record.js';

export interface Collection {
  dir: string;
  /** By patent_id, the last one read of each. */
  patents: Map<string, Patent>;
  remove(): void;
}

/** Ingests each source separately, so that each becomes a segment. */
export async function collect(sources: readonly string[], indexKind = 'auto'): Promise<Collection> {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-search-'));
  const engine = await open(dir, { create: true, indexKind, workers: 2 });
  for (const source of sources) await engine.ingest(source);
  await engine.close();
  return { dir, patents: await recordsOf(sources), remove: () => rmSync(dir, { recursive: true }) };
}

/** A collection that is open while the tests of a suite run. */
export interface OpenCollection {
  collection: Collection;
  engine: Engine;
  patents: Patent[];
}

/**
 * Collects sources and opens them before the tests of a suite; closes and removes them after these tests.
 * @returns an object whose fields are set when the tests run
 */
export function openBefore(sources: readonly string[]): OpenCollection {
  const opened = {} as OpenCollection;
  before(async () => {
    opened.collection = await collect(sources);
    opened.engine = await open(opened.collection.dir, { workers: 1 });
    opened.patents = [...opened.collection.patents.values()];
  });
  after(async () => {
    await opened.engine.close();
    opened.collection.remove();
  });
  return opened;
}

/** The records of some sources. */
export async function recordsOf(sources: readonly string[]): Promise<Map<string, Patent>> {
  const patents = new Map<string, Patent>();
  for await (const item of openSources(sources)) {
    if (isFailure(item)) continue;
    for (const patent of parseUnit(item.format, item.bytes).patents) patents.set(patent.patent_id, patent);
  }
  return patents;
}
