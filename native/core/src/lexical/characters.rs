//! Normalised characters of a text, each with its place in the text.

use super::han::simplified;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::UnicodeNormalization;

/// Scripts that the analysis treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A letter of a script that separates words by spaces, except Hangul.
    Letter,
    Digit,
    Han,
    Hiragana,
    Katakana,
    Hangul,
    /// A character that may join the parts of a word or number.
    Joiner,
    Other,
}

/// A normalised character, and the bytes of the text that it was made from.
#[derive(Clone, Copy, Debug)]
pub struct Character {
    pub value: char,
    pub class: Class,
    /// Whether the text has it as a capital letter.
    pub capital: bool,
    pub from: u32,
    pub to: u32,
}

pub(super) fn class_of(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '-' | '.' | '+' | '/' | '_' | '&' | '\'' | '\u{2010}'..='\u{2013}' | '\u{2019}' | '\u{2212}' => {
            Class::Joiner
        }
        '\0'..='\u{7f}' => Class::Other,
        '\u{3041}'..='\u{309f}' => Class::Hiragana,
        '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Class::Katakana,
        '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Class::Han,
        '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Han,
        '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7a3}' => Class::Hangul,
        _ if c.is_alphabetic() => Class::Letter,
        _ if c.is_numeric() => Class::Digit,
        _ => Class::Other,
    }
}

/// Whether a character joins the one before it: an accent, a sound mark of half-width kana, a vowel or an end of a syllable of
/// decomposed Hangul, or a character that is not seen.
fn combines(c: char) -> bool {
    let is_known = || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}');
    is_hidden(c) || c >= '\u{300}' && (is_known() || canonical_combining_class(c) != 0)
}

/// Whether a character within a word is not seen: a soft hyphen, a joiner, a mark of direction, or a selector of another shape of the
/// character before it, as in Japanese names. `src/patent/invisible.ts` has the same list.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Whether a character is an accent that no composed letter has: that of `x̄`, and the dot that the `İ` of Turkish names has in lower
/// case. Without it, such a letter does not part its word.
fn is_stray_accent(c: char) -> bool {
    c >= '\u{300}' && class_of(c) == Class::Other && canonical_combining_class(c) != 0
}

/// Puts the characters of a text into `out`: compatibility composition (NFKC), lower case,
/// simplified forms of Han characters.
pub fn normalise(text: &str, out: &mut Vec<Character>) {
    out.clear();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let follows_ascii = bytes.get(at + 1).is_none_or(|next| next.is_ascii());
        if byte.is_ascii() && follows_ascii {
            let value = byte.to_ascii_lowercase() as char;
            let (from, to) = (at as u32, at as u32 + 1);
            out.push(Character {
                value,
                class: class_of(value),
                capital: byte.is_ascii_uppercase(),
                from,
                to,
            });
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let mut length = rest.chars().next().map_or(1, char::len_utf8);
        for c in rest[length..].chars().take_while(|&c| combines(c)).take(8) {
            length += c.len_utf8();
        }
        push_cluster(&rest[..length], at, out);
        at += length;
    }
}

fn push_cluster(cluster: &str, at: usize, out: &mut Vec<Character>) {
    let (from, to) = (at as u32, (at + cluster.len()) as u32);
    for c in cluster.nfkc().filter(|&c| !is_hidden(c)) {
        let c = match class_of(c) {
            Class::Han => simplified(c),
            _ => c,
        };
        for value in c.to_lowercase().filter(|&value| !is_stray_accent(value)) {
            let class = class_of(value);
            out.push(Character { value, class, capital: c.is_uppercase(), from, to });
        }
    }
}
