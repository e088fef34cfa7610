//! Counts over documents: statistics of a search, and of a selection.

use crate::clauses::Selection;
use crate::errors::from_core;
use crate::snapshot::{SearchHits, SegmentScan, ShownScore, Snapshot};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::columns::NO_DAY;
use priorart_core::page::{best, page};
use priorart_core::search::{preferred, search, Hit, Request};
use priorart_core::shown::ShownScore as Shown;
use priorart_core::stats::{count_terms, count_years, days, Axis};

/// What is counted, and which page is returned.
#[napi(object)]
pub struct CountOptions {
    /// Number of the best documents that are counted at most.
    pub max_results: u32,
    /// Whether an application and its grant count as one document.
    pub dedupe: bool,
    /// With `dedupe`: whether a whole family counts as one document.
    pub family: Option<bool>,
    /// With `family`: a family is shown by its member of the first of these countries, if it has one.
    pub prefer: Option<Vec<String>>,
    /// Inner product below which documents are left out.
    pub min_score: f64,
    /// Number of hits before the page.
    pub offset: u32,
    /// Number of hits on the page at most.
    pub limit: u32,
    /// The page is ordered by the shown score: hits that show the same score are equal.
    pub shown: ShownScore,
    /// Date column whose years are counted.
    pub date_column: String,
    /// What is counted.
    #[napi(ts_type = "('year' | 'country' | 'applicant' | 'ipc')[]")]
    pub axes: Vec<String>,
    /// Number of applicants, and of IPC subclasses, at most.
    pub top: u32,
}

/// A term and the number of documents with it.
#[napi(object)]
pub struct NamedCount {
    pub name: String,
    pub count: u32,
}

/// Statistics by the axes that were asked for, and a page of the hits.
#[napi(object)]
pub struct Counts {
    /// Number of documents counted.
    pub total: u32,
    pub year: Option<Vec<NamedCount>>,
    pub country: Option<Vec<NamedCount>>,
    pub applicant: Option<Vec<NamedCount>>,
    pub ipc: Option<Vec<NamedCount>>,
    pub page: SearchHits,
}

#[napi]
impl Snapshot {
    /// Number of documents of a selection with each term of a keyword column, most frequent first.
    #[napi(catch_unwind)]
    pub fn tally(&self, selection: &Selection, column: String) -> Result<Vec<NamedCount>> {
        let counted = count_terms(&self.0, &self.0.all_of(&selection.0), &column, Axis::Term, usize::MAX)
            .map_err(from_core)?;
        Ok(counted.into_iter().map(|(_, name, count)| NamedCount { name, count }).collect())
    }

    /// First and last day, since 1970-01-01, of a selection in a date column; empty if no document has a date.
    #[napi(catch_unwind)]
    pub fn extent(&self, selection: &Selection, column: String) -> Result<Vec<i32>> {
        let days = days(&self.0, &self.0.all_of(&selection.0), &column).map_err(from_core)?;
        let known = || days.iter().copied().filter(|&day| day != NO_DAY);
        Ok(known().min().into_iter().chain(known().max()).collect())
    }

    /// Statistics over all documents at or above a threshold, and one page of them: by shown score, then by publication
    /// date (newest first), then by patent_id.
    #[napi(catch_unwind)]
    pub fn count(
        &self,
        query: Float32Array,
        selection: &Selection,
        scans: Vec<SegmentScan>,
        options: CountOptions,
    ) -> Result<Counts> {
        let shown = Shown::from(&options.shown);
        let request = |documents: usize| Request {
            query: &query,
            documents,
            chunks: 1,
            dedupe: options.dedupe,
            by_family: options.family == Some(true),
            shown: Some(shown),
            min_score: options.min_score as f32,
        };
        let wanted = options.max_results as usize;
        let scans = self.scans(selection, &scans, query.len())?;
        let run = |documents| search(&self.0, &selection.0, &scans, &request(documents));
        let mut outcome = best(&self.0, &shown, wanted, run).map_err(from_core)?;
        let mut all = std::mem::take(&mut outcome.hits);
        if let Some(countries) = &options.prefer {
            self.show_preferred(selection, &request(wanted), countries, &mut all)?;
            // Equal scores are ordered by what is shown.
            all = page(&self.0, &all, &shown, 0, wanted).map_err(from_core)?;
        }
        let wants = |axis: &str| options.axes.iter().any(|a| a == axis);
        let terms = |axis: &str, column: &str, kind: Axis, top: usize| -> Result<Option<Vec<NamedCount>>> {
            if !wants(axis) {
                return Ok(None);
            }
            let counted = count_terms(&self.0, &all, column, kind, top).map_err(from_core)?;
            Ok(Some(counted.into_iter().map(|(_, name, count)| NamedCount { name, count }).collect()))
        };
        let top = options.top as usize;
        let year = match wants("year") {
            true => Some(count_years(&self.0, &all, &options.date_column).map_err(from_core)?),
            false => None,
        };
        let named = |(year, count): (i64, u32)| NamedCount { name: year.to_string(), count };
        let year = year.map(|counts| counts.into_iter().map(named).collect());
        let country = terms("country", "country", Axis::Term, usize::MAX)?;
        let applicant = terms("applicant", "applicant", Axis::Term, top)?;
        let ipc = terms("ipc", "ipc", Axis::Prefix(4), top)?;
        let from = all.len().min(options.offset as usize);
        let to = all.len().min(from + options.limit as usize);
        let page = self.hits(&outcome, &all[from..to], &request(wanted));
        Ok(Counts { total: all.len() as u32, year, country, applicant, ipc, page })
    }
}

impl Snapshot {
    /// Replaces each hit by the member of its family that is of the first of some countries. The scores stay those of the
    /// best members.
    fn show_preferred(
        &self,
        selection: &Selection,
        request: &Request,
        countries: &[String],
        hits: &mut [Hit],
    ) -> Result<()> {
        for hit in hits {
            let own = (hit.segment as usize, hit.ordinal as usize);
            if let Some(other) =
                preferred(&self.0, &selection.0, request, countries, own).map_err(from_core)?
            {
                *hit = other.with_score_of(hit);
            }
        }
        Ok(())
    }
}
