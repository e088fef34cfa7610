//! The pieces of a vocabulary by their UTF-8 bytes: a double-array trie (Aoe 1989) with four bytes
//! for each node, packed as in darts-clone. `models/static/FORMAT.md` specifies the bits.

use crate::file::Container;
use crate::Result;

const LABEL: u32 = 0x8000_00ff;
const ENDS: u32 = 1 << 8;
const LEAF: u32 = 1 << 31;

/// A trie, borrowed from the file.
#[derive(Clone, Copy)]
pub struct Trie<'a>(&'a [u32]);

impl<'a> Trie<'a> {
    pub fn of(file: &'a Container) -> Result<Self> {
        Ok(Trie(file.numbers("trie")?))
    }

    /// `None` if a node points outside the array or has an id of `pieces` or more.
    pub fn check(&self, pieces: usize) -> Option<()> {
        let units = self.0;
        // A base and its children are in one block of 256.
        let sound = |&unit: &u32| match unit & LEAF {
            0 => (base(unit) | 255) < units.len(),
            _ => ((unit & !LEAF) as usize) < pieces,
        };
        let ends_well = |&unit: &u32| unit & (LEAF | ENDS) != ENDS || units[base(unit)] & LEAF != 0;
        (!units.is_empty() && units.iter().all(sound) && units.iter().all(ends_well)).then_some(())
    }

    /// Calls `each` with the length in bytes and the id of every piece at the start of `text`,
    /// shortest first.
    #[inline]
    pub fn prefixes(&self, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let units = self.0;
        let mut unit = units[0];
        for (at, &byte) in text.iter().enumerate() {
            let child = units[base(unit) ^ byte as usize];
            if child & LABEL != byte as u32 {
                return;
            }
            unit = child;
            if unit & ENDS != 0 {
                each(at + 1, units[base(unit)] & !LEAF);
            }
        }
    }
}

#[inline]
fn base(unit: u32) -> usize {
    (unit >> 9 & 0x3f_ffff) as usize
}
