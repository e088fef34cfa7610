//! Documents that hold the words of a question, beside those whose vectors are near.

use super::group::{keys_of, members, scored};
use super::{Hit, Request, Selected, Snapshot};
use crate::lexical::score::Scores;
use crate::Result;
use std::collections::HashSet;

/// Of documents with equal lexical scores at the end of the list, so many more are looked at for
/// each that is wanted, because an application and its grant become one.
const EACH: usize = 2;

/// The documents with the best lexical scores that a filter allows and `known` does not have, with
/// the exact scores of their vectors; at most `request.documents`, best lexical score first. A known
/// hit stands for its application or family.
pub fn beside(
    snapshot: &Snapshot,
    selected: &[Selected],
    scores: &Scores,
    known: &[Hit],
    request: &Request,
) -> Result<Vec<Hit>> {
    let places: HashSet<(u32, u32)> = known.iter().map(|hit| (hit.segment, hit.ordinal)).collect();
    let mut candidates = Vec::new();
    for (n, found) in scores.found.iter().enumerate() {
        let keys = snapshot.segments[n].0.doc_key();
        for &ordinal in found.iter().filter(|&&ordinal| selected[n].docs.contains(ordinal as usize)) {
            if !places.contains(&(n as u32, ordinal)) {
                let score = scores.segments[n][ordinal as usize];
                candidates.push((score, keys[ordinal as usize], n as u32, ordinal));
            }
        }
    }
    let better = |a: &(f32, u64, u32, u32), b: &(f32, u64, u32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let most = request.documents * EACH;
    if candidates.len() > most && most > 0 {
        candidates.select_nth_unstable_by(most - 1, better);
        candidates.truncate(most);
    }
    candidates.sort_unstable_by(better);
    let mut taken: HashSet<u64> = HashSet::new();
    for hit in known {
        taken.insert(key_of(snapshot, request, hit.segment as usize, hit.ordinal as usize)?);
    }
    let mut hits: Vec<Hit> = Vec::new();
    for &(_, _, segment, ordinal) in &candidates {
        let place = (segment as usize, ordinal as usize);
        let key = key_of(snapshot, request, place.0, place.1)?;
        if hits.len() == request.documents || key != 0 && !taken.insert(key) {
            continue;
        }
        let mut best = scored(snapshot, request, place.0, place.1)?;
        if key != 0 {
            // The most similar publication represents its group, also if it holds fewer words.
            for (segment, ordinal) in members(snapshot, selected, place, request.by_family)? {
                best = best.max(scored(snapshot, request, segment, ordinal)?);
            }
        }
        hits.push(best);
    }
    Ok(hits)
}

/// The key of the group of a document; 0 if it is a result by itself.
fn key_of(snapshot: &Snapshot, request: &Request, segment: usize, ordinal: usize) -> Result<u64> {
    match request.dedupe {
        true => Ok(keys_of(&snapshot.segments[segment].0, request.by_family)?[ordinal]),
        false => Ok(0),
    }
}
