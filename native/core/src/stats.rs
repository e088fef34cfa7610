//! Counts over the documents of a search, from columns only.

use crate::columns::NO_DAY;
use crate::search::{Hit, Snapshot};
use crate::segment::Column;
use crate::{Error, Result};
use std::collections::{BTreeMap, HashMap};

/// What is counted in a keyword column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Each term.
    Term,
    /// The first characters of each term. A document counts once for each prefix. The IPC subclass
    /// is the first 4 characters.
    Prefix(usize),
}

impl Axis {
    /// Whether a prefix may have several terms. A shorter text is a term of its own.
    fn begins(self, text: &str) -> bool {
        matches!(self, Axis::Prefix(length) if text.chars().count() == length)
    }
}

/// Counts the documents of each term: (term, spelling to show, count), most frequent first, ties by
/// term; at most `top` entries.
pub fn count_terms(
    snapshot: &Snapshot,
    hits: &[Hit],
    column: &str,
    axis: Axis,
    top: usize,
) -> Result<Vec<(String, String, u32)>> {
    // Strings are read once for each distinct term of a segment. Counting uses indexes into this
    // list.
    let mut counted: Vec<(&str, &str, u32)> = Vec::new();
    let mut place_of: HashMap<&str, u32> = HashMap::new();
    for (n, (segment, _)) in snapshot.segments.iter().enumerate() {
        let keywords = segment.keywords(column)?;
        // Index of each term plus one; 0 if it has not occurred yet. Untouched memory costs
        // nothing.
        let mut of_term = vec![0u32; keywords.terms()];
        let mut seen: Vec<u32> = Vec::new();
        for hit in hits.iter().filter(|hit| hit.segment as usize == n) {
            seen.clear();
            for &term in keywords.of_doc(hit.ordinal as usize) {
                let known = of_term.get_mut(term as usize).ok_or_else(|| unknown_term(column, term))?;
                if *known == 0 {
                    let text = match axis {
                        Axis::Term => keywords.term(term),
                        Axis::Prefix(length) => prefix_of(keywords.term(term), length),
                    };
                    let place = *place_of.entry(text).or_insert_with(|| {
                        let label = if axis == Axis::Term { keywords.label(term) } else { text };
                        counted.push((text, label, 0));
                        counted.len() as u32 - 1
                    });
                    *known = place + 1;
                    // Terms are sorted, so those with the same prefix are one range.
                    if axis.begins(text) {
                        let run = keywords.prefix(text);
                        of_term[run.start as usize..run.end as usize].fill(place + 1);
                    }
                }
                let place = of_term[term as usize] - 1;
                // Terms of a document are distinct, but their prefixes may not be.
                if axis != Axis::Term {
                    if seen.contains(&place) {
                        continue;
                    }
                    seen.push(place);
                }
                counted[place as usize].2 += 1;
            }
        }
    }
    let order = |a: &(&str, &str, u32), b: &(&str, &str, u32)| b.2.cmp(&a.2).then_with(|| a.0.cmp(b.0));
    if top < counted.len() {
        counted.select_nth_unstable_by(top, order);
        counted.truncate(top);
    }
    counted.sort_unstable_by(order);
    let owned = |(term, label, count): (&str, &str, u32)| (term.to_owned(), label.to_owned(), count);
    Ok(counted.into_iter().map(owned).collect())
}

fn unknown_term(column: &str, term: u32) -> Error {
    Error::Invalid(format!("column {column} names term {term}, which does not exist"))
}

fn prefix_of(term: &str, length: usize) -> &str {
    term.char_indices().nth(length).map_or(term, |(at, _)| &term[..at])
}

/// Day numbers (days since 1970-01-01) of the documents in a date column; `NO_DAY` if absent.
pub fn days(snapshot: &Snapshot, hits: &[Hit], column: &str) -> Result<Vec<i32>> {
    let columns = snapshot
        .segments
        .iter()
        .map(|(segment, _)| match segment.column_named(column)? {
            Column::Date(days) => Ok(Some(days)),
            Column::Keyword(_) => Ok(None),
        })
        .collect::<Result<Vec<_>>>()?;
    let day = |hit: &Hit| columns[hit.segment as usize].map_or(NO_DAY, |days| days[hit.ordinal as usize]);
    Ok(hits.iter().map(day).collect())
}

/// Counts the documents by the year of a date column, earliest year first. Documents without a day
/// are not counted.
pub fn count_years(snapshot: &Snapshot, hits: &[Hit], column: &str) -> Result<Vec<(i64, u32)>> {
    let mut counts: BTreeMap<i64, u32> = BTreeMap::new();
    for day in days(snapshot, hits, column)?.into_iter().filter(|&day| day != NO_DAY) {
        *counts.entry(year_of(day)).or_default() += 1;
    }
    Ok(counts.into_iter().collect())
}

/// Year of a day number (days since 1970-01-01) in the Gregorian calendar.
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
fn year_of(day: i32) -> i64 {
    let z = day as i64 + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let january_or_february = (5 * doy + 2) / 153 >= 10;
    yoe + era * 400 + january_or_february as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{ColumnKind, ColumnSpec, NewDocument, Segment, SegmentBuilder, Value};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn write(path: &Path, docs: &[BTreeSet<String>]) -> Segment {
        let specs = vec![ColumnSpec { name: "ipc".into(), kind: ColumnKind::Keyword }];
        let mut builder = SegmentBuilder::create(path, 1, specs).unwrap();
        for (id, terms) in docs.iter().enumerate() {
            let new = NewDocument {
                id: id as u32,
                patent_id: &format!("P{id}"),
                application: "",
                grant: false,
                vectors: &[1.0],
                bags: None,
                texts: None,
            };
            let terms = terms.iter().map(|term| (term.as_str(), term.as_str())).collect();
            builder.push(&new, &[Value::Keywords(terms)]).unwrap();
        }
        builder.finish().unwrap();
        Segment::open(path).unwrap()
    }

    #[test]
    fn years_begin_and_end_with_their_days() {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = |year: i64| if is_leap(year) { 366 } else { 365 };
        let mut first = 0;
        for year in 1970..2500 {
            assert_eq!((year_of(first), year_of(first + length(year) - 1)), (year, year));
            first += length(year);
        }
        first = 0;
        for year in (1500..1970).rev() {
            first -= length(year);
            assert_eq!((year_of(first), year_of(first + length(year) - 1)), (year, year));
        }
        // The least and the greatest day number.
        assert_eq!((year_of(i32::MIN), year_of(i32::MAX)), (-5_877_641, 5_881_580));
    }

    #[test]
    fn years_are_counted_of_documents_that_have_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segment");
        let specs = vec![ColumnSpec { name: "filing_date".into(), kind: ColumnKind::Date }];
        let mut builder = SegmentBuilder::create(&path, 1, specs).unwrap();
        for (id, day) in [0, 364, 365, NO_DAY, -1, 364].into_iter().enumerate() {
            let new = NewDocument {
                id: id as u32,
                patent_id: &format!("P{id}"),
                application: "",
                grant: false,
                vectors: &[1.0],
                bags: None,
                texts: None,
            };
            builder.push(&new, &[Value::Day(day)]).unwrap();
        }
        builder.finish().unwrap();
        let segment = Segment::open(&path).unwrap();
        let deleted = crate::bitmap::Bitmap::empty(segment.docs());
        let snapshot = Snapshot { segments: vec![(std::sync::Arc::new(segment), deleted)] };
        let hits = snapshot.all_of(&snapshot.select(&[]).unwrap());
        assert_eq!(count_years(&snapshot, &hits, "filing_date").unwrap(), [(1969, 1), (1970, 3), (1971, 1)]);
        assert!(count_years(&snapshot, &hits, "grant_date").is_err());
    }

    proptest! {
        /// Terms shorter than a prefix, equal to one, and longer, in several segments.
        #[test]
        fn counts_equal_those_of_a_map(
            segments in prop::collection::vec(
                prop::collection::vec(prop::collection::btree_set("[ab한]{1,4}", 0..6), 1..12), 1..4),
            prefix in prop::option::of(1usize..4),
            top in 1usize..12,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let open = |(n, docs): (usize, &Vec<_>)| write(&dir.path().join(n.to_string()), docs);
            let opened: Vec<Segment> = segments.iter().enumerate().map(open).collect();
            let with_none_deleted = |segment: Segment| {
                let deleted = crate::bitmap::Bitmap::empty(segment.docs());
                (std::sync::Arc::new(segment), deleted)
            };
            let snapshot = Snapshot { segments: opened.into_iter().map(with_none_deleted).collect() };
            let hits = snapshot.all_of(&snapshot.select(&[]).unwrap());
            let mut expected: BTreeMap<String, u32> = BTreeMap::new();
            for doc in segments.iter().flatten() {
                let begin = |term: &String| term.chars().take(prefix.unwrap_or(usize::MAX)).collect();
                for name in doc.iter().map(begin).collect::<BTreeSet<String>>() {
                    *expected.entry(name).or_default() += 1;
                }
            }
            let mut expected: Vec<(String, u32)> = expected.into_iter().collect();
            expected.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(top);
            let axis = prefix.map_or(Axis::Term, Axis::Prefix);
            let found = count_terms(&snapshot, &hits, "ipc", axis, top).unwrap();
            let found: Vec<(String, u32)> = found.into_iter().map(|(term, _, count)| (term, count)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
