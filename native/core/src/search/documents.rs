//! The search of segments by their sketches: documents first, then passages. Documents are visited
//! in the order of a bound on the score of their best passage. The search ends when no other bound
//! reaches the score that a document needs. The passages of a visited document are estimated by
//! their bits, and those that may count are scored exactly.
//!
//! The bound is statistical: `query·mean + max(one, several + √(2 ln n)) · σ · spread`, where σ is the root
//! mean square of the inner products of the query with residuals of length 1, measured on a sample
//! for each query, and n is the number of passages: of n normal numbers, the greatest lies about
//! √(2 ln n) deviations above their mean. Without this term, documents of many passages are missed among
//! documents of few. The plan states `one` and `several`: more deviations find more surely, and visit more
//! documents.
//! It does not depend on the filter: documents that the filter excludes are skipped, and the others
//! keep their bounds.

use super::best::Best;
use super::bounds::{Bounds, Deviations, Reach};
use super::{Hit, Outcome, Passages, Request, Selected, Snapshot};
use crate::segment::{Facts, Segment};
use crate::sketch::{Estimates, Probe, Sketches};
use crate::{vectors, Error, Result};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::Range;

/// A passage is not scored if its estimate would have to be this many standard deviations too low, or `BELOW` less than those of
/// documents of one passage if these are more: such a document has no other passage that could bring it in.
const MARGIN: f32 = 2.5;
const BELOW: f32 = 1.0;
/// The same for a passage that competes with other passages of its document only, if several of these are wanted. It may be
/// smaller: what is lost is the difference between two passages of nearly the same score.
const WITHIN: f32 = 1.0;
/// Passages whose residuals are sampled, of all segments together.
const SAMPLED: usize = 256;
/// Documents that are put in order first: these times the number wanted, and `BESIDES`. Each
/// further batch is twice as long.
const FIRST: usize = 2;
const BESIDES: usize = 256;
/// Passages of each document whose vectors are prefetched.
const PREFETCHED: usize = 3;
/// Passages of a document that are put in order one by one. If more are needed, the rest is sorted. Nearly always, the
/// best is found before.
const SELECTED: usize = 8;
/// Passages of a document without a sketch whose vectors are prefetched.
const ROWS: usize = 32;
/// Number of documents ahead whose bits are prefetched.
const AHEAD: usize = 6;
/// The means of documents that the filter does not allow are computed, too, between those that it allows, if at least one in
/// this many is allowed: many adjacent means take less time than some of them one by one.
const ONE_IN: usize = 3;

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

/// A passage that may be scored.
#[derive(Clone, Copy)]
struct Likely {
    row: u32,
    /// Greatest likely score.
    at_most: f32,
    /// Standard deviation of the estimate's error.
    deviation: f32,
}

impl Likely {
    /// Whether it may be better than a passage of the same document with this score, the least of `wanted` passages.
    fn may_reach(&self, score: f32, wanted: usize) -> bool {
        // A single passage is the score of its document.
        let margin = if wanted > 1 { WITHIN } else { MARGIN };
        self.at_most - (MARGIN - margin) * self.deviation >= score
    }

    fn best_first(a: &Likely, b: &Likely) -> Ordering {
        b.at_most.total_cmp(&a.at_most)
    }
}

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

impl Part<'_> {
    /// The length of a passage's residual. The spread of its document may be that of another passage.
    fn length(&self, row: usize, ordinal: usize) -> Result<f32> {
        let rows = self.facts.rows_of(ordinal);
        if rows.len() == 1 {
            return Ok(self.sketches.spread(ordinal));
        }
        self.segment.verify_sketch(self.sketches.bytes_of(rows))?;
        Ok(self.sketches.length_of(self.factor(row, ordinal)))
    }

    fn factor(&self, row: usize, ordinal: usize) -> &[u8] {
        let rows = self.facts.rows_of(ordinal);
        let number = row - rows.start;
        self.sketches.factor(rows, number)
    }
}

/// Memory of a search, reused by this thread.
#[derive(Default)]
struct Desk {
    /// The bounds of all documents that the filter allows, and the products of their means, in the order of the parts.
    bounds: Bounds,
    products: Vec<f32>,
    candidates: Vec<Candidate>,
    likely: Vec<Likely>,
    visits: Vec<Visit>,
    sums: Vec<i32>,
    estimates: Estimates,
    means: Vec<f32>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Searches the segments of `chosen`, which have sketches. Returns the query as they take it. `deviations` are those of the
/// bound, beside what the number of passages adds.
pub(super) fn documents(
    snapshot: &Snapshot,
    selected: &[Selected],
    chosen: &[usize],
    deviations: Deviations,
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
        search.run(&Reach::of(deviations, deviation), MARGIN.max(deviations.one - BELOW), desk)
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
        let prefetched = |row: usize| {
            let ordinal = part.facts.ordinal_of_row(row as u32);
            vectors::prefetch(part.sketches.docs(ordinal..ordinal + 1));
            vectors::prefetch(part.factor(row, ordinal));
            vectors::prefetch(part.facts.rows(row..row + 1));
            (row, ordinal)
        };
        let sampled = (stride / 2..part.segment.passages()).step_by(stride).map(prefetched);
        for (row, ordinal) in sampled.collect::<Vec<_>>() {
            part.segment.verify_rows(row..row + 1)?;
            means.clear();
            probe.means(part.sketches.docs(ordinal..ordinal + 1), sums, means);
            products += ((vectors::dot(query, part.facts.rows(row..row + 1)) - means[0]) as f64).powi(2);
            lengths += (part.length(row, ordinal)? as f64).powi(2);
        }
    }
    Ok(if lengths > 0.0 { (products / lengths).sqrt() as f32 } else { 0.0 })
}

/// The set bits of a word in groups whose documents are computed together, ascending: all of them, or runs of adjacent ones.
fn together(word: u64) -> impl Iterator<Item = u64> {
    let span = (u64::BITS - word.leading_zeros()).saturating_sub(word.trailing_zeros()) as usize;
    let is_dense = word.count_ones() as usize * ONE_IN >= span;
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let group = match is_dense {
            true => rest,
            // Adding the lowest set bit carries through its run, and clears it.
            false => rest & !rest.wrapping_add(rest & rest.wrapping_neg()),
        };
        rest &= !group;
        Some(group)
    })
}

struct Search<'a, 'b> {
    parts: Vec<Part<'a>>,
    probe: &'b Probe,
    request: &'b Request<'b>,
    outcome: &'b mut Outcome,
    best: &'b mut Best,
}

impl Search<'_, '_> {
    fn run(&mut self, reach: &Reach, margin: f32, desk: &mut Desk) -> Result<()> {
        self.bound(reach, desk);
        let mut candidates = std::mem::take(&mut desk.candidates);
        let mut count = FIRST * self.request.documents + BESIDES;
        while let Some(buckets) = desk.bounds.next(count, self.best.least()) {
            self.collect(&buckets, desk, &mut candidates);
            self.estimate(&candidates, margin, desk)?;
            self.score(&candidates, desk)?;
            count *= 2;
        }
        desk.candidates = candidates;
        Ok(())
    }

    /// Computes the bounds of the documents that the filter allows.
    fn bound(&mut self, reach: &Reach, desk: &mut Desk) {
        let Desk { bounds, products, sums, means, .. } = desk;
        bounds.clear();
        products.clear();
        for part in &self.parts {
            self.outcome.candidates += part.selected.row_count;
            for (first, allowed) in part.selected.docs.words() {
                for bits in together(allowed) {
                    let from = first + bits.trailing_zeros() as usize;
                    let to = first + 64 - bits.leading_zeros() as usize;
                    let reaches = part.sketches.spreads(from..to).zip(part.facts.counts(from..to));
                    let reaches = reaches.map(|(spread, passages)| spread * reach.among(passages));
                    let docs = part.sketches.docs(from..to);
                    if bits.count_ones() as usize == to - from {
                        let before = products.len();
                        self.probe.means(docs, sums, products);
                        let means = &products[before..];
                        bounds.extend(means.iter().zip(reaches).map(|(mean, reach)| mean + reach));
                        continue;
                    }
                    means.clear();
                    self.probe.means(docs, sums, means);
                    let own = || (0..to - from).filter(|n| bits >> (from - first + n) & 1 == 1);
                    let count = |n: usize| part.facts.rows_of(from + n).len();
                    let bound = |n: usize| means[n] + part.sketches.spread(from + n) * reach.among(count(n));
                    bounds.extend(own().map(bound));
                    products.extend(own().map(|n| means[n]));
                }
            }
        }
    }

    /// The documents whose bounds lie in some buckets.
    fn collect(&self, buckets: &Range<u16>, desk: &Desk, candidates: &mut Vec<Candidate>) {
        candidates.clear();
        let mut end = 0;
        for (part, Part { selected, .. }) in (0..).zip(&self.parts) {
            for run in selected.docs.runs() {
                let from = end;
                end += run.len();
                desk.bounds.each_in(from..end, buckets, |n, bound| {
                    let (mean, ordinal) = (desk.products[from + n], (run.start + n) as u32);
                    candidates.push(Candidate { bound, mean, part, ordinal });
                });
            }
        }
    }

    /// Finds the passages that may count, and the documents that have any, the likeliest first.
    fn estimate(&mut self, documents: &[Candidate], margin: f32, desk: &mut Desk) -> Result<()> {
        let Desk { likely, visits, estimates, .. } = desk;
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
            let at_most = likely_of(
                part.segment,
                &part.sketches,
                self.probe,
                mean,
                rows,
                least,
                margin,
                estimates,
                likely,
            )?;
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
                for n in 0..passages.len().min(PREFETCHED) {
                    best_to_front(&mut passages[n..]);
                    let row = passages[n].row as usize;
                    vectors::prefetch(part.facts.rows(row..row + 1));
                }
                ready += 1;
            }
            let Candidate { part, ordinal, .. } = documents[visit.document as usize];
            let part = &self.parts[part as usize];
            let first = part.facts.rows_of(ordinal as usize).start;
            let (mut score, mut passage) = (f32::NEG_INFINITY, 0);
            let passages = visit.passages(likely);
            for n in 0..passages.len() {
                match n {
                    ..PREFETCHED => {} // in order already
                    PREFETCHED..SELECTED => best_to_front(&mut passages[n..]),
                    SELECTED => passages[n..].sort_unstable_by(Likely::best_first),
                    _ => {}
                }
                let Likely { row, at_most, .. } = passages[n];
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

/// Swaps the likeliest passage to the front of a list that is not empty. Sorting all would take longer: a document has
/// dozens of passages, and few of them are scored.
fn best_to_front(passages: &mut [Likely]) {
    let mut best = 0;
    for n in 1..passages.len() {
        // Without a branch, which could not be predicted.
        best = if passages[n].at_most > passages[best].at_most { n } else { best };
    }
    passages.swap(0, best);
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
    margin: f32,
    estimates: &mut Estimates,
    likely: &mut Vec<Likely>,
) -> Result<f32> {
    segment.verify_sketch(sketches.bytes_of(rows.clone()))?;
    probe.passages(mean, sketches.rows(rows.clone()), estimates);
    let mut added = 0;
    let mut greatest = f32::NEG_INFINITY;
    likely.reserve(rows.len());
    let room = likely.spare_capacity_mut();
    // Without a branch, which could not be predicted.
    for (row, (score, &deviation)) in
        (rows.start as u32..).zip(estimates.scores.iter().zip(&estimates.deviations))
    {
        let at_most = score + margin * deviation;
        room[added].write(Likely { row, at_most, deviation });
        added += (at_most >= least) as usize;
        greatest = greatest.max(at_most);
    }
    // SAFETY: the first `added` were written.
    unsafe { likely.set_len(likely.len() + added) };
    Ok(greatest)
}

/// Prefetches what the search for a document's best passages reads first: its sketch, or the beginning of its vectors.
pub(super) fn prefetch_document(segment: &Segment, ordinal: usize) {
    let rows = segment.rows_of(ordinal);
    match segment.sketches() {
        Some(sketches) => {
            vectors::prefetch(sketches.docs(ordinal..ordinal + 1));
            vectors::prefetch(sketches.rows(rows));
        }
        None => vectors::prefetch(segment.rows(rows.start..rows.end.min(rows.start + ROWS))),
    }
}

/// The best passages of a document, by the exact scores of those that may be among them, and how many
/// were scored. `known` is a passage with its score.
pub(super) fn best_passages(
    segment: &Segment,
    probe: &Probe,
    ordinal: usize,
    known: Option<(u32, f32)>,
    request: &Request,
) -> Result<(Passages, usize)> {
    let sketches = segment.sketches().ok_or_else(no_sketches)?;
    let rows = segment.rows_of(ordinal);
    let known_row = known.map(|(number, _)| rows.start as u32 + number);
    DESK.with_borrow_mut(|Desk { likely, sums, estimates, means, .. }| {
        likely.clear();
        means.clear();
        probe.means(sketches.docs(ordinal..ordinal + 1), sums, means);
        likely_of(
            segment,
            &sketches,
            probe,
            means[0],
            rows.clone(),
            f32::NEG_INFINITY,
            MARGIN,
            estimates,
            likely,
        )?;
        // The rest stays unsorted: hardly any of it is scored.
        let first = likely.len().min(request.chunks);
        if first > 0 && first < likely.len() {
            likely.select_nth_unstable_by(first - 1, Likely::best_first);
        }
        likely[..first].sort_unstable_by(Likely::best_first);
        for &Likely { row, .. } in &likely[..first] {
            vectors::prefetch(segment.rows(row as usize..row as usize + 1));
        }
        let mut best: Passages = Vec::with_capacity(request.chunks + 1);
        best.extend(known);
        let mut scored = 0;
        for likely in likely.iter().filter(|likely| Some(likely.row) != known_row) {
            let is_full = best.len() == request.chunks;
            if is_full && best.last().is_some_and(|&(_, least)| !likely.may_reach(least, request.chunks)) {
                continue;
            }
            let at = likely.row as usize..likely.row as usize + 1;
            segment.verify_rows(at.clone())?;
            scored += 1;
            let number = likely.row - rows.start as u32;
            let score = vectors::dot(request.query, segment.rows(at));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_of_a_word_are_its_bits(word in prop_oneof![any::<u64>(), Just(0), any::<u64>().prop_map(|w| w & w >> 1 & w >> 2), Just(u64::MAX)]) {
            let groups: Vec<u64> = together(word).collect();
            prop_assert_eq!(groups.iter().fold(0, |all, group| all | group), word);
            for pair in groups.windows(2) {
                prop_assert!(pair[0].leading_zeros() + pair[1].trailing_zeros() > 64);
            }
            for group in groups {
                let span = 64 - (group.leading_zeros() + group.trailing_zeros()) as usize;
                prop_assert!(group.count_ones() as usize * ONE_IN >= span);
            }
        }
    }
}
