/**
 * Titles of IPC and CPC sections, classes and subclasses, in one language. The tables are in `languages/classes/`: short
 * titles written for this project.
 */

/** A class that fits what a person types. */
export interface Suggestion {
  /** Such as `H01M`. */
  code: string;
  title: string;
}

interface Row extends Suggestion {
  /** Words of the title, and further words by which the class is found, in lower case. */
  titleWords: readonly string[];
  words: readonly string[];
  /** All of them, for scripts without blanks. */
  text: string;
}

/** `H01M` or a code below it: the subclass in its first four characters. */
const BEGIN = /^[A-HY](?:\d{2}[A-Z]?|\d)?/;
const LATIN = /^[\p{Script=Latin}\d-]+$/u;

export class ClassTitles {
  readonly #rows: readonly Row[];
  readonly #titles: ReadonlyMap<string, string>;

  /** @param table lines of code, title and further words, with tabs between; lines that begin with `#` are comments */
  constructor(table: string) {
    this.#rows = table
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(rowOf);
    this.#titles = new Map(this.#rows.map(({ code, title }) => [code, title]));
  }

  /** All codes that have a title, in order. */
  get codes(): readonly string[] {
    return [...this.#titles.keys()];
  }

  /**
   * Title of the subclass of a code, or of the class or section if it ends there.
   * @param code in any spelling: `H01M 10/0525`, `h01m`, `H01`
   */
  titleOf(code: string): string | undefined {
    return this.#titles.get(packed(code).slice(0, 4));
  }

  /**
   * Classes whose code begins with a text, or else that its words describe; the nearest first.
   * @param text such as `h01`, `battery`, `전지`
   * @param scheme the IPC lacks some codes of the CPC
   * @param most number of suggestions
   */
  suggest(text: string, scheme: 'ipc' | 'cpc', most: number): Suggestion[] {
    const rows = scheme === 'ipc' ? this.#rows.filter((row) => !isOfCpcAlone(row)) : this.#rows;
    const code = packed(text);
    if (code === '') return [];
    if (BEGIN.exec(code)?.[0] === code && code.length > 1) {
      return rows.filter((row) => row.code.startsWith(code)).slice(0, most);
    }
    const asked = wordsOf(text);
    const found: { row: Row; rank: number }[] = [];
    for (const row of rows) {
      const rank = rankOf(row, asked, code);
      if (rank !== undefined) found.push({ row, rank });
    }
    return found
      .sort((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ row }) => row);
  }
}

function packed(code: string): string {
  return code.normalize('NFKC').replace(/\s+/g, '').toUpperCase();
}

function isOfCpcAlone({ code, title }: Suggestion): boolean {
  return code.startsWith('Y') || title.endsWith('(CPC)');
}

function rowOf(line: string): Row {
  const [code = '', title = '', further = ''] = line.split('\t');
  return {
    code,
    title,
    titleWords: wordsOf(title),
    words: wordsOf(further),
    text: `${title} ${further}`.toLowerCase(),
  };
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}-]+/u)
    .filter((word) => word !== '');
}

/** 0: the code itself; 1: the title begins with the words; 2: they are in the title; 3: in the further words. */
function rankOf(row: Row, asked: readonly string[], code: string): number | undefined {
  if (row.code === code) return 0;
  if (asked.length === 0) return undefined;
  if (asked.every((word) => isIn(word, row.titleWords, row.title.toLowerCase()))) {
    return begins(row.titleWords[0] ?? '', asked[0]!) ? 1 : 2;
  }
  return asked.every((word) => isIn(word, [...row.titleWords, ...row.words], row.text)) ? 3 : undefined;
}

function isIn(asked: string, words: readonly string[], text: string): boolean {
  return LATIN.test(asked) ? words.some((word) => begins(word, asked)) : text.includes(asked);
}

function begins(word: string, asked: string): boolean {
  return word.startsWith(asked) || singular(word) === singular(asked);
}

/** `batteries` and `battery` are one word. */
function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
