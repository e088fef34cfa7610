//! A word of a question, and the terms by which documents hold it.

use super::index::Phrase;
use super::Part;
use std::collections::HashMap;
use std::sync::Arc;

/// One way in which a document may hold a word of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    pub phrase: Phrase,
    /// Whether it is looked for among names instead of texts; `None`: in both.
    pub in_names: Option<bool>,
    /// Share of the word's weight, above 0 and at most 1.
    pub weight: f32,
}

impl Alternative {
    /// Whether it is looked for in a part of documents.
    pub fn is_in(&self, part: Part) -> bool {
        self.in_names.is_none_or(|in_names| in_names == (part == Part::Names))
    }
}

/// A word of a question, or a word in it that is found as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// Bytes of the question.
    pub from: u32,
    pub to: u32,
    /// Factor on its rarity.
    pub boost: f32,
    /// Whether it is no word by itself: two words beside each other, which are concepts, too (`beside.rs`), or an acronym or
    /// its stems.
    pub is_extra: bool,
    pub alternatives: Vec<Alternative>,
    /// What it is in other languages. Empty if translations are not looked for.
    pub translations: Vec<Translation>,
}

/// A translation of a term of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    pub phrase: Arc<Phrase>,
    /// The term in the question, bytes.
    pub from: u32,
    pub to: u32,
    /// Whether the term is long: of several words, or of four characters or more of a script without spaces.
    pub is_long: bool,
}

/// Weight of a part of a word, such as `lithium` of `lithium-ion`.
pub(super) const PART: f32 = 0.5;

/// Whole words that are counted, at most.
const MOST_WHOLE: usize = 16;

/// Number of words of a question, at most `MOST_WHOLE`, without parts of others such as pairs of
/// characters.
pub fn whole_words(concepts: &[Concept]) -> usize {
    let whole = concepts.iter().filter(|concept| !concept.is_extra && !is_part_of_another(concept, concepts));
    whole.take(MOST_WHOLE).count()
}

/// Whether a concept is a part of a longer word of the question, such as a pair of characters.
pub(super) fn is_part_of_another(one: &Concept, concepts: &[Concept]) -> bool {
    concepts.iter().any(|other| {
        !other.is_extra
            && other.from <= one.from
            && one.to <= other.to
            && other.to - other.from > one.to - one.from
    })
}

pub(super) fn anywhere(phrase: Phrase, weight: f32) -> Alternative {
    Alternative { phrase, in_names: None, weight }
}

/// Adds to each concept the translations of the terms that it is in.
pub(super) fn add_translations(translations: &[Translation], concepts: &mut [Concept]) {
    for translation in translations {
        let covers = |concept: &Concept| translation.from <= concept.from && concept.to <= translation.to;
        let is = |own: &Alternative| own.is_in(Part::Text) && own.phrase == *translation.phrase;
        // `USB` is the same in other languages. The stems of an acronym are those of a concept at its place.
        let itself = concepts.iter().filter(|concept| concept.alternatives.iter().any(is));
        let itself: Vec<_> = itself.map(|concept| (concept.from, concept.to)).collect();
        for concept in concepts.iter_mut().filter(|concept| covers(concept)) {
            if itself.contains(&(concept.from, concept.to)) {
                continue;
            }
            // Each once, or its documents would count twice among those with the greatest tf.
            match concept.translations.iter_mut().find(|other| other.phrase == translation.phrase) {
                Some(other) if translation.is_long && !other.is_long => *other = translation.clone(),
                Some(_) => {}
                None => concept.translations.push(translation.clone()),
            }
        }
    }
}

/// Joins concepts of the same terms. A word that occurs n times weighs 1 + ln n times as much.
pub(super) fn merged(concepts: Vec<Concept>) -> Vec<Concept> {
    let mut places: HashMap<(bool, Phrase), (usize, u32)> = HashMap::new();
    let mut kept: Vec<Concept> = Vec::new();
    for concept in concepts {
        // The stem of an acronym may be a word of the question, too.
        let key = (concept.is_extra, concept.alternatives[0].phrase.clone());
        match places.get_mut(&key) {
            Some((place, count)) => {
                *count += 1;
                let first = &mut kept[*place];
                first.boost = first.boost.max(concept.boost);
                // 폰 in 갤럭시 폰 and 스마트 폰 may be the end of both words.
                let others = concept.alternatives.into_iter().take(MOST_WHOLE);
                let new: Vec<_> = others.filter(|other| !first.alternatives.contains(other)).collect();
                if first.alternatives.len() < MOST_WHOLE {
                    first.alternatives.extend(new);
                }
            }
            None => {
                places.insert(key, (kept.len(), 1));
                kept.push(concept);
            }
        }
    }
    for (place, count) in places.into_values() {
        kept[place].boost *= 1.0 + (count as f32).ln();
    }
    kept
}

/// Alternatives, each once, in the order in which they came.
#[derive(Default)]
pub(super) struct Distinct {
    pub(super) found: Vec<Alternative>,
    places: HashMap<Phrase, usize>,
}

impl Distinct {
    /// Adds a phrase. If it is looked for in texts by one reading and everywhere by another, it is looked for everywhere.
    pub(super) fn add(&mut self, phrase: Phrase, in_names: Option<bool>) {
        match self.places.get(&phrase) {
            Some(&at) => self.found[at].in_names = self.found[at].in_names.and(in_names),
            None => {
                self.places.insert(phrase.clone(), self.found.len());
                self.found.push(Alternative { phrase, in_names, weight: 1.0 });
            }
        }
    }
}
