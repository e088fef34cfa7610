//! Documents that hold the words of a question, beside those whose vectors are near.

use super::{vectors, Hit, Request, Selected, Snapshot};
use crate::lexical::score::Scores;
use crate::Result;
use std::collections::HashSet;

/// Of documents with equal lexical scores at the end of the list, so many more are looked at for
/// each that is wanted, because an application and its grant become one.
const EACH: usize = 2;

/// The documents with the best lexical scores that a filter allows and `known` does not have, with
/// the exact scores of their vectors; at most `request.documents`, best lexical score first. Those of
/// an application of a known hit are left out, too.
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
    let mut taken: HashSet<u64> = match request.dedupe {
        true => applications(snapshot, known),
        false => HashSet::new(),
    };
    let mut hits: Vec<Hit> = Vec::new();
    for &(_, _, segment, ordinal) in &candidates {
        let hit = scored(snapshot, segment, ordinal, request)?;
        if hit.application == 0 || !taken.contains(&hit.application) {
            hits.push(hit);
        } else if let Some(same) = hits.iter_mut().find(|other| other.application == hit.application) {
            // The publication with the better similarity represents both.
            *same = hit.max(*same);
            continue;
        } else {
            continue;
        }
        if hit.application != 0 {
            taken.insert(hit.application);
        }
    }
    hits.truncate(request.documents);
    Ok(hits)
}

fn applications(snapshot: &Snapshot, hits: &[Hit]) -> HashSet<u64> {
    let of = |hit: &Hit| snapshot.segments[hit.segment as usize].0.application()[hit.ordinal as usize];
    hits.iter().map(of).filter(|&application| application != 0).collect()
}

/// The hit of a document, with the exact score of its best passage.
pub fn scored(snapshot: &Snapshot, segment: u32, ordinal: u32, request: &Request) -> Result<Hit> {
    let open = &snapshot.segments[segment as usize].0;
    let facts = open.facts();
    let rows = facts.rows_of(ordinal as usize);
    open.verify_rows(rows.clone())?;
    let mut best = Hit { segment, ordinal, score: f32::NEG_INFINITY, ..Hit::UNSCORED };
    for (row, n) in facts.rows(rows).chunks_exact(facts.dimensions).zip(0..) {
        let score = vectors::dot(request.query, row);
        if score > best.score {
            (best.score, best.passage) = (score, n);
        }
    }
    best.key = Hit::key_of(&facts, ordinal as usize);
    best.application = if request.dedupe { facts.application[ordinal as usize] } else { 0 };
    Ok(best)
}
