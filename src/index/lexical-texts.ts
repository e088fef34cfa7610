/** The texts of a publication that the lexical index holds. */
import type { Claim, Patent, Section } from '../patent/record.js';
import type { LexicalText } from './native.js';

/** The texts of a publication in all its languages, each once. */
export function lexicalTexts(patent: Patent): LexicalText[] {
  const texts: LexicalText[] = [];
  const seen = new Set<string>();
  const add = (part: LexicalText['part'], language: string | undefined, text: string | undefined) => {
    if (!text?.trim() || seen.has(`${part} ${text}`)) return;
    seen.add(`${part} ${text}`);
    texts.push({ part, language: language ?? '', text });
  };
  const names = [...(patent.applicants ?? []), ...(patent.inventors ?? [])];
  for (const { name, name_en } of names) {
    add('names', undefined, name);
    add('names', undefined, name_en);
  }
  add('title', patent.language, patent.title);
  for (const [language, title] of Object.entries(patent.titles ?? {})) add('title', language, title);
  add('claims', patent.language, claimsText(patent.claims));
  for (const [language, claims] of Object.entries(patent.translated_claims ?? {})) {
    add('claims', language, claimsText(claims));
  }
  add('text', patent.language, patent.abstract);
  for (const [language, text] of Object.entries(patent.abstracts ?? {})) add('text', language, text);
  add('text', patent.language, sectionsText(patent.description));
  for (const [language, sections] of Object.entries(patent.descriptions ?? {})) {
    add('text', language, sectionsText(sections));
  }
  return texts;
}

function claimsText(claims: readonly Claim[] | undefined): string | undefined {
  return claims?.map(({ text }) => text).join('\n');
}

function sectionsText(sections: readonly Section[] | undefined): string | undefined {
  return sections?.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text)).join('\n');
}
