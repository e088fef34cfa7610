//! How many documents reach a threshold, before it is decided how they are looked for: most statistics count few of
//! those that a filter allows.

use super::{check_query, Selected, Snapshot};
use crate::{vectors, Result};

/// How many documents ahead rows are fetched into the cache.
const AHEAD: usize = 4;

/// Of about `size` documents, evenly out of all allowed ones: how many were looked at, and how many of them score
/// `min_score` or more. The same ones whenever it is asked.
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
