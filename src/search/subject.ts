/**
 * What a request asks for: the vector that documents are compared with, the text for the reranker, publications that come
 * first, and conditions besides the filter.
 *
 * A question is read as a number or as a classification code if it is one and the index has something under it, else as a
 * text. `like` and `unlike` add publications as examples.
 */

import { languageOf } from '../embed/languages.js';
import type { FilterClause } from '../index/native.js';
import { LIKE_CHARS, LIKE_RERANK_PIECES } from '../limits.js';
import type { Publications } from '../store/publications.js';
import type { Cancellation } from './cancel.js';
import {
  classClause,
  classOf,
  codesAsked,
  type DocumentClass,
  isLikeCodes,
  mainGroups,
} from './class-question.js';
import { withoutCodes, withoutGroups, withoutNumerals } from './codes.js';
import { embedQueries } from './embed-query.js';
import { examplesOf, type Publication, publicationOf, textOf, withSiblings } from './examples.js';
import type { Reading } from './explanation.js';
import type { FieldCondition } from './filter.js';
import { joinedNumbers } from './hits.js';
import { publicationsAsked } from './number-question.js';
import { norm, pooled } from './pooled.js';
import type { Collapse } from './query.js';
import type { IndexReader } from './reader.js';

/**
 * Weights of all examples in `like` together, and in `unlike`. A question has weight 1. Measured on 712 questions of a
 * citation set. With one cited document known, recall@100 of the others is .347 without it, and .402, .417, .410 with weights
 * .5, 1, 2. A question that mixes two subjects, one of them in `unlike`, has recall@100 .187 for the other without it, and
 * .261, .291, .337 with weights .2, .3, .5. But if `unlike` names near documents of the wanted subject, weights .2, .3, .5
 * bring recall@100 from .343 to .338, .329, .308.
 */
const WEIGHTS = { like: 1, unlike: 0.3 } as const;

export interface Subject {
  vector: Float32Array;
  /** Text for the reranker. Absent for a classification code: its documents are ordered by similarity. */
  text?: string;
  /** Text whose words count, if it is not that for the reranker. */
  words?: string;
  /** Text of the publications of `like` for the reranker, beside that of the question. */
  examples?: string;
  reading?: Reading;
  /** What the question is, if the index has nothing under it and only texts that hold it are about it. */
  notInIndex?: Reading['as'];
  /** patent_ids of publications that come first if the filter allows them. */
  first: string[];
  /** Conditions besides the filter. */
  clauses: FilterClause[];
  /** Those of `clauses` by which the examples of `like` and `unlike` are not in the answer. */
  hidden: FieldCondition[];
}

/** The parts of a request that say what it asks for. */
export interface Asked {
  /** Empty if `like` stands alone. */
  query: string;
  like?: string[];
  unlike?: string[];
  collapse?: Collapse;
}

/** A question before it is embedded. */
interface Question {
  /** What is embedded. An empty text has no meaning: the similarity of every document is that of zero. */
  texts: string[];
  /** What is reranked, if it is not what is embedded. */
  text?: string;
  /** Whose words count, if it is neither. */
  words?: string;
  reading?: Reading;
  notInIndex?: Reading['as'];
  first: Publication[];
  documentClass?: DocumentClass;
  clauses: FilterClause[];
}

/**
 * Reads and embeds a request.
 * @throws PriorartError `invalid_request` for numbers in `like` and `unlike` that no stored publication has, or several;
 *   `embedding_failed`, or the embedder's own code
 */
export async function subjectOf(
  reader: IndexReader,
  asked: Asked,
  cancellation: Cancellation,
): Promise<Subject> {
  const { store } = reader;
  store.refresh();
  const { like, unlike } = examplesOf(store, asked);
  const question = questionOf(reader, asked.query);
  const liked = like.map((publication) => textOf(publication, LIKE_CHARS));
  const texts = [
    ...question.texts,
    ...liked,
    ...unlike.map((publication) => textOf(publication, LIKE_CHARS)),
  ];
  const { first, documentClass, reading, notInIndex, words } = question;
  const hidden = [...hiddenBy('like', like, store, asked), ...hiddenBy('unlike', unlike, store, asked)];
  const subject = {
    ...rerankedTexts(question, liked),
    ...(words === undefined ? {} : { words }),
    ...(reading === undefined ? {} : { reading }),
    ...(notInIndex === undefined ? {} : { notInIndex }),
    first: first.map(({ head }) => head.patent_id),
    clauses: [...question.clauses, ...hidden.flatMap(({ clauses }) => clauses)],
    hidden,
  };
  const rows = texts.length === 0 ? new Float32Array() : await embedQueries(reader, texts, cancellation);
  const centre = documentClass && (await centreAsQuestion(reader, documentClass, asked.query, cancellation));
  const counts = {
    question: question.texts.length + (centre ? 1 : 0),
    like: like.length,
    unlike: unlike.length,
  };
  return { ...subject, vector: vectorOf(reader, centre ? joinedNumbers(centre, rows) : rows, counts) };
}

/** The condition that leaves out examples and the other publications of their applications; none without examples. */
function hiddenBy(
  field: 'like' | 'unlike',
  examples: readonly Publication[],
  store: Publications,
  { collapse }: Asked,
): FieldCondition[] {
  if (examples.length === 0) return [];
  const own = examples.flatMap((publication) => withSiblings(store, publication));
  // Where a family is one result, the family of an example is that example.
  const families = collapse?.by === 'family' ? examples.flatMap(({ head }) => head.family_id ?? []) : [];
  return [{ field, clauses: [...without(own), ...without(families, 'family')] }];
}

/** Whether the question is a classification code under which the index has documents. */
export function isClass({ reading }: Subject): boolean {
  return reading?.as === 'classification' && reading.documents > 0;
}

/** What an answer says of a question that is a number or a classification code. */
export interface ReadQuestion {
  /** The code, without spaces, if the index has documents under it. */
  classification?: string;
  /** What the question is, if the index has nothing under it. */
  not_in_index?: Reading['as'];
}

/** How the question was read, for an answer to a request with `explain`. */
export function readQuestion(subject: Subject): ReadQuestion {
  const { reading, notInIndex } = subject;
  if (notInIndex !== undefined) return { not_in_index: notInIndex };
  return reading?.as === 'classification' && isClass(subject) ? { classification: reading.code } : {};
}

/** A condition that leaves out publications, by their numbers or their families; none for an empty list. */
export function without(
  terms: readonly string[],
  column: 'patent_id' | 'family' = 'patent_id',
): FilterClause[] {
  return terms.length === 0 ? [] : [{ column, test: 'none', terms: [...new Set(terms)].sort() }];
}

function questionOf(reader: IndexReader, query: string): Question {
  const { store } = reader;
  if (query === '') return { texts: [], first: [], clauses: [] };
  const text = withoutNumerals(query);
  const plain = { texts: [withoutCodes(text)], words: withoutGroups(text), first: [], clauses: [] };
  // A number or code without documents is near to anything. Only texts that hold it are about it.
  const unknown = { texts: [''], text: query, first: [], clauses: [] };
  const codes = codesAsked(query);
  if (codes !== undefined) return questionOfClass(reader, codes, query.includes('/') ? unknown : plain);
  if (isLikeCodes(query)) {
    const reading: Reading = { as: 'classification', code: query.replace(/\s+/g, ''), documents: 0 };
    return { ...unknown, reading, notInIndex: reading.as };
  }
  const asked = publicationsAsked(store, query);
  if (asked === undefined) return plain;
  const { publications, anotherKind } = asked;
  const reading: Reading = { as: 'number', publications, ...(anotherKind ? { anotherKind } : {}) };
  if (publications.length === 0) return { ...unknown, reading, notInIndex: reading.as };
  const first = publications.map((patentId) => publicationOf(store, patentId));
  const texts = first.map((publication) => textOf(publication, LIKE_CHARS));
  return { texts, first, clauses: [], reading };
}

/** @param otherwise the question if the index has nothing under the codes: a code without a slash may be the name of a cell line, B16F10 */
function questionOfClass(reader: IndexReader, codes: readonly string[], otherwise: Question): Question {
  const { store, embedder } = reader;
  const { native } = reader.snapshot();
  for (const prefixes of [codes, mainGroups(codes)]) {
    const found = classOf(native, store, prefixes, embedder.dimensions);
    if (found === undefined) continue;
    const { documents } = found;
    const reading: Reading = { as: 'classification', code: prefixes.join(', '), documents };
    return { texts: [], first: [], clauses: [classClause(prefixes)], documentClass: found, reading };
  }
  const reading: Reading = { as: 'classification', code: codes.join(', '), documents: 0 };
  return { ...otherwise, reading, ...(otherwise.text === undefined ? {} : { notInIndex: reading.as }) };
}

/** About how many characters of patents a piece of the static model has. */
const PIECE_CHARS = { latin: 4, ko: 1.5, ja: 1.5, zh: 1.5 } as const;

/** The texts for the reranker: the question and the publications of `like` beside it, or these alone. None for a class. */
function rerankedTexts(
  { texts, text, documentClass }: Question,
  liked: readonly string[],
): Pick<Subject, 'text' | 'examples'> {
  if (documentClass) return {};
  const own = text ?? joined(texts);
  const examples = joined(liked);
  if (own === undefined) return examples === undefined ? {} : { text: examples };
  return { text: own, ...(examples === undefined ? {} : { examples }) };
}

/** Texts as one question for the reranker, each shortened so that all of them are read; undefined for none. */
function joined(all: readonly string[]): string | undefined {
  if (all.length < 2) return all[0];
  const each = LIKE_RERANK_PIECES / all.length;
  const shortened = (text: string) => text.slice(0, Math.ceil(each * PIECE_CHARS[languageOf(text)]));
  return all.map(shortened).join('\n');
}

/** The centre of a class in the form of a question: questions and passages may have different lengths. */
async function centreAsQuestion(
  reader: IndexReader,
  { centre, titles }: DocumentClass,
  code: string,
  cancellation: Cancellation,
): Promise<Float32Array> {
  const reserved = meaningOf(reader);
  const out = centre.slice();
  if (reserved < centre.length) {
    const texts = titles.length > 0 ? titles : [code];
    const rows = await embedQueries(reader, texts, cancellation);
    out.set(
      pooled(
        rows,
        texts.map(() => 1),
        reserved,
      ).subarray(reserved),
      reserved,
    );
  }
  const corrections = norm(out.subarray(reserved));
  const length = Math.sqrt(Math.max(0, 1 - corrections ** 2)) / (norm(out.subarray(0, reserved)) || 1);
  for (let d = 0; d < reserved; d++) out[d]! *= length;
  return out;
}

function vectorOf(
  reader: IndexReader,
  rows: Float32Array,
  { question, like, unlike }: { question: number; like: number; unlike: number },
): Float32Array {
  if (question + like + unlike === 1) return rows;
  const wanted = (question > 0 ? 1 : 0) + (like > 0 ? WEIGHTS.like : 0);
  const weights = [
    ...Array<number>(question).fill(1 / question),
    ...Array<number>(like).fill(WEIGHTS.like / like),
    ...Array<number>(unlike).fill((-WEIGHTS.unlike * wanted) / unlike),
  ];
  return pooled(rows, weights, meaningOf(reader));
}

/** Number of dimensions that hold meaning; those behind them correct for languages. */
function meaningOf({ embedder }: IndexReader): number {
  return embedder.languages?.first ?? embedder.dimensions;
}
