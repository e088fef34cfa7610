//! Korean particles at the end of a word. The index has words with them, so a question looks for a word without its particle.
//! 나, 로 and 도 are particles, and ends of nouns: 알루미나 (alumina), 회로 (circuit), 해상도 (resolution).

use super::found::Found;
use super::grammar::PARTICLES;
use super::terms::Terms;

/// Number of pairs at the end of a run that reach into a particle. At least one pair stays.
pub(super) fn particle_length(terms: Option<&Terms>, question: &str, run: &[Found]) -> usize {
    let (from, to) = (run[0].from as usize, run[run.len() - 1].to as usize);
    let word = &question[from..to];
    if run.len() < 2 || !word.chars().all(|c| ('\u{ac00}'..='\u{d7a3}').contains(&c)) {
        return 0;
    }
    let particle = PARTICLES.iter().find(|particle| word.ends_with(**particle));
    let Some((particle, stem)) = particle.and_then(|end| Some((*end, word.strip_suffix(end)?))) else {
        return 0;
    };
    if terms.is_some_and(|terms| is_of_noun(terms, word, stem)) {
        return 0;
    }
    particle.chars().count().min(run.len() - 1)
}

/// Whether the table has a word with what may be a particle, or a longer end of it than of the word without: 해상도 of 고해상도.
fn is_of_noun(terms: &Terms, word: &str, stem: &str) -> bool {
    let known_end = |word: &str| {
        // One syllable is the end of many words.
        let last = word.char_indices().rev().nth(1)?.0;
        let ends = word.char_indices().map(|(at, _)| at).take_while(|&at| at <= last);
        ends.into_iter().find(|&at| terms.look_up(&word[at..]).term.is_some())
    };
    known_end(word).is_some_and(|from| known_end(stem).is_none_or(|other| from <= other))
}
