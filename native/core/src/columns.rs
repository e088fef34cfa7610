//! Filter columns: a list of values for each document, in one of two forms.
//!
//! A **keyword** column holds strings (country, IPC code, applicant, number …): a sorted
//! dictionary, the terms of each document, and the documents of each term. A prefix is a range of
//! the dictionary, and statistics count without reading strings. A **date** column holds one day
//! number for each document.
//!
//! Sections of a keyword column `c`: `c.term` + `c.term_at` (u32, terms + 1), `c.label` +
//! `c.label_at` (the spelling to show; empty if it equals the term), `c.doc` (u32 term numbers) +
//! `c.doc_at` (u32, documents + 1), `c.post` (u32 documents, ascending) + `c.post_at` (u32, terms +
//! 1). A date column `c` has `c.day` (i32).

use crate::file::{bytes_of, Container, Writer};
use crate::lexical::han::spellings;
use crate::{Error, Result};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// Day number of a document that lacks the date.
pub const NO_DAY: i32 = i32::MIN;

/// Collects one keyword column in memory.
#[derive(Default)]
pub struct KeywordBuilder {
    numbers: HashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
    labels: Vec<Box<str>>,
    doc_terms: Vec<u32>,
    doc_at: Vec<u32>,
}

impl KeywordBuilder {
    pub fn new() -> Self {
        KeywordBuilder { doc_at: vec![0], ..Default::default() }
    }

    /// Adds the terms of the next document, each with the spelling to show. Repeated terms are
    /// stored once.
    pub fn push<'a>(&mut self, terms: impl Iterator<Item = (&'a str, &'a str)>) {
        let start = self.doc_terms.len();
        for (term, label) in terms {
            let number = match self.numbers.get(term) {
                Some(&number) => number,
                None => {
                    let number = self.terms.len() as u32;
                    self.numbers.insert(term.into(), number);
                    self.terms.push(term.into());
                    self.labels.push(label.into());
                    number
                }
            };
            if !self.doc_terms[start..].contains(&number) {
                self.doc_terms.push(number);
            }
        }
        self.doc_at.push(self.doc_terms.len() as u32);
    }

    pub fn write(self, name: &str, out: &mut Writer) -> Result<()> {
        let mut order: Vec<u32> = (0..self.terms.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.terms[a as usize].cmp(&self.terms[b as usize]));
        let mut rank = vec![0u32; order.len()];
        for (place, &number) in order.iter().enumerate() {
            rank[number as usize] = place as u32;
        }
        write_strings(name, "term", order.iter().map(|&n| &*self.terms[n as usize]), out)?;
        let label = |n: u32| match &*self.labels[n as usize] {
            label if label == &*self.terms[n as usize] => "",
            label => label,
        };
        write_strings(name, "label", order.iter().map(|&n| label(n)), out)?;

        let doc_terms: Vec<u32> = self.doc_terms.iter().map(|&n| rank[n as usize]).collect();
        let mut post_at = vec![0u32; order.len() + 1];
        for &term in &doc_terms {
            post_at[term as usize + 1] += 1;
        }
        for i in 1..post_at.len() {
            post_at[i] += post_at[i - 1];
        }
        let mut next = post_at.clone();
        let mut post = vec![0u32; doc_terms.len()];
        for doc in 0..self.doc_at.len() - 1 {
            for &term in &doc_terms[self.doc_at[doc] as usize..self.doc_at[doc + 1] as usize] {
                post[next[term as usize] as usize] = doc as u32;
                next[term as usize] += 1;
            }
        }
        out.section(&format!("{name}.doc"), bytes_of(&doc_terms))?;
        out.section(&format!("{name}.doc_at"), bytes_of(&self.doc_at))?;
        out.section(&format!("{name}.post"), bytes_of(&post))?;
        out.section(&format!("{name}.post_at"), bytes_of(&post_at))
    }
}

fn write_strings<'a>(
    name: &str,
    part: &str,
    strings: impl Iterator<Item = &'a str>,
    out: &mut Writer,
) -> Result<()> {
    let mut at = vec![0u32];
    let mut length = 0u64;
    out.begin(&format!("{name}.{part}"))?;
    for string in strings {
        length += string.len() as u64;
        let end = u32::try_from(length).map_err(|_| {
            Error::Invalid(format!("column {name}: more than 4 GiB of distinct text in one segment"))
        })?;
        out.append(string.as_bytes())?;
        at.push(end);
    }
    out.section(&format!("{name}.{part}_at"), bytes_of(&at))
}

/// Strings stored one after another.
#[derive(Clone, Copy)]
struct Strings<'a> {
    bytes: &'a [u8],
    at: &'a [u32],
}

impl<'a> Strings<'a> {
    fn open(file: &'a Container, name: &str, part: &str) -> Result<Self> {
        let bytes = file.section(&format!("{name}.{part}"))?;
        let at: &[u32] = file.numbers(&format!("{name}.{part}_at"))?;
        let sound = at.first() == Some(&0) && at.last() == Some(&(bytes.len() as u32));
        if !sound {
            return Err(Error::corrupt(file.path(), format!("column {name}: damaged dictionary")));
        }
        Ok(Strings { bytes, at })
    }

    fn len(&self) -> usize {
        self.at.len() - 1
    }

    fn get(&self, i: usize) -> &'a [u8] {
        self.bytes.get(self.at[i] as usize..self.at[i + 1] as usize).unwrap_or(&[])
    }

    /// The first string that is not less than `bound`.
    fn lower_bound(&self, bound: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.get(middle) < bound {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// A keyword column of an open segment.
#[derive(Clone, Copy)]
pub struct Keywords<'a> {
    terms: Strings<'a>,
    labels: Strings<'a>,
    doc_terms: &'a [u32],
    doc_at: &'a [u32],
    post: &'a [u32],
    post_at: &'a [u32],
}

impl<'a> Keywords<'a> {
    pub fn open(file: &'a Container, name: &str) -> Result<Self> {
        let column = Keywords {
            terms: Strings::open(file, name, "term")?,
            labels: Strings::open(file, name, "label")?,
            doc_terms: file.numbers(&format!("{name}.doc"))?,
            doc_at: file.numbers(&format!("{name}.doc_at"))?,
            post: file.numbers(&format!("{name}.post"))?,
            post_at: file.numbers(&format!("{name}.post_at"))?,
        };
        let sound = column.labels.len() == column.terms.len()
            && column.post_at.len() == column.terms.len() + 1
            && column.post.len() == column.doc_terms.len()
            && column.post_at.last() == Some(&(column.post.len() as u32))
            && column.doc_at.last() == Some(&(column.doc_terms.len() as u32));
        if !sound {
            return Err(Error::corrupt(file.path(), format!("column {name}: its parts are inconsistent")));
        }
        Ok(column)
    }

    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    pub fn term(&self, term: u32) -> &'a str {
        std::str::from_utf8(self.terms.get(term as usize)).unwrap_or("\u{fffd}")
    }

    /// The spelling to show.
    pub fn label(&self, term: u32) -> &'a str {
        match self.labels.get(term as usize) {
            b"" => self.term(term),
            label => std::str::from_utf8(label).unwrap_or("\u{fffd}"),
        }
    }

    pub fn of_doc(&self, doc: usize) -> &'a [u32] {
        self.doc_terms.get(self.doc_at[doc] as usize..self.doc_at[doc + 1] as usize).unwrap_or(&[])
    }

    pub fn docs_of(&self, term: u32) -> &'a [u32] {
        let range = self.post_at[term as usize] as usize..self.post_at[term as usize + 1] as usize;
        self.post.get(range).unwrap_or(&[])
    }

    pub fn exact(&self, text: &str) -> Option<u32> {
        let at = self.terms.lower_bound(text.as_bytes());
        (at < self.terms.len() && self.terms.get(at) == text.as_bytes()).then_some(at as u32)
    }

    pub fn prefix(&self, text: &str) -> Range<u32> {
        let from = self.terms.lower_bound(text.as_bytes());
        let mut to = from;
        // Gallops to the end of the run, then bisects: a prefix may match much of the dictionary.
        let mut step = 1;
        while to + step <= self.terms.len() && self.terms.get(to + step - 1).starts_with(text.as_bytes()) {
            to += step;
            step *= 2;
        }
        let mut high = (to + step).min(self.terms.len());
        while to < high {
            let middle = (to + high) / 2;
            if self.terms.get(middle).starts_with(text.as_bytes()) {
                to = middle + 1;
            } else {
                high = middle;
            }
        }
        from as u32..to as u32
    }

    /// Terms that contain the text, by one scan of the dictionary's bytes.
    pub fn containing(&self, text: &str) -> Vec<u32> {
        if text.is_empty() {
            return (0..self.terms.len() as u32).collect();
        }
        let mut found = Vec::new();
        let finder = memchr::memmem::Finder::new(text.as_bytes());
        let mut from = 0;
        while let Some(hit) = finder.find(&self.terms.bytes[from..]) {
            let start = from + hit;
            let term = self.terms.at.partition_point(|&at| at as usize <= start) - 1;
            let end = self.terms.at[term + 1] as usize;
            if start + text.len() <= end {
                found.push(term as u32);
                from = end;
            } else {
                // The match spans two terms and is ignored.
                from = start + 1;
            }
        }
        found
    }
}

/// Look-ups of a text in any form of its Han characters: 電 and 电 are one character. The dictionary holds names as
/// they are written, so the text is looked for in the forms that it has there.
impl Keywords<'_> {
    pub fn exact_in_any_form(&self, text: &str) -> impl Iterator<Item = u32> + '_ {
        self.beginnings(text).into_iter().filter_map(|text| self.exact(&text))
    }

    pub fn prefix_in_any_form(&self, text: &str) -> impl Iterator<Item = u32> + '_ {
        self.beginnings(text).into_iter().flat_map(|text| self.prefix(&text))
    }

    /// The spellings of a text with which terms begin. Piece by piece, so that a long text has no more than the dictionary.
    fn beginnings(&self, text: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        for ways in spellings(text) {
            let longer = found.iter().flat_map(|begun| ways.iter().map(move |way| format!("{begun}{way}")));
            found = longer.filter(|begun| self.begins(begun)).collect();
        }
        found
    }

    /// Whether a term begins with a text.
    fn begins(&self, text: &str) -> bool {
        let at = self.terms.lower_bound(text.as_bytes());
        at < self.terms.len() && self.terms.get(at).starts_with(text.as_bytes())
    }

    /// Terms that contain the text, by a scan of the dictionary's bytes for each form of one of its pieces: its longest one of one
    /// form, or else its character of the fewest.
    pub fn containing_in_any_form(&self, text: &str) -> Vec<u32> {
        let pieces = spellings(text);
        let rank = |at: &usize| (pieces[*at].len(), Reverse(pieces[*at][0].len()));
        let Some(sought) =
            (0..pieces.len()).min_by_key(rank).filter(|_| pieces.len() > 1 || pieces[0].len() > 1)
        else {
            return self.containing(text);
        };
        let (before, after) = (&pieces[..sought], &pieces[sought + 1..]);
        let bytes = self.terms.bytes;
        let mut found = Vec::new();
        for way in &pieces[sought] {
            let finder = memchr::memmem::Finder::new(way);
            let mut from = 0;
            while let Some(hit) = finder.find(&bytes[from..]) {
                let at = from + hit;
                from = at + 1;
                let start = before.iter().rev().try_fold(at, |end, ways| {
                    let way = ways.iter().find(|way| bytes[..end].ends_with(way.as_bytes()))?;
                    Some(end - way.len())
                });
                let end = after.iter().try_fold(at + way.len(), |start, ways| {
                    let way = ways.iter().find(|way| bytes[start..].starts_with(way.as_bytes()))?;
                    Some(start + way.len())
                });
                let (Some(start), Some(end)) = (start, end) else { continue };
                let term = self.terms.at.partition_point(|&at| at as usize <= start) - 1;
                // A match that spans two terms is ignored.
                if end <= self.terms.at[term + 1] as usize {
                    found.push(term as u32);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::han::simplified;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn look_ups_equal_a_linear_search(docs in prop::collection::vec(prop::collection::vec("[ab한电電机機机历歴暦]{0,4}", 0..4), 1..40), text in "[ab한电電機历歴]{0,3}") {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("s");
            let mut builder = KeywordBuilder::new();
            for doc in &docs {
                builder.push(doc.iter().map(|t| (t.as_str(), "label")));
            }
            let mut writer = Writer::create(&path).unwrap();
            builder.write("c", &mut writer).unwrap();
            writer.finish().unwrap();
            let file = Container::open(&path).unwrap();
            let column = Keywords::open(&file, "c").unwrap();
            let matching = |terms: Vec<u32>| {
                let mut hits: Vec<u32> = terms.iter().flat_map(|&t| column.docs_of(t).iter().copied()).collect();
                hits.sort_unstable();
                hits.dedup();
                hits
            };
            let linear = |test: &dyn Fn(&str) -> bool| {
                (0..docs.len() as u32).filter(|&d| docs[d as usize].iter().any(|t| test(t))).collect::<Vec<_>>()
            };
            prop_assert_eq!(matching(column.exact(&text).into_iter().collect()), linear(&|t| t == text));
            prop_assert_eq!(matching(column.prefix(&text).collect()), linear(&|t| t.starts_with(&text)));
            prop_assert_eq!(matching(column.containing(&text)), linear(&|t| t.contains(&text)));
            let plain = |text: &str| text.chars().map(simplified).collect::<String>();
            let wanted = plain(&text);
            prop_assert_eq!(matching(column.exact_in_any_form(&text).collect()), linear(&|t| plain(t) == wanted));
            prop_assert_eq!(matching(column.prefix_in_any_form(&text).collect()), linear(&|t| plain(t).starts_with(&wanted)));
            prop_assert_eq!(matching(column.containing_in_any_form(&text)), linear(&|t| plain(t).contains(&wanted)));
            for (n, doc) in docs.iter().enumerate() {
                let mut here: Vec<_> = column.of_doc(n).iter().map(|&t| column.term(t)).collect();
                let mut expected: Vec<_> = doc.iter().map(String::as_str).collect();
                here.sort_unstable();
                expected.sort_unstable();
                expected.dedup();
                prop_assert_eq!(here, expected);
            }
        }
    }
}
