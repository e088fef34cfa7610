//! A bitset over the documents or the passages of one segment. Its words are not compressed: a
//! filter is evaluated once, intersected, and then read by a scan that reads every word.

use std::cell::RefCell;

thread_local! {
    /// Words of dropped bitmaps. New memory would have to be cleared by the operating system page by page, which takes
    /// longer than evaluating a filter that few documents pass.
    static SPARE: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// Bitmaps of fewer words are not kept: small memory is not given back to the operating system.
const LEAST_KEPT: usize = 512;
/// Words that a thread keeps, at most: 4 MB.
const MOST_KEPT: usize = 1 << 19;
/// Bitmaps that a thread keeps, at most. A search needs few at a time; the memory of the latest is in the cache.
const MOST_BITMAPS: usize = 8;

/// Set bits of a word from which all of its bits are added up with masks.
const FEW_BITS: u32 = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    pub fn empty(len: usize) -> Self {
        let mut words = memory(len);
        words.resize(len.div_ceil(64), 0);
        Bitmap { words, len }
    }

    pub fn full(len: usize) -> Self {
        let mut words = memory(len);
        words.resize(len.div_ceil(64), u64::MAX);
        if let Some(last) = words.last_mut() {
            let used = len % 64;
            if used != 0 {
                *last = (1u64 << used) - 1;
            }
        }
        Bitmap { words, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    pub fn insert(&mut self, i: usize) {
        assert!(i < self.len, "bit {i} of {}", self.len);
        self.words[i / 64] |= 1 << (i % 64);
    }

    pub fn remove(&mut self, i: usize) {
        assert!(i < self.len, "bit {i} of {}", self.len);
        self.words[i / 64] &= !(1 << (i % 64));
    }

    pub fn contains(&self, i: usize) -> bool {
        i < self.len && self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Sets bits `from..to`, whole words at a time.
    pub fn insert_range(&mut self, from: usize, to: usize) {
        assert!(from <= to && to <= self.len, "bits {from}..{to} of {}", self.len);
        if from == to {
            return;
        }
        let (first, last) = (from / 64, (to - 1) / 64);
        let head = u64::MAX << (from % 64);
        let tail = u64::MAX >> (63 - (to - 1) % 64);
        if first == last {
            self.words[first] |= head & tail;
            return;
        }
        self.words[first] |= head;
        self.words[first + 1..last].fill(u64::MAX);
        self.words[last] |= tail;
    }

    pub fn intersect(&mut self, other: &Bitmap) {
        assert_eq!(self.len, other.len);
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= b;
        }
    }

    pub fn unite(&mut self, other: &Bitmap) {
        debug_assert_eq!(self.len, other.len);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(n, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(n * 64 + bit)
            })
        })
    }

    /// The bits by words: the index of the first bit of a word, and the word, whose lowest bit is the first. Words without a
    /// set bit are left out.
    pub fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.words.iter().enumerate().filter(|(_, &word)| word != 0).map(|(n, &word)| (n * 64, word))
    }

    /// The indexes of the values for which `test` is true. Without branches, so that compilers
    /// test several values at a time.
    pub fn of_values<T: Copy>(values: &[T], test: impl Fn(T) -> bool) -> Self {
        let bits_of = |chunk: &[T]| {
            chunk.iter().enumerate().fold(0, |bits, (n, &value)| bits | (test(value) as u64) << n)
        };
        let mut words = memory(values.len());
        words.extend(values.chunks(64).map(bits_of));
        Bitmap { words, len: values.len() }
    }

    /// The sum of `ends[i + 1] - ends[i]` over all set bits `i`.
    ///
    /// # Panics
    /// If `ends` does not have one number more than the bitmap has bits.
    pub fn total_of(&self, ends: &[u32]) -> usize {
        assert_eq!(ends.len(), self.len + 1);
        let mut total = 0;
        for (n, &word) in self.words.iter().enumerate() {
            let from = n * 64;
            let ends = &ends[from..=(from + 64).min(self.len)];
            if word == u64::MAX {
                total += ends[64].wrapping_sub(ends[0]) as usize;
                continue;
            }
            if word.count_ones() < FEW_BITS {
                let mut rest = word;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    total += ends[bit + 1].wrapping_sub(ends[bit]) as usize;
                }
                continue;
            }
            let of_bit = |(bit, pair): (usize, &[u32])| {
                // A mask instead of a branch. The differences of a word add up to less than 2^32.
                pair[1].wrapping_sub(pair[0]) & ((word >> bit & 1) as u32).wrapping_neg()
            };
            total += ends.windows(2).enumerate().map(of_bit).fold(0u32, u32::wrapping_add) as usize;
        }
        total
    }

    /// The longest ranges of set bits, ascending.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let from = self.next(at, 0)?;
            at = self.next(from, u64::MAX).unwrap_or(self.len);
            Some(from..at)
        })
    }

    /// The first set bit from `at` on; the first clear bit if all bits of `flip` are set.
    fn next(&self, at: usize, flip: u64) -> Option<usize> {
        let mut word = at / 64;
        let mut rest = (self.words.get(word)? ^ flip) & u64::MAX << (at % 64);
        while rest == 0 {
            word += 1;
            rest = self.words.get(word)? ^ flip;
        }
        let bit = word * 64 + rest.trailing_zeros() as usize;
        (bit < self.len).then_some(bit)
    }

    /// The bits as bytes, least significant first, in the form of FAISS's IDSelectorBitmap.
    pub fn as_bytes(&self) -> &[u8] {
        let bytes = self.len.div_ceil(8);
        // On a little-endian machine, the words have this byte order.
        #[cfg(target_endian = "big")]
        compile_error!("bitmaps are handed to FAISS as little-endian bytes");
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast::<u8>(), bytes) }
    }
}

/// Empty memory for a bitmap of `len` bits, from a dropped one if possible.
fn memory(len: usize) -> Vec<u64> {
    let words = len.div_ceil(64);
    let fits = |kept: &Vec<u64>| kept.capacity() >= words && kept.capacity() <= 2 * words;
    let kept = match words >= LEAST_KEPT {
        true => SPARE.with_borrow_mut(|spare| Some(spare.swap_remove(spare.iter().rposition(fits)?))),
        false => None,
    };
    kept.unwrap_or_else(|| Vec::with_capacity(words))
}

impl Drop for Bitmap {
    fn drop(&mut self) {
        if self.words.capacity() < LEAST_KEPT {
            return;
        }
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        // If the thread ends, nothing is kept.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            let kept: usize = spare.iter().map(Vec::capacity).sum();
            if spare.len() < MOST_BITMAPS && kept + words.capacity() <= MOST_KEPT {
                spare.push(words);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn reused_memory_holds_nothing_of_before() {
        let len = 64 * LEAST_KEPT + 3;
        for _ in 0..3 {
            assert_eq!(Bitmap::full(len).count(), len);
            assert_eq!(Bitmap::empty(len).count(), 0);
            assert_eq!(Bitmap::of_values(&vec![1u8; len], |value| value == 1), Bitmap::full(len));
            let clone = Bitmap::full(len).clone();
            assert_eq!(clone.iter().count(), len);
        }
        SPARE.with_borrow(|spare| assert!(!spare.is_empty() && spare.iter().all(Vec::is_empty)));
        // What does not fit is not kept, and a bitmap of another size takes memory of its own.
        let large = Bitmap::full(64 * (MOST_KEPT + 1));
        drop(large);
        SPARE.with_borrow(|spare| assert!(spare.iter().map(Vec::capacity).sum::<usize>() <= MOST_KEPT));
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(len in 1usize..300, ops in prop::collection::vec((0usize..300, 0usize..300, 0u8..3), 0..40)) {
            let mut bits = Bitmap::empty(len);
            let mut set = BTreeSet::new();
            for (a, b, op) in ops {
                let (a, b) = (a % len, b % (len + 1));
                match op {
                    0 => { bits.insert(a); set.insert(a); }
                    1 => { bits.remove(a); set.remove(&a); }
                    _ if a <= b => { bits.insert_range(a, b); set.extend(a..b); }
                    _ => {}
                }
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(bits.count(), set.len());
            prop_assert_eq!(bits.runs().flatten().collect::<Vec<_>>(), bits.iter().collect::<Vec<_>>());
            prop_assert!(bits.runs().zip(bits.runs().skip(1)).all(|(a, b)| a.start < a.end && a.end < b.start));
            for i in 0..len {
                prop_assert_eq!(bits.as_bytes()[i / 8] >> (i % 8) & 1 == 1, set.contains(&i));
            }
            prop_assert_eq!(Bitmap::full(len).count(), len);
            prop_assert_eq!(&Bitmap::of_values(&(0..len).collect::<Vec<_>>(), |i| set.contains(&i)), &bits);
            let ends: Vec<u32> = (0..=len as u32).map(|i| i * i).collect();
            let sum: u32 = set.iter().map(|&i| ends[i + 1] - ends[i]).sum();
            prop_assert_eq!(bits.total_of(&ends), sum as usize);
        }
    }
}
