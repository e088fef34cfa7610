/** must_terms against a reading of every text: codes, formulae, numbers and phrases are found where a text holds them, and nowhere else. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/engine.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { FIXTURES } from '../crash/folder.js';
import { openBefore } from './collection.js';

const HAN = new Map(
  readFileSync(new URL('../../../native/core/src/lexical/han.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t') as [string, string]),
);
const folded = (text: string) =>
  Array.from(text.normalize('NFKC'), (character) => HAN.get(character) ?? character).join('');

/** A word, or the characters of a script without spaces. */
interface Token {
  /** In lower case. */
  text: string;
  written: string;
  isRun: boolean;
  /** Signs that end a clause between the token before and this one. */
  signs: number;
  /** What stands between them. */
  gap: string;
}

const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul'];
// The prolonged sound mark and the iteration mark have no script of their own.
const RUNS =
  '[\\p{Script=Han}々〇]+|[\\u3041-\\u309f]+|[\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff]+|\\p{Script=Hangul}+';
const PLAIN = `(?![${SCRIPTS.map((name) => `\\p{Script=${name}}`).join('')}々〇ー])`;
const TOKEN = new RegExp(`(${RUNS})|(?:${PLAIN}[\\p{L}\\p{N}]|(?<=\\p{N})\\.(?=\\p{N}))+`, 'gu');

function tokensOf(given: string): Token[] {
  const text = folded(given);
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: written, 1: run, index } of text.matchAll(TOKEN)) {
    const gap = text.slice(end, index);
    // A full stop between two words without a space joins them.
    const isJoint = gap === '.' && !run && !tokens.at(-1)?.isRun;
    const signs = isJoint ? 0 : gap.replace(/[^.,;:!?\n、。]/g, '').length;
    tokens.push({ text: written.toLowerCase(), written, isRun: run !== undefined, signs, gap });
    end = index + written.length;
  }
  return tokens;
}

const isNumber = (piece: string) => /^[\p{N}.]+$/u.test(piece);
const piecesOf = (text: string) => text.match(/[\p{N}.]+|[^\p{N}.]+/gu) ?? [];
/** Whether a code may be written with spaces between its letters and numbers: not one of a letter and a number. */
const mayPart = (pieces: readonly string[]) =>
  pieces.length > 2 ||
  (pieces.length === 2 && !pieces.some((piece) => [...piece].length === 1 && !isNumber(piece)));

/** Whether a token is a code, a formula or a number, whose ending counts. */
const isExact = ({ text, written, isRun }: Token) =>
  isRun ||
  /\p{N}/u.test(text) ||
  (/^.+\p{Lu}/u.test(written) && (/\p{Ll}/u.test(written) || [...written].length <= 5));

type Verdict = 'yes' | 'maybe' | 'no';

/** Whether tokens of a text are a token of a term. A plain word may have another ending; only a stemmer knows which. */
function compared(wanted: Token, token: Token, isFirst: boolean, isLast: boolean): Verdict {
  if (wanted.isRun !== token.isRun) return 'no';
  if (wanted.isRun) {
    if ([...wanted.text].length === 1) return wanted.text === token.text ? 'yes' : 'no';
    if (isFirst && isLast) return token.text.includes(wanted.text) ? 'yes' : 'no';
    if (isFirst) return token.text.endsWith(wanted.text) ? 'yes' : 'no';
    if (isLast) return token.text.startsWith(wanted.text) ? 'yes' : 'no';
    return wanted.text === token.text ? 'yes' : 'no';
  }
  // Of long words, only those with capitals inside are kept as they are written.
  const isKept = !isExact(wanted) || [...token.text].length <= 5 || /^.+\p{Lu}/u.test(token.written);
  if (wanted.text === token.text) return isKept || /\p{N}/u.test(token.text) ? 'yes' : 'maybe';
  if (/\p{N}/u.test(wanted.text + token.text)) return 'no';
  // The ending of a text's word may be cut, that of a code may not.
  const shared = Math.min(wanted.text.length, token.text.length, 3);
  if (wanted.text.slice(0, shared) !== token.text.slice(0, shared)) return 'no';
  return isExact(wanted) && !token.text.startsWith(wanted.text) ? 'no' : 'maybe';
}

/** The same in a name, whose words have no stems: they are kept as they are written. */
function comparedInName(wanted: Token, token: Token, isFirst: boolean, isLast: boolean): Verdict {
  if (wanted.isRun || token.isRun) return compared(wanted, token, isFirst, isLast);
  return wanted.text === token.text ? 'yes' : 'no';
}

const HYPHENS = /^[\s\-‐‑–]+$/;
/** A sign that joins two words, alone between them. */
const JOINS = /^[-.+/_&'’‐-–−]$/;

/** The forms in which a term may stand: as it is, its codes in pieces, its letters and numbers as codes. */
function formsOf(tokens: readonly Token[]): Token[][] {
  const forms = [[...tokens]];
  forms.push(
    tokens.flatMap((token) => {
      const pieces = piecesOf(token.text);
      if (token.isRun || !mayPart(pieces)) return [token];
      return pieces.map((text, n) => ({
        ...token,
        text,
        written: text.toUpperCase(),
        signs: n ? 0 : token.signs,
      }));
    }),
  );
  for (const units of [false, true]) {
    const out: Token[] = [];
    let chain: Token[] = [];
    const flush = () => {
      const text = chain.map((token) => token.text).join('');
      if (chain.length > 1 && mayPart(piecesOf(text))) out.push({ ...chain[0]!, text, written: text });
      else out.push(...chain);
      chain = [];
    };
    for (const token of tokens) {
      const last = chain.at(-1);
      const begins = /^[\p{N}]/u.test(token.text);
      const ends = last !== undefined && /\p{N}$/u.test(last.text);
      const unit = piecesOf(token.text)[0]!;
      const near = last && !last.isRun && !token.isRun && token.signs === 0 && HYPHENS.test(token.gap);
      if (!near || !(ends ? units && !begins && unit.length <= 2 : begins)) flush();
      chain.push(token);
    }
    flush();
    forms.push(out);
  }
  // Joined words as one.
  const joined: Token[] = [];
  for (const [n, token] of tokens.entries()) {
    const last = joined.at(-1);
    if (n && last && !last.isRun && !token.isRun && JOINS.test(token.gap)) {
      joined[joined.length - 1] = { ...last, text: last.text + joint(last.text, token) + token.text };
    } else joined.push(token);
  }
  forms.push(joined);
  return [...forms, ...forms.map(withJoinedSyllables)]
    .flatMap((form) => behindLetters(form))
    .flatMap(spacings);
}

const HANGUL = /^\p{Script=Hangul}+$/u;
const KATAKANA = /^[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+$/;

/** A form with the first syllable right behind a digit or letter alone, and as the beginning of what follows it. */
function behindLetters(form: readonly Token[], from = 1): Token[][] {
  for (let n = from; n < form.length; n++) {
    const [before, token, next] = [form[n - 1]!, form[n]!, form[n + 1]];
    if (before.isRun || token.gap !== '' || !HANGUL.test(token.text)) continue;
    const isSingle = token.text.length === 1;
    if (isSingle && !(next && HANGUL.test(next.text) && /^\s+$/.test(next.gap) && next.signs === 0)) continue;
    const of = (text: string) => ({ ...token, text, written: text });
    const others = isSingle
      ? [of(token.text + next!.text)]
      : [of(token.text[0]!), { ...of(token.text.slice(1)), gap: ' ' }];
    const other = [...form.slice(0, n), ...others, ...form.slice(n + (isSingle ? 2 : 1))];
    return [...behindLetters(form, n + 1), ...behindLetters(other, n + 1)];
  }
  return [[...form]];
}

/** Korean words of one syllable behind a Korean word of two or more and spaces, as its end. */
function withJoinedSyllables(form: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of form) {
    const last = joined.at(-1);
    const isSingle = HANGUL.test(token.text) && token.text.length === 1 && /^\s+$/.test(token.gap);
    if (isSingle && last && HANGUL.test(last.text) && last.text.length > 1 && token.signs === 0) {
      joined[joined.length - 1] = { ...last, text: last.text + token.text };
    } else joined.push(token);
  }
  return joined;
}

/** A form with its Korean words of four syllables or more in every spacing that may be theirs, and katakana words in two. */
function spacings(form: Token[]): Token[][] {
  const ways = form.map((token): Token[][] => {
    const isHangul = HANGUL.test(token.text);
    if (!(isHangul || KATAKANA.test(token.text)) || token.text.length < 4) return [[token]];
    const splits = splitsOf(token.text).filter((parts) => isHangul || parts.length <= 2);
    return splits.map((parts) =>
      parts.map((text, n) => ({ ...token, text, written: text, signs: n > 0 ? 0 : token.signs })),
    );
  });
  return ways.reduce<Token[][]>(
    (forms, own) => forms.flatMap((form) => own.map((tokens) => [...form, ...tokens])),
    [[]],
  );
}

/** A word in all its parts of two syllables or more. */
function splitsOf(word: string): string[][] {
  const found = [[word]];
  for (let at = 2; at <= word.length - 2; at++) {
    for (const rest of splitsOf(word.slice(at))) found.push([word.slice(0, at), ...rest]);
  }
  return found;
}

/** What stays of a sign between two words that are one without it. */
function joint(before: string, { gap, text }: Token): string {
  if (/[/+&_]/.test(gap)) return gap;
  return /\p{N}$/u.test(before) && /^\p{N}/u.test(text) ? '-' : '';
}

/** Whether a text, or a name, holds a term. */
function holds(term: readonly Token[][], tokens: readonly Token[], isName: boolean): Verdict {
  let best: Verdict = 'no';
  for (const form of term) {
    for (let start = 0; start < tokens.length; start++) {
      // Of words, only those with the same first letter can be the same.
      if (!form[0]!.isRun && form[0]!.text[0] !== tokens[start]!.text[0]) continue;
      const verdict = holdsAt(form, tokens, start, isName ? comparedInName : compared);
      if (verdict === 'yes') return verdict;
      if (verdict === 'maybe') best = verdict;
    }
  }
  return best;
}

function holdsAt(
  form: readonly Token[],
  tokens: readonly Token[],
  start: number,
  compare: typeof compared,
): Verdict {
  let worst: Verdict = 'yes';
  for (const [n, wanted] of form.entries()) {
    const token = tokens[start + n];
    if (token === undefined || (n > 0 && token.signs !== wanted.signs)) return 'no';
    const isLast = n === form.length - 1;
    let verdict = compare(wanted, token, n === 0, isLast);
    if (verdict !== 'yes' && isLast && !wanted.isRun) {
      const whole = joinedAt(tokens, start + n);
      if (whole?.text === wanted.text) verdict = 'yes';
    }
    if (verdict === 'no') return 'no';
    if (verdict === 'maybe') worst = 'maybe';
  }
  return worst;
}

/** All words that signs join, as one word, if it begins at a place. */
function joinedAt(tokens: readonly Token[], at: number): Token | undefined {
  const isJoint = (n: number) => {
    const [before, token] = [tokens[n - 1], tokens[n]];
    return before && token && !before.isRun && !token.isRun && JOINS.test(token.gap);
  };
  if (tokens[at]!.isRun || isJoint(at) || !isJoint(at + 1)) return undefined;
  let text = tokens[at]!.text;
  for (let n = at + 1; isJoint(n); n++) text += joint(text, tokens[n]!) + tokens[n]!.text;
  return { ...tokens[at]!, text };
}

/** Terms of all kinds out of the texts, spread over them, and changed ones that few texts hold. */
function termsOf(texts: readonly Token[][], most: number): string[] {
  const kinds: ((tokens: readonly Token[], at: number) => string | undefined)[] = [
    // Codes, formulae, numbers.
    (tokens, at) =>
      /\p{N}/u.test(tokens[at]!.text) && /\p{L}/u.test(tokens[at]!.text) ? tokens[at]!.written : undefined,
    (tokens, at) => (/^\p{N}+(\.\p{N}+)?$/u.test(tokens[at]!.text) ? tokens[at]!.written : undefined),
    (tokens, at) => (/^\p{L}+\p{Lu}/u.test(tokens[at]!.written) ? tokens[at]!.written : undefined),
    // Changed: another digit, a letter less, letters alone.
    (tokens, at) => (/\p{L}\p{N}/u.test(tokens[at]!.text) ? `${tokens[at]!.written}7` : undefined),
    (tokens, at) => (/\p{L}\p{N}/u.test(tokens[at]!.text) ? piecesOf(tokens[at]!.written)[0] : undefined),
    (tokens, at) =>
      /\p{L}\p{N}/u.test(tokens[at]!.text) ? piecesOf(tokens[at]!.written).join(' ') : undefined,
    // Words and runs, alone and behind each other.
    (tokens, at) => (/^[a-z]{6,}$/.test(tokens[at]!.written) ? tokens[at]!.written : undefined),
    ...SCRIPTS.map((script) => (tokens: readonly Token[], at: number) => {
      const { text, isRun } = tokens[at]!;
      const own = isRun && new RegExp(`^[\\p{Script=${script}}ー]+$`, 'u').test(text);
      return own ? [...text].slice(0, 2 + (text.length % 4)).join('') : undefined;
    }),
    (tokens, at) => {
      const [one, other] = [tokens[at], tokens[at + 1]];
      const isShort = other && !other.gap.includes('\n') && other.gap.length <= 2 && other.signs === 0;
      return isShort && one!.text.length > 1 && other.text.length > 1
        ? one!.written + other.gap + other.written
        : undefined;
    },
  ];
  const terms = new Set<string>();
  const each = Math.ceil(most / kinds.length);
  for (const [k, kind] of kinds.entries()) {
    const wanted = terms.size + each;
    for (let n = 0; n < 40 * each && terms.size < wanted; n++) {
      const tokens = texts[(n * 7919 + k * 104_729) % texts.length]!;
      const first = (n * 31) % Math.max(1, tokens.length);
      for (let at = first; at < tokens.length; at++) {
        const term = kind(tokens, at);
        if (term === undefined || term.length > 60) continue;
        terms.add(term);
        break;
      }
    }
  }
  return [...terms];
}

async function assertExact(engine: Engine, most: number): Promise<void> {
  const documents: { id: string; texts: Token[][]; letters: string[]; isName: boolean[] }[] = [];
  for await (const patent of engine.patents()) {
    const all = lexicalTexts(patent);
    const isName = all.map(({ part }) => part === 'names');
    const texts = all.map(({ text }) => tokensOf(text));
    const letters = texts.map((tokens) => tokens.map(({ text }) => text.replaceAll('.', '')).join(''));
    documents.push({ id: patent.patent_id, texts, letters, isName });
  }
  const terms = termsOf(
    documents.flatMap(({ texts }) => texts).filter((tokens) => tokens.length > 0),
    most,
  );
  terms.push('Li2S', 'Li₂S', 'CO2', '5G', 'PM2.5', 'AC', 'AlAs', '1588', '2.5', 'Li', '"Li2S"');
  let [sure, some] = [0, 0];
  for (const term of terms) {
    const forms = formsOf(tokensOf(term));
    // Most texts do not have the first letters of the term, and are not read.
    const first = forms[0]![0]!.text.replaceAll('.', '').slice(0, 3);
    const verdicts = documents.map(({ id, texts, letters, isName }) => {
      const all = texts.map((tokens, n) =>
        letters[n]!.includes(first) ? holds(forms, tokens, isName[n]!) : 'no',
      );
      return { id, verdict: all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no' };
    });
    const found = new Set<string>();
    for await (const { patent_id } of engine.patents({ filter: { must_terms: [term] } }))
      found.add(patent_id);
    const wrong = verdicts.filter(
      ({ id, verdict }) => (verdict === 'no') === found.has(id) && verdict !== 'maybe',
    );
    assert.deepEqual(
      wrong.slice(0, 5),
      [],
      `${JSON.stringify(term)}: ${wrong.length} of ${found.size} found`,
    );
    sure += Number(verdicts.every(({ verdict }) => verdict !== 'maybe'));
    some += Number(found.size > 0);
  }
  assert.ok(terms.length >= most * 0.7, `${terms.length} terms`);
  assert.ok(
    sure > terms.length / 3 && some > terms.length / 3,
    `${sure} exact, ${some} held, of ${terms.length}`,
  );
}

const PATENTS = resolve('../shared/data/patents');
/** Some thousand documents of all offices. */
const REAL = [
  'MIXED/google-patents-abstracts',
  'US/us-patent-grant-v4',
  'KR/kipris-xml',
  'CN/kppatent-zh',
  'JP/jp-official-gazette',
].map((path) => join(PATENTS, path));

describe('must_terms are literal', () => {
  describe('in the fixtures', () => {
    const fixtures = openBefore(FIXTURES);
    it('as many documents as a reading of all texts finds, for terms of all kinds', async () => {
      await assertExact(fixtures.engine, 200);
    });
  });

  describe('in real documents', { skip: existsSync(PATENTS) ? false : 'no ../shared/data/patents' }, () => {
    const real = openBefore(existsSync(PATENTS) ? REAL.filter((path) => existsSync(path)) : []);
    it('as many documents as a reading of all texts finds, for terms of all kinds', async () => {
      await assertExact(real.engine, 200);
    });
  });
});
