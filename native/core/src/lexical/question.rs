//! The words of a question, and the terms by which documents hold them.

use super::analysis::{is_stem, Analyser, Kind, Language, FRENCH_STEM, GERMAN_STEM, PIECE, WRITTEN};
use super::compounds::add_known_words;
use super::concept::{add_translations, anywhere, merged, Alternative, Concept, Distinct, PART};
use super::elision::noun;
use super::found::{is_short, length_of_word, phrase_of, Found, LANGUAGES, LONGEST_WORD};
use super::grammar::is_foreign;
use super::greek::spellings;
use super::index::Phrase;
use super::okurigana::{is_hiragana, join_by_kana, without_ending, without_long_vowel};
use super::particles::particle_length;
use super::readings::{is_code, is_of_number, pieces_apart, readings};
use super::spacing::{behind_letters, joined_with, katakana_spacings, spacings, with_joined_syllables};
use super::stop_words::Asked;
use super::terms::Terms;
use super::translate::{english_phrases, known, longest_terms, Form, Known, Stems, STEMS};

/// Bytes of a question whose terms are translated, at most: the first of a longer one.
const MOST_TRANSLATED: usize = 6000;

/// Parts of a word that are looked for beside each other, at most. A sequence such as `Gly-Ala-Gly-…` has thousands.
const MOST_PARTS: usize = 128;

/// Digits of a locant, at most.
const LONGEST_LOCANT: usize = 2;

/// Ways in which a text may hold a required term, at most: the first, which change the least.
const MOST_WAYS: usize = 256;

/// Words of a question, at most. Longer questions are cut.
const MOST_CONCEPTS: usize = 1000;

/// Weight of a pair of characters of a longer word, and of a pair of hiragana, which is mostly grammar.
const PAIR: f32 = 0.5;
const HIRAGANA: f32 = 0.25;

/// Factor on the rarity of an acronym or its stems: it may be a word in capitals. Who holds the acronym holds this, too, so that
/// texts in languages without stems get as much as others.
const STEMS_OF_ACRONYM: f32 = 0.5;

/// The languages whose terms the table has as they are written, in the order of `terms::LANGUAGES`: ko, ja, zh.
const WITHOUT_STEMS: std::ops::RangeInclusive<usize> = 1..=3;

/// What a question is in languages whose terms have no stems.
#[derive(Debug, PartialEq, Eq)]
pub struct InOtherLanguages {
    /// Number of terms of the table that the question has.
    pub terms: usize,
    pub texts: Vec<String>,
}

/// Splits questions into concepts. It keeps an analyser.
#[derive(Default)]
pub struct Questions {
    analyser: Analyser,
    /// The last word whose stems were asked for, and its stems: one character may be normalised to many words, ﷺ.
    stemmed: (String, Vec<String>),
}

impl Questions {
    /// The concepts of a question, each once. A word that occurs more often weighs more. Pairs of words are last.
    /// @param terms tells what ends in a particle, and what is a word of English. Without it, a few words more lose their end, or
    /// are left out
    pub fn concepts(&mut self, terms: Option<&Terms>, question: &str) -> Vec<Concept> {
        let plain = self.terms(question, Language::Other);
        let asked = Asked::of(self, terms, question, &plain);
        let mut concepts = Vec::new();
        let mut at = 0;
        while at < plain.len() {
            let locants = locants(question, &plain[at..]);
            let begins = at + locants;
            let end = begins + length_of_word(&plain[begins..]);
            let word = &plain[begins..end];
            if locants > 0 {
                self.push_with_locants(&asked, &plain[at..begins], word, &mut concepts);
                at = end;
                continue;
            }
            match word[0].kind {
                Kind::Word => self.push_word(&asked, &word[0], &mut concepts),
                Kind::Code => self.push_code(&asked, word, &mut concepts),
                _ => push_pairs(&asked, &plain[..at], word, &mut concepts),
            }
            at = end;
        }
        join_by_kana(question, &plain, &mut concepts);
        self.push_spellings(question, &mut concepts);
        let mut concepts = merged(concepts);
        concepts.truncate(MOST_CONCEPTS);
        self.push_beside(question, &mut concepts);
        concepts
    }

    /// Adds what the words of a question are in other languages. A word within a longer term of the
    /// table, such as `state` in `solid state battery`, gets the translations of that term, so that a
    /// document that holds one of them holds all words of the term. In a short question the words of the table within
    /// runs without spaces become concepts (`compounds.rs`).
    pub fn translate(&mut self, terms: &Terms, question: &str, concepts: &mut Vec<Concept>) {
        let (question, plain, known) = self.known(terms, question);
        if is_short(question) {
            add_known_words(question, &plain, &known.words, concepts);
        }
        add_translations(&known.translations, concepts);
    }

    /// Adds what a phrase is in other languages.
    pub fn translate_phrase(&mut self, terms: &Terms, phrase: &str, concept: &mut Concept) {
        let (_, _, known) = self.known(terms, phrase);
        add_translations(&known.translations, std::slice::from_mut(concept));
    }

    /// A question in Korean, Japanese and Chinese, as far as the table has its terms: those that have a translation, with
    /// spaces between them. A language without any is left out.
    /// @param most terms of a question that is translated, at most
    pub fn in_other_languages(&mut self, terms: &Terms, question: &str, most: usize) -> InOtherLanguages {
        let (question, plain, stems) = self.forms(question);
        let found = longest_terms(terms, question, &plain, &stems);
        let mut texts = WITHOUT_STEMS.map(|_| Vec::new()).collect::<Vec<_>>();
        if found.len() <= most {
            for &term in &found {
                let best = terms.best_translations(term);
                for (language, texts) in WITHOUT_STEMS.zip(&mut texts) {
                    texts.extend(best[language]);
                }
            }
        }
        let texts = texts.iter().filter(|texts| !texts.is_empty()).map(|texts| texts.join(" "));
        InOtherLanguages { terms: found.len(), texts: texts.collect() }
    }

    /// Where a text has English terms of several words that the table knows, bytes.
    pub(super) fn known_phrases(&mut self, terms: &Terms, text: &str) -> Vec<(u32, u32)> {
        let (text, plain, stems) = self.forms(text);
        english_phrases(terms, text, &plain, &stems)
    }

    /// What the table knows of the beginning of a text, that beginning, and its terms.
    fn known<'a>(&mut self, terms: &Terms, text: &'a str) -> (&'a str, Vec<Found>, Known) {
        let (text, plain, stems) = self.forms(text);
        let found = known(&mut self.analyser, terms, text, &plain, &stems);
        (text, plain, found)
    }

    /// The beginning of a text, its terms as they are written, and their stems.
    fn forms<'a>(&mut self, text: &'a str) -> (&'a str, Vec<Found>, Stems) {
        let end = (0..=MOST_TRANSLATED.min(text.len())).rev().find(|&n| text.is_char_boundary(n));
        let text = &text[..end.unwrap_or(0)];
        let plain = self.terms(text, Language::Other);
        let mut stems = Vec::new();
        // Only words have stems.
        if plain.iter().any(|term| term.kind != Kind::Pair) {
            stems.extend(STEMS.map(|(form, language)| (form, self.terms(text, language))));
            // The stem of `cheminee` is not that of `cheminée`.
            if let Some(accented) = with_accents_at_ends(text) {
                stems.push((Form::Unaccented, self.terms(&accented, Language::French)));
            }
        }
        (text, plain, stems)
    }

    /// A word or phrase that documents must hold as it is written, apart from endings of plain words in texts (`endings.rs`), spaces
    /// (`spacing.rs`), hyphens (`readings.rs`), Greek letters and their names (`greek.rs`), and a long vowel or okurigana at the end;
    /// `None` if it has no word. The bytes of the concept are those of the whole text.
    pub fn phrase(&mut self, text: &str) -> Option<Concept> {
        let mut distinct = Distinct::default();
        let joined = with_joined_syllables(text);
        let spellings = spellings(text);
        let behind: Vec<String> =
            std::iter::once(text).chain(joined.as_deref()).flat_map(behind_letters).collect();
        let others = joined.iter().chain(&spellings).chain(&behind).map(String::as_str);
        for text in std::iter::once(text).chain(others) {
            let plain = self.terms(text, Language::Other);
            for language in LANGUAGES {
                // Words of names have no stem, so the stem of `parking` would find everyone who is called Park.
                let in_names = (language != Language::Other).then_some(false);
                let terms = self.terms(text, language);
                let found = readings(
                    &mut self.analyser,
                    text,
                    without_ending(&plain),
                    without_ending(&terms),
                    language,
                );
                let as_written = found.first();
                let endings = as_written.map(|first| self.with_endings(text, &plain, first, language));
                let all = found.into_iter().chain(endings.into_iter().flatten());
                all.for_each(|reading| distinct.add(reading, in_names));
            }
        }
        // A script without stems has the same readings in all languages. Each of them has many spacings.
        let mut alternatives = Distinct::default();
        for Alternative { phrase, in_names, .. } in distinct.found {
            let phrases = spacings(phrase).into_iter().flat_map(katakana_spacings);
            let phrases = phrases.filter(|phrase| !phrase.terms.is_empty());
            let room = MOST_WAYS.saturating_sub(alternatives.found.len());
            phrases.take(room).for_each(|phrase| alternatives.add(phrase, in_names));
        }
        let alternatives = alternatives.found;
        (!alternatives.is_empty()).then(|| Concept {
            from: 0,
            to: text.len() as u32,
            boost: 1.0,
            is_extra: false,
            alternatives,
            translations: vec![],
        })
    }

    /// The terms of a text without those that have a mark: as many in every language.
    fn terms(&mut self, text: &str, language: Language) -> Vec<Found> {
        let mut found = self.all_terms(text, language);
        found.retain(|term| !matches!(term.kind, Kind::Piece | Kind::Written));
        found
    }

    pub(super) fn all_terms(&mut self, text: &str, language: Language) -> Vec<Found> {
        let mut found = Vec::new();
        self.analyser.terms(text, language, |term| {
            let (position, from, to, kind) = (term.position, term.from, term.to, term.kind);
            found.push(Found { text: term.text.to_owned(), position, from, to, kind });
        });
        found
    }

    /// The stems of a word in all languages: a short question does not tell its language.
    fn stems(&mut self, word: &str) -> Vec<String> {
        if self.stemmed.0 == word {
            return self.stemmed.1.clone();
        }
        let mut stems: Vec<String> = Vec::new();
        for language in LANGUAGES {
            self.analyser.terms(word, language, |term| {
                if term.kind == Kind::Word && !stems.iter().any(|stem| stem == term.text) {
                    stems.push(term.text.to_owned());
                }
            });
        }
        self.stemmed = (word.to_owned(), stems.clone());
        stems
    }

    fn push_word(&mut self, asked: &Asked, word: &Found, concepts: &mut Vec<Concept>) {
        if asked.is_empty_word(word) {
            return;
        }
        let question = asked.text;
        let mut alternatives =
            vec![Alternative { phrase: Phrase::word(&word.text), in_names: Some(true), weight: 1.0 }];
        let written = &question[word.from as usize..word.to as usize];
        let in_texts =
            |term: &str| Alternative { phrase: Phrase::word(term), in_names: Some(false), weight: 1.0 };
        let is_acronym = is_acronym(question, written);
        // Every German text has `die`, which is no stem of the English word.
        let is_of_language =
            |stem: &String| !(is_foreign(&word.text) && stem.starts_with([GERMAN_STEM, FRENCH_STEM]));
        let stems = self.stems(written).into_iter().filter(is_of_language);
        let (of_acronym, stems): (Vec<_>, Vec<_>) =
            stems.partition(|stem| is_acronym && is_stem(stem, &word.text));
        alternatives.extend(stems.iter().map(|stem| in_texts(stem)));
        if !of_acronym.is_empty() {
            alternatives.push(in_texts(&format!("{WRITTEN}{}", word.text)));
        }
        if written.chars().nth(1).is_some() {
            alternatives.push(anywhere(piece(&word.text), 1.0));
        }
        let (from, to) = (word.from, word.to);
        let word = Concept { from, to, boost: 1.0, is_extra: false, alternatives, translations: vec![] };
        let with_stems = (!of_acronym.is_empty()).then(|| {
            let stems = of_acronym.iter().map(|stem| in_texts(stem));
            let alternatives = stems.chain(word.alternatives.iter().cloned()).collect();
            Concept { boost: STEMS_OF_ACRONYM, is_extra: true, alternatives, ..word.clone() }
        });
        concepts.push(word);
        concepts.extend(with_stems);
    }

    /// A name of a compound with several locants, `1,4-dioxane`: all of it, and with less weight the word behind the commas.
    fn push_with_locants(
        &mut self,
        asked: &Asked,
        locants: &[Found],
        word: &[Found],
        concepts: &mut Vec<Concept>,
    ) {
        let before = concepts.len();
        self.push_joined(asked, word, concepts);
        let mut all = concepts[before].clone();
        concepts[before..].iter_mut().for_each(|concept| concept.boost *= PART);
        let first = locants[0].position;
        all.from = locants[0].from;
        for Alternative { phrase, .. } in &mut all.alternatives {
            let behind =
                phrase.terms.iter().map(|(far, term)| (far + word[0].position - first, term.clone()));
            let numbers = locants.iter().map(|number| (number.position - first, number.text.clone()));
            phrase.terms = numbers.chain(behind).collect();
        }
        concepts.push(all);
    }

    /// A word with digits or joiners. What an apostrophe adds to a noun is left out (`elision.rs`).
    fn push_code(&mut self, asked: &Asked, word: &[Found], concepts: &mut Vec<Concept>) {
        let question = asked.text;
        let noun = noun(question, &word[1..]);
        if noun.len() == word.len() - 1 {
            return self.push_joined(asked, word, concepts);
        }
        let (from, to) = (noun[0].from, noun[noun.len() - 1].to);
        let mut terms = self.terms(&question[from as usize..to as usize], Language::Other);
        for term in &mut terms {
            (term.from, term.to) = (term.from + from, term.to + from);
        }
        match terms.first().map(|first| first.kind) {
            Some(Kind::Word) => self.push_word(asked, &terms[0], concepts),
            Some(Kind::Code) => self.push_joined(asked, &terms[..length_of_word(&terms)], concepts),
            _ => self.push_joined(asked, word, concepts),
        }
    }

    /// A word with digits or joiners: as a whole, or its parts beside each other. Parts of letters, codes
    /// within it, and all but the first of three or more parts count by themselves, too.
    fn push_joined(&mut self, asked: &Asked, word: &[Found], concepts: &mut Vec<Concept>) {
        let (whole, parts) = (&word[0], &word[1..]);
        if asked.is_empty_code(whole, parts) {
            return;
        }
        let mut alternatives = self.joined_or_beside(asked.text, &whole.text, parts);
        if parts.is_empty() {
            if whole.text.chars().all(is_of_number) {
                alternatives.push(anywhere(piece(&whole.text), 1.0));
            }
            let apart = pieces_apart(&whole.text).unwrap_or_default();
            if !apart.is_empty() {
                let terms = (0..).zip(apart.into_iter().map(str::to_owned)).collect();
                alternatives.push(anywhere(Phrase { terms }, 1.0));
            }
        }
        concepts.push(Concept {
            from: whole.from,
            to: whole.to,
            boost: 1.0,
            is_extra: false,
            alternatives,
            translations: vec![],
        });
        // `anti-PD-L1` asks for `PD-L1`, too.
        if let [_, first, _, ..] = parts {
            let joined: String = parts[1..].iter().map(|part| part.text.as_str()).collect();
            concepts.push(Concept {
                from: first.from,
                to: whole.to,
                boost: PART,
                is_extra: false,
                alternatives: self.joined_or_beside(asked.text, &joined, &parts[1..]),
                translations: vec![],
            });
        }
        let has_digits = whole.text.chars().any(char::is_numeric);
        for part in parts.iter().filter(|part| part.text.chars().nth(1).is_some()) {
            let before = concepts.len();
            match part.text.chars().any(char::is_numeric) {
                false if !has_digits => self.push_word(asked, part, concepts),
                true if !part.text.chars().all(is_of_number) => {
                    self.push_joined(asked, std::slice::from_ref(part), concepts)
                }
                _ => {}
            }
            concepts[before..].iter_mut().for_each(|concept| concept.boost = PART);
        }
    }

    /// A word as a whole, or its parts beside each other, if it has any: the first `MOST_PARTS`. In texts, also by the stems of each
    /// language: `injection-molding` is found as `injection molding`.
    fn joined_or_beside(&mut self, question: &str, whole: &str, parts: &[Found]) -> Vec<Alternative> {
        let mut alternatives = vec![anywhere(Phrase::word(whole), 1.0)];
        let [first, .., last] = parts else { return alternatives };
        let beside = |parts: &[Found]| {
            let term = |part: &Found| (part.position - parts[0].position, part.text.clone());
            Phrase { terms: parts.iter().take(MOST_PARTS).map(term).collect() }
        };
        alternatives.push(anywhere(beside(parts), 1.0));
        let mut stems: Vec<Phrase> = self.stems(whole).iter().map(|stem| Phrase::word(stem)).collect();
        let written = &question[first.from as usize..last.to as usize];
        for language in LANGUAGES {
            let mut found = self.terms(written, language);
            found.retain(|term| term.kind == Kind::Part);
            if found.len() == parts.len() {
                stems.push(beside(&found));
            }
        }
        for phrase in stems {
            if !alternatives.iter().any(|other| other.phrase == phrase) {
                alternatives.push(Alternative { phrase, in_names: Some(false), weight: 1.0 });
            }
        }
        alternatives
    }
}

/// A text with `ée` for each `ee` or `ees` at the end of a word, `ées`; `None` if it has none.
fn with_accents_at_ends(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for (at, pair) in
        text.as_bytes().windows(2).enumerate().filter(|(_, pair)| pair.eq_ignore_ascii_case(b"ee"))
    {
        let rest = &text[at + pair.len()..];
        let rest = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
        let begins = text[..at].chars().next_back().is_some_and(char::is_alphabetic);
        if begins && at >= from && !rest.starts_with(char::is_alphanumeric) {
            out.push_str(&text[from..at]);
            out.push('é');
            from = at + 1;
        }
    }
    (from > 0).then(|| out + &text[from..])
}

/// Whether a word of a question is an acronym, whose stem is another word: `AIDS` is no aid, `IPS` no IP. It is written in capitals
/// among other letters, or is the whole question. The `s` of `LEDs` is an ending.
fn is_acronym(question: &str, written: &str) -> bool {
    let is_among_others = || question.chars().any(|c| c.is_alphabetic() && !c.is_uppercase());
    let letters = written.strip_suffix('s').unwrap_or(written);
    is_code(written)
        && (letters == written || !letters.chars().all(char::is_uppercase))
        && (is_among_others() || question.trim() == written)
}

/// The phrase of a piece of a code.
fn piece(text: &str) -> Phrase {
    Phrase::word(&format!("{PIECE}{text}"))
}

/// How many locants with a comma behind them begin a list of terms: 1 in `1,4-dioxane`, 0 in `1,000` and `1, 4-dioxane`.
fn locants(question: &str, terms: &[Found]) -> usize {
    let is_number = |term: &Found| {
        term.kind == Kind::Code
            && term.text.len() <= LONGEST_LOCANT
            && term.text.chars().all(char::is_numeric)
    };
    let is_joined = |pair: &[Found]| {
        is_number(&pair[0]) && question.get(pair[0].to as usize..pair[1].from as usize) == Some(",")
    };
    let count = terms.windows(2).take_while(|pair| is_joined(pair)).count();
    let is_name = terms.get(count).is_some_and(|word| {
        let part =
            |n: usize| terms.get(count + n).filter(|part| part.kind == Kind::Part && part.to <= word.to);
        word.kind == Kind::Code
            && part(1).is_some_and(|part| part.text.chars().all(char::is_numeric))
            && part(2).is_some_and(|part| part.text.chars().any(char::is_alphabetic))
    });
    if is_name {
        count
    } else {
        0
    }
}

/// A run of pairs: as a phrase if it may be one word, and each pair. `before` are the terms before it.
fn push_pairs(asked: &Asked, before: &[Found], run: &[Found], concepts: &mut Vec<Concept>) {
    let question = asked.text;
    let run = without_long_vowel(&run[..run.len() - particle_length(asked.terms, question, run)]);
    let (first, last) = (&run[0], &run[run.len() - 1]);
    if run.len() == 1 && first.text.chars().all(is_hiragana) && first.text.chars().nth(1).is_none() {
        return;
    }
    let is_kana = first.text.chars().all(is_hiragana);
    let boost = if is_kana { HIRAGANA } else { 1.0 };
    if run.len() < LONGEST_WORD {
        let phrases = spacings(phrase_of(run, Kind::Pair)).into_iter();
        let joined = (run.len() == 1).then(|| joined_with(question, before, first)).flatten();
        let alternatives = phrases.chain(joined).map(|phrase| anywhere(phrase, 1.0)).collect();
        concepts.push(Concept {
            from: first.from,
            to: last.to,
            boost,
            is_extra: false,
            alternatives,
            translations: vec![],
        });
    }
    if run.len() > 1 {
        for pair in run {
            let alternatives = vec![anywhere(Phrase::word(&pair.text), 1.0)];
            concepts.push(Concept {
                from: pair.from,
                to: pair.to,
                boost: boost * PAIR,
                is_extra: false,
                alternatives,
                translations: vec![],
            });
        }
    }
}
