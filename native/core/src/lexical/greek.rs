//! Greek letters and their names: `TNF-α`, `TNF-alpha` and `TNF-알파` are spellings of one word.

use super::characters::{normalise, Character, Class};
use super::concept::{Alternative, Concept, PART};
use super::question::Questions;

/// A letter, and its names in Latin script, Hangul and katakana. Names of one syllable are left out: they are ends of other
/// words.
struct Letter {
    letter: char,
    names: [Option<&'static str>; 3],
}

impl Letter {
    fn is(&self, text: &str) -> bool {
        let is_letter = || text.strip_prefix(self.letter).is_some_and(str::is_empty);
        self.names.iter().flatten().any(|name| *name == text) || is_letter()
    }
}

const fn letter(letter: char, latin: &'static str) -> Letter {
    Letter { letter, names: [Some(latin), None, None] }
}

const fn known(letter: char, latin: &'static str, hangul: &'static str, katakana: &'static str) -> Letter {
    Letter { letter, names: [Some(latin), Some(hangul), Some(katakana)] }
}

const LETTERS: [Letter; 23] = [
    known('α', "alpha", "알파", "アルファ"),
    known('β', "beta", "베타", "ベータ"),
    known('γ', "gamma", "감마", "ガンマ"),
    known('δ', "delta", "델타", "デルタ"),
    known('ε', "epsilon", "엡실론", "イプシロン"),
    known('ζ', "zeta", "제타", "ゼータ"),
    known('η', "eta", "에타", "イータ"),
    known('θ', "theta", "세타", "シータ"),
    letter('ι', "iota"),
    known('κ', "kappa", "카파", "カッパ"),
    known('λ', "lambda", "람다", "ラムダ"),
    letter('μ', "mu"),
    letter('ν', "nu"),
    letter('ξ', "xi"),
    letter('π', "pi"),
    letter('ρ', "rho"),
    known('σ', "sigma", "시그마", "シグマ"),
    known('τ', "tau", "타우", "タウ"),
    letter('υ', "upsilon"),
    letter('φ', "phi"),
    letter('χ', "chi"),
    letter('ψ', "psi"),
    known('ω', "omega", "오메가", "オメガ"),
];

/// Bytes of a text whose spellings are looked for, at most.
const LONGEST: usize = 200;
/// Letters and names of a question that are spelled in other ways, at most: the first.
const MOST_PLACES: usize = 50;

/// A piece of a text.
struct Piece {
    text: String,
    /// The Greek letter that it is or names, by its number in `LETTERS`.
    greek: Option<usize>,
    class: Class,
    from: u32,
    to: u32,
}

/// Other spellings of a text whose Greek letters, or names of such, are parts of words: with letters, and with the names of each
/// script. Empty if it has none.
pub(super) fn spellings(text: &str) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let (pieces, joined) = parts_of(text);
    if joined.is_empty() {
        return Vec::new();
    }
    let own = |n: usize| pieces[n].greek.filter(|_| joined.contains(&n)).map(|at| &LETTERS[at]);
    let name = |letter: &Letter, script: Option<usize>| match script {
        Some(script) => letter.names[script].map(str::to_owned),
        None => Some(letter.letter.to_string()),
    };
    let scripts = [None, Some(0), Some(1), Some(2)];
    let spelled = scripts.map(|script| {
        let mut out = String::new();
        for (n, piece) in pieces.iter().enumerate() {
            let is_beside = n > 0 && (own(n).is_some() || own(n - 1).is_some());
            let is_joined = n > 0 && pieces[n - 1].to == piece.from;
            // A hyphen, so that letters of one script do not become one word.
            if is_beside && is_joined && is_word(piece) && is_word(&pieces[n - 1]) {
                out.push('-');
            }
            let other = match own(n) {
                Some(letter) => name(letter, script)?,
                None => piece.text.clone(),
            };
            out.push_str(&other);
        }
        Some(out)
    });
    spelled.into_iter().flatten().collect()
}

/// The bytes of the Greek letters, or names of such, that are parts of words of a text.
pub(super) fn places(text: &str) -> Vec<(u32, u32)> {
    let (pieces, joined) = parts_of(text);
    joined.into_iter().map(|n| (pieces[n].from, pieces[n].to)).collect()
}

/// The pieces of a text, and which of them are Greek letters, or names of such, beside another part of a word.
fn parts_of(text: &str) -> (Vec<Piece>, Vec<usize>) {
    let pieces = pieces_of(text);
    let is_beside = |n: Option<usize>, over: Option<usize>| {
        let piece = |n: Option<usize>| n.and_then(|n| pieces.get(n));
        piece(n).is_some_and(|next| {
            is_word(next) || next.text.chars().all(is_hyphen) && piece(over).is_some_and(is_word)
        })
    };
    let is_part = |&n: &usize| {
        pieces[n].greek.is_some()
            && (is_beside(n.checked_sub(1), n.checked_sub(2)) || is_beside(Some(n + 1), Some(n + 2)))
    };
    let joined = (0..pieces.len()).filter(is_part).collect();
    (pieces, joined)
}

fn is_word(piece: &Piece) -> bool {
    !matches!(piece.class, Class::Joiner | Class::Other)
}

pub(super) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{2013}')
}

/// Runs of one class and script; a name at the beginning or end of a run of Hangul or katakana is a piece by itself.
fn pieces_of(text: &str) -> Vec<Piece> {
    let mut characters = Vec::new();
    normalise(text, &mut characters);
    let mut pieces = Vec::new();
    let continues = |a: &Character, b: &Character| {
        is_greek(a.value) == is_greek(b.value)
            && a.class == b.class
            && !matches!(a.class, Class::Joiner | Class::Other)
    };
    for run in characters.chunk_by(continues) {
        let class = run[0].class;
        let script = match class {
            Class::Hangul => 1,
            Class::Katakana => 2,
            _ => {
                pieces.push(piece_of(text, run));
                continue;
            }
        };
        let run_text: String = run.iter().map(|c| c.value).collect();
        let names = || LETTERS.iter().filter_map(|letter| letter.names[script]);
        let length = |name: Option<&str>| name.map_or(0, |name| name.chars().count());
        let begins = length(names().find(|name| run_text.starts_with(name)));
        let ends = length(names().find(|name| run_text.ends_with(name)));
        let last = if begins + ends <= run.len() { run.len() - ends } else { run.len() };
        let parts = [&run[..begins], &run[begins..last], &run[last..]];
        pieces.extend(parts.into_iter().filter(|part| !part.is_empty()).map(|part| piece_of(text, part)));
    }
    pieces
}

fn piece_of(text: &str, run: &[Character]) -> Piece {
    let (from, to) = (run[0].from, run[run.len() - 1].to);
    let normal: String = run.iter().map(|c| c.value).collect();
    let greek = LETTERS.iter().position(|letter| letter.is(&normal)).filter(|_| !is_unit(text, run));
    Piece { text: text[from as usize..to as usize].to_owned(), greek, class: run[0].class, from, to }
}

/// Whether a letter is a unit: ohm, or the micro of `μm`.
fn is_unit(text: &str, run: &[Character]) -> bool {
    let (first, to) = (&run[0], run[run.len() - 1].to as usize);
    match first.value {
        'ω' => first.capital,
        'μ' => !text[to..].starts_with(is_hyphen),
        _ => false,
    }
}

/// A Greek letter for its name in Latin script, and the other way round.
pub(super) fn in_other_script(word: &str) -> Option<String> {
    let letter = LETTERS.iter().find(|letter| letter.is(word))?;
    match word.is_ascii() {
        true => Some(letter.letter.to_string()),
        false => letter.names[0].filter(|_| word.starts_with(is_greek)).map(str::to_owned),
    }
}

fn is_greek(c: char) -> bool {
    ('\u{370}'..='\u{3ff}').contains(&c)
}

impl Questions {
    /// Adds the other spellings of Greek letters to the words that they are parts of. Scripts part such words: `TNF` and 알파 of
    /// TNF-알파 are concepts, and all of it becomes one.
    pub(super) fn push_spellings(&mut self, question: &str, concepts: &mut Vec<Concept>) {
        for place in places(question).into_iter().take(MOST_PLACES) {
            let holds = |word: &Concept| word.from <= place.0 && place.1 <= word.to;
            let is_longer = |word: &Concept| holds(word) && word.to - word.from > place.1 - place.0;
            let is_in_word = concepts.iter().any(|word| !word.is_extra && is_longer(word));
            let (from, to) = if is_in_word { place } else { with_neighbours(question, place, concepts) };
            if !is_in_word && (from, to) == place {
                continue;
            }
            for word in concepts.iter_mut().filter(|word| is_longer(word)) {
                self.add_spellings(&question[word.from as usize..word.to as usize], &mut word.alternatives);
            }
            // The letter or name says nothing by itself, nor do pairs of characters that hold an end of it.
            concepts.retain(|word| word.to <= place.0 || place.1 <= word.from || is_longer(word));
            if is_in_word {
                continue;
            }
            if let Some(whole) = self.phrase(&question[from as usize..to as usize]) {
                let parts = concepts.iter_mut().filter(|word| from <= word.from && word.to <= to);
                parts.for_each(|word| word.boost *= PART);
                concepts.push(Concept { from, to, ..whole });
            }
        }
    }

    fn add_spellings(&mut self, word: &str, alternatives: &mut Vec<Alternative>) {
        let found = if word.len() <= LONGEST { self.phrase(word) } else { None };
        for other in found.into_iter().flat_map(|found| found.alternatives) {
            if !alternatives.iter().any(|own| own.phrase == other.phrase) {
                alternatives.push(other);
            }
        }
    }
}

/// A place with the words before and behind it that nothing parts from it; with those alone that a hyphen joins to it, if there
/// are any: of 함유β-글루칸 the last.
fn with_neighbours(question: &str, (from, to): (u32, u32), concepts: &[Concept]) -> (u32, u32) {
    let longest = |is_beside: &dyn Fn(&str) -> bool| {
        let is_joined = |a: u32, b: u32| question.get(a as usize..b as usize).is_some_and(is_beside);
        let words = || {
            let is_spaced = |word: &&Concept| !has_han(&question[word.from as usize..word.to as usize]);
            concepts.iter().filter(|word| !word.is_extra).filter(is_spaced)
        };
        let before = words().filter(|word| is_joined(word.to, from)).map(|word| word.from).min();
        let behind = words().filter(|word| is_joined(to, word.from)).map(|word| word.to).max();
        (before.unwrap_or(from), behind.unwrap_or(to))
    };
    let is_one_hyphen = |between: &str| between.chars().count() == 1 && between.chars().all(is_hyphen);
    let joined = longest(&is_one_hyphen);
    if joined == (from, to) {
        longest(&str::is_empty)
    } else {
        joined
    }
}

/// Whether a text has characters of a script whose words nothing parts.
fn has_han(text: &str) -> bool {
    let mut characters = Vec::new();
    normalise(text, &mut characters);
    characters.iter().any(|c| matches!(c.class, Class::Han | Class::Hiragana))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_names_are_spellings_of_one_word() {
        let all = ["TNF-α", "TNF-alpha", "TNF-알파", "TNF-アルファ"];
        for text in all.into_iter().chain(["TNFα", "TNF-Α", "TNF-Alpha", "TNF알파"]) {
            assert_eq!(spellings(text), all, "{text}");
        }
        for text in ["β-글루칸", "베타글루칸", "베타-글루칸", "beta-글루칸"] {
            assert_eq!(spellings(text)[..3], ["β-글루칸", "beta-글루칸", "베타-글루칸"], "{text}");
        }
        assert_eq!(spellings("ω3")[1], "omega-3");
        assert_eq!(spellings("Δ9-THC")[1], "delta-9-THC");
        assert_eq!(spellings("인터페론감마")[0], "인터페론-γ");
        assert_eq!(spellings("α,β-unsaturated acid")[0], "α,β-unsaturated acid");
        assert_eq!(spellings("χ-square").len(), 2);
        // Alone, within a longer word, or of several letters.
        assert_eq!(spellings("μ-opioid")[1], "mu-opioid");
        for text in [
            "10 μm", "5㎛", "µm", "10 kΩ", "5Ω", "alpha", "α", "베타", "alphabet", "TNFalpha", "αβ",
            "a beta b", "", "-α-", "5 α",
        ] {
            assert!(spellings(text).is_empty(), "{text}");
        }
        assert!(spellings(&"α-x ".repeat(90)).is_empty());
        assert_eq!(places("TNF-α x"), [(4, 6)]);
        assert_eq!(in_other_script("β").as_deref(), Some("beta"));
        assert_eq!(in_other_script("beta").as_deref(), Some("β"));
        assert_eq!(in_other_script("베타").or(in_other_script("bet")), None);
    }
}
