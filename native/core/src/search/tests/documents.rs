//! Searches by sketches: what they return is exact, and little is missed.

use super::*;
use std::collections::HashSet;

const DIMENSIONS: usize = 64;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f32) as usize).min(n - 1)
    }

    fn normal(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| (0..6).map(|_| self.next()).sum::<f32>() - 3.0).collect()
    }

    /// Some of each part, of length 1.
    fn mixed(&mut self, parts: &[(f32, &[f32])]) -> Vec<f32> {
        let noise = self.normal();
        let sum = |n: usize| noise[n] * 0.45 + parts.iter().map(|(share, part)| share * part[n]).sum::<f32>();
        let vector: Vec<f32> = (0..DIMENSIONS).map(sum).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.into_iter().map(|x| x / length).collect()
    }
}

/// Documents about topics, with passages about the document; queries about topics.
struct Corpus {
    docs: Vec<Vec<Vec<f32>>>,
    queries: Vec<Vec<f32>>,
}

/// The same deviations for documents of one passage and of several.
fn alike(deviations: f32) -> Deviations {
    Deviations { one: deviations, several: deviations }
}

fn corpus(docs: usize, passages: usize) -> Corpus {
    let mut random = Random(3);
    let topics: Vec<Vec<f32>> = (0..60).map(|_| random.normal()).collect();
    let docs = (0..docs).map(|n| {
        let about = random.normal();
        let topic = topics[n % topics.len()].clone();
        let count = 1 + random.below(2 * passages - 1);
        (0..count).map(|_| random.mixed(&[(0.7, &topic), (0.7, &about)])).collect()
    });
    let docs = docs.collect();
    let queries = (0..40).map(|n| random.mixed(&[(1.0, &topics[n])])).collect();
    Corpus { docs, queries }
}

fn segment(path: &Path, docs: &[Vec<Vec<f32>>], first: usize) -> Segment {
    let mut builder = SegmentBuilder::create(path, DIMENSIONS, Vec::new()).unwrap();
    for (n, rows) in docs.iter().enumerate() {
        let new = NewDocument {
            id: (first + n) as u32,
            patent_id: &format!("P{}", first + n),
            application: if n % 7 == 0 { "twin" } else { "" },
            grant: n % 2 == 0,
            vectors: &rows.concat(),
            bags: None,
            texts: None,
        };
        builder.push(&new, &[]).unwrap();
    }
    builder.finish().unwrap();
    Segment::open(path).unwrap()
}

/// A snapshot of several segments, without every `gone`th document.
fn snapshot(dir: &Path, docs: &[Vec<Vec<f32>>], parts: usize, gone: usize) -> Snapshot {
    let length = docs.len().div_ceil(parts);
    let of = |(n, docs): (usize, &[Vec<Vec<f32>>])| {
        let segment = segment(&dir.join(format!("{n}")), docs, n * length);
        let mut deleted = Bitmap::empty(segment.docs());
        (0..segment.docs()).filter(|ordinal| gone > 0 && ordinal % gone == 0).for_each(|o| deleted.insert(o));
        (Arc::new(segment), deleted)
    };
    Snapshot { segments: docs.chunks(length).enumerate().map(of).collect() }
}

fn allowed(snapshot: &Snapshot, every: usize) -> Vec<Selected> {
    let mut selected = snapshot.select(&[]).unwrap();
    for (part, (segment, _)) in selected.iter_mut().zip(&snapshot.segments) {
        (0..segment.docs())
            .filter(|ordinal| ordinal % every != 0)
            .for_each(|ordinal| part.docs.remove(ordinal));
        part.doc_count = part.docs.count();
        part.row_count = count_rows(segment, &part.docs);
    }
    selected
}

/// A count of few documents must not miss one that barely reaches the threshold, although each has one passage only.
#[test]
fn counts_with_wide_bounds_miss_next_to_nothing() {
    let Corpus { docs, queries } = corpus(1_500, 8);
    let docs: Vec<_> = docs.into_iter().flatten().map(|passage| vec![passage]).collect();
    let dir = tempfile::tempdir().unwrap();
    let snapshot = snapshot(dir.path(), &docs, 2, 0);
    let selected = allowed(&snapshot, 1);
    let (mut counted, mut missed) = (0, [0, 0]);
    for query in &queries {
        for min_score in [0.3, 0.4, 0.5, 0.6, 0.7] {
            let request = Request {
                query,
                documents: 200,
                chunks: 1,
                dedupe: false,
                by_family: false,
                shown: None,
                min_score,
            };
            let count = |scan| search(&snapshot, &selected, &[scan; 2], &request).unwrap().hits.len();
            let exact = count(Scan::Exact);
            counted += exact;
            for (n, deviations) in [2.5, 5.0].map(alike).into_iter().enumerate() {
                missed[n] += exact - count(Scan::Documents(deviations));
            }
        }
    }
    assert!(counted > 10_000);
    // Narrower bounds miss three.
    assert!(missed[1] <= 1, "{missed:?} of {counted}");
}

#[test]
fn little_is_missed_and_every_score_is_exact() {
    let Corpus { docs, queries } = corpus(3_000, 12);
    let dir = tempfile::tempdir().unwrap();
    for (parts, gone, every) in [(1, 0, 1), (4, 3, 1), (1, 0, 10), (3, 3, 20)] {
        let folder = dir.path().join(format!("{parts} {every}"));
        std::fs::create_dir(&folder).unwrap();
        let snapshot = snapshot(&folder, &docs, parts, gone);
        let selected = allowed(&snapshot, every);
        for (documents, one, several) in [(10, 3.0, 1.5), (50, 3.0, 1.5), (200, 2.0, 0.5), (2_000, 4.0, 2.0)]
        {
            let deviations = Deviations { one, several };
            let (mut good, mut all, mut visited) = (0, 0, 0);
            for query in &queries {
                let request = Request {
                    query,
                    documents,
                    chunks: 3,
                    dedupe: true,
                    by_family: false,
                    shown: None,
                    min_score: if documents == 2_000 { 0.3 } else { -2.0 },
                };
                let run = |scan| search(&snapshot, &selected, &vec![scan; parts], &request).unwrap();
                let (truth, found) = (run(Scan::Exact), run(Scan::Documents(deviations)));
                let key = |hit: &Hit| (hit.segment, hit.ordinal, hit.passage, hit.score.to_bits());
                let true_keys: HashSet<_> = truth.hits.iter().take(50).map(key).collect();
                good += found.hits.iter().filter(|hit| true_keys.contains(&key(hit))).count();
                all += true_keys.len();
                visited += found.visited;
                assert!(found.hits.is_sorted_by(|a, b| a >= b));
                for hit in &found.hits {
                    let (segment, rows) = (&snapshot.segments[hit.segment as usize].0, hit.ordinal as usize);
                    assert!(selected[hit.segment as usize].docs.contains(rows));
                    let passages = found.best_passages(&snapshot, hit, &request);
                    assert_eq!(passages[0], (hit.passage, hit.score));
                    let exact = ranked(segment, segment.rows_of(rows), query, 3);
                    assert_eq!(passages.len(), exact.len());
                    for &(number, score) in passages.iter() {
                        let row = segment.rows_of(rows).start + number as usize;
                        assert_eq!(score, vectors::dot(query, segment.rows(row..row + 1)));
                    }
                }
            }
            let recall = good as f64 / all as f64;
            let case = format!("{parts} segments, every {every}th, {documents} documents");
            assert!(recall > 0.985, "{case}: recall {recall}");
            if (every, documents) == (1, 10) {
                assert!(visited < queries.len() * docs.len() / 4, "{case}: {visited} documents visited");
            }
        }
    }
}

/// As of a patent with a long sequence listing: hundreds of passages are nearly equal, and a few are about the subject.
#[test]
fn passages_that_stand_out_are_not_missed() {
    let Corpus { mut docs, queries } = corpus(1_000, 12);
    let mut random = Random(5);
    let listing = random.normal();
    for (n, query) in queries.iter().enumerate() {
        let mut rows: Vec<_> = (0..100 + 20 * n).map(|_| random.mixed(&[(4.0, &listing)])).collect();
        rows.extend((0..4).map(|_| random.mixed(&[(8.0, query)])));
        docs.push(rows);
    }
    let dir = tempfile::tempdir().unwrap();
    let snapshot = snapshot(dir.path(), &docs, 1, 0);
    let selected = allowed(&snapshot, 1);
    for (n, query) in queries.iter().enumerate() {
        let request = Request {
            query,
            documents: 10,
            chunks: 1,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score: -2.0,
        };
        let scan = Scan::Documents(Deviations { one: 2.0, several: 0.5 });
        let found = search(&snapshot, &selected, &[scan], &request).unwrap();
        assert_eq!(found.hits[0].ordinal as usize, 1_000 + n);
    }
}

#[test]
fn damaged_sketches_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    let docs = corpus(300, 4).docs;
    let at = |name: &str| {
        let segment = segment(&path, &docs, 0);
        segment.file().range_of(name).unwrap()
    };
    for name in ["sketch.docs", "sketch.rows"] {
        let range = at(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[(range.start + range.end) / 2] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        let segment = Segment::open(&path).unwrap();
        let deleted = Bitmap::empty(segment.docs());
        let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
        let query = &docs[150][0];
        let request = Request {
            query,
            documents: 300,
            chunks: 1,
            dedupe: false,
            by_family: false,
            shown: None,
            min_score: -2.0,
        };
        let found = snapshot.select(&[]).and_then(|selected| {
            search(&snapshot, &selected, &[Scan::Documents(alike(5.0))], &request).map(drop)
        });
        assert!(matches!(found, Err(Error::Corrupt { .. })), "{name}: {found:?}");
    }
}
