/** The question of a command: one argument, in quotes, or standard input. */
import type { Command } from 'commander';
import { PriorartError } from '../errors.js';
import { QUERY_MAX_CHARS } from '../limits.js';
import { codesAsked, isLikeCodes } from '../search/class-question.js';
import type { Reading } from '../search/explanation.js';
import { isNumber } from '../search/number-question.js';
import { COMMAND, count, counted, inOneLine } from './output.js';

/** Argument for standard input. */
const STANDARD_INPUT = '-';
/** A UTF-8 character has at most 4 bytes. */
const MOST_BYTES = 4 * QUERY_MAX_CHARS;

/** Declares the argument of the question. */
export function withQuestion(command: Command): Command {
  // Accepts several words, so that the error can suggest quotes.
  return command
    .usage('[options] <query>')
    .argument(
      '[query...]',
      'a question in your own words, in quotes, or a number or classification code; - reads it from standard input; ' +
        'not needed with --like',
    );
}

/**
 * The question of a command line. Empty if the command line has `--like` alone.
 * @throws PriorartError `usage` for several words without quotes, and for too long an input
 */
export async function questionOf(words: readonly string[], command: Command): Promise<string> {
  const [question = ''] = words;
  if (words.length === 0 && command.opts()['like'] === undefined) {
    throw new PriorartError(
      'usage',
      `no question; expected one in quotes, or --like; see \`priorart ${command.name()} --help\``,
    );
  }
  if (words.length > 1) {
    const text = inOneLine(words.join(' '));
    throw new PriorartError('usage', `the question is one argument; put it in quotes: "${text}"`);
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

/** Whether a question has the form of a number or of a classification code, so that `explain` says how it was read. */
export function hasReading(question: string): boolean {
  return isNumber(question) || codesAsked(question) !== undefined || isLikeCodes(question);
}

/**
 * Says how a question was read that has the form of a number or of a classification code.
 * @param where option that names the index
 */
export function readingHint(question: string, reading: Reading, where: string): string {
  const text = inOneLine(question.trim());
  if (reading.as === 'classification') {
    return reading.documents === 0
      ? `Nothing in the index is classified under ${text}; it was looked for in the texts.`
      : `${text} is a classification code with ${counted(reading.documents, 'publication')} in the index; the most typical come first.`;
  }
  const [first, ...more] = reading.publications;
  if (first === undefined)
    return `No publication in the index has the number ${text}; it was looked for in the texts.`;
  const others = more.length === 0 ? '' : `, as of ${count(more.length)} more`;
  if (reading.anotherKind) {
    return `No publication in the index has the number ${text}, but ${first}${others} has the same with another kind code: it comes first, then what is like it. ${COMMAND} show ${where} ${first} prints it.`;
  }
  return `${text} is the number of ${first}${others}: it comes first, then what is like it. ${COMMAND} show ${where} ${first} prints it.`;
}
