//! Tokenizes a text into ids of pieces: unigram segmentation (Kudo 2018) of runs of one character
//! class. Scores are integers, so that sums and ties are the same on every machine.

use super::characters::{Characters, SEPARATOR};
use super::trie::Trie;

/// The sections for tokenizing, borrowed from the file.
#[derive(Clone, Copy)]
pub struct Tokenizer<'a> {
    pub characters: Characters<'a>,
    pub trie: Trie<'a>,
    pub scores: &'a [i32],
    /// Score of a character that is not in the vocabulary.
    pub unknown: i64,
    /// Prefix of every run whose class has its bit set in `marked`.
    pub mark: &'a str,
    pub marked: u32,
}

/// The best segmentation up to a byte: its score, and the start and id of its last piece.
#[derive(Clone, Copy)]
struct End {
    score: i64,
    start: u32,
    piece: u32,
}

const UNREACHED: End = End { score: i64::MIN, start: 0, piece: UNKNOWN };
const UNKNOWN: u32 = u32::MAX;

/// Memory of one thread, reused for every text.
#[derive(Default)]
pub struct Scratch {
    run: Vec<u8>,
    ends: Vec<End>,
}

/// Bytes and entries that are kept after a text; larger buffers are shrunk.
const KEPT: usize = 1 << 16;

impl Tokenizer<'_> {
    /// Appends the ids of a text.
    pub fn ids(&self, text: &str, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Scratch { run, ends } = scratch;
        let mut current = SEPARATOR;
        run.clear();
        self.characters.fold(text, |c, class| {
            if class != current {
                self.segment(run, ends, out);
                run.clear();
                current = class;
                if self.marked >> class & 1 == 1 {
                    run.extend_from_slice(self.mark.as_bytes());
                }
            }
            if class != SEPARATOR {
                let mut bytes = [0; 4];
                run.extend_from_slice(c.encode_utf8(&mut bytes).as_bytes());
            }
        });
        self.segment(run, ends, out);
        run.shrink_to(KEPT);
        ends.shrink_to(KEPT);
    }

    fn segment(&self, run: &[u8], ends: &mut Vec<End>, out: &mut Vec<u32>) {
        if run.is_empty() {
            return;
        }
        ends.clear();
        ends.resize(run.len() + 1, UNREACHED);
        ends[0].score = 0;
        let mut at = 0;
        while at < run.len() {
            let here = ends[at].score;
            let width = width_of(run[at]);
            let mut alone = false;
            // Starts ascend, and only a greater score replaces: the longest piece wins ties.
            self.trie.prefixes(&run[at..], |length, piece| {
                alone |= length == width;
                let score = here + self.scores[piece as usize] as i64;
                let end = &mut ends[at + length];
                if score > end.score {
                    *end = End { score, start: at as u32, piece };
                }
            });
            if !alone && here + self.unknown > ends[at + width].score {
                ends[at + width] = End { score: here + self.unknown, start: at as u32, piece: UNKNOWN };
            }
            at += width;
        }
        let from = out.len();
        while at > 0 {
            let End { start, piece, .. } = ends[at];
            if piece != UNKNOWN {
                out.push(piece);
            }
            at = start as usize;
        }
        out[from..].reverse();
    }
}

/// Bytes of the UTF-8 character that starts with this byte.
#[inline]
fn width_of(first: u8) -> usize {
    match first {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}
