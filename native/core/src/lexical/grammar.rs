//! Words and endings of questions that say nothing about a subject.

/// Words that say nothing about a subject.
#[rustfmt::skip]
pub(super) const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "can", "comprising", "each", "for",
    "from", "has", "have", "how", "in", "into", "is", "it", "its", "of", "on", "or", "said", "such", "that",
    "the", "their", "this", "to", "used", "using", "what", "when", "where", "wherein", "which", "while",
    "with", "aux", "au", "avec", "dans", "de", "des", "du", "en", "est", "et", "la", "le", "les", "ou",
    "par", "pour", "que", "qui", "sur", "un", "une", "auf", "bei", "das", "dem", "den", "der", "die", "ein",
    "eine", "einem", "einen", "einer", "für", "im", "ist", "mit", "nach", "oder", "und", "von", "wird",
    "zu", "zum", "zur",
];

/// Endings of Korean words, longest first: particles and the verb endings of questions.
#[rustfmt::skip]
pub(super) const PARTICLES: &[&str] = &[
    "에서의", "으로의", "으로써", "으로서", "에서는", "에게서", "하는", "에서", "에게", "으로", "까지", "부터", "보다", "처럼", "이나", "이란",
    "하여", "되는", "된", "한", "할", "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "나",
];
