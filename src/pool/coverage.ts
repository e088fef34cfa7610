/** The coverage document: counted anew when something was committed, and else given out as it is. */
import { createHash } from 'node:crypto';
import { isPriorartError } from '../errors.js';
import { COVERAGE_CHECK_MS } from '../limits.js';
import type { Coverage, TaggedBody } from '../search/types.js';
import type { Store } from '../store/store.js';
import type { Answers, AskOptions } from './pool.js';

interface Counted {
  generation: number;
  body: TaggedBody;
}

const decoder = new TextDecoder();

export class CoverageDocument {
  readonly #store: Store;
  readonly #answers: Answers;
  readonly #checkMs: number;
  #counted: Counted | undefined;
  #counting: Promise<TaggedBody> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** @param checkMs how long the document is given out without a look at the store */
  constructor(store: Store, answers: Answers, checkMs = COVERAGE_CHECK_MS) {
    this.#store = store;
    this.#answers = answers;
    this.#checkMs = checkMs;
  }

  /**
   * The document, at once where nothing has changed. Whoever asks while it is counted waits for the same count;
   * where that fails for lack of room, the last one that there was has to do.
   */
  body(options: AskOptions = {}): TaggedBody | Promise<TaggedBody> {
    if (this.#counted && performance.now() - this.#checkedAt < this.#checkMs) return this.#counted.body;
    if (this.#counting) return this.#counting;
    this.#store.refresh();
    const { generation } = this.#store.manifest();
    this.#checkedAt = performance.now();
    if (this.#counted?.generation === generation) return this.#counted.body;
    this.#counting = this.#count(options).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count({ deadline }: AskOptions): Promise<TaggedBody> {
    try {
      // Not with the signal of the one who asked first: others wait, too.
      const json = await this.#answers.ask({ kind: 'coverage' }, { deadline });
      const coverage = JSON.parse(decoder.decode(json)) as Coverage;
      this.#counted = { generation: coverage.index.generation, body: { json, etag: etagOf(coverage) } };
      return this.#counted.body;
    } catch (error) {
      if (this.#counted && isPriorartError(error) && error.code === 'overloaded') return this.#counted.body;
      throw error;
    }
  }
}

/** Of what was counted and not of when, so that every server process of a folder gives the same. */
function etagOf({ generated_at: _, ...counted }: Coverage): string {
  return `W/"${createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22)}"`;
}
