//! Documents that hold the words of a question, beside those whose vectors are near.

use super::best::Mixed;
use super::group::{keys_of, members};
use super::passages::{Passages, Passing};
use super::{Hit, Outcome, Request, Selected, Snapshot};
use crate::lexical::score::Scores;
use crate::Result;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// Candidates for each wanted document: an application and its grant become one result.
const EACH: usize = 2;
/// Candidates that are collected before the best are chosen, as a multiple of those wanted.
const WAITING: usize = 4;
/// Bits that mark the keys of the chosen documents, some 100.
const MARKS: usize = 1 << 13;
/// Number of documents ahead whose sketches are prefetched.
const AHEAD: usize = 4;

/// The documents with the best lexical scores that a filter allows and `known` does not have, with
/// the exact scores of their vectors; at most `request.documents`, best lexical score first. A known
/// document (number of the segment, ordinal) stands for its application or family. If not `exact`, only
/// those passages of a document are scored that its sketch proposes.
pub fn beside(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    known: &[(usize, usize)],
    request: &Request,
    exact: bool,
) -> Result<Outcome> {
    if request.documents == 0 {
        return Ok(Outcome::default());
    }
    let mut taken = Keys::default();
    for &(segment, ordinal) in known {
        taken.insert(key_of(snapshot, request, segment, ordinal)?);
    }
    taken.remove(&0);
    let most = request.documents * EACH;
    let candidates = best_of(snapshot, selected, scores, (known, &taken), request, most)?;
    let mut chosen = Vec::with_capacity(request.documents);
    for &Candidate { segment, ordinal, .. } in &candidates {
        let (segment, ordinal) = (segment as usize, ordinal as usize);
        let key = key_of(snapshot, request, segment, ordinal)?;
        if chosen.len() < request.documents && (key == 0 || taken.insert(key)) {
            chosen.push((key, segment, ordinal));
        }
    }
    let mut siblings = siblings_of(snapshot, selected, scores, request, &chosen)?;
    let mut groups = Vec::with_capacity(chosen.len());
    for &(key, segment, ordinal) in &chosen {
        // Each has the document itself.
        groups.push(match siblings.remove(&key) {
            // Members of a family may be in other languages, which do not hold the words.
            _ if key != 0 && request.by_family => members(snapshot, selected, (segment, ordinal), true)?,
            Some(siblings) => siblings,
            None => vec![(segment, ordinal)],
        });
    }
    let (mut passing, mut outcome) = (Passing::new(snapshot, request, exact), Outcome::default());
    for (n, group) in groups.iter().enumerate() {
        if let Some(soon) = groups.get(n + AHEAD) {
            passing.prefetch(soon[0]);
        }
        push_best(group, &mut passing, snapshot, request, &mut outcome)?;
    }
    outcome.rows_scored = passing.rows_scored;
    Ok(outcome)
}

/// Adds the most similar document of a group, with its best passages.
fn push_best(
    group: &[(usize, usize)],
    passing: &mut Passing,
    snapshot: &Snapshot,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<()> {
    let mut best: Option<(Hit, Passages)> = None;
    for &(n, ordinal) in group {
        let passages = passing.of((n, ordinal), None)?;
        let &(passage, score) = passages.first().expect("a document has passages");
        let hit = Hit::of(&snapshot.segments[n].0.facts(), n, ordinal, score, passage, request);
        if best.as_ref().is_none_or(|(other, _)| hit > *other) {
            best = Some((hit, passages));
        }
    }
    if let Some((hit, passages)) = best {
        outcome.keep_passages(&hit, passages);
        outcome.hits.push(hit);
    }
    Ok(())
}

type Keys = HashSet<u64, BuildHasherDefault<Mixed>>;
type Siblings = HashMap<u64, Vec<(usize, usize)>, BuildHasherDefault<Mixed>>;

/// A document that holds a word.
#[derive(Clone, Copy)]
struct Candidate {
    score: f32,
    /// Decides at equal scores, so that the order does not depend on the segments.
    key: u64,
    segment: u32,
    ordinal: u32,
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.key.cmp(&other.key))
    }
}

/// The documents with the best scores that a filter allows and that are not known, nor of the group of a known one, best first.
/// `known` has the keys of its groups, without 0.
fn best_of(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    (known, taken): (&[(usize, usize)], &Keys),
    request: &Request,
    most: usize,
) -> Result<Vec<Candidate>> {
    let place_of = |segment: usize, ordinal: usize| (segment as u64) << 32 | ordinal as u64;
    let places: Keys = known.iter().map(|&(segment, ordinal)| place_of(segment, ordinal)).collect();
    let mut best = Top::new(most);
    for (n, sums) in scores.segments.iter().enumerate() {
        let segment = &snapshot.segments[n].0;
        let (keys, scores) = (segment.doc_key(), sums.values());
        let groups = if request.dedupe { Some(keys_of(segment, request.by_family)?) } else { None };
        for &ordinal in sums.touched() {
            let (score, at) = (scores[ordinal as usize], ordinal as usize);
            // Almost all documents fail the first test, which reads nothing else of them.
            if score >= best.least
                && selected[n].docs.contains(at)
                && !places.contains(&place_of(n, at))
                && groups.is_none_or(|groups| !taken.contains(&groups[at]))
            {
                best.push(Candidate { score, key: keys[at], segment: n as u32, ordinal });
            }
        }
    }
    Ok(best.finish())
}

/// The best of many candidates.
struct Top {
    most: usize,
    kept: Vec<Candidate>,
    /// A candidate with a lower score is not among the best.
    least: f32,
}

impl Top {
    fn new(most: usize) -> Self {
        Top { most, kept: Vec::with_capacity(WAITING * most), least: 0.0 }
    }

    fn push(&mut self, candidate: Candidate) {
        self.kept.push(candidate);
        if self.kept.len() == WAITING * self.most {
            self.kept.select_nth_unstable_by(self.most - 1, Candidate::order);
            self.kept.truncate(self.most);
            self.least = self.kept[self.most - 1].score;
        }
    }

    /// Best first.
    fn finish(mut self) -> Vec<Candidate> {
        self.kept.sort_unstable_by(Candidate::order);
        self.kept.truncate(self.most);
        self.kept
    }
}

/// The documents with a word that are of the applications of the chosen ones, these included, by key: the most similar publication
/// represents an application. One that lacks the words would get no lexical score, and the application would fall behind.
fn siblings_of(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    request: &Request,
    chosen: &[(u64, usize, usize)],
) -> Result<Siblings> {
    let mut siblings = Siblings::default();
    if !request.dedupe || request.by_family {
        return Ok(siblings);
    }
    let keys: Keys = chosen.iter().map(|&(key, ..)| key).filter(|&key| key != 0).collect();
    // One bit for the last bits of each key tells nearly all other documents apart.
    let mut marks = [0u64; MARKS / 64];
    keys.iter().for_each(|key| marks[*key as usize % MARKS / 64] |= 1 << (key % 64));
    for (n, sums) in scores.segments.iter().enumerate() {
        let applications = snapshot.segments[n].0.application();
        for &ordinal in sums.touched() {
            let ordinal = ordinal as usize;
            let key = applications[ordinal];
            let is_marked = marks[key as usize % MARKS / 64] >> (key % 64) & 1 == 1;
            if is_marked && keys.contains(&key) && selected[n].docs.contains(ordinal) {
                siblings.entry(key).or_default().push((n, ordinal));
            }
        }
    }
    Ok(siblings)
}

/// The key of the group of a document; 0 if it is a result by itself.
fn key_of(snapshot: &Snapshot, request: &Request, segment: usize, ordinal: usize) -> Result<u64> {
    match request.dedupe {
        true => Ok(keys_of(&snapshot.segments[segment].0, request.by_family)?[ordinal]),
        false => Ok(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_top_is_that_of_a_sorted_list(scores in prop::collection::vec(1u8..20, 0..300), most in 1usize..20) {
            let candidate = |(n, &score): (usize, &u8)| {
                let key = (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                Candidate { score: score as f32, key, segment: 0, ordinal: n as u32 }
            };
            let mut all: Vec<Candidate> = scores.iter().enumerate().map(candidate).collect();
            let mut top = Top::new(most);
            for candidate in &all {
                if candidate.score >= top.least {
                    top.push(*candidate);
                }
            }
            all.sort_by(Candidate::order);
            let ordinals = |list: &[Candidate]| list.iter().map(|one| one.ordinal).collect::<Vec<_>>();
            prop_assert_eq!(ordinals(&top.finish()), ordinals(&all[..most.min(all.len())]));
        }
    }
}
