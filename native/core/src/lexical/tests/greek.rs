//! Greek letters and their names in questions and required words.

use super::*;

fn holds(word: &str, text: &str) -> bool {
    let concept = Questions::default().phrase(word).unwrap();
    !Questions::default().find(text, &Sought::new(vec![concept]), None, |_| true).is_empty()
}

#[test]
fn required_words_are_found_in_each_spelling_of_a_greek_letter() {
    let tnf = ["TNF-α", "TNFα", "TNF-alpha", "TNF alpha", "TNF-알파", "TNF 알파의", "TNF-アルファ"];
    let glucan = ["β-글루칸", "베타글루칸을", "베타-글루칸", "beta-글루칸"];
    let omega = ["ω-3", "오메가-3", "오메가3", "omega-3", "ω3"];
    for same in [&tnf[..], &glucan[..], &omega[..]] {
        for word in same.iter().filter(|word| !word.ends_with(['의', '을']) && !word.contains(' ')) {
            for text in same {
                assert!(holds(word, text), "{word} in {text}");
            }
        }
    }
    assert!(holds("β-glucan", "beta-glucan of oats") && holds("beta-glucans", "a β-glucan"));
    for (word, text) in [
        ("TNF-α", "TNF-β"),
        ("TNF-alpha", "TNF"),
        ("alpha", "α"),
        ("α", "alpha"),
        ("alphabet", "α-bet"),
        ("10 μm", "10 mu-m"),
    ] {
        assert!(!holds(word, text), "{word} in {text}");
    }
}

#[test]
fn words_of_a_question_are_found_in_each_spelling_of_a_greek_letter() {
    let whole = |question: &str, word: &str| -> Concept {
        let is = |concept: &Concept| &question[concept.from as usize..concept.to as usize] == word;
        let concepts = Questions::default().concepts(None, question);
        concepts.into_iter().find(is).unwrap_or_else(|| panic!("{word} of {question}"))
    };
    for (question, word) in [
        ("TNF-α", "TNF-α"),
        ("TNF-alpha inhibitor", "TNF-alpha"),
        ("TNF-알파의 억제제", "TNF-알파"),
        ("anti-TNF-α", "TNF-α"),
        ("TNFα", "TNFα"),
    ] {
        let concept = whole(question, word);
        let parted = Phrase { terms: vec![(0, "tnf".into()), (1, "α".into())] };
        let named = Phrase { terms: vec![(0, "tnf".into()), (1, "알파".into())] };
        for phrase in [parted, named, Phrase::word("tnfalpha"), Phrase::word("tnfα")] {
            let is_full = |own: &Alternative| own.phrase == phrase && own.weight == 1.0;
            assert!(concept.alternatives.iter().any(is_full), "{phrase:?} of {question}");
        }
    }
    let shown = |question: &str| -> Vec<(String, f32)> {
        let concepts = Questions::default().concepts(None, question);
        let text = |one: &Concept| question[one.from as usize..one.to as usize].to_owned();
        concepts.iter().map(|one| (text(one), one.boost)).collect()
    };
    let of = |words: &[(&str, f32)]| {
        words.iter().map(|&(word, boost)| (word.to_owned(), boost)).collect::<Vec<_>>()
    };
    assert_eq!(shown("TNF-alpha"), of(&[("TNF-alpha", 1.0), ("TNF", 0.5)]));
    assert_eq!(shown("TNF-알파"), of(&[("TNF", 0.5), ("TNF-알파", 1.0)]));
    assert_eq!(shown("베타글루칸"), of(&[("베타글루칸", 1.0), ("글루", 0.5), ("루칸", 0.5)]));
    assert!(shown("함유β-글루칸").contains(&("β-글루칸".into(), 1.0)));
    assert_eq!(shown("TNF-α항체"), of(&[("TNF-α", 1.0), ("TNF", 0.5), ("항체", 1.0), ("TNF-α항체", 0.5)]));
    assert!(shown(&"α-x-".repeat(2500)).len() < 9, "takes little time");
    assert_eq!(shown("γ射线"), of(&[("γ", 1.0), ("射线", 1.0), ("γ射线", 0.5)]));
    assert_eq!(shown("10 μm, alpha")[..3], of(&[("10", 1.0), ("μm", 1.0), ("alpha", 1.0)]));
}

#[test]
fn a_term_of_the_table_is_found_with_a_greek_letter() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of(
        dir.path(),
        &[&[("en", "beta-glucan"), ("zh", "葡聚糖")], &[("en", "α-helix"), ("zh", "螺旋")]],
    );
    for question in ["beta-glucan", "β-glucans", "β glucan", "alpha helix", "α-helix"] {
        let concepts = translated(&terms, question);
        assert!(concepts.iter().any(|concept| !concept.translations.is_empty()), "{question}");
    }
}
