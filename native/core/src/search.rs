//! The best documents of several segments. Candidates come from an exact scan or from a segment's
//! approximate index. Then every passage of a candidate is scored exactly, passages are grouped by
//! document, and an application and its grant become one result.

mod approximate;
mod best;
mod group;
mod probe;
mod sample;
mod words;

use crate::bitmap::Bitmap;
use crate::filter::{count_rows, matching, Clause};
use crate::segment::{Effort, Facts, Segment};
use crate::shown::ShownScore;
use crate::{vectors, Error, Result};
use best::Best;
pub use group::{members, prefer};
pub use sample::{sample, sample_above};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
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

/// Number of hits ahead for which rows are prefetched.
const HITS_AHEAD: usize = 2;

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
    /// Rows that approximate indexes proposed or estimated.
    pub candidates: usize,
    /// Number of times that an index was asked for more candidates.
    pub widened: usize,
    /// Segments that were scanned as a whole although their index was planned.
    pub rescanned: usize,
    /// The best passages of hits whose passages were all scored, by segment and ordinal, if several
    /// are wanted.
    passages: HashMap<(u32, u32), Passages>,
    /// A row that had to be scored is damaged. The search then fails.
    damage: Option<Error>,
}

/// Passages of a document, best first: number within the document, inner product.
pub type Passages = Vec<(u32, f32)>;

impl Outcome {
    /// The best `request.chunks` passages of a hit.
    pub fn best_passages(&self, snapshot: &Snapshot, hit: &Hit, request: &Request) -> Passages {
        match self.passages.get(&(hit.segment, hit.ordinal)) {
            Some(known) => known.clone(),
            None => best_passages(snapshot, hit, request.query, request.chunks),
        }
    }
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
    let (exact, estimated): (Vec<usize>, Vec<usize>) =
        (0..scans.len()).partition(|&n| scans[n] == Scan::Exact);
    for n in exact.into_iter().chain(estimated) {
        let (segment, selected) = (&snapshot.segments[n].0, &selected[n]);
        if selected.doc_count == 0 {
            continue;
        }
        let mut facts = segment.facts();
        if request.by_family {
            facts.application = segment.family()?;
        }
        let mut part = Part { n, segment, facts, selected, request, outcome: &mut outcome, best: &mut best };
        match scans[n] {
            Scan::Exact => part.exact(),
            Scan::Ann { k, effort } => part.approximate(k, effort)?,
            Scan::Codes => part.codes()?,
        }
    }
    let by_codes = |n: usize| scans[n] != Scan::Exact && has_codes(&snapshot.segments[n].0);
    if (0..scans.len()).any(by_codes) {
        score_all_passages(snapshot, by_codes, request, &mut outcome, &mut best);
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

/// Scores all passages of documents that were found by some of them. The shown score is that of the
/// best passage.
fn score_all_passages(
    snapshot: &Snapshot,
    in_segment: impl Fn(usize) -> bool,
    request: &Request,
    outcome: &mut Outcome,
    best: &mut Best,
) {
    let segment_of =
        |hit: &Hit| in_segment(hit.segment as usize).then(|| &*snapshot.segments[hit.segment as usize].0);
    best.rescore(HITS_AHEAD, |hit, soon| {
        if let Some((soon, segment)) = soon.and_then(|soon| Some((soon, segment_of(soon)?))) {
            let rows = segment.rows(segment.rows_of(soon.ordinal as usize));
            rows.chunks_exact(segment.dimensions()).for_each(vectors::prefetch);
        }
        let Some(segment) = segment_of(hit) else { return };
        let rows = segment.rows_of(hit.ordinal as usize);
        if let Err(damage) = segment.verify_rows(rows.clone()) {
            outcome.damage = Some(damage);
            return;
        }
        outcome.rows_scored += rows.len();
        let best = ranked(segment, rows, request.query, request.chunks.max(1));
        if let Some(&(passage, score)) = best.first() {
            (hit.score, hit.passage) = (score, passage);
        }
        if request.chunks > 1 {
            outcome.passages.insert((hit.segment, hit.ordinal), best);
        }
        hit.rank = request.rank(hit.score);
    });
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
        for ordinal in selected.docs.iter() {
            self.score_document(ordinal, None);
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

/// The best passages of a hit: (number within the document, inner product), best first.
fn best_passages(snapshot: &Snapshot, hit: &Hit, query: &[f32], count: usize) -> Passages {
    if count == 1 {
        return vec![(hit.passage, hit.score)];
    }
    let segment = &snapshot.segments[hit.segment as usize].0;
    ranked(segment, segment.rows_of(hit.ordinal as usize), query, count)
}

/// The best rows of a document.
fn ranked(segment: &Segment, rows: Range<usize>, query: &[f32], count: usize) -> Passages {
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

#[cfg(test)]
mod tests;
