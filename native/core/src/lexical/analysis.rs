//! Cuts texts into the terms of the lexical index.
//!
//! - Words of letters become their stem, if the language has a stemmer.
//! - A word with digits or joiners (`PM2.5`, `S550GD+Z`, `lithium-ion`) is one term without its
//!   joiners, and its parts of two characters or more are terms of their own.
//! - Runs of Han characters, of Hangul and of each kana become pairs of neighbouring characters. A
//!   longer word is found as a phrase of pairs, so the index does not depend on a dictionary. A run
//!   of one character is a term.
//!
//! A term has a position. Terms of one place (a whole word and its first part) share it, and each
//! further part or character advances it, so a phrase is a list of terms with their distances.

use super::characters::{normalise, Character, Class};
use frostem::{Algorithm, Stemmer};
use std::collections::HashMap;

/// Version of the analysis. An index of another version is not used.
pub const VERSION: u32 = 1;

/// Longest term, bytes. Longer words are cut.
const LONGEST: usize = 60;
/// Parts of a word that become terms, at most.
const MOST_PARTS: usize = 8;
/// Stems that are remembered. Beyond this, all are forgotten.
const REMEMBERED: usize = 1 << 16;

/// A language with a stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    German,
    French,
    /// Words stay as they are.
    Other,
}

/// Frequent function words, by which the language of a text is recognised.
const ENGLISH: &[&str] = &[
    "the", "of", "and", "a", "to", "is", "in", "for", "with", "that", "by", "an", "or", "are", "from",
    "wherein",
];
const GERMAN: &[&str] = &[
    "der", "die", "das", "und", "mit", "eine", "ein", "einer", "von", "zu", "zur", "ist", "im", "den", "dem",
    "für", "auf", "werden", "wird", "nach", "oder", "bei",
];
const FRENCH: &[&str] = &[
    "le", "la", "les", "de", "des", "du", "et", "un", "une", "est", "pour", "dans", "par", "au", "aux",
    "sur", "avec", "que", "qui", "ou",
];

impl Language {
    /// The language of an ISO 639-1 code.
    pub fn of_code(code: &str) -> Self {
        match code {
            "en" => Language::English,
            "de" => Language::German,
            "fr" => Language::French,
            _ => Language::Other,
        }
    }

    /// The language of a text by its function words; `None` if it has none.
    pub fn of_text(text: &str) -> Option<Self> {
        let mut found = [0usize; 3];
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(400) {
            let word = word.to_lowercase();
            for (count, words) in found.iter_mut().zip([ENGLISH, GERMAN, FRENCH]) {
                *count += words.contains(&word.as_str()) as usize;
            }
        }
        let best = (0..3).rev().max_by_key(|&n| found[n])?;
        let language = [Language::English, Language::German, Language::French][best];
        (found[best] > 0).then_some(language)
    }
}

/// A term at its place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    pub text: &'a str,
    pub position: u32,
    /// Bytes of the text.
    pub from: u32,
    pub to: u32,
    pub kind: Kind,
}

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word of letters only.
    Word,
    /// A word with digits or joiners, or a number.
    Code,
    /// A part of a code.
    Part,
    /// Two neighbouring characters of a script without spaces, or of Hangul; or a single one.
    Pair,
}

/// Cuts texts into terms. It remembers stems, so one analyser is used for many texts.
pub struct Analyser {
    characters: Vec<Character>,
    word: String,
    stemmers: [Stemmer; 3],
    stems: HashMap<(Language, Box<str>), Box<str>>,
}

impl Default for Analyser {
    fn default() -> Self {
        let of = [Algorithm::English, Algorithm::German, Algorithm::French];
        Analyser {
            characters: Vec::new(),
            word: String::new(),
            stemmers: of.map(Stemmer::new),
            stems: HashMap::new(),
        }
    }
}

impl Analyser {
    /// Calls `each` with the terms of a text in the order of their positions. Returns the number of
    /// positions.
    pub fn terms(&mut self, text: &str, language: Language, mut each: impl FnMut(Term)) -> u32 {
        let mut characters = std::mem::take(&mut self.characters);
        normalise(text, &mut characters);
        let mut position = 0;
        let mut at = 0;
        while at < characters.len() {
            let class = characters[at].class;
            let end = match class {
                Class::Letter | Class::Digit => end_of_word(&characters, at),
                Class::Joiner | Class::Other => at + 1,
                _ => at + characters[at..].iter().take_while(|c| c.class == class).count(),
            };
            let run = &characters[at..end];
            position = match class {
                Class::Letter | Class::Digit => self.push_word(run, language, position, &mut each),
                Class::Joiner | Class::Other => position,
                _ => self.push_pairs(run, class, position, &mut each),
            };
            at = end;
        }
        self.characters = characters;
        position
    }

    fn push_pairs(
        &mut self,
        run: &[Character],
        class: Class,
        position: u32,
        each: &mut impl FnMut(Term),
    ) -> u32 {
        let kind = Kind::Pair;
        let width = run.len().min(2);
        // A single hiragana is a particle.
        if width == 2 || class != Class::Hiragana {
            for (pair, position) in run.windows(width).zip(position..) {
                self.word.clear();
                self.word.extend(pair.iter().map(|c| c.value));
                each(Term { text: &self.word, position, from: pair[0].from, to: pair[width - 1].to, kind });
            }
        }
        position + run.len() as u32
    }

    fn push_word(
        &mut self,
        run: &[Character],
        language: Language,
        position: u32,
        each: &mut impl FnMut(Term),
    ) -> u32 {
        let (from, to) = (run[0].from, run[run.len() - 1].to);
        if run.iter().all(|c| c.class == Class::Letter) {
            put(&mut self.word, run);
            let text = stem(&mut self.stems, &self.stemmers, &self.word, language);
            each(Term { text, position, from, to, kind: Kind::Word });
            return position + 1;
        }
        put(&mut self.word, run);
        each(Term { text: &self.word, position, from, to, kind: Kind::Code });
        let mut next = position;
        for part in parts(run).take(MOST_PARTS).filter(|part| part.len() >= 2 && part.len() < run.len()) {
            put(&mut self.word, part);
            let letters = part[0].class == Class::Letter;
            let language = if letters { language } else { Language::Other };
            let text = stem(&mut self.stems, &self.stemmers, &self.word, language);
            let (from, to) = (part[0].from, part[part.len() - 1].to);
            each(Term { text, position: next, from, to, kind: Kind::Part });
            next += 1;
        }
        next.max(position + 1)
    }
}

/// The end of a word: letters and digits, and joiners between them.
fn end_of_word(characters: &[Character], from: usize) -> usize {
    let is_inner =
        |n: usize| characters.get(n).is_some_and(|c| matches!(c.class, Class::Letter | Class::Digit));
    let mut end = from + 1;
    loop {
        if is_inner(end) {
            end += 1;
        } else if characters.get(end).is_some_and(|c| c.class == Class::Joiner) && is_inner(end + 1) {
            end += 2;
        } else {
            return end;
        }
    }
}

/// The parts of a word: runs of letters, and numbers with their decimal points.
fn parts(run: &[Character]) -> impl Iterator<Item = &[Character]> {
    let joined = |a: &Character, b: &Character| {
        a.class == b.class && a.class != Class::Joiner
            || a.class == Class::Digit && b.value == '.'
            || a.value == '.' && b.class == Class::Digit
    };
    run.chunk_by(joined).filter(|part| part[0].class != Class::Joiner).map(|part| {
        // A full stop after a number that is followed by a letter belongs to neither.
        let end = part.len() - part.iter().rev().take_while(|c| c.class == Class::Joiner).count();
        &part[..end]
    })
}

/// Puts the letters and digits of a run into a buffer, and the full stops between digits.
fn put(word: &mut String, run: &[Character]) {
    word.clear();
    for (n, c) in run.iter().enumerate() {
        let is_digit = |n: usize| run.get(n).is_some_and(|c| c.class == Class::Digit);
        let kept = match c.class {
            Class::Joiner => c.value == '.' && n > 0 && is_digit(n - 1) && is_digit(n + 1),
            _ => true,
        };
        if kept && word.len() + c.value.len_utf8() <= LONGEST {
            word.push(c.value);
        }
    }
}

fn stem<'a>(
    stems: &'a mut HashMap<(Language, Box<str>), Box<str>>,
    stemmers: &[Stemmer; 3],
    word: &'a str,
    language: Language,
) -> &'a str {
    let stemmer = match language {
        Language::English => &stemmers[0],
        Language::German => &stemmers[1],
        Language::French => &stemmers[2],
        Language::Other => return word,
    };
    if stems.len() >= REMEMBERED {
        stems.clear();
    }
    let key = (language, Box::from(word));
    stems.entry(key).or_insert_with(|| stemmer.stem(word).as_ref().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, language: Language) -> Vec<(String, u32)> {
        let mut out = Vec::new();
        Analyser::default().terms(text, language, |term| out.push((term.text.to_owned(), term.position)));
        out
    }

    fn texts(text: &str) -> Vec<String> {
        terms(text, Language::English).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn words_become_stems_of_their_language() {
        assert_eq!(texts("Charging batteries, charged"), ["charg", "batteri", "charg"]);
        assert_eq!(terms("Batterien", Language::German), [("batteri".into(), 0)]);
        assert_eq!(terms("charging", Language::Other), [("charging".into(), 0)]);
    }

    #[test]
    fn codes_are_kept_whole_and_in_parts() {
        assert_eq!(texts("PM2.5"), ["pm2.5", "pm", "2.5"]);
        assert_eq!(texts("5G"), ["5g"]);
        assert_eq!(texts("S550GD+Z"), ["s550gdz", "550", "gd"]);
        assert_eq!(texts("Fe₃O₄"), ["fe3o4", "fe"]);
        assert_eq!(texts("IEEE-1588"), ["ieee1588", "ieee", "1588"]);
        assert_eq!(texts("lithium-ion"), ["lithiumion", "lithium", "ion"]);
        assert_eq!(texts("1588."), ["1588"]);
        assert_eq!(texts("U.S.A. 3.14"), ["usa", "3.14"]);
    }

    #[test]
    fn characters_of_scripts_without_spaces_become_pairs() {
        assert_eq!(texts("硅通孔TSV"), ["硅通", "通孔", "tsv"]);
        assert_eq!(texts("메트포르민의"), ["메트", "트포", "포르", "르민", "민의"]);
        assert_eq!(texts("リチウムの電池"), ["リチ", "チウ", "ウム", "电池"]);
        assert_eq!(texts("膜"), ["膜"]);
    }

    #[test]
    fn forms_of_a_character_meet() {
        assert_eq!(texts("電池"), texts("电池"));
        assert_eq!(texts("ｶﾞｽ"), texts("ガス"));
        assert_eq!(texts("ＬｉＤＡＲ"), texts("lidar"));
        assert_eq!(terms("é", Language::Other), terms("e\u{301}", Language::Other));
    }

    #[test]
    fn positions_tell_distances() {
        assert_eq!(
            terms("a lithium-ion cell", Language::Other),
            [
                ("a".into(), 0),
                ("lithiumion".into(), 1),
                ("lithium".into(), 1),
                ("ion".into(), 2),
                ("cell".into(), 3)
            ]
        );
        assert_eq!(terms("激光雷达系", Language::Other).last(), Some(&("达系".into(), 3)));
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "Ein ｶﾞｽ-Sensor: Ⅳ 電池";
        Analyser::default().terms(text, Language::Other, |term| {
            let shown = &text[term.from as usize..term.to as usize];
            assert!(!shown.is_empty() && shown.chars().count() <= 8, "{shown}");
        });
    }

    #[test]
    fn a_language_is_known_by_its_function_words() {
        assert_eq!(Language::of_text("A method of making the cell"), Some(Language::English));
        assert_eq!(Language::of_text("Verfahren zur Herstellung der Zelle"), Some(Language::German));
        assert_eq!(Language::of_text("Procédé de fabrication de la cellule"), Some(Language::French));
        assert_eq!(Language::of_text("lidar"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_ordered_terms_within_it(text in "\\PC{0,80}|[ｱ-ﾟa-c.0-9一-龯가-힣 -]{0,40}") {
            let mut last = 0;
            let end = Analyser::default().terms(&text, Language::English, |term| {
                assert!(term.position >= last && !term.text.is_empty() && term.text.len() <= LONGEST);
                assert!(text.get(term.from as usize..term.to as usize).is_some_and(|shown| !shown.is_empty()));
                last = term.position;
            });
            proptest::prop_assert!(end >= last);
        }
    }
}
