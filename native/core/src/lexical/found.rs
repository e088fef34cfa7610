//! The terms of a question or of another text, owned.

use super::analysis::{Kind, Language};
use super::index::Phrase;

/// A term of the question, owned.
#[derive(PartialEq, Eq)]
pub(super) struct Found {
    pub text: String,
    pub position: u32,
    pub from: u32,
    pub to: u32,
    pub kind: Kind,
}

/// How the words of a text may be stemmed: a short text does not tell its language.
pub(super) const LANGUAGES: [Language; 4] =
    [Language::Other, Language::English, Language::German, Language::French];

/// Whether a question has at most `SHORT_QUESTION` characters.
pub(super) fn is_short(question: &str) -> bool {
    question.chars().nth(SHORT_QUESTION).is_none()
}

/// Characters of a question, at most, in whose compounds known words are looked for, and pairs of words. In a long text the
/// other words say enough.
const SHORT_QUESTION: usize = 60;

/// Characters of a word that is found as a phrase, at most. Longer runs without spaces are phrases
/// of several words.
pub(super) const LONGEST_WORD: usize = 12;

/// All terms of a text at their distances; codes as a whole, or by their parts if they have any.
pub(super) fn phrase_of(terms: &[Found], codes: Kind) -> Phrase {
    let terms = || terms.iter().filter(|term| !matches!(term.kind, Kind::Piece | Kind::Written));
    let has_parts = |term: &Found| {
        terms().any(|part| part.kind == Kind::Part && part.from >= term.from && part.to <= term.to)
    };
    let kept = terms().filter(|term| match term.kind {
        Kind::Code => codes == Kind::Code || !has_parts(term),
        Kind::Part => codes == Kind::Part,
        _ => true,
    });
    let kept: Vec<_> = kept.collect();
    let first = kept.first().map_or(0, |term| term.position);
    Phrase { terms: kept.into_iter().map(|term| (term.position - first, term.text.clone())).collect() }
}

/// Number of terms of the word that begins a list: a code with its parts, or the pairs of a run.
pub(super) fn length_of_word(terms: &[Found]) -> usize {
    let first = &terms[0];
    let rest = &terms[1..];
    1 + match first.kind {
        Kind::Code => rest.iter().take_while(|term| term.kind == Kind::Part && term.from < first.to).count(),
        Kind::Pair => rest
            .iter()
            .zip(terms)
            .take_while(|(next, before)| {
                next.kind == Kind::Pair && next.position == before.position + 1 && next.from < before.to
            })
            .count(),
        _ => 0,
    }
}
