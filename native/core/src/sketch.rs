//! Sketches of documents, from which a search estimates scores without reading vectors: the mean of
//! a document's vectors with four bits a dimension, and two bits a dimension of what each passage
//! differs from that mean (its *residual*). Passages of a document are alike: their residuals have
//! about a fifth of the energy of the vectors, so that few bits say much.
//!
//! All vectors are rotated first (`rotation.rs`), so that every dimension has about the same share
//! of the energy. Sections of a segment:
//!
//! - `sketch.docs`: for each document, the codes of the mean, then `step` and `spread` (f32). A code c
//!   means `step * (c - 7.5)`. `spread` is the root mean square of the lengths of the residuals to this decoded mean, or the length of
//!   the longest if that is much more (`write.rs`).
//! - `sketch.rows`: for each document, the codes of its passages, then a factor (f16) for each
//!   passage. A code c means `c - 1.5`.
//!
//! 32 bytes hold the codes of 64 dimensions of a mean, or of 128 of a residual: byte j has dimension
//! j in its lowest bits, then 32 + j, 64 + j, 96 + j. Dimensions are padded to a multiple of 128.
//!
//! The estimate of a passage is that of extended RaBitQ (Gao et al., SIGMOD 2025): `query·mean +
//! factor · query·codes`, where factor is `|r|² / r·codes` of the residual r. It has no bias, and its
//! error is known: see `ERROR`. If a document has one passage, step and factor are fitted together
//! (`write.rs`).

mod probe;
mod products;
mod rotation;
mod write;

pub use probe::{Estimates, Probe};
pub use write::{SketchBuilder, Sketched};

use half::f16;
use std::ops::Range;

/// The version of the format. Sketches of other versions are not used; `check --repair` makes new
/// ones.
pub const VERSION: u32 = 1;

/// Bytes of codes that are read together. They hold `BLOCK * 8 / bits` dimensions.
const BLOCK: usize = 32;
/// Bits of a code of a mean, and of a residual.
const MEAN_BITS: usize = 4;
const ROW_BITS: usize = 2;
/// What the codes have in common with numbers: this code would mean 0.
const MEAN_MIDDLE: f32 = 7.5;
const ROW_MIDDLE: f32 = 1.5;
/// Bytes of `step` and `spread`, and of a factor.
const DOC_FACTS: usize = 8;
const FACTOR: usize = 2;
/// Root mean square of the components of a residual, as a multiple of the factor: `r·codes / |r|` for components of a normal
/// distribution and a step of their root mean square, φ(0) + 2 φ(1).
const LENGTH: f32 = 0.883;

/// Lengths of the records for a number of dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    dimensions: usize,
    /// Dimensions, padded to whole blocks.
    width: usize,
}

impl Layout {
    pub fn of(dimensions: usize) -> Self {
        Layout { dimensions, width: dimensions.next_multiple_of(BLOCK * 8 / ROW_BITS) }
    }

    fn doc_codes(&self) -> usize {
        self.width * MEAN_BITS / 8
    }

    fn doc(&self) -> usize {
        self.doc_codes() + DOC_FACTS
    }

    fn row_codes(&self) -> usize {
        self.width * ROW_BITS / 8
    }

    fn row(&self) -> usize {
        self.row_codes() + FACTOR
    }
}

/// The sketches of a segment.
#[derive(Clone, Copy)]
pub struct Sketches<'a> {
    layout: Layout,
    docs: &'a [u8],
    rows: &'a [u8],
}

impl<'a> Sketches<'a> {
    /// `None` if the sections do not have the lengths for these numbers of documents and passages.
    pub fn new(dimensions: usize, counts: (usize, usize), docs: &'a [u8], rows: &'a [u8]) -> Option<Self> {
        let layout = Layout::of(dimensions);
        let fits = docs.len() == counts.0 * layout.doc() && rows.len() == counts.1 * layout.row();
        fits.then_some(Sketches { layout, docs, rows })
    }

    /// The records of adjacent documents.
    pub fn docs(&self, ordinals: Range<usize>) -> &'a [u8] {
        let length = self.layout.doc();
        &self.docs[ordinals.start * length..ordinals.end * length]
    }

    /// How far the passages of a document lie from its mean: the root mean square of the lengths of its residuals, or the longest.
    pub fn spread(&self, ordinal: usize) -> f32 {
        spread_of(self.docs(ordinal..ordinal + 1))
    }

    /// The same of each of adjacent documents.
    pub fn spreads(&self, ordinals: Range<usize>) -> impl ExactSizeIterator<Item = f32> + 'a {
        self.docs(ordinals).chunks_exact(self.layout.doc()).map(spread_of)
    }

    /// The record of the passages of a document.
    pub fn rows(&self, rows: Range<usize>) -> &'a [u8] {
        &self.rows[self.bytes_of(rows)]
    }

    /// The bytes of a factor: that of one passage of a document, by its number.
    pub fn factor(&self, rows: Range<usize>, number: usize) -> &'a [u8] {
        let at = rows.len() * self.layout.row_codes() + number * FACTOR;
        &self.rows(rows)[at..at + FACTOR]
    }

    /// About the length of the residual that has a factor, if its document has several passages.
    pub fn length_of(&self, factor: &[u8]) -> f32 {
        LENGTH * (self.layout.dimensions as f32).sqrt() * f16::from_le_bytes([factor[0], factor[1]]).to_f32()
    }

    /// The place of that record in the section.
    pub fn bytes_of(&self, rows: Range<usize>) -> Range<usize> {
        rows.start * self.layout.row()..rows.end * self.layout.row()
    }
}

fn step_of(doc: &[u8]) -> f32 {
    f32_at(doc, doc.len() - DOC_FACTS)
}

fn spread_of(doc: &[u8]) -> f32 {
    f32_at(doc, doc.len() - 4)
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[cfg(test)]
mod tests;
