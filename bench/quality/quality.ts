/** `npm run bench -- quality`: measures search quality. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MODELS, readModels } from '../../src/models/config.js';
import { openEmbedder } from '../../src/models/load.js';
import type { Benchmark, Section, Setting } from '../result.js';
import { citations } from './citations.js';
import { counts, countsMixed } from './counts.js';
import { exact } from './exact.js';
import { fixtures } from './fixtures.js';
import { kipris } from './kipris.js';
import { kiprisMixed } from './kipris-mixed.js';
import type { Measure, ModelUnderTest } from './measure.js';
import { pairs } from './pairs.js';
import { papers } from './papers.js';
import { sampled } from './sampled.js';
import { scale } from './scale.js';
import { phrases, sts } from './similarity.js';
import { subjects } from './subjects.js';
import { terms } from './terms.js';
import { topics } from './topics.js';

const MEASURES: readonly Measure[] = [
  fixtures,
  counts,
  scale,
  kipris,
  kiprisMixed,
  countsMixed,
  citations,
  papers,
  exact,
  sampled,
  terms,
  subjects,
  topics,
  pairs,
  sts,
  phrases,
];

export const quality: Benchmark = {
  name: 'quality',
  summary: 'recall, nDCG, MRR and correlations, by similarity and reranked, with a lexical baseline',
  sections: MEASURES.map(({ id }) => id),
  run: async (setting) => {
    const wanted = MEASURES.filter(({ id }) => setting.only?.includes(id) ?? true);
    const unknown = setting.only?.find((name) => !MEASURES.some(({ id }) => id === name));
    if (unknown !== undefined) {
      throw new Error(`--only: no section ${unknown}; there are ${MEASURES.map(({ id }) => id).join(', ')}`);
    }
    const underTest = await opened(setting);
    try {
      const sections: Section[] = [];
      for (const measure of wanted) sections.push(await sectionOf(measure, setting, underTest));
      return {
        models: Object.fromEntries(underTest.map((model) => [model.label, described(model)])),
        sections,
      };
    } finally {
      for (const { embedder } of underTest) await embedder.close();
    }
  },
};

async function opened({ models }: Setting): Promise<ModelUnderTest[]> {
  const found: ModelUnderTest[] = [];
  for (const { label, file } of models) {
    const config = file === undefined ? DEFAULT_MODELS : readModels(file);
    found.push({
      label,
      file,
      embedder: await openEmbedder(config.embedder),
      reranker: config.reranker.kind,
    });
  }
  return found;
}

function described({ embedder, reranker }: ModelUnderTest): string {
  return `${embedder.name} ${embedder.version}, reranker ${reranker}`;
}

async function sectionOf(measure: Measure, setting: Setting, underTest: ModelUnderTest[]): Promise<Section> {
  const { id, title, about, needs } = measure;
  const missing = needs.filter((path) => !existsSync(join(setting.corpora, path)));
  if (missing.length > 0) {
    const skipped = `${missing.join(', ')} is not at ${setting.corpora}`;
    return { id, title, about, figures: [], skipped, seconds: 0, cpuSeconds: 0 };
  }
  setting.progress(title);
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const temporary = mkdtempSync(join(tmpdir(), 'priorart-bench-'));
  try {
    const measured = await measure.run({ ...setting, underTest, temporary });
    const found = Array.isArray(measured) ? { figures: measured } : measured;
    const { user, system } = process.cpuUsage(cpu);
    const seconds = Math.round(performance.now() - started) / 1000;
    return { id, title, about, ...found, seconds, cpuSeconds: (user + system) / 1e6 };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
