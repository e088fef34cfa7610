//! The best documents seen so far, and what a further one must score to be among them.

use super::Hit;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Keeps the best `keep` of what is pushed; with `dedupe` one of each application, the best.
pub struct Best {
    keep: usize,
    dedupe: bool,
    hits: Vec<Hit>,
    /// Hits up to here are in order, and none is superfluous.
    settled: usize,
    /// The worst of `keep` settled hits: nothing that is not better can be among the best.
    floor: Option<Hit>,
    /// Whether a document may have been pushed several times, with scores of several passages.
    repeated: bool,
}

/// Hits beyond those in order that may come together before they are sorted: this part of `keep`, and so many at least.
const SLACK_PART: usize = 4;
const SLACK: usize = 32;

impl Best {
    pub fn new(keep: usize, dedupe: bool) -> Self {
        Best { keep, dedupe, hits: Vec::new(), settled: 0, floor: None, repeated: false }
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

    /// The same of one passage of a document: the best of those that are pushed counts.
    pub fn push_passage(&mut self, hit: Hit) {
        self.repeated = true;
        self.push(hit);
    }

    /// Gives hits their final scores, which are none the less; `score` is told as well which hit comes some places later.
    pub fn rescore(&mut self, ahead: usize, mut score: impl FnMut(&mut Hit, Option<&Hit>)) {
        self.settle();
        for n in 0..self.hits.len() {
            let (before, after) = self.hits.split_at_mut(n + 1);
            score(&mut before[n], after.get(ahead - 1));
        }
        // What was kept for the best of an application may now be less than another of it that was dropped, by an error
        // of its estimate: as with any document that an index misses.
        self.settled = 0;
    }

    /// What a document must score to be among the best; nothing until there are enough.
    pub fn floor(&self) -> Option<f32> {
        self.floor.map(|floor| floor.score)
    }

    /// Sorts, and drops what is superfluous. A dropped document of an application that is kept scores less than the
    /// one that is, and what lies below the floor lies below `keep` others: neither could come back.
    pub fn settle(&mut self) {
        if self.settled == self.hits.len() {
            return;
        }
        // Stable, since that one merges what is in order already.
        self.hits.sort_by(|a, b| b.cmp(a));
        if self.repeated {
            let mut seen: HashSet<u64, BuildHasherDefault<Mixed>> =
                HashSet::with_capacity_and_hasher(self.hits.len(), Default::default());
            self.hits.retain(|hit| seen.insert((hit.segment as u64) << 32 | hit.ordinal as u64));
        }
        if self.dedupe {
            let mut seen: HashSet<u64, BuildHasherDefault<Mixed>> =
                HashSet::with_capacity_and_hasher(self.hits.len(), Default::default());
            self.hits.retain(|hit| hit.application == 0 || seen.insert(hit.application));
        }
        self.hits.truncate(self.keep);
        self.settled = self.hits.len();
        if self.hits.len() == self.keep {
            self.floor = self.hits.last().copied();
        }
    }

    /// Best first.
    pub fn finish(mut self) -> Vec<Hit> {
        self.settle();
        self.hits
    }
}

/// Keys of applications are hashes already, but ordinals are small numbers, and a hash table looks at the high bits, too.
#[derive(Default)]
struct Mixed(u64);

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
