//! Known words in compounds without spaces. 이차전지분리막 (separator of a battery) is looked for as a whole and in pairs of
//! characters; if the table of terms has 이차전지, it is a word of the question, too.

use super::analysis::Kind;
use super::concept::{anywhere, Concept};
use super::found::{phrase_of, Found};
use super::fragments::pair_of;
use super::index::Phrase;
use super::okurigana::{remove_parts, without_ending, without_kana_behind};
use super::spacing::spacings;

/// Characters of a known word, at least. A shorter one is a pair, which is looked for already.
const LEAST: usize = 3;
/// Factor on the weight of a pair across the border of a known word. It belongs to no word: 지분 in 이차전지분리막.
const CROSSING: f32 = 0.3;

/// Adds the known words of a question, and lowers the weight of the pairs that reach over their borders.
/// `plain` are the terms of the question, `words` where the known words are, bytes.
pub(super) fn add_known_words(
    question: &str,
    plain: &[Found],
    words: &[(u32, u32)],
    concepts: &mut Vec<Concept>,
) {
    for concept in concepts.iter_mut().filter(|concept| pair_of(concept).is_some()) {
        let (own_from, own_to) = (concept.from, concept.to);
        let is_within = |&(from, to): &(u32, u32)| from <= own_from && own_to <= to;
        let overlaps = |&(from, to): &(u32, u32)| from < own_to && own_from < to;
        if words.iter().any(overlaps) && !words.iter().any(is_within) {
            concept.boost *= CROSSING;
        }
    }
    remove_parts(question, words, concepts);
    for &(from, to) in words {
        let is_long = question[from as usize..to as usize].chars().count() >= LEAST;
        if !is_long || concepts.iter().any(|concept| (concept.from, concept.to) == (from, to)) {
            continue;
        }
        let Some(phrase) = phrase_at(plain, from, to) else { continue };
        let alternatives: Vec<_> = spacings(phrase).into_iter().map(|phrase| anywhere(phrase, 1.0)).collect();
        // The same word may be elsewhere in the question.
        if concepts.iter().any(|concept| concept.alternatives[0] == alternatives[0]) {
            continue;
        }
        concepts.push(Concept { from, to, boost: 1.0, is_extra: false, alternatives, translations: vec![] });
    }
}

/// The phrase of a known word within a compound. `None` if the terms of the question do not tell it.
fn phrase_at(plain: &[Found], from: u32, to: u32) -> Option<Phrase> {
    let at = plain.iter().position(|term| term.from >= from)?;
    let count = plain[at..].iter().take_while(|term| term.to <= to).count();
    let word = &plain[at..at + count];
    if word.first()?.from == from {
        return Some(phrase_of(without_ending(word), Kind::Pair));
    }
    // No pair begins with the last character of a run: 切 of 切り替え in 電源切り替え. By itself, it is a term.
    let pair = plain[..at].last().filter(|pair| pair.kind == Kind::Pair && pair.to == word[0].from)?;
    let (place, character) = pair.text.char_indices().next_back().filter(|&(place, _)| place > 0)?;
    let is_first = pair.from as usize + place == from as usize;
    let rest = phrase_of(without_kana_behind(word), Kind::Pair).terms.into_iter();
    let moved = rest.map(|(distance, term)| (distance + 1, term));
    let terms = std::iter::once((0, character.to_string())).chain(moved).collect();
    is_first.then_some(Phrase { terms })
}
