/**
 * Divides a publication into passages, the units of embedding, search and display. Together the passages hold
 * the abstract, the claims and the description exactly once in each of their languages. A question in any of
 * these languages finds them. Only white space differs. The title replaces a missing abstract, so designs can
 * be found.
 */
import type { ChunkType, Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';
import { SOFT_BREAKS, sentences } from './sentences.js';

export interface PassageWindow {
  /** Characters of Latin script that fill a passage. */
  latin: number;
  /**
   * Characters of Chinese, Japanese or Korean that fill a passage. One such character holds more information.
   */
  wide: number;
}

export const PASSAGE_WINDOW: PassageWindow = { latin: 1200, wide: 500 };

/** CJK, kana, Hangul, full-width forms and the surrogates of the rarer ideographs. */
function isWide(code: number): boolean {
  return (
    code >= 0x1100 &&
    (code <= 0x11ff ||
      (code >= 0x2e80 && code <= 0xdfff) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xff00 && code <= 0xffef))
  );
}

/** Share of a window that a text fills; 1 is full. */
export function fillOf(text: string, window: PassageWindow = PASSAGE_WINDOW): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (isWide(text.charCodeAt(at))) wide++;
  return (text.length - wide) / window.latin + wide / window.wide;
}

/** Text and the numbers of its claims or paragraphs. */
interface Stretch {
  text: string;
  number?: number | undefined;
}

/** All passages of a publication: abstract, claims, description, in this order. */
export function passagesOf(patent: Patent, window: PassageWindow = PASSAGE_WINDOW): Passage[] {
  const passages: Passage[] = [];
  const add = (type: ChunkType, section: string, stretches: Stretch[]): void => {
    for (const group of packed(stretches, window)) passages.push(passage(type, section, group));
  };
  const abstracts = [patent.abstract, ...Object.values(patent.abstracts ?? {})].filter((text) =>
    text?.trim(),
  ) as string[];
  for (const abstract of new Set(abstracts)) add('abstract', 'Abstract', [{ text: abstract }]);
  if (abstracts.length === 0 && patent.title) add('abstract', 'Abstract', [{ text: patent.title }]);
  for (const claims of [patent.claims ?? [], ...Object.values(patent.translated_claims ?? {})]) {
    add('claim', 'Claims', claims);
  }
  for (const text of [patent.description ?? [], ...Object.values(patent.descriptions ?? {})]) {
    for (const { section, paragraphs } of text) add('description', section || 'Description', paragraphs);
  }
  return passages;
}

function passage(type: ChunkType, section: string, group: Stretch[]): Passage {
  const numbers = [...new Set(group.flatMap(({ number }) => number ?? []))].sort((a, b) => a - b);
  return {
    text: group.map(({ text }) => text.trim()).join('\n'),
    chunk_type: type,
    section_name: section,
    paragraph_numbers: type === 'description' ? numbers : [],
    claim_numbers: type === 'claim' ? numbers : [],
  };
}

/** Joins short neighbours and cuts long stretches. Each group fills at most one window. */
function packed(stretches: readonly Stretch[], window: PassageWindow): Stretch[][] {
  const groups: Stretch[][] = [];
  let group: Stretch[] = [];
  let filled = 0;
  for (const { text, number } of stretches) {
    for (const part of fitting(text, window)) {
      if (part.trim() === '') continue;
      const fill = fillOf(part, window);
      if (group.length > 0 && filled + fill > 1) {
        groups.push(group);
        group = [];
        filled = 0;
      }
      group.push({ text: part, number });
      filled += fill;
    }
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/**
 * Divides a text into parts that each fit a window, at the softest possible places. The joined parts are the
 * text.
 */
function fitting(text: string, window: PassageWindow): string[] {
  const fill = fillOf(text, window);
  if (fill <= 1) return [text];
  // Parts of similar length read better than full parts and a short rest.
  const target = fill / Math.ceil(fill);
  return gathered(
    sentences(text).flatMap((sentence) => cut(sentence, window, 0)),
    target,
    window,
  );
}

/** Cuts a sentence that is too long for a window at clauses, then at words, then between characters. */
function cut(text: string, window: PassageWindow, softness: number): string[] {
  if (fillOf(text, window) <= 1) return [text];
  const breaks = SOFT_BREAKS[softness];
  if (breaks) {
    const parts = text.split(breaks).flatMap((part) => cut(part, window, softness + 1));
    return gathered(parts, 1, window);
  }
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  let filled = 0;
  for (const character of text) {
    const fill = fillOf(character, window);
    if (end > start && filled + fill > 1) {
      parts.push(text.slice(start, end));
      start = end;
      filled = 0;
    }
    end += character.length;
    filled += fill;
  }
  return [...parts, text.slice(start)];
}

/** Joins neighbouring parts until they fill the target. A joined part fills at most one window. */
function gathered(parts: readonly string[], target: number, window: PassageWindow): string[] {
  const joined: string[] = [];
  let current = '';
  let filled = 0;
  for (const part of parts) {
    const fill = fillOf(part, window);
    if (current !== '' && (filled + fill > 1 || filled >= target)) {
      joined.push(current);
      current = '';
      filled = 0;
    }
    current += part;
    filled += fill;
  }
  return current === '' ? joined : [...joined, current];
}
