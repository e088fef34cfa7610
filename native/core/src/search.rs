//! The best documents of several segments. Candidates come from an exact scan, from sketches or from
//! a segment's approximate index. Then the passages of a candidate are scored exactly: all of them, or
//! those that its sketch proposes. Passages are grouped by document, and an application and its grant
//! become one result.

mod approximate;
mod best;
mod bounds;
mod documents;
mod group;
mod passages;
mod probe;
mod sample;
mod words;

use crate::bitmap::Bitmap;
use crate::filter::{count_rows, matching, Clause};
use crate::segment::{Effort, Facts, Segment};
use crate::shown::ShownScore;
use crate::{vectors, Error, Result};
use best::{Best, Mixed};
pub use bounds::Deviations;
pub use group::{members, preferred};
#[cfg(test)]
use passages::ranked;
use passages::{all_passages, score_passages};
pub use passages::{Passages, Passing};
pub use sample::{sample, sample_above};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;
pub use words::beside;

/// The searched state: open segments, and the documents deleted from each since it was written.
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
                segment.verify_facts()?;
                let docs = matching(segment, clauses, deleted)?;
                Ok(Selected { doc_count: docs.count(), row_count: count_rows(segment, &docs), docs })
            })
            .collect()
    }

    /// All selected documents, unordered, for counts over a selection.
    pub fn all_of(&self, selected: &[Selected]) -> Vec<Hit> {
        let of = |(n, part): (usize, &Selected)| {
            let hit =
                move |ordinal: usize| Hit { segment: n as u32, ordinal: ordinal as u32, ..Hit::UNSCORED };
            part.docs.iter().map(hit).collect::<Vec<_>>()
        };
        selected.iter().enumerate().flat_map(of).collect()
    }
}

/// How a segment is searched. The planner decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scan {
    /// Scores every allowed row.
    Exact,
    /// Visits documents in the order of bounds on their scores, which the segment's sketches give.
    /// Segments are searched together, with the greatest numbers of any of them.
    Documents(Deviations),
    /// Asks the approximate index for `k` rows, and for more if they are not enough. An index with
    /// codes is asked for all rows of its nearest lists. If the index cannot serve the filter,
    /// every allowed row is scored.
    Ann { k: usize, effort: Effort },
    /// Estimates every row by the codes of the index, and scores the rows that may be among the
    /// best.
    Codes,
}

/// To judge a filter, the query's neighbours are sampled: the number of allowed rows expected among
/// them, and the most neighbours.
const SAMPLE_ALLOWED: f64 = 32.0;
const SAMPLE_MOST: usize = 1024;
/// A filter is anticorrelated with the query if it allows less than this part of the neighbours
/// expected from its share of all rows.
const SHUNNED: f64 = 0.5;

/// Documents ahead whose first rows are prefetched by an exact scan.
const DOCUMENTS_AHEAD: usize = 4;

pub struct Request<'a> {
    /// One vector of the segments' dimensions, L2-normalised.
    pub query: &'a [f32],
    /// Documents wanted after deduplication.
    pub documents: usize,
    /// Passages returned with each, best first.
    pub chunks: usize,
    /// One result for an application and its grant.
    pub dedupe: bool,
    /// With `dedupe`: one result for a whole family.
    pub by_family: bool,
    /// How scores are shown: documents with equal shown scores are then equal. `None` compares exact
    /// scores.
    pub shown: Option<ShownScore>,
    /// Documents whose best inner product is below this are omitted.
    pub min_score: f32,
}

impl Request<'_> {
    /// The number by which a document is ordered.
    fn rank(&self, score: f32) -> f64 {
        self.shown.map_or(score as f64, |shown| shown.rank(score))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub segment: u32,
    pub ordinal: u32,
    /// Best inner product of the document's passages, and the number of that passage.
    pub score: f32,
    pub passage: u32,
    /// The rank of the score, by which hits are ordered.
    pub(crate) rank: f64,
    key: u64,
    /// Key shared by an application and its grant; 0 if there is none, or it is not needed.
    application: u64,
}

impl Hit {
    const UNSCORED: Hit =
        Hit { segment: 0, ordinal: 0, score: 0.0, passage: 0, rank: 0.0, key: 0, application: 0 };
}

impl Hit {
    fn of(facts: &Facts, n: usize, ordinal: usize, score: f32, passage: u32, request: &Request) -> Self {
        let last = !facts.is_grant(ordinal) as u64;
        let key = last << 63 | facts.doc_key[ordinal] >> 1;
        let application = if request.dedupe { facts.application[ordinal] } else { 0 };
        let rank = request.rank(score);
        Hit { segment: n as u32, ordinal: ordinal as u32, score, passage, rank, key, application }
    }

    /// The same document with the score of another, by which it is ordered.
    pub fn with_score_of(self, other: &Hit) -> Hit {
        Hit { score: other.score, rank: other.rank, ..self }
    }

    /// Segment and ordinal in one number, as a key.
    fn document(&self) -> u64 {
        (self.segment as u64) << 32 | self.ordinal as u64
    }
}

/// Greater is better: higher rank, then the smaller key. The key puts grants before others, since
/// a grant wins a tie with its application. The rest of it is a hash of the patent_id, so that ties
/// do not depend on the order of ingestion.
impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.total_cmp(&other.rank).then(other.key.cmp(&self.key))
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
    /// Documents that were visited by their sketches.
    pub visited: usize,
    /// Rows that approximate indexes proposed or estimated.
    pub candidates: usize,
    /// Number of times that an index was asked for more candidates.
    pub widened: usize,
    /// Segments that were scanned as a whole although their index was planned.
    pub rescanned: usize,
    /// The best passages of hits that were found by some of their passages, by segment and ordinal,
    /// if several are wanted.
    passages: HashMap<u64, Passages, BuildHasherDefault<Mixed>>,
    /// A row that had to be scored is damaged. The search then fails.
    damage: Option<Error>,
}

/// Searches with one `Scan` for each segment.
pub fn search(
    snapshot: &Snapshot,
    selected: &[Selected],
    scans: &[Scan],
    request: &Request,
) -> Result<Outcome> {
    check_query(request.query)?;
    let mut outcome = Outcome::default();
    if request.documents == 0 {
        return Ok(outcome);
    }
    let mut best = Best::new(request);
    // Exact scans come first: the better the known hits, the fewer estimated rows need scoring.
    let searched = || (0..scans.len()).filter(|&n| selected[n].doc_count > 0);
    let deviations = |n: usize| match scans[n] {
        Scan::Documents(deviations) => Some(deviations),
        _ => None,
    };
    let (exact, estimated): (Vec<usize>, Vec<usize>) =
        searched().filter(|&n| deviations(n).is_none()).partition(|&n| scans[n] == Scan::Exact);
    for n in exact.into_iter().chain(estimated) {
        let (segment, selected) = (&snapshot.segments[n].0, &selected[n]);
        let mut facts = segment.facts();
        if request.by_family {
            facts.application = segment.family()?;
        }
        let mut part = Part { n, segment, facts, selected, request, outcome: &mut outcome, best: &mut best };
        match scans[n] {
            Scan::Exact => part.exact(),
            Scan::Ann { k, effort } => part.approximate(k, effort)?,
            Scan::Codes => part.codes()?,
            Scan::Documents(_) => unreachable!("searched below, together"),
        }
    }
    let mut probe = None;
    let sketched: Vec<usize> = searched().filter(|&n| deviations(n).is_some()).collect();
    if let Some(most) = sketched.iter().filter_map(|&n| deviations(n)).reduce(Deviations::max) {
        let searched =
            documents::documents(snapshot, selected, &sketched, most, request, &mut outcome, &mut best)?;
        probe = Some(searched).filter(|_| request.chunks > 1);
    }
    let by_codes =
        |n: usize| matches!(scans[n], Scan::Ann { .. } | Scan::Codes) && has_codes(&snapshot.segments[n].0);
    if probe.is_some() || (0..scans.len()).any(by_codes) {
        let passages = |hit: &Hit| {
            let segment = &*snapshot.segments[hit.segment as usize].0;
            match &probe {
                Some(probe) if deviations(hit.segment as usize).is_some() => {
                    let known = Some((hit.passage, hit.score));
                    Some(documents::best_passages(segment, probe, hit.ordinal as usize, known, request))
                }
                _ if by_codes(hit.segment as usize) => {
                    Some(all_passages(segment, hit.ordinal as usize, request))
                }
                _ => None,
            }
        };
        score_passages(snapshot, passages, request, &mut outcome, &mut best);
    }
    if let Some(damage) = outcome.damage.take() {
        return Err(damage);
    }
    outcome.hits = best.finish();
    Ok(outcome)
}

/// Refuses NaN and infinity: such scores could not be compared.
fn check_query(query: &[f32]) -> Result<()> {
    match query.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(Error::Invalid("the query's vector holds NaN or infinity".into())),
    }
}

fn has_codes(segment: &Segment) -> bool {
    segment.ann.as_ref().is_some_and(|ann| ann.codes().is_some())
}

/// The search of one segment.
struct Part<'a> {
    n: usize,
    segment: &'a Segment,
    facts: Facts<'a>,
    selected: &'a Selected,
    request: &'a Request<'a>,
    outcome: &'a mut Outcome,
    best: &'a mut Best,
}

impl Part<'_> {
    /// Scores every allowed row.
    fn exact(&mut self) {
        let selected = self.selected;
        let mut ahead = selected.docs.iter();
        let soon = ahead.by_ref().take(DOCUMENTS_AHEAD).collect::<Vec<_>>();
        soon.into_iter().for_each(|ordinal| self.prefetch_beginning(ordinal));
        for ordinal in selected.docs.iter() {
            if let Some(soon) = ahead.next() {
                self.prefetch_beginning(soon);
            }
            self.score_document(ordinal, None);
        }
    }

    /// Prefetches the first row of a document. The processor sees the others coming.
    fn prefetch_beginning(&self, ordinal: usize) {
        if let Some(first) = self.facts.rows_of(ordinal).next() {
            vectors::prefetch(self.facts.rows(first..first + 1));
        }
    }

    /// Scores every allowed row that has not been scored yet.
    fn exact_but(&mut self, scored: &Bitmap) {
        let selected = self.selected;
        for ordinal in selected.docs.iter().filter(|&ordinal| !scored.contains(ordinal)) {
            self.score_document(ordinal, None);
        }
    }

    /// Prefetches the rows for `score_document`.
    fn prefetch_document(&self, ordinal: usize, among: Option<(&[u16], u16)>) {
        let rows = self.facts.rows_of(ordinal);
        let first = rows.start;
        for (n, row) in self.facts.rows(rows).chunks_exact(self.facts.dimensions).enumerate() {
            if among.is_none_or(|(estimates, least)| estimates[first + n] >= least) {
                vectors::prefetch(row);
            }
        }
    }

    /// Returns the document's score, and keeps the document if it reaches the threshold. With
    /// estimates of all rows and a minimum, only rows whose estimate reaches the minimum are
    /// scored.
    fn score_document(&mut self, ordinal: usize, among: Option<(&[u16], u16)>) -> f32 {
        let (facts, query) = (self.facts, self.request.query);
        let rows = facts.rows_of(ordinal);
        let first = rows.start;
        if let Err(damage) = self.segment.verify_rows(rows.clone()) {
            self.outcome.damage = Some(damage);
            return f32::NEG_INFINITY;
        }
        let (mut score, mut passage) = (f32::NEG_INFINITY, 0);
        for (n, row) in facts.rows(rows).chunks_exact(facts.dimensions).enumerate() {
            if among.is_some_and(|(estimates, least)| estimates[first + n] < least) {
                continue;
            }
            self.outcome.rows_scored += 1;
            let found = vectors::dot(query, row);
            if found > score {
                (score, passage) = (found, n as u32);
            }
        }
        if score >= self.best.least() {
            self.best.push(self.hit(ordinal, score, passage));
        }
        score
    }

    fn hit(&self, ordinal: usize, score: f32, passage: u32) -> Hit {
        Hit::of(&self.facts, self.n, ordinal, score, passage, self.request)
    }
}

#[cfg(test)]
mod tests;
