//! Apostrophes in questions. The index has `l'humidificateur` and `vehicle's` as one term, which has no stem, and their nouns as parts.
//! A question asks for the noun: who writes an article before it means no other word.

use super::found::Found;
use super::readings::is_code;

/// French words that lose their vowel before a word that begins with a vowel.
const ELIDED: [&str; 12] = ["l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu"];
const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{ff07}'];

/// The parts of a word behind an elided article, and before an English `s` of possession; all parts if it has neither.
pub(super) fn noun<'a>(question: &str, parts: &'a [Found]) -> &'a [Found] {
    let has_apostrophe = |pair: &[Found]| {
        let between = question.get(pair[0].to as usize..pair[1].from as usize);
        between.is_some_and(|between| between.strip_prefix(APOSTROPHES) == Some(""))
    };
    let mut noun = parts;
    if let [article, next, ..] = noun {
        let written = question.get(next.from as usize..next.to as usize).unwrap_or_default();
        if ELIDED.contains(&article.text.as_str())
            && has_apostrophe(&noun[..2])
            && may_follow(&next.text, written)
        {
            noun = &noun[1..];
        }
    }
    if let [.., last, possession] = noun {
        // `C's` may be a name.
        let is_long = last.text.chars().nth(1).is_some();
        if possession.text == "s" && is_long && has_apostrophe(&noun[noun.len() - 2..]) {
            noun = &noun[..noun.len() - 1];
        }
    }
    noun
}

/// Whether an elided article may be before a word: one that begins with a vowel or `h`, or an acronym, whose first letter may be
/// spoken like that. The `N` of `N'terminal` is no article.
fn may_follow(word: &str, written: &str) -> bool {
    let is_consonant =
        |c: char| c.is_ascii_lowercase() && !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h');
    word.starts_with(char::is_alphabetic) && (!word.starts_with(is_consonant) || is_code(written))
}

/// What stands between two words, without a possessive `s` of the first and an elided article of the second.
pub(super) fn without_elisions(between: &str) -> &str {
    let behind = between.strip_prefix(APOSTROPHES).and_then(|rest| rest.strip_prefix(['s', 'S']));
    let behind = behind.unwrap_or(between);
    let before = behind.strip_suffix(APOSTROPHES).and_then(|rest| {
        let (before, article) = rest.rsplit_once(char::is_whitespace)?;
        ELIDED.iter().any(|elided| article.eq_ignore_ascii_case(elided)).then_some(before)
    });
    before.unwrap_or(behind)
}
