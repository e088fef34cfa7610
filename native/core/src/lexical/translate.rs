//! Finds the terms of a question in the table of translations.

use super::analysis::{Analyser, Kind, Language, FRENCH_STEM, GERMAN_STEM};
use super::characters::{normalise, Class};
use super::concept::Translation;
use super::found::{phrase_of, Found};
use super::grammar::{is_stop_word, PARTICLES};
use super::greek::in_other_script;
use super::index::Phrase;
use super::okurigana::without_ending;
use super::terms::Terms;
use std::collections::HashMap;
use std::sync::Arc;

/// Words and characters of a question that are looked up, at most.
const MOST_UNITS: usize = 1000;
/// Terms of a question that are translated, at most.
const MOST_TERMS: usize = 48;
/// Translations of a term into one language, at most.
const EACH_LANGUAGE: usize = 4;
/// Words of a term, and characters of one in a script without spaces, at most.
const LONGEST_TERM: usize = 28;

/// Characters of a long term of a script without spaces, at least.
const LONG: usize = 4;

/// Characters of a loanword that may be a fragment of another, at most.
const LONGEST_FRAGMENT: [(Class, usize); 2] = [(Class::Katakana, 3), (Class::Hangul, 2)];

/// A word, or a character of a script without spaces.
#[derive(Clone)]
struct Unit {
    from: u32,
    to: u32,
    /// What the word is looked up by.
    keys: Vec<(String, Form)>,
    /// The script of a character; `None` for a word.
    script: Option<Class>,
    /// Whether a Korean particle behind it was left out. It is within the bytes of the unit.
    had_particle: bool,
}

/// Particles that may stand between the words of a Korean term: 차선을 변경 is 차선 변경 (lane change).
const WITHIN_TERMS: [&str; 5] = ["을", "를", "의", "이", "가"];

/// A form of a word that may be in the table. The first that is found counts: words of different senses have the same stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Written,
    /// A Greek letter for its name, and the other way round.
    Spelled,
    Singular,
    EnglishStem,
    GermanStem,
    FrenchStem,
    /// A French stem but for its accents: capitals are often without.
    Unaccented,
}

/// What a term of a question is in the table: its form, and its numbers.
type Numbers = (Form, Vec<u32>);

/// The terms of a question with stems of each kind, as many as its terms as they are written.
pub(super) type Stems = Vec<(Form, Vec<Found>)>;

/// The stems that the table has.
pub(super) const STEMS: [(Form, Language); 3] = [
    (Form::EnglishStem, Language::English),
    (Form::GermanStem, Language::German),
    (Form::FrenchStem, Language::French),
];

/// What the table knows of a question.
#[derive(Default)]
pub(super) struct Known {
    pub translations: Vec<Translation>,
    /// Bytes of the terms of one script without spaces, and of Japanese words with hiragana; without a space inside.
    pub words: Vec<(u32, u32)>,
}

/// The terms of a question and their translations: at each place the longest term that begins there, and shorter ones of several
/// words (`millimeter wave` of `millimeter wave antenna`). The words within a longer term are translated, too; the characters
/// within one and fragments of loanwords are not.
pub(super) fn known(
    analyser: &mut Analyser,
    terms: &Terms,
    question: &str,
    plain: &[Found],
    stems: &[(Form, Vec<Found>)],
) -> Known {
    let mut search = Search { terms, question, found: Known::default(), known: HashMap::new() };
    each_term(terms, question, plain, stems, |term, numbers| {
        search.add(analyser, term, numbers) < MOST_TERMS
    });
    search.found
}

/// The longest terms of a question, by their numbers in the table: none overlaps another, or is a word that says nothing.
pub(super) fn longest_terms(
    terms: &Terms,
    question: &str,
    plain: &[Found],
    stems: &[(Form, Vec<Found>)],
) -> Vec<u32> {
    let mut found: Vec<(u32, u32, u32)> = Vec::new();
    each_term(terms, question, plain, stems, |term, (_, numbers)| {
        let (first, last) = (&term[0], &term[term.len() - 1]);
        if term.len() > 1 || !is_stop_word(&first.keys[0].0) {
            found.push((first.from, last.to, numbers[0]));
        }
        // All of them: the text is short.
        true
    });
    found.sort_by_key(|&(from, to, _)| (from, std::cmp::Reverse(to)));
    let mut end = 0;
    found.retain(|&(from, to, _)| {
        let is_free = from >= end;
        end = if is_free { to } else { end };
        is_free
    });
    found.into_iter().map(|(_, _, number)| number).collect()
}

/// Where a question has English terms of several words, bytes.
pub(super) fn english_phrases(
    terms: &Terms,
    question: &str,
    plain: &[Found],
    stems: &[(Form, Vec<Found>)],
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    each_term(terms, question, plain, stems, |term, (form, _)| {
        let is_english = !matches!(form, Form::GermanStem | Form::FrenchStem | Form::Unaccented);
        if is_english && term.len() > 1 && term.iter().all(|unit| unit.script.is_none()) {
            found.push((term[0].from, term[term.len() - 1].to));
        }
        true
    });
    found
}

/// Calls `each` with the terms of a question and their numbers in the table, until it returns false.
fn each_term(
    terms: &Terms,
    question: &str,
    plain: &[Found],
    stems: &[(Form, Vec<Found>)],
    mut each: impl FnMut(&[Unit], Numbers) -> bool,
) {
    let units = units_of(question, plain, stems);
    let goes_on = scan(terms, question, &units, |_| true, &mut each);
    if let Some(units) = without_particles(question, &units).filter(|_| goes_on) {
        // Terms without a particle in them were found above.
        let has_particle = |term: &[Unit]| term[..term.len() - 1].iter().any(|unit| unit.had_particle);
        scan(terms, question, &units, has_particle, &mut each);
    }
}

/// Calls `each` with the terms of some units that a condition accepts, until it returns false; returns its last answer.
fn scan(
    terms: &Terms,
    question: &str,
    units: &[Unit],
    accepts: impl Fn(&[Unit]) -> bool,
    each: &mut impl FnMut(&[Unit], Numbers) -> bool,
) -> bool {
    let mut at = 0;
    // Where the term before ends, in bytes.
    let mut end = 0;
    let mut goes_on = true;
    while at < units.len() && goes_on {
        let mut found = terms_at(terms, question, &units[at..]);
        found.retain(|&(length, _)| !cuts_word(units, at, length));
        let length = found.last().map_or(0, |&(length, _)| length);
        if length == 0 || is_fragment(units, at, length, end) {
            at += 1;
            continue;
        }
        let is_word = units[at].script.is_none();
        for (own, numbers) in found {
            let term = &units[at..at + own];
            if (own == length || is_word && own > 1) && accepts(term) {
                goes_on = each(term, numbers);
            }
        }
        end = units[at + length - 1].to;
        at += if is_word { 1 } else { length };
    }
    goes_on
}

struct Search<'a> {
    terms: &'a Terms,
    question: &'a str,
    found: Known,
    /// The phrases of the translations of a term of the table.
    known: HashMap<u32, Vec<Arc<Phrase>>>,
}

impl Search<'_> {
    /// Adds a term of the question with its translations. Returns the number of terms that are known.
    fn add(&mut self, analyser: &mut Analyser, term: &[Unit], (form, numbers): Numbers) -> usize {
        let Search { terms, question, found, known } = self;
        let (from, to) = (term[0].from, term[term.len() - 1].to);
        let is_long = is_long(term);
        if is_one_run(term) || has_okurigana(term) {
            found.words.push((from, to));
        }
        let (from, to) = with_brackets(question, from, to);
        for number in numbers {
            let phrases = known.entry(number).or_insert_with(|| {
                let others = terms.translations(number, EACH_LANGUAGE);
                // French texts have it with accents.
                let itself = (form == Form::Unaccented).then_some(number);
                itself
                    .into_iter()
                    .chain(others)
                    .map(|other| Arc::new(phrase(analyser, terms.text(other))))
                    .collect()
            });
            for phrase in phrases.iter().filter(|phrase| !phrase.terms.is_empty()) {
                let translation = Translation { phrase: Arc::clone(phrase), from, to, is_long };
                if !found.translations.contains(&translation) {
                    found.translations.push(translation);
                }
            }
        }
        known.len()
    }
}

/// The bytes of a term with a bracket beside it whose other half is in the term: `poly(vinyl alcohol)`, `(meth)acrylate`.
fn with_brackets(question: &str, from: u32, to: u32) -> (u32, u32) {
    let term = &question[from as usize..to as usize];
    let (opened, closed) = (term.matches('(').count(), term.matches(')').count());
    let is_before = closed > opened && question[..from as usize].ends_with('(');
    let is_behind = opened > closed && question[to as usize..].starts_with(')');
    (from - is_before as u32, to + is_behind as u32)
}

/// The units of a question without the particles behind its Korean words; `None` if it has no such particle.
fn without_particles(question: &str, units: &[Unit]) -> Option<Vec<Unit>> {
    let mut kept: Vec<Unit> = Vec::with_capacity(units.len());
    let mut is_other = false;
    for (n, unit) in units.iter().enumerate() {
        let is_korean = |unit: &Unit| unit.script == Some(Class::Hangul);
        let ends_word = question[unit.to as usize..].starts_with(char::is_whitespace);
        // Behind two syllables at least.
        let follows = n >= 2
            && units[n - 2..n].iter().all(is_korean)
            && units[n - 2].to == units[n - 1].from
            && units[n - 1].to == unit.from;
        if is_korean(unit) && ends_word && follows && WITHIN_TERMS.contains(&unit.keys[0].0.as_str()) {
            let before = kept.last_mut().expect("two syllables are before it");
            (before.to, before.had_particle, is_other) = (unit.to, true, true);
        } else {
            kept.push(unit.clone());
        }
    }
    is_other.then_some(kept)
}

/// Whether a term has the characters of one script without spaces, and no space.
fn is_one_run(units: &[Unit]) -> bool {
    let continues = |pair: &[Unit]| pair[0].script == pair[1].script && pair[0].to == pair[1].from;
    units[0].script.is_some() && units.windows(2).all(continues)
}

/// Whether a term is a Japanese word of several scripts, hiragana among them: はんだ付け.
fn has_okurigana(units: &[Unit]) -> bool {
    let is_joined = units.windows(2).all(|pair| pair[0].to == pair[1].from);
    let is = |script: Class| units.iter().any(|unit| unit.script == Some(script));
    let is_japanese =
        |unit: &Unit| matches!(unit.script, Some(Class::Han | Class::Hiragana | Class::Katakana));
    is_joined && units.iter().all(is_japanese) && is(Class::Hiragana) && is(Class::Han)
}

/// Whether a term is of several words, or of `LONG` characters of a script without spaces.
fn is_long(units: &[Unit]) -> bool {
    let is_end = |pair: &[Unit]| pair[0].script.is_none() || pair[0].to < pair[1].from;
    units.windows(2).any(is_end) || units[0].script.is_some() && units.len() >= LONG
}

/// Whether a term is a short loanword behind a character that belongs to no term: 로컬 (local) in 브로컬리
/// (broccoli), 시드 (seed) in 글루코시드 (glucoside). `end` is where the term before ends.
fn is_fragment(units: &[Unit], at: usize, length: usize, end: u32) -> bool {
    let (Some(before), Some(script)) = (at.checked_sub(1).map(|n| &units[n]), units[at].script) else {
        return false;
    };
    let continues = before.script == Some(script) && before.to == units[at].from && before.to > end;
    let is_short = LONGEST_FRAGMENT.iter().any(|&(class, most)| class == script && length <= most);
    let is_loanword = || {
        script == Class::Katakana
            || units[at..at + length]
                .iter()
                .flat_map(|unit| unit.keys[0].0.chars())
                .any(|c| !is_sino_korean(c))
    };
    continues && is_short && is_loanword()
}

/// Whether a Korean term goes over a space and has only one syllable of a longer word beside it: 냉각수 (coolant) in 냉각 수단
/// (means of cooling). A particle behind the syllable does not make the word longer.
fn cuts_word(units: &[Unit], at: usize, length: usize) -> bool {
    let adjoins = |n: usize| {
        let [one, next] = &units[n..n + 2] else { return false };
        one.script == Some(Class::Hangul) && next.script == one.script && one.to == next.from
    };
    let end = at + length;
    let spaces: Vec<usize> = (at..end - 1).filter(|&n| units[n].to < units[n + 1].from).collect();
    let (Some(&first), Some(&last)) = (spaces.first(), spaces.last()) else { return false };
    let begins_inside = first == at && at > 0 && adjoins(at - 1);
    let rest = (end..units.len()).take_while(|&n| adjoins(n - 1));
    let rest: String = rest.map(|n| units[n].keys[0].0.as_str()).collect();
    begins_inside || last == end - 2 && !is_of_particles(&rest)
}

/// Whether a text is a sequence of particles, such as 에 and 는 in 에는, or empty. Several sequences may have the same beginning, as
/// 이나 is one particle and two: each place is checked once.
fn is_of_particles(text: &str) -> bool {
    let mut ends_one = vec![false; text.len() + 1];
    ends_one[0] = true;
    for from in 0..text.len() {
        if ends_one[from] {
            let rest = &text[from..];
            let found = PARTICLES.iter().filter(|particle| rest.starts_with(**particle));
            found.for_each(|particle| ends_one[from + particle.len()] = true);
        }
    }
    ends_one[text.len()]
}

/// Whether a syllable may be the reading of a Chinese character, by the sounds that such readings have.
/// Words of them stand side by side in compounds without spaces.
fn is_sino_korean(syllable: char) -> bool {
    let Some(number) = (syllable as u32).checked_sub(0xac00).filter(|&number| number < 11_172) else {
        return false;
    };
    let (first, vowel, last) = (number / 588, number % 588 / 28, number % 28);
    // None of ㄲ ㄸ ㅃ ㅆ ㅉ ㅋ at the beginning; ㄱ ㄴ ㄹ ㅁ ㅂ ㅇ or nothing at the end; ㅡ needs an end; ㅔ has
    // none, and only ㄱ ㅅ ㅈ ㅊ before it.
    let is_known = !matches!(first, 1 | 4 | 8 | 10 | 13 | 15) && matches!(last, 0 | 1 | 4 | 8 | 16 | 17 | 21);
    is_known
        && match vowel {
            5 => last == 0 && matches!(first, 0 | 9 | 12 | 14),
            18 => last != 0,
            3 | 15 => false,
            _ => true,
        }
}

/// The phrase of a term of the table.
fn phrase(analyser: &mut Analyser, term: &str) -> Phrase {
    if term.starts_with([GERMAN_STEM, FRENCH_STEM]) {
        return Phrase { terms: (0..).zip(term.split(' ').map(str::to_owned)).collect() };
    }
    let mut found = Vec::new();
    analyser.terms(term, Language::Other, |term| {
        let (position, from, to, kind) = (term.position, term.from, term.to, term.kind);
        found.push(Found { text: term.text.to_owned(), position, from, to, kind });
    });
    phrase_of(without_ending(&found), Kind::Code)
}

/// The terms that begin a list, shortest first: the number of units of each, and its numbers in the table.
fn terms_at(terms: &Terms, question: &str, units: &[Unit]) -> Vec<(usize, Numbers)> {
    let mut all: Vec<(usize, Numbers)> = Vec::new();
    let mut keys = vec![(String::new(), Form::Written)];
    for (n, unit) in units.iter().enumerate().take(LONGEST_TERM) {
        // Units of one character of the question, such as ㍘, have nothing between them.
        let between =
            |before: &Unit| question.get(before.to as usize..unit.from as usize).unwrap_or_default();
        if n > 0 && !between(&units[n - 1]).chars().all(is_within) {
            break;
        }
        let longer = |(key, form): &(String, Form)| -> Vec<_> {
            unit.keys.iter().map(|(own, other)| (format!("{key}{own}"), (*form).max(*other))).collect()
        };
        keys = keys.iter().flat_map(longer).collect();
        let mut found: Vec<(Form, u32)> = Vec::new();
        keys.retain(|(key, form)| {
            let lookup = terms.look_up(key);
            let term = lookup.term.filter(|&term| n == 0 || !is_letter(unit) || has_letter(terms, term));
            found.extend(term.map(|term| (*form, term)));
            let (accented, begins) = match key.starts_with(FRENCH_STEM) {
                true => terms.look_up_unaccented(key),
                false => (vec![], false),
            };
            let goes_on = lookup.term.is_some() || lookup.begins || begins || !accented.is_empty();
            found.extend(accented.into_iter().map(|term| (Form::Unaccented, term)));
            goes_on
        });
        if let Some(first) = found.iter().map(|&(form, _)| form).min() {
            found.retain(|&(form, _)| form == first);
            all.push((n + 1, (first, found.into_iter().map(|(_, term)| term).collect())));
        }
        if keys.is_empty() {
            break;
        }
    }
    all
}

/// Whether a word is one letter, such as the second of `CAR-T`. A Greek letter may be a name.
fn is_letter(unit: &Unit) -> bool {
    let is_greek = || unit.keys.iter().any(|(_, form)| *form == Form::Spelled);
    unit.script.is_none() && unit.keys[0].0.chars().nth(1).is_none() && !is_greek()
}

/// Whether the last word of a term is one letter: `vitamin c`, but not `cart`.
fn has_letter(terms: &Terms, term: u32) -> bool {
    terms.text(term).rsplit_once(' ').is_some_and(|(_, last)| last.chars().nth(1).is_none())
}

/// The singular of an English noun, if its plural is regular; `None` if the word is no such plural.
fn singular(word: &str) -> Option<String> {
    let without = |end: &str| word.strip_suffix(end);
    if let Some(stem) = without("ies").filter(|stem| stem.len() > 1) {
        return Some(format!("{stem}y"));
    }
    let sibilant = |stem: &&str| ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end));
    if let Some(stem) = without("es").filter(sibilant) {
        return Some(stem.into());
    }
    let stem = without("s").filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']))?;
    Some(stem.into())
}

/// Whether a character may stand between the words of a term.
fn is_within(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '\u{2010}' | '\u{2011}' | '・' | '･' | '(' | ')')
}

fn units_of(question: &str, plain: &[Found], stems: &[(Form, Vec<Found>)]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for (n, found) in plain.iter().enumerate() {
        let next = plain.get(n + 1);
        let is_whole = match found.kind {
            Kind::Word | Kind::Part => true,
            Kind::Code => {
                found.text.chars().any(|c| c.is_numeric())
                    || next.is_none_or(|next| next.kind != Kind::Part || next.from >= found.to)
            }
            Kind::Pair | Kind::Piece | Kind::Written => false,
        };
        if !is_whole || units.last().is_some_and(|unit| unit.to > found.from) {
            continue;
        }
        let written = [(Form::Written, found.text.clone())].into_iter();
        let spelled = in_other_script(&found.text).map(|other| (Form::Spelled, other));
        let singular = singular(&found.text).map(|one| (Form::Singular, one));
        let stems = stems.iter().map(|(form, terms)| (*form, terms[n].text.clone()));
        let mut keys: Vec<(String, Form)> = Vec::new();
        for (form, key) in written.chain(spelled).chain(singular).chain(stems) {
            if !keys.iter().any(|(other, _)| *other == key) {
                keys.push((key, form));
            }
        }
        units.push(Unit { from: found.from, to: found.to, keys, script: None, had_particle: false });
    }
    let mut characters = Vec::new();
    normalise(question, &mut characters);
    let runs = [Class::Han, Class::Hiragana, Class::Katakana, Class::Hangul];
    for c in characters.iter().filter(|c| runs.contains(&c.class)) {
        match units.last_mut() {
            // Several characters of one character of the question.
            Some(unit) if unit.script.is_some() && unit.from == c.from => unit.keys[0].0.push(c.value),
            _ => {
                let keys = vec![(c.value.to_string(), Form::Written)];
                units.push(Unit { from: c.from, to: c.to, keys, script: Some(c.class), had_particle: false })
            }
        }
    }
    units.sort_by_key(|unit| unit.from);
    units.truncate(MOST_UNITS);
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_plurals_have_a_singular() {
        for (plural, one) in [
            ("batteries", "battery"),
            ("boxes", "box"),
            ("switches", "switch"),
            ("cells", "cell"),
            ("valves", "valve"),
            ("gases", "gas"),
        ] {
            assert_eq!(singular(plural).as_deref(), Some(one));
        }
        for word in ["gas", "glass", "apparatus", "axis", "cell", "ies"] {
            assert_eq!(singular(word), None, "{word}");
        }
    }
}
