//! The static model: every piece of text has a row of numbers, and the vector of a text is the
//! weighted sum of its pieces' rows. No neural network is run, so that a laptop embeds tens of
//! thousands of texts a second.
//!
//! The file is memory-mapped, and shared by all threads. Of the rows, each process has one copy in
//! huge pages. `models/static/FORMAT.md` specifies the format.

mod characters;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
mod tokenizer;
mod trie;

use crate::file::{cast, Container};
use crate::huge::HugeCopy;
use crate::vectors::prefetch;
use crate::{Error, Result};
use characters::Characters;
use std::path::Path;
pub use tokenizer::Scratch;
use tokenizer::Tokenizer;
use trie::Trie;

/// Dimensions that are summed together, so that the sums stay in registers.
const LANES: usize = 64;

/// An open model. The sections were checked against each other when it was opened.
pub struct StaticModel {
    file: Container,
    dimensions: usize,
    pieces: usize,
    unknown: i64,
    marked: u32,
    has_idf: bool,
    /// The rows, which late interaction reads at random places. Without it, they are read from the
    /// file.
    rows: Option<HugeCopy>,
    /// Numbers of each piece that a sum or a comparison needs beside its row.
    numbers: Vec<PieceNumbers>,
}

/// Side by side, so that one access to memory brings both.
#[derive(Clone, Copy)]
struct PieceNumbers {
    /// Factor of the row in a sum: its scale times the weight of the piece.
    factor: f32,
    /// Length of the row without its scale.
    length: f32,
}

impl StaticModel {
    /// Opens a model file, reads all of it, and verifies its checksums: a damaged table would give
    /// wrong vectors without an error.
    pub fn open(path: &Path) -> Result<Self> {
        let file = Container::open(path)?;
        if let Some(range) = file.damaged_blocks().first() {
            return Err(Error::corrupt(
                path,
                format!("checksum of bytes {}..{} does not match", range.start, range.end),
            ));
        }
        let bad = |reason: &str| Error::corrupt(path, reason);
        let settings: &[i32] = file.numbers("settings")?;
        let &[dimensions, unknown, marked] = settings else {
            return Err(bad("section settings has an odd length"));
        };
        let (dimensions, pieces) = (dimensions as usize, file.numbers::<i32>("scores")?.len());
        if dimensions == 0 || dimensions % LANES != 0 || dimensions > 1 << 16 {
            return Err(bad(&format!("got {dimensions} dimensions; expected a multiple of {LANES}")));
        }
        let has_idf = file.has("idf");
        let mut weighing = vec!["scales", "weights"];
        weighing.extend(has_idf.then_some("idf"));
        for name in weighing {
            let numbers: &[f32] = file.numbers(name)?;
            if numbers.len() != pieces || numbers.iter().any(|x| !x.is_finite()) {
                return Err(bad(&format!("section {name} does not match {pieces} pieces")));
            }
        }
        if pieces.checked_mul(dimensions) != Some(file.section("rows")?.len()) {
            return Err(bad(&format!(
                "section rows does not match {pieces} pieces of {dimensions} dimensions"
            )));
        }
        let cohort = if file.has("cohort") { file.section("cohort")?.len() } else { 0 };
        if cohort % dimensions != 0
            || (cohort > 0 && file.numbers::<f32>("cohort_scales")?.len() * dimensions != cohort)
        {
            return Err(bad("section cohort does not match its scales"));
        }
        Characters::of(&file)?.check().ok_or_else(|| bad("the table of characters is inconsistent"))?;
        Trie::of(&file)?.check(pieces).ok_or_else(|| bad("the trie is inconsistent"))?;
        std::str::from_utf8(file.section("word_start")?)
            .map_err(|_| bad("section word_start is not UTF-8"))?;
        std::str::from_utf8(file.section("config")?).map_err(|_| bad("section config is not UTF-8"))?;
        let rows = HugeCopy::of(file.section("rows")?);
        let numbers = numbers_of(&file, dimensions)?;
        if rows.is_some() {
            file.release("rows");
        }
        Ok(StaticModel {
            dimensions,
            pieces,
            unknown: unknown as i64,
            marked: marked as u32,
            has_idf,
            rows,
            numbers,
            file,
        })
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Name of the model in its token bags, since bags of other pieces or rows are of no use: the section `bags`, or the
    /// checksum of the file.
    pub fn bags_name(&self) -> String {
        let stated = self.file.section("bags").ok().and_then(|name| std::str::from_utf8(name).ok());
        stated.map_or_else(|| format!("{:016x}", self.file.checksum()), str::to_owned)
    }

    /// The model's description of itself, JSON.
    pub fn config(&self) -> &str {
        std::str::from_utf8(self.there("config")).unwrap_or("{}")
    }

    /// A section whose presence `open` checked.
    fn there(&self, name: &str) -> &[u8] {
        self.file.section(name).expect("checked when opened")
    }

    fn floats(&self, name: &str) -> &[f32] {
        self.file.numbers(name).expect("checked when opened")
    }

    /// Mean of the `count` largest inner products of a vector with the cohort, vectors of patent
    /// texts in the model file. It measures how much is near a question regardless of its subject.
    /// 0 if the model has no cohort.
    pub fn nearness(&self, vector: &[f32], count: usize) -> f32 {
        if !self.file.has("cohort") || count == 0 || vector.len() != self.dimensions {
            return 0.0;
        }
        let rows: &[i8] = self.file.numbers("cohort").expect("checked when opened");
        let rows = rows.chunks_exact(self.dimensions).zip(self.floats("cohort_scales"));
        let mut found: Vec<f32> = rows.map(|(row, scale)| dot_bytes(row, vector) * scale).collect();
        let count = count.min(found.len());
        found.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
        let best = &mut found[..count];
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.iter().sum::<f32>() / count as f32
    }

    fn rows(&self) -> &[i8] {
        match &self.rows {
            Some(copy) => cast(copy.bytes()).expect("bytes have no alignment"),
            None => self.file.numbers("rows").expect("checked when opened"),
        }
    }

    /// A reader, which tokenizes and embeds texts.
    pub fn reader(&self) -> Reader<'_> {
        let checked = "checked when opened";
        Reader {
            dimensions: self.dimensions,
            tokenizer: Tokenizer {
                characters: Characters::of(&self.file).expect(checked),
                trie: Trie::of(&self.file).expect(checked),
                scores: self.file.numbers("scores").expect(checked),
                unknown: self.unknown,
                mark: std::str::from_utf8(self.there("word_start")).expect(checked),
                marked: self.marked,
            },
            rows: self.rows(),
            numbers: &self.numbers,
            idf: self.floats(if self.has_idf { "idf" } else { "weights" }),
        }
    }
}

/// The sections of a model.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    dimensions: usize,
    tokenizer: Tokenizer<'a>,
    rows: &'a [i8],
    numbers: &'a [PieceNumbers],
    idf: &'a [f32],
}

impl Reader<'_> {
    /// Appends the ids of a text's pieces, in order.
    pub fn ids(&self, text: &str, scratch: &mut Scratch, out: &mut Vec<u32>) {
        self.tokenizer.ids(text, scratch, out);
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The row of a piece, without its scale.
    #[inline]
    pub fn row(&self, id: u32) -> &[i8] {
        &self.rows[id as usize * self.dimensions..][..self.dimensions]
    }

    /// Prefetches the data of a piece.
    #[inline]
    pub fn prefetch(&self, id: u32) {
        prefetch(self.row(id));
        let id = id as usize;
        prefetch(&self.numbers[id..id + 1]);
    }

    pub fn pieces(&self) -> usize {
        self.numbers.len()
    }

    /// Factor of a row in a sum.
    #[inline]
    pub fn factor(&self, id: u32) -> f32 {
        self.numbers[id as usize].factor
    }

    /// Length of a row without its scale.
    #[inline]
    pub fn length(&self, id: u32) -> f32 {
        self.numbers[id as usize].length
    }

    /// Weight of a piece in late interaction.
    pub fn idf(&self, id: u32) -> f32 {
        self.idf[id as usize]
    }

    /// Writes the vector of a text into `out`: the weighted sum of its distinct pieces, normalised
    /// to length 1, or zero if it has no pieces. The sum includes the whole text, in f32 and by
    /// ascending id, so that every machine gives the same bits.
    pub fn embed(&self, text: &str, scratch: &mut Scratch, ids: &mut Vec<u32>, out: &mut [f32]) {
        ids.clear();
        self.ids(text, scratch, ids);
        self.vector(ids, out);
    }

    /// Computes the vector of a text from its pieces, which are sorted. Returns the length of the
    /// sum before normalisation; 0 if the vector is zero.
    pub fn vector(&self, ids: &mut [u32], out: &mut [f32]) -> f32 {
        ids.sort_unstable();
        self.pool(ids, out);
        normalise(out)
    }

    /// The weighted sum of rows, for sorted ids.
    fn pool(&self, ids: &[u32], out: &mut [f32]) {
        for (part, sums) in out.chunks_exact_mut(LANES).enumerate() {
            let mut total = [0f32; LANES];
            for same in ids.chunk_by(|a, b| a == b) {
                let (id, count) = (same[0], same.len() as u32);
                let weight = self.factor(id) * occurrences(count);
                let row = &self.row(id)[part * LANES..][..LANES];
                for (sum, &x) in total.iter_mut().zip(row) {
                    *sum += x as f32 * weight;
                }
            }
            sums.copy_from_slice(&total);
        }
    }
}

/// Weight of a piece that occurs `count` times in a text. Repetitions count less and less.
#[inline]
pub fn occurrences(count: u32) -> f32 {
    (count as f32).sqrt()
}

fn numbers_of(file: &Container, dimensions: usize) -> Result<Vec<PieceNumbers>> {
    let (scales, weights) = (file.numbers::<f32>("scales")?, file.numbers::<f32>("weights")?);
    let rows = file.numbers::<i8>("rows")?.chunks_exact(dimensions);
    let length = |row: &[i8]| (row.iter().map(|&x| x as i32 * x as i32).sum::<i32>() as f32).sqrt();
    let numbers = rows.zip(scales).zip(weights);
    Ok(numbers
        .map(|((row, scale), weight)| PieceNumbers { factor: scale * weight, length: length(row) })
        .collect())
}

/// Sums that are added up side by side. A single sum would wait for each addition.
const SUMS: usize = 8;

/// Inner product of a row and a vector, in the same order on every machine.
fn dot_bytes(row: &[i8], vector: &[f32]) -> f32 {
    let mut sums = [0f32; SUMS];
    let (rows, vectors) = (row.chunks_exact(SUMS), vector.chunks_exact(SUMS));
    let rest = rows.remainder().iter().zip(vectors.remainder());
    let rest: f32 = rest.map(|(&x, y)| x as f32 * y).sum();
    for (row, vector) in rows.zip(vectors) {
        for lane in 0..SUMS {
            sums[lane] += row[lane] as f32 * vector[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Normalises a vector to length 1 and returns its previous length. A vector of zero or infinite
/// length becomes zero.
fn normalise(vector: &mut [f32]) -> f32 {
    let norm = vector.iter().map(|&x| x as f64 * x as f64).sum::<f64>().sqrt() as f32;
    if norm > 0.0 && norm.is_finite() {
        vector.iter_mut().for_each(|x| *x /= norm);
        return norm;
    }
    vector.fill(0.0);
    0.0
}
