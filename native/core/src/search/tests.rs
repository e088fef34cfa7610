mod documents;
mod estimates;
mod index;

use super::*;
use crate::columns::NO_DAY;
use crate::filter::Test as FilterTest;
use crate::segment::{ColumnKind, ColumnSpec, NewDocument, SegmentBuilder, Value};
use half::f16;
use index::Estimating;
use proptest::prelude::*;
use std::path::Path;

#[derive(Clone, Debug)]
struct Doc {
    country: &'static str,
    day: i32,
    application: u8,
    grant: bool,
    vectors: Vec<f32>,
}

const DIMENSIONS: usize = 9;

fn docs() -> impl Strategy<Value = Vec<Doc>> {
    // Coarse values, so that equal scores are frequent.
    let row = prop::collection::vec((-3i8..=3).prop_map(|x| x as f32 / 2.0), DIMENSIONS);
    let doc = (
        prop::sample::select(vec!["US", "KR", "JP"]),
        prop_oneof![Just(NO_DAY), 0..20i32],
        0u8..12,
        any::<bool>(),
        prop::collection::vec(row, 1..4),
    )
        .prop_map(|(country, day, application, grant, rows)| Doc {
            country,
            day,
            application,
            grant,
            vectors: rows.concat(),
        });
    prop::collection::vec(doc, 1..40)
}

fn write(path: &Path, docs: &[(u32, &Doc)]) -> Segment {
    let specs = vec![
        ColumnSpec { name: "country".into(), kind: ColumnKind::Keyword },
        ColumnSpec { name: "filing_date".into(), kind: ColumnKind::Date },
    ];
    let mut builder = SegmentBuilder::create(path, DIMENSIONS, specs).unwrap();
    for (id, doc) in docs {
        let application = if doc.application == 0 { String::new() } else { doc.application.to_string() };
        let new = NewDocument {
            id: *id,
            patent_id: &format!("P{id}"),
            application: &application,
            grant: doc.grant,
            vectors: &doc.vectors,
            bags: None,
            texts: None,
        };
        let values = [Value::Keywords(vec![(doc.country, doc.country)]), Value::Day(doc.day)];
        builder.push(&new, &values).unwrap();
    }
    builder.finish().unwrap();
    Segment::open(path).unwrap()
}

/// The definition, without segments, heaps or bitmaps: (id, score).
fn by_brute_force(
    docs: &[Doc],
    deleted: &[u32],
    request: &Request,
    allow: &dyn Fn(&Doc) -> bool,
) -> Vec<(u32, f32)> {
    let Request { query, documents, dedupe, shown, min_score, .. } = *request;
    // By the shown score. Those that are shown as 0 keep their order.
    let order = |a: f32, b: f32| match shown {
        Some(shown) if shown.of(a) > 0 || shown.of(b) > 0 => shown.of(a).cmp(&shown.of(b)),
        _ => a.total_cmp(&b),
    };
    let mut scored: Vec<(u32, f32, u64)> = docs
        .iter()
        .enumerate()
        .filter(|(id, doc)| !deleted.contains(&(*id as u32)) && allow(doc))
        .map(|(id, doc)| {
            let score = doc
                .vectors
                .chunks(DIMENSIONS)
                .map(|row| row.iter().zip(query).map(|(&r, q)| f16::from_f32(r).to_f32() * q).sum::<f32>())
                .fold(f32::NEG_INFINITY, f32::max);
            let hash = xxhash_rust::xxh3::xxh3_64(format!("P{id}").as_bytes());
            // At equal scores, grants come first.
            (id as u32, score, (!doc.grant as u64) << 63 | hash >> 1)
        })
        .collect();
    scored.retain(|(_, score, _)| *score >= min_score);
    scored.sort_by(|a, b| order(b.1, a.1).then(a.2.cmp(&b.2)));
    if dedupe {
        let all = scored.clone();
        scored.retain(|(id, score, key)| {
            let doc = &docs[*id as usize];
            doc.application == 0
                || !all.iter().any(|(other, other_score, other_key)| {
                    let rival = &docs[*other as usize];
                    other != id
                        && rival.application == doc.application
                        && order(*other_score, *score).then(key.cmp(other_key)).is_gt()
                })
        });
    }
    scored.truncate(documents);
    scored.into_iter().map(|(id, score, _)| (id, score)).collect()
}

proptest! {
    #[test]
    fn equals_brute_force(
        docs in docs(),
        cuts in prop::collection::vec(0usize..40, 0..3),
        removed in prop::collection::vec(0u32..40, 0..6),
        query in prop::collection::vec((-3i8..=3).prop_map(|x| x as f32 / 2.0), DIMENSIONS),
        want in 1usize..15,
        dedupe in any::<bool>(),
        decimals in prop::option::of(0u32..3),
        way in 0u8..4,
        least in prop_oneof![Just(f32::NEG_INFINITY), (-6i8..6).prop_map(|x| x as f32)],
        country in prop::option::of(prop::sample::select(vec!["US", "KR", "CN"])),
        from in prop::option::of(0..20i32),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut borders: Vec<usize> = cuts.iter().map(|c| c % docs.len()).collect();
        borders.extend([0, docs.len()]);
        borders.sort_unstable();
        borders.dedup();
        let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32, d)).collect();
        let segments = borders.windows(2).enumerate().map(|(n, w)| {
            let mut segment = write(&dir.path().join(n.to_string()), &numbered[w[0]..w[1]]);
            if way > 0 {
                segment.ann = Some(Box::new(Estimating { with_codes: way > 1, ..Estimating::exactly(&segment) }));
            }
            let mut deleted = Bitmap::empty(segment.docs());
            for id in &removed {
                if let Some(ordinal) = segment.ordinal_of_id(*id) {
                    deleted.insert(ordinal);
                }
            }
            (Arc::new(segment), deleted)
        }).collect();
        let snapshot = Snapshot { segments };
        let mut clauses = Vec::new();
        if let Some(c) = country {
            clauses.push(Clause { column: "country".into(), or: vec![], test: FilterTest::Exact(vec![c.into()]) });
        }
        if from.is_some() {
            clauses.push(Clause { column: "filing_date".into(), or: vec![], test: FilterTest::Days { from, to: Some(15) } });
        }
        let selected = snapshot.select(&clauses).unwrap();
        let effort = Effort { nprobe: usize::MAX, ef_search: 16 };
        let ann = Scan::Ann { k: 1, effort };
        let scan = [Scan::Exact, ann, ann, Scan::Codes][way as usize];
        let shown = decimals.map(|decimals| ShownScore { midpoint: 2.0, slope: 0.5, decimals });
        let request = Request { query: &query, documents: want, chunks: 2, dedupe, by_family: false, shown, min_score: least };
        let outcome = search(&snapshot, &selected, &vec![scan; snapshot.segments.len()], &request).unwrap();
        let found: Vec<(u32, f32)> = outcome.hits.iter()
            .map(|h| (snapshot.segments[h.segment as usize].0.doc_id()[h.ordinal as usize], h.score)).collect();
        let allow = |d: &Doc| country.is_none_or(|c| c == d.country)
            && from.is_none_or(|f| d.day != NO_DAY && d.day >= f && d.day <= 15);
        prop_assert_eq!(found, by_brute_force(&docs, &removed, &request, &allow));
        let every = Request { documents: usize::MAX, dedupe: false, min_score: f32::NEG_INFINITY, ..request };
        let all = by_brute_force(&docs, &removed, &every, &allow);
        let above = all.iter().filter(|(_, score)| *score >= least).count();
        let sampled = |size| sample_above(&snapshot, &selected, &query, least, size).unwrap();
        prop_assert_eq!(sampled(docs.len()), (all.len(), above));
        let (looked_at, above_of_some) = sampled(want);
        prop_assert!(looked_at <= want && above_of_some <= above.min(looked_at));
        prop_assert!(2 * looked_at >= want.min(all.len()), "{looked_at} of {} scored, {want} wanted", all.len());
        for hit in &outcome.hits {
            let segment = &snapshot.segments[hit.segment as usize].0;
            let best = ranked(segment, segment.rows_of(hit.ordinal as usize), &query, 2);
            prop_assert_eq!(best[0], (hit.passage, hit.score));
            prop_assert_eq!(outcome.best_passages(&snapshot, hit, &request), best);
        }
    }

    #[test]
    fn the_best_are_kept(
        pushed in prop::collection::vec((0u8..30, 0u64..40, 0u64..12), 0..700),
        keep in 1usize..20,
        dedupe in any::<bool>(),
        settle_every in 1usize..400,
    ) {
        let min_score = f32::NEG_INFINITY;
        let mut best = Best::new(&Request { query: &[], documents: keep, chunks: 1, dedupe, by_family: false, shown: None, min_score });
        let mut all = Vec::new();
        for (n, &(score, key, application)) in pushed.iter().enumerate() {
            let hit = Hit { ordinal: n as u32, score: score as f32, rank: score as f64, key: key << 10 | n as u64, application, ..Hit::UNSCORED };
            best.push(hit);
            all.push(hit);
            if n % settle_every == 0 {
                best.settle();
            }
        }
        all.sort_by(|a, b| b.cmp(a));
        let mut expected: Vec<Hit> = Vec::new();
        for hit in all {
            let twin = dedupe && hit.application != 0;
            if expected.len() < keep && !(twin && expected.iter().any(|e| e.application == hit.application)) {
                expected.push(hit);
            }
        }
        best.settle();
        prop_assert_eq!(best.least(), if expected.len() == keep { expected[keep - 1].score } else { min_score });
        let ordinals = |hits: &[Hit]| hits.iter().map(|h| h.ordinal).collect::<Vec<_>>();
        prop_assert_eq!(ordinals(&best.finish()), ordinals(&expected));
    }
}

#[test]
fn merging_keeps_every_live_document() {
    let dir = tempfile::tempdir().unwrap();
    let make = |day| Doc {
        country: "US",
        day,
        application: 0,
        grant: false,
        vectors: vec![day as f32; DIMENSIONS * 2],
    };
    let docs: Vec<Doc> = (0..20).map(make).collect();
    let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32 * 3, d)).collect();
    let a = write(&dir.path().join("a"), &numbered[..8]);
    let b = write(&dir.path().join("b"), &numbered[8..]);
    let mut gone = Bitmap::empty(8);
    gone.insert(2);
    let (count, passages, _) =
        crate::segment::merge(&[(&a, &gone), (&b, &Bitmap::empty(12))], &dir.path().join("c")).unwrap();
    assert_eq!((count, passages), (19, 38));
    let merged = Segment::open(&dir.path().join("c")).unwrap();
    let ids: Vec<u32> = (0..20).filter(|n| *n != 2).map(|n| n * 3).collect();
    assert_eq!(merged.doc_id(), ids);
    assert!(merged.file().damaged_blocks().is_empty());
    for (ordinal, id) in ids.iter().enumerate() {
        let row = merged.rows(merged.rows_of(ordinal));
        assert!(row.iter().all(|&x| f16::from_bits(x).to_f32() == (*id / 3) as f32));
        assert_eq!(merged.keywords("country").unwrap().of_doc(ordinal), [0]);
        let (source, own) = if *id < 24 { (&a, id / 3) } else { (&b, id / 3 - 8) };
        let sketch = |segment: &Segment, ordinal: usize| {
            let sketches = segment.sketches().unwrap();
            let rows = segment.rows_of(ordinal);
            (sketches.docs(ordinal..ordinal + 1).to_vec(), sketches.rows(rows).to_vec())
        };
        assert_eq!(sketch(&merged, ordinal), sketch(source, own as usize));
    }
}

#[test]
fn numbers_without_a_finite_score_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    let with = |x: f32| {
        let vectors = vec![x; DIMENSIONS];
        let mut builder = SegmentBuilder::create(&path, DIMENSIONS, Vec::new()).unwrap();
        let new = NewDocument {
            id: 1,
            patent_id: "P1",
            application: "",
            grant: false,
            vectors: &vectors,
            bags: None,
            texts: None,
        };
        builder.push(&new, &[]).map(|()| builder.finish().unwrap())
    };
    // 65,520 would be rounded to infinity.
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 65_520.0, -65_520.0] {
        assert!(matches!(with(bad), Err(Error::Invalid(reason)) if reason.contains("P1")), "{bad}");
    }
    with(65_504.0).unwrap();
    let segment = Segment::open(&path).unwrap();
    let deleted = Bitmap::empty(segment.docs());
    let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
    let selected = snapshot.select(&[]).unwrap();
    let found = |x: f32| -> Result<_> {
        let query = [x; DIMENSIONS];
        let min_score = f32::NEG_INFINITY;
        let request = Request {
            query: &query,
            documents: 1,
            chunks: 1,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score,
        };
        let outcome = search(&snapshot, &selected, &[Scan::Exact], &request)?;
        Ok((outcome.hits.len(), sample_above(&snapshot, &selected, &query, 0.0, 1)?))
    };
    assert_eq!(found(0.1).unwrap(), (1, (1, 1)));
    for bad in [f32::NAN, f32::INFINITY] {
        assert!(matches!(found(bad), Err(Error::Invalid(_))), "{bad}");
        assert!(sample_above(&snapshot, &selected, &[bad; DIMENSIONS], 0.0, 1).is_err(), "{bad}");
    }
}
