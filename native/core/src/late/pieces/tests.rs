//! Plain loops over texts as the definition, against which the code on bags is tested.

use super::*;
use crate::late::bag::Bagger;
use crate::late::PASSAGE_TOKENS;
use crate::static_model::sample::Sample;
use crate::static_model::StaticModel;
use proptest::prelude::*;
use std::sync::LazyLock;

static MODEL: LazyLock<(tempfile::TempDir, StaticModel)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.bin");
    let letters = ["a", "b", "c", "_a", "ab", "abc", "_b", "전", "해", "전해", "電", "解", "1", "12"];
    let pieces: Vec<(&str, i32)> = letters.iter().enumerate().map(|(n, &p)| (p, -3000 - n as i32)).collect();
    Sample::new(&pieces).write(&path);
    let model = StaticModel::open(&path).unwrap();
    (dir, model)
});

const FIT: Fit = Fit {
    mixture: Mixture {
        passage: Share { partners: 1.0, cosine: 0.7 },
        title: Share { partners: 0.5, cosine: 0.6 },
        summary: Share { partners: 0.1, cosine: 0.3 },
    },
    rarity: 1.5,
};

fn bag(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    Bagger::default().push(&MODEL.1.reader(), text, &mut out);
    out
}

fn fast(query: &str, documents: &[(String, String, Vec<String>)]) -> Option<Scores> {
    with(&mut Desk::default(), query, documents)
}

fn with(desk: &mut Desk, query: &str, documents: &[(String, String, Vec<String>)]) -> Option<Scores> {
    let bags: Vec<_> = documents
        .iter()
        .map(|(title, summary, passages)| {
            (bag(title), bag(summary), passages.iter().map(|p| bag(p)).collect::<Vec<_>>())
        })
        .collect();
    let candidates: Vec<Candidate> = bags
        .iter()
        .map(|(title, summary, passages)| Candidate {
            title,
            summary,
            passages: passages.iter().map(Vec::as_slice).collect(),
        })
        .collect();
    scores(&MODEL.1.reader(), query, &candidates, &FIT, desk)
}

/// Ids of the first `most` pieces of a text.
fn ids(text: &str, most: usize) -> Vec<u32> {
    let mut ids = Vec::new();
    MODEL.1.reader().ids(text, &mut Scratch::default(), &mut ids);
    ids.truncate(most);
    ids
}

fn similarity(a: u32, b: u32) -> f64 {
    let model = MODEL.1.reader();
    let dot = |a: u32, b: u32| -> f64 {
        model.row(a).iter().zip(model.row(b)).map(|(&a, &b)| a as f64 * b as f64).sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    match a == b {
        true => 1.0,
        false if lengths > 0.0 => (dot(a, b) / lengths).clamp(0.0, 1.0),
        false => 0.0,
    }
}

/// Score of one text: weighted mean of the best partners of the query's distinct pieces, and the
/// cosine.
fn part(query: &[u32], text: &str, share: Share) -> f64 {
    let model = MODEL.1.reader();
    let text = ids(text, PASSAGE_TOKENS);
    let wanted: std::collections::BTreeSet<u32> = query.iter().copied().collect();
    let weights: Vec<f64> = wanted.iter().map(|&q| weight(&model, q, FIT.rarity) as f64).collect();
    let best = wanted.iter().map(|&q| text.iter().map(|&t| similarity(q, t)).fold(0.0, f64::max));
    let total: f64 = weights.iter().sum();
    let sum: f64 = best.zip(&weights).map(|(best, weight)| best * weight).sum();
    let partners = if total > 0.0 { sum / total } else { 0.0 };
    let (mut own, mut other) = (vec![0f32; model.dimensions()], vec![0f32; model.dimensions()]);
    model.vector(&mut query.to_vec(), &mut own);
    model.vector(&mut text.clone(), &mut other);
    let cosine: f64 = own.iter().zip(&other).map(|(a, b)| *a as f64 * *b as f64).sum();
    share.partners as f64 * partners + share.cosine as f64 * cosine
}

fn plain(query: &str, documents: &[(String, String, Vec<String>)]) -> Scores {
    let (query, mixture) = (ids(query, QUERY_TOKENS), FIT.mixture);
    let mut found = Scores { documents: Vec::new(), passages: Vec::new() };
    for (title, summary, passages) in documents {
        let context = part(&query, title, mixture.title) + part(&query, summary, mixture.summary);
        let own = passages.iter().map(|p| (part(&query, p, mixture.passage) + context) as f32);
        let own: Vec<f32> = own.collect();
        found.documents.push(own.iter().copied().reduce(f32::max).unwrap_or(0.0));
        found.passages.extend(own);
    }
    found
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "([abc1 2전해電解]|abc|전해){0,12}",
        // Longer than the limits of a query and of a passage.
        "([ab해] ){120,160}",
        "([ab해] ){1000,1100}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn agrees_with_the_definition(
        query in text(),
        documents in prop::collection::vec((text(), text(), prop::collection::vec(text(), 0..4)), 0..5),
    ) {
        let (fast, plain) = (fast(&query, &documents).unwrap(), plain(&query, &documents));
        prop_assert_eq!(fast.documents.len(), plain.documents.len());
        prop_assert_eq!(fast.passages.len(), plain.passages.len());
        let pairs = fast.documents.iter().zip(&plain.documents).chain(fast.passages.iter().zip(&plain.passages));
        for (fast, plain) in pairs {
            prop_assert!((fast - plain).abs() < 2e-5, "{fast} {plain}");
        }
    }

    #[test]
    fn a_desk_that_was_used_gives_the_same(
        requests in prop::collection::vec(
            ("(abc|전해|1 2)", prop::collection::vec((text(), text(), prop::collection::vec(text(), 0..3)), 0..3)),
            1..6,
        ),
    ) {
        let mut desk = Desk::default();
        for (query, documents) in &requests {
            let (used, fresh) = (with(&mut desk, query, documents).unwrap(), fast(query, documents).unwrap());
            prop_assert_eq!(used.documents, fresh.documents);
            prop_assert_eq!(used.passages, fresh.passages);
        }
    }

    #[test]
    fn one_cut_gives_vector_and_bag(text in text()) {
        let model = MODEL.1.reader();
        let (mut row, mut expected) = (vec![0f32; model.dimensions()], vec![0f32; model.dimensions()]);
        let mut bytes = Vec::new();
        Bagger::default().embed(&model, &text, &mut row, &mut bytes);
        model.embed(&text, &mut Scratch::default(), &mut Vec::new(), &mut expected);
        prop_assert_eq!(row, expected);
        prop_assert_eq!(bytes, bag(&text));
    }
}

#[test]
fn a_desk_can_be_used_again_after_a_damaged_bag() {
    let model = MODEL.1.reader();
    let (good, mut desk) = (bag("abc 전해"), Desk::default());
    let candidate = |bytes| [Candidate { title: &[], summary: &[], passages: vec![&good, bytes] }];
    let expected = scores(&model, "abc", &candidate(&good), &FIT, &mut desk).unwrap().passages;
    let cut = &good[..3];
    let beyond = [&good[..], &[0xff, 0x7f]].concat();
    for damaged in [cut, &beyond] {
        assert!(scores(&model, "abc", &candidate(damaged), &FIT, &mut desk).is_none());
        assert_eq!(scores(&model, "abc", &candidate(&good), &FIT, &mut desk).unwrap().passages, expected);
    }
}

/// An index of at most nine pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Few(u8);

impl Place for Few {
    const NOWHERE: Self = Few(9);
    fn of(index: usize) -> Self {
        Few(index as u8)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

#[test]
fn more_pieces_than_a_small_index_counts_are_noticed() {
    let (few, many) = (bag("a"), bag("abc 전해 電解 12 b 1"));
    let pieces = MODEL.1.reader().pieces();
    let candidate = |passage| [Candidate { title: &few, summary: &[], passages: vec![passage] }];
    let mut met = Distinct::<Few>::default();
    assert!(Texts::read(&candidate(&few), pieces, &mut met).is_ok());
    assert_eq!(Texts::read(&candidate(&many), pieces, &mut met).err(), Some(Unread::TooMany));
    assert!(met.pieces.is_empty() && met.places.iter().all(|&place| place == Few::NOWHERE));

    // Any index that counts enough gives the same.
    fn of<P: Place>(candidates: &[Candidate]) -> Vec<f32> {
        let model = MODEL.1.reader();
        let mut asked = Asked::of(&model, "abc 12", FIT.rarity, &mut Scratch::default());
        let mut met = Distinct::<P>::default();
        let texts = Texts::read(candidates, model.pieces(), &mut met).ok().unwrap();
        asked.scores(&model, &texts, &met, candidates, &FIT).passages
    }
    assert_eq!(of::<u16>(&candidate(&many)), of::<u32>(&candidate(&many)));
}

#[test]
fn a_desk_is_used_again_after_texts_with_too_many_pieces() {
    let model = MODEL.1.reader();
    // One piece, again and again: more bytes than a small index counts.
    let (small, large) = (bag("abc 전해"), [&bag("a")[..], &[0; 1 << 16]].concat());
    let of = |passage, desk: &mut Desk| {
        let candidate = Candidate { title: &small, summary: &[], passages: vec![passage] };
        scores(&model, "abc 12", &[candidate], &FIT, desk).unwrap().passages
    };
    let mut desk = Desk::default();
    for passage in [&small, &large, &large, &small] {
        assert_eq!(of(passage, &mut desk), of(passage, &mut Desk::default()));
    }
}

#[test]
fn the_text_itself_comes_first() {
    let documents: Vec<_> = [vec!["電解", "abc 12"], vec!["전해", ""], vec!["a 전해 b"]]
        .map(|passages| (String::new(), String::new(), passages.into_iter().map(String::from).collect()))
        .into();
    let found = fast("a 전해 b", &documents).unwrap();
    assert_eq!(found.documents[2], found.documents.iter().copied().fold(f32::MIN, f32::max));
    // The text is its own best partner, and has its own vector.
    let most = FIT.mixture.passage.partners + FIT.mixture.passage.cosine;
    assert!((found.documents[2] - most).abs() < 1e-5, "{:?}", found.documents);
    assert_eq!(found.passages[3], 0.0);
    assert_eq!(fast("…", &documents).unwrap().passages, [0.0; 5]);
}
