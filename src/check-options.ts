/**
 * Checks the options of the library's functions. Unknown or wrong options are refused by name, like fields of
 * a request.
 */
import { PriorartError } from './errors.js';
import { nearestName } from './nearest-name.js';
import { writtenValue } from './written-value.js';

/** A rule for an option: the expectation in words, and a check of the value. */
export interface OptionRule {
  expected: string;
  holds(value: unknown): boolean;
}

/** A rule for each option of a function. The type keeps rules and options in step: they cannot differ. */
export type OptionRules<T extends object> = { readonly [name in keyof Required<T>]: OptionRule };

export const flag: OptionRule = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
export const share: OptionRule = {
  expected: 'a number from 0 to 1',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};
export const callback: OptionRule = {
  expected: 'a function',
  holds: (value) => typeof value === 'function',
};
export const abortSignal: OptionRule = {
  expected: 'an AbortSignal',
  holds: (value) => value instanceof AbortSignal,
};
export const text: OptionRule = {
  expected: 'a text that is not empty',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
};
export const milliseconds: OptionRule = {
  expected: 'milliseconds, a number from 0',
  holds: (value) => typeof value === 'number' && value >= 0,
};
export const pathOrObject: OptionRule = {
  expected: 'a path or an object',
  holds: (value) => typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value)),
};

export function integer(min: number, max: number): OptionRule {
  return {
    expected: `an integer from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`,
    holds: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

/**
 * Checks the options of the named function. `undefined` means that an option is not given.
 * @throws PriorartError `invalid_request`
 */
export function checkOptions<T extends object>(call: string, given: T, rules: OptionRules<T>): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new PriorartError(
      'invalid_request',
      `${call}: got ${shown(given)} for its options; expected an object`,
    );
  }
  const names = Object.keys(rules);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(call, name, names);
    const { expected, holds } = rules[name as keyof T];
    if (value === undefined || holds(value)) continue;
    throw new PriorartError('invalid_request', `${name}: got ${shown(value)}; expected ${expected}`);
  }
}

function unknownOption(call: string, name: string, known: readonly string[]): PriorartError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `known are ${known.join(', ')}` : `nearest is ${nearest}`;
  return new PriorartError('invalid_request', `${call}: unknown option ${shown(name)}; ${hint}`);
}

const SHOWN_CHARS = 80;

function shown(value: unknown): string {
  const words = writtenValue(value);
  return words.length > SHOWN_CHARS ? `${words.slice(0, SHOWN_CHARS)}…` : words;
}
