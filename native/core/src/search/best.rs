//! The best hits so far, and the score that a further document needs to be among them.

use super::{Hit, Request};
use crate::shown::ShownScore;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Keeps the best `keep` hits; with `dedupe` only the best of each application.
pub struct Best {
    keep: usize,
    dedupe: bool,
    shown: Option<ShownScore>,
    hits: Vec<Hit>,
    /// The first `settled` hits are sorted, and all of them are needed.
    settled: usize,
    /// The worst of `keep` settled hits. Only a better hit can be among the best.
    floor: Option<Hit>,
    /// Hits with a lower score are not wanted or cannot be among the best.
    least: f32,
    /// Whether a document may be pushed several times, with scores of several passages.
    repeated: bool,
}

/// Unsorted hits that are collected before they are sorted: this part of `keep`, at least `SLACK`.
const SLACK_PART: usize = 4;
const SLACK: usize = 32;

impl Best {
    pub fn new(&Request { documents: keep, dedupe, shown, min_score: least, .. }: &Request) -> Self {
        Best { keep, dedupe, shown, hits: Vec::new(), settled: 0, floor: None, least, repeated: false }
    }

    pub fn push(&mut self, hit: Hit) {
        if self.floor.is_some_and(|floor| hit <= floor) {
            return;
        }
        self.hits.push(hit);
        let waiting = self.hits.len() - self.settled;
        if self.hits.len() >= self.keep && waiting >= SLACK.max(self.keep / SLACK_PART) {
            self.settle();
        }
    }

    /// Pushes one passage of a document, of which the best passage counts.
    pub fn push_passage(&mut self, hit: Hit) {
        self.repeated = true;
        self.push(hit);
    }

    /// Updates hits to their final scores, which are never lower. `score` also gets the hit `ahead`
    /// ranks later, for prefetching.
    pub fn rescore(&mut self, ahead: usize, mut score: impl FnMut(&mut Hit, Option<&Hit>)) {
        self.settle();
        for n in 0..self.hits.len() {
            let (before, after) = self.hits.split_at_mut(n + 1);
            score(&mut before[n], after.get(ahead - 1));
        }
        // Another document of an application may have been dropped by an error of its estimate
        // although its final score is higher. It is missed, like other documents that an index
        // misses.
        self.settled = 0;
    }

    /// The least score that a document needs to be among the best.
    pub fn least(&self) -> f32 {
        self.least
    }

    /// Sorts, and drops superfluous hits. A dropped document of an application ranks below the
    /// one that is kept, and a hit below the floor is below `keep` others, so neither can come
    /// back.
    pub fn settle(&mut self) {
        if self.settled == self.hits.len() {
            return;
        }
        // A stable sort, since it merges sorted runs.
        self.hits.sort_by(|a, b| b.cmp(a));
        if self.repeated {
            let mut seen: HashSet<u64, BuildHasherDefault<Mixed>> =
                HashSet::with_capacity_and_hasher(self.hits.len(), Default::default());
            self.hits.retain(|hit| seen.insert(hit.document()));
        }
        if self.dedupe {
            let mut seen: HashSet<u64, BuildHasherDefault<Mixed>> =
                HashSet::with_capacity_and_hasher(self.hits.len(), Default::default());
            self.hits.retain(|hit| hit.application == 0 || seen.insert(hit.application));
        }
        self.hits.truncate(self.keep);
        self.settled = self.hits.len();
        if let Some(&last) = self.hits.last().filter(|_| self.hits.len() == self.keep) {
            self.floor = Some(last);
            let least = self.shown.map_or(last.score, |shown| shown.least(last.rank));
            self.least = self.least.max(least);
        }
    }

    /// Best first.
    pub fn finish(mut self) -> Vec<Hit> {
        self.settle();
        self.hits
    }
}

/// Keys of applications are hashes, but ordinals are small numbers, and a hash table also uses the
/// high bits.
#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are u64");
    }

    fn write_u64(&mut self, key: u64) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
        self.0 = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
