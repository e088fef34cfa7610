//! Acronyms, whose stem is another word, in texts of languages with stems and without.

use super::*;

/// The scores of documents with one text each, by a question of one word.
fn scores_of(texts: &[(Language, &str)], terms: &Terms, question: &str) -> Vec<f32> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    let mut builder = SegmentBuilder::create(&path, 1, vec![]).unwrap();
    for (n, &(language, text)) in texts.iter().enumerate() {
        let new = NewDocument {
            id: n as u32,
            patent_id: "x",
            application: "",
            grant: false,
            vectors: &[0.5],
            bags: None,
            texts: Some(Texts { texts: &[(Part::Title, language, text)] }),
        };
        builder.push(&new, &[]).unwrap();
    }
    builder.finish().unwrap();
    let segment = Segment::open(&path).unwrap();
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let shares = Shares { word: 0.6, long: 0.9 };
    let found = scores(&snapshot, &translated(terms, question), shares).unwrap();
    found.segments[0].values()[..texts.len()].to_vec()
}

#[test]
fn an_acronym_counts_alike_in_all_languages_and_more_than_a_translation() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of(dir.path(), &[&[("en", "IPS"), ("zh", "平面转换")]]);
    let texts = [
        (Language::Other, "IPS模块"),
        (Language::Other, "平面转换模块"),
        (Language::English, "IPS module"),
        (Language::English, "ip module"),
        (Language::Other, "模块"),
    ];
    let [chinese, translated, english, stem, none] = scores_of(&texts, &terms, "IPS")[..] else { panic!() };
    let [lower, lower_translated, ..] = scores_of(&texts, &terms, "ips")[..] else { panic!() };
    assert!(none == 0.0 && stem > 0.0 && stem < 0.5 * english, "{stem} {english}");
    assert!(chinese > 0.9 * lower && chinese > 0.9 * english, "{chinese} {lower} {english}");
    assert!(translated < 0.7 * chinese, "{translated} {chinese}");
    assert!((translated / chinese - lower_translated / lower).abs() < 0.1);
}

#[test]
fn an_acronym_is_no_translation_of_itself_and_its_places_are_listed_once() {
    let dir = tempfile::tempdir().unwrap();
    let terms =
        table_of(dir.path(), &[&[("en", "GPS"), ("ko", "위성 항법")], &[("ko", "지피에스"), ("de", "GPS")]]);
    for question in ["GPS", "GPS receiver"] {
        let concepts = translated(&terms, question);
        let is_itself = |phrase: &Phrase| [Phrase::word("\u{5}gp"), Phrase::word("gps")].contains(phrase);
        let translations = || concepts.iter().flat_map(|concept| &concept.translations);
        assert!(!translations().any(|other| is_itself(&other.phrase)), "{question}");
        assert!(translations().count() > 0);
        let found = Questions::default().find("a GPS of the car", &Sought::new(concepts), None, |_| true);
        assert_eq!(found.iter().filter(|place| place.to == 5).count(), 1, "{question}: {found:?}");
    }
    // What only has the stem is a place, too.
    let concepts = Questions::default().concepts(None, "IPS");
    assert_eq!(
        Questions::default().find("an ip of the car", &Sought::new(concepts), None, |_| true).len(),
        1
    );
}
