//! Texts of any characters: no question and no required term stops the process, and all places are within the text.

use super::super::places::Sought;
use super::super::question::Questions;
use proptest::prelude::*;

/// Letters, numbers, joiners and characters that normalisation makes longer, shorter or reorders.
fn text() -> impl Strategy<Value = String> {
    let odd = "aZß4.¾⅒²㎏㌔㈱ﬁﷺİıſΣςůůǅ각가가中國国カｶﾞガー-‐–/⁄·_'’() \u{200d}\u{ad}\u{300}🎻𝟘Ⅷ\u{1f3fb}\u{e001}\u{10ffff}";
    let odd: Vec<char> = odd.chars().collect();
    let letter = prop_oneof![6 => prop::sample::select(odd), 1 => any::<char>()];
    prop::collection::vec(letter, 0..24).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_text_is_a_question_and_a_required_term(question in text(), document in text()) {
        let mut questions = Questions::default();
        let mut concepts = questions.concepts(&question);
        concepts.extend(questions.phrase(&question));
        for concept in &concepts {
            prop_assert!(question.get(concept.from as usize..concept.to as usize).is_some());
        }
        let sought = Sought::new(concepts);
        for text in [&question, &document] {
            for place in questions.find(text, &sought, None) {
                prop_assert!(text.get(place.from as usize..place.to as usize).is_some_and(|found| !found.is_empty()));
            }
        }
    }
}
