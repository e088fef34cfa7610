/**
 * Characters that are not shown: soft hyphens, joiners, byte order marks, marks of direction, and selectors of another shape of the
 * character before them. Copied texts hold them within words and numbers. `native/core/src/lexical/characters.rs` has the same list.
 */
const INVISIBLE =
  /\u00ad|\u034f|\u061c|[\u180b-\u180f]|[\u200b-\u200f]|[\u202a-\u202e]|[\u2060-\u2064]|[\u2066-\u2069]|[\ufe00-\ufe0f]|\ufeff|[\u{e0100}-\u{e01ef}]/gu;

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
