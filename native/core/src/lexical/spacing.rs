//! Korean words in any spacing: `무선충전` is also written `무선 충전`, and `스마트 폰` `스마트폰`.
//!
//! A space takes no position. So the pairs 무선 and 충전, two positions apart, are found in both spellings; only the pair
//! 선충 between them is not. A phrase that leaves out pairs whose characters other pairs have means the same characters
//! in any spacing.

use super::index::Phrase;

/// Characters of a word that may be written as two, at least.
const LEAST: usize = 4;

/// The phrase without the pairs over which texts may put a space: groups of two characters, and one group of three, at the
/// beginning or at the end, if their number is odd. A word of six may also be two of three. A phrase without a Korean word of four
/// characters or more is returned as it is.
pub(super) fn spacings(phrase: Phrase) -> Vec<Phrase> {
    if runs_of(&phrase).all(|(_, pairs)| pairs + 1 < LEAST) {
        return vec![phrase];
    }
    let mut found: Vec<Phrase> = Vec::new();
    for three_first in [true, false] {
        let mut kept = vec![true; phrase.terms.len()];
        for (at, pairs) in runs_of(&phrase).filter(|(_, pairs)| pairs + 1 >= LEAST) {
            let mut place = 0;
            for group in groups(pairs + 1, three_first) {
                place += group;
                if place <= pairs {
                    kept[at + place - 1] = false;
                }
            }
        }
        let terms = phrase.terms.iter().zip(kept).filter(|(_, kept)| *kept).map(|(term, _)| term.clone());
        let spaced = Phrase { terms: terms.collect() };
        if !found.contains(&spaced) {
            found.push(spaced);
        }
    }
    found
}

/// A text without the spaces before Korean words of one syllable, which are not found within a longer word: 스마트 폰 becomes 스마트폰.
/// `None` if it has no such word behind another Korean word.
pub(super) fn with_joined_syllables(text: &str) -> Option<String> {
    let is_single = |word: &str| word.chars().count() == 1 && word.chars().all(is_syllable);
    let mut joined = String::new();
    let mut is_other = false;
    for word in text.split_whitespace() {
        let follows = joined.ends_with(is_syllable) && is_single(word);
        is_other |= follows;
        if !follows && !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    is_other.then_some(joined)
}

/// Whether a character is a whole syllable of Hangul.
fn is_syllable(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Lengths of the groups of a word.
fn groups(characters: usize, three_first: bool) -> Vec<usize> {
    match (characters, three_first) {
        (6, true) => vec![3, 3],
        (n, true) if n % 2 == 1 => [vec![3], vec![2; n / 2 - 1]].concat(),
        (n, false) if n % 2 == 1 => [vec![2; n / 2 - 1], vec![3]].concat(),
        (n, _) => vec![2; n / 2],
    }
}

/// Where each run of pairs of Hangul that share their characters begins in a phrase, and its number of pairs.
fn runs_of(phrase: &Phrase) -> impl Iterator<Item = (usize, usize)> + '_ {
    let terms = &phrase.terms;
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = (at..terms.len()).find(|&n| is_hangul_pair(&terms[n].1))?;
        let follows = |n: usize| terms[n].0 == terms[n - 1].0 + 1 && is_hangul_pair(&terms[n].1);
        at = (from + 1..terms.len()).find(|&n| !follows(n)).unwrap_or(terms.len());
        Some((from, at - from))
    })
}

/// Whether a term is two characters of Hangul.
pub(super) fn is_hangul_pair(term: &str) -> bool {
    term.chars().count() == 2 && term.chars().all(is_syllable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(word: &str) -> Vec<String> {
        let characters: Vec<char> = word.chars().collect();
        let terms = (0..).zip(characters.windows(2).map(|pair| pair.iter().collect())).collect();
        let shown = |phrase: Phrase| {
            phrase.terms.iter().map(|(at, term)| format!("{at}{term}")).collect::<Vec<_>>().join(" ")
        };
        spacings(Phrase { terms }).into_iter().map(shown).collect()
    }

    #[test]
    fn pairs_at_a_possible_space_are_left_out() {
        assert_eq!(shown("분리막"), ["0분리 1리막"]);
        assert_eq!(shown("무선충전"), ["0무선 2충전"]);
        assert_eq!(shown("스마트워치"), ["0스마 1마트 3워치", "0스마 2트워 3워치"]);
        assert_eq!(shown("리튬이온전지"), ["0리튬 1튬이 3온전 4전지", "0리튬 2이온 4전지"]);
        assert_eq!(shown("스마트폰케이스"), ["0스마 1마트 3폰케 5이스", "0스마 2트폰 4케이 5이스"]);
        assert_eq!(shown("無線充電"), ["0無線 1線充 2充電"]);
    }

    #[test]
    fn every_character_stays_in_a_pair() {
        for length in 2..30 {
            let word: String = (0..length).map(|n| char::from_u32(0xac00 + n as u32).unwrap()).collect();
            for phrase in shown(&word) {
                assert!(word.chars().all(|c| phrase.contains(c)), "{phrase}");
            }
        }
    }
}
