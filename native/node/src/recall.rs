//! Recall of live searches: compares some of them with an exact scan, in the background.

use crate::background::{in_background, Niceness};
use crate::errors::{caught, coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::filter::Clause;
use priorart_core::search::{search, Request, Scan, Snapshot as Core};
use priorart_core::shown::ShownScore;
use std::sync::atomic::{AtomicBool, Ordering};

/// One check at a time in this process, over all workers.
static BUSY: AtomicBool = AtomicBool::new(false);

pub struct CheckRecall {
    pub snapshot: Core,
    pub query: Vec<f32>,
    pub clauses: Vec<Clause>,
    pub dedupe: bool,
    pub shown: Option<ShownScore>,
    /// Scores of the best documents found.
    pub found: Vec<f32>,
    /// Number of the best documents that are compared.
    pub places: usize,
    /// A check is skipped if the filter allows more passages than this.
    pub most_passages: usize,
}

/// What a recall check counted.
#[napi(object)]
pub struct CheckedRecall {
    /// Number of the exact best documents.
    pub wanted: u32,
    /// Number of those that the search found.
    pub found: u32,
}

#[napi]
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
                    return Err(coded("model_mismatch", "query and index are of different dimensions"));
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

/// A prepared check. It is a class of its own because a snapshot cannot be closed while a promise holds it.
#[napi]
pub struct RecallCheck(pub(crate) Option<CheckRecall>);

#[napi]
impl RecallCheck {
    /// Runs the check, once, on a background thread of the lowest priority. Resolves with null if a check of this process
    /// is running, or if more passages are allowed than `mostPassages`.
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
            by_family: false,
            shown: self.shown,
            min_score: f32::NEG_INFINITY,
        };
        let scans = vec![Scan::Exact; selected.len()];
        let truth = search(&self.snapshot, &selected, &scans, &request)?.hits;
        let Some(least) = truth.iter().map(|hit| hit.score).reduce(f32::min) else { return Ok(None) };
        // A document with the least of these scores is as good.
        let found = self.found.iter().filter(|&&score| score >= least).count().min(truth.len());
        Ok(Some(CheckedRecall { wanted: truth.len() as u32, found: found as u32 }))
    }
}
