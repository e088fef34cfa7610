//! Splits a text into runs of characters of one class, by the table in the model's file.
//!
//! The table was made with one version of Unicode. Code points that this version does not assign
//! become spaces before normalisation. Unicode never changes the normalisation of assigned
//! characters, so the crate's newer tables give the same result as the older ones of the training.

use crate::file::Container;
use crate::Result;
use unicode_normalization::UnicodeNormalization;

const POINT: u32 = (1 << 21) - 1;
const CLASS_SHIFT: u32 = 21;
const CLASS: u32 = 31;
/// The character becomes several, listed in the section of texts.
const MULTIPLE: u32 = 1 << 26;
/// The character may combine with the previous one.
const COMBINES: u32 = 1 << 27;
const BLOCKS: usize = 0x110000 / 256;
/// The class of characters between runs.
pub const SEPARATOR: u32 = 0;

/// The table of characters, borrowed from the file.
#[derive(Clone, Copy)]
pub struct Characters<'a> {
    blocks: &'a [u16],
    entries: &'a [u32],
    text: &'a [u8],
}

impl<'a> Characters<'a> {
    pub fn of(file: &'a Container) -> Result<Self> {
        Ok(Characters {
            blocks: file.numbers("characters.blocks")?,
            entries: file.numbers("characters.entries")?,
            text: file.section("characters.text")?,
        })
    }

    /// `None` if the sections are inconsistent.
    pub fn check(&self) -> Option<()> {
        let count = self.entries.len() / 256;
        let whole = self.blocks.len() == BLOCKS
            && self.entries.len().is_multiple_of(256)
            && self.blocks.iter().all(|&block| (block as usize) < count)
            && self.entries.iter().all(|&entry| self.is_sound(entry));
        whole.then_some(())
    }

    fn is_sound(&self, entry: u32) -> bool {
        match entry & MULTIPLE {
            0 => char::from_u32(entry & POINT).is_some(),
            _ => self.several(entry).is_some(),
        }
    }

    #[inline]
    fn entry(&self, c: char) -> u32 {
        let code = c as usize;
        self.entries[self.blocks[code >> 8] as usize * 256 + (code & 255)]
    }

    /// The text of an entry with `MULTIPLE`.
    fn several(&self, entry: u32) -> Option<&'a str> {
        let at = (entry & POINT) as usize;
        let length = *self.text.get(at)? as usize;
        std::str::from_utf8(self.text.get(at + 1..at + 1 + length)?).ok()
    }

    /// Calls `each` with the normalised characters of a text and their classes.
    #[inline]
    pub fn fold(&self, text: &str, mut each: impl FnMut(char, u32)) {
        let mut rest = text;
        let mut next = rest.chars().next().map(|c| (c, self.entry(c)));
        while let Some((c, entry)) = next {
            let after = &rest[c.len_utf8()..];
            next = after.chars().next().map(|c| (c, self.entry(c)));
            // If the next character cannot combine with it, the table has the result.
            if (entry | next.map_or(0, |(_, entry)| entry)) & COMBINES == 0 {
                self.folded(entry, &mut each);
                rest = after;
                continue;
            }
            // Otherwise, everything up to the next non-combining character is normalised together.
            let alone = after.char_indices().find(|&(_, c)| self.entry(c) & COMBINES == 0);
            let (stretch, beyond) = rest.split_at(alone.map_or(rest.len(), |(at, _)| c.len_utf8() + at));
            self.composed(stretch, &mut each);
            rest = beyond;
            next = rest.chars().next().map(|c| (c, self.entry(c)));
        }
    }

    #[inline]
    fn folded(&self, entry: u32, each: &mut impl FnMut(char, u32)) {
        if entry & MULTIPLE == 0 {
            // Checked when the file was opened.
            return each(char::from_u32(entry & POINT).unwrap_or(' '), entry >> CLASS_SHIFT & CLASS);
        }
        for c in self.several(entry).unwrap_or(" ").chars() {
            each(c, self.entry(c) >> CLASS_SHIFT & CLASS);
        }
    }

    fn composed(&self, stretch: &str, each: &mut impl FnMut(char, u32)) {
        let known = stretch.chars().map(|c| if self.is_dropped(c) { ' ' } else { c });
        for c in known.nfkc() {
            self.folded(self.entry(c), each);
        }
    }

    /// Whether the table maps the character to a space before normalisation.
    fn is_dropped(&self, c: char) -> bool {
        self.entry(c) == self.entry('\0')
    }
}
