//! Required terms against texts that write them in another way.

use super::super::analysis::{Analyser, Language};
use super::super::index::Phrase;
use super::super::question::Questions;
use super::super::Part;
use unicode_normalization::UnicodeNormalization;

/// Whether a text holds a required term.
fn is_held(term: &str, text: &str, language: Language) -> bool {
    let mut terms = Vec::new();
    Analyser::default().terms(text, language, |term| terms.push((term.position, term.text.to_owned())));
    let holds = |phrase: &Phrase| {
        let begins = terms.iter().filter(|(_, text)| *text == phrase.terms[0].1);
        begins
            .map(|(position, _)| position)
            .any(|at| phrase.terms.iter().all(|(far, term)| terms.contains(&(at + far, term.clone()))))
    };
    let concept = Questions::default().phrase(term).unwrap();
    concept.alternatives.iter().any(|one| one.is_in(Part::Text) && holds(&one.phrase))
}

fn assert_held(language: Language, pairs: &[(&str, &str)]) {
    let missed: Vec<_> = pairs.iter().filter(|(term, text)| !is_held(term, text, language)).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

fn assert_not_held(language: Language, pairs: &[(&str, &str)]) {
    let found: Vec<_> = pairs.iter().filter(|(term, text)| is_held(term, text, language)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_syllable_behind_a_number_or_letter_stands_alone_or_not() {
    let words = [
        ("2차전지", "2차 전지"),
        ("X선검출기", "X선 검출기"),
        ("p형반도체", "p형 반도체"),
        ("4륜구동", "4륜 구동"),
        ("5축가공", "5축 가공"),
        ("5축가공기계장치", "5축 가공 기계장치"),
        ("X선관", "X선 관"),
        ("２차전지", "2차 전지"),
        ("2차전지 4륜구동", "2차 전지 4륜구동"),
        ("4륜구동 스마트 폰", "4륜 구동 스마트폰"),
    ];
    assert_held(Language::Other, &words);
    // 폰 of 스마트 폰 in a text stands alone.
    let reverse = words[..words.len() - 1].iter().map(|&(joined, apart)| (apart, joined));
    assert_held(Language::Other, &reverse.collect::<Vec<_>>());
    let decomposed = "2차 전지".nfd();
    assert_held(Language::Other, &[("2차전지", &decomposed.collect::<String>())]);
    let others =
        [("2차전지", "2 전지"), ("2차전지", "3차 전지"), ("2차 전지", "2차 축전지"), ("차전지", "2차 전지")];
    assert_not_held(Language::Other, &others);
}

#[test]
fn katakana_words_are_joined_by_a_middle_dot_or_not() {
    let words = [
        ("コンピュータシステム", "コンピュータ・システム"),
        ("リチウムイオン電池", "リチウム・イオン電池"),
        ("リチウムイオンバッテリー", "リチウム・イオン・バッテリー"),
        ("リチウムイオンバッテリー", "リチウムイオン・バッテリー"),
        ("ワイヤレスネットワークコントローラ", "ワイヤレス・ネットワークコントローラ"),
        ("ワイヤレスネットワークコントローラ", "ワイヤレスネットワーク・コントローラ"),
        ("ｺﾝﾋﾟｭｰﾀｼｽﾃﾑ", "コンピュータ･システム"),
        ("コンピュータシステム", "コンピュータ システム"),
    ];
    assert_held(Language::Other, &words);
    assert_held(Language::Other, &words.map(|(joined, apart)| (apart, joined)));
    let others = [
        ("コンピュータシステム", "コンピュータ、システム"),
        ("コンピュータシステム", "コンピュータのシステム"),
        ("センサ", "セ・ンサ"),
    ];
    assert_not_held(Language::Other, &others);
}

#[test]
fn a_word_with_a_hyphen_has_endings_too() {
    let english = [
        ("nanoparticle", "of nano-particles"),
        ("nanoparticles", "a nano-particle"),
        ("subpixel", "sub-pixels"),
        ("Subpixel", "Sub-Pixels"),
        ("preheater", "pre-heaters"),
        ("microbattery", "micro-batteries"),
        ("microbatteries", "micro-battery"),
        ("microswitch", "micro-switches"),
        ("silver nanoparticle", "silver nano-particles"),
    ];
    assert_held(Language::English, &english);
    // A text of another language has the words as they are written.
    assert_held(Language::Other, &english);
    let german = [
        ("Lithiumionenbatterie", "Lithium-Ionen-Batterien"),
        ("Lithiumionenbatterien", "Lithium-Ionen-Batterie"),
        ("Wechselstrommotor", "Wechselstrom-Motoren"),
        ("Wechselstrommotor", "des Wechselstrom-Motors"),
        ("Messgerät", "Mess-Geräte"),
        ("drahtlose Messgeräte", "ein drahtloses Mess-Gerät"),
    ];
    assert_held(Language::German, &german);
    let others = [
        ("gold", "golden"),
        ("strength", "strengthen"),
        ("straight", "straighten"),
        ("new", "news"),
        ("subpixel", "sub-pixelation"),
        ("nanoparticle", "nano particle"),
    ];
    assert_not_held(Language::English, &others);
}

#[test]
fn a_long_word_with_capitals_inside_is_the_same_word() {
    let words = [
        ("SmartPhone", "a smartphone"),
        ("SmartPhones", "the smartphone"),
        ("smartphone", "SmartPhones"),
        ("PhotoVoltaic", "photovoltaic cells"),
        ("MicroNeedles", "a microneedle"),
    ];
    assert_held(Language::English, &words);
    // Codes and formulae stay what they are.
    assert_not_held(Language::English, &[("AlAs", "ala"), ("MOSFETs", "a mosfet")]);
    assert_held(Language::English, &[("MOSFETs", "MOSFETs")]);
}
