//! The words of a question.

use super::super::concept::{whole_words, Concept};
use super::super::question::Questions;
use super::super::{index::Phrase, Part};

fn shown(question: &str) -> Vec<(String, f32)> {
    let concepts = Questions::default().concepts(None, question);
    let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
    concepts.iter().map(|concept| (text(concept), concept.boost)).collect()
}

#[test]
fn words_are_found_by_stem_and_names_as_written() {
    let concepts = Questions::default().concepts(None, "the Batteries");
    assert_eq!(concepts.len(), 1);
    let names: Vec<_> = concepts[0].alternatives.iter().filter(|a| a.in_names == Some(true)).collect();
    assert_eq!(names[0].phrase, Phrase::word("batteries"));
    assert!(concepts[0].alternatives.iter().any(|a| a.phrase == Phrase::word("batteri")));
}

#[test]
fn required_words_are_found_by_stem_and_in_names_as_written() {
    let in_names = |text: &str| -> Vec<Phrase> {
        let concept = Questions::default().phrase(text).unwrap();
        let named = concept.alternatives.iter().filter(|one| one.is_in(Part::Names));
        named.map(|one| one.phrase.clone()).collect()
    };
    let in_texts = |text: &str, stem: &str| {
        let concept = Questions::default().phrase(text).unwrap();
        concept.alternatives.iter().any(|one| one.is_in(Part::Text) && one.phrase == Phrase::word(stem))
    };
    assert_eq!(in_names("Parking"), [Phrase::word("parking")]);
    assert!(in_texts("Parking", "park") && in_texts("Parking", "parking"));
    // Without an ending, the word is its own stem.
    assert_eq!(in_names("park"), [Phrase::word("park")]);
    assert!(in_texts("park", "park"));
    let systems = Phrase { terms: vec![(0, "parking".into()), (1, "systems".into())] };
    assert_eq!(in_names("parking systems"), [systems]);
    // Codes, joiners and Korean spacings mean the same characters.
    assert!(in_names("PM2.5").contains(&Phrase::word("pm2.5")) && in_names("PM2.5").len() > 1);
    assert!(in_names("Li-Tec").contains(&Phrase::word("litec")));
    let joined = Phrase { terms: vec![(0, "스마".into()), (2, "트폰".into())] };
    assert!(in_names("스마트 폰").contains(&joined));
}

#[test]
fn codes_are_found_whole_or_by_parts_beside_each_other() {
    let [code] = &Questions::default().concepts(None, "PM2.5")[..] else { panic!() };
    assert_eq!(code.alternatives[0].phrase, Phrase::word("pm2.5"));
    assert_eq!(code.alternatives[1].phrase.terms, [(0, "pm".into()), (1, "2.5".into())]);
    assert_eq!(
        shown("lithium-ion"),
        [("lithium-ion".into(), 1.0), ("lithium".into(), 0.5), ("ion".into(), 0.5)]
    );
}

#[test]
fn a_name_behind_a_prefix_counts_by_itself() {
    assert_eq!(shown("anti-PD-L1"), [("anti-PD-L1".into(), 1.0), ("PD-L1".into(), 0.5), ("L1".into(), 0.5)]);
    assert_eq!(shown("anti-HLA-G")[1], ("HLA-G".into(), 0.5));
    let concepts = Questions::default().concepts(None, "anti-IL-6");
    let inner = &concepts[1].alternatives;
    assert_eq!(inner[0].phrase, Phrase::word("il6"));
    assert_eq!(inner[1].phrase.terms, [(0, "il".into()), (1, "6".into())]);
    assert_eq!(Questions::default().concepts(None, "IL-6")[0].alternatives[0].phrase, inner[0].phrase);
}

#[test]
fn an_elided_article_and_a_possessive_s_do_not_hide_a_noun() {
    let alternatives = |question: &str| -> Vec<_> {
        let concepts = Questions::default().concepts(None, question);
        concepts.into_iter().map(|concept| (concept.boost, concept.alternatives)).collect()
    };
    for (question, noun) in [
        ("l'humidificateur", "humidificateur"),
        ("L’HUMIDIFICATEUR", "HUMIDIFICATEUR"),
        ("jusqu'à", "à"),
        ("d'eau-de-vie", "eau-de-vie"),
        ("l'ARN", "ARN"),
        ("d'LEDs", "LEDs"),
        ("l'H2O", "H2O"),
        ("vehicle's", "vehicle"),
        ("ion-trap’s", "ion-trap"),
        ("l'Oréal's", "Oréal"),
        ("D'Arcy", "Arcy"),
    ] {
        assert_eq!(shown(question)[0], (noun.to_owned(), 1.0), "{question}");
        // An acronym that is the whole question has other stems.
        if !noun.starts_with("LED") && noun != "ARN" {
            assert_eq!(alternatives(question), alternatives(noun), "{question}");
        }
    }
    assert!(shown("d'un").is_empty() && shown("it's").is_empty());
    let place = |text: &str| (text.to_owned(), 1.0);
    assert_eq!(shown("un capteur d'humidité")[..2], [place("capteur"), place("humidité")]);
    assert_eq!(shown("5'-UTR"), [place("5"), place("UTR")][..]);
}

#[test]
fn codes_with_an_apostrophe_stay_whole() {
    for code in ["5'UTR", "3'OH", "O'Brien", "N'terminal", "aujourd'hui", "C's", "d'5", "1,44's", "s's"] {
        let whole = shown(code).into_iter().max_by_key(|(text, _)| text.len()).unwrap();
        assert_eq!(whole.0, code);
    }
}

#[test]
fn many_elisions_take_no_time() {
    let from = std::time::Instant::now();
    for part in ["l'", "QU'", "l'a's ", "'s"] {
        Questions::default().concepts(None, &format!("{}eau", part.repeat(20_000)));
    }
    assert!(from.elapsed().as_secs() < 20);
}

#[test]
fn runs_without_spaces_are_phrases_and_pairs() {
    assert_eq!(shown("라이다의"), [("라이다".into(), 1.0), ("라이".into(), 0.5), ("이다".into(), 0.5)]);
    assert_eq!(shown("电池"), [("电池".into(), 1.0)]);
    assert_eq!(shown("膜"), [("膜".into(), 1.0)]);
}

#[test]
fn repeated_words_count_once_and_weigh_more() {
    let concepts = shown("cell and cell");
    assert_eq!(concepts.len(), 1);
    assert!((concepts[0].1 - 1.693).abs() < 1e-3);
}

#[test]
fn an_acronym_is_found_as_it_is_written_and_its_stem_counts_less() {
    let concepts = Questions::default().concepts(None, "AIDS");
    let [whole, stem] = &concepts[..] else { panic!("{concepts:?}") };
    let terms =
        |concept: &Concept| concept.alternatives.iter().map(|one| one.phrase.clone()).collect::<Vec<_>>();
    assert!(
        terms(whole).contains(&Phrase::word("\u{2}aids")) && !terms(whole).contains(&Phrase::word("aid"))
    );
    assert!(terms(stem).contains(&Phrase::word("aid")) && stem.is_extra && stem.boost < 1.0);
    // A text without stems holds both.
    assert!(terms(whole).iter().all(|own| terms(stem).contains(own)));
    let merged = Questions::default().concepts(None, "AIDS, an aid");
    assert_eq!(merged.iter().filter(|concept| !concept.is_extra).count(), 2);
    assert_eq!(whole_words(&concepts), 1);
    for question in ["an IPS panel", "AlAs"] {
        assert!(
            Questions::default().concepts(None, question).iter().any(|concept| concept.is_extra),
            "{question}"
        );
    }
    for question in ["aids", "LEDs", "COOLING FANS", "HTTP", "fans"] {
        let concepts = Questions::default().concepts(None, question);
        let is_stem = |concept: &Concept| concept.is_extra && concept.to - concept.from < 8;
        assert!(!concepts.iter().any(is_stem), "{question}");
    }
}

#[test]
fn words_beside_each_other_are_a_pair_too() {
    let pairs = |question: &str| -> Vec<String> {
        let concepts = Questions::default().concepts(None, question);
        let pairs = concepts.iter().filter(|concept| concept.is_extra);
        pairs.map(|pair| question[pair.from as usize..pair.to as usize].to_owned()).collect()
    };
    assert_eq!(pairs("USB Type-C"), ["USB Type-C"]);
    assert_eq!(pairs("solid state battery"), ["solid state", "state battery"]);
    assert_eq!(pairs("E. coli"), ["E. coli"]);
    assert_eq!(pairs("humidificateur d'air"), ["humidificateur d'air"]);
    assert_eq!(pairs("the vehicle's door"), ["vehicle's door"]);
    assert_eq!(pairs("무선 충전기"), ["무선 충전기"]);
    for none in [
        "battery",
        "state of art",
        "cell, battery",
        "cell. Battery",
        "lithium-ion",
        "激光雷达系统",
        "b c d e f g",
    ] {
        assert!(pairs(none).is_empty(), "{none}");
    }
    let concepts = Questions::default().concepts(None, "cooling fans");
    assert_eq!(whole_words(&concepts), 2);
    let stems = Phrase { terms: vec![(0, "cool".into()), (1, "fan".into())] };
    assert!(concepts[2].alternatives.iter().any(|one| one.phrase == stems && !one.is_in(Part::Names)));
}

#[test]
fn stop_words_in_capitals_or_beside_characters_are_names() {
    for (question, word) in [("a CAN bus", "CAN"), ("CAN", "CAN"), ("CAN总线", "CAN"), ("和it系统", "it")]
    {
        assert!(shown(question).contains(&(word.into(), 1.0)), "{question}");
    }
    for question in ["what can be used", "THE BATTERY CAN BE CHARGED", "A bus", "can"] {
        assert!(shown(question).iter().all(|(word, _)| !word.eq_ignore_ascii_case("can")), "{question}");
    }
}

#[test]
fn stop_words_and_signs_alone_give_nothing() {
    assert!(shown("the of in").is_empty() && shown("?! --").is_empty() && shown("").is_empty());
}

#[test]
fn locants_are_of_their_compound() {
    let words = |question: &str| -> Vec<(String, f32, Vec<String>)> {
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        let shown = |phrase: &Phrase| {
            phrase.terms.iter().map(|(far, term)| format!("{far}{term}")).collect::<Vec<_>>().join(" ")
        };
        let all = |concept: &Concept| concept.alternatives.iter().map(|one| shown(&one.phrase)).collect();
        let concepts = Questions::default().concepts(None, question);
        concepts.iter().map(|concept| (text(concept), concept.boost, all(concept))).collect()
    };
    let found = words("1,4-dioxane");
    let whole = found.iter().find(|(text, ..)| text == "1,4-dioxane").unwrap();
    assert_eq!((whole.1, &whole.2[1]), (1.0, &"01 24 3dioxane".to_owned()), "{found:?}");
    assert!(found.iter().any(|(text, boost, _)| text == "4-dioxane" && *boost == 0.5), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(words("2,4,6-trinitrotoluene in water").iter().any(|(text, ..)| text == "2,4,6-trinitrotoluene"));
    for other in ["1, 4-dioxane", "1,000", "5,4-6"] {
        assert!(words(other).iter().all(|(text, ..)| !text.contains(',')), "{other}");
    }
}

#[test]
fn words_that_hyphens_join_are_found_by_their_stems_beside_each_other() {
    let phrase =
        |terms: &[&str]| Phrase { terms: (0..).zip(terms.iter().map(|&term| term.into())).collect() };
    for (question, stems) in [
        ("injection-molding", phrase(&["inject", "mold"])),
        ("Lithium-Ionen-Batterien", phrase(&["\u{5}lithium", "\u{5}ion", "\u{5}batteri"])),
        ("3D-printing", phrase(&["3d", "print"])),
        ("tooth-brushes", phrase(&["toothbrush"])),
    ] {
        let concepts = Questions::default().concepts(None, question);
        let found = concepts[0].alternatives.iter().find(|one| one.phrase == stems);
        assert_eq!(found.map(|one| one.in_names), Some(Some(false)), "{question}: {:?}", concepts[0]);
    }
    // The part behind a prefix as well.
    let concepts = Questions::default().concepts(None, "anti-fog-coatings");
    let inner = concepts.iter().find(|concept| concept.from == 5 && concept.to == 17).unwrap();
    assert!(inner.alternatives.iter().any(|one| one.phrase == phrase(&["fog", "coat"])), "{inner:?}");
}

#[test]
fn function_words_that_joiners_connect_give_nothing() {
    for question in ["and/or", "e.g.", "i.e., a", "z.B.", "is-a"] {
        assert!(shown(question).is_empty(), "{question}: {:?}", shown(question));
    }
    assert_eq!(shown("pumps and/or valves, e.g. taps").len(), 3);
    for question in ["A/C", "on/off", "IE", "I/O", "NAND/OR gate", "add-on"] {
        assert!(!shown(question).is_empty(), "{question}");
    }
}

#[test]
fn function_words_of_other_languages_are_words_of_an_english_question() {
    let has = |question: &str, word: &str| shown(question).iter().any(|(text, _)| text == word);
    for (question, word) in [
        ("a method for bonding a die", "die"),
        ("die for use in forging", "die"),
        ("container with a pour spout", "pour"),
        ("die of 5 µm by 5 µm", "die"),
        ("semiconductor die", "die"),
        ("wafer, bare die?", "die"),
    ] {
        assert!(has(question, word), "{question}");
    }
    for (question, word) in [
        ("die Batterie", "die"),
        ("was die Pumpe ist", "ist"),
        ("die Pumpe und der Filter by Bosch", "die"),
        ("capteur pour véhicule", "pour"),
        ("pompe pour eau", "pour"),
        ("die Größe in or", "die"),
    ] {
        assert!(!has(question, word), "{question}");
    }
    // Every German text has `die`, which is no English word.
    let concepts = Questions::default().concepts(None, "bonding of a die");
    let die = concepts.iter().find(|concept| concept.to - concept.from == 3).unwrap();
    assert!(die.alternatives.iter().any(|one| one.phrase == Phrase::word("die") && one.is_in(Part::Text)));
    assert!(
        die.alternatives.iter().all(|one| !one.phrase.terms[0].1.starts_with(['\u{5}', '\u{6}'])),
        "{die:?}"
    );
}

#[test]
fn unseen_characters_and_stray_accents_part_no_word() {
    let one = |question: &str| -> Phrase {
        let concepts = Questions::default().concepts(None, question);
        assert_eq!(concepts.len(), 1, "{question:?}: {concepts:?}");
        concepts[0].alternatives[0].phrase.clone()
    };
    assert_eq!(one("ARÇELİK"), one("arçelik"));
    assert_eq!(one("x\u{304}y"), one("xy"));
    assert_eq!(one("bat\u{200b}tery"), one("battery"));
    assert_eq!(one("bat\u{200e}tery\u{202c}"), one("battery"));
    assert_eq!(shown("葛\u{e0100}城"), [("葛\u{e0100}城".into(), 1.0)]);
    assert_eq!(one("葛\u{e0100}城"), one("葛城"));
    assert_eq!(one("☎\u{fe0f}battery"), one("battery"));
}
