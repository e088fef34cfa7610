/** Joins question and passage in one row: in the tokenizer's pair form, or as a prompt for a language model. */
import { PriorartError } from '../../errors.js';
import type { Tokenizer, TokenRow } from '../../onnx/tokenizer.js';
import { pairOf } from '../../onnx/windows.js';
import type { CrossEncoderSettings } from './config.js';

/** Makes the rows of one question, one per passage. */
export type Pairing = (query: string, passages: readonly { title: string; text: string }[]) => TokenRow[];

/** The pairing that a model needs. */
export function pairsOf(tokenizer: Tokenizer, settings: CrossEncoderSettings): Pairing {
  return settings.form === 'pair' ? pairForm(tokenizer, settings) : prompts(tokenizer, settings);
}

function pairForm(tokenizer: Tokenizer, { document, windowTokens }: CrossEncoderSettings): Pairing {
  const frame = tokenizer.frame(true);
  const special = frame.ids.reduce((sum, ids) => sum + ids.length, 0);
  if (special + 2 > windowTokens) throw noRoom(windowTokens);
  return (query, passages) => {
    const texts = passages.map(({ title, text }) => fill(document, { title, text }));
    const [question, ...rest] = tokenizer.encode([query, ...texts]);
    return rest.map(({ ids }) => pairOf(question!.ids, ids, frame, windowTokens));
  };
}

/**
 * Tokenizes `before`, the pair and `after` separately, as the models were trained. A pair that is too long is cut at its
 * end, in the document. A question takes at most half of the tokens.
 */
function prompts(tokenizer: Tokenizer, settings: CrossEncoderSettings): Pairing {
  const { pair, task, document, windowTokens } = settings;
  const [before, after] = tokenizer.encode([settings.before, settings.after]).map(({ ids }) => ids);
  const room = windowTokens - before!.length - after!.length;
  if (room < 2) throw noRoom(windowTokens);
  return (query, passages) => {
    const [question] = tokenizer.encode([query]);
    const kept = question!.ids.length > room / 2 ? shortened(query, room / 2 / question!.ids.length) : query;
    const texts = passages.map(({ title, text }) =>
      fill(pair, { task, query: kept, document: fill(document, { title, text }) }),
    );
    return tokenizer
      .encode(texts)
      .map(({ ids }) => ({ ids: Uint32Array.from([...before!, ...ids.subarray(0, room), ...after!]) }));
  };
}

function shortened(text: string, share: number): string {
  return text.slice(0, Math.floor(text.length * share));
}

/** Fills all placeholders in one pass, so that no value is read as a template. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function noRoom(windowTokens: number): PriorartError {
  return new PriorartError(
    'invalid_models',
    `the prompt leaves no room for question and passage in ${windowTokens} tokens; set a larger windowTokens`,
  );
}
