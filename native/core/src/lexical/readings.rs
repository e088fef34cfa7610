//! The ways in which a text may hold a phrase as it is written. Codes, formulae and numbers are exact.
//!
//! Beside the words themselves, in the stems of a language:
//! - words that joiners connect, without the joiners: `lithium-ion` is found as `lithiumion`;
//! - a code in its letters and numbers: `PM2.5` is found as `PM 2.5`, and `Li2S` as `Li 2 S`;
//! - letters and numbers of the phrase as a code: `PM 2.5` is found as `PM2.5`.
//!
//! A code of one letter and a number is found as one word only, because `5 G` is seldom `5G`; but `220V` is `220 V`.

use super::analysis::{is_stem, Analyser, Kind, Language, WRITTEN};
use super::found::Found;
use super::index::Phrase;

/// Letters of a word in capitals that is a code, at most. Longer ones are words of a title in capitals.
const SHORT: usize = 5;
/// Letters behind a number that are glued to it, at most: an element or a unit.
const UNIT: usize = 2;
/// Units of one letter that may stand behind a number with or without a space, and hardly mean anything else.
const LETTER_UNITS: [&str; 2] = ["v", "w"];
const HYPHENS: [char; 4] = ['-', '\u{2010}', '\u{2011}', '\u{2013}'];

/// What becomes of the words of a phrase.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    AsWritten,
    /// Words that joiners connect are one word, as texts with these joiners have it.
    WithoutJoiners,
    /// The same as texts without joiners have it: its stem.
    Joined,
    Apart,
    /// Numbers become one word with the letters before them.
    Glued,
    /// With short letters behind them, too.
    GluedUnits,
}

/// A word of a phrase, or a pair of characters.
struct Word<'a> {
    /// Its terms at their distances from its beginning.
    terms: Vec<(u32, String)>,
    /// Positions that it takes.
    width: u32,
    /// Positions between the word before and this one.
    gap: u32,
    /// The word in lower case, without a stem.
    plain: &'a str,
    from: u32,
    to: u32,
    kind: Kind,
}

/// The phrases of a text, with the stems of a language. `plain` has the same terms without stems.
pub(super) fn readings(
    analyser: &mut Analyser,
    text: &str,
    plain: &[Found],
    terms: &[Found],
    language: Language,
) -> Vec<Phrase> {
    let ways = [Way::AsWritten, Way::WithoutJoiners, Way::Joined, Way::Apart, Way::Glued, Way::GluedUnits];
    ways.into_iter()
        .map(|way| {
            let mut words = words_of(analyser, text, plain, terms, language, way);
            if matches!(way, Way::Glued | Way::GluedUnits) {
                words = glued(text, words, way);
            }
            laid_out(words)
        })
        .collect()
}

/// The words of a phrase: joined ones as a whole or each by itself.
fn words_of<'a>(
    analyser: &mut Analyser,
    text: &str,
    plain: &'a [Found],
    terms: &[Found],
    language: Language,
    way: Way,
) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    let mut end = terms.first().map_or(0, |term| term.position);
    let mut at = 0;
    while let Some(term) = terms.get(at) {
        let parts = terms[at + 1..]
            .iter()
            .take_while(|part| term.kind == Kind::Code && part.kind == Kind::Part && part.to <= term.to)
            .count();
        let gap = term.position.saturating_sub(end);
        let whole = parts == 0 || matches!(way, Way::WithoutJoiners | Way::Joined);
        let chosen = if whole { at..at + 1 } else { at + 1..at + 1 + parts };
        for n in chosen.clone() {
            let own = &terms[n];
            let apart = (way == Way::Apart).then(|| pieces_apart(&plain[n].text)).flatten();
            let found = match apart {
                Some(pieces) => pieces.iter().map(|piece| term_of(analyser, piece, language, true)).collect(),
                None if is_stem(&own.text, &plain[n].text)
                    && is_code(&text[own.from as usize..own.to as usize]) =>
                {
                    vec![format!("{WRITTEN}{}", plain[n].text)]
                }
                None if parts > 0 && way == Way::Joined => {
                    vec![term_of(analyser, &own.text, language, false)]
                }
                None => vec![own.text.clone()],
            };
            words.push(Word {
                width: found.len() as u32,
                terms: (0..).zip(found).collect(),
                gap: if n == chosen.start { gap } else { 0 },
                plain: &plain[n].text,
                from: own.from,
                to: own.to,
                kind: own.kind,
            });
        }
        end = term.position + parts.max(1) as u32;
        at += 1 + parts;
    }
    words
}

/// Joins letters and numbers that only spaces or joiners part.
fn glued<'a>(text: &str, words: Vec<Word<'a>>, way: Way) -> Vec<Word<'a>> {
    let mut out: Vec<Word> = Vec::new();
    let mut chain: Vec<Word> = Vec::new();
    for word in words {
        let follows = chain.last().is_some_and(|last| may_glue(text, last, &word, way));
        if !follows {
            flush(&mut chain, &mut out);
        }
        chain.push(word);
    }
    flush(&mut chain, &mut out);
    out
}

fn flush<'a>(chain: &mut Vec<Word<'a>>, out: &mut Vec<Word<'a>>) {
    let joined: String = chain.iter().map(|word| word.plain).collect();
    if chain.len() < 2 || pieces_apart(&joined).is_none() {
        out.append(chain);
        return;
    }
    let (first, last) = (&chain[0], &chain[chain.len() - 1]);
    let (gap, from, to) = (first.gap, first.from, last.to);
    chain.clear();
    out.push(Word { terms: vec![(0, joined)], width: 1, gap, plain: "", from, to, kind: Kind::Code });
}

fn may_glue(text: &str, last: &Word, next: &Word, way: Way) -> bool {
    if last.kind == Kind::Pair || next.kind == Kind::Pair || next.gap > 0 {
        return false;
    }
    // Words of one letter overlap: `¾` is 3, a fraction slash and 4.
    let Some(between) = text.get(last.to as usize..next.from as usize) else {
        return false;
    };
    let mut between = between.chars();
    let begins_with_number = next.plain.starts_with(is_of_number);
    between.all(|c| c.is_whitespace() || HYPHENS.contains(&c))
        && match last.plain.ends_with(is_of_number) {
            false => begins_with_number,
            true => {
                let unit = next.plain.chars().take_while(|&c| !is_of_number(c)).count();
                way == Way::GluedUnits && !begins_with_number && unit <= UNIT
            }
        }
}

/// The phrase of words behind each other.
fn laid_out(words: Vec<Word>) -> Phrase {
    let mut terms = Vec::new();
    let mut at = 0;
    for (n, word) in words.into_iter().enumerate() {
        at += if n == 0 { 0 } else { word.gap };
        terms.extend(word.terms.into_iter().map(|(far, term)| (at + far, term)));
        at += word.width;
    }
    Phrase { terms }
}

/// The term of a word in a language.
fn term_of(analyser: &mut Analyser, word: &str, language: Language, is_code: bool) -> String {
    let mut found = String::new();
    analyser.terms(word, language, |term| {
        if found.is_empty() || is_code && term.kind == Kind::Written {
            found = term.text.to_owned();
        }
    });
    found
}

/// Whether a word of letters is written like a code or formula: `AlAs`, `AIDS`, `MOSFETs`, but not `TITLE OF` or `SmartPhone`.
pub(super) fn is_code(written: &str) -> bool {
    let letters = || written.chars().filter(|c| c.is_alphabetic());
    let (count, capitals) = (letters().count(), letters().filter(|c| c.is_uppercase()).count());
    // `MOSFETs` is a code. `SmartPhone` is the word `smartphone`, of which texts hold the stem only.
    letters().skip(1).any(char::is_uppercase)
        && (count <= SHORT || (capitals < count && capitals * 2 >= count))
}

pub(super) fn is_of_number(c: char) -> bool {
    c.is_numeric() || c == '.'
}

/// The letters and numbers of a code, if texts may part them by spaces. `None` if it is not a code of both, or one of a
/// letter and a number, unless the letter is a unit.
pub(super) fn pieces_apart(code: &str) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, c) in code.char_indices() {
        if !c.is_alphanumeric() && c != '.' {
            return None;
        }
        if last.is_some_and(|last| last != is_of_number(c)) {
            pieces.push(&code[from..at]);
            from = at;
        }
        last = Some(is_of_number(c));
    }
    pieces.push(&code[from..]);
    let is_letter = |piece: &str| piece.chars().count() == 1 && !piece.chars().all(is_of_number);
    let may_part = match pieces[..] {
        [_] => false,
        [first, second] => !is_letter(first) && (!is_letter(second) || LETTER_UNITS.contains(&second)),
        _ => true,
    };
    may_part.then_some(pieces)
}
