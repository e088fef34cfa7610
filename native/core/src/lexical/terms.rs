//! The table of term translations: which words of other languages mean the same.
//!
//! The container is that of a segment's files (`file.rs`). Sections:
//! - `analysis`: the version of the analysis that cut the terms, u32. Another version refuses the
//!   file.
//! - `terms`: terms in the order of their keys, in blocks of `BLOCK`. A term is u8 bytes that it
//!   shares with the term before it (0 for the first of a block), u8 length of the rest, the rest.
//! - `blocks`: where each block begins in `terms`, u32
//! - `senses`: the groups. A group is `number of members × 4 + 2 if its first member is only looked up + 1 if those of one
//!   language are synonyms`, then each member, best first within a language: `number of the term × 8 + language`. Numbers are
//!   LEB128.
//! - `asked`: the terms that are only looked up, ascending, u32
//!
//! A term is what the analysis makes of it: stems with spaces between them, or the normalised
//! characters of other scripts. Its key is the term without spaces, so that terms meet in any
//! spacing. English terms with the same stem, such as `elevator` and `elevation`, are also members as they are written,
//! before stems are taken. models/terms/README.md is the card of the table.

#[cfg(test)]
mod tests;
mod write;

pub use write::{write, Group};

use super::analysis::{FRENCH_STEM, GERMAN_STEM, VERSION};
use crate::file::Container;
use crate::{Error, Result};
use std::cmp::Ordering;
use std::path::Path;

/// Terms of a block, which are read one after another.
const BLOCK: usize = 16;
/// Longest term in bytes, of the file and of a search.
pub const LONGEST: usize = 120;

/// The languages of the table, by their number in a group. Formulae are of all languages.
pub const LANGUAGES: [&str; 7] = ["en", "ko", "ja", "zh", "fr", "formula", "de"];

const ENGLISH: u8 = 0;
/// The bit of formulae among those of the languages.
const FORMULA: u8 = 1 << 5;
/// Instead of a language: an English term as it is written. It is only looked up, and translates nothing.
const WRITTEN: u8 = 7;

/// A term of a group: its number in the order of the table, and its language or `WRITTEN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    term: u32,
    language: u8,
}

/// What the table says about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The term that the text is.
    pub term: Option<u32>,
    /// Whether longer terms begin with the text.
    pub begins: bool,
}

/// An open table.
#[derive(Default)]
pub struct Terms {
    /// The terms one after another, in the order of their keys, and where each ends. Without blocks to unpack,
    /// translating a question takes two thirds of the time.
    texts: String,
    ends: Vec<u32>,
    /// The members of each group, one after another, and where each group begins.
    members: Vec<Member>,
    groups: Vec<u32>,
    /// Whether the members of each group that are of one language are synonyms.
    synonyms: Vec<bool>,
    /// Whether the first member of each group is only looked up.
    one_way: Vec<bool>,
    /// The groups of each term, one after another, and where those of a term begin.
    held: Vec<u32>,
    holding: Vec<u32>,
    /// Terms that are only looked up, ascending.
    asked: Vec<u32>,
    /// French terms with accents, in the order of their keys without accents.
    accented: Vec<u32>,
}

impl Terms {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Container::open(path)?;
        file.verify_all()?;
        let version = file.numbers::<u32>("analysis")?.first().copied();
        if version != Some(VERSION) {
            let message = "the table of terms was made for another analysis; run the example pack_terms";
            return Err(Error::corrupt(path, message));
        }
        let mut terms = Terms { asked: file.numbers::<u32>("asked")?.to_vec(), ..Terms::default() };
        let blocks = file.numbers::<u32>("blocks")?;
        let read = terms
            .read_texts(file.section("terms")?, blocks)
            .and_then(|()| terms.read_groups(file.section("senses").ok()?));
        read.ok_or_else(|| Error::corrupt(path, "the table of terms is damaged"))?;
        terms.accented = terms.accented();
        Ok(terms)
    }

    fn accented(&self) -> Vec<u32> {
        // French terms follow each other: their keys begin with the mark.
        let first = self.place_of(FRENCH_STEM.encode_utf8(&mut [0; 4]));
        let french = (first..self.ends.len() as u32).take_while(|&n| self.text(n).starts_with(FRENCH_STEM));
        let accented = french.filter(|&n| !self.text(n).is_ascii());
        let mut keyed: Vec<(String, u32)> =
            accented.map(|n| (unaccented(self.text(n)).collect(), n)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, n)| n).collect()
    }

    /// Reads the terms; `None` if a block is damaged.
    fn read_texts(&mut self, bytes: &[u8], blocks: &[u32]) -> Option<()> {
        let mut text = Vec::with_capacity(LONGEST);
        for (n, &from) in blocks.iter().enumerate() {
            let is_last = n + 1 == blocks.len();
            let end = if is_last { bytes.len() } else { blocks[n + 1] as usize };
            let mut rest = bytes.get(from as usize..end)?;
            let mut count = 0;
            text.clear();
            while let [shared, length, tail @ ..] = rest {
                let (own, after) = tail.split_at_checked(*length as usize)?;
                if *shared as usize > text.len() {
                    return None;
                }
                text.truncate(*shared as usize);
                text.extend_from_slice(own);
                self.texts.push_str(std::str::from_utf8(&text).ok()?);
                self.ends.push(u32::try_from(self.texts.len()).ok()?);
                (rest, count) = (after, count + 1);
            }
            if !rest.is_empty() || count != BLOCK && !is_last {
                return None;
            }
        }
        Some(())
    }

    /// Reads the groups, and checks every number in them once.
    fn read_groups(&mut self, mut bytes: &[u8]) -> Option<()> {
        let count = self.ends.len();
        while !bytes.is_empty() {
            self.groups.push(self.members.len() as u32);
            let head = leb128(&mut bytes)?;
            self.synonyms.push(head & 1 == 1);
            self.one_way.push(head & 2 == 2);
            for _ in 0..head >> 2 {
                let number = leb128(&mut bytes)?;
                let member = Member { term: number >> 3, language: (number & 7) as u8 };
                if member.term as usize >= count || member.language > WRITTEN {
                    return None;
                }
                self.members.push(member);
            }
        }
        self.groups.push(self.members.len() as u32);
        self.holding = vec![0; count + 1];
        self.members.iter().for_each(|member| self.holding[member.term as usize + 1] += 1);
        for n in 0..count {
            self.holding[n + 1] += self.holding[n];
        }
        let mut next = self.holding.clone();
        self.held = vec![0; self.members.len()];
        for (group, range) in self.groups.windows(2).enumerate() {
            for member in &self.members[range[0] as usize..range[1] as usize] {
                let place = &mut next[member.term as usize];
                self.held[*place as usize] = group as u32;
                *place += 1;
            }
        }
        Some(())
    }

    /// Number of terms and of groups.
    pub fn size(&self) -> (usize, usize) {
        (self.ends.len(), self.groups.len().saturating_sub(1))
    }

    /// The term of a number.
    pub fn text(&self, term: u32) -> &str {
        let term = term as usize;
        let from = term.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.texts[from..self.ends[term] as usize]
    }

    /// The place of the first term that is not before a key.
    fn place_of(&self, key: &str) -> u32 {
        // Some 18 comparisons.
        let (mut low, mut high) = (0, self.ends.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(self.text(middle), key) {
                Ordering::Less => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// Looks up French stems without spaces, whatever their accents: the terms with accents that they may be, and whether longer
    /// ones begin with them.
    pub fn look_up_unaccented(&self, key: &str) -> (Vec<u32>, bool) {
        let key: String = unaccented(key).collect();
        let first = self.accented.partition_point(|&n| unaccented(self.text(n)).lt(key.chars()));
        let behind = || self.accented[first..].iter().copied();
        let same: Vec<u32> = behind().take_while(|&n| unaccented(self.text(n)).eq(key.chars())).collect();
        let begins = behind().nth(same.len()).is_some_and(|n| {
            let mut characters = unaccented(self.text(n));
            key.chars().all(|c| characters.next() == Some(c))
        });
        (same, begins)
    }

    /// Looks up a text without spaces.
    pub fn look_up(&self, key: &str) -> Lookup {
        let low = self.place_of(key);
        let is_there = |n: u32| (n as usize) < self.ends.len();
        let term = (is_there(low) && compare(self.text(low), key) == Ordering::Equal).then_some(low);
        let next = low + term.is_some() as u32;
        Lookup { term, begins: is_there(next) && begins_with(self.text(next), key) }
    }

    /// The translations of a term and its synonyms, best first, at most `most` of each language. If the term is an English one
    /// as it is written, those of other terms with the same stem are left out.
    pub fn translations(&self, term: u32, most: usize) -> Vec<u32> {
        // One term may belong to two languages.
        let mut terms: Vec<u32> = Vec::new();
        let mut counts = [0; 8];
        for (member, _, _) in self.others(term) {
            let count = &mut counts[member.language as usize];
            if *count < most && !terms.contains(&member.term) {
                terms.push(member.term);
            }
            *count += 1;
        }
        terms
    }

    /// The best translation of a term into each language, by its number in `LANGUAGES`; no synonyms.
    pub fn best_translations(&self, term: u32) -> [Option<&str>; LANGUAGES.len()] {
        let mut best = [const { None }; LANGUAGES.len()];
        for (member, text, is_synonym) in self.others(term) {
            let one = &mut best[member.language as usize];
            if one.is_none() && !is_synonym {
                *one = Some(text);
            }
        }
        best
    }

    /// The translations of a term and its synonyms, best first: each with its text, and whether it is a synonym.
    fn others(&self, term: u32) -> Vec<Other<'_>> {
        let groups =
            &self.held[self.holding[term as usize] as usize..self.holding[term as usize + 1] as usize];
        let members = |group: u32| {
            &self.members[self.groups[group as usize] as usize..self.groups[group as usize + 1] as usize]
        };
        let languages = |group: u32| {
            let own = members(group).iter().filter(|member| member.term == term);
            own.fold(0u8, |own, member| own | 1 << member.language)
        };
        // What is behind the stem of an English term is the term as it is written.
        let is_itself = |all: &[Member], n: usize| {
            all[n].term == term
                || all.get(n + 1).is_some_and(|next| next.language == WRITTEN && next.term == term)
        };
        let is_named = |group: u32| {
            let all = members(group);
            let is_first = |n: usize| !all[..n].iter().any(|other| other.language == all[n].language);
            (0..all.len()).any(|n| all[n].language != WRITTEN && is_itself(all, n) && is_first(n))
        };
        // Groups that have the term as their name come first: `sludge` is a synonym of sediment, too.
        let mut groups: Vec<(bool, u32)> = groups.iter().map(|&group| (is_named(group), group)).collect();
        groups.sort_by_key(|&(is_named, _)| !is_named);
        let own = groups.iter().fold(0, |own, &(_, group)| own | languages(group));
        let is_written = own & 1 << WRITTEN != 0;
        // A formula may be a term of English, too, and still has an English name.
        let own = match own & FORMULA != 0 {
            true => FORMULA,
            false if is_written => own | 1 << ENGLISH,
            false => own,
        };
        let text = self.text(term);
        let mut found: Vec<Other> = Vec::new();
        for (is_named, group) in groups {
            if is_written && languages(group) & !(1 << ENGLISH) == 0 {
                continue;
            }
            let all = members(group);
            let here = languages(group);
            let here = if here & 1 << WRITTEN != 0 { here | 1 << ENGLISH } else { here };
            // The other terms of a group that has the term as its name mean as much as it.
            let before = if is_named { 0 } else { found.len() };
            for (n, &member) in all.iter().enumerate() {
                let is_itself = is_itself(all, n);
                let is_synonym = self.synonyms[group as usize] && here & 1 << member.language != 0;
                let is_own = own & 1 << member.language != 0 && !is_synonym;
                let is_only_asked = n == 0 && self.one_way[group as usize];
                let is_only_asked = is_only_asked || self.asked.binary_search(&member.term).is_ok();
                if member.language == WRITTEN || is_itself || is_own || is_only_asked {
                    continue;
                }
                let other = self.text(member.term);
                if !is_synonym || !holds(other, text) {
                    add_candidate((member, other, is_synonym), &mut found, before);
                }
            }
        }
        found
    }
}

/// A translation or synonym: its place in the table, its text, and whether it is a synonym.
type Other<'a> = (Member, &'a str, bool);

/// Adds a translation to those found before. Of two of one language of which one contains the other, only the shorter stays, at
/// the place of the first: documents with the longer one hold it, too. But a shorter one than one of the first `before` is wider
/// than these, such as 渗透 (osmosis) beside 反渗透 (reverse osmosis), and is left out.
fn add_candidate<'a>((member, text, is_synonym): Other<'a>, found: &mut Vec<Other<'a>>, before: usize) {
    let is_near = |other: &Member| other.language == member.language;
    let is_known = |(n, (other, own, _)): (usize, &Other)| {
        is_near(other) && (holds(text, own) || n < before && holds(own, text))
    };
    if found.iter().enumerate().any(is_known) {
        return;
    }
    let place = found.iter().position(|(other, longer, _)| is_near(other) && holds(longer, text));
    found.retain(|(other, longer, _)| !is_near(other) || !holds(longer, text));
    found.insert(place.unwrap_or(found.len()), (member, text, is_synonym));
}

/// Whether every document that holds `term` also holds `other`: the words of `other` are among those of `term`, or its
/// characters, if the script has no spaces.
fn holds(term: &str, other: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| c == ' ');
    term.match_indices(other).any(|(at, _)| {
        !other.is_ascii() && !other.starts_with([GERMAN_STEM, FRENCH_STEM])
            || is_end(term[..at].chars().next_back()) && is_end(term[at + other.len()..].chars().next())
    })
}

/// The characters of a French term without spaces and accents.
fn unaccented(term: &str) -> impl Iterator<Item = char> + '_ {
    term.chars().filter(|&c| c != ' ').flat_map(|c| {
        let (first, second) = match c {
            'à' | 'â' | 'ä' => ('a', None),
            'é' | 'è' | 'ê' | 'ë' => ('e', None),
            'î' | 'ï' => ('i', None),
            'ô' | 'ö' => ('o', None),
            'ù' | 'û' | 'ü' => ('u', None),
            'ÿ' => ('y', None),
            'ç' => ('c', None),
            'œ' => ('o', Some('e')),
            'æ' => ('a', Some('e')),
            _ => (c, None),
        };
        std::iter::once(first).chain(second)
    })
}

fn compare(term: &str, key: &str) -> Ordering {
    term.bytes().filter(|&byte| byte != b' ').cmp(key.bytes())
}

fn begins_with(term: &str, key: &str) -> bool {
    let mut bytes = term.bytes().filter(|&byte| byte != b' ');
    key.bytes().all(|byte| bytes.next() == Some(byte))
}

fn leb128(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..32).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
