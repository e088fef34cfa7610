//! The search of segments by their sketches: documents first, then passages. Documents are visited
//! in the order of a bound on the score of their best passage. The search ends when no other bound
//! reaches the score that a document needs. The passages of a visited document are estimated by
//! their bits, and those that may count are scored exactly.
//!
//! The bound is statistical: `query·mean + deviations · σ · spread`, where σ is the root mean square
//! of the inner products of the query with residuals of length 1, measured on a sample for each
//! query. The plan states the deviations: more find more surely, and visit more documents.
//! It does not depend on the filter: documents that the filter excludes are skipped, and the others
//! keep their bounds.

use super::best::Best;
use super::{Hit, Outcome, Passages, Request, Selected, Snapshot};
use crate::segment::{Facts, Segment};
use crate::sketch::{Probe, Sketches};
use crate::{vectors, Error, Result};
use std::cell::RefCell;
use std::ops::Range;

/// A passage is not scored if its estimate would have to be this many standard deviations too low.
const MARGIN: f32 = 2.5;
/// Passages whose residuals are sampled, of all segments together.
const SAMPLED: usize = 256;
/// Documents that are put in order first: these times the number wanted, and `BESIDES`. Each
/// further batch is twice as long.
const FIRST: usize = 2;
const BESIDES: usize = 256;
/// Passages of each document whose vectors are prefetched.
const PREFETCHED: usize = 3;
/// Number of documents ahead whose bits are prefetched.
const AHEAD: usize = 6;
/// Adjacent documents whose means are computed together.
const ADJACENT: usize = 64;

/// A document that may be visited.
#[derive(Clone, Copy)]
struct Candidate {
    /// Greatest likely score of its best passage.
    bound: f32,
    /// The inner product of the query with the decoded mean.
    mean: f32,
    part: u32,
    ordinal: u32,
}

/// A passage that may be scored: its row, and the greatest likely score.
type Likely = (u32, f32);

/// A document whose passages may count.
struct Visit {
    /// Greatest likely score of its best passage.
    at_most: f32,
    /// Its place in the batch.
    document: u32,
    /// Its passages in the list of all, best first.
    likely: Range<u32>,
}

impl Visit {
    fn passages<'a>(&self, likely: &'a mut [Likely]) -> &'a mut [Likely] {
        &mut likely[self.likely.start as usize..self.likely.end as usize]
    }
}

/// One segment of the search.
struct Part<'a> {
    n: usize,
    segment: &'a Segment,
    facts: Facts<'a>,
    sketches: Sketches<'a>,
    selected: &'a Selected,
}

/// Memory of a search, reused by this thread.
#[derive(Default)]
struct Desk {
    candidates: Vec<Candidate>,
    likely: Vec<Likely>,
    visits: Vec<Visit>,
    sums: Vec<i32>,
    means: Vec<f32>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Searches the segments of `chosen`, which have sketches. Returns the query as they take it. A document is not visited if its best
/// passage would have to lie more than this many `deviations` above its mean.
pub(super) fn documents(
    snapshot: &Snapshot,
    selected: &[Selected],
    chosen: &[usize],
    deviations: f32,
    request: &Request,
    outcome: &mut Outcome,
    best: &mut Best,
) -> Result<Probe> {
    let probe = Probe::new(request.query);
    let mut parts = Vec::with_capacity(chosen.len());
    for &n in chosen {
        let segment = &*snapshot.segments[n].0;
        let mut facts = segment.facts();
        if request.by_family {
            facts.application = segment.family()?;
        }
        let sketches = segment.sketches().ok_or_else(no_sketches)?;
        parts.push(Part { n, segment, facts, sketches, selected: &selected[n] });
    }
    DESK.with_borrow_mut(|desk| {
        let deviation = deviation_of(&parts, &probe, request.query, desk)?;
        let mut search = Search { parts, probe: &probe, request, outcome, best };
        search.run(deviations * deviation, desk)
    })?;
    Ok(probe)
}

/// Root mean square of the inner products of the query with residuals, divided by that of their
/// lengths.
fn deviation_of(parts: &[Part], probe: &Probe, query: &[f32], desk: &mut Desk) -> Result<f32> {
    let rows: usize = parts.iter().map(|part| part.segment.passages()).sum();
    let stride = (rows / SAMPLED).max(1);
    let (mut products, mut lengths) = (0f64, 0f64);
    let Desk { sums, means, .. } = desk;
    for part in parts {
        for row in (stride / 2..part.segment.passages()).step_by(stride) {
            part.segment.verify_rows(row..row + 1)?;
            let ordinal = part.facts.ordinal_of_row(row as u32);
            probe.means(part.sketches.docs(ordinal..ordinal + 1), sums, means);
            products += ((vectors::dot(query, part.facts.rows(row..row + 1)) - means[0]) as f64).powi(2);
            lengths += (part.sketches.spread(ordinal) as f64).powi(2);
        }
    }
    Ok(if lengths > 0.0 { (products / lengths).sqrt() as f32 } else { 0.0 })
}

struct Search<'a, 'b> {
    parts: Vec<Part<'a>>,
    probe: &'b Probe,
    request: &'b Request<'b>,
    outcome: &'b mut Outcome,
    best: &'b mut Best,
}

impl Search<'_, '_> {
    fn run(&mut self, deviations: f32, desk: &mut Desk) -> Result<()> {
        self.collect(deviations, desk);
        let mut candidates = std::mem::take(&mut desk.candidates);
        let mut rest = candidates.as_mut_slice();
        let mut count = FIRST * self.request.documents + BESIDES;
        while !rest.is_empty() {
            let taken = count.min(rest.len());
            if taken < rest.len() {
                rest.select_nth_unstable_by(taken, |a, b| b.bound.total_cmp(&a.bound));
            }
            let (batch, others) = rest.split_at_mut(taken);
            self.estimate(batch, desk)?;
            self.score(batch, desk)?;
            // The first of the others has the greatest bound of them.
            if others.first().is_none_or(|next| next.bound < self.best.least()) {
                break;
            }
            (rest, count) = (others, count * 2);
        }
        desk.candidates = candidates;
        Ok(())
    }

    /// The documents that the filter allows and whose bound reaches the least score.
    fn collect(&mut self, deviations: f32, desk: &mut Desk) {
        let Desk { candidates, sums, means, .. } = desk;
        candidates.clear();
        let least = self.best.least();
        for (number, part) in self.parts.iter().enumerate() {
            self.outcome.candidates += part.selected.row_count;
            for run in part.selected.docs.runs() {
                for from in run.clone().step_by(ADJACENT) {
                    let ordinals = from..run.end.min(from + ADJACENT);
                    self.probe.means(part.sketches.docs(ordinals.clone()), sums, means);
                    for (ordinal, &mean) in ordinals.zip(&*means) {
                        let bound = mean + deviations * part.sketches.spread(ordinal);
                        if bound >= least {
                            let (part, ordinal) = (number as u32, ordinal as u32);
                            candidates.push(Candidate { bound, mean, part, ordinal });
                        }
                    }
                }
            }
        }
    }

    /// Finds the passages that may count, and the documents that have any, the likeliest first.
    fn estimate(&mut self, documents: &[Candidate], desk: &mut Desk) -> Result<()> {
        let Desk { likely, visits, sums, .. } = desk;
        likely.clear();
        visits.clear();
        let least = self.best.least();
        for (n, &Candidate { bound, mean, part, ordinal }) in documents.iter().enumerate() {
            if let Some(soon) = documents.get(n + AHEAD) {
                let part = &self.parts[soon.part as usize];
                vectors::prefetch(part.sketches.rows(part.facts.rows_of(soon.ordinal as usize)));
            }
            if bound < least {
                continue;
            }
            self.outcome.visited += 1;
            let part = &self.parts[part as usize];
            let rows = part.facts.rows_of(ordinal as usize);
            let from = likely.len();
            let at_most =
                likely_of(part.segment, &part.sketches, self.probe, mean, rows, least, sums, likely)?;
            if at_most >= least {
                visits.push(Visit { at_most, document: n as u32, likely: from as u32..likely.len() as u32 });
            }
        }
        visits.sort_unstable_by(|a, b| b.at_most.total_cmp(&a.at_most));
        Ok(())
    }

    /// Scores documents by the passages that may be their best. The likeliest come first, so that
    /// the least score rises early.
    fn score(&mut self, documents: &[Candidate], desk: &mut Desk) -> Result<()> {
        let Desk { likely, visits, .. } = desk;
        let mut ready = 0;
        for (n, visit) in visits.iter().enumerate() {
            let least = self.best.least();
            if visit.at_most < least {
                return Ok(());
            }
            while ready < visits.len().min(n + 1 + AHEAD) {
                let soon = &visits[ready];
                let part = &self.parts[documents[soon.document as usize].part as usize];
                let passages = soon.passages(likely);
                passages.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
                for &(row, _) in passages.iter().take(PREFETCHED) {
                    vectors::prefetch(part.facts.rows(row as usize..row as usize + 1));
                }
                ready += 1;
            }
            let Candidate { part, ordinal, .. } = documents[visit.document as usize];
            let part = &self.parts[part as usize];
            let first = part.facts.rows_of(ordinal as usize).start;
            let (mut score, mut passage) = (f32::NEG_INFINITY, 0);
            for &(row, at_most) in &*visit.passages(likely) {
                if at_most < score || at_most < least {
                    break;
                }
                let at = row as usize..row as usize + 1;
                part.segment.verify_rows(at.clone())?;
                self.outcome.rows_scored += 1;
                let found = vectors::dot(self.request.query, part.facts.rows(at));
                let number = row - first as u32;
                if found > score || (found == score && number < passage) {
                    (score, passage) = (found, number);
                }
            }
            if score >= least {
                self.best.push(Hit::of(&part.facts, part.n, ordinal as usize, score, passage, self.request));
            }
        }
        Ok(())
    }
}

/// Appends the passages of a document that may reach `least`. Returns the greatest likely score.
#[allow(clippy::too_many_arguments)]
fn likely_of(
    segment: &Segment,
    sketches: &Sketches,
    probe: &Probe,
    mean: f32,
    rows: Range<usize>,
    least: f32,
    sums: &mut Vec<i32>,
    likely: &mut Vec<Likely>,
) -> Result<f32> {
    segment.verify_sketch(sketches.bytes_of(rows.clone()))?;
    let mut end = likely.len();
    let mut greatest = f32::NEG_INFINITY;
    likely.resize(end + rows.len(), (0, 0.0));
    // Without a branch, which could not be predicted.
    probe.passages(mean, sketches.rows(rows.clone()), sums, |n, estimate, deviation| {
        let at_most = estimate + MARGIN * deviation;
        likely[end] = ((rows.start + n) as u32, at_most);
        end += (at_most >= least) as usize;
        greatest = greatest.max(at_most);
    });
    likely.truncate(end);
    Ok(greatest)
}

/// The best passages of a document, by the exact scores of those that may be among them, and how many
/// were scored.
pub(super) fn best_passages(
    segment: &Segment,
    probe: &Probe,
    ordinal: usize,
    request: &Request,
) -> Result<(Passages, usize)> {
    let sketches = segment.sketches().ok_or_else(no_sketches)?;
    let rows = segment.rows_of(ordinal);
    DESK.with_borrow_mut(|Desk { likely, sums, means, .. }| {
        likely.clear();
        probe.means(sketches.docs(ordinal..ordinal + 1), sums, means);
        likely_of(segment, &sketches, probe, means[0], rows.clone(), f32::NEG_INFINITY, sums, likely)?;
        likely.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        let mut best: Passages = Vec::with_capacity(request.chunks + 1);
        let mut scored = 0;
        for &(row, at_most) in &*likely {
            if best.len() == request.chunks && best.last().is_some_and(|&(_, least)| at_most < least) {
                break;
            }
            let at = row as usize..row as usize + 1;
            segment.verify_rows(at.clone())?;
            scored += 1;
            let (number, score) = (row - rows.start as u32, vectors::dot(request.query, segment.rows(at)));
            let place = best.partition_point(|&(n, other)| other > score || (other == score && n < number));
            best.insert(place, (number, score));
            best.truncate(request.chunks);
        }
        Ok((best, scored))
    })
}

fn no_sketches() -> Error {
    Error::Invalid("the plan asks for sketches that the segment does not have".into())
}
