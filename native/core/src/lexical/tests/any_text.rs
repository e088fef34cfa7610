//! Texts of any characters: no question and no required term stops the process, and all places are within the text.

use super::super::places::Sought;
use super::super::question::Questions;
use super::super::terms::Terms;
use super::table_of;
use proptest::prelude::*;
use std::sync::LazyLock;

/// A table of terms that the texts hold.
static TERMS: LazyLock<Terms> = LazyLock::new(|| {
    let groups: [&[(&str, &str)]; 3] = [
        &[("zh", "中国"), ("ko", "각가"), ("en", "a fi")],
        &[("ja", "カガ"), ("en", "4 a"), ("ko", "가각 가")],
        &[("zh", "0点"), ("en", "zero"), ("ja", "国カ")],
    ];
    table_of(tempfile::tempdir().unwrap().path(), &groups)
});

/// Letters, numbers, joiners and characters that normalisation makes longer, shorter or reorders.
fn text() -> impl Strategy<Value = String> {
    let odd = "aZß4.㍘¾⅒²㎏㌔㈱ﬁﷺİıſΣςůůǅ각가가中國国カｶﾞガー-‐–/⁄·_'’() \u{200d}\u{ad}\u{fe0f}\u{e0100}\u{300}\u{304}🎻𝟘Ⅷ\u{1f3fb}\u{e001}\u{10ffff}";
    let odd: Vec<char> = odd.chars().collect();
    let letter = prop_oneof![6 => prop::sample::select(odd), 1 => any::<char>()];
    prop::collection::vec(letter, 0..24).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_text_is_a_question_and_a_required_term(question in text(), document in text()) {
        let mut questions = Questions::default();
        let mut concepts = questions.concepts(Some(&TERMS), &question);
        questions.translate(&TERMS, &question, &mut concepts);
        questions.in_other_languages(&TERMS, &question, 20);
        let mut phrase = questions.phrase(&question);
        if let Some(phrase) = &mut phrase {
            questions.translate_phrase(&TERMS, &question, phrase);
        }
        concepts.extend(phrase);
        for concept in &concepts {
            prop_assert!(question.get(concept.from as usize..concept.to as usize).is_some());
            for one in &concept.translations {
                prop_assert!(question.get(one.from as usize..one.to as usize).is_some());
            }
        }
        let sought = Sought::new(concepts);
        for text in [&question, &document] {
            for place in questions.find(text, &sought, Some(&TERMS), |_| true) {
                prop_assert!(text.get(place.from as usize..place.to as usize).is_some_and(|found| !found.is_empty()));
            }
        }
    }
}
