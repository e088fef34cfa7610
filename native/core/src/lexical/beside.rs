//! Words of a short question that stand beside each other. A document that holds `USB Type-C` is more likely meant than one
//! that holds `USB` and `Type-C` far apart: the ordered pairs of the sequential dependence model (Metzler and Croft, "A Markov
//! random field model for term dependencies", SIGIR 2005). A pair counts like a word whose rarity is that of the pair.

use super::concept::{is_part_of_another, Concept};
use super::elision::without_elisions;
use super::found::is_short;
use super::question::Questions;

/// Words of a question that has pairs, at most. With eight instead of three, questions about a subject gain .001, others nothing.
const MOST_WORDS: usize = 5;
/// Factor on the rarity of a pair. With 1, documents that hold the words apart, or their translations, fall too far behind: of questions
/// about a subject in English, .728 instead of .737 of the documents are among the first ten.
const BESIDE: f32 = 0.5;

impl Questions {
    /// Adds the pairs of words that nothing but spaces part, or a full stop behind a single letter, or an elision.
    pub(super) fn push_beside(&mut self, question: &str, concepts: &mut Vec<Concept>) {
        if !is_short(question) {
            return;
        }
        let is_whole = |concept: &&Concept| !concept.is_extra && !is_part_of_another(concept, concepts);
        let whole = concepts.iter().filter(is_whole);
        let mut words: Vec<(u32, u32)> = whole.map(|concept| (concept.from, concept.to)).collect();
        words.sort_unstable();
        if words.len() > MOST_WORDS {
            return;
        }
        for pair in words.windows(2) {
            let [(from, end), (next, to)] = [pair[0], pair[1]];
            let is_letter = question[from as usize..end as usize].chars().nth(1).is_none();
            let is_beside = question.get(end as usize..next as usize).is_some_and(|between| {
                // `E. coli`
                let between = if is_letter { between.strip_prefix('.').unwrap_or(between) } else { between };
                without_elisions(between).chars().all(char::is_whitespace)
            });
            let found = is_beside.then(|| self.phrase(&question[from as usize..to as usize])).flatten();
            concepts.extend(found.map(|phrase| Concept {
                from,
                to,
                boost: BESIDE,
                is_extra: true,
                ..phrase
            }));
        }
    }
}
