//! Errors for wrong use.

use priorart_shim::{BuildParams, Error, Index, Kind, SearchParams};

fn unit_rows(n: usize) -> Vec<f32> {
    (0..n).flat_map(|i| [(i as f32).cos(), (i as f32).sin(), 0.0, 0.0]).collect()
}

#[test]
fn kinds_have_names() {
    for kind in Kind::ALL {
        assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
    }
    let error = "ivfflat".parse::<Kind>().unwrap_err();
    assert_eq!(error, Error::UnknownKind("ivfflat".into()));
    let message = error.to_string();
    assert!(
        message.contains("'ivfflat'") && Kind::ALL.iter().all(|k| message.contains(k.name())),
        "{message}"
    );
}

#[test]
fn lists_grow_with_the_rows() {
    let lists: Vec<usize> =
        [0, 1, 100, 1_000, 10_000, 200_000, 1_000_000, usize::MAX].map(BuildParams::lists_for).to_vec();
    assert_eq!(lists, [1, 1, 2, 25, 200, 894, 2_000, 65_536]);
}

#[test]
fn shapes_are_checked() {
    let params = BuildParams::default();
    assert!(matches!(Index::new(Kind::Flat, 0, &params, 0), Err(Error::InvalidParameter(_))));
    let odd = BuildParams { pq_m: 3, ..params.clone() };
    assert!(
        matches!(Index::new(Kind::IvfPq, 4, &odd, 0), Err(Error::InvalidParameter(m)) if m.contains("pq_m"))
    );
    let thin = BuildParams { hnsw_m: 1, ..params.clone() };
    assert!(matches!(Index::new(Kind::HnswFlat, 4, &thin, 0), Err(Error::InvalidParameter(_))));

    let mut index = Index::new(Kind::Flat, 4, &params, 0).unwrap();
    index.add(&unit_rows(20)).unwrap();
    let search = SearchParams::default();
    assert!(matches!(index.add(&[1.0; 6]), Err(Error::DimensionMismatch { got: 6, .. })));
    assert!(matches!(index.search(&[1.0; 3], 1, &search), Err(Error::DimensionMismatch { got: 3, .. })));
    assert!(matches!(
        index.range_search(&[1.0; 8], 0.0, &search),
        Err(Error::DimensionMismatch { got: 8, .. })
    ));
    let short = SearchParams { filter: Some(&[255, 255]), ..search.clone() };
    assert!(matches!(index.search(&[1.0; 4], 1, &short), Err(Error::DimensionMismatch { got: 2, .. })));
    assert_eq!(index.search(&[], 1, &search).unwrap(), (vec![], vec![]));
    assert_eq!(index.search(&[1.0; 4], 0, &search).unwrap(), (vec![], vec![]));
    assert!(matches!(index.search(&[1.0; 4], usize::MAX, &search), Err(Error::InvalidParameter(_))));
    for k_factor in [0.5, f32::NAN, f32::INFINITY] {
        let bad = SearchParams { k_factor, ..search.clone() };
        assert!(matches!(index.search(&[1.0; 4], 1, &bad), Err(Error::InvalidParameter(_))));
    }
}

#[test]
fn numbers_are_checked() {
    let mut index = Index::new(Kind::Flat, 4, &BuildParams::default(), 0).unwrap();
    let most = 1e15;
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.1e15] {
        assert_eq!(index.add(&[1.0, 0.0, bad, 0.0]), Err(Error::ComponentOutOfRange { at: 2, most }));
        let search = SearchParams::default();
        assert_eq!(
            index.search(&[1.0, bad, 0.0, 0.0], 1, &search),
            Err(Error::ComponentOutOfRange { at: 1, most })
        );
    }
    assert_eq!(index.len(), 0);
    let result = index.range_search(&[1.0; 4], f32::NAN, &SearchParams::default());
    assert!(matches!(result, Err(Error::InvalidParameter(_))));
}

#[test]
fn what_is_in_range_has_finite_scores() {
    const DIMS: usize = 16;
    for kind in Kind::ALL {
        let most = kind.greatest_component();
        let extreme = |n: usize| if n * n % 7 < 3 { most } else { -most };
        let rows: Vec<f32> = (0..40 * DIMS).map(extreme).collect();
        let params = BuildParams { nlist: 2, ..BuildParams::default() };
        let mut index = Index::new(kind, DIMS, &params, 0).unwrap();
        index.train(&rows).unwrap();
        index.add(&rows).unwrap();
        let beyond = [most * 1.01; DIMS];
        assert!(matches!(index.add(&beyond), Err(Error::ComponentOutOfRange { at: 0, .. })), "{kind}");
        assert!(matches!(index.train(&rows[..1].repeat(DIMS)), Ok(()) | Err(Error::TooFewRows { .. })));
        let query: Vec<f32> = (0..DIMS).map(|n| extreme(n).signum() * 1e15).collect();
        let (scores, found) = index.search(&query, 40, &SearchParams::default()).unwrap();
        assert!(
            found.iter().zip(&scores).all(|(row, score)| *row < 0 || score.is_finite()),
            "{kind}: {scores:?}"
        );
        assert!(found[0] >= 0, "{kind}: {found:?}");
    }
}

#[test]
fn training_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    for kind in [Kind::IvfFlat, Kind::IvfSq8, Kind::IvfSqfp16, Kind::IvfPq, Kind::IvfPqRefine, Kind::HnswSq8]
    {
        let params = BuildParams { nlist: 5, ..BuildParams::default() };
        let mut index = Index::new(kind, 4, &params, 0).unwrap();
        assert!(!index.is_trained(), "{kind}");
        assert_eq!(index.add(&unit_rows(1)), Err(Error::NotTrained), "{kind}");
        assert_eq!(
            index.search(&unit_rows(1), 1, &SearchParams::default()),
            Err(Error::NotTrained),
            "{kind}"
        );
        assert_eq!(index.save(&folder.path().join("x")), Err(Error::NotTrained), "{kind}");
        if kind.has_lists() {
            let needed = if kind.has_product_quantizer() { 16 } else { 5 };
            assert_eq!(index.train(&unit_rows(4)), Err(Error::TooFewRows { rows: 4, needed }), "{kind}");
        }
        index.train(&unit_rows(30)).unwrap();
        index.add(&unit_rows(30)).unwrap();
        assert_eq!(index.len(), 30);
    }
}
