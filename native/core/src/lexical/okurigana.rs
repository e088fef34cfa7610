//! Japanese words of several scripts. Patents write okurigana in several ways, 切り替え and 切替え and 切替 (switching), and the
//! characters between which kana stand are no words by themselves: 切 of 切り替え, 付 of はんだ付け (soldering).

use super::analysis::Kind;
use super::index::Phrase;
use super::question::{anywhere, is_short, Concept, Found};

/// Characters of kana between those of a compound, at most: the two of 組み合わせ are behind its second character.
const MOST_BETWEEN: usize = 2;
/// How the kana between the characters of a compound end: a verb's form that another verb follows. Particles do not.
const STEMS: &str = "いきぎしじちびみりえけげせぜてねべめれ";
/// Factor on the weight of a character beside kana.
const CHARACTER: f32 = 0.3;

pub(super) fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

fn is_kana(text: &str) -> bool {
    text.chars().all(is_hiragana)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Whether a term is a single character of kana. In a text, the next kana often makes a pair of it: け of 切り替える.
fn is_single_kana(term: &Found) -> bool {
    term.kind == Kind::Pair && is_kana(&term.text) && term.text.chars().nth(1).is_none()
}

/// A phrase without a character of kana at its end or beginning, unless a single character would be left.
pub(super) fn without_okurigana(terms: &[Found]) -> &[Found] {
    let rest = match terms {
        [rest @ .., last] if is_single_kana(last) => rest,
        _ => terms,
    };
    let rest = match rest {
        [first, rest @ ..] if is_single_kana(first) => rest,
        _ => rest,
    };
    let is_word = rest.len() > 1 || rest.iter().any(|term| term.text.chars().nth(1).is_some());
    if is_word {
        rest
    } else {
        terms
    }
}

/// Lowers the weight of single characters beside kana, and adds compounds with kana between two characters, each also without the
/// kana: 切替 for 切り替え. `plain` are the terms of the question.
pub(super) fn join_by_kana(question: &str, plain: &[Found], concepts: &mut Vec<Concept>) {
    let touches = |from: u32, to: u32| {
        let before = question[..from as usize].chars().next_back();
        let behind = question[to as usize..].chars().next();
        [before, behind].into_iter().flatten().any(is_hiragana)
    };
    for concept in concepts.iter_mut() {
        let mut written = question[concept.from as usize..concept.to as usize].chars();
        let is_single = written.next().is_some_and(is_han) && written.next().is_none();
        if is_single && touches(concept.from, concept.to) {
            concept.boost *= CHARACTER;
        }
    }
    if !is_short(question) {
        return;
    }
    for (n, first) in plain.iter().enumerate() {
        let Some(compound) = compound_at(&plain[n..]) else { continue };
        let one = first.text.chars().next_back().filter(|&c| is_han(c));
        let last = compound.last.text.chars().next().filter(|&c| is_han(c));
        let (Some(one), Some(last)) = (one, last) else { continue };
        // The question may have another form of a character, of other bytes.
        let bytes = |term: &Found| question.get(term.from as usize..term.to as usize).unwrap_or_default();
        let from = first.to - bytes(first).chars().next_back().map_or(0, char::len_utf8) as u32;
        let to = compound.last.from + bytes(compound.last).chars().next().map_or(0, char::len_utf8) as u32;
        let kana = compound.between.iter().zip(1..).map(|(kana, at)| (at, kana.text.clone()));
        let apart = (first.text.chars().nth(1).is_none() && compound.last.text.chars().nth(1).is_none())
            .then(|| {
                let far = 1 + compound.characters as u32;
                let terms =
                    std::iter::once((0, one.to_string())).chain(kana).chain([(far, last.to_string())]);
                anywhere(Phrase { terms: terms.collect() }, 1.0)
            });
        let together = anywhere(Phrase::word(&format!("{one}{last}")), 1.0);
        let alternatives: Vec<_> = apart.into_iter().chain([together]).collect();
        if concepts.iter().all(|other| other.alternatives[0] != alternatives[0]) {
            let translations = vec![];
            concepts.push(Concept { from, to, boost: 1.0, is_extra: false, alternatives, translations });
        }
    }
}

/// Kana between two runs of other characters.
struct Compound<'a> {
    between: &'a [Found],
    /// Number of characters between the runs.
    characters: usize,
    /// The first term of the second run.
    last: &'a Found,
}

/// The compound whose first run ends with the term that begins a list.
fn compound_at(terms: &[Found]) -> Option<Compound<'_>> {
    let adjoins =
        |n: usize| terms.get(n).filter(|next| next.kind == Kind::Pair && next.from == terms[n - 1].to);
    let kana = adjoins(1).filter(|kana| is_kana(&kana.text))?;
    let characters = kana.text.chars().count();
    let ends_well = kana.text.chars().next_back().is_some_and(|c| STEMS.contains(c));
    let last = adjoins(2).filter(|last| !is_kana(&last.text))?;
    (terms[0].kind == Kind::Pair && characters <= MOST_BETWEEN && ends_well).then_some(Compound {
        between: &terms[1..2],
        characters,
        last,
    })
}
