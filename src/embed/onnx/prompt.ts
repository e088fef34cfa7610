/** What a model reads around a text: templates with their placeholders filled. */
import { ONNX_TITLE_MAX_CHARS } from '../../limits.js';

export interface Prompt {
  before: string;
  after: string;
}

/** A template taken apart at {text}; the values go into what is left, and are never read as templates. */
export function promptOf(template: string, values: { title?: string; task?: string }): Prompt {
  const at = template.indexOf('{text}');
  const fill = (part: string) =>
    part.replace(/\{(title|task)\}/g, (_, name: 'title' | 'task') => values[name] ?? '');
  return { before: fill(template.slice(0, at)), after: fill(template.slice(at + '{text}'.length)) };
}

/**
 * The title that a model is shown: the first of a patent's titles, which is that of its own language. Models were
 * trained with one.
 * @param titles a line each
 */
export function titleFor(titles: string | undefined, emptyTitle: string): string {
  const first = (titles ?? '').split('\n', 1)[0]!.trim().replace(/\s+/g, ' ');
  return first === '' ? emptyTitle : [...first].slice(0, ONNX_TITLE_MAX_CHARS).join('');
}
