/** Values of JSON that no schema has checked: exports of databases leave fields out, or write them in several forms. */
import { decodeText } from './decode.js';
import { DamagedDocument } from './reader.js';

/** Members of an object. All are optional. Values are checked when they are read. */
export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of a list. A value that is no list is its only entry. */
export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** The objects of a list. */
export const objectsOf = (value: unknown): Members[] => listOf(value).filter(isObject);

/** The members of an object; none if the value is no object. */
export const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/** A text that is not blank, or a number as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined;

/** @throws DamagedDocument if the bytes are not JSON */
export function jsonValue(bytes: Uint8Array): unknown {
  const text = decodeText(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DamagedDocument(`not JSON: ${(error as Error).message}`);
  }
}

/** @throws DamagedDocument if the bytes are not a JSON object */
export function jsonObject(bytes: Uint8Array): Members {
  const value = jsonValue(bytes);
  if (!isObject(value)) throw new DamagedDocument('not a JSON object');
  return value;
}
