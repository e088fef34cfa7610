//! Documents that hold the words of a question, beside those whose vectors are near.

use super::best::Mixed;
use super::group::{keys_of, members};
use super::passages::{Passages, Passing};
use super::{Hit, Outcome, Request, Selected, Snapshot};
use crate::lexical::score::Scores;
use crate::Result;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// Candidates for each wanted document: an application and its grant become one result.
const EACH: usize = 2;
/// Candidates that are collected before the best are chosen, as a multiple of those wanted.
const WAITING: usize = 4;
/// Number of documents ahead whose sketches are prefetched.
const AHEAD: usize = 4;

/// The documents with the best lexical scores that a filter allows and `known` does not have, with
/// the exact scores of their vectors; at most `request.documents`, best lexical score first. A known
/// document (number of the segment, ordinal) stands for its application or family. The most similar member represents a group,
/// whether it holds the words or not. If not `exact`, only
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
    let most = request.documents * EACH;
    let candidates = best_of(snapshot, selected, scores, known, most);
    let mut taken = Keys::default();
    for &(segment, ordinal) in known {
        taken.insert(key_of(snapshot, request, segment, ordinal)?);
    }
    let mut chosen = Vec::with_capacity(request.documents);
    for &Candidate { segment, ordinal, .. } in &candidates {
        let (segment, ordinal) = (segment as usize, ordinal as usize);
        let key = key_of(snapshot, request, segment, ordinal)?;
        if chosen.len() < request.documents && (key == 0 || taken.insert(key)) {
            chosen.push((key, segment, ordinal));
        }
    }
    let mut groups = Vec::with_capacity(chosen.len());
    for &(key, segment, ordinal) in &chosen {
        // Each has the document itself. A grant need not hold a word of its application, nor a member of a family in another
        // language.
        groups.push(match key {
            0 => vec![(segment, ordinal)],
            _ => members(snapshot, selected, (segment, ordinal), request.by_family)?,
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

/// The documents with the best scores that a filter allows and that are not known, best first.
fn best_of(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    known: &[(usize, usize)],
    most: usize,
) -> Vec<Candidate> {
    let place_of = |segment: usize, ordinal: usize| (segment as u64) << 32 | ordinal as u64;
    let places: Keys = known.iter().map(|&(segment, ordinal)| place_of(segment, ordinal)).collect();
    let mut best = Top::new(most);
    for (n, sums) in scores.segments.iter().enumerate() {
        let (keys, scores) = (snapshot.segments[n].0.doc_key(), sums.values());
        for &ordinal in sums.touched() {
            let (score, at) = (scores[ordinal as usize], ordinal as usize);
            // Almost all documents fail the first test, which reads nothing else of them.
            if score >= best.least && selected[n].docs.contains(at) && !places.contains(&place_of(n, at)) {
                best.push(Candidate { score, key: keys[at], segment: n as u32, ordinal });
            }
        }
    }
    best.finish()
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
    use crate::bitmap::Bitmap;
    use crate::segment::{ColumnKind, ColumnSpec, NewDocument, Segment, SegmentBuilder, Value};
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::Arc;

    /// A segment of one publication of an application.
    fn publication(path: &Path, id: u32, grant: bool, score: f32) -> (Arc<Segment>, Bitmap) {
        let spec = ColumnSpec { name: "application".into(), kind: ColumnKind::Keyword };
        let mut builder = SegmentBuilder::create(path, 1, vec![spec]).unwrap();
        let new = NewDocument {
            id,
            patent_id: &format!("P{id}"),
            application: "US:1",
            grant,
            vectors: &[score],
            bags: None,
            texts: None,
        };
        builder.push(&new, &[Value::Keywords(vec![("1", "1")])]).unwrap();
        builder.finish().unwrap();
        (Arc::new(Segment::open(path).unwrap()), Bitmap::empty(1))
    }

    #[test]
    fn a_publication_without_the_word_may_represent_its_application() {
        let dir = tempfile::tempdir().unwrap();
        // Only the application holds the word. Its grant may be as similar or more.
        for (of_grant, dedupe, best) in [(0.5, true, 1), (0.75, true, 1), (0.25, true, 0), (0.75, false, 0)] {
            let path = |name: &str| dir.path().join(name);
            let segments =
                vec![publication(&path("a"), 1, false, 0.5), publication(&path("b"), 2, true, of_grant)];
            let snapshot = Snapshot { segments };
            let mut selected = snapshot.select(&[]).unwrap();
            let scores = Scores::given(&snapshot, [((0, 0), 0.9)]);
            let request = Request {
                query: &[1.0],
                documents: 5,
                chunks: 1,
                dedupe,
                by_family: false,
                shown: None,
                min_score: f32::NEG_INFINITY,
            };
            let found = |selected: &[Selected]| {
                let hits = beside(&snapshot, selected, &scores, &[], &request, true).unwrap().hits;
                hits.iter().map(|hit| hit.segment).collect::<Vec<_>>()
            };
            assert_eq!(found(&selected), [best], "{of_grant} {dedupe}");
            // A filter that excludes the grant.
            selected[1].docs = Bitmap::empty(1);
            assert_eq!(found(&selected), [0]);
        }
    }

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
