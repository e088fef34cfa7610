//! The documents of a date column, ordered by day. A range of days is then two binary searches, and a
//! filter that few documents pass need not read the days of all others.

use crate::bitmap::Bitmap;
use crate::columns::NO_DAY;
use std::ops::Range;

/// A column with fewer documents is scanned: that takes microseconds.
const LEAST_DOCUMENTS: usize = 16_384;
/// A range is read from the order if at most one in this many documents lies in it. More documents are
/// found faster by a scan, which reads the days in their order.
const SPARSE: usize = 16;

/// Ordinals of the documents that have a day, ascending by day, then by ordinal. 4 bytes a document, made
/// by the first filter that needs it.
pub struct DayOrder(Vec<u32>);

impl DayOrder {
    /// `None` if the column is too short for an order to be of use.
    pub fn of(days: &[i32]) -> Option<Self> {
        if days.len() < LEAST_DOCUMENTS {
            return None;
        }
        // Day and ordinal in one number. The day's sign bit is flipped, so that numbers are ordered as days are.
        let key = |(ordinal, &day): (usize, &i32)| ((day as u32 ^ 1 << 31) as u64) << 32 | ordinal as u64;
        let known = days.iter().enumerate().filter(|(_, &day)| day != NO_DAY);
        let mut keys: Vec<u64> = known.map(key).collect();
        keys.sort_unstable();
        Some(DayOrder(keys.iter().map(|&key| key as u32).collect()))
    }

    /// The places of the days `from..=to` in the order. `days` is the column that the order was made of.
    fn places(&self, days: &[i32], from: i32, to: i32) -> Range<usize> {
        let place =
            |before: &dyn Fn(i32) -> bool| self.0.partition_point(|&ordinal| before(days[ordinal as usize]));
        let start = place(&|day| day < from);
        start..place(&|day| day <= to).max(start)
    }
}

/// The documents whose day lies in `from..=to`. A document without a day does not.
pub fn on_days(days: &[i32], order: Option<&DayOrder>, from: i32, to: i32) -> Bitmap {
    // The least day number stands for no day.
    let from = from.max(NO_DAY + 1);
    if let Some(order) = order {
        let places = order.places(days, from, to);
        if places.len() <= days.len() / SPARSE {
            let mut hits = Bitmap::empty(days.len());
            order.0[places].iter().for_each(|&ordinal| hits.insert(ordinal as usize));
            return hits;
        }
    }
    Bitmap::of_values(days, |day| (day >= from) & (day <= to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_range_is_the_same_with_and_without_an_order(
            seed in prop::collection::vec(prop_oneof![Just(NO_DAY), Just(NO_DAY + 1), -40i32..40, Just(i32::MAX)], 1..200),
            ranges in prop::collection::vec((prop_oneof![Just(NO_DAY), -45i32..45], prop_oneof![-45i32..45, Just(i32::MAX)]), 8),
        ) {
            // Days of few documents between many of one other day, so that ranges are sparse and dense.
            let days: Vec<i32> = (0..LEAST_DOCUMENTS).map(|n| if n % 97 == 0 { seed[n / 97 % seed.len()] } else { 1000 }).collect();
            let order = DayOrder::of(&days);
            prop_assert!(order.is_some());
            for (from, to) in ranges {
                let expected = on_days(&days, None, from, to);
                let brute: Vec<usize> =
                    (0..days.len()).filter(|&n| days[n] != NO_DAY && days[n] >= from && days[n] <= to).collect();
                prop_assert_eq!(expected.iter().collect::<Vec<_>>(), brute);
                prop_assert_eq!(on_days(&days, order.as_ref(), from, to), expected);
            }
        }
    }

    #[test]
    fn a_short_column_has_no_order() {
        assert!(DayOrder::of(&vec![1; LEAST_DOCUMENTS - 1]).is_none());
    }
}
