//! Cuts texts into the terms of the lexical index.
//!
//! - Words of letters become their stem, if the language has a stemmer. German and French stems have a mark: the
//!   German stem of `heater` is `heat`, and must not meet the English word.
//! - A word with digits (`PM2.5`, `Li2S`) is one term, a code. Its pieces of two characters or more, letters
//!   or a number, are terms with a mark, so that `Li` is found in `Li2S` by a question, which asks for
//!   the mark, but not by a phrase, which does not.
//! - Words that joiners connect (`lithium-ion`, `Li2S-P2S5`) are terms each, and one term together,
//!   without the joiners.
//! - A short word, and one with capitals inside (`AlAs`), is a term with a mark as it is written, if its
//!   stem is another (`ala`).
//! - Runs of Han characters, of Hangul and of each kana become pairs of neighbouring characters. A
//!   longer word is found as a phrase of pairs, so the index does not depend on a dictionary. A run
//!   of one character is a term.
//!
//! A term has a position. Terms of one place share it. Each word and each character of a run advances
//! it, and so does a sign that ends a clause, so a phrase is a list of terms with their distances.

use super::characters::{normalise, Character, Class};
use frostem::{Algorithm, Stemmer};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Version of the analysis. An index of another version is not used.
pub const VERSION: u32 = 4;

/// Longest term, bytes. The end of a longer word is replaced by a checksum of the word.
const LONGEST: usize = 60;
/// Pieces of a code that become terms, at most.
const MOST_PIECES: usize = 8;
/// Before a term that is a piece of a code.
pub(super) const PIECE: char = '\u{1}';
/// Before a term that is a word as it is written.
pub(super) const WRITTEN: char = '\u{2}';
/// Before a German and a French stem. `stream.rs` has the next two.
pub(super) const GERMAN_STEM: char = '\u{5}';
pub(super) const FRENCH_STEM: char = '\u{6}';
/// Letters of a word that is also a term as it is written, at most, if it has no capitals inside.
const SHORT: usize = 5;
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

    /// The language of a text by its function words; `None` if it has none, or as many of several languages.
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
        let is_alone = found.iter().filter(|&&count| count == found[best]).count() == 1;
        (found[best] > 0 && is_alone).then_some(language)
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
    /// One of the words that joiners connect.
    Part,
    /// A piece of a word with digits, with the mark `PIECE`.
    Piece,
    /// A word as it is written, with the mark `WRITTEN`, at the place of its stem.
    Written,
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
                Class::Joiner | Class::Other => position + ends_clause(run[0].value) as u32,
                _ => self.push_pairs(run, position, &mut each),
            };
            at = end;
        }
        self.characters = characters;
        position
    }

    fn push_pairs(&mut self, run: &[Character], position: u32, each: &mut impl FnMut(Term)) -> u32 {
        let kind = Kind::Pair;
        let width = run.len().min(2);
        for (pair, position) in run.windows(width).zip(position..) {
            self.word.clear();
            self.word.extend(pair.iter().map(|c| c.value));
            each(Term { text: &self.word, position, from: pair[0].from, to: pair[width - 1].to, kind });
        }
        position + run.len() as u32
    }

    /// A word, or words that joiners connect.
    fn push_word(
        &mut self,
        run: &[Character],
        language: Language,
        position: u32,
        each: &mut impl FnMut(Term),
    ) -> u32 {
        let mut words = words_of(run).peekable();
        let first = words.next().expect("a run begins with a letter or digit");
        if words.peek().is_none() {
            self.push_single(first, language, position, Kind::Word, each);
            return position + 1;
        }
        put(&mut self.word, run);
        let (from, to) = (run[0].from, run[run.len() - 1].to);
        each(Term { text: &self.word, position, from, to, kind: Kind::Code });
        let mut next = position;
        for word in std::iter::once(first).chain(words) {
            self.push_single(word, language, next, Kind::Part, each);
            next += 1;
        }
        next
    }

    /// A word without joiners. `kind` is that of a term that is not a code by itself.
    fn push_single(
        &mut self,
        word: &[Character],
        language: Language,
        position: u32,
        kind: Kind,
        each: &mut impl FnMut(Term),
    ) {
        let (from, to) = (word[0].from, word[word.len() - 1].to);
        put(&mut self.word, word);
        if word.iter().all(|c| c.class == Class::Letter) {
            let text = stem(&mut self.stems, &self.stemmers, &self.word, language);
            let is_other = is_stem(text, &self.word);
            each(Term { text, position, from, to, kind });
            if is_other && (word.len() <= SHORT || word[1..].iter().any(|c| c.capital)) {
                self.word.insert(0, WRITTEN);
                each(Term { text: &self.word, position, from, to, kind: Kind::Written });
            }
            return;
        }
        let kind = if kind == Kind::Part { Kind::Part } else { Kind::Code };
        each(Term { text: &self.word, position, from, to, kind });
        for piece in
            pieces(word).filter(|piece| piece.len() >= 2 && piece.len() < word.len()).take(MOST_PIECES)
        {
            put(&mut self.word, piece);
            self.word.insert(0, PIECE);
            let (from, to) = (piece[0].from, piece[piece.len() - 1].to);
            each(Term { text: &self.word, position, from, to, kind: Kind::Piece });
        }
    }
}

/// Whether a sign parts the words before and behind it, so that they are not a phrase.
fn ends_clause(sign: char) -> bool {
    matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | '\n' | '、' | '。')
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

/// Whether the character at a place is a full stop between digits.
fn is_point(run: &[Character], at: usize) -> bool {
    let is_digit = |n: usize| run.get(n).is_some_and(|c| c.class == Class::Digit);
    run[at].value == '.' && at > 0 && is_digit(at - 1) && is_digit(at + 1)
}

/// The words that joiners connect.
fn words_of(run: &[Character]) -> impl Iterator<Item = &[Character]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_within = |&n: &usize| run[n].class != Class::Joiner || is_point(run, n);
        let from = (at..run.len()).find(is_within)?;
        at = (from..run.len()).find(|n| !is_within(n)).unwrap_or(run.len());
        Some(&run[from..at])
    })
}

/// The pieces of a word: runs of letters, and numbers with their decimal points.
fn pieces(word: &[Character]) -> impl Iterator<Item = &[Character]> {
    word.chunk_by(|a, b| (a.class == Class::Letter) == (b.class == Class::Letter))
}

/// Puts the letters and digits of a run into a buffer. Hyphens, apostrophes and full stops are left out;
/// but not between digits, because `10-20` is not `1020`. Other joiners stay: `A/C` is not `AC`.
fn put(word: &mut String, run: &[Character]) {
    word.clear();
    let is_digit = |n: usize| run.get(n).is_some_and(|c| c.class == Class::Digit);
    for (n, c) in run.iter().enumerate() {
        match c.class {
            Class::Joiner if is_point(run, n) || matches!(c.value, '/' | '+' | '&' | '_') => {
                word.push(c.value)
            }
            Class::Joiner if n > 0 && is_digit(n - 1) && is_digit(n + 1) => word.push('-'),
            Class::Joiner => {}
            _ => word.push(c.value),
        }
    }
    if word.len() > LONGEST {
        let sum = xxh3_64(word.as_bytes());
        let end = (0..=LONGEST - 16).rev().find(|&n| word.is_char_boundary(n)).unwrap_or(0);
        word.truncate(end);
        word.push_str(&format!("{sum:016x}"));
    }
}

fn stem<'a>(
    stems: &'a mut HashMap<(Language, Box<str>), Box<str>>,
    stemmers: &[Stemmer; 3],
    word: &'a str,
    language: Language,
) -> &'a str {
    let (stemmer, mark) = match language {
        Language::English => (&stemmers[0], None),
        Language::German => (&stemmers[1], Some(GERMAN_STEM)),
        Language::French => (&stemmers[2], Some(FRENCH_STEM)),
        Language::Other => return word,
    };
    if stems.len() >= REMEMBERED {
        stems.clear();
    }
    let key = (language, Box::from(word));
    stems.entry(key).or_insert_with(|| mark.into_iter().chain(stemmer.stem(word).chars()).collect())
}

/// Whether a term is a stem that differs from its word.
pub(super) fn is_stem(term: &str, word: &str) -> bool {
    term.strip_prefix([GERMAN_STEM, FRENCH_STEM]).unwrap_or(term) != word
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
        assert_eq!(terms("Batterien", Language::German), [("\u{5}batteri".into(), 0)]);
        assert_eq!(terms("piles", Language::French)[0], ("\u{6}pil".into(), 0));
        assert_eq!(terms("charging", Language::Other), [("charging".into(), 0)]);
    }

    #[test]
    fn stems_of_different_languages_do_not_meet() {
        let stem = |language| terms("heater", language)[0].0.clone();
        let all = [Language::English, Language::German, Language::French, Language::Other].map(stem);
        assert_eq!(all, ["heater", "\u{5}heat", "\u{6}heat", "heater"]);
    }

    #[test]
    fn codes_are_kept_whole_and_in_parts() {
        assert_eq!(texts("PM2.5"), ["pm2.5", "\u{1}pm", "\u{1}2.5"]);
        assert_eq!(texts("5G"), ["5g"]);
        assert_eq!(texts("S550GD+Z"), ["s550gd+z", "s550gd", "\u{1}550", "\u{1}gd", "z"]);
        assert_eq!(texts("Fe₃O₄"), ["fe3o4", "\u{1}fe"]);
        assert_eq!(
            terms("Li2S-P2S5 glass", Language::Other),
            [
                ("li2sp2s5".into(), 0),
                ("li2s".into(), 0),
                ("\u{1}li".into(), 0),
                ("p2s5".into(), 1),
                ("glass".into(), 2)
            ]
        );
        assert_eq!(texts("IEEE-1588"), ["ieee1588", "ieee", "1588"]);
        assert_eq!(texts("lithium-ion"), ["lithiumion", "lithium", "ion"]);
        assert_eq!(texts("1588."), ["1588"]);
        assert_eq!(texts("U.S.A. 3.14"), ["usa", "u", "s", "a", "3.14"]);
        assert_eq!(texts("10–20"), ["10-20", "10", "20"]);
        let long = |end: &str| format!("{}{end}", "g".repeat(LONGEST));
        assert_ne!(texts(&long("a")), texts(&long("c")), "a cut word stays another");
    }

    #[test]
    fn a_short_word_and_one_with_capitals_inside_are_kept_as_they_are_written() {
        assert_eq!(texts("AlAs"), ["ala", "\u{2}alas"]);
        assert_eq!(texts("MOSFETs"), ["mosfet", "\u{2}mosfets"]);
        assert_eq!(texts("batteries"), ["batteri"]);
        assert_eq!(terms("AlAs", Language::Other), [("alas".into(), 0)]);
    }

    #[test]
    fn characters_of_scripts_without_spaces_become_pairs() {
        assert_eq!(texts("硅通孔TSV"), ["硅通", "通孔", "tsv"]);
        assert_eq!(texts("메트포르민의"), ["메트", "트포", "포르", "르민", "민의"]);
        assert_eq!(texts("リチウムの電池"), ["リチ", "チウ", "ウム", "の", "电池"]);
        assert_eq!(texts("膜"), ["膜"]);
    }

    #[test]
    fn forms_of_a_character_meet() {
        assert_eq!(texts("電池"), texts("电池"));
        assert_eq!(texts("ｶﾞｽ"), texts("ガス"));
        assert_eq!(texts("ＬｉＤＡＲ"), texts("lidar"));
        assert_eq!(terms("é", Language::Other), terms("e\u{301}", Language::Other));
        assert_eq!(
            texts("배터리의 것"),
            texts(
                "\u{1107}\u{1162}\u{1110}\u{1165}\u{1105}\u{1175}\u{110b}\u{1174} \u{1100}\u{1165}\u{11ba}"
            )
        );
        assert_eq!(texts("bat\u{ad}tery"), ["batteri"]);
        assert_eq!(texts("\u{feff}cell\u{200b}s"), texts("cells"));
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
        assert_eq!(terms("cell. Phone", Language::Other)[1], ("phone".into(), 2));
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
        assert_eq!(Language::of_text("Sensor in der Batterie"), None);
        assert_eq!(Language::of_text("Heaters in vehicles"), Some(Language::English));
        assert_eq!(Language::of_text("der Sensor of"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_ordered_terms_within_it(text in "\\PC{0,80}|[ｱ-ﾟa-c.0-9一-龯가-힣 -]{0,40}") {
            let mut last = 0;
            let end = Analyser::default().terms(&text, Language::English, |term| {
                assert!(term.position >= last && !term.text.is_empty() && term.text.len() <= LONGEST + 1);
                assert!(text.get(term.from as usize..term.to as usize).is_some_and(|shown| !shown.is_empty()));
                last = term.position;
            });
            proptest::prop_assert!(end >= last);
        }
    }
}
