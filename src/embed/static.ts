/**
 * The static cross-lingual embedder. Every piece of text has a row of numbers; the vector of a text is the weighted sum
 * of its pieces' rows. Computed in Rust, from one file that all workers share. `models/static/FORMAT.md` describes it.
 */
import { fileURLToPath } from 'node:url';
import { PriorartError } from '../errors.js';
import { calling, type NativeStaticModel, native } from '../index/native.js';
import type { Calibration } from './calibration.js';
import type { Embedder } from './embedder.js';
import {
  type CohortUse,
  faultOfTable,
  type LanguageTable,
  scalePassages,
  scaleQueries,
} from './languages.js';
import { addRows } from './rows.js';
import { embedTranslated, isTranslationUse, type TranslationUse } from './translated.js';

/** The model of the package. */
export const STATIC_MODEL = fileURLToPath(new URL('../../../models/static/model.bin', import.meta.url));

interface ModelDescription {
  name: string;
  version: string;
  calibration: Calibration;
  /** Share of the titles' vector that is added to the vector of each passage of a patent. */
  titleShare: number;
  /** Corrections that bring all languages onto one scale. Absent: cosines stay as they are. */
  languages: LanguageTable | undefined;
  cohort: CohortUse | undefined;
  /** How much the translations of a question count. Absent: a question is not translated. */
  translations: TranslationUse | undefined;
}

/**
 * Opens a static model. The file states its name, version and calibration.
 * @param measured a calibration that overrides the file's
 * @throws PriorartError `model_missing`, `model_damaged`
 */
export function staticEmbedder(path: string = STATIC_MODEL, measured?: Calibration): Embedder {
  const model = openStaticModel(path);
  const { name, version, calibration, titleShare, languages, cohort, translations } = descriptionOf(
    model,
    path,
  );
  const { dimensions } = model;
  const passages = (texts: readonly string[], rows: Float32Array, titles: Float32Array) => {
    const coloured = addTitles(rows, titles, titleShare);
    return languages ? scalePassages(coloured, dimensions, texts, languages) : coloured;
  };
  const queries = (texts: readonly string[]) => {
    const embed = (all: readonly string[]) => calling(() => model.embed([...all]));
    const rows = translations ? embedTranslated(embed, texts, dimensions, translations) : embed(texts);
    return languages ? scaleQueries(rows, dimensions, texts, languages) : rows;
  };
  return {
    name,
    version,
    dimensions,
    calibration: measured ?? calibration,
    calibrated: true,
    ...(languages && { languages: { first: languages.first, names: languages.names } }),
    ...(cohort && {
      level: (question: Float32Array) => {
        const near = calling(() => model.nearness(question, cohort.nearest));
        return cohort.share * (Math.max(near, cohort.least) - cohort.mean);
      },
    }),
    embed: (texts, kind, titles = '') => {
      if (kind === 'query') return queries(texts);
      const vectors = calling(() => model.embed([...texts, titles]));
      const rows = vectors.subarray(0, texts.length * dimensions);
      return passages(texts, rows, vectors.subarray(rows.length));
    },
    bags: {
      model: model.bagsModel,
      embed: (texts) => {
        const { vectors, bags } = calling(() => model.embedDocument(texts));
        const rows = vectors.subarray(0, texts.passages.length * dimensions);
        return { vectors: passages(texts.passages, rows, vectors.subarray(rows.length)), bags };
      },
    },
    close: () => model.close(),
  };
}

/** Adds a share of one vector to every row that is not zero, then normalises the rows. */
function addTitles(rows: Float32Array, titles: Float32Array, share: number): Float32Array {
  if (share === 0 || titles.every((x) => x === 0)) return rows;
  const { length } = titles;
  for (let at = 0; at < rows.length; at += length) {
    const row = rows.subarray(at, at + length);
    if (row.some((x) => x !== 0)) addRows(row, titles, share);
  }
  return rows;
}

/**
 * Maps a model file, or shares the mapping of another thread. The first time, reads the whole file and compares its
 * checksums.
 * @throws PriorartError `model_missing`, `model_damaged`
 */
export function openStaticModel(path: string = STATIC_MODEL): NativeStaticModel {
  try {
    return new native.StaticModel(path);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('data_missing: ')) {
      throw new PriorartError(
        'model_missing',
        `the embedding model ${path} does not exist; ${remedy(path)}`,
        {
          cause: error,
        },
      );
    }
    throw damaged(
      path,
      error instanceof Error ? error.message.replace(/^[a-z_]+: /, '') : String(error),
      error,
    );
  }
}

function descriptionOf(model: NativeStaticModel, path: string): ModelDescription {
  let config: Partial<ModelDescription> & { title_share?: number };
  try {
    config = JSON.parse(model.config) as typeof config;
  } catch (error) {
    throw damaged(path, 'its description is not JSON', error);
  }
  const { name, version, calibration, title_share: titleShare = 0, languages, cohort, translations } = config;
  const { midpoint, slope } = calibration ?? {};
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw damaged(path, 'its description lacks a name or a version');
  }
  if (!Number.isFinite(midpoint) || !(Number.isFinite(slope) && slope! > 0)) {
    throw damaged(path, 'its description lacks a calibration');
  }
  // With a share below 1 a title cannot cancel out a passage.
  if (!(titleShare >= 0 && titleShare < 1)) throw damaged(path, 'its title_share is not in 0..1');
  const fault = languages && faultOfTable(languages, model.dimensions);
  if (fault) throw damaged(path, fault);
  if (cohort && ![cohort.nearest, cohort.share, cohort.mean, cohort.least].every(Number.isFinite)) {
    throw damaged(path, 'the fields of its cohort are not numbers');
  }
  if (translations && !isTranslationUse(translations)) {
    throw damaged(path, 'the fields of its translations are not positive numbers');
  }
  const shown = { midpoint: midpoint!, slope: slope! };
  return { name, version, calibration: shown, titleShare, languages, cohort, translations };
}

function damaged(path: string, reason: string, cause?: unknown): PriorartError {
  const message = `the embedding model ${path} cannot be used: ${reason}; ${remedy(path)}`;
  return new PriorartError('model_damaged', message, cause === undefined ? {} : { cause });
}

function remedy(path: string): string {
  return path === STATIC_MODEL
    ? 'in a clone run `git checkout models/static/model.bin`, in an app install the package again'
    : 'put an undamaged copy of the file there';
}
