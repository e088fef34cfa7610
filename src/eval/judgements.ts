/** What a list of judgements means in a data folder: numbers become the results that a search can give. */

import { PriorartError } from '../errors.js';
import { applicationLink } from '../index/columns.js';
import { CALIBRATION } from '../limits.js';
import { kindClass } from '../patent/kind.js';
import type { DocumentHead } from '../store/document.js';
import { resolvePublications } from '../store/resolve.js';
import type { Store } from '../store/store.js';
import type { Grades } from './measures.js';
import type { Qrels } from './trec.js';

/**
 * Judgements in which only what is clearly relevant is relevant, of grade 1: what had `CALIBRATION.clearGrade` or
 * more. Where no grade reaches that, 1 is clear enough.
 */
export function clearlyRelevant(qrels: Qrels): Qrels {
  const grades = [...qrels.values()].flatMap((judged) => [...judged.values()]);
  const least = grades.some((grade) => grade >= CALIBRATION.clearGrade) ? CALIBRATION.clearGrade : 1;
  const clear = (judged: ReadonlyMap<string, number>) =>
    new Map([...judged].map(([document, grade]) => [document, grade >= least ? 1 : 0]));
  return new Map([...qrels].map(([question, judged]) => [question, clear(judged)]));
}

export class Judgements {
  /** Judged numbers that the folder does not hold, as they were written. */
  readonly missing = new Set<string>();
  /** Judged designs: a search that does not name their kind never finds them, so they are left out. */
  readonly designs = new Set<string>();
  /** All other judged publications. */
  readonly documents = new Set<string>();
  /** Languages of the publications behind a link. */
  readonly #languages = new Map<string, Set<string>>();
  /** Ids of all publications behind a link. */
  readonly #behind = new Map<string, Set<number>>();
  readonly #grades = new Map<string, Map<string, number>>();
  readonly #store: Store;

  constructor(store: Store, qrels: Qrels) {
    this.#store = store;
    for (const [question, judged] of qrels) {
      const grades = new Map<string, number>();
      for (const [spelling, grade] of judged) {
        for (const id of this.#searchable(spelling)) {
          const link = this.link(id);
          grades.set(link, Math.max(grade, grades.get(link) ?? grade));
        }
      }
      this.#grades.set(question, grades);
    }
  }

  /** Grades of a question, by link. */
  of(question: string): Grades {
    return this.#grades.get(question) ?? new Map();
  }

  /** Ids of all publications that are relevant to a question: of an application also its grant, judged or not. */
  relevantDocuments(question: string): Set<number> {
    const found = new Set<number>();
    for (const [link, grade] of this.of(question)) {
      if (grade > 0) for (const doc of this.#behind.get(link)!) found.add(doc);
    }
    return found;
  }

  /** What stands for an application and its grant, which are one result and are judged alike. */
  link(patentId: string): string {
    return applicationLink(this.#head(patentId)) || patentId;
  }

  /** Language of a publication, `?` where its source does not state it. */
  language(patentId: string): string {
    return this.#head(patentId).language ?? '?';
  }

  /** Languages of all judged publications, ascending. */
  languages(): string[] {
    return [...new Set([...this.#languages.values()].flatMap((codes) => [...codes]))].sort();
  }

  /** Whether one of the publications behind a link is in a language. */
  speaks(link: string, language: string): boolean {
    return this.#languages.get(link)?.has(language) === true;
  }

  #searchable(spelling: string): string[] {
    const found = resolvePublications(this.#store, spelling);
    if (found.length === 0) this.missing.add(spelling);
    return found.filter((id) => {
      const { country, kind_code } = this.#head(id);
      if (kindClass(country, kind_code) === 'design') {
        this.designs.add(id);
        return false;
      }
      this.documents.add(id);
      const link = this.link(id);
      const languages = this.#languages.get(link) ?? new Set();
      this.#languages.set(link, languages.add(this.language(id)));
      this.#behind.set(link, new Set([id, ...this.#siblings(id)].map((each) => this.#store.ids.get(each)!)));
      return true;
    });
  }

  /** Publications of the same application. */
  #siblings(id: string): string[] {
    const { country, application_number } = this.#head(id);
    return application_number ? [...this.#store.applications.getValues(country + application_number)] : [];
  }

  #head(patentId: string): DocumentHead {
    const head = this.#store.documents.get(this.#store.ids.get(patentId) ?? -1);
    if (head) return head;
    throw new PriorartError('data_corrupt', `${patentId} is listed but not stored; run \`priorart check\``);
  }
}
