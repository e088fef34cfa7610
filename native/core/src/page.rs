//! Pages of a ranking, ordered by the scores that are shown.

use crate::search::{Hit, Outcome, Snapshot};
use crate::shown::ShownScore;
use crate::stats::days;
use crate::Result;
use std::cmp::Reverse;

/// Hits `offset..offset + limit`, ordered by shown score, then by publication date (newest first),
/// then by patent_id.
///
/// # Errors
/// If a segment lacks the columns `publication_date` or `patent_id`, or they are damaged.
pub fn page(
    snapshot: &Snapshot,
    hits: &[Hit],
    shown: &ShownScore,
    offset: usize,
    limit: usize,
) -> Result<Vec<Hit>> {
    let published = days(snapshot, hits, "publication_date")?;
    let columns = snapshot
        .segments
        .iter()
        .map(|(segment, _)| segment.keywords("patent_id"))
        .collect::<Result<Vec<_>>>()?;
    let name = |hit: &Hit| -> &str {
        let column = &columns[hit.segment as usize];
        column.of_doc(hit.ordinal as usize).first().map_or("", |&term| column.term(term))
    };
    let place = |(hit, day): (&Hit, i32)| (Reverse((shown.of(hit.score), day)), *hit);
    let mut sorted: Vec<_> = hits.iter().zip(published).map(place).collect();
    // Names are looked up only if all else is equal, which is rare.
    sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| name(&a.1).cmp(name(&b.1))));
    Ok(sorted.into_iter().skip(offset).take(limit).map(|(_, hit)| hit).collect())
}

/// Additional documents of the first search, to check whether documents with equal shown scores lie
/// on both sides of the last rank.
const TIES: usize = 64;

/// The best `wanted` documents in the order of `page`. A search does not order equal shown scores by
/// date. More than `wanted` documents are therefore searched for, until the shown score of the last
/// is less than that of the last wanted one. `search` finds the best `n` documents, best first.
///
/// # Errors
/// Errors of `search` and `page`.
pub fn best(
    snapshot: &Snapshot,
    shown: &ShownScore,
    wanted: usize,
    mut search: impl FnMut(usize) -> Result<Outcome>,
) -> Result<Outcome> {
    let mut ties = TIES;
    loop {
        let asked = wanted.saturating_add(ties);
        let mut outcome = search(asked)?;
        let hits = &outcome.hits;
        let splits = |last: &Hit| shown.of(last.score) == shown.of(hits[wanted - 1].score);
        if wanted > 0 && hits.len() == asked && hits.last().is_some_and(splits) {
            ties = ties.saturating_mul(16);
            continue;
        }
        outcome.hits = page(snapshot, &outcome.hits, shown, 0, wanted)?;
        return Ok(outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitmap::Bitmap;
    use crate::columns::NO_DAY;
    use crate::segment::{ColumnKind, ColumnSpec, NewDocument, Segment, SegmentBuilder, Value};
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::Arc;

    #[derive(Clone, Debug)]
    struct Document {
        score: f32,
        day: i32,
    }

    /// Names descend while ids ascend, so that a test cannot confuse the two orders.
    fn name_of(id: usize) -> String {
        format!("US{}", 1000 - id)
    }

    fn segment(path: &Path, documents: &[Document], first: usize) -> Segment {
        let specs = vec![
            ColumnSpec { name: "patent_id".into(), kind: ColumnKind::Keyword },
            ColumnSpec { name: "publication_date".into(), kind: ColumnKind::Date },
        ];
        let mut builder = SegmentBuilder::create(path, 1, specs).unwrap();
        for (n, document) in documents.iter().enumerate() {
            let patent_id = name_of(first + n);
            let new = NewDocument {
                id: (first + n) as u32,
                patent_id: &patent_id,
                application: "",
                grant: false,
                vectors: &[1.0],
                bags: None,
                texts: None,
            };
            let values = [Value::Keywords(vec![(&patent_id, &patent_id)]), Value::Day(document.day)];
            builder.push(&new, &values).unwrap();
        }
        builder.finish().unwrap();
        Segment::open(path).unwrap()
    }

    const SHOWN: ShownScore = ShownScore { midpoint: 0.5, slope: 10.0, decimals: 3 };

    proptest! {
        #[test]
        fn equals_a_sort_by_what_is_shown(
            documents in prop::collection::vec(
                // Exact scores differ while shown scores are equal; few days, so that names decide.
                ((0u8..4, 0u8..3), prop_oneof![Just(NO_DAY), 0..3i32]).prop_map(|((step, hair), day)| Document {
                    score: step as f32 / 4.0 + hair as f32 * 1e-6,
                    day,
                }),
                1..150,
            ),
            cut in 0usize..40,
            offset in 0usize..45,
            limit in 0usize..45,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let cut = cut.min(documents.len() - 1);
            let parts = [(0, &documents[..cut]), (cut, &documents[cut..])];
            let open = |(first, part): &(usize, &[Document])| {
                let opened = segment(&dir.path().join(first.to_string()), part, *first);
                let deleted = Bitmap::empty(opened.docs());
                (Arc::new(opened), deleted)
            };
            let snapshot =
                Snapshot { segments: parts.iter().filter(|(_, part)| !part.is_empty()).map(open).collect() };
            let id = |hit: &Hit| snapshot.segments[hit.segment as usize].0.doc_id()[hit.ordinal as usize] as usize;
            let mut hits = snapshot.all_of(&snapshot.select(&[]).unwrap());
            for hit in &mut hits {
                hit.score = documents[id(hit)].score;
                hit.rank = SHOWN.rank(hit.score);
            }
            let mut expected: Vec<usize> = (0..documents.len()).collect();
            expected.sort_by_key(|&n| {
                let similarity = 1.0 / (1.0 + (-10.0 * (documents[n].score as f64 - 0.5)).exp());
                (-(similarity * 1000.0).round() as i64, Reverse(documents[n].day), name_of(n))
            });
            let expected: Vec<usize> = expected.into_iter().skip(offset).take(limit).collect();
            let found = page(&snapshot, &hits, &SHOWN, offset, limit).unwrap();
            prop_assert_eq!(found.iter().map(id).collect::<Vec<_>>(), expected);
            // A search gives the same documents at every cut.
            hits.sort_by(|a, b| b.cmp(a));
            let search = |n: usize| {
                let mut outcome = Outcome::default();
                outcome.hits = hits.iter().take(n).copied().collect();
                Ok(outcome)
            };
            let cut = best(&snapshot, &SHOWN, limit, search).unwrap().hits;
            let first = page(&snapshot, &hits, &SHOWN, 0, limit).unwrap();
            prop_assert_eq!(cut.iter().map(id).collect::<Vec<_>>(), first.iter().map(id).collect::<Vec<_>>());
        }
    }
}
