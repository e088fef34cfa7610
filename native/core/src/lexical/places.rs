//! The places in a text that hold words of a list.

use super::analysis::Language;
use super::concept::Concept;
use super::found::{Found, LANGUAGES};
use super::fragments::{without_fragments, Continued};
use super::index::Phrase;
use super::question::Questions;
use super::terms::Terms;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Places of a text, at most: those that begin first. Texts that repeat a word, such as sequences of amino acids, hold a phrase
/// of it hundreds of times.
pub const MOST_PLACES: usize = 2_000;

/// A place in a text that holds a word of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Bytes of the text.
    pub from: u32,
    pub to: u32,
    /// Place of the word in the list.
    pub concept: usize,
    /// If the text holds a translation: the bytes of the question that it translates.
    pub translates: Option<(u32, u32)>,
}

/// Words that are looked for in texts.
pub struct Sought {
    concepts: Vec<Concept>,
    /// Computed for the first text.
    continued: OnceCell<Vec<Continued>>,
}

impl Sought {
    pub fn new(concepts: Vec<Concept>) -> Self {
        Sought { concepts, continued: OnceCell::new() }
    }

    pub fn concepts(&self) -> &[Concept] {
        &self.concepts
    }

    fn continued(&self) -> &[Continued] {
        self.continued.get_or_init(|| Continued::of_all(&self.concepts))
    }
}

impl Questions {
    /// The places in a text that hold a concept or a translation of one, ascending, and at most `MOST_PLACES`. Of concepts
    /// with the same translation, such as the pairs of characters of a word, the longest that is used counts, and of an acronym
    /// and its stems the acronym. No term is in two places of one phrase.
    ///
    /// Two characters of a longer word of the concepts count only if they are not a fragment of another word: see
    /// `fragments.rs`.
    /// @param is_used whether a concept is used, by its number: others count only for translations that no used one has
    pub fn find(
        &mut self,
        text: &str,
        sought: &Sought,
        terms: Option<&Terms>,
        is_used: impl Fn(usize) -> bool,
    ) -> Vec<Place> {
        let concepts = sought.concepts();
        let mut places = Vec::new();
        let mut readings: Vec<Vec<Found>> = Vec::new();
        // Stems of another language would show words that the index does not hold: the German one of `heat` is that of `heater`.
        let languages = match Language::of_text(text) {
            Some(language) => &[Language::Other, language][..],
            None => &LANGUAGES,
        };
        for &language in languages {
            let found = self.all_terms(text, language);
            // Without words that have stems, a text reads the same in all languages.
            if !readings.contains(&found) {
                readings.push(found);
            }
        }
        for found in &readings {
            let occurrences = Occurrences::of(found);
            for (concept, phrase, translates) in concepts.iter().enumerate().flat_map(phrases_of) {
                let place = |(from, to)| places.push(Place { from, to, concept, translates });
                occurrences.of_phrase(phrase).into_iter().for_each(place);
            }
        }
        let length = |concept: usize| concepts[concept].to - concepts[concept].from;
        // The stems of an acronym come behind it, and hold the acronym itself, too.
        let is_of_acronym = |next: usize, kept: usize| {
            let (next, kept) = (&concepts[next], &concepts[kept]);
            next.is_extra && (next.from, next.to) == (kept.from, kept.to)
        };
        places.sort_unstable_by_key(|place| {
            let Place { from, to, concept, translates } = *place;
            (from, to, translates, !is_used(concept), Reverse(length(concept)), concept)
        });
        places.dedup_by(|next, kept| {
            (next.from, next.to, next.translates) == (kept.from, kept.to, kept.translates)
                && (next.concept == kept.concept
                    || next.translates.is_some()
                    || is_of_acronym(next.concept, kept.concept))
        });
        let mut places = without_fragments(text, concepts, sought.continued(), terms, places);
        places.truncate(MOST_PLACES);
        places
    }
}

/// Where each term stands in a text: its positions, ascending, with its number among the terms.
struct Occurrences<'a> {
    found: &'a [Found],
    at: HashMap<&'a str, Vec<(u32, usize)>>,
}

impl<'a> Occurrences<'a> {
    fn of(found: &'a [Found]) -> Self {
        let mut at: HashMap<&str, Vec<(u32, usize)>> = HashMap::new();
        for (n, term) in found.iter().enumerate() {
            at.entry(&term.text).or_default().push((term.position, n));
        }
        // Of terms at one position, the first stays the first.
        at.values_mut().for_each(|places| places.sort_by_key(|&(position, _)| position));
        Occurrences { found, at }
    }

    /// The bytes of the text that hold a phrase, ascending. No term is in two of them, as in `Xaa Xaa Xaa` for the phrase
    /// `Xaa Xaa`. Takes time in proportion to the occurrences of all terms, and to those of the
    /// first term times the number of terms.
    fn of_phrase(&self, phrase: &Phrase) -> Vec<(u32, u32)> {
        let of_term = |(far, term): &(u32, String)| Some((*far, self.at.get(term.as_str())?.as_slice()));
        let Some(mut terms) = phrase.terms.iter().map(of_term).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let Some(&(_, starts)) = terms.first() else { return Vec::new() };
        let length = 1 + terms.iter().map(|&(far, _)| far).max().unwrap_or(0);
        let (mut held, mut last) = (Vec::new(), None);
        for &(position, start) in starts {
            let overlaps = |last: u32| last < position && position < last + length;
            if last.is_some_and(overlaps) {
                continue;
            }
            // Positions of starts ascend, so what is left behind is not needed again.
            let end = |(far, places): &mut (u32, &[(u32, usize)])| {
                let passed = places.iter().take_while(|(other, _)| *other < position + *far).count();
                *places = &places[passed..];
                let &(other, n) = places.first()?;
                (other == position + *far).then(|| self.found[n].to)
            };
            // The first term is the one that starts here, of several at one position.
            let own = self.found[start].to;
            let ends: Option<u32> =
                terms.iter_mut().skip(1).map(end).try_fold(own, |most, end| Some(most.max(end?)));
            if let Some(to) = ends {
                held.push((self.found[start].from, to));
                last = Some(position);
            }
        }
        held
    }
}

/// The phrases of a concept, and what its translations translate.
fn phrases_of((n, concept): (usize, &Concept)) -> impl Iterator<Item = (usize, &Phrase, Option<(u32, u32)>)> {
    let own = concept.alternatives.iter().map(move |alternative| (n, &alternative.phrase, None));
    let others = concept.translations.iter();
    own.chain(others.map(move |other| (n, &*other.phrase, Some((other.from, other.to)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_where_a_text_holds_them() {
        let mut questions = Questions::default();
        let text = "A through-silicon via (TSV), or 硅通孔, of lithium ion cells";
        let found = |questions: &mut Questions, phrase: &str| -> Vec<String> {
            let concept = questions.phrase(phrase).unwrap();
            let places = questions.find(text, &Sought::new(vec![concept]), None, |_| true);
            places.iter().map(|place| text[place.from as usize..place.to as usize].to_owned()).collect()
        };
        assert_eq!(found(&mut questions, "Through silicon vias"), ["through-silicon via"]);
        assert_eq!(found(&mut questions, "硅通孔"), ["硅通孔"]);
        assert_eq!(found(&mut questions, "lithium-ion cell"), ["lithium ion cells"]);
        assert!(found(&mut questions, "silicon through").is_empty());
    }

    #[test]
    fn stems_meet_words_of_their_language_only() {
        let mut questions = Questions::default();
        let mut holds = |word: &str, text: &str| {
            let concept = questions.phrase(word).unwrap();
            !questions.find(text, &Sought::new(vec![concept]), None, |_| true).is_empty()
        };
        assert!(holds("heater", "the heaters of a cell"));
        assert!(!holds("heater", "the heat of a cell"));
        assert!(!holds("tester", "a test of the cell"));
        assert!(holds("Batterien", "die Batterie und der Sensor"));
        assert!(holds("piles", "la pile et le capteur"));
    }

    #[test]
    fn places_of_repeated_words_share_no_word_and_are_bounded() {
        let mut questions = Questions::default();
        let text = "Xaa ".repeat(300);
        let phrases = (31..=50).map(|words| questions.phrase("Xaa ".repeat(words).trim()).unwrap());
        let sought = Sought::new(phrases.collect());
        let places = questions.find(&text, &sought, None, |_| true);
        for (concept, words) in (31..=50).enumerate() {
            let own: Vec<_> = places.iter().filter(|place| place.concept == concept).collect();
            assert_eq!(own.len(), 300 / words);
            assert!(own.windows(2).all(|pair| pair[0].to < pair[1].from));
            assert!(own.iter().all(|place| (place.to - place.from) as usize == 4 * words - 1));
        }
        let word = questions.phrase("Xaa").unwrap();
        assert_eq!(questions.find(&text, &Sought::new(vec![word.clone()]), None, |_| true).len(), 300);
        assert_eq!(questions.find(&text, &Sought::new(vec![word; 20]), None, |_| true).len(), MOST_PLACES);
    }

    #[test]
    fn equal_pieces_of_one_code_are_places_of_their_own() {
        let mut questions = Questions::default();
        let text = "a group -[CH2CH2O]- of CH3CH2CH2SO4";
        let concepts = questions.concepts(None, "CH");
        let places = questions.find(text, &Sought::new(concepts), None, |_| true);
        assert_eq!(places.len(), 5);
        assert!(places.iter().all(|place| &text[place.from as usize..place.to as usize] == "CH"));
    }

    #[test]
    fn codes_formulae_and_numbers_are_found_exactly() {
        let mut questions = Questions::default();
        let mut holds = |phrase: &str, text: &str| {
            let concept = questions.phrase(phrase).unwrap();
            !questions.find(text, &Sought::new(vec![concept]), None, |_| true).is_empty()
        };
        for (phrase, texts) in [
            (
                "Li2S",
                &["Li2S", "Li₂S", "ＬＩ２Ｓ", "Li 2 S", "(Li2S)", "Li2S-P2S5", "Li2S를", "硫化锂Li2S粉末"][..],
            ),
            ("P2S5", &["Li2S-P2S5", "a P2S5."]),
            ("Li2S-P2S5", &["Li2S-P2S5 glass", "Li2S P2S5", "Li2SP2S5"]),
            ("PM2.5", &["PM2.5", "PM 2.5", "pm-2.5"]),
            ("PM 2.5 sensor", &["a PM2.5 sensor", "PM 2.5 sensors"]),
            ("IEEE 1588", &["IEEE1588", "IEEE-1588", "IEEE 1588-2008"]),
            ("5G", &["5G", "5G-NR", "pre-5G", "5-G"]),
            ("CO2", &["CO2", "CO 2", "CO₂", "CO-2"]),
            ("550 nm", &["550nm", "550 nm", "550-nm"]),
            ("220V", &["220 V", "220V", "220-V"]),
            ("5 W", &["5W", "5 W"]),
            ("AlAs", &["an AlAs layer", "ALAS"]),
            ("10-20", &["10–20", "10-20 parts"]),
            ("Fe 3 O 4 particles", &["Fe3O4 particle"]),
            ("toothbrush", &["toothbrushes", "tooth-brush"]),
            ("BATTERIES", &["battery"]),
            ("무선충전", &["무선 충전 장치", "무선충전장치", "급속무선충전"]),
            ("무선 충전", &["무선충전장치"]),
            ("배터리관리시스템", &["배터리 관리 시스템", "배터리관리 시스템", "배터리 관리시스템"]),
            ("스마트워치 무선충전기", &["스마트 워치 무선 충전기", "스마트워치무선충전기"]),
            ("리튬이온전지", &["리튬 이온 전지", "리튬이온 전지", "리튬 이온전지"]),
            ("스마트 폰", &["스마트폰", "스마트 폰"]),
            ("電池の膜", &["电池の膜", "全固体電池の膜"]),
        ] {
            for text in texts {
                assert!(holds(phrase, text), "{phrase} in {text}");
            }
        }
        for (phrase, texts) in [
            (
                "Li2S",
                &["Li-S", "Li–S电池", "Li1+xAlxTi2-x(PO3)4", "Li", "Li2Sb", "Li2S2", "li", "2S", "Li 2, S"][..],
            ),
            ("5G", &["5 G", "2.5G", "15G", "S5G"]),
            ("2.5", &["PM2.5", "12.5", "2.55", "2 5", "2-5"]),
            ("1588", &["IEEE1588", "15880"]),
            ("Li", &["Li2S", "LiPF6"]),
            ("CO", &["CO2"]),
            ("AlAs", &["Ala", "alanine"]),
            ("1020", &["10-20"]),
            ("AC", &["A/C", "A C"]),
            ("cell phone", &["a cell. Phone"]),
            ("10:1", &["10 1"]),
            ("電池の膜", &["電池と膜", "電池、膜", "電池膜"]),
            ("황화물", &["산화물", "황 화물"]),
            ("두 개", &["두개골", "두 개골"]),
            ("무선충전", &["무선의 충전", "무선, 충전", "유무선 재충전", "충전무선"]),
        ] {
            for text in texts {
                assert!(!holds(phrase, text), "{phrase} in {text}");
            }
        }
        assert!(questions.phrase("?!").is_none());
    }

    #[test]
    fn two_characters_are_no_place_if_they_are_of_another_word() {
        let mut questions = Questions::default();
        let mut found = |question: &str, text: &str| -> Vec<String> {
            let concepts = questions.concepts(None, question);
            let places = questions.find(text, &Sought::new(concepts), None, |_| true);
            let mut shown: Vec<String> =
                places.iter().map(|place| text[place.from as usize..place.to as usize].to_owned()).collect();
            shown.dedup();
            shown
        };
        assert!(found("황화물", "산화물 및 황화수소").is_empty());
        assert_eq!(found("황화물", "황화물계"), ["황화", "황화물", "화물"]);
        assert_eq!(found("고체전해질의", "고체 전해질층"), ["고체", "고체 전해질", "전해", "해질"]);
        assert_eq!(found("전지의", "전지는"), ["전지"]);
        assert!(found("硫化物", "氧化物").is_empty());
        assert!(found("センサ", "エッセンス").is_empty());
    }
}
