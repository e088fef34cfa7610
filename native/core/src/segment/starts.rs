//! The document of a passage, without a binary search: a bit for each passage, set for the first one of a document, and
//! the number of set bits before each word (a rank structure as in Jacobson, "Space-efficient static trees and graphs", 1989).

/// A word of bits, and the number of set bits before it. 16 bytes for 64 passages.
pub struct Starts(Vec<(u64, u32)>);

impl Starts {
    /// `row_at` holds the number of the first passage of each document, and of passages. Empty if each document has one
    /// passage. Numbers of a damaged segment that are too large are left out.
    pub fn of(row_at: &[u32], passages: usize) -> Self {
        if row_at.len() == passages + 1 {
            return Starts(Vec::new());
        }
        // The end of the last document is a start, too: that of a document which does not exist.
        let mut words = vec![(0u64, 0u32); passages / 64 + 1];
        for &first in row_at {
            if let Some((word, _)) = words.get_mut(first as usize / 64) {
                *word |= 1 << (first % 64);
            }
        }
        let mut before = 0;
        for (word, count) in &mut words {
            *count = before;
            before += word.count_ones();
        }
        Starts(words)
    }

    /// The number of the document that a passage belongs to. For a passage that does not exist, a number that no document has: a
    /// foreign index may name one.
    #[inline]
    pub fn document_of(&self, passage: u32) -> usize {
        if self.0.is_empty() {
            return passage as usize;
        }
        let Some(&(word, before)) = self.0.get(passage as usize / 64) else { return usize::MAX };
        let upto = word & (u64::MAX >> (63 - passage % 64));
        ((before + upto.count_ones()) as usize).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_passage_belongs_to_the_document_that_starts_at_or_before_it(counts in prop::collection::vec(1u32..150, 0..60)) {
            let ends = counts.iter().scan(0, |end, count| { *end += count; Some(*end) });
            let row_at: Vec<u32> = std::iter::once(0).chain(ends).collect();
            let passages = *row_at.last().unwrap();
            let starts = Starts::of(&row_at, passages as usize);
            for passage in 0..passages {
                let expected = row_at.partition_point(|&first| first <= passage) - 1;
                prop_assert_eq!(starts.document_of(passage), expected);
            }
            for foreign in [passages, passages + 1, passages + 63, passages + 64, u32::MAX] {
                prop_assert!(starts.document_of(foreign) >= counts.len());
            }
        }
    }

    #[test]
    fn damaged_numbers_do_no_harm() {
        let starts = Starts::of(&[9, 500, 2, 10], 10);
        assert!((0..10).all(|passage| starts.document_of(passage) < 3));
    }
}
