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
    let mut counts: HashMap<String, (String, u32)> = HashMap::new();
    for (n, (segment, _)) in snapshot.segments.iter().enumerate() {
        let keywords = segment.keywords(column)?;
        // Term numbers first, strings once a distinct term.
        let mut here: HashMap<u32, u32> = HashMap::new();
        let mut seen: Vec<&str> = Vec::new();
        for hit in hits.iter().filter(|hit| hit.segment as usize == n) {
            seen.clear();
            for &term in keywords.of_doc(hit.ordinal as usize) {
                if let Axis::Prefix(length) = axis {
                    let prefix = prefix_of(keywords.term(term), length);
                    if seen.contains(&prefix) {
                        continue;
                    }
                    seen.push(prefix);
                }
                *here.entry(term).or_default() += 1;
            }
        }
        for (term, count) in here {
            let (text, label) = match axis {
                Axis::Term => (keywords.term(term), keywords.label(term)),
                Axis::Prefix(length) => {
                    (prefix_of(keywords.term(term), length), prefix_of(keywords.term(term), length))
                }
            };
            counts.entry(text.to_owned()).or_insert_with(|| (label.to_owned(), 0)).1 += count;
        }
    }
    let mut sorted: Vec<(String, String, u32)> = counts.into_iter().map(|(t, (l, c))| (t, l, c)).collect();
    sorted.sort_unstable_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    Ok(sorted)
}

fn prefix_of(term: &str, length: usize) -> &str {
    term.char_indices().nth(length).map_or(term, |(at, _)| &term[..at])
}

/// Day numbers (days since 1970-01-01) of the documents in a date column; `NO_DAY` where absent.
pub fn days(snapshot: &Snapshot, hits: &[Hit], column: &str) -> Result<Vec<i32>> {
    hits.iter()
        .map(|hit| match snapshot.segments[hit.segment as usize].0.column_named(column)? {
            Column::Date(days) => Ok(days[hit.ordinal as usize]),
            Column::Keyword(_) => Ok(NO_DAY),
        })
        .collect()
}
