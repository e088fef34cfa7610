/**
 * The lexical baseline: BM25 (Robertson and Zaragoza 2009, k1 1.2, b 0.75, with Lucene's logarithm, which is never
 * negative). Its tokens are words of Latin script and digits, and pairs of characters of scripts without blanks between
 * words.
 */
const K1 = 1.2;
const B = 0.75;

/** Splits a text into words, and into pairs of characters of Han, Kana and Hangul. Lower case, NFKC. */
export function tokens(text: string): string[] {
  const found: string[] = [];
  const runs = text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(
      /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+)|[\p{L}\p{M}\p{N}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\p{L}\p{M}\p{N}]|$)/gu,
    );
  for (const [run, unparted] of runs) {
    if (unparted === undefined || run.length === 1) found.push(run);
    else for (let at = 0; at + 1 < run.length; at++) found.push(run.slice(at, at + 2));
  }
  return found;
}

export class Bm25 {
  readonly #names: string[] = [];
  readonly #lengths: number[] = [];
  /** Token → document and count, alternating. */
  readonly #postings = new Map<string, number[]>();

  add(name: string, text: string): void {
    const counts = new Map<string, number>();
    const all = tokens(text);
    for (const token of all) counts.set(token, (counts.get(token) ?? 0) + 1);
    for (const [token, count] of counts) {
      const list = this.#postings.get(token);
      if (list) list.push(this.#names.length, count);
      else this.#postings.set(token, [this.#names.length, count]);
    }
    this.#names.push(name);
    this.#lengths.push(all.length);
  }

  /** Documents that share a token with the question, best first, at most `limit`. */
  search(question: string, limit: number): string[] {
    return this.scores(question)
      .slice(0, limit)
      .map(({ name }) => name);
  }

  /** All documents that share a token with the question, with scores, best first. Ties keep the order of `add`. */
  scores(question: string): { name: string; score: number }[] {
    const average = this.#lengths.reduce((sum, length) => sum + length, 0) / this.#lengths.length;
    const scores = new Map<number, number>();
    for (const token of new Set(tokens(question))) {
      const list = this.#postings.get(token) ?? [];
      const holding = list.length / 2;
      const idf = Math.log(1 + (this.#names.length - holding + 0.5) / (holding + 0.5));
      for (let at = 0; at < list.length; at += 2) {
        const [document, count] = [list[at]!, list[at + 1]!];
        const length = 1 - B + (B * this.#lengths[document]!) / average;
        const score = (idf * count * (K1 + 1)) / (count + K1 * length);
        scores.set(document, (scores.get(document) ?? 0) + score);
      }
    }
    const order = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return order.map(([document, score]) => ({ name: this.#names[document]!, score }));
  }
}
