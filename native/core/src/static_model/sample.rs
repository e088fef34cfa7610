//! A small model for tests, written without the packer: a table of characters from the Unicode
//! crate and the simplest possible trie. It tests the reader and the format independently of the
//! packer.

use crate::file::{bytes_of, Writer};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::UnicodeNormalization;

pub const DIMENSIONS: usize = 64;
pub const LATIN: u32 = 1;
const MARK: &str = "\u{2581}";

/// Separators 0, Latin 1, Hangul 2, Han 3, kana 4, digits 5.
pub fn class_of(c: char) -> u32 {
    match c {
        'a'..='z' | '\u{df}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{370}'..='\u{3ff}' => LATIN,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => 2,
        '\u{4e00}'..='\u{9fff}' => 3,
        '\u{3041}'..='\u{30ff}' => 4,
        '0'..='9' => 5,
        _ => 0,
    }
}

/// Characters that the sample treats as unassigned.
pub fn is_dropped(c: char) -> bool {
    c.is_control()
        || c == '\u{fffd}'
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
        || !(c as u32 <= 0x1_0000
            || (0x2_0000..0x2_a000).contains(&(c as u32))
            || (0x1_d400..0x1_d800).contains(&(c as u32)))
}

/// The definition of normalisation, as simple as possible.
pub fn normalised(text: &str) -> String {
    let known: String = text.chars().map(|c| if is_dropped(c) { ' ' } else { c }).collect();
    known.nfkc().flat_map(char::to_lowercase).collect()
}

fn table() -> (Vec<u16>, Vec<u32>, Vec<u8>) {
    let (mut blocks, mut entries, mut text) = (Vec::new(), Vec::new(), Vec::new());
    let mut known: HashMap<Vec<u32>, u16> = HashMap::new();
    for at in (0..0x110000u32).step_by(256) {
        let block: Vec<u32> =
            (at..at + 256).map(|code| entry(char::from_u32(code).unwrap_or(' '), &mut text)).collect();
        let next = known.len() as u16;
        let number = *known.entry(block.clone()).or_insert(next);
        if number == next {
            entries.extend(block);
        }
        blocks.push(number);
    }
    (blocks, entries, text)
}

fn entry(c: char, text: &mut Vec<u8>) -> u32 {
    let folded = normalised(&c.to_string());
    let first = c.to_string().nfkd().next().unwrap();
    // Characters at the end of a two-character composition, found by trying the common starters.
    let drawn = matches!(first, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{9be}' | '\u{9d7}' | '\u{b3e}' | '\u{b56}' | '\u{b57}' | '\u{bbe}' | '\u{bd7}' | '\u{cc2}' | '\u{cd5}' | '\u{cd6}' | '\u{d3e}' | '\u{d57}' | '\u{dcf}' | '\u{ddf}' | '\u{102e}' | '\u{1b35}');
    let combines =
        if !is_dropped(c) && (canonical_combining_class(first) != 0 || drawn) { 1 << 27 } else { 0 };
    let mut chars = folded.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => only as u32 | class_of(only) << 21 | combines,
        _ => {
            let at = text.len() as u32;
            text.push(folded.len() as u8);
            text.extend_from_slice(folded.as_bytes());
            at | 1 << 26 | combines
        }
    }
}

/// A trie in which every node has a block of 256 units of its own.
fn trie(pieces: &[String]) -> Vec<u32> {
    let mut nodes: Vec<(BTreeMap<u8, usize>, Option<u32>)> = vec![Default::default()];
    for (id, piece) in pieces.iter().enumerate() {
        let mut at = 0;
        for &byte in piece.as_bytes() {
            let next = nodes.len();
            at = *nodes[at].0.entry(byte).or_insert(next);
            if at == next {
                nodes.push(Default::default());
            }
        }
        nodes[at].1 = Some(id as u32);
    }
    // The root is at 0 and its children in the block after it; the children of node n are in block
    // n + 1.
    let mut units = vec![0u32; (nodes.len() + 1) * 256];
    let mut place = vec![0usize; nodes.len()];
    for (n, (children, id)) in nodes.iter().enumerate() {
        let base = (n + 1) * 256;
        units[place[n]] |= (base as u32) << 9 | u32::from(id.is_some()) << 8;
        if let Some(id) = id {
            units[base] = 1 << 31 | id;
        }
        for (&byte, &child) in children {
            place[child] = base ^ byte as usize;
            units[place[child]] = byte as u32;
        }
    }
    units
}

pub struct Sample {
    pub pieces: Vec<String>,
    pub scores: Vec<i32>,
    pub rows: Vec<i8>,
    pub scales: Vec<f32>,
    pub weights: Vec<f32>,
    pub unknown: i32,
}

impl Sample {
    pub fn new(pieces: &[(&str, i32)]) -> Self {
        let n = pieces.len();
        Sample {
            pieces: pieces.iter().map(|(piece, _)| piece.replace('_', MARK)).collect(),
            scores: pieces.iter().map(|(_, score)| *score).collect(),
            rows: (0..n * DIMENSIONS).map(|at| (at * 7919 % 255) as u8 as i8).collect(),
            scales: (0..n).map(|id| 0.001 * (id + 1) as f32).collect(),
            weights: (0..n).map(|id| 1.0 / (id + 1) as f32).collect(),
            unknown: -20_000,
        }
    }

    pub fn write(&self, path: &Path) {
        let (blocks, entries, text) = table();
        let mut out = Writer::create(path).unwrap();
        out.section("config", br#"{"name":"sample"}"#).unwrap();
        out.section("settings", bytes_of(&[DIMENSIONS as i32, self.unknown, 1 << LATIN])).unwrap();
        out.section("word_start", MARK.as_bytes()).unwrap();
        out.section("characters.blocks", bytes_of(&blocks)).unwrap();
        out.section("characters.entries", bytes_of(&entries)).unwrap();
        out.section("characters.text", &text).unwrap();
        out.section("trie", bytes_of(&trie(&self.pieces))).unwrap();
        out.section("scores", bytes_of(&self.scores)).unwrap();
        out.section("rows", bytes_of(&self.rows)).unwrap();
        out.section("scales", bytes_of(&self.scales)).unwrap();
        out.section("weights", bytes_of(&self.weights)).unwrap();
        out.finish().unwrap();
    }

    /// Ids of a text by trying every segmentation of each run: the definition, for short runs.
    pub fn ids(&self, text: &str) -> Vec<u32> {
        let mut out = Vec::new();
        let mut run: Vec<char> = Vec::new();
        let mut current = 0;
        for c in normalised(text).chars().chain([' ']) {
            let class = class_of(c);
            if class != current {
                if !run.is_empty() {
                    out.extend(self.best(&run).1);
                }
                run.clear();
                current = class;
                if class == LATIN {
                    run.extend(MARK.chars());
                }
            }
            if class != 0 {
                run.push(c);
            }
        }
        out
    }

    /// Score and pieces of the best segmentation. At equal scores, the longer last piece wins.
    fn best(&self, run: &[char]) -> (i64, Vec<u32>) {
        let mut best: Vec<(i64, Vec<u32>)> = vec![(0, Vec::new())];
        for end in 1..=run.len() {
            let mut found: Option<(i64, Vec<u32>)> = None;
            for start in 0..end {
                let part: String = run[start..end].iter().collect();
                let piece = self.pieces.iter().position(|p| *p == part);
                let (score, id) = match piece {
                    Some(id) => (self.scores[id] as i64, Some(id as u32)),
                    None if end - start == 1 => (self.unknown as i64, None),
                    None => continue,
                };
                let total = best[start].0 + score;
                if found.as_ref().is_none_or(|(other, _)| total > *other) {
                    let ids = best[start].1.iter().copied().chain(id).collect();
                    found = Some((total, ids));
                }
            }
            best.push(found.unwrap());
        }
        best.pop().unwrap()
    }
}
