//! The best passages of the documents that a search found.

use super::best::Best;
use super::documents::prefetch_document;
use super::{documents, Hit, Outcome, Request, Snapshot};
use crate::segment::Segment;
use crate::sketch::Probe;
use crate::{vectors, Result};
use std::borrow::Cow;
use std::ops::Range;

/// Number of hits ahead for which `prefetch_document` is called.
const HITS_AHEAD: usize = 2;

/// Passages of a document, best first: number within the document, inner product.
pub type Passages = Vec<(u32, f32)>;

impl Outcome {
    /// The best `request.chunks` passages of a hit.
    pub fn best_passages(&self, snapshot: &Snapshot, hit: &Hit, request: &Request) -> Cow<'_, [(u32, f32)]> {
        match self.passages.get(&hit.document()) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(best_passages(snapshot, hit, request.query, request.chunks)),
        }
    }

    /// Keeps the best passages of a hit.
    pub(super) fn keep_passages(&mut self, hit: &Hit, passages: Passages) {
        self.passages.insert(hit.document(), passages);
    }
}

/// Scores the passages of documents that were found by some of them. The shown score is that of the
/// best passage. `passages` returns the best passages and how many were scored; `None` if the hit's
/// score is final.
pub(super) fn score_passages(
    snapshot: &Snapshot,
    passages: impl Fn(&Hit) -> Option<Result<(Passages, usize)>>,
    request: &Request,
    outcome: &mut Outcome,
    best: &mut Best,
) {
    best.rescore(HITS_AHEAD, |hit, soon| {
        if let Some(soon) = soon {
            prefetch_document(&snapshot.segments[soon.segment as usize].0, soon.ordinal as usize);
        }
        let (best, scored) = match passages(hit) {
            Some(Ok(found)) => found,
            Some(Err(damage)) => {
                outcome.damage = Some(damage);
                return;
            }
            None => return,
        };
        outcome.rows_scored += scored;
        if let Some(&(passage, score)) = best.first() {
            (hit.score, hit.passage) = (score, passage);
        }
        if request.chunks > 1 {
            outcome.keep_passages(hit, best);
        }
        hit.rank = request.rank(hit.score);
    });
}

/// The best passages of documents that a search found, best first. If not `exact`, only those passages of a
/// document are scored that its sketch proposes.
pub struct Passing<'a> {
    snapshot: &'a Snapshot,
    request: &'a Request<'a>,
    exact: bool,
    /// The query as sketches take it, from the first document that has one.
    probe: Option<Probe>,
    /// Number of passages that were scored.
    pub rows_scored: usize,
}

impl<'a> Passing<'a> {
    /// At most `request.chunks` passages of each document.
    pub fn new(snapshot: &'a Snapshot, request: &'a Request, exact: bool) -> Self {
        Passing { snapshot, request, exact, probe: None, rows_scored: 0 }
    }

    /// Prefetches what `of` reads first of a document.
    pub fn prefetch(&self, (segment, ordinal): (usize, usize)) {
        prefetch_document(&self.snapshot.segments[segment].0, ordinal);
    }

    /// The best passages of a document. `known` is one of its passages with its score, if a search found it by
    /// that passage.
    ///
    /// # Errors
    /// If a vector or a sketch is damaged.
    pub fn of(&mut self, (n, ordinal): (usize, usize), known: Option<(u32, f32)>) -> Result<Passages> {
        let (segment, request) = (&*self.snapshot.segments[n].0, self.request);
        let (passages, rows) = if !self.exact && segment.sketches().is_some() {
            let probe = self.probe.get_or_insert_with(|| Probe::new(request.query));
            documents::best_passages(segment, probe, ordinal, known, request)?
        } else {
            all_passages(segment, ordinal, request)?
        };
        self.rows_scored += rows;
        Ok(passages)
    }
}

/// The best passages of a document, and how many were scored: all.
pub(super) fn all_passages(
    segment: &Segment,
    ordinal: usize,
    request: &Request,
) -> Result<(Passages, usize)> {
    let rows = segment.rows_of(ordinal);
    segment.verify_rows(rows.clone())?;
    Ok((ranked(segment, rows.clone(), request.query, request.chunks.max(1)), rows.len()))
}

/// The best passages of a hit: (number within the document, inner product), best first.
fn best_passages(snapshot: &Snapshot, hit: &Hit, query: &[f32], count: usize) -> Passages {
    if count == 1 {
        return vec![(hit.passage, hit.score)];
    }
    let segment = &snapshot.segments[hit.segment as usize].0;
    ranked(segment, segment.rows_of(hit.ordinal as usize), query, count)
}

/// The best rows of a document.
pub(super) fn ranked(segment: &Segment, rows: Range<usize>, query: &[f32], count: usize) -> Passages {
    let rows = segment.rows(rows).chunks_exact(segment.dimensions());
    let scores = rows.zip(0..).map(|(row, n)| (n, vectors::dot(query, row)));
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count == 1 {
        return scores.min_by(order).into_iter().collect();
    }
    let mut scored: Passages = scores.collect();
    if count < scored.len() {
        scored.select_nth_unstable_by(count, order);
        scored.truncate(count);
    }
    scored.sort_unstable_by(order);
    scored
}
