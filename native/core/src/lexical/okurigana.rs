//! Spellings of Japanese words. Patents write okurigana in several ways, 切り替え and 切替え and 切替 (switching), and the
//! characters between which kana stand are no words by themselves: 切 of 切り替え, 付 of はんだ付け (soldering). A katakana word has
//! a long vowel at its end or not: センサー, センサ (sensor).

use super::analysis::Kind;
use super::concept::{anywhere, Concept};
use super::found::{is_short, Found};
use super::index::Phrase;

/// The sign of a long vowel in katakana, and the pairs of a word, at least, at whose end it is left out: those of four characters.
const LONG_VOWEL: char = 'ー';
const LONG_VOWEL_FROM: usize = 3;
/// Characters of a known word, at least, whose parts are removed. 付け (attaching) is found by its character.
const LEAST: usize = 3;
/// How the kana between the characters of a compound end: a verb's form that another verb follows. Particles do not.
const STEMS: &str = "いきぎしじちびみりえけげせぜてねべめれ";
/// Kana of two characters that join no compound if they end so: a verb before another part of the sentence, 用いて水 (using, water).
/// The compounds have this character alone: 組立て装置.
const JOINS_ALONE: char = 'て';
/// Factor on the weight of a character beside kana.
const CHARACTER: f32 = 0.3;
/// Particles. A character beside them is a word: 鉛の除去 (removal of lead).
const PARTICLES: &str = "のをはがにでとへもや";
/// Those of them that are okurigana if more kana follow: 曲がり (bend), 冷やす (cool).
const ALSO_OKURIGANA: &str = "がや";

pub(super) fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

fn is_kana(text: &str) -> bool {
    text.chars().all(is_hiragana)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Whether a term is a single character of kana. In a text, the next kana often makes a pair of it: け of 切り替える.
fn is_single_kana(term: &Found) -> bool {
    term.kind == Kind::Pair && is_kana(&term.text) && term.text.chars().nth(1).is_none()
}

/// The terms of a word without what other spellings of it lack: a long vowel and kana at its end.
pub(super) fn without_ending(terms: &[Found]) -> &[Found] {
    without_okurigana(without_long_vowel(terms))
}

/// Terms of which the last run has no long vowel at its end: the shorter spelling is found in both. Lucene's
/// JapaneseKatakanaStemFilter has the same rule for words of as many characters.
pub(super) fn without_long_vowel(terms: &[Found]) -> &[Found] {
    let follows = |pair: &[Found]| pair[1].kind == Kind::Pair && pair[1].from < pair[0].to;
    let pairs = 1 + terms.windows(2).rev().take_while(|pair| follows(pair)).count();
    match terms {
        [rest @ .., last]
            if pairs >= LONG_VOWEL_FROM && last.kind == Kind::Pair && last.text.ends_with(LONG_VOWEL) =>
        {
            rest
        }
        _ => terms,
    }
}

/// Terms without a character of kana at their end.
pub(super) fn without_kana_behind(terms: &[Found]) -> &[Found] {
    match terms {
        [rest @ .., last] if is_single_kana(last) => rest,
        _ => terms,
    }
}

/// A phrase without a character of kana at its end or beginning, unless a single character would be left.
fn without_okurigana(terms: &[Found]) -> &[Found] {
    let rest = match without_kana_behind(terms) {
        [first, rest @ ..] if is_single_kana(first) => rest,
        rest => rest,
    };
    let is_word = rest.len() > 1 || rest.iter().any(|term| term.text.chars().nth(1).is_some());
    if is_word {
        rest
    } else {
        terms
    }
}

/// Lowers the weight of single characters beside kana, and adds compounds with kana between two characters, each also without the
/// kana: 切替 for 切り替え. `plain` are the terms of the question.
pub(super) fn join_by_kana(question: &str, plain: &[Found], concepts: &mut Vec<Concept>) {
    if !question.chars().any(is_hiragana) {
        return;
    }
    let touches = |from: u32, to: u32| {
        let is_okurigana = |c: char| is_hiragana(c) && !PARTICLES.contains(c);
        let mut behind = question[to as usize..].chars();
        let (first, second) = (behind.next(), behind.next());
        let goes_on = first.is_some_and(|c| ALSO_OKURIGANA.contains(c)) && second.is_some_and(is_hiragana);
        let before = question[..from as usize].chars().next_back();
        goes_on || [before, first].into_iter().flatten().any(is_okurigana)
    };
    for concept in concepts.iter_mut() {
        let mut written = question[concept.from as usize..concept.to as usize].chars();
        let is_single = written.next().is_some_and(is_han) && written.next().is_none();
        if is_single && touches(concept.from, concept.to) {
            concept.boost *= CHARACTER;
        }
    }
    if !is_short(question) {
        return;
    }
    for (n, first) in plain.iter().enumerate() {
        let Some((kana, second)) = compound_at(&plain[n..]) else { continue };
        let one = first.text.chars().next_back().filter(|&c| is_han(c));
        let last = second.text.chars().next().filter(|&c| is_han(c));
        let (Some(one), Some(last)) = (one, last) else { continue };
        // The question may have another form of a character, of other bytes.
        let bytes = |term: &Found| question.get(term.from as usize..term.to as usize).unwrap_or_default();
        let from = first.to - bytes(first).chars().next_back().map_or(0, char::len_utf8) as u32;
        let to = second.from + bytes(second).chars().next().map_or(0, char::len_utf8) as u32;
        let are_single = first.text.chars().nth(1).is_none() && second.text.chars().nth(1).is_none();
        let apart = are_single.then(|| {
            let far = 1 + kana.text.chars().count() as u32;
            let terms = vec![(0, one.to_string()), (1, kana.text.clone()), (far, last.to_string())];
            anywhere(Phrase { terms }, 1.0)
        });
        let together = anywhere(Phrase::word(&format!("{one}{last}")), 1.0);
        let alternatives: Vec<_> = apart.into_iter().chain([together]).collect();
        if concepts.iter().all(|other| other.alternatives[0] != alternatives[0]) {
            let translations = vec![];
            concepts.push(Concept { from, to, boost: 1.0, is_extra: false, alternatives, translations });
        }
    }
}

/// The kana behind the first term of a list, and the first term behind them, if they may join a compound. A term has two characters
/// of kana at most, and a longer run is several terms.
fn compound_at(terms: &[Found]) -> Option<(&Found, &Found)> {
    let [first, kana, second, ..] = terms else { return None };
    let adjoins = |one: &Found, next: &Found| next.kind == Kind::Pair && next.from == one.to;
    let is_alone = kana.text.chars().nth(1).is_none();
    let is_end = |c: char| STEMS.contains(c) && (c != JOINS_ALONE || is_alone);
    let ends_well = kana.text.chars().next_back().is_some_and(is_end);
    let is_compound = first.kind == Kind::Pair
        && adjoins(first, kana)
        && adjoins(kana, second)
        && is_kana(&kana.text)
        && ends_well
        && !is_kana(&second.text);
    is_compound.then_some((kana, second))
}

/// Removes what is no word by itself within a known word of kana and other characters: 付 of はんだ付け.
pub(super) fn remove_parts(question: &str, words: &[(u32, u32)], concepts: &mut Vec<Concept>) {
    let text = |from: u32, to: u32| &question[from as usize..to as usize];
    let is_mixed =
        |text: &str| text.chars().count() >= LEAST && text.chars().any(is_hiragana) && !is_kana(text);
    let mixed: Vec<_> = words.iter().filter(|&&(from, to)| is_mixed(text(from, to))).collect();
    concepts.retain(|concept| {
        let is_within = mixed.iter().any(|(from, to)| *from <= concept.from && concept.to <= *to);
        let own = text(concept.from, concept.to);
        !(is_within && (own.chars().nth(1).is_none() || is_kana(own)))
    });
}
