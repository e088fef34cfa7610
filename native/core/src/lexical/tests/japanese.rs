//! Spellings of Japanese words: long vowels, okurigana.

use super::*;

#[test]
fn a_long_vowel_at_the_end_of_a_word_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let terms =
        table_of(dir.path(), &[&[("en", "sensor"), ("ja", "センサー")], &[("en", "bar"), ("ja", "バー")]]);
    let documents: Vec<Document> = ["温度センサ", "温度センサー", "センス", "バー", "バネ"]
        .map(|text| vec![(Part::Text, text)])
        .to_vec();
    let segment = write(&dir.path().join("x"), 0, &documents);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let found = |question: &str| {
        let scored = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        scored.segments[0].values().to_vec()
    };
    for question in ["センサー", "センサ", "sensor", "ｾﾝｻｰ"] {
        let scores = found(question);
        assert!(
            scores[0] > 0.0 && (scores[0] - scores[1]).abs() < 0.05 * scores[0],
            "{question}: {scores:?}"
        );
    }
    // A word of two characters needs it.
    let scores = found("バー");
    assert!(scores[3] > 0.0 && scores[4] == 0.0, "{scores:?}");
    let phrase = Questions::default().phrase("温度センサー").unwrap();
    let held: Vec<bool> = documents.iter().map(|document| holds(document, &phrase)).collect();
    assert_eq!(held, [true, true, false, false, false]);
}

#[test]
fn okurigana_do_not_hide_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let table: [&[(&str, &str)]; 2] =
        [&[("en", "soldering"), ("ja", "はんだ付け")], &[("en", "switching"), ("ja", "切り替え")]];
    let terms = table_of(dir.path(), &table);
    let texts =
        ["流路を切り替える", "切替弁", "切断と交替", "はんだ付けする", "部品を付ける", "水に溶ける", "板"];
    let documents: Vec<Document> = texts.map(|text| vec![(Part::Text, text)]).to_vec();
    let segment = write(&dir.path().join("x"), 0, &documents);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let best = |question: &str, count: usize| {
        let scored = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        let values = scored.segments[0].values();
        let mut order: Vec<usize> = (0..texts.len()).filter(|&n| values[n] > 0.0).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order.truncate(count);
        order.sort();
        order
    };
    assert_eq!(best("切り替え", 2), [0, 1]);
    assert_eq!(best("切替え弁", 1), [1]);
    assert_eq!(best("switching", 9), [0]);
    assert_eq!(best("はんだ付け", 1), [3]);
    assert_eq!(best("soldering", 9), [3]);
    // `に` is a particle.
    let compounds = |question: &str| {
        let concepts = Questions::default().concepts(None, question);
        let words = concepts.iter().filter(|one| !one.is_extra);
        let words = words.map(|one| question[one.from as usize..one.to as usize].to_owned());
        words.filter(|word| word.chars().count() > 2).collect::<Vec<_>>()
    };
    assert_eq!(compounds("流路切り替え弁"), ["流路切", "切り替", "替え弁"]);
    assert_eq!(compounds("組み合わせ"), ["組み合"]);
    assert!(compounds("水に溶").is_empty());
    // A verb's form joins no compound if it has two characters of kana: 用水 is another word.
    for question in ["光を用いて水を分解", "圧力に応じて弁を閉じる"] {
        assert!(compounds(question).is_empty(), "{question}");
    }
    assert_eq!(compounds("組立て装置"), ["立て装"]);
    // Beside a particle, a character is a word.
    for (question, boost) in [
        ("鉛の除去", 1.0),
        ("膜を製造", 1.0),
        ("鉛 除去", 1.0),
        ("膜が厚", 1.0),
        ("付け", 0.3),
        ("曲がり", 0.3),
        ("冷やす", 0.3),
    ] {
        let concepts = Questions::default().concepts(None, question);
        let single = concepts.iter().find(|one| one.to - one.from == 3).unwrap();
        assert_eq!(single.boost, boost, "{question}");
    }
    // A known word that begins with the last character of a longer run keeps that character.
    let concepts = translated(&terms, "電源切り替え");
    let known = concepts.iter().find(|one| (one.from, one.to) == (6, 18)).unwrap();
    let phrase = [(0, "切"), (1, "り"), (2, "替")].map(|(far, term)| (far, term.to_owned()));
    assert_eq!(known.alternatives[0].phrase.terms, phrase);
    for (required, expected) in [("はんだ付け", 3), ("切替え", 1), ("切り替え", 0)] {
        let phrase = Questions::default().phrase(required).unwrap();
        let held: Vec<usize> = (0..texts.len()).filter(|&n| holds(&documents[n], &phrase)).collect();
        assert_eq!(held, [expected], "{required}");
    }
}
