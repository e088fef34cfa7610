//! Bounds on the scores of documents, given out from the greatest: as a list without the cost of sorting
//! all of them. Bounds lie in buckets, and a batch is a range of buckets.

use std::ops::Range;
use std::sync::LazyLock;

/// Buckets over bounds from -1 to 1. Others are in the first or the last bucket.
const BUCKETS: usize = 4096;
/// Buckets that are compared together.
const TOGETHER: usize = 32;

/// Numbers of passages that are told apart. For more, √(2 ln n) hardly grows.
const COUNTED: usize = 4_096;

/// √(2 ln n) by the number n of passages.
static GREATEST: LazyLock<[f32; COUNTED]> =
    LazyLock::new(|| std::array::from_fn(|passages| (2.0 * (passages.max(1) as f32).ln()).sqrt()));

/// How many standard deviations a bound lies above the score of a document's mean: `one` or, if it is more, √(2 ln n) and `several`
/// for n passages.
///
/// √(2 ln n) lies above the mean of the greatest of n normal numbers, by about as much as this greatest deviates. So documents of
/// several passages need fewer deviations beside it than those of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviations {
    pub one: f32,
    pub several: f32,
}

impl Deviations {
    /// The greater numbers of both.
    pub fn max(self, other: Self) -> Self {
        Deviations { one: self.one.max(other.one), several: self.several.max(other.several) }
    }
}

/// How far above a document's mean the bound lies, for a spread of 1.
pub struct Reach {
    greatest: &'static [f32; COUNTED],
    deviations: Deviations,
    deviation: f32,
}

impl Reach {
    /// `deviation` is the σ of documents.rs.
    pub fn of(deviations: Deviations, deviation: f32) -> Self {
        Reach { greatest: &GREATEST, deviations, deviation }
    }

    #[inline]
    pub fn among(&self, passages: usize) -> f32 {
        let Deviations { one, several } = self.deviations;
        self.deviation * one.max(several + self.greatest[passages.min(COUNTED - 1)])
    }
}

/// Bounds in the order in which they were pushed.
pub struct Bounds {
    bounds: Vec<f32>,
    /// The bucket of each bound.
    buckets: Vec<u16>,
    /// Number of bounds in each bucket.
    counts: Vec<u32>,
    /// The bounds of the buckets from here on were given out.
    end: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { bounds: Vec::new(), buckets: Vec::new(), counts: vec![0; BUCKETS], end: BUCKETS }
    }
}

/// Below `BUCKETS`.
fn bucket(bound: f32) -> u16 {
    // The cast gives 0 for NaN, which only a damaged sketch has. As i32, several are cast at a time.
    ((bound + 1.0) * (BUCKETS / 2) as f32).clamp(0.0, (BUCKETS - 1) as f32) as i32 as u16
}

impl Bounds {
    pub fn clear(&mut self) {
        self.bounds.clear();
        self.buckets.clear();
        self.counts.fill(0);
        self.end = BUCKETS;
    }

    /// Pushes several bounds. Faster than one by one: the room is checked once, and several are computed at a time.
    pub fn extend(&mut self, bounds: impl Iterator<Item = f32>) {
        let before = self.bounds.len();
        self.bounds.extend(bounds);
        self.buckets.extend(self.bounds[before..].iter().map(|&bound| bucket(bound)));
        self.buckets[before..].iter().for_each(|&bucket| self.counts[bucket as usize] += 1);
    }

    /// The buckets of the next `count` greatest bounds, or somewhat more; `None` if none of the rest can
    /// reach `least`.
    pub fn next(&mut self, count: usize, least: f32) -> Option<Range<u16>> {
        let lowest = bucket(least) as usize;
        let (mut from, mut found) = (self.end, 0);
        while from > lowest && found < count {
            from -= 1;
            found += self.counts[from] as usize;
        }
        let next = from as u16..self.end as u16;
        self.end = from;
        (found > 0).then_some(next)
    }

    /// Calls `each` with the numbers, within a range of pushed bounds, of those that lie in some buckets, and with
    /// the bounds.
    pub fn each_in(&self, pushed: Range<usize>, buckets: &Range<u16>, mut each: impl FnMut(usize, f32)) {
        let is_in = |bucket: u16| (bucket >= buckets.start) & (bucket < buckets.end);
        for (n, together) in self.buckets[pushed.clone()].chunks(TOGETHER).enumerate() {
            // Nearly all buckets lie outside. Without a branch, they are compared many at a time.
            if !together.iter().fold(false, |any, &bucket| any | is_in(bucket)) {
                continue;
            }
            for (at, &bucket) in together.iter().enumerate() {
                if is_in(bucket) {
                    let at = n * TOGETHER + at;
                    each(at, self.bounds[pushed.start + at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Documents of many passages would be missed among documents of one, if their bounds were not higher.
    #[test]
    fn bounds_rise_with_the_number_of_passages() {
        for several in [0.5, 2.0] {
            let reach = Reach::of(Deviations { one: 2.0, several }, 0.1);
            assert!((reach.among(1) - 0.2).abs() < 1e-6);
            assert_eq!(reach.among(0), reach.among(1));
            for passages in [2, 3, 4, 100, COUNTED - 1, COUNTED] {
                let expected = 0.1 * (several + (2.0 * (passages as f32).ln()).sqrt()).max(2.0);
                assert!((reach.among(passages) - expected).abs() < 1e-4, "{passages}");
            }
        }
    }

    proptest! {
        #[test]
        fn batches_are_those_of_a_sorted_list(
            bounds in prop::collection::vec(-1.5f32..1.5, 0..400),
            count in 1usize..50,
            least in -1.2f32..1.2,
        ) {
            let mut all = Bounds::default();
            all.extend([9.0, f32::NAN].into_iter());
            all.clear();
            let (some, others) = bounds.split_at(bounds.len() / 4);
            all.extend(some.iter().copied());
            all.extend(others.iter().copied());
            let mut given = Vec::new();
            while let Some(buckets) = all.next(count, least) {
                let mut batch = Vec::new();
                let middle = bounds.len() / 3;
                all.each_in(0..middle, &buckets, |n, bound| batch.push((n, bound)));
                all.each_in(middle..bounds.len(), &buckets, |n, bound| batch.push((middle + n, bound)));
                prop_assert!(!batch.is_empty());
                for &(n, bound) in &batch {
                    prop_assert_eq!(bound, bounds[n]);
                    prop_assert!(given.iter().all(|&(_, before)| bucket(before) > bucket(bound)));
                }
                // A batch is short only if the rest cannot reach `least`.
                let rest = bounds.len() - given.len() - batch.len();
                let lowest = batch.iter().map(|&(_, bound)| bucket(bound)).min().unwrap();
                prop_assert!(batch.len() >= count || rest == 0 || lowest >= bucket(least));
                given.extend(batch);
            }
            let reaching = bounds.iter().filter(|&&bound| bound >= least).count();
            prop_assert_eq!(given.iter().filter(|&&(_, bound)| bound >= least).count(), reaching);
        }
    }
}
