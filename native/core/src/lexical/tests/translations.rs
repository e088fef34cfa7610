//! A question meets the translations of its words.

use super::*;

#[test]
fn known_words_of_a_compound_are_words_of_a_short_question() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let boosts = |question: &str| -> HashMap<String, f32> {
        let concepts = translated(&terms, question);
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        concepts.iter().map(|concept| (text(concept), concept.boost)).collect()
    };
    let found = boosts("激光雷达装置");
    let expected = [("激光雷达", 1.0), ("激光雷达装置", 1.0), ("雷达", 0.5), ("达装", 0.15), ("装置", 0.5)];
    for (word, boost) in expected {
        assert!((found[word] - boost).abs() < 1e-6, "{word}: {found:?}");
    }
    let found = boosts("라이다센서모듈");
    assert_eq!((found["라이다"], found["라이"]), (1.0, 0.5));
    let translations = translated(&terms, "라이다센서모듈");
    let lidar = translations.iter().find(|concept| concept.to as usize == "라이다".len()).unwrap();
    assert!(!lidar.translations.is_empty());
    let long = format!("激光雷达装置 {}", "a device with a sensor ".repeat(3));
    assert!(!boosts(&long).contains_key("激光雷达"));
}

#[test]
fn a_particle_within_a_term_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("terms.bin");
    let members = [("en", "lane change"), ("ko", "차선 변경"), ("zh", "变道")]
        .map(|(language, term)| (language.into(), term.into()));
    terms::write(&path, &[Group { members: members.into(), ..Group::default() }]).unwrap();
    let terms = Terms::open(&path).unwrap();
    let found = |question: &str| -> Vec<String> {
        let concepts = translated(&terms, question);
        let all = concepts.iter().flat_map(|concept| &concept.translations);
        let mut all: Vec<_> =
            all.map(|one| question[one.from as usize..one.to as usize].to_owned()).collect();
        all.dedup();
        all
    };
    assert_eq!(found("차량이 차선을 변경하는 방법"), ["차선을 변경"]);
    assert_eq!(found("차선의 변경을 돕는 장치"), ["차선의 변경을"]);
    assert_eq!(found("차선 변경 방법"), ["차선 변경"]);
    // One syllable is no word with a particle, and a particle ends a word.
    assert!(found("선을 변경").is_empty() && found("차선을변경").is_empty());
}

#[test]
fn a_term_over_a_space_takes_no_single_syllable_of_a_longer_word() {
    let dir = tempfile::tempdir().unwrap();
    let terms =
        table_of(dir.path(), &[&[("ko", "냉각수"), ("zh", "冷却水")], &[("ko", "전력망"), ("zh", "电网")]]);
    let translates =
        |question: &str| translated(&terms, question).iter().any(|concept| !concept.translations.is_empty());
    for question in ["냉각수", "냉각 수", "냉각 수를 쓰는", "냉각 수에는", "전력 망", "전 력망"]
    {
        assert!(translates(question), "{question}");
    }
    for question in ["냉각 수단", "냉각 수단을", "완전 력망"] {
        assert!(!translates(question), "{question}");
    }
}

#[test]
fn a_translation_of_a_term_and_of_a_word_in_it_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let groups: [&[(&str, &str)]; 2] =
        [&[("en", "ratio"), ("ko", "비율"), ("zh", "比率")], &[("en", "aspect ratio"), ("ko", "비율")]];
    let terms = table_of(dir.path(), &groups);
    let concepts = translated(&terms, "aspect ratio");
    let of_ratio = &concepts.iter().rfind(|concept| !concept.is_extra).unwrap().translations;
    let long: Vec<bool> = of_ratio.iter().map(|translation| translation.is_long).collect();
    assert_eq!(long.len(), 2, "{of_ratio:?}");
    assert!(long.contains(&true) && long.contains(&false), "{of_ratio:?}");
}

#[test]
fn a_question_in_other_languages_has_the_longest_terms() {
    let dir = tempfile::tempdir().unwrap();
    let groups: [&[(&str, &str)]; 5] = [
        &[("en", "elevator door"), ("ko", "엘리베이터 도어"), ("zh", "电梯门")],
        &[("en", "door"), ("ko", "문짝"), ("ja", "ドア"), ("zh", "门体"), ("de", "Tür")],
        &[("en", "noise"), ("zh", "噪声")],
        &[("en", "the"), ("ja", "ティー")],
        &[("en", "relay"), ("ko?", "릴레이"), ("zh", "继电器")],
    ];
    let terms = table_of(dir.path(), &groups);
    let found = |question: &str| Questions::default().in_other_languages(&terms, question, 2);
    let of = |terms: usize, texts: &[&str]| InOtherLanguages {
        terms,
        texts: texts.iter().map(|&text| text.into()).collect(),
    };
    assert_eq!(found("the elevator doors without noise"), of(2, &["엘리베이터 도어", "电梯门 噪声"]));
    assert_eq!(found("door"), of(1, &["문짝", "ドア", "门体"]));
    assert_eq!(found("电梯门的噪声"), of(2, &["엘리베이터 도어"]));
    assert_eq!(found("window"), of(0, &[]));
    // A term that is only looked up.
    assert_eq!(found("relay"), of(1, &["继电器"]));
    assert_eq!(found("릴레이"), of(1, &["继电器"]));
    assert_eq!(found("the doors, noise of elevator doors, noise"), of(4, &[]));
}

#[test]
fn a_term_meets_its_translations() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let shown = |question: &str| {
        let concepts = translated(&terms, question);
        let all = concepts.iter().flat_map(|concept| &concept.translations);
        let text = |(from, to): (u32, u32)| question[from as usize..to as usize].to_owned();
        let mut all: Vec<(String, Vec<String>)> = all
            .map(|one| {
                (text((one.from, one.to)), one.phrase.terms.iter().map(|term| term.1.clone()).collect())
            })
            .collect();
        all.sort();
        all.dedup();
        all
    };
    let pairs = |text: &str, terms: &[&str]| {
        (text.to_owned(), terms.iter().map(|&term| term.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        shown("라이다의 신호"),
        [pairs("라이다", &["lidar"]), pairs("라이다", &["激光", "光雷", "雷达"])]
    );
    assert_eq!(
        shown("LiDARs"),
        [pairs("LiDARs", &["激光", "光雷", "雷达"]), pairs("LiDARs", &["라이", "이다"])]
    );
    // The longest term, and the words within it.
    let lithium = shown("lithium-batteries");
    assert!(lithium.contains(&pairs("lithium-batteries", &["リチ", "チウ", "ウム", "电池"])), "{lithium:?}");
    assert!(lithium.contains(&pairs("batteries", &["电池"])), "{lithium:?}");
    assert!(translated(&terms, "lithium-batteries")[0].translations[0].is_long);
    // A letter is a word of a term, or none of it.
    assert!(shown("vitamins e").contains(&pairs("vitamins e", &["电池"])) && shown("senso-r").is_empty());
    assert!(shown("lithium, batteries").iter().all(|(text, _)| text == "batteries"));
    // German and French terms by their stems, of questions and of documents.
    assert_eq!(
        shown("Sensoren"),
        [
            pairs("Sensoren", &["\u{6}particul"]),
            pairs("Sensoren", &["sensor"]),
            pairs("Sensoren", &["激光", "光器"])
        ]
    );
    // The German stem of the word itself is no translation.
    assert!(!shown("sensors").contains(&pairs("sensors", &["\u{5}sensor"])));
    assert!(shown("메트포르민 PM2.5").len() == 3 && shown("PM2.5").is_empty() && shown("").is_empty());
}

#[test]
fn a_fragment_of_a_loanword_is_not_translated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("terms.bin");
    let pair = |(en, other): (&str, (&str, &str))| {
        let members = vec![("en".into(), en.into()), (other.0.to_owned(), other.1.to_owned())];
        Group { members, ..Group::default() }
    };
    let groups = [
        ("local", ("ko", "로컬")),
        ("electrode", ("ko", "전극")),
        ("camera", ("ko", "카메라")),
        ("lead", ("ja", "リード")),
        ("frame", ("ja", "フレーム")),
    ];
    terms::write(&path, &groups.map(pair)).unwrap();
    let terms = Terms::open(&path).unwrap();
    let parts = |question: &str| {
        let mut parts: Vec<_> = translated(&terms, question)
            .iter()
            .flat_map(|concept| &concept.translations)
            .map(|one| question[one.from as usize..one.to as usize].to_owned())
            .collect();
        parts.sort();
        parts.dedup();
        parts
    };
    assert_eq!(parts("로컬 네트워크"), ["로컬"]);
    assert!(parts("브로컬리 추출물").is_empty());
    // A word of Chinese characters, and a longer loanword, stand in compounds.
    assert_eq!(parts("비접촉전극"), ["전극"]);
    assert_eq!(parts("초고속카메라"), ["카메라"]);
    assert_eq!(parts("リードフレーム"), ["フレーム", "リード"]);
    assert!(parts("ソリード").is_empty());
}

/// The particle 이나 is also two, 이 and 나. Trying each way would take longer than the test may.
#[test]
fn many_particles_take_no_time() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of(dir.path(), &[&[("en", "coolant"), ("ko", "냉각수")]]);
    for end in ["", "힣"] {
        let question = format!("냉각 수{}{end}", "이나".repeat(40));
        let has_coolant =
            translated(&terms, &question).iter().any(|concept| !concept.translations.is_empty());
        assert_eq!(has_coolant, end.is_empty());
    }
}

#[test]
fn a_document_in_two_languages_gets_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let both: Vec<Document> = vec![
        vec![(Part::Text, "battery charging")],
        vec![(Part::Text, "リチウム電池")],
        vec![(Part::Text, "battery charging"), (Part::Claims, "リチウム電池")],
        vec![(Part::Text, "Samsung")],
    ];
    let segment = write(&dir.path().join("x"), 0, &both);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let scored = scores(&snapshot, &translated(&terms, "battery"), SHARES).unwrap();
    assert_eq!((scored.used[0].documents, scored.used[0].holding), (2, 3));
    let found = scored.segments[0].values();
    assert!(found[1] > 0.0 && found[1] < found[0] && found[3] == 0.0, "{found:?}");
    let unlike = scores(&snapshot, &Questions::default().concepts(None, "battery"), SHARES).unwrap();
    let plain = unlike.segments[0].values();
    assert_eq!((found[0], found[2]), (plain[0], plain[2]));
}

proptest! {
    /// Words that the table does not know are scored as if there were no table.
    #[test]
    fn a_table_without_a_word_changes_nothing(
        documents in documents(),
        question in prop::sample::select(&["PM2.5", "Samsung 5G", "Fe3O4", "base station"][..]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let terms = table(dir.path());
        let segment = write(&dir.path().join("x"), 0, &documents);
        let deleted = none(&segment);
        let snapshot = snapshot_of(vec![(segment, deleted)]);
        let with = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        let without = scores(&snapshot, &Questions::default().concepts(None, question), SHARES).unwrap();
        for (with, without) in with.segments.iter().zip(&without.segments) {
            prop_assert_eq!(with.values(), without.values());
        }
    }
}

#[test]
fn what_the_table_has_is_a_word_and_no_particle() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["알루미나", "해상도", "회로", "센서", "서도", "기계", "이동", "이동도"];
    let groups: Vec<[(&str, &str); 2]> = words.iter().map(|&word| [("ko", word), ("en", word)]).collect();
    let groups: Vec<&[(&str, &str)]> = groups.iter().map(|group| &group[..]).collect();
    let terms = table_of(dir.path(), &groups);
    let longest = |terms: Option<&Terms>, question: &str| -> String {
        let concepts = Questions::default().concepts(terms, question);
        let longest = concepts.iter().max_by_key(|concept| concept.to - concept.from).unwrap();
        question[longest.from as usize..longest.to as usize].to_owned()
    };
    for (question, word) in [
        ("알루미나", "알루미나"),
        ("알루미나를", "알루미나"),
        ("고해상도", "고해상도"),
        ("집적회로", "집적회로"),
        ("집적회로로", "집적회로"),
        ("이동도", "이동도"),
        ("센서도", "센서"),
        ("기계로", "기계"),
        ("배터리나", "배터리"),
    ] {
        assert_eq!(longest(Some(&terms), question), word, "{question}");
    }
    assert_eq!(longest(None, "알루미나"), "알루미");
}

#[test]
fn a_translation_is_shown_for_the_longest_word_that_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let question = "激光雷达装置";
    let concepts = translated(&terms, question);
    let place = |text: &str| {
        concepts.iter().position(|one| &question[one.from as usize..one.to as usize] == text).unwrap()
    };
    let (whole, part) = (place("激光雷达"), place("激光"));
    let sought = Sought::new(concepts);
    let shown = |is_used: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let places = Questions::default().find("a lidar", &sought, Some(&terms), is_used);
        places.iter().map(|place| place.concept).collect()
    };
    assert_eq!(shown(&|_| true), [whole]);
    assert_eq!(shown(&|n| n != whole)[..], [part]);
    // A word that is not used has a place, too.
    assert_eq!(shown(&|_| false), [whole]);
}

#[test]
fn a_function_word_within_an_english_term_is_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of(
        dir.path(),
        &[
            &[("en", "die casting"), ("ko", "다이캐스팅")],
            &[("en", "pour point"), ("ko", "유동점")],
            &[("de", "die Pumpe"), ("zh", "泵")],
        ],
    );
    let has = |question: &str, word: &str| {
        let concepts = translated(&terms, question);
        concepts.iter().any(|concept| &question[concept.from as usize..concept.to as usize] == word)
    };
    assert!(has("die casting machine", "die") && has("pour point depressant", "pour"));
    assert!(has("die-casting", "die"));
    assert!(!has("die Pumpe", "die") && !has("die machine", "die"));
}
