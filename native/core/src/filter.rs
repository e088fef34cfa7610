//! Filters: lists of clauses, each on one column, that must all hold. The result is a set of
//! documents, from which the set of rows follows.

use crate::bitmap::Bitmap;
use crate::columns::{Keywords, NO_DAY};
use crate::day_order::on_days;
use crate::lexical::concept::Concept;
use crate::lexical::score::holding;
use crate::segment::{Column, Segment};
use crate::{Error, Result};

#[derive(Clone, Debug)]
pub enum Test {
    /// One of the document's terms equals one of these.
    Exact(Vec<String>),
    /// One of the document's terms starts with one of these.
    Prefix(Vec<String>),
    /// One of the document's terms contains one of these.
    Contains(Vec<String>),
    /// The same three, for which all forms of a Han character are equal.
    ExactInAnyForm(Vec<String>),
    PrefixInAnyForm(Vec<String>),
    ContainsInAnyForm(Vec<String>),
    /// None of the document's terms equals one of these.
    None(Vec<String>),
    /// The document's day is within the range, both ends included. A document without a day does
    /// not match.
    Days {
        from: Option<i32>,
        to: Option<i32>,
    },
    /// The document's texts or names hold one of these words or phrases; or none of them.
    Holds(Vec<Concept>),
    Lacks(Vec<Concept>),
}

#[derive(Clone, Debug)]
pub struct Clause {
    /// Name of a column. Words have none: they are in the lexical index.
    pub column: String,
    /// Further columns. The clause holds if the test holds in any of the columns.
    pub or: Vec<String>,
    pub test: Test,
}

/// The documents of a segment that match every clause.
pub fn matching(segment: &Segment, clauses: &[Clause], deleted: &Bitmap) -> Result<Bitmap> {
    // All documents, until a clause says which.
    let mut allowed: Option<Bitmap> = None;
    for clause in clauses {
        let hits = matching_clause(segment, clause)?;
        match &mut allowed {
            Some(allowed) => allowed.intersect(&hits),
            None => allowed = Some(hits),
        }
    }
    let mut allowed = allowed.unwrap_or_else(|| Bitmap::full(segment.docs()));
    deleted.iter().for_each(|ordinal| allowed.remove(ordinal));
    Ok(allowed)
}

fn matching_clause(segment: &Segment, Clause { column, or, test }: &Clause) -> Result<Bitmap> {
    match test {
        Test::Holds(words) => return with_words(segment, words),
        Test::Lacks(words) => {
            let mut others = Bitmap::full(segment.docs());
            with_words(segment, words)?.iter().for_each(|ordinal| others.remove(ordinal));
            return Ok(others);
        }
        _ => {}
    }
    let mut hits = matching_column(segment, column, test)?;
    for column in or {
        hits.unite(&matching_column(segment, column, test)?);
    }
    Ok(hits)
}

fn matching_column(segment: &Segment, name: &str, test: &Test) -> Result<Bitmap> {
    Ok(match (segment.column_named(name)?, test) {
        (Column::Date(days), Test::Days { from, to }) => {
            on_days(days, segment.day_order(name, days), from.unwrap_or(NO_DAY), to.unwrap_or(i32::MAX))
        }
        (Column::Keyword(column), Test::Exact(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().filter_map(|t| column.exact(t)))
        }
        (Column::Keyword(column), Test::Prefix(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().flat_map(|t| column.prefix(t)))
        }
        (Column::Keyword(column), Test::Contains(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().flat_map(|t| column.containing(t)))
        }
        (Column::Keyword(column), Test::ExactInAnyForm(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().flat_map(|t| column.exact_in_any_form(t)))
        }
        (Column::Keyword(column), Test::PrefixInAnyForm(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().flat_map(|t| column.prefix_in_any_form(t)))
        }
        (Column::Keyword(column), Test::ContainsInAnyForm(texts)) => {
            with_terms(&column, segment.docs(), texts.iter().flat_map(|t| column.containing_in_any_form(t)))
        }
        (Column::Keyword(column), Test::None(texts)) => {
            let mut others = Bitmap::full(segment.docs());
            let named = with_terms(&column, segment.docs(), texts.iter().filter_map(|t| column.exact(t)));
            named.iter().for_each(|ordinal| others.remove(ordinal));
            others
        }
        _ => return Err(Error::Invalid(format!("column {name} cannot answer {test:?}"))),
    })
}

fn with_terms(column: &Keywords, docs: usize, terms: impl Iterator<Item = u32>) -> Bitmap {
    let mut hits = Bitmap::empty(docs);
    for term in terms {
        for &doc in column.docs_of(term) {
            // A damaged posting list may hold numbers beyond the segment.
            if (doc as usize) < docs {
                hits.insert(doc as usize);
            }
        }
    }
    hits
}

fn with_words(segment: &Segment, words: &[Concept]) -> Result<Bitmap> {
    let lexical = segment.lexical()?.ok_or_else(|| {
        let reason = "no lexical index: an earlier version wrote the segment; run `priorart check --repair` to make it";
        Error::corrupt(segment.file().path(), reason)
    })?;
    let mut hits = Bitmap::empty(segment.docs());
    for concept in words {
        holding(lexical, concept, |ordinal| hits.insert(ordinal as usize))?;
    }
    Ok(hits)
}

/// The rows of some documents.
pub fn rows_of(segment: &Segment, docs: &Bitmap) -> Bitmap {
    let mut rows = Bitmap::empty(segment.passages());
    let at = segment.row_at();
    for run in docs.runs() {
        rows.insert_range(at[run.start] as usize, at[run.end] as usize);
    }
    rows
}

/// The number of rows of some documents.
pub fn count_rows(segment: &Segment, docs: &Bitmap) -> usize {
    // A document has one passage or more.
    if segment.passages() == segment.docs() {
        return docs.count();
    }
    docs.total_of(segment.row_at())
}
