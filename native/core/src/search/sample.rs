//! Estimates how many documents reach a threshold, to choose a plan: most statistics count few of
//! the documents that a filter allows.

use super::{check_query, Selected, Snapshot};
use crate::{vectors, Result};

/// Number of documents ahead for which rows are prefetched.
const AHEAD: usize = 4;

/// At most `size` documents, evenly spread over all allowed ones: number of the segment and ordinal.
/// The sample is always the same.
pub fn sample(snapshot: &Snapshot, selected: &[Selected], size: usize) -> Vec<(usize, usize)> {
    let total: usize = selected.iter().map(|part| part.doc_count).sum();
    let step = total.div_ceil(size.max(1)).max(1);
    let all = (0..snapshot.segments.len()).flat_map(|n| selected[n].docs.iter().map(move |doc| (n, doc)));
    all.skip((step - 1) / 2).step_by(step).collect()
}

/// Scores about `size` documents, evenly spread over all allowed ones. Returns the number of scored
/// documents, and of those that score `min_score` or more. The sample is always the same.
pub fn sample_above(
    snapshot: &Snapshot,
    selected: &[Selected],
    query: &[f32],
    min_score: f32,
    size: usize,
) -> Result<(usize, usize)> {
    check_query(query)?;
    let total: usize = selected.iter().map(|part| part.doc_count).sum();
    let step = total.div_ceil(size.max(1)).max(1);
    let (mut looked_at, mut above, mut skip) = (0, 0, step / 2);
    for ((segment, _), part) in snapshot.segments.iter().zip(selected) {
        let ordinals: Vec<usize> = part.docs.iter().skip(skip).step_by(step).collect();
        skip = (skip + ordinals.len() * step) - part.doc_count;
        let dimensions = segment.dimensions();
        for (n, &ordinal) in ordinals.iter().enumerate() {
            if let Some(&soon) = ordinals.get(n + AHEAD) {
                segment.rows(segment.rows_of(soon)).chunks_exact(dimensions).for_each(vectors::prefetch);
            }
            segment.verify_rows(segment.rows_of(ordinal))?;
            let mut rows = segment.rows(segment.rows_of(ordinal)).chunks_exact(dimensions);
            above += rows.any(|row| vectors::dot(query, row) >= min_score) as usize;
        }
        looked_at += ordinals.len();
    }
    Ok((looked_at, above))
}
