//! Endings of words that texts write with a hyphen. The index has `nano-particles` also as one term, as it is written:
//! `nanoparticles`. It has no stem, so a word is looked for with the endings of its plural and genitive, too.

use super::analysis::{Kind, Language};
use super::found::Found;
use super::index::Phrase;
use super::question::Questions;
use super::readings::is_code;

/// Letters of a word with other endings, at least. Shorter ones in parts are seldom (`e-mails`), and often another word.
const LEAST: usize = 5;
/// The same of a German word. An English one with a German ending may be another word: `gold` and `golden`, `straighten`.
const LEAST_GERMAN: usize = 9;
/// Endings of German nouns.
const GERMAN: [&str; 5] = ["n", "en", "e", "s", "es"];

impl Questions {
    /// The phrase with other endings of its last word, which may be one that joiners connect in a text: those that the stemmer of
    /// the language takes for the same word. A code has no endings. `plain` are the terms of the text without stems.
    pub(super) fn with_endings(
        &mut self,
        text: &str,
        plain: &[Found],
        phrase: &Phrase,
        language: Language,
    ) -> Vec<Phrase> {
        let Some(last) = plain.last().filter(|last| last.kind == Kind::Word) else { return vec![] };
        if is_code(&text[last.from as usize..last.to as usize]) {
            return vec![];
        }
        let Some((&(far, _), before)) = phrase.terms.split_last() else { return vec![] };
        let phrase_of = |form: String| Phrase { terms: [before, &[(far, form)]].concat() };
        self.other_endings(&last.text, language).into_iter().map(phrase_of).collect()
    }

    /// A word with other endings, which have the same stem.
    fn other_endings(&mut self, word: &str, language: Language) -> Vec<String> {
        let mut forms = match language {
            Language::English => english(word),
            Language::German => german(word),
            _ => return vec![],
        };
        if forms.is_empty() {
            return forms;
        }
        let stem = self.stem(word, language);
        forms.retain(|form| self.stem(form, language) == stem);
        forms
    }

    fn stem(&mut self, word: &str, language: Language) -> String {
        self.all_terms(word, language).into_iter().next().map(|term| term.text).unwrap_or_default()
    }
}

/// The plural of an English word, or its singular.
fn english(word: &str) -> Vec<String> {
    let sibilant = |word: &str| ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end));
    let mut forms = match word.strip_suffix('y') {
        Some(rest) => vec![format!("{rest}ies"), format!("{word}s")],
        None if sibilant(word) => vec![format!("{word}es")],
        None => vec![format!("{word}s")],
    };
    if let Some(rest) = word.strip_suffix("ies") {
        forms.push(format!("{rest}y"));
    } else if let Some(rest) = word.strip_suffix("es").filter(|rest| sibilant(rest)) {
        forms.push(rest.to_owned());
    } else if let Some(rest) = word.strip_suffix('s').filter(|rest| !rest.ends_with('s')) {
        forms.push(rest.to_owned());
    }
    forms.retain(|form| is_long(form, LEAST) && is_long(word, LEAST));
    forms
}

/// A German noun with each ending, and without its own.
fn german(word: &str) -> Vec<String> {
    let with = GERMAN.iter().map(|ending| format!("{word}{ending}"));
    let without = GERMAN.iter().filter_map(|ending| word.strip_suffix(ending)).map(str::to_owned);
    with.chain(without).filter(|form| is_long(form, LEAST_GERMAN) && is_long(word, LEAST_GERMAN)).collect()
}

fn is_long(word: &str, least: usize) -> bool {
    word.chars().nth(least - 1).is_some()
}
