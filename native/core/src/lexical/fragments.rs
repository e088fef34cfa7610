//! Which pairs of characters in a text are places of a question's words. A pair of a longer word, such as 화물
//! of 황화물 (sulfide), also stands in other words, such as 산화물 (oxide).

use super::characters::{normalise, Character, Class};
use super::concept::Concept;
use super::places::Place;
use super::terms::Terms;

/// Bytes before a place in which places that overlap it begin.
const NEAR: u32 = 64;

/// Leaves out pairs of characters that are fragments of other words. `continues` is `Continued::of_all` of the
/// concepts. A pair of a longer word of the question stays
///
/// - if the text continues it as the question does, by a character at least;
/// - if it is not part of a longer run in the text on a side where the question's word continues;
/// - if it is a term of the table of translations, in scripts without spaces: 固体 of 固体电解质.
pub(super) fn without_fragments(
    text: &str,
    concepts: &[Concept],
    continues: &[Continued],
    terms: Option<&Terms>,
    places: Vec<Place>,
) -> Vec<Place> {
    let stays = |n: usize| {
        let place = &places[n];
        let continued = &continues[place.concept];
        place.translates.is_some()
            || !(continued.left || continued.right)
            || is_supported(concepts, &places, n)
            || {
                let Some(class) = class_of_pair(text, place) else { return true };
                let left = continued.left && begins(text[..place.from as usize].chars().next_back(), class);
                let right = continued.right && begins(text[place.to as usize..].chars().next(), class);
                !(left || right) || class == Class::Han && is_term(terms, concepts, place)
            }
    };
    let kept: Vec<bool> = (0..places.len()).map(stays).collect();
    places.into_iter().zip(kept).filter_map(|(place, kept)| kept.then_some(place)).collect()
}

/// Whether a word of the question continues a concept before and behind it.
pub(super) struct Continued {
    left: bool,
    right: bool,
}

impl Continued {
    /// For each concept.
    pub fn of_all(concepts: &[Concept]) -> Vec<Self> {
        (0..concepts.len()).map(|n| Continued::of(concepts, n)).collect()
    }

    fn of(concepts: &[Concept], n: usize) -> Self {
        let Some(own) = pair_of(&concepts[n]).map(|_| &concepts[n]) else {
            return Continued { left: false, right: false };
        };
        let words = || concepts.iter().filter(|other| !other.is_extra);
        Continued {
            left: words().any(|other| other.from < own.from && other.to > own.from),
            right: words().any(|other| other.from < own.to && other.to > own.to),
        }
    }
}

/// The pair of characters that a concept is.
pub(super) fn pair_of(concept: &Concept) -> Option<&str> {
    match &concept.alternatives[..] {
        [only] if only.phrase.terms.len() == 1 => {
            let term = only.phrase.terms[0].1.as_str();
            let is_pair = term.chars().count() == 2 && term.chars().all(|c| is_run(class_of(c)));
            is_pair.then_some(term)
        }
        _ => None,
    }
}

/// Whether another place continues a place in the text as its concept does in the question, or holds it.
fn is_supported(concepts: &[Concept], places: &[Place], n: usize) -> bool {
    let place = &places[n];
    let concept = &concepts[place.concept];
    let supports = |other: &Place| {
        let theirs = &concepts[other.concept];
        let before = theirs.from < concept.from && concept.from < theirs.to;
        let behind = theirs.from < concept.to && concept.to < theirs.to;
        other.translates.is_none()
            && (before && other.from < place.from && place.from < other.to
                || behind && other.from < place.to && place.to < other.to)
    };
    let earlier = places[..n].iter().rev().take_while(|other| other.from + NEAR > place.from);
    let later = places[n + 1..].iter().take_while(|other| other.from < place.to);
    earlier.chain(later).any(supports)
}

fn is_term(terms: Option<&Terms>, concepts: &[Concept], place: &Place) -> bool {
    let pair = pair_of(&concepts[place.concept]);
    terms.zip(pair).is_some_and(|(terms, pair)| terms.look_up(pair).term.is_some())
}

/// The class of the characters of a place; `None` if it is not a pair of one class.
fn class_of_pair(text: &str, place: &Place) -> Option<Class> {
    let mut characters = Vec::new();
    normalise(&text[place.from as usize..place.to as usize], &mut characters);
    let class = characters.first()?.class;
    (is_run(class) && characters.iter().all(|c| c.class == class)).then_some(class)
}

fn begins(c: Option<char>, class: Class) -> bool {
    c.is_some_and(|c| class_of(c) == class)
}

fn is_run(class: Class) -> bool {
    matches!(class, Class::Han | Class::Hiragana | Class::Katakana | Class::Hangul)
}

fn class_of(c: char) -> Class {
    let mut characters: Vec<Character> = Vec::new();
    normalise(c.encode_utf8(&mut [0; 4]), &mut characters);
    characters.last().map_or(Class::Other, |c| c.class)
}
