/** A description during reading: sections under the headings of the document. */
import type { Section } from '../../patent/record.js';

/** Collects headings and paragraphs in order. Text before the first heading is under `Description`. */
export class Sections {
  readonly #sections: Section[] = [];
  #open: Section | undefined;
  #level = 0;

  /** @param level 1 is the outermost */
  heading(text: string, level = 1): void {
    if (text === '') return;
    // A heading directly under a heading: both together name the section, so no heading is lost.
    if (this.#open && this.#open.paragraphs.length === 0) {
      this.#open.section += level > this.#level ? ` / ${text}` : ` ${text}`;
    } else {
      this.#open = { section: text, paragraphs: [] };
      this.#sections.push(this.#open);
    }
    this.#level = level;
  }

  paragraph(text: string, number?: number): void {
    if (text === '') return;
    if (!this.#open) {
      this.#open = { section: 'Description', paragraphs: [] };
      this.#sections.push(this.#open);
    }
    this.#open.paragraphs.push(number === undefined ? { text } : { number, text });
  }

  /** Sections with text. */
  all(): Section[] {
    return this.#sections.filter((section) => section.paragraphs.length > 0);
  }
}
