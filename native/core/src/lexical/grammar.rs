//! Words and endings of questions that say nothing about a subject.

/// English words that say nothing about a subject.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "can", "comprising", "each", "etc", "for",
    "from", "has", "have", "how", "in", "into", "is", "it", "its", "of", "on", "or", "said", "such", "that",
    "the", "their", "this", "to", "used", "using", "what", "when", "where", "wherein", "which", "while",
    "with",
];

/// Those of `ENGLISH` that French or German has, too.
const SHARED: &[&str] = &["a", "an", "as", "etc", "in", "on"];

/// French and German words that say nothing about a subject. English words are among them, `die` and `pour`.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "aux", "au", "avec", "dans", "de", "des", "du", "en", "est", "et", "la", "le", "les", "ou",
    "par", "pour", "que", "qui", "sur", "un", "une", "auf", "bei", "das", "dem", "den", "der", "die", "ein",
    "eine", "einem", "einen", "einer", "für", "im", "ist", "mit", "nach", "oder", "und", "von", "wird",
    "zu", "zum", "zur",
];

/// Those of `FOREIGN` that are nouns or verbs of English patents.
pub(super) const HOMOGRAPHS: &[&str] = &["die", "pour"];

/// Abbreviations of several words that say nothing about a subject, without their full stops.
pub(super) const ABBREVIATIONS: &[&str] = &["eg", "ie", "zb"];

/// Whether a word of a language says nothing about a subject.
pub(super) fn is_stop_word(word: &str) -> bool {
    ENGLISH.contains(&word) || is_foreign(word)
}

/// Whether a word is a stop word of French or German.
pub(super) fn is_foreign(word: &str) -> bool {
    FOREIGN.contains(&word)
}

/// Whether a word is a stop word of English, and of no other language.
pub(super) fn is_of_english(word: &str) -> bool {
    ENGLISH.contains(&word) && !SHARED.contains(&word)
}

/// Endings of Korean words, longest first: particles and the verb endings of questions.
#[rustfmt::skip]
pub(super) const PARTICLES: &[&str] = &[
    "에서의", "으로의", "으로써", "으로서", "에서는", "에게서", "하는", "에서", "에게", "으로", "까지", "부터", "보다", "처럼", "이나", "이란",
    "하여", "되는", "된", "한", "할", "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "나",
];
