//! Writes the table of term translations.

use super::{BLOCK, ENGLISH, LANGUAGES, LONGEST, WRITTEN};
use crate::file::Writer;
use crate::lexical::analysis::{Analyser, Kind, Language, VERSION};
use crate::lexical::characters::{normalise, Class};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

fn push_leb128(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// What the analysis makes of a term; empty if it has no word.
pub(super) fn analysed(analyser: &mut Analyser, language: &str, term: &str) -> String {
    let mut characters = Vec::new();
    normalise(term, &mut characters);
    let has_runs = characters
        .iter()
        .any(|c| matches!(c.class, Class::Han | Class::Hiragana | Class::Katakana | Class::Hangul));
    if has_runs {
        let words: String = characters.iter().map(|c| c.value).collect();
        return joined_words(&words);
    }
    let mut words: Vec<String> = Vec::new();
    analyser.terms(term, Language::of_code(language), |word| {
        if matches!(word.kind, Kind::Word | Kind::Code) {
            words.push(word.text.to_owned());
        }
    });
    words.join(" ")
}

/// Words with spaces between them. A word of one character has no pair, so it has no space before it.
fn joined_words(text: &str) -> String {
    let mut out = String::new();
    let mut last = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !out.is_empty() && length > 1 && last > 1 {
            out.push(' ');
        }
        out.push_str(word);
        last = if length == 1 { last + 1 } else { length };
    }
    out
}

/// Terms that mean the same.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Languages with terms, best first within a language. A language with a question mark: the term is only looked up, in all
    /// groups that hold it.
    pub members: Vec<(String, String)>,
    /// Whether terms of one language mean the same, too. Otherwise they are translations of one word of another language, and
    /// may be of different senses.
    pub synonyms: bool,
    /// Whether the first member is only looked up, and translates nothing: `learning` of `machine learning`.
    pub one_way: bool,
}

/// The keys that several English terms have.
fn ambiguous_stems(analyser: &mut Analyser, groups: &[Group]) -> HashSet<String> {
    let mut written: HashMap<String, String> = HashMap::new();
    let mut ambiguous = HashSet::new();
    let members = groups.iter().flat_map(|group| &group.members);
    for (_, term) in members.filter(|(language, _)| language == LANGUAGES[ENGLISH as usize]) {
        let key = analysed(analyser, "en", term).replace(' ', "");
        let own = analysed(analyser, "", term).replace(' ', "");
        if written.entry(key.clone()).or_insert_with(|| own.clone()) != &own {
            ambiguous.insert(key);
        }
    }
    ambiguous
}

/// Writes a table. The translations of a term are those of its first groups.
///
/// # Errors
///
/// An unknown language, and what writing a file can fail with.
pub fn write(path: &Path, groups: &[Group]) -> Result<(usize, usize)> {
    let mut analyser = Analyser::default();
    let ambiguous = ambiguous_stems(&mut analyser, groups);
    // By key; of two spacings the one with more words, but of a code the one with fewer.
    let mut terms: BTreeMap<String, String> = BTreeMap::new();
    let mut keyed: Vec<(Vec<(String, u8)>, u32)> = Vec::new();
    let mut asked: HashSet<String> = HashSet::new();
    for group in groups {
        let mut members: Vec<(String, u8)> = Vec::new();
        for (language, term) in &group.members {
            let (language, is_asked) =
                language.strip_suffix('?').map_or((&language[..], false), |own| (own, true));
            let number = LANGUAGES.iter().position(|&own| own == language);
            let number = number
                .ok_or_else(|| Error::corrupt(path, format!("a group has the language {language:?}")))?;
            let text = analysed(&mut analyser, language, term);
            let key = text.replace(' ', "");
            if key.is_empty() || text.len() > LONGEST || members.contains(&(key.clone(), number as u8)) {
                continue;
            }
            if is_asked {
                asked.insert(key.clone());
            }
            let held = terms.entry(key.clone()).or_insert_with(|| text.clone());
            let is_code = key.chars().any(char::is_numeric);
            if text.len() != held.len() && (text.len() < held.len()) == is_code {
                *held = text;
            }
            let written = ambiguous.contains(&key).then(|| analysed(&mut analyser, "", term));
            members.push((key, number as u8));
            if let Some(written) = written.filter(|text| number as u8 == ENGLISH && text.len() <= LONGEST) {
                let key = written.replace(' ', "");
                terms.entry(key.clone()).or_insert(written);
                members.push((key, WRITTEN));
            }
        }
        if members.iter().filter(|(_, language)| *language != WRITTEN).count() > 1 {
            keyed.push((members, u32::from(group.one_way) << 1 | u32::from(group.synonyms)));
        }
    }
    let used: HashSet<&String> = keyed.iter().flat_map(|(members, _)| members).map(|(key, _)| key).collect();
    terms.retain(|key, _| used.contains(key));
    let numbers: BTreeMap<&String, u32> = terms.keys().zip(0..).collect();
    let (mut text, mut blocks) = (Vec::new(), Vec::new());
    let mut last = "";
    for (n, term) in terms.values().enumerate() {
        if n % BLOCK == 0 {
            blocks.push(text.len() as u32);
            last = "";
        }
        let shared = term.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        text.extend([shared as u8, (term.len() - shared) as u8]);
        text.extend_from_slice(&term.as_bytes()[shared..]);
        last = term;
    }
    let mut bytes = Vec::new();
    for (members, marks) in &keyed {
        push_leb128(&mut bytes, (members.len() as u32) << 2 | marks);
        for (key, language) in members {
            push_leb128(&mut bytes, numbers[key] << 3 | u32::from(*language));
        }
    }
    let asked: BTreeSet<u32> = asked.iter().filter_map(|key| numbers.get(key).copied()).collect();
    let asked: Vec<u32> = asked.into_iter().collect();
    let mut out = Writer::create(path)?;
    out.section("analysis", &VERSION.to_le_bytes())?;
    out.section("terms", &text)?;
    out.section("blocks", crate::file::bytes_of(&blocks))?;
    out.section("senses", &bytes)?;
    out.section("asked", crate::file::bytes_of(&asked))?;
    out.finish()?;
    Ok((terms.len(), keyed.len()))
}
