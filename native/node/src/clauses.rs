//! Filters, and the documents that they allow.

use crate::errors::{coded, from_core};
use crate::snapshot::Snapshot;
use crate::words::concepts_of;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::filter::{Clause, Test};
use priorart_core::search::Selected;

/// A condition on one column, or on the words of a document (`holds`, `lacks`: a word or phrase, or none of several). A filter is a list of clauses that must all hold.
#[napi(object)]
pub struct FilterClause {
    pub column: String,
    /// Further columns. The clause holds if the test holds in any of the columns.
    pub or: Option<Vec<String>>,
    #[napi(ts_type = "'exact' | 'prefix' | 'contains' | 'none' | 'days' | 'holds' | 'lacks'")]
    pub test: String,
    /// The test holds if any term matches; `none` holds if no term is equal.
    pub terms: Option<Vec<String>>,
    /// Whether `exact`, `prefix` and `contains` find terms in other forms of their Han characters, too: 電 and 电. Default: false.
    pub any_form: Option<bool>,
    /// Whether `holds` and `lacks` look for translations, too. Default: false.
    pub translate: Option<bool>,
    /// First day of `days`, since 1970-01-01.
    pub from: Option<i32>,
    /// Last day of `days`, since 1970-01-01.
    pub to: Option<i32>,
}

/// The documents that a filter allows.
#[napi]
pub struct Selection(pub(crate) Vec<Selected>);

#[napi]
impl Selection {
    /// Number of allowed documents of each segment.
    #[napi(getter)]
    pub fn docs(&self) -> Vec<u32> {
        self.0.iter().map(|s| s.doc_count as u32).collect()
    }

    /// Number of allowed passages of each segment.
    #[napi(getter)]
    pub fn passages(&self) -> Vec<u32> {
        self.0.iter().map(|s| s.row_count as u32).collect()
    }

    /// Frees its memory, a bit a document, now instead of at a garbage collection. Do not use it afterwards.
    #[napi]
    pub fn release(&mut self) {
        self.0.clear();
    }
}

#[napi]
impl Snapshot {
    /// Evaluates a filter. Every clause must hold.
    #[napi(catch_unwind)]
    pub fn select(&self, clauses: Vec<FilterClause>) -> Result<Selection> {
        self.0.select(&clauses_of(clauses)?).map(Selection).map_err(from_core)
    }
}

pub(crate) fn clauses_of(clauses: Vec<FilterClause>) -> Result<Vec<Clause>> {
    clauses.into_iter().map(clause_of).collect()
}

fn clause_of(clause: FilterClause) -> Result<Clause> {
    let translate = clause.translate == Some(true);
    let terms = clause.terms.unwrap_or_default();
    let any_form = clause.any_form == Some(true);
    let test = match clause.test.as_str() {
        "exact" if any_form => Test::ExactInAnyForm(terms),
        "prefix" if any_form => Test::PrefixInAnyForm(terms),
        "contains" if any_form => Test::ContainsInAnyForm(terms),
        "exact" => Test::Exact(terms),
        "prefix" => Test::Prefix(terms),
        "contains" => Test::Contains(terms),
        "holds" => Test::Holds(concepts_of(&terms, translate)?),
        "lacks" => Test::Lacks(concepts_of(&terms, translate)?),
        "none" => Test::None(terms),
        "days" => Test::Days { from: clause.from, to: clause.to },
        other => return Err(coded("invalid_request", format!("unknown filter test {other}"))),
    };
    Ok(Clause { column: clause.column, or: clause.or.unwrap_or_default(), test })
}
