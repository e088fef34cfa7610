/** Input files of measurements. They are read whole, so their size is bounded. */
import { readFileSync, statSync } from 'node:fs';
import { PriorartError, whyUnreadable } from '../errors.js';
import { parseQrels, parseQuestions, type Qrels, type TrecQuestion } from '../eval/trec.js';
import { EVAL_FILE_MAX_BYTES } from '../limits.js';
import { size } from './output.js';

export function questionsOf(file: string): TrecQuestion[] {
  const questions = parseQuestions(textOf(file, '--queries'), file);
  if (questions.length > 0) return questions;
  throw new PriorartError(
    'usage',
    `--queries: ${file} holds no question; expected lines \`id<TAB>[language<TAB>]text\``,
  );
}

export function qrelsOf(file: string): Qrels {
  return parseQrels(textOf(file, '--qrels'), file);
}

/** @throws PriorartError `usage` if the file cannot be read or is too large */
export function textOf(file: string, option: string): string {
  try {
    const bytes = statSync(file).size;
    if (bytes > EVAL_FILE_MAX_BYTES) {
      throw new PriorartError(
        'usage',
        `${option}: ${file} has ${size(bytes)}; expected at most ${size(EVAL_FILE_MAX_BYTES)}; use a sample`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof PriorartError) throw error;
    const message = `${option}: the file ${JSON.stringify(file)} ${whyUnreadable(error)}; check the path`;
    throw new PriorartError('usage', message, { cause: error });
  }
}
