/** Maps the publication numbers of judgements to the results that a search of a data folder can return. */

import { PriorartError } from '../errors.js';
import { applicationLink } from '../index/columns.js';
import { CALIBRATION } from '../limits.js';
import { kindClass } from '../patent/kind.js';
import type { DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { resolvePublications } from '../store/resolve.js';
import type { Grades } from './measures.js';
import type { Qrels } from './trec.js';

/**
 * Judgements that keep clearly relevant documents only, with grade 1. Clearly relevant is a grade of
 * `CALIBRATION.clearGrade` or more; if no document has such a grade, a grade of 1 or more.
 */
export function clearlyRelevant(qrels: Qrels): Qrels {
  const grades = [...qrels.values()].flatMap((judged) => [...judged.values()]);
  const least = grades.some((grade) => grade >= CALIBRATION.clearGrade) ? CALIBRATION.clearGrade : 1;
  const clear = (judged: ReadonlyMap<string, number>) =>
    new Map([...judged].map(([document, grade]) => [document, grade >= least ? 1 : 0]));
  return new Map([...qrels].map(([question, judged]) => [question, clear(judged)]));
}

export class Judgements {
  /** Judged numbers that the folder does not hold, as written in the judgements. */
  readonly missing = new Set<string>();
  /** Judged designs. They are left out, because a search finds designs only by kind code. */
  readonly designs = new Set<string>();
  /** All other judged publications. */
  readonly documents = new Set<string>();
  /** Languages of the publications of each link. */
  readonly #languages = new Map<string, Set<string>>();
  /** Ids of all publications of each link. */
  readonly #behind = new Map<string, Set<number>>();
  readonly #grades = new Map<string, Map<string, number>>();
  readonly #store: Publications;

  constructor(store: Publications, qrels: Qrels) {
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

  /** Ids of all publications that are relevant to a question. Includes the unjudged grant of a judged application. */
  relevantDocuments(question: string): Set<number> {
    const found = new Set<number>();
    for (const [link, grade] of this.of(question)) {
      if (grade > 0) for (const doc of this.#behind.get(link)!) found.add(doc);
    }
    return found;
  }

  /** The common name of an application and its grant, which are one result and have one grade. */
  link(patentId: string): string {
    return applicationLink(this.#head(patentId)) || patentId;
  }

  /** Language of a publication; `?` if its source does not state it. */
  language(patentId: string): string {
    return this.#head(patentId).language ?? '?';
  }

  /** Languages of all judged publications, ascending. */
  languages(): string[] {
    return [...new Set([...this.#languages.values()].flatMap((codes) => [...codes]))].sort();
  }

  /** Whether a publication of a link is in a language. */
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
