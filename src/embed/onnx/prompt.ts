/** The prompt around a text: a template with its placeholders filled. */
import { ONNX_TITLE_MAX_CHARS } from '../../limits.js';

export interface Prompt {
  before: string;
  after: string;
}

/** Splits a template at {text} and fills the other placeholders. Values are never read as templates. */
export function promptOf(template: string, values: { title?: string; task?: string }): Prompt {
  const at = template.indexOf('{text}');
  const fill = (part: string) =>
    part.replace(/\{(title|task)\}/g, (_, name: 'title' | 'task') => values[name] ?? '');
  return { before: fill(template.slice(0, at)), after: fill(template.slice(at + '{text}'.length)) };
}

/**
 * The title that a model gets: the first of a patent's titles, which is in the patent's own language. Models are
 * trained with one title.
 * @param titles one per line
 */
export function titleFor(titles: string | undefined, emptyTitle: string): string {
  const first = (titles ?? '').split('\n', 1)[0]!.trim().replace(/\s+/g, ' ');
  return first === '' ? emptyTitle : [...first].slice(0, ONNX_TITLE_MAX_CHARS).join('');
}
