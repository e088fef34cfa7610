//! Tests of searches by estimates: estimates are used according to their error, and only lists near
//! the query are probed.

use super::index::{Estimating, LISTS};
use super::{write, Doc, DIMENSIONS};
use crate::bitmap::Bitmap;
use crate::filter::{Clause, Test as FilterTest};
use crate::search::{search, Outcome, Request, Scan, Snapshot};
use crate::segment::{Effort, Segment};
use std::path::Path;
use std::sync::Arc;

/// 5,000 documents with 1 to 7 passages. The documents of the first half are linked with their
/// grants.
fn many(dir: &Path) -> Vec<Segment> {
    let mut state = 7u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let docs: Vec<Doc> = (0..5000u32)
        .map(|n| {
            let rows = 1 + n as usize % 7;
            let middle: Vec<f32> = (0..DIMENSIONS).map(|_| uniform() - 0.5).collect();
            let vectors = (0..rows * DIMENSIONS).map(|i| middle[i % DIMENSIONS] + 0.4 * (uniform() - 0.5));
            Doc {
                country: if n % 3 == 0 { "KR" } else { "US" },
                day: n as i32 % 365,
                application: (n % 200) as u8,
                grant: n % 2 == 0,
                vectors: vectors.collect(),
            }
        })
        .collect();
    let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32, d)).collect();
    let parts = [&numbered[..3000], &numbered[3000..]];
    parts.iter().enumerate().map(|(n, part)| write(&dir.join(n.to_string()), part)).collect()
}

/// Rough estimates must neither lose good documents nor cause all documents to be scored exactly.
#[test]
fn rough_estimates_are_believed_as_far_as_they_deserve() {
    let dir = tempfile::tempdir().unwrap();
    let segments = many(dir.path());
    // Estimates like those of codes: with an error of about `deviation`, and 0.1 too low.
    let with = |deviation: f32, with_codes: bool| {
        let arm = |mut segment: Segment| {
            let mut state = 1u32;
            let mut uniform = move || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32
            };
            let mut normal = || (0..4).map(|_| uniform()).sum::<f32>() * 1.732 - 3.464;
            let errors = (0..segment.passages()).map(|_| deviation * normal() - 0.1).collect();
            segment.ann = Some(Box::new(Estimating { errors, with_codes, ..Estimating::exactly(&segment) }));
            let deleted = Bitmap::empty(segment.docs());
            (Arc::new(segment), deleted)
        };
        let again = [0, 1].map(|n| Segment::open(&dir.path().join(n.to_string())).unwrap());
        Snapshot { segments: again.into_iter().map(arm).collect() }
    };
    let rows: usize = segments.iter().map(Segment::passages).sum();
    for deviation in [0.0, 0.02, 0.08] {
        let (coded, plain) = (with(deviation, true), with(deviation, false));
        for country in [None, Some("KR")] {
            let test = country.map(|c: &str| FilterTest::Exact(vec![c.into()]));
            let clauses: Vec<Clause> =
                test.into_iter().map(|test| Clause { column: "country".into(), or: vec![], test }).collect();
            let selected = coded.select(&clauses).unwrap();
            for (documents, min_score) in [(10, -9.0), (50, -9.0), (600, -9.0), (600, 0.35)] {
                let effort = Effort { nprobe: LISTS, ef_search: 16 };
                let ann = Scan::Ann { k: documents * 2, effort };
                for (scan, snapshot) in [(Scan::Codes, &coded), (ann, &coded), (ann, &plain)] {
                    let (mut found, mut wanted, mut scored) = (0, 0, 0);
                    for seed in 0..6usize {
                        let query: Vec<f32> = (0..DIMENSIONS)
                            .map(|i| ((seed * 31 + i * 17) % 13) as f32 / 13.0 - 0.5)
                            .collect();
                        let request = Request {
                            query: &query,
                            documents,
                            chunks: 1,
                            dedupe: true,
                            by_family: false,
                            shown: None,
                            min_score,
                        };
                        let run = |scan| search(snapshot, &selected, &[scan; 2], &request).unwrap();
                        let (truth, outcome) = (run(Scan::Exact), run(scan));
                        let least = truth.hits.last().map_or(0.0, |hit| hit.score);
                        found += outcome.hits.iter().filter(|hit| hit.score >= least).count();
                        wanted += truth.hits.len();
                        scored += outcome.rows_scored;
                    }
                    let what = format!(
                        "{scan:?}, deviation {deviation}, {documents} of {country:?} from {min_score}"
                    );
                    // Documents are skipped by probability: one of sixty may be missed.
                    let missed = (wanted - found) as f64;
                    assert!(missed <= (0.005 * wanted as f64).max(1.0), "{what}: {found} of {wanted}");
                    if documents < 600 {
                        assert!(scored < rows * 6 / 4, "{what}: {scored} of {} scored", rows * 6);
                    }
                }
            }
        }
    }
}

/// Near lists with enough rows are probed alone. If a filter allows nothing in them, all lists are
/// probed.
#[test]
fn only_the_lists_near_to_the_query_are_probed() {
    // One passage for each document, so that document and row n are in list n % LISTS. Those of
    // list 1 are near the query.
    let docs: Vec<Doc> = (0..4000)
        .map(|n| {
            let near = n % LISTS == 1;
            let mut vectors = vec![0.0; DIMENSIONS];
            vectors[near as usize] = 1.0 - n as f32 / 8192.0;
            vectors[2] = 0.01;
            let country = if near { "KR" } else { "US" };
            Doc { country, day: n as i32 % 10, application: 0, grant: false, vectors }
        })
        .collect();
    let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32, d)).collect();
    let dir = tempfile::tempdir().unwrap();
    let mut segment = write(&dir.path().join("near"), &numbered);
    segment.ann =
        Some(Box::new(Estimating { list_scores: [0.1, 0.9, 0.2, 0.3], ..Estimating::exactly(&segment) }));
    let deleted = Bitmap::empty(segment.docs());
    let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
    let mut query = vec![0.0; DIMENSIONS];
    query[1] = 1.0;
    let scan = Scan::Ann { k: 1, effort: Effort { nprobe: 1, ef_search: 1 } };
    let run = |test: Option<Clause>, documents: usize, scan: Scan| {
        let selected = snapshot.select(test.as_slice()).unwrap();
        let request = Request {
            query: &query,
            documents,
            chunks: 1,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score: -9.0,
        };
        search(&snapshot, &selected, &[scan], &request).unwrap()
    };
    let country = |name: &str| Clause {
        column: "country".into(),
        or: vec![],
        test: FilterTest::Exact(vec![name.into()]),
    };
    let days = Clause {
        column: "filing_date".into(),
        or: vec![],
        test: FilterTest::Days { from: Some(3), to: Some(4) },
    };
    for (test, documents, rescanned, widened) in [
        (None, 20, 0, false),
        (Some(country("KR")), 20, 0, false),
        (Some(days), 20, 0, false),
        (Some(country("US")), 20, 1, false),
        (None, 1500, 0, true),
    ] {
        let found = run(test.clone(), documents, scan);
        let truth = run(test.clone(), documents, Scan::Exact);
        let scores = |outcome: &Outcome| outcome.hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
        assert_eq!(scores(&found), scores(&truth), "{documents} of {test:?}");
        assert_eq!((found.rescanned, found.widened > 0), (rescanned, widened), "{documents} of {test:?}");
    }
}

/// Many passages of one text come first, all with the same error. The search must not stop there.
#[test]
fn rows_of_one_text_say_nothing_of_others() {
    let mut docs: Vec<Doc> = (0..600)
        .map(|n| {
            let mut vectors = vec![0.0; DIMENSIONS];
            vectors[0] = if n < 300 { 0.5 } else { 0.1 + n as f32 / 8192.0 };
            Doc { country: "US", day: 1, application: 0, grant: false, vectors }
        })
        .collect();
    // Its estimate is lower than the others, its score higher.
    docs[7].vectors[0] = 0.515;
    let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32, d)).collect();
    let dir = tempfile::tempdir().unwrap();
    let mut segment = write(&dir.path().join("same"), &numbered);
    let mut index = Estimating::exactly(&segment);
    index.errors[7] = -5.0 / 256.0;
    segment.ann = Some(Box::new(index));
    let deleted = Bitmap::empty(segment.docs());
    let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
    let mut query = vec![0.0; DIMENSIONS];
    query[0] = 1.0;
    let selected = snapshot.select(&[]).unwrap();
    let effort = Effort { nprobe: LISTS, ef_search: 1 };
    for scan in [Scan::Ann { k: 1, effort }, Scan::Codes] {
        let request = Request {
            query: &query,
            documents: 10,
            chunks: 1,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score: -9.0,
        };
        let outcome = search(&snapshot, &selected, &[scan], &request).unwrap();
        assert_eq!(outcome.hits[0].ordinal, 7, "{scan:?}");
    }
}
