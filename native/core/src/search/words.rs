//! Documents that hold the words of a question, beside those whose vectors are near.

use super::best::Mixed;
use super::group::{keys_of, members, scored};
use super::{Hit, Request, Selected, Snapshot};
use crate::lexical::score::Scores;
use crate::Result;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// Candidates for each wanted document: an application and its grant become one result.
const EACH: usize = 2;

/// The documents with the best lexical scores that a filter allows and `known` does not have, with
/// the exact scores of their vectors; at most `request.documents`, best lexical score first. A known
/// document (number of the segment, ordinal) stands for its application or family.
pub fn beside(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    known: &[(usize, usize)],
    request: &Request,
) -> Result<Vec<Hit>> {
    let place_of = |segment: usize, ordinal: usize| (segment as u64) << 32 | ordinal as u64;
    let places: Keys = known.iter().map(|&(segment, ordinal)| place_of(segment, ordinal)).collect();
    let mut candidates = Vec::new();
    for (n, found) in scores.found.iter().enumerate() {
        let keys = snapshot.segments[n].0.doc_key();
        for &ordinal in found.iter().filter(|&&ordinal| selected[n].docs.contains(ordinal as usize)) {
            if !places.contains(&place_of(n, ordinal as usize)) {
                let score = scores.segments[n][ordinal as usize];
                candidates.push((score, keys[ordinal as usize], n as u32, ordinal));
            }
        }
    }
    let better = |a: &(f32, u64, u32, u32), b: &(f32, u64, u32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let most = (request.documents * EACH).min(candidates.len());
    if most > 0 && most < candidates.len() {
        candidates.select_nth_unstable_by(most - 1, better);
    }
    candidates[..most].sort_unstable_by(better);
    let mut taken = Keys::default();
    for &(segment, ordinal) in known {
        taken.insert(key_of(snapshot, request, segment, ordinal)?);
    }
    let mut chosen = Vec::with_capacity(request.documents);
    for &(_, _, segment, ordinal) in &candidates[..most] {
        let (segment, ordinal) = (segment as usize, ordinal as usize);
        let key = key_of(snapshot, request, segment, ordinal)?;
        if chosen.len() < request.documents && (key == 0 || taken.insert(key)) {
            chosen.push((key, segment, ordinal));
        }
    }
    let siblings = siblings_of(snapshot, request, &chosen, &candidates)?;
    let mut hits = Vec::with_capacity(chosen.len());
    for &(key, segment, ordinal) in &chosen {
        let mut best = scored(snapshot, request, segment, ordinal)?;
        if key != 0 && request.by_family {
            // Members of a family may be in other languages, which do not hold the words.
            for (segment, ordinal) in members(snapshot, selected, (segment, ordinal), true)? {
                best = best.max(scored(snapshot, request, segment, ordinal)?);
            }
        }
        for &(segment, ordinal) in siblings.get(&key).into_iter().flatten() {
            best = best.max(scored(snapshot, request, segment, ordinal)?);
        }
        hits.push(best);
    }
    Ok(hits)
}

type Keys = HashSet<u64, BuildHasherDefault<Mixed>>;
type Siblings = HashMap<u64, Vec<(usize, usize)>, BuildHasherDefault<Mixed>>;

/// Other candidates of the applications of the chosen documents, by key: the most similar publication
/// represents an application. All publications of an application hold its words.
fn siblings_of(
    snapshot: &Snapshot,
    request: &Request,
    chosen: &[(u64, usize, usize)],
    candidates: &[(f32, u64, u32, u32)],
) -> Result<Siblings> {
    let mut siblings = Siblings::default();
    if !request.dedupe || request.by_family {
        return Ok(siblings);
    }
    let keys: Keys = chosen.iter().map(|&(key, ..)| key).filter(|&key| key != 0).collect();
    for &(_, _, segment, ordinal) in candidates {
        let (segment, ordinal) = (segment as usize, ordinal as usize);
        let key = snapshot.segments[segment].0.application()[ordinal];
        if keys.contains(&key) {
            siblings.entry(key).or_default().push((segment, ordinal));
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
