/** The coverage document: counted again after a commit, cached otherwise. */
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

  /** @param checkMs time for which the document is served without a check of the store, ms */
  constructor(store: Store, answers: Answers, checkMs = COVERAGE_CHECK_MS) {
    this.#store = store;
    this.#answers = answers;
    this.#checkMs = checkMs;
  }

  /**
   * The document, without delay if nothing has changed. All calls during a count share its result. If the
   * count is refused because the queue is full, the last document is returned.
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
      // Without the first caller's signal, since others wait for the same count.
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

/** Hash of the counts without their time, so that every server process of a folder gives the same ETag. */
function etagOf({ generated_at: _, ...counted }: Coverage): string {
  return `W/"${createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22)}"`;
}
