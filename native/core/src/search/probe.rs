//! The search of one segment by codes in the index lists nearest to the query. All estimates of the
//! probed lists are in memory, so the number of rows need not be known beforehand: rows are scored
//! exactly in the order of their estimates, until they are enough.

use super::approximate::Trust;
use super::{Part, SAMPLE_ALLOWED, SAMPLE_MOST, SHUNNED};
use crate::bitmap::Bitmap;
use crate::segment::{Codes, CODE_BLOCK};
use crate::{vectors, Error, Result};
use std::cell::RefCell;

/// Rows scored first: `ROWS_PER_DOCUMENT` for each wanted document, plus `ROWS_BESIDES`. Each further
/// round scores twice as many.
const ROWS_PER_DOCUMENT: usize = 8;
const ROWS_BESIDES: usize = 256;

/// Rows whose documents are looked up together.
const SLICE: usize = 512;
/// Rows of a block that are expected to reach the best estimate of another block. The rows of a list are alike: if one of a block is
/// good, others of it are, too.
const ALIKE: usize = 8;
/// Rows for which a thread keeps memory between searches.
const KEPT_ROWS: usize = 1 << 17;

/// Number of rows ahead that are prefetched.
const AHEAD: usize = 12;

/// A row, its document, and the estimate of its score.
struct Row {
    row: u32,
    ordinal: u32,
    estimate: f32,
}

/// The estimate of a row, as its codes give it, and the number of the row.
type Ranked = (u16, u32);

/// Memory of a probe, reused by this thread.
#[derive(Default)]
struct Desk {
    /// Scores of all lists, and the probed lists in the order of their memory.
    list_scores: Vec<f32>,
    order: Vec<u32>,
    /// Estimates of the probed lists' rows, each list padded with 0 to whole blocks; and the best
    /// estimate of each block.
    scores: Vec<u16>,
    best: Vec<u16>,
    ranked: Vec<u16>,
    rows: Vec<Ranked>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

impl Desk {
    /// Chooses the best `nprobe` lists, in the order of their memory.
    fn choose(&mut self, nprobe: usize) {
        let scores = &self.list_scores;
        self.order.clear();
        self.order.extend(0..scores.len() as u32);
        if nprobe < scores.len() {
            let by_score = |&a: &u32, &b: &u32| scores[b as usize].total_cmp(&scores[a as usize]);
            self.order.select_nth_unstable_by(nprobe - 1, by_score);
            self.order.truncate(nprobe);
            self.order.sort_unstable();
        }
    }

    /// An estimate that about `count` rows reach. Found among the best estimates of blocks; among all rows if blocks are few.
    fn least_of(&mut self, count: usize) -> u16 {
        if count >= self.scores.len() {
            return 0;
        }
        let blocks = count / ALIKE;
        let (among, place) =
            if blocks < self.best.len() { (&self.best, blocks) } else { (&self.scores, count) };
        self.ranked.clone_from(among);
        *self.ranked.select_nth_unstable_by(place, |a, b| b.cmp(a)).1
    }

    /// Frees the memory of an unusually large search.
    fn tidy(&mut self) {
        self.rows.clear();
        self.rows.shrink_to(KEPT_ROWS);
        self.ranked.clear();
        self.ranked.shrink_to(KEPT_ROWS);
    }

    /// Collects the rows with estimates from `from` up to but not including `below`.
    fn collect(&mut self, codes: &dyn Codes, from: u16, below: u32) -> Result<()> {
        self.rows.clear();
        let mut block = 0;
        for &list in &self.order {
            let rows = codes.list_rows(list as usize);
            for rows in rows.chunks(CODE_BLOCK) {
                if self.best[block] >= from {
                    let scores = &self.scores[block * CODE_BLOCK..];
                    for (&row, &score) in rows.iter().zip(scores) {
                        if score >= from && (score as u32) < below {
                            let row = u32::try_from(row).map_err(|_| foreign_row(row))?;
                            self.rows.push((score, row));
                        }
                    }
                }
                block += 1;
            }
        }
        Ok(())
    }
}

/// The best `count` rows, in order, and the rest. Most searches end before they need the rest, so it stays unsorted.
fn best_of(rows: &mut [Ranked], count: usize) -> (&[Ranked], &mut [Ranked]) {
    let by_estimate = |a: &Ranked, b: &Ranked| b.0.cmp(&a.0).then(a.1.cmp(&b.1));
    if count < rows.len() {
        rows.select_nth_unstable_by(count, by_estimate);
    }
    let (first, rest) = rows.split_at_mut(count.min(rows.len()));
    first.sort_unstable_by(by_estimate);
    (first, rest)
}

fn foreign_row(row: i64) -> Error {
    Error::Invalid(format!("a list of the index names row {row}, which does not exist"))
}

impl Part<'_> {
    /// Probes `nprobe` lists, and more if they do not hold enough or the filter is anticorrelated
    /// with the query.
    pub(super) fn probe(&mut self, codes: &dyn Codes, nprobe: usize) -> Result<()> {
        DESK.with_borrow_mut(|desk| {
            let outcome = self.probe_at(desk, codes, nprobe);
            desk.tidy();
            outcome
        })
    }

    fn probe_at(&mut self, desk: &mut Desk, codes: &dyn Codes, nprobe: usize) -> Result<()> {
        let query = self.request.query;
        codes.list_scores(query, &mut desk.list_scores)?;
        let lists = desk.list_scores.len();
        let wanted = self.request.documents.min(self.selected.doc_count);
        let mut nprobe = nprobe.clamp(1, lists);
        let mut scored = Bitmap::empty(self.segment.docs());
        let mut trust = Trust::default();
        loop {
            desk.choose(nprobe);
            let scale = codes.scan_lists(query, &desk.order, &mut desk.scores, &mut desk.best)?;
            match self.in_order_of_rows(desk, codes, scale, nprobe < lists, &mut trust, &mut scored)? {
                Ended::Shunned => {
                    self.outcome.rescanned += 1;
                    nprobe = lists;
                }
                Ended::Exhausted if nprobe < lists && self.results_of(&scored) < wanted => {
                    self.outcome.widened += 1;
                    // An application and its grant are one result: if all documents are wanted,
                    // there are never enough results.
                    nprobe = if wanted == self.selected.doc_count { lists } else { (nprobe * 2).min(lists) };
                }
                Ended::Exhausted | Ended::Enough => return Ok(()),
            }
        }
    }

    /// Scores the probed rows in the order of their estimates. If some lists are not probed, it
    /// stops early for a filter that is anticorrelated with the query: the best allowed rows are
    /// then in other lists.
    fn in_order_of_rows(
        &mut self,
        desk: &mut Desk,
        codes: &dyn Codes,
        (step, offset): (f32, f32),
        partial: bool,
        trust: &mut Trust,
        scored: &mut Bitmap,
    ) -> Result<Ended> {
        let share = self.selected.row_count as f64 / self.segment.passages() as f64;
        let sample = ((SAMPLE_ALLOWED / share).ceil() as usize).min(SAMPLE_MOST);
        let first = self.request.documents * ROWS_PER_DOCUMENT + ROWS_BESIDES;
        let mut count = ((first as f64 / share) as usize).max(sample);
        let mut below = 1u32 << 16;
        let mut judged = !partial || share == 1.0;
        while below > 0 {
            let from = match desk.least_of(count) {
                // All these rows have been scored, since all equal estimates are taken together.
                // Continues with more.
                least if least as u32 >= below => {
                    count = count.saturating_mul(2);
                    continue;
                }
                least => least,
            };
            desk.collect(codes, from, below)?;
            self.outcome.candidates += desk.rows.len();
            if let Some(&(_, row)) =
                desk.rows.iter().find(|&&(_, row)| row as usize >= self.segment.passages())
            {
                return Err(foreign_row(row as i64));
            }
            let (facts, docs) = (&self.facts, &self.selected.docs);
            let is_allowed = |&(_, row): &Ranked| docs.contains(facts.ordinal_of_row(row));
            if !judged {
                let (best, _) = best_of(&mut desk.rows, sample);
                let allowed = best.iter().filter(|row| is_allowed(row)).count();
                if (allowed as f64) < best.len() as f64 * share * SHUNNED {
                    return Ok(Ended::Shunned);
                }
                judged = true;
            }
            if share < 1.0 {
                desk.rows.retain(is_allowed);
            }
            let (mut rest, mut size) = (desk.rows.as_mut_slice(), (count as f64 * share) as usize + 1);
            while !rest.is_empty() {
                let best;
                (best, rest) = best_of(rest, size);
                size = size.saturating_mul(2);
                for slice in best.chunks(SLICE) {
                    let row_of = |&(score, row): &Ranked| {
                        let ordinal = self.facts.ordinal_of_row(row) as u32;
                        Row { row, ordinal, estimate: offset + step * score as f32 }
                    };
                    let rows: Vec<Row> = slice.iter().map(row_of).collect();
                    if self.score_rows(&rows, trust, scored) {
                        return Ok(Ended::Enough);
                    }
                }
            }
            (below, count) = (from as u32, count.saturating_mul(2));
        }
        Ok(Ended::Exhausted)
    }

    /// Scores rows, best estimate first. Returns whether it stopped because no row with an equal or
    /// lower estimate is likely to be among the best.
    fn score_rows(&mut self, rows: &[Row], trust: &mut Trust, scored: &mut Bitmap) -> bool {
        for (n, &Row { row, ordinal, estimate }) in rows.iter().enumerate() {
            if let Some(soon) = rows.get(n + AHEAD) {
                vectors::prefetch(self.facts.rows(soon.row as usize..soon.row as usize + 1));
            }
            let least = self.best.least();
            if trust.at_most(estimate) < least {
                return true;
            }
            let (at, ordinal) = (row as usize, ordinal as usize);
            if let Err(damage) = self.segment.verify_rows(at..at + 1) {
                self.outcome.damage = Some(damage);
                return true;
            }
            scored.insert(ordinal);
            self.outcome.rows_scored += 1;
            let score = vectors::dot(self.request.query, self.facts.rows(at..at + 1));
            trust.learn(estimate, score);
            if score >= least {
                let passage = (at - self.facts.rows_of(ordinal).start) as u32;
                self.best.push_passage(self.hit(ordinal, score, passage));
            }
        }
        false
    }
}

enum Ended {
    /// No other row is likely to be among the best.
    Enough,
    /// Every probed row has been scored.
    Exhausted,
    /// The filter allows far fewer of the best rows than of all.
    Shunned,
}
