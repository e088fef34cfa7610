//! The search of one segment by its approximate index. The index gives estimates. Documents are
//! scored exactly in the order of their estimates, until no further document is likely to be among
//! the best. The error of estimates is learned from the documents scored so far, for the same query
//! and similar scores.

use super::{Part, SAMPLE_ALLOWED, SAMPLE_MOST, SHUNNED};
use crate::bitmap::Bitmap;
use crate::filter::rows_of;
use crate::segment::Effort;
use crate::Result;
use std::cell::RefCell;

/// A filter that allows at least this share of all rows is applied after the index has proposed
/// rows. Asking for more rows then costs less than testing each, and shows at once whether the
/// filter is anticorrelated with the query.
const FILTERED_AFTERWARDS: f64 = 0.5;
/// A graph is walked with at most this many times `k` candidates. Then the other rows are scanned.
const GRAPH_PATIENCE: usize = 4;
/// Documents that are scored before estimates are used, and the window of the moving averages.
const LEARNED_FROM: usize = 32;
const WINDOW: f64 = 256.0;
/// A document is skipped if it would have to score this many standard deviations above its
/// estimate.
const DEVIATIONS: f64 = 3.0;
/// A row of a document is skipped if its estimate is this many standard deviations below the best
/// estimate. Larger than `DEVIATIONS`, since both estimates have errors.
const ROW_DEVIATIONS: f64 = 3.5;

/// Documents are ranked by their best estimates if more than one in this many of the allowed
/// documents is wanted; otherwise rows are probed.
const FEW: usize = 32;

/// Number of documents ahead for which rows are prefetched.
const AHEAD: usize = 3;

/// Least standard deviation of the error that is assumed. Rows of the same text have the same
/// error, which may look like no deviation if they come first.
const DEVIATION_LEAST: f64 = 0.01;

/// Statistics of the difference between exact scores and estimates.
#[derive(Default)]
pub(super) struct Trust {
    seen: usize,
    mean: f64,
    variance: f64,
    last: Option<(f32, f32)>,
}

impl Trust {
    pub(super) fn learn(&mut self, estimate: f32, exact: f32) {
        if self.last.replace((estimate, exact)) == Some((estimate, exact)) {
            return;
        }
        self.seen += 1;
        let weight = (1.0 / self.seen as f64).max(1.0 / WINDOW);
        let off = (exact - estimate) as f64 - self.mean;
        self.mean += weight * off;
        self.variance = (1.0 - weight) * (self.variance + weight * off * off);
    }

    fn deviation(&self) -> Option<f64> {
        (self.seen >= LEARNED_FROM).then(|| self.variance.sqrt().max(DEVIATION_LEAST))
    }

    /// The greatest likely score of a document with this estimate.
    pub(super) fn at_most(&self, estimate: f32) -> f32 {
        match self.deviation() {
            Some(deviation) => (estimate as f64 + self.mean + DEVIATIONS * deviation) as f32,
            None => f32::INFINITY,
        }
    }
}

/// A document and the estimate of its best row.
#[derive(Clone, Copy)]
struct Estimated {
    ordinal: u32,
    score: f32,
}

/// Estimates of all rows from codes.
struct RowEstimates<'a> {
    scores: &'a [u16],
    step: f32,
    offset: f32,
}

thread_local! {
    /// Memory of a scan of codes, reused by this thread.
    static SCORES: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

impl Part<'_> {
    /// Asks the index for the best `k` rows, and for more until they are enough.
    pub(super) fn approximate(&mut self, k: usize, effort: Effort) -> Result<()> {
        let ann = self.segment.ann.as_ref().expect("the planner saw an index");
        if let Some(codes) = ann.codes() {
            return self.probe(codes, effort.nprobe);
        }
        let (allowed, passages) = (self.selected.row_count, self.segment.passages());
        let share = allowed as f64 / passages as f64;
        let filter = (share < FILTERED_AFTERWARDS).then(|| rows_of(self.segment, &self.selected.docs));
        if filter.as_ref().map_or(Ok(false), |filter| self.shuns(filter, effort))? {
            self.whole();
            return Ok(());
        }
        let more_for_all = if filter.is_none() { 1.0 / share } else { 1.0 };
        let wanted = self.request.documents.min(self.selected.doc_count);
        let (mut k, mut effort) = (k.max(wanted).min(allowed), effort);
        let mut scored = Bitmap::empty(self.segment.docs());
        let mut trust = Trust::default();
        loop {
            let asked = ((k as f64 * more_for_all).ceil() as usize).min(passages);
            let rows = ann.candidates(self.request.query, asked, filter.as_ref(), effort)?;
            self.outcome.candidates += rows.len();
            if trust.seen == 0 && filter.is_none() && allowed < passages && self.are_shunned(&rows, share) {
                self.whole();
                return Ok(());
            }
            let exhausted = rows.len() < asked;
            let found = self.documents_of(rows, &scored);
            if self.score_in_order(&found, &mut trust, &mut scored, None) {
                return Ok(());
            }
            let enough = self.results_of(&scored) >= wanted;
            if !enough && exhausted && ann.lists() == 0 && effort.ef_search >= k * GRAPH_PATIENCE {
                self.outcome.rescanned += 1;
                self.exact_but(&scored);
                return Ok(());
            }
            let more_rows = !exhausted && k < allowed;
            let more_effort = exhausted && !enough && (ann.lists() == 0 || effort.nprobe < ann.lists());
            if !more_rows && !more_effort {
                return Ok(());
            }
            self.outcome.widened += 1;
            if more_rows {
                k = (k * 2).min(allowed);
            } else {
                effort = Effort { nprobe: effort.nprobe * 2, ef_search: effort.ef_search.max(k) * 2 };
            }
        }
    }

    /// Scores every allowed row, if the index is of no use.
    fn whole(&mut self) {
        self.outcome.rescanned += 1;
        self.exact();
    }

    /// Estimates every row by its codes, and scores documents in the order of estimates. Works for
    /// anticorrelated filters too.
    pub(super) fn codes(&mut self) -> Result<()> {
        let ann = self.segment.ann.as_ref().expect("the planner saw an index");
        let Some(codes) = ann.codes() else {
            self.outcome.rescanned += 1;
            self.exact();
            return Ok(());
        };
        // For thousands of documents, a search by the best estimate of each document is faster; for
        // few, one by the best rows.
        if self.request.documents * FEW < self.selected.doc_count {
            return self.probe(codes, ann.lists());
        }
        SCORES.with_borrow_mut(|scores| {
            let (step, offset) = codes.scan_all(self.request.query, scores)?;
            self.outcome.candidates += self.selected.row_count;
            self.in_order_of(&RowEstimates { scores, step, offset });
            Ok(())
        })
    }

    fn in_order_of(&mut self, rows: &RowEstimates) {
        let mut documents: Vec<(u16, u32)> = Vec::with_capacity(self.selected.doc_count);
        let mut of_score = vec![0u32; 1 << 16];
        for ordinal in self.selected.docs.iter() {
            let best = rows.scores[self.facts.rows_of(ordinal)].iter().fold(0, |a, &b| a.max(b));
            of_score[best as usize] += 1;
            documents.push((best, ordinal as u32));
        }
        let mut trust = Trust::default();
        let mut scored = Bitmap::empty(self.segment.docs());
        // Sorts only the best estimates, then further batches until they are enough.
        let mut below = 1usize << 16;
        let mut batch = self.request.documents + 8 * LEARNED_FROM;
        while below > 0 {
            let (mut from, mut count) = (below, 0);
            while from > 0 && count < batch {
                from -= 1;
                count += of_score[from] as usize;
            }
            let mut next: Vec<(u16, u32)> = documents
                .iter()
                .copied()
                .filter(|&(score, _)| (from..below).contains(&(score as usize)))
                .collect();
            next.sort_unstable_by(|a, b| b.cmp(a));
            let estimated: Vec<Estimated> = next
                .iter()
                .map(|&(score, ordinal)| Estimated { ordinal, score: rows.offset + rows.step * score as f32 })
                .collect();
            if self.score_in_order(&estimated, &mut trust, &mut scored, Some(rows)) {
                return;
            }
            (below, batch) = (from, batch * 2);
        }
    }

    /// Scores documents, best estimate first. Returns whether it stopped because no document with
    /// an equal or lower estimate is likely to be among the best.
    fn score_in_order(
        &mut self,
        documents: &[Estimated],
        trust: &mut Trust,
        scored: &mut Bitmap,
        rows: Option<&RowEstimates>,
    ) -> bool {
        let among = |trust: &Trust, score: f32| {
            rows.zip(trust.deviation()).map(|(rows, deviation)| {
                let margin = (ROW_DEVIATIONS * deviation) as f32;
                (rows.scores, ((score - margin - rows.offset) / rows.step).clamp(0.0, 65_535.0) as u16)
            })
        };
        for (n, &Estimated { ordinal, score }) in documents.iter().enumerate() {
            if let Some(soon) = documents.get(n + AHEAD) {
                self.prefetch_document(soon.ordinal as usize, among(trust, soon.score));
            }
            let least = self.best.least();
            if trust.at_most(score) < least {
                return true;
            }
            scored.insert(ordinal as usize);
            let exact = self.score_document(ordinal as usize, among(trust, score));
            trust.learn(score, exact);
        }
        false
    }

    /// The allowed documents of some rows that are not scored yet, best estimate first.
    fn documents_of(&self, mut rows: Vec<(u32, f32)>, scored: &Bitmap) -> Vec<Estimated> {
        if !rows.is_sorted_by(|a, b| a.1 >= b.1) {
            rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        let mut seen = scored.clone();
        let mut documents = Vec::new();
        for (row, score) in rows {
            let ordinal = self.facts.ordinal_of_row(row);
            // A damaged or foreign index must not return documents that the filter excludes.
            if seen.contains(ordinal) || !self.selected.docs.contains(ordinal) {
                continue;
            }
            seen.insert(ordinal);
            documents.push(Estimated { ordinal: ordinal as u32, score });
        }
        documents
    }

    /// Whether the filter is anticorrelated with the query: it allows far fewer of the query's
    /// neighbours than of all rows, such as a country whose documents are in another language. The
    /// best allowed rows are then far from where the index searches: it would find enough rows, but
    /// not the best.
    fn shuns(&self, filter: &Bitmap, effort: Effort) -> Result<bool> {
        let ann = self.segment.ann.as_ref().expect("the planner saw an index");
        let share = self.selected.row_count as f64 / self.segment.passages() as f64;
        let sample = ((SAMPLE_ALLOWED / share).ceil() as usize).min(SAMPLE_MOST).min(self.segment.passages());
        let effort = Effort { nprobe: effort.nprobe.div_ceil(2), ef_search: sample };
        let rows = ann.candidates(self.request.query, sample, None, effort)?;
        let allowed = rows.iter().filter(|row| filter.contains(row.0 as usize)).count();
        Ok((allowed as f64) < rows.len() as f64 * share * SHUNNED)
    }

    /// `shuns` for rows that were proposed without the filter.
    fn are_shunned(&self, rows: &[(u32, f32)], share: f64) -> bool {
        let is_allowed = |row: u32| self.selected.docs.contains(self.facts.ordinal_of_row(row));
        let allowed = rows.iter().filter(|row| is_allowed(row.0)).count();
        (allowed as f64) < rows.len() as f64 * share * SHUNNED
    }

    /// The number of results from some documents: an application and its grant may be one.
    pub(super) fn results_of(&self, documents: &Bitmap) -> usize {
        if !self.request.dedupe {
            return documents.count();
        }
        let applications = self.facts.application;
        let mut linked: Vec<u64> = documents.iter().map(|o| applications[o]).filter(|&a| a != 0).collect();
        let alone = documents.count() - linked.len();
        linked.sort_unstable();
        linked.dedup();
        linked.len() + alone
    }
}
