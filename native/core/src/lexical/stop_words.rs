//! Words of a question that say nothing about its subject: function words, unless they are something else here. The English words `die`
//! and `pour` are function words of German and French.

use super::found::Found;
use super::grammar::{is_foreign, is_of_english, is_stop_word, ABBREVIATIONS, HOMOGRAPHS};
use super::question::Questions;
use super::terms::Terms;

/// A question, and its function words of French and German that are English words here.
pub(super) struct Asked<'a> {
    pub text: &'a str,
    pub terms: Option<&'a Terms>,
    /// Where they are, bytes.
    english: Vec<(u32, u32)>,
}

impl<'a> Asked<'a> {
    /// @param plain the terms of the question as they are written
    pub fn of(questions: &mut Questions, terms: Option<&'a Terms>, text: &'a str, plain: &[Found]) -> Self {
        let foreign: Vec<&Found> = plain.iter().filter(|word| is_foreign(&word.text)).collect();
        let mut english: Vec<(u32, u32)> = Vec::new();
        if !foreign.is_empty() {
            let is_english = speaks_english(text, plain, &foreign);
            let phrases = match terms {
                Some(terms) if !is_english => questions.known_phrases(terms, text),
                _ => vec![],
            };
            let is_within =
                |word: &Found| phrases.iter().any(|&(from, to)| from <= word.from && word.to <= to);
            let kept =
                foreign.iter().filter(|word| is_english || is_within(word) || ends_question(text, word));
            english.extend(kept.map(|word| (word.from, word.to)));
        }
        Asked { text, terms, english }
    }

    /// Whether a word or a code says nothing about the subject.
    pub fn is_empty_word(&self, word: &Found) -> bool {
        is_stop_word(&word.text) && !self.is_english(word) && !is_name(self.text, word)
    }

    /// Whether words that joiners connect say nothing about the subject, `and/or`, or are an abbreviation that does not, `e.g.`
    pub fn is_empty_code(&self, whole: &Found, parts: &[Found]) -> bool {
        let written = &self.text[whole.from as usize..whole.to as usize];
        written.contains('.') && ABBREVIATIONS.contains(&whole.text.as_str())
            || !parts.is_empty() && parts.iter().all(|part| self.is_empty_word(part))
    }

    /// Whether a function word of French or German is an English word here.
    fn is_english(&self, word: &Found) -> bool {
        self.english.contains(&(word.from, word.to))
    }
}

/// Whether a question has function words of English, one function word of another language at most, and no letter with an accent.
fn speaks_english(text: &str, plain: &[Found], foreign: &[&Found]) -> bool {
    let is_accented = |c: char| ('\u{c0}'..='\u{24f}').contains(&c);
    let first = &foreign[0].text;
    foreign.iter().all(|word| word.text == *first)
        && plain.iter().any(|word| is_of_english(&word.text))
        && !text.chars().any(is_accented)
}

/// Whether a word ends a question, unlike a German article or a French preposition: `die` in `semiconductor die`.
fn ends_question(text: &str, word: &Found) -> bool {
    HOMOGRAPHS.contains(&word.text.as_str()) && !text[word.to as usize..].contains(char::is_alphanumeric)
}

/// Whether a word that is a stop word is used as a name: `CAN` in `CAN bus` and `CAN总线`. It is in capitals, unlike other letters of
/// the question, or alone; or a character of a script without spaces is beside it.
fn is_name(question: &str, word: &Found) -> bool {
    let (before, rest) = question.split_at(word.from as usize);
    let (written, after) = rest.split_at((word.to - word.from) as usize);
    let is_capital = written.chars().all(char::is_uppercase);
    let is_lower = |text: &str| text.chars().any(char::is_lowercase);
    let is_alone = || !before.chars().chain(after.chars()).any(char::is_alphabetic);
    let has_no_case = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    let is_long = written.chars().nth(1).is_some();
    let is_beside =
        before.chars().next_back().is_some_and(has_no_case) || after.chars().next().is_some_and(has_no_case);
    is_long && (is_beside || is_capital && (is_lower(before) || is_lower(after) || is_alone()))
}
