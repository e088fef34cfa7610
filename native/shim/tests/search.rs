//! Compares every kind with brute force: unfiltered, filtered, by threshold, from many threads,
//! built twice.

mod data;

use data::{allowed, filter, recall, Data};
use priorart_shim::{BuildParams, Index, Kind, SearchParams, BLOCK};
use std::sync::LazyLock;

const ROWS: usize = 5_000;
const DIMS: usize = 64;
const LISTS: usize = 64;

static DATA: LazyLock<Data> = LazyLock::new(|| Data::clustered(ROWS, DIMS, 7));

fn build(kind: Kind, threads: usize) -> Index {
    let params = BuildParams { nlist: LISTS, threads, ..BuildParams::default() };
    let mut index = Index::new(kind, DIMS, &params, ROWS).unwrap();
    index.train(&DATA.rows).unwrap();
    // Adds rows in two calls: the second call must continue the row numbers.
    let half = ROWS / 2 * DIMS;
    index.add(&DATA.rows[..half]).unwrap();
    index.add(&DATA.rows[half..]).unwrap();
    assert_eq!((index.len(), index.dims(), index.kind()), (ROWS, DIMS, kind));
    index
}

/// All lists and a wide walk, so that only the quantizer or the graph loses rows.
fn thorough(bits: Option<&[u8]>) -> SearchParams<'_> {
    SearchParams { nprobe: LISTS, ef_search: 256, filter: bits, k_factor: 10.0 }
}

/// Number of rows in which the best ten must be found. Scores of four bits for two components are
/// estimates, so the engine asks for more rows and rescores them.
fn places(kind: Kind) -> usize {
    if kind == Kind::IvfPq {
        100
    } else {
        10
    }
}

/// Recall of the best ten that each kind must reach with `thorough`.
fn least_recall(kind: Kind) -> f64 {
    match kind {
        Kind::Flat | Kind::IvfFlat => 1.0,
        Kind::IvfSqfp16 => 0.99,
        Kind::IvfSq8 | Kind::IvfPq | Kind::IvfPqRefine | Kind::HnswSq8 => 0.95,
        Kind::HnswFlat => 0.97,
    }
}

#[test]
fn the_best_ten_are_found() {
    for kind in Kind::ALL {
        let index = build(kind, 1);
        let k = places(kind);
        let (scores, rows) = index.search(&DATA.queries, k, &thorough(None)).unwrap();
        let mut sum = 0.0;
        for q in 0..50 {
            let (s, r) = (&scores[q * k..(q + 1) * k], &rows[q * k..(q + 1) * k]);
            assert!(s.windows(2).all(|w| w[0] >= w[1]), "{kind}: not best first");
            sum += recall(&DATA.best(q, 10, |_| true), r);
            let tolerance = match kind {
                Kind::Flat | Kind::IvfFlat | Kind::HnswFlat => 1e-5,
                Kind::IvfPq => 0.25,
                _ => 0.01,
            };
            for (score, row) in s.iter().zip(r) {
                let truth = DATA.score(q, *row as usize);
                assert!((f64::from(*score) - truth).abs() < tolerance, "{kind}: {score} for {truth}");
            }
        }
        assert!(sum / 50.0 >= least_recall(kind), "{kind}: recall {}", sum / 50.0);
    }
}

/// The scan of all codes gives the same scores as a search of all lists, row by row.
#[test]
fn codes_score_every_row_as_a_search_does() {
    let index = build(Kind::IvfPq, 1);
    let mut estimates = vec![7; 3];
    for q in 0..10 {
        let (step, offset) = index.code_scores(DATA.query(q), &mut estimates).unwrap();
        assert_eq!(estimates.len(), ROWS);
        let (scores, rows) = index.search(DATA.query(q), ROWS, &thorough(None)).unwrap();
        let mut seen = vec![false; ROWS];
        for (score, row) in scores.iter().zip(&rows) {
            let row = *row as usize;
            assert!(!std::mem::replace(&mut seen[row], true), "row {row} twice");
            let estimate = offset + step * f32::from(estimates[row]);
            assert!((score - estimate).abs() < 1e-5, "row {row}: {estimate}, by search {score}");
        }
        assert!(seen.iter().all(|seen| *seen));
    }
    let refined = build(Kind::IvfPqRefine, 1);
    assert!(refined.code_scores(DATA.query(0), &mut estimates).is_ok());
    for kind in [Kind::Flat, Kind::IvfSq8, Kind::HnswFlat] {
        assert!(build(kind, 1).code_scores(DATA.query(0), &mut estimates).is_err(), "{kind}");
    }
    assert!(index.code_scores(&DATA.queries[..DIMS - 1], &mut estimates).is_err());
    assert!(index.code_scores(&DATA.queries[..2 * DIMS], &mut estimates).is_err());
}

/// A scan of some lists gives the same scores as the scan of all, with both kernels: with a number
/// of parts that is not a multiple of four, the narrow kernel is used.
#[test]
fn lists_are_scanned_one_by_one() {
    for pq_m in [0, 2] {
        let params = BuildParams { pq_m, threads: 1, nlist: 24, ..BuildParams::default() };
        let mut index = Index::new(Kind::IvfPq, DIMS, &params, ROWS).unwrap();
        index.train(&DATA.rows).unwrap();
        index.add(&DATA.rows).unwrap();
        let (mut all, mut scores, mut best, mut near) = (Vec::new(), vec![7; 9], vec![7; 9], Vec::new());
        for q in 0..10 {
            let query = DATA.query(q);
            let scale = index.code_scores(query, &mut all).unwrap();
            let (by_search, rows) = index.search(query, ROWS, &thorough(None)).unwrap();
            // FAISS omits rows whose code's sum is 0; some occur if a code has two parts.
            for (score, row) in by_search.iter().zip(&rows).filter(|(_, row)| **row >= 0) {
                let estimate = scale.1 + scale.0 * f32::from(all[*row as usize]);
                assert!((score - estimate).abs() < 1e-4, "{pq_m}: row {row}: {estimate}, by search {score}");
            }
            let lists = [23, 0, 7, 8];
            assert_eq!(index.scan_lists(query, &lists, &mut scores, &mut best).unwrap(), scale);
            let mut at = 0;
            for list in lists {
                let rows = index.list_rows(list as usize);
                assert!(!rows.is_empty());
                for block in rows.chunks(BLOCK) {
                    let found = &scores[at * BLOCK..][..BLOCK];
                    let expected: Vec<u16> = block.iter().map(|&row| all[row as usize]).collect();
                    assert_eq!(found[..block.len()], expected);
                    assert!(found[block.len()..].iter().all(|score| *score == 0));
                    assert_eq!(best[at], *expected.iter().max().unwrap());
                    at += 1;
                }
            }
            assert_eq!((at * BLOCK, at), (scores.len(), best.len()));
            index.list_scores(query, &mut near).unwrap();
            let first = (0..24).max_by(|&a, &b| near[a].total_cmp(&near[b])).unwrap();
            let params = SearchParams { nprobe: 1, ..SearchParams::default() };
            let (_, probed) = index.search(query, 1, &params).unwrap();
            assert!(index.list_rows(first).contains(&probed[0]));
        }
        assert!(index.list_rows(24).is_empty());
        let mut rows: Vec<i64> = (0..24).flat_map(|list| index.list_rows(list).to_vec()).collect();
        rows.sort_unstable();
        assert!(rows.iter().copied().eq(0..ROWS as i64));
        assert!(index.scan_lists(DATA.query(0), &[24], &mut scores, &mut best).is_err());
        assert!(index.list_scores(&DATA.queries[..2 * DIMS], &mut near).is_err());
    }
    let empty = Index::new(Kind::IvfFlat, DIMS, &BuildParams::default(), ROWS).unwrap();
    assert!(empty.list_scores(DATA.query(0), &mut Vec::new()).is_err());
    assert!(build(Kind::HnswFlat, 1).list_scores(DATA.query(0), &mut Vec::new()).is_err());
    assert!(build(Kind::IvfSq8, 1).scan_lists(DATA.query(0), &[0], &mut vec![], &mut vec![]).is_err());
}

#[test]
fn fewer_probes_find_less() {
    let index = build(Kind::IvfFlat, 1);
    let at = |nprobe| {
        let params = SearchParams { nprobe, ..SearchParams::default() };
        let (_, rows) = index.search(&DATA.queries, 10, &params).unwrap();
        (0..50).map(|q| recall(&DATA.best(q, 10, |_| true), &rows[q * 10..q * 10 + 10])).sum::<f64>() / 50.0
    };
    let (one, eight, all) = (at(1), at(8), at(usize::MAX));
    assert!(one < eight && eight <= all && all == 1.0, "{one} {eight} {all}");
}

#[test]
fn a_filter_lets_only_its_rows_through() {
    for kind in Kind::ALL {
        let index = build(kind, 1);
        for share in [1.0, 0.5, 0.1, 0.01] {
            let bits = filter(ROWS, share, 11);
            let mut sum = 0.0;
            let k = places(kind);
            let (_, rows) = index.search(&DATA.queries, k, &thorough(Some(&bits))).unwrap();
            for q in 0..50 {
                let got = &rows[q * k..(q + 1) * k];
                assert!(got.iter().all(|r| *r < 0 || allowed(&bits, *r as usize)), "{kind} at {share}");
                sum += recall(&DATA.best(q, 10, |r| allowed(&bits, r)), got);
            }
            // With few allowed rows, a filtered graph walk finds little. The planner does not use
            // it there.
            let graph = matches!(kind, Kind::HnswFlat | Kind::HnswSq8);
            let least = if graph && share < 0.1 { 0.3 } else { least_recall(kind) - 0.02 };
            assert!(sum / 50.0 >= least, "{kind} at {share}: recall {}", sum / 50.0);
        }
    }
}

#[test]
fn places_without_a_hit_are_marked() {
    let only = 4_321usize;
    let mut bits = vec![0u8; ROWS.div_ceil(8)];
    bits[only / 8] |= 1 << (only % 8);
    for kind in Kind::ALL {
        let index = build(kind, 1);
        let (scores, rows) = index.search(&DATA.queries[..2 * DIMS], 3, &thorough(Some(&bits))).unwrap();
        let graph = matches!(kind, Kind::HnswFlat | Kind::HnswSq8);
        for q in 0..2 {
            if !graph {
                assert_eq!(rows[q * 3], only as i64, "{kind}");
            }
            assert_eq!(&rows[q * 3 + 1..q * 3 + 3], [-1, -1], "{kind}");
            assert!(scores[q * 3 + 1..q * 3 + 3].iter().all(|s| *s == f32::NEG_INFINITY), "{kind}");
        }
        let none = vec![0u8; ROWS.div_ceil(8)];
        let (_, rows) = index.search(DATA.query(0), 5, &thorough(Some(&none))).unwrap();
        assert_eq!(rows, [-1; 5], "{kind}");
    }
}

#[test]
fn more_places_than_rows() {
    let few = Data::clustered(40, DIMS, 3);
    for kind in Kind::ALL {
        let params = BuildParams { nlist: 1, ..BuildParams::default() };
        let mut index = Index::new(kind, DIMS, &params, 40).unwrap();
        index.train(&few.rows).unwrap();
        let (_, rows) = index.search(&few.queries[..2 * DIMS], 3, &SearchParams::default()).unwrap();
        assert_eq!(rows, [-1; 6], "{kind}: an empty index");
        index.add(&few.rows).unwrap();
        let (scores, rows) = index.search(&few.queries[..2 * DIMS], 100, &thorough(None)).unwrap();
        for q in 0..2 {
            let mut found = rows[q * 100..q * 100 + 40].to_vec();
            found.sort_unstable();
            assert_eq!(found, (0..40).collect::<Vec<i64>>(), "{kind}");
            assert!(rows[q * 100 + 40..q * 100 + 100].iter().all(|r| *r == -1), "{kind}");
            assert!(scores[q * 100 + 40..q * 100 + 100].iter().all(|s| *s == f32::NEG_INFINITY), "{kind}");
        }
    }
}

#[test]
fn a_threshold_finds_every_row_above_it() {
    for kind in [Kind::Flat, Kind::IvfFlat] {
        let index = build(kind, 1);
        for bits in [None, Some(filter(ROWS, 0.3, 5))] {
            for q in 0..20 {
                for min in [-0.2f32, 0.3, 0.5, 0.9] {
                    let (scores, rows) =
                        index.range_search(DATA.query(q), min, &thorough(bits.as_deref())).unwrap();
                    assert!(scores.iter().all(|s| *s >= min));
                    let mut got: Vec<usize> = rows.iter().map(|r| *r as usize).collect();
                    got.sort_unstable();
                    let ok = |r: usize| bits.as_ref().is_none_or(|b| allowed(b, r));
                    for r in 0..ROWS {
                        let score = DATA.score(q, r);
                        // Within a millionth of the threshold, rounding decides.
                        if (score - f64::from(min)).abs() > 1e-6 {
                            let expected = ok(r) && score > f64::from(min);
                            assert_eq!(
                                got.binary_search(&r).is_ok(),
                                expected,
                                "{kind} row {r}: {score} {min}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_threshold_is_inclusive() {
    let mut index = Index::new(Kind::Flat, 2, &BuildParams::default(), 2).unwrap();
    index.add(&[1.0, 0.0, 0.5, 0.0]).unwrap();
    let (scores, rows) = index.range_search(&[1.0, 0.0], 0.5, &SearchParams::default()).unwrap();
    assert_eq!((scores, rows), (vec![1.0, 0.5], vec![0, 1]));
}

#[test]
fn the_quantized_kinds_search_by_threshold_too() {
    for kind in [Kind::IvfSq8, Kind::IvfSqfp16, Kind::IvfPqRefine, Kind::IvfPq, Kind::HnswFlat, Kind::HnswSq8]
    {
        let index = build(kind, 1);
        let bits = filter(ROWS, 0.5, 9);
        let (mut found, mut wanted) = (0, 0);
        for q in 0..20 {
            let (_, rows) = index.range_search(DATA.query(q), 0.4, &thorough(Some(&bits))).unwrap();
            assert!(rows.iter().all(|r| allowed(&bits, *r as usize)), "{kind}");
            let truth: Vec<i64> = (0..ROWS)
                .filter(|r| allowed(&bits, *r) && DATA.score(q, *r) > 0.45)
                .map(|r| r as i64)
                .collect();
            wanted += truth.len();
            found += truth.iter().filter(|r| rows.contains(r)).count();
        }
        assert!(wanted > 100, "the data has nothing above the threshold");
        assert!(found as f64 >= 0.9 * wanted as f64, "{kind}: {found} of {wanted}");
    }
}

#[test]
fn eight_threads_find_what_one_finds() {
    for kind in Kind::ALL {
        let index = build(kind, 2);
        let bits = filter(ROWS, 0.5, 13);
        let params = thorough(Some(&bits));
        let alone: Vec<_> = (0..50).map(|q| index.search(DATA.query(q), 10, &params).unwrap()).collect();
        std::thread::scope(|scope| {
            for t in 0..8 {
                let (index, alone, params) = (&index, &alone, &params);
                scope.spawn(move || {
                    for i in 0..50 {
                        let q = (i * 7 + t) % 50;
                        assert_eq!(index.search(DATA.query(q), 10, params).unwrap(), alone[q], "{kind}");
                    }
                });
            }
        });
    }
}

#[test]
fn the_same_seed_builds_the_same_index() {
    for kind in Kind::ALL {
        let graph = matches!(kind, Kind::HnswFlat | Kind::HnswSq8);
        let threads = if graph { 1 } else { 2 };
        let answer = |index: Index| index.search(&DATA.queries, 10, &SearchParams::default()).unwrap();
        assert_eq!(answer(build(kind, threads)), answer(build(kind, threads)), "{kind}");
    }
}

/// Vectors of an odd number of dimensions have a part for each, since two do not divide them.
#[test]
fn codes_of_odd_dimensions() {
    for dims in [1, 5, 7] {
        let rows = &DATA.rows[..DATA.rows.len() / dims * dims];
        let params = BuildParams { threads: 1, nlist: 8, ..BuildParams::default() };
        let mut index = Index::new(Kind::IvfPq, dims, &params, rows.len() / dims).unwrap();
        index.train(rows).unwrap();
        index.add(rows).unwrap();
        let query = &rows[..dims];
        let (scores, found) = index.search(query, 10, &thorough(None)).unwrap();
        let exact = |row: usize| (0..dims).map(|n| query[n] * rows[row * dims + n]).sum::<f32>();
        let best = (0..rows.len() / dims).map(exact).fold(f32::MIN, f32::max);
        for (&score, &row) in scores.iter().zip(&found) {
            let own = exact(row as usize);
            assert!((score - own).abs() < 0.25 * best, "{dims}: row {row}: {score} instead of {own}");
        }
        let mut estimates = Vec::new();
        index.code_scores(query, &mut estimates).unwrap();
        assert_eq!(estimates.len(), rows.len() / dims);
    }
}
