//! Measures the recall of live searches: compares a sample of them with an exact scan, in the
//! background.

use crate::background::{in_background, Niceness};
use crate::errors::{caught, coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::filter::Clause;
use priorart_core::search::{search, Request, Scan, Snapshot as Core};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a check is running. This process runs one at a time, for all workers.
static BUSY: AtomicBool = AtomicBool::new(false);

pub struct CheckRecall {
    pub snapshot: Core,
    pub query: Vec<f32>,
    pub clauses: Vec<Clause>,
    pub dedupe: bool,
    /// Scores of the best documents found.
    pub found: Vec<f32>,
    /// Number of best documents that are compared.
    pub places: usize,
    /// A check is skipped if the filter allows more passages than this.
    pub most_passages: usize,
}

#[napi(object)]
pub struct CheckedRecall {
    /// Number of the best documents, and how many of them were found.
    pub wanted: u32,
    pub found: u32,
}

/// A check that can be run once. Separate from the snapshot, because an object with a pending
/// promise cannot be closed.
#[napi]
pub struct RecallCheck(pub(crate) Option<CheckRecall>);

#[napi]
impl RecallCheck {
    /// Null if another check of this process is running, or the filter allows too many passages.
    #[napi]
    pub fn run(&mut self) -> Result<AsyncTask<CheckRecall>> {
        self.0.take().map(AsyncTask::new).ok_or_else(|| coded("internal", "a check can be run only once"))
    }
}

impl CheckRecall {
    fn check(&self) -> priorart_core::Result<Option<CheckedRecall>> {
        let selected = self.snapshot.select(&self.clauses)?;
        if selected.iter().map(|part| part.row_count).sum::<usize>() > self.most_passages {
            return Ok(None);
        }
        let request = Request {
            query: &self.query,
            documents: self.places,
            chunks: 1,
            dedupe: self.dedupe,
            min_score: f32::NEG_INFINITY,
        };
        let scans = vec![Scan::Exact; selected.len()];
        let truth = search(&self.snapshot, &selected, &scans, &request)?.hits;
        let Some(last) = truth.last() else { return Ok(None) };
        // A document with the score of the last one is as good.
        let found = self.found.iter().filter(|&&score| score >= last.score).count().min(truth.len());
        Ok(Some(CheckedRecall { wanted: truth.len() as u32, found: found as u32 }))
    }
}

impl Task for CheckRecall {
    type Output = Option<CheckedRecall>;
    type JsValue = Option<CheckedRecall>;

    fn compute(&mut self) -> Result<Self::Output> {
        if BUSY.swap(true, Ordering::Acquire) {
            return Ok(None);
        }
        let checked = caught(|| {
            if let Some((segment, _)) = self.snapshot.segments.first() {
                if segment.dimensions() != self.query.len() {
                    return Err(coded("model_mismatch", "query and index have different dimensions"));
                }
            }
            let this = &*self;
            in_background(Niceness::Idle, || this.check().map_err(from_core))
        });
        BUSY.store(false, Ordering::Release);
        checked
    }

    fn resolve(&mut self, _: Env, checked: Self::Output) -> Result<Self::JsValue> {
        Ok(checked)
    }
}
