/** Makes filters that a given share of a folder passes: by date, which is independent of the content, and by class. */
import type { SemanticRequest } from '../../src/search/schema.js';
import type { Store } from '../../src/store/store.js';
import type { Question } from '../corpus/blocks.js';
import { below, type Random } from '../corpus/random.js';

export type Fields = Omit<SemanticRequest, 'query'>;

/** Shares of all passages that pass the filter, percent. */
export const SELECTIVITIES = [100, 50, 10, 1, 0.1, 0.01] as const;
/** Maximum factor between the share of a class and the wanted share. */
const NEAR_ENOUGH = 4;

interface Sized {
  key: string;
  passages: number;
}

/** Makes filters for the documents of a folder. */
export class FilterMaker {
  readonly #days: Sized[];
  readonly #prefixes: ReadonlyMap<string, number>;
  readonly #total: number;

  constructor(store: Store) {
    const days = new Map<string, number>();
    const prefixes = new Map<string, number>();
    let total = 0;
    const add = (to: Map<string, number>, key: string, passages: number) =>
      to.set(key, (to.get(key) ?? 0) + passages);
    for (const { value: head } of store.documents.getRange()) {
      total += head.passages;
      if (head.filing_date) add(days, head.filing_date, head.passages);
      const own = new Set((head.ipc_codes ?? []).flatMap(prefixesOf));
      for (const prefix of own) add(prefixes, prefix, head.passages);
    }
    this.#total = total;
    this.#days = [...days]
      .map(([key, passages]) => ({ key, passages }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#prefixes = prefixes;
  }

  /** A range of filing dates from a random day that at least `percent` of the passages pass. */
  dates(next: Random, percent: number): Fields {
    if (percent >= 100) return {};
    const wanted = (this.#total * percent) / 100;
    for (;;) {
      const from = below(next, this.#days.length);
      for (let to = from, held = 0; to < this.#days.length; to++) {
        held += this.#days[to]!.passages;
        if (held < wanted) continue;
        return { filing_date_from: this.#days[from]!.key, filing_date_to: this.#days[to]!.key };
      }
    }
  }

  /** The class of the question's target with the closest share; undefined if none is close. */
  class({ target }: Pick<Question, 'target'>, percent: number): Fields | undefined {
    const wanted = (this.#total * percent) / 100;
    const distance = (prefix: string) =>
      Math.abs(Math.log((this.#prefixes.get(prefix) ?? Number.MIN_VALUE) / wanted));
    const candidates = (target.ipc_codes ?? []).flatMap(prefixesOf);
    const best = candidates.sort((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1))[0];
    return best === undefined || distance(best) > Math.log(NEAR_ENOUGH) ? undefined : { ipc_codes: [best] };
  }
}

/** Section, class, subclass, main group, code. */
export function prefixesOf(code: string): string[] {
  const [subclass = '', groups = ''] = code.split(' ');
  return [code[0]!, code.slice(0, 3), subclass, `${subclass} ${groups.split('/')[0]}/`, code];
}
