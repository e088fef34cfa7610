use super::sample::{Sample, DIMENSIONS};
use super::*;
use crate::file::{bytes_of, Container, Writer};
use proptest::prelude::*;
use std::sync::LazyLock;

fn sample() -> Sample {
    let pieces = [
        ("_", -3000),
        ("a", -3000),
        ("b", -3100),
        ("_a", -2900),
        ("ab", -6000),
        ("abc", -6000),
        ("c", -3000),
        ("é", -4000),
        ("solid", -8000),
        ("_solid", -5000),
        ("σ", -4000),
        ("전", -3000),
        ("해", -3000),
        ("전해", -6000),
        ("전해질", -7000),
        ("電", -3000),
        ("電解", -5000),
        ("解", -3500),
        ("が", -2000),
        ("カ", -2000),
        ("1", -1000),
        ("12", -2000),
        ("i", -3000),
        ("f", -3000),
    ];
    Sample::new(&pieces)
}

static MODEL: LazyLock<(tempfile::TempDir, StaticModel)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.bin");
    sample().write(&path);
    let model = StaticModel::open(&path).unwrap();
    (dir, model)
});

fn ids(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    MODEL.1.reader().ids(text, &mut Scratch::default(), &mut out);
    out
}

fn vector(text: &str) -> Vec<f32> {
    let mut out = vec![f32::NAN; DIMENSIONS];
    MODEL.1.reader().embed(text, &mut Scratch::default(), &mut Vec::new(), &mut out);
    out
}

fn pieces(text: &str) -> Vec<String> {
    let sample = sample();
    ids(text).iter().map(|&id| sample.pieces[id as usize].clone()).collect()
}

#[test]
fn cuts_runs_into_the_best_pieces() {
    assert_eq!(pieces("Solid 전해질"), ["▁solid", "전해질"]);
    assert_eq!(pieces("電解ガ1２3"), ["電解", "12"], "ガ is katakana, が is another piece; 3 is unknown");
    // At equal scores, the longer last piece wins at each position.
    assert_eq!(pieces("abc"), ["▁", "abc"]);
    assert_eq!(pieces("ab"), ["▁a", "b"], "-6000 beats ▁ and ab with -9000");
}

#[test]
fn decomposed_compatibility_and_capital_forms_are_the_same_text() {
    assert_eq!(pieces("e\u{301}"), ["▁", "é"]);
    assert_eq!(ids("É"), ids("e\u{301}"));
    assert_eq!(ids("\u{1103}"), ids("ㄷ"));
    assert_eq!(pieces("\u{110c}\u{1165}\u{11ab}\u{1112}\u{1162}"), ["전해"]);
    assert_eq!(
        ids("Σ"),
        ids("ς").into_iter().chain([10]).collect::<Vec<_>>(),
        "ς is not a piece; a final Σ is σ"
    );
    assert_eq!(pieces("か\u{3099}"), ["が"]);
    assert_eq!(pieces("ｶ"), ["カ"]);
    assert_eq!(pieces("ﬁ"), ["▁", "f", "i"]);
}

#[test]
fn what_has_no_piece_gives_the_zero_vector() {
    for text in ["", " ", "…!?", "\0", "\u{fffd}", "\u{200b}\u{feff}", "😀", "\u{e000}", "שלום"] {
        assert!(ids(text).is_empty(), "{text:?}");
        assert_eq!(vector(text), [0.0; DIMENSIONS], "{text:?}");
    }
}

#[test]
fn a_megabyte_of_anything_is_quickly_done() {
    let start = std::time::Instant::now();
    for part in
        ["a", "é", "\u{301}", "a\u{301}", "전", "\u{1112}\u{1162}", "電", "x", " ", "ﷺ", "\u{fffd}", "1"]
    {
        let text = part.repeat((1 << 20) / part.len());
        let norm: f32 = vector(&text).iter().map(|x| x * x).sum();
        assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-3, "{part:?}: {norm}");
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn every_damage_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.bin");
    sample().write(&path);
    let whole = std::fs::read(&path).unwrap();
    for at in (64..whole.len()).step_by(whole.len() / 200) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert!(matches!(StaticModel::open(&path), Err(Error::Corrupt { .. })), "flip at {at}");
    }
    std::fs::write(&path, &whole[..whole.len() - 1000]).unwrap();
    assert!(matches!(StaticModel::open(&path), Err(Error::Corrupt { .. })));
    assert!(matches!(StaticModel::open(&dir.path().join("none")), Err(Error::Io { .. })));
}

#[test]
fn a_model_names_its_bags_by_its_checksum_or_as_stated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.bin");
    sample().write(&path);
    let file = Container::open(&path).unwrap();
    assert_eq!(StaticModel::open(&path).unwrap().bags_name(), format!("{:016x}", file.checksum()));
    let model = with("bags", b"0123456789abcdef").unwrap();
    assert_eq!(model.bags_name(), "0123456789abcdef");
}

/// The sample with one section replaced or added, and valid checksums.
fn with(name: &str, bytes: &[u8]) -> Result<StaticModel> {
    let dir = tempfile::tempdir().unwrap();
    let (whole, path) = (dir.path().join("whole"), dir.path().join("model.bin"));
    sample().write(&whole);
    let file = Container::open(&whole).unwrap();
    let mut out = Writer::create(&path).unwrap();
    for section in [
        "config",
        "settings",
        "word_start",
        "characters.blocks",
        "characters.entries",
        "characters.text",
        "trie",
        "scores",
        "rows",
        "scales",
        "weights",
    ] {
        out.section(section, if section == name { bytes } else { file.section(section).unwrap() }).unwrap();
    }
    if name == "bags" {
        out.section(name, bytes).unwrap();
    }
    out.finish().unwrap();
    StaticModel::open(&path)
}

#[test]
fn sections_that_do_not_fit_are_an_error() {
    let n = sample().pieces.len();
    assert!(with("nothing", &[]).is_ok());
    assert!(with("settings", bytes_of(&[63i32, 0, 0])).is_err());
    assert!(with("settings", bytes_of(&[0i32, 0, 0])).is_err());
    assert!(with("settings", bytes_of(&[128i32, 0, 0])).is_err());
    assert!(with("scores", bytes_of(&vec![0i32; n - 1])).is_err());
    assert!(with("scales", bytes_of(&vec![f32::NAN; n])).is_err());
    assert!(with("weights", &[]).is_err());
    assert!(with("trie", &[]).is_err());
    assert!(with("trie", bytes_of(&vec![u32::MAX; 512])).is_err());
    assert!(with("trie", bytes_of(&vec![1u32 << 8; 512])).is_err());
    assert!(with("characters.blocks", bytes_of(&vec![9999u16; 4352])).is_err());
    assert!(with("characters.text", &[255]).is_err());
    assert!(with("word_start", &[0xff]).is_err());
}

/// Texts with known and unknown parts.
fn texts() -> impl Strategy<Value = String> {
    let strange = prop::sample::select(vec![
        "a", "b", "c", "ab", "é", "e\u{301}", "\u{301}", "\u{323}", "Σ", "ς", "İ", "ﬁ", "전", "해", "질",
        "\u{110c}", "\u{1165}", "\u{11ab}", "電", "解", "が", "か", "\u{3099}", "ﾞ", "ｶ", "カ", "1", "２",
        "①", "½", " ", "\u{a0}", "\0", "\u{200d}", "\u{e000}", "😀", "𝐀", "א", "ﷺ", "´", "Å", "\u{fffd}",
        "SOLID", ".", "-",
    ]);
    let any = any::<char>().prop_map(String::from);
    prop::collection::vec(prop_oneof![4 => strange.prop_map(String::from), 1 => any], 0..24)
        .prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn ids_follow_the_definition(text in texts()) {
        prop_assert_eq!(ids(&text), sample().ids(&text));
    }

    #[test]
    fn vectors_are_the_sum_of_rows(text in texts()) {
        let sample = sample();
        let mut sum = [0f64; DIMENSIONS];
        let mut counts = std::collections::BTreeMap::new();
        for id in sample.ids(&text) {
            *counts.entry(id as usize).or_insert(0u32) += 1;
        }
        for (id, count) in counts {
            let times = (count as f64).sqrt();
            for (total, &x) in sum.iter_mut().zip(&sample.rows[id * DIMENSIONS..]) {
                *total += times * x as f64 * sample.scales[id] as f64 * sample.weights[id] as f64;
            }
        }
        let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (x, y) in vector(&text).iter().zip(sum) {
            let expected = if norm > 0.0 { y / norm } else { 0.0 };
            prop_assert!((*x as f64 - expected).abs() < 1e-5, "{} {}", x, expected);
        }
    }
}
