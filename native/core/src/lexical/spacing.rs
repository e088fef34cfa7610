//! Korean words in any spacing: `무선충전` is also written `무선 충전`, and `스마트 폰` `스마트폰`.
//!
//! A space takes no position. So the pairs 무선 and 충전, two positions apart, are found in both spellings; only the pair
//! 선충 between them is not. A phrase that leaves out pairs whose characters other pairs have means the same characters
//! in any spacing. So are katakana words, which a middle dot or a space joins or nothing does: コンピュータシステム, コンピュータ・システム.

use super::analysis::Kind;
use super::characters::{class_of, Class};
use super::found::{Found, LONGEST_WORD};
use super::index::Phrase;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// Characters of a word that may be written as two, at least.
const LEAST: usize = 4;

/// Phrases of one text, at most; fewer for katakana, which seldom has more than two signs within a word.
const MOST: usize = 32;
const MOST_OF_KATAKANA: usize = 12;

/// Syllables behind digits and letters of a text that are spaced in another way, at most.
const MOST_BEHIND: usize = 2;

/// The phrase without the pairs over which texts may put a space: each Korean word of four characters or more in groups of two and
/// three characters, in every way. A text that parts the word into any words of two characters or more holds one of these. A
/// phrase without such a word is returned as it is. Of more than `MOST` ways, some are left out.
pub(super) fn spacings(phrase: Phrase) -> Vec<Phrase> {
    parted(phrase, is_hangul_pair, MOST)
}

/// The same for katakana words of four characters or more. Of more than `MOST_OF_KATAKANA` ways, some are left out, but a text
/// with one sign or space in the word holds one of the others.
pub(super) fn katakana_spacings(phrase: Phrase) -> Vec<Phrase> {
    parted(phrase, is_katakana_pair, MOST_OF_KATAKANA)
}

fn parted(phrase: Phrase, is_pair: fn(&str) -> bool, most: usize) -> Vec<Phrase> {
    let mut ways: Vec<Vec<bool>> = vec![vec![true; phrase.terms.len()]];
    for (at, pairs) in runs_of(&phrase, is_pair).filter(|(_, pairs)| pairs + 1 >= LEAST) {
        let mut next = Vec::new();
        for borders in borders_of(pairs + 1, most) {
            for way in ways.iter().take(most) {
                let mut way = way.clone();
                borders.iter().for_each(|border| way[at + border - 1] = false);
                next.push(way);
            }
        }
        next.truncate(most);
        ways = next;
    }
    let phrase_of = |kept: Vec<bool>| Phrase {
        terms: phrase
            .terms
            .iter()
            .zip(kept)
            .filter(|(_, kept)| *kept)
            .map(|(term, _)| term.clone())
            .collect(),
    };
    ways.into_iter().map(phrase_of).collect()
}

/// Where the groups of two and three characters of a word meet, for each way to make them, at most `most`.
fn borders_of(characters: usize, most: usize) -> Vec<Vec<usize>> {
    // Between them, these two have every border of a word of two parts.
    let every_second = |first: usize| (first..=characters - 2).step_by(2).collect::<Vec<_>>();
    let mut found: Vec<_> =
        [2, 3].map(every_second).into_iter().filter(|borders| !borders.is_empty()).collect();
    let mut begun: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new())];
    while let Some((end, mut borders)) = begun.pop() {
        if found.len() >= most {
            break;
        }
        if end == characters {
            borders.pop();
            if !found.contains(&borders) {
                found.push(borders);
            }
            continue;
        }
        for group in [3, 2] {
            // One character is no group.
            if end + group == characters || end + group + 2 <= characters {
                let mut longer = borders.clone();
                longer.push(end + group);
                begun.push((end + group, longer));
            }
        }
    }
    found
}

/// A text in the other spacings of Korean words whose first syllable stands right behind a digit or letter: 2차 전지 for 2차전지, and
/// 2차전지 for 2차 전지. The syllable is a term of its own if a space is behind it, and else begins a pair. Only the first
/// `MOST_BEHIND` of them are spaced in another way.
pub(super) fn behind_letters(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.nfc().collect();
    let places: Vec<_> =
        (1..characters.len()).filter_map(|at| space_behind(&characters, at)).take(MOST_BEHIND).collect();
    let mut texts = vec![characters];
    // From the last place to the first, so that those to come stay where they are.
    for place in places.into_iter().rev() {
        let others: Vec<_> = texts.iter().map(|own| with_other_space(own, place.clone())).collect();
        texts.extend(others);
    }
    texts.into_iter().skip(1).map(String::from_iter).collect()
}

/// The spaces behind a syllable that stands right behind a digit or letter: none, if the next syllable is right behind it. `None` if
/// it is no such syllable, or no syllable follows.
fn space_behind(characters: &[char], at: usize) -> Option<Range<usize>> {
    let is_behind = matches!(class_of(characters[at - 1]), Class::Letter | Class::Digit);
    let spaces = characters[at + 1..].iter().take_while(|c| c.is_whitespace()).count();
    let end = at + 1 + spaces;
    let follows = characters.get(end).copied().is_some_and(is_syllable);
    (is_behind && is_syllable(characters[at]) && follows).then_some(at + 1..end)
}

/// A text without the spaces of a place, or with a space if it has none.
fn with_other_space(characters: &[char], place: Range<usize>) -> Vec<char> {
    let space: &[char] = if place.is_empty() { &[' '] } else { &[] };
    [&characters[..place.start], space, &characters[place.end..]].concat()
}

/// A text without the spaces before Korean words of one syllable, which are not found within a longer word: 스마트 폰 becomes 스마트폰.
/// `None` if it has no such word behind a Korean word of two syllables or more.
pub(super) fn with_joined_syllables(text: &str) -> Option<String> {
    let text: String = text.nfc().collect();
    let is_single = |word: &str| word.chars().count() == 1 && word.chars().all(is_syllable);
    let mut joined = String::new();
    let mut is_other = false;
    for word in text.split_whitespace() {
        // Behind a word of one syllable, it would be found within any word of the two: 두 개 (two pieces) in 두개골 (skull).
        let follows =
            joined.chars().rev().take(2).filter(|&c| is_syllable(c)).count() == 2 && is_single(word);
        is_other |= follows;
        if !follows && !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    is_other.then_some(joined)
}

/// A Korean character by itself as the end of the word before it: 폰 of 스마트 폰, which texts also write 스마트폰.
pub(super) fn joined_with(question: &str, before: &[Found], single: &Found) -> Option<Phrase> {
    let last = before.last()?;
    let between = question.get(last.to as usize..single.from as usize)?;
    if single.text.chars().nth(1).is_some() || !between.chars().all(char::is_whitespace) {
        return None;
    }
    let joined = format!("{}{}", last.text.chars().nth(1)?, single.text);
    if !is_hangul_pair(&last.text) || !is_hangul_pair(&joined) {
        return None;
    }
    let shares = |n: &usize| before[*n].from < before[n - 1].to && before[n - 1].kind == Kind::Pair;
    let from = (1..before.len()).rev().find(|n| !shares(n)).unwrap_or(0);
    let word = &before[from..];
    if word.len() >= LONGEST_WORD {
        return None;
    }
    let mut terms: Vec<_> = (0..).zip(word.iter().map(|pair| pair.text.clone())).collect();
    terms.push((word.len() as u32, joined));
    Some(Phrase { terms })
}

/// Whether a character is a whole syllable of Hangul.
fn is_syllable(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Where each run of pairs of a script that share their characters begins in a phrase, and its number of pairs.
fn runs_of(phrase: &Phrase, is_pair: fn(&str) -> bool) -> impl Iterator<Item = (usize, usize)> + '_ {
    let terms = &phrase.terms;
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = (at..terms.len()).find(|&n| is_pair(&terms[n].1))?;
        let follows = |n: usize| terms[n].0 == terms[n - 1].0 + 1 && is_pair(&terms[n].1);
        at = (from + 1..terms.len()).find(|&n| !follows(n)).unwrap_or(terms.len());
        Some((from, at - from))
    })
}

/// Whether a term is two characters of Hangul.
fn is_hangul_pair(term: &str) -> bool {
    term.chars().count() == 2 && term.chars().all(is_syllable)
}

/// Whether a term is two characters of katakana.
fn is_katakana_pair(term: &str) -> bool {
    term.chars().count() == 2 && term.chars().all(|c| class_of(c) == Class::Katakana)
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
        assert_eq!(shown("스마트워치"), ["0스마 2트워 3워치", "0스마 1마트 3워치"]);
        assert_eq!(shown("리튬이온전지"), ["0리튬 2이온 4전지", "0리튬 1튬이 3온전 4전지"]);
        let ways = ["0스마 2트폰 4케이 5이스", "0스마 1마트 3폰케 5이스", "0스마 2트폰 3폰케 5이스"];
        assert_eq!(shown("스마트폰케이스"), ways);
        assert_eq!(shown("가나다라마바사아").len(), 4);
        assert_eq!(shown("無線充電"), ["0無線 1線充 2充電"]);
    }

    #[test]
    fn every_character_stays_in_a_pair() {
        for length in 2..30 {
            let word: String = (0..length).map(|n| char::from_u32(0xac00 + n as u32).unwrap()).collect();
            let phrases = shown(&word);
            assert!((1..=MOST).contains(&phrases.len()));
            for phrase in phrases {
                assert!(word.chars().all(|c| phrase.contains(c)), "{phrase}");
            }
        }
    }

    #[test]
    fn any_words_of_two_characters_or_more_are_a_spacing() {
        // Up to fourteen characters there are no more ways than `MOST`.
        for length in 4..=14usize {
            let ways = borders_of(length, MOST);
            for cut in 0u32..1 << (length - 1) {
                let cuts: Vec<usize> = (1..length).filter(|n| cut & 1 << (n - 1) != 0).collect();
                let ends = std::iter::once(&0).chain(&cuts).zip(cuts.iter().chain([&length]));
                if ends.into_iter().all(|(from, to)| to - from >= 2) {
                    assert!(ways.iter().any(|way| cuts.iter().all(|at| way.contains(at))), "{cuts:?}");
                }
            }
        }
    }

    #[test]
    fn any_two_words_are_a_spacing_of_a_longer_one() {
        for length in 4..=60usize {
            let ways = borders_of(length, MOST_OF_KATAKANA);
            assert!(ways.len() <= MOST_OF_KATAKANA);
            for cut in 2..=length - 2 {
                assert!(ways.iter().any(|way| way.contains(&cut)), "{cut} of {length}");
            }
        }
    }

    #[test]
    fn syllables_behind_letters_are_spaced_in_the_other_way() {
        assert_eq!(behind_letters("2차전지"), ["2차 전지"]);
        assert_eq!(behind_letters("X선  검출기"), ["X선검출기"]);
        let both = ["2차전지 4륜 구동", "2차 전지 4륜구동", "2차 전지 4륜 구동"];
        assert_eq!(behind_letters("2차전지 4륜구동"), both);
        assert_eq!(behind_letters("1차전지 2차전지 3차전지 4차전지").len(), 3);
        for text in ["2차", "전지", "2 차전지", "2차, 전지", "電池팩", "", "X"] {
            assert!(behind_letters(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn single_syllables_join_words_and_not_each_other() {
        assert_eq!(with_joined_syllables("스마트 폰").as_deref(), Some("스마트폰"));
        assert_eq!(with_joined_syllables("전고체 전지 셀 구조").as_deref(), Some("전고체 전지셀 구조"));
        let decomposed: String = "스마트 폰".nfd().collect();
        assert_eq!(with_joined_syllables(&decomposed).as_deref(), Some("스마트폰"));
        for text in ["두 개", "이 중", "smart 폰", "스마트폰"] {
            assert_eq!(with_joined_syllables(text), None, "{text}");
        }
    }
}
