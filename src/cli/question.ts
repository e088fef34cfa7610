/** The question of a command: one argument, in quotes, or standard input. */
import type { Command } from 'commander';
import { PriorartError } from '../errors.js';
import { QUERY_MAX_CHARS } from '../limits.js';
import { parsePatentNumber } from '../patent/number.js';
import { COMMAND, inOneLine } from './output.js';

/** Argument for standard input. */
const STANDARD_INPUT = '-';
/** A UTF-8 character has at most 4 bytes. */
const MOST_BYTES = 4 * QUERY_MAX_CHARS;

/** Declares the argument of the question. */
export function withQuestion(command: Command): Command {
  // Accepts several words, so that the error can suggest quotes.
  return command
    .usage('[options] <query>')
    .argument('<query...>', 'a question in your own words, in quotes; - reads it from standard input');
}

/**
 * The question of a command line.
 * @throws PriorartError `usage` for several words without quotes, and for too long an input
 */
export async function questionOf(words: readonly string[], command: Command): Promise<string> {
  const [question = ''] = words;
  if (words.length > 1) {
    const text = inOneLine(words.join(' '));
    throw new PriorartError(
      'usage',
      `the question is one argument; put it in quotes: ${COMMAND} ${command.name()} "${text}"`,
    );
  }
  return question === STANDARD_INPUT ? (await standardInput()).trim() : question;
}

async function standardInput(): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) {
      const most = QUERY_MAX_CHARS.toLocaleString('en');
      throw new PriorartError(
        'usage',
        `standard input is too long; expected a question of at most ${most} characters`,
      );
    }
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Application numbers with their office, such as `EP20168852.3` and `PCT/KR2020/001234`. A number
 * such as `10-2018-0123456` is not listed, since it may also be a publication number.
 */
const APPLICATION = /^(?:PCT\/[A-Z]{2}\d{4}\/\d{6}|\d{2}\/\d{3},?\d{3}|[A-Z]{2}\s?\d{8,13}\.[\dX])$/i;
/** A classification code, at least a subclass. No question looks like it. */
const CLASSIFICATION = /^[A-HY]\s?\d\d\s?[A-Z](?:\s?\d{1,4}(?:\/\d{0,6})?)?$/i;

/** Hint if a question is a number or a code for which an option exists; undefined otherwise. */
export function optionHint(question: string): string | undefined {
  const text = inOneLine(question.trim());
  if (CLASSIFICATION.test(text)) {
    return `This looks like a classification code: --ipc-codes "${text}" searches what is classified there.`;
  }
  switch (numberIn(text)) {
    case 'application':
      return `This looks like an application number: --application-number "${text}" searches its publications.`;
    case 'publication':
      return (
        `This looks like a publication number: ${COMMAND} show "${text}" prints that publication, ` +
        `--publication-number "${text}" searches in it.`
      );
    default:
      return undefined;
  }
}

function numberIn(text: string): 'application' | 'publication' | undefined {
  if (APPLICATION.test(text)) return 'application';
  // A number without a country is ambiguous.
  if (!/\d{5}/.test(text.replace(/[\s,./-]/g, '')) || !/\D/.test(text)) return undefined;
  const readings = parsePatentNumber(text);
  if (readings.length === 0) return undefined;
  return readings.every(({ application }) => application) ? 'application' : 'publication';
}
