use super::*;
use crate::columns::NO_DAY;
use crate::filter::Test as FilterTest;
use crate::segment::{Ann, Codes, ColumnKind, ColumnSpec, NewDocument, SegmentBuilder, Value, CODE_BLOCK};
use half::f16;
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
        };
        let values = [Value::Keywords(vec![(doc.country, doc.country)]), Value::Day(doc.day)];
        builder.push(&new, &values).unwrap();
    }
    builder.finish().unwrap();
    Segment::open(path).unwrap()
}

const STEP: f32 = 1.0 / 256.0;

/// Rows of every `LISTS`th number make a list.
const LISTS: usize = 4;

fn rows_of_list(list: usize, rows: usize) -> Vec<i64> {
    (list..rows).step_by(LISTS).map(|row| row as i64).collect()
}

/// A scan of some lists, out of the estimates of all rows.
fn scan_of(all: &[u16], lists: &[u32], out: &mut Vec<u16>, best: &mut Vec<u16>) {
    out.clear();
    for &list in lists {
        out.extend(rows_of_list(list as usize, all.len()).iter().map(|&row| all[row as usize]));
        out.resize(out.len().next_multiple_of(CODE_BLOCK), 0);
    }
    best.clear();
    best.extend(out.chunks(CODE_BLOCK).map(|block| block.iter().max().unwrap()));
}

/// Every row, best first, in an order of its own: an "approximate" index that is exact; with codes that are.
struct Honest {
    rows: Vec<u16>,
    lists: Vec<Vec<i64>>,
    with_codes: bool,
}

impl Honest {
    fn new(rows: Vec<u16>, with_codes: bool) -> Self {
        let lists = (0..LISTS).map(|list| rows_of_list(list, rows.len() / DIMENSIONS)).collect();
        Honest { rows, lists, with_codes }
    }
}

impl Codes for Honest {
    fn list_scores(&self, _: &[f32], out: &mut Vec<f32>) -> Result<()> {
        out.clear();
        out.resize(LISTS, 0.0);
        Ok(())
    }
    fn list_rows(&self, list: usize) -> &[i64] {
        &self.lists[list]
    }
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)> {
        let mut all = Vec::new();
        let scale = self.scan_all(query, &mut all)?;
        scan_of(&all, lists, out, best);
        Ok(scale)
    }
    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
        let scores = self.rows.chunks_exact(DIMENSIONS).map(|row| vectors::dot(query, row));
        out.clear();
        out.extend(scores.map(|score| ((score + 100.0) / STEP).round() as u16));
        Ok((STEP, -100.0))
    }
}

impl Ann for Honest {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        _: Effort,
    ) -> Result<Vec<(u32, f32)>> {
        let mut rows: Vec<(f32, u32)> = self
            .rows
            .chunks_exact(DIMENSIONS)
            .enumerate()
            .filter(|(n, _)| filter.is_none_or(|f| f.contains(*n)))
            .map(|(n, row)| (vectors::dot(query, row), n as u32))
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(rows.into_iter().take(k).map(|(score, row)| (row, score)).collect())
    }
    fn codes(&self) -> Option<&dyn Codes> {
        self.with_codes.then_some(self)
    }
    fn len(&self) -> usize {
        self.rows.len() / DIMENSIONS
    }
    fn lists(&self) -> usize {
        LISTS
    }
}

/// The definition, without segments, heaps or bitmaps: (id, score).
fn by_brute_force(
    docs: &[Doc],
    deleted: &[u32],
    want: usize,
    dedupe: bool,
    query: &[f32],
    allow: &dyn Fn(&Doc) -> bool,
) -> Vec<(u32, f32)> {
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
            // Of equal scores grants come first.
            (id as u32, score, (!doc.grant as u64) << 63 | hash >> 1)
        })
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
    if dedupe {
        let all = scored.clone();
        scored.retain(|(id, score, key)| {
            let doc = &docs[*id as usize];
            doc.application == 0
                || !all.iter().any(|(other, other_score, other_key)| {
                    let rival = &docs[*other as usize];
                    other != id
                        && rival.application == doc.application
                        && (other_score > score || other_score == score && other_key < key)
                })
        });
    }
    scored.truncate(want);
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
                segment.ann = Some(Box::new(Honest::new(segment.vectors().to_vec(), way > 1)));
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
            clauses.push(Clause { column: "country".into(), test: FilterTest::Exact(vec![c.into()]) });
        }
        if from.is_some() {
            clauses.push(Clause { column: "filing_date".into(), test: FilterTest::Days { from, to: Some(15) } });
        }
        let selected = snapshot.select(&clauses).unwrap();
        let effort = Effort { nprobe: usize::MAX, ef_search: 16 };
        let ann = Scan::Ann { k: 1, effort };
        let scan = [Scan::Exact, ann, ann, Scan::Codes][way as usize];
        let request = Request { query: &query, documents: want, chunks: 2, dedupe, min_score: least };
        let outcome = search(&snapshot, &selected, &vec![scan; snapshot.segments.len()], &request).unwrap();
        let found: Vec<(u32, f32)> = outcome.hits.iter()
            .map(|h| (snapshot.segments[h.segment as usize].0.doc_id()[h.ordinal as usize], h.score)).collect();
        let allow = |d: &Doc| country.is_none_or(|c| c == d.country)
            && from.is_none_or(|f| d.day != NO_DAY && d.day >= f && d.day <= 15);
        let mut expected = by_brute_force(&docs, &removed, want, dedupe, &query, &allow);
        expected.retain(|(_, score)| *score >= least);
        prop_assert_eq!(found, expected);
        for hit in &outcome.hits {
            let best = best_passages(&snapshot, hit, &query, 2);
            prop_assert_eq!(best[0].1, hit.score);
            prop_assert_eq!(best_passages(&snapshot, hit, &query, 1), vec![(hit.passage, hit.score)]);
        }
    }

    #[test]
    fn the_best_are_kept(
        pushed in prop::collection::vec((0u8..30, 0u64..40, 0u64..12), 0..700),
        keep in 1usize..20,
        dedupe in any::<bool>(),
        settle_every in 1usize..400,
    ) {
        let mut best = Best::new(keep, dedupe);
        let mut all = Vec::new();
        for (n, &(score, key, application)) in pushed.iter().enumerate() {
            let hit = Hit { ordinal: n as u32, score: score as f32, key: key << 10 | n as u64, application, ..Hit::UNSCORED };
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
        prop_assert_eq!(best.floor(), (expected.len() == keep).then(|| expected[keep - 1].score));
        let ordinals = |hits: &[Hit]| hits.iter().map(|h| h.ordinal).collect::<Vec<_>>();
        prop_assert_eq!(ordinals(&best.finish()), ordinals(&expected));
    }
}

/// Scores with an error of about `deviation`, and 0.1 too low, as codes have them.
struct Rough {
    rows: Vec<u16>,
    lists: Vec<Vec<i64>>,
    deviation: f32,
    with_codes: bool,
}

impl Rough {
    fn estimates<'a>(&'a self, query: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let mut state = 1u32;
        let mut uniform = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        self.rows.chunks_exact(DIMENSIONS).map(move |row| {
            let normal = (0..4).map(|_| uniform()).sum::<f32>() * 1.732 - 3.464;
            vectors::dot(query, row) - 0.1 + self.deviation * normal
        })
    }
}

impl Ann for Rough {
    fn candidates(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Bitmap>,
        _: Effort,
    ) -> Result<Vec<(u32, f32)>> {
        let rows = self.estimates(query).enumerate().map(|(row, score)| (row as u32, score));
        let mut rows: Vec<(u32, f32)> =
            rows.filter(|(row, _)| filter.is_none_or(|f| f.contains(*row as usize))).collect();
        rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        rows.truncate(k);
        Ok(rows)
    }
    fn codes(&self) -> Option<&dyn Codes> {
        self.with_codes.then_some(self)
    }
    fn len(&self) -> usize {
        self.rows.len() / DIMENSIONS
    }
    fn lists(&self) -> usize {
        LISTS
    }
}

impl Codes for Rough {
    fn list_scores(&self, _: &[f32], out: &mut Vec<f32>) -> Result<()> {
        out.clear();
        out.resize(LISTS, 0.0);
        Ok(())
    }
    fn list_rows(&self, list: usize) -> &[i64] {
        &self.lists[list]
    }
    fn scan_lists(
        &self,
        query: &[f32],
        lists: &[u32],
        out: &mut Vec<u16>,
        best: &mut Vec<u16>,
    ) -> Result<(f32, f32)> {
        let mut all = Vec::new();
        let scale = self.scan_all(query, &mut all)?;
        scan_of(&all, lists, out, best);
        Ok(scale)
    }
    fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
        let step = 4.0 / 65_536.0;
        out.clear();
        out.extend(self.estimates(query).map(|score| ((score + 2.0) / step) as u16));
        Ok((step, -2.0))
    }
}

/// 5,000 documents of 1 to 7 passages, the first halves of them linked with their grants.
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

/// Rough estimates must neither lose what counts nor have everything scored exactly.
#[test]
fn rough_estimates_are_believed_as_far_as_they_deserve() {
    let dir = tempfile::tempdir().unwrap();
    let segments = many(dir.path());
    let with = |deviation: f32, with_codes: bool| {
        let arm = |mut segment: Segment| {
            let lists = (0..LISTS).map(|list| rows_of_list(list, segment.passages())).collect();
            let rows = segment.vectors().to_vec();
            segment.ann = Some(Box::new(Rough { rows, lists, deviation, with_codes }));
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
                test.into_iter().map(|test| Clause { column: "country".into(), test }).collect();
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
                        let request =
                            Request { query: &query, documents, chunks: 1, dedupe: true, min_score };
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
                    // What is passed over is so by its probability: of sixty, one may be.
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
    }
}

/// Of lists that are near all that is wanted is found without the others; a filter that allows nothing there has them
/// all looked at.
#[test]
fn only_the_lists_near_to_the_query_are_probed() {
    struct Near(Honest);
    impl Codes for Near {
        fn list_scores(&self, _: &[f32], out: &mut Vec<f32>) -> Result<()> {
            out.clear();
            out.extend([0.1, 0.9, 0.2, 0.3]);
            Ok(())
        }
        fn list_rows(&self, list: usize) -> &[i64] {
            self.0.list_rows(list)
        }
        fn scan_lists(
            &self,
            query: &[f32],
            lists: &[u32],
            out: &mut Vec<u16>,
            best: &mut Vec<u16>,
        ) -> Result<(f32, f32)> {
            self.0.scan_lists(query, lists, out, best)
        }
        fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
            self.0.scan_all(query, out)
        }
    }
    impl Ann for Near {
        fn candidates(&self, _: &[f32], _: usize, _: Option<&Bitmap>, _: Effort) -> Result<Vec<(u32, f32)>> {
            unreachable!("it has codes")
        }
        fn codes(&self) -> Option<&dyn Codes> {
            Some(self)
        }
        fn len(&self) -> usize {
            self.0.len()
        }
        fn lists(&self) -> usize {
            LISTS
        }
    }
    // One passage a document, so that document and row n lie in list n % LISTS; those of list 1 point the query's way.
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
    segment.ann = Some(Box::new(Near(Honest::new(segment.vectors().to_vec(), true))));
    let deleted = Bitmap::empty(segment.docs());
    let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
    let mut query = vec![0.0; DIMENSIONS];
    query[1] = 1.0;
    let scan = Scan::Ann { k: 1, effort: Effort { nprobe: 1, ef_search: 1 } };
    let run = |test: Option<Clause>, documents: usize, scan: Scan| {
        let selected = snapshot.select(test.as_slice()).unwrap();
        let request = Request { query: &query, documents, chunks: 1, dedupe: false, min_score: -9.0 };
        search(&snapshot, &selected, &[scan], &request).unwrap()
    };
    let country =
        |name: &str| Clause { column: "country".into(), test: FilterTest::Exact(vec![name.into()]) };
    let days = Clause { column: "filing_date".into(), test: FilterTest::Days { from: Some(3), to: Some(4) } };
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

/// Many passages of one text come first, all with the same error: that must not end the search.
#[test]
fn rows_of_one_text_say_nothing_of_others() {
    let mut docs: Vec<Doc> = (0..600)
        .map(|n| {
            let mut vectors = vec![0.0; DIMENSIONS];
            vectors[0] = if n < 300 { 0.5 } else { 0.1 + n as f32 / 8192.0 };
            Doc { country: "US", day: 1, application: 0, grant: false, vectors }
        })
        .collect();
    // Estimated less than the rest, it scores more.
    docs[7].vectors[0] = 0.515;
    let numbered: Vec<(u32, &Doc)> = docs.iter().enumerate().map(|(n, d)| (n as u32, d)).collect();
    let dir = tempfile::tempdir().unwrap();
    let mut segment = write(&dir.path().join("same"), &numbered);
    struct Off(Honest);
    impl Codes for Off {
        fn list_scores(&self, query: &[f32], out: &mut Vec<f32>) -> Result<()> {
            self.0.list_scores(query, out)
        }
        fn list_rows(&self, list: usize) -> &[i64] {
            self.0.list_rows(list)
        }
        fn scan_lists(
            &self,
            query: &[f32],
            lists: &[u32],
            out: &mut Vec<u16>,
            best: &mut Vec<u16>,
        ) -> Result<(f32, f32)> {
            let mut all = Vec::new();
            let scale = self.scan_all(query, &mut all)?;
            scan_of(&all, lists, out, best);
            Ok(scale)
        }
        fn scan_all(&self, query: &[f32], out: &mut Vec<u16>) -> Result<(f32, f32)> {
            let scale = self.0.scan_all(query, out)?;
            out[7] -= 5; // of 1/256 each
            Ok(scale)
        }
    }
    impl Ann for Off {
        fn candidates(&self, _: &[f32], _: usize, _: Option<&Bitmap>, _: Effort) -> Result<Vec<(u32, f32)>> {
            unreachable!("it has codes")
        }
        fn codes(&self) -> Option<&dyn Codes> {
            Some(self)
        }
        fn len(&self) -> usize {
            self.0.len()
        }
        fn lists(&self) -> usize {
            LISTS
        }
    }
    segment.ann = Some(Box::new(Off(Honest::new(segment.vectors().to_vec(), true))));
    let deleted = Bitmap::empty(segment.docs());
    let snapshot = Snapshot { segments: vec![(Arc::new(segment), deleted)] };
    let mut query = vec![0.0; DIMENSIONS];
    query[0] = 1.0;
    let selected = snapshot.select(&[]).unwrap();
    let effort = Effort { nprobe: LISTS, ef_search: 1 };
    for scan in [Scan::Ann { k: 1, effort }, Scan::Codes] {
        let request = Request { query: &query, documents: 10, chunks: 1, dedupe: false, min_score: -9.0 };
        let outcome = search(&snapshot, &selected, &[scan], &request).unwrap();
        assert_eq!(outcome.hits[0].ordinal, 7, "{scan:?}");
    }
}
