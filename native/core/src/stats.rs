//! Counts over the documents of a search, from columns alone.

use crate::columns::NO_DAY;
use crate::search::{Hit, Snapshot};
use crate::segment::Column;
use crate::Result;
use std::collections::HashMap;

/// What is counted of a keyword column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Each term.
    Term,
    /// The first characters of each term, each prefix once a document (the IPC subclass is the first 4).
    Prefix(usize),
}

/// How many of the documents bear each term: (term, spelling to show, count), most frequent first, ties by
/// term.
pub fn count_terms(
    snapshot: &Snapshot,
    hits: &[Hit],
    column: &str,
    axis: Axis,
) -> Result<Vec<(String, String, u32)>> {
    // Strings are looked at once a distinct term of a segment; what is counted are places in this list.
    let mut counted: Vec<(&str, &str, u32)> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    for (n, (segment, _)) in snapshot.segments.iter().enumerate() {
        let keywords = segment.keywords(column)?;
        let mut of_term: HashMap<u32, usize> = HashMap::new();
        let mut seen: Vec<usize> = Vec::new();
        for hit in hits.iter().filter(|hit| hit.segment as usize == n) {
            seen.clear();
            for &term in keywords.of_doc(hit.ordinal as usize) {
                let place = *of_term.entry(term).or_insert_with(|| {
                    let (text, label) = match axis {
                        Axis::Term => (keywords.term(term), keywords.label(term)),
                        Axis::Prefix(length) => {
                            let prefix = prefix_of(keywords.term(term), length);
                            (prefix, prefix)
                        }
                    };
                    *place_of.entry(text).or_insert_with(|| {
                        counted.push((text, label, 0));
                        counted.len() - 1
                    })
                });
                // Terms of a document differ, their beginnings need not.
                if axis != Axis::Term {
                    if seen.contains(&place) {
                        continue;
                    }
                    seen.push(place);
                }
                counted[place].2 += 1;
            }
        }
    }
    counted.sort_unstable_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(b.0)));
    let owned = |(term, label, count): (&str, &str, u32)| (term.to_owned(), label.to_owned(), count);
    Ok(counted.into_iter().map(owned).collect())
}

fn prefix_of(term: &str, length: usize) -> &str {
    term.char_indices().nth(length).map_or(term, |(at, _)| &term[..at])
}

/// Day numbers (days since 1970-01-01) of the documents in a date column; `NO_DAY` where absent.
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
