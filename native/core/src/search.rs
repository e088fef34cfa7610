//! The best documents of several segments: candidates by an exact scan or by the segment's approximate
//! index, then exact scores of every passage of a candidate, grouping, and one result for an application
//! and its grant.

use crate::bitmap::Bitmap;
use crate::filter::{count_rows, matching, rows_of, Clause};
use crate::segment::{Effort, Segment};
use crate::{vectors, Result};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

/// What a reader searches: open segments and what has been deleted from each since it was written.
pub struct Snapshot {
    pub segments: Vec<(Arc<Segment>, Bitmap)>,
}

/// The documents of one segment that a filter allows.
pub struct Selected {
    pub docs: Bitmap,
    pub doc_count: usize,
    pub row_count: usize,
}

impl Snapshot {
    pub fn select(&self, clauses: &[Clause]) -> Result<Vec<Selected>> {
        self.segments
            .iter()
            .map(|(segment, deleted)| {
                let docs = matching(segment, clauses, deleted)?;
                Ok(Selected { doc_count: docs.count(), row_count: count_rows(segment, &docs), docs })
            })
            .collect()
    }

    /// Every selected document, in no order of merit: what counts over a whole selection take.
    pub fn all_of(&self, selected: &[Selected]) -> Vec<Hit> {
        let of = |(n, part): (usize, &Selected)| {
            let hit =
                move |ordinal: usize| Hit { segment: n as u32, ordinal: ordinal as u32, score: 0.0, key: 0 };
            part.docs.iter().map(hit).collect::<Vec<_>>()
        };
        selected.iter().enumerate().flat_map(of).collect()
    }
}

/// How one segment is searched; the planner decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scan {
    /// Scores every allowed row.
    Exact,
    /// Asks the approximate index for `k` rows, widening where they hold too few documents. Where the index
    /// can not serve the filter, every allowed row is scored after all.
    Ann { k: usize, effort: Effort },
}

/// Allowed rows expected among the query's neighbours that are looked at to judge a filter, and the most
/// neighbours looked at.
const SAMPLE_ALLOWED: f64 = 32.0;
const SAMPLE_MOST: usize = 1024;
/// A filter that allows less than this part of what its share of all rows lets expect, shuns the query.
const SHUNNED: f64 = 0.5;
/// A filter that allows more than this share of all rows can hardly shun anything.
const NEARLY_ALL: f64 = 0.9;
/// An index has been asked far enough when this part of its documents lies below the threshold: its own
/// scores are estimates, so a few come too early.
const BELOW_THRESHOLD: f64 = 0.1;
/// A graph that has been walked with this many times `k` candidates has shown what it can find.
const GRAPH_PATIENCE: usize = 4;

pub struct Request<'a> {
    /// One vector of the segments' dimensions, L2-normalised.
    pub query: &'a [f32],
    /// Documents wanted after deduplication.
    pub documents: usize,
    /// Passages returned with each, best first.
    pub chunks: usize,
    /// One result for an application and its grant.
    pub dedupe: bool,
    /// Documents whose best inner product is below this are left out.
    pub min_score: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub segment: u32,
    pub ordinal: u32,
    /// Best inner product of the document's passages.
    pub score: f32,
    key: u64,
}

/// Greater is better: higher score, then the smaller key. The key holds grants before others, since a grant
/// wins a tie with its application, and then a hash of the patent_id, so that equal scores fall the same way
/// however the documents came in.
impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.key.cmp(&self.key))
    }
}
impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Hit {}

#[derive(Debug, Default)]
pub struct Outcome {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Rows whose exact score was computed.
    pub rows_scored: usize,
    /// Rows that approximate indexes proposed.
    pub candidates: usize,
    /// How often a stage had to be repeated with more candidates.
    pub widened: usize,
    /// Segments that were scanned exactly though an index was planned.
    pub rescanned: usize,
    /// Documents at or above min_score that were seen, before deduplication.
    pub documents_seen: usize,
}

/// The best `keep` of what is pushed.
struct Best {
    heap: BinaryHeap<Reverse<Hit>>,
    keep: usize,
    overflowed: bool,
}

impl Best {
    fn new(keep: usize) -> Self {
        Best { heap: BinaryHeap::with_capacity(keep.min(1 << 16) + 1), keep, overflowed: false }
    }

    fn push(&mut self, hit: Hit) {
        if self.heap.len() < self.keep {
            self.heap.push(Reverse(hit));
            return;
        }
        self.overflowed = true;
        if let Some(mut worst) = self.heap.peek_mut() {
            if hit > worst.0 {
                *worst = Reverse(hit);
            }
        }
    }
}

/// Searches with one `Scan` a segment.
pub fn search(
    snapshot: &Snapshot,
    selected: &[Selected],
    scans: &[Scan],
    request: &Request,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    if request.documents == 0 {
        return Ok(outcome);
    }
    let mut wanted = request.documents;
    loop {
        // Most applications have at most one grant: twice the documents is nearly always enough.
        let mut best = Best::new(if request.dedupe { wanted * 2 } else { wanted });
        outcome.documents_seen = 0;
        let mut more = false;
        for (n, ((segment, _), selected)) in snapshot.segments.iter().zip(selected).enumerate() {
            if selected.doc_count == 0 {
                continue;
            }
            let mut part = Part { n, segment, selected, request, outcome: &mut outcome, best: &mut best };
            match scans[n] {
                Scan::Exact => part.exact(),
                Scan::Ann { k, effort } => more |= part.approximate(k, effort, wanted)?,
            }
        }
        more |= best.overflowed;
        let mut hits: Vec<Hit> = best.heap.into_iter().map(|r| r.0).collect();
        hits.sort_unstable_by(|a, b| b.cmp(a));
        if request.dedupe {
            hits = one_an_application(snapshot, hits);
        }
        if hits.len() < request.documents && more {
            wanted *= 2;
            outcome.widened += 1;
            continue;
        }
        hits.truncate(request.documents);
        outcome.hits = hits;
        return Ok(outcome);
    }
}

/// One segment's part of a search.
struct Part<'a> {
    n: usize,
    segment: &'a Segment,
    selected: &'a Selected,
    request: &'a Request<'a>,
    outcome: &'a mut Outcome,
    best: &'a mut Best,
}

impl Part<'_> {
    fn exact(&mut self) {
        let selected = self.selected;
        for ordinal in selected.docs.iter() {
            self.score_document(ordinal);
        }
    }

    /// Returns whether the document reaches the threshold.
    fn score_document(&mut self, ordinal: usize) -> bool {
        let rows = self.segment.rows_of(ordinal);
        self.outcome.rows_scored += rows.len();
        let score = best_row(self.segment, rows, self.request.query);
        if score < self.request.min_score {
            return false;
        }
        self.outcome.documents_seen += 1;
        let last = !self.segment.is_grant(ordinal) as u64;
        let key = last << 63 | self.segment.doc_key()[ordinal] >> 1;
        self.best.push(Hit { segment: self.n as u32, ordinal: ordinal as u32, score, key });
        true
    }

    /// Returns whether asking for more could bring further documents.
    fn approximate(&mut self, k: usize, effort: Effort, wanted: usize) -> Result<bool> {
        let ann = self.segment.ann.as_ref().expect("the planner saw an index");
        let allowed = self.selected.row_count;
        let filter = (allowed < self.segment.passages()).then(|| rows_of(self.segment, &self.selected.docs));
        if filter.as_ref().map_or(Ok(false), |filter| self.shuns(filter, effort))? {
            return Ok(self.exact_after_all());
        }
        let wanted = wanted.min(self.selected.doc_count);
        let (mut k, mut effort) = (k.max(wanted).min(allowed), effort);
        loop {
            let rows = ann.candidates(self.request.query, k, filter.as_ref(), effort)?;
            self.outcome.candidates += rows.len();
            let mut ordinals: Vec<usize> = rows.iter().map(|&row| self.segment.ordinal_of_row(row)).collect();
            ordinals.sort_unstable();
            ordinals.dedup();
            let enough = self.results_of(&ordinals) >= wanted;
            let exhausted = rows.len() < k;
            if !enough && exhausted && ann.lists() == 0 && effort.ef_search >= k * GRAPH_PATIENCE {
                return Ok(self.exact_after_all());
            }
            let more_rows = !exhausted && k < allowed;
            let more_effort = exhausted && (ann.lists() == 0 || effort.nprobe < ann.lists());
            if !enough && (more_rows || more_effort) {
                self.outcome.widened += 1;
                if more_rows {
                    k = (k * 2).min(allowed);
                } else {
                    effort = Effort { nprobe: effort.nprobe * 2, ef_search: effort.ef_search.max(k) * 2 };
                }
                continue;
            }
            let found = ordinals.len();
            let mut below = 0;
            for ordinal in ordinals {
                // An index that was built for other rows must not bring in what the filter forbids.
                if self.selected.docs.contains(ordinal) && !self.score_document(ordinal) {
                    below += 1;
                }
            }
            let at_the_threshold = below as f64 > found as f64 * BELOW_THRESHOLD;
            return Ok(found < self.selected.doc_count && (more_rows || more_effort) && !at_the_threshold);
        }
    }

    /// Whether the filter allows far fewer of the query's neighbours than of the other rows (a country whose
    /// documents are in another language than the query, say). The best of the allowed rows then lie where the
    /// index does not look: it would find enough, and the wrong ones.
    fn shuns(&self, filter: &Bitmap, effort: Effort) -> Result<bool> {
        let ann = self.segment.ann.as_ref().expect("the planner saw an index");
        let share = self.selected.row_count as f64 / self.segment.passages() as f64;
        if share > NEARLY_ALL {
            return Ok(false);
        }
        let sample = ((SAMPLE_ALLOWED / share).ceil() as usize).min(SAMPLE_MOST).min(self.segment.passages());
        let effort = Effort { nprobe: effort.nprobe.div_ceil(2), ef_search: sample };
        let rows = ann.candidates(self.request.query, sample, None, effort)?;
        let allowed = rows.iter().filter(|&&row| filter.contains(row as usize)).count();
        Ok((allowed as f64) < rows.len() as f64 * share * SHUNNED)
    }

    /// Scores every allowed row; nothing is left to ask for then.
    fn exact_after_all(&mut self) -> bool {
        self.outcome.rescanned += 1;
        self.exact();
        false
    }

    /// How many results some documents make: an application and its grant may be one.
    fn results_of(&self, ordinals: &[usize]) -> usize {
        if !self.request.dedupe {
            return ordinals.len();
        }
        let applications = self.segment.application();
        let linked: HashSet<u64> = ordinals.iter().map(|&o| applications[o]).filter(|&a| a != 0).collect();
        linked.len() + ordinals.iter().filter(|&&o| applications[o] == 0).count()
    }
}

fn best_row(segment: &Segment, rows: std::ops::Range<usize>, query: &[f32]) -> f32 {
    segment
        .rows(rows)
        .chunks_exact(segment.dimensions())
        .map(|row| vectors::dot(query, row))
        .fold(f32::NEG_INFINITY, f32::max)
}

/// The best-scoring publication represents its application. Of equal scores the grant comes first already.
fn one_an_application(snapshot: &Snapshot, mut hits: Vec<Hit>) -> Vec<Hit> {
    let mut seen = HashSet::with_capacity(hits.len());
    hits.retain(|hit| {
        let application = snapshot.segments[hit.segment as usize].0.application()[hit.ordinal as usize];
        application == 0 || seen.insert(application)
    });
    hits
}

/// The best passages of a hit: (number within the document, inner product), best first.
pub fn best_passages(snapshot: &Snapshot, hit: &Hit, query: &[f32], count: usize) -> Vec<(u32, f32)> {
    let segment = &snapshot.segments[hit.segment as usize].0;
    let rows = segment.rows(segment.rows_of(hit.ordinal as usize));
    let mut scored: Vec<(u32, f32)> = rows
        .chunks_exact(segment.dimensions())
        .enumerate()
        .map(|(n, row)| (n as u32, vectors::dot(query, row)))
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(count);
    scored
}

#[cfg(test)]
mod tests;
