//! A query, arranged to be compared with sketches.

use super::rotation::Rotation;
use super::{products, step_of, Layout, FACTOR, MEAN_BITS, MEAN_MIDDLE, ROW_BITS, ROW_MIDDLE};
use half::f16;
use half::slice::HalfFloatSliceExt;

/// The query's components are integers within this.
const GREATEST: f32 = 127.0;
/// Standard deviation of the error of a passage's estimate, for a query of length 1, as a multiple
/// of the passage's factor: measured on random residuals (tests.rs).
const ERROR: f32 = 0.33;
/// The same for the only passage of a document, whose residual is what the mean's codes round off. Its errors have a longer
/// tail than normal ones: measured on titles and abstracts of 80,000 publications.
const ERROR_ALONE: f32 = 0.41;

/// A query for sketches of its number of dimensions.
#[derive(Debug)]
pub struct Probe {
    layout: Layout,
    /// The rotated components as integers, padded with 0; what 1 means; and their sum.
    query: Vec<i8>,
    step: f32,
    sum: i32,
    length: f32,
    /// Variance of the error that the rounding of the query's components makes in an inner product with a vector of length 1.
    rounding: f32,
}

impl Probe {
    pub fn new(query: &[f32]) -> Self {
        let layout = Layout::of(query.len());
        let mut rotated = query.to_vec();
        Rotation::of(query.len()).apply(&mut rotated);
        let step = rotated.iter().fold(f32::MIN_POSITIVE, |a, b| a.max(b.abs())) / GREATEST;
        let mut integers: Vec<i8> = rotated.iter().map(|x| (x / step).round() as i8).collect();
        integers.resize(layout.width, 0);
        Probe {
            layout,
            step,
            sum: integers.iter().map(|&x| x as i32).sum(),
            query: integers,
            length: query.iter().map(|x| x * x).sum::<f32>().sqrt(),
            // Errors between −½ and ½ of a step, all equally likely.
            rounding: step * step / 12.0,
        }
    }

    /// Appends, for each of adjacent documents, the inner product of the query with the decoded mean.
    /// The memory of `sums` is reused.
    #[inline]
    pub fn means(&self, docs: &[u8], sums: &mut Vec<i32>, out: &mut Vec<f32>) {
        let length = self.layout.doc();
        products::sums::<MEAN_BITS>(docs, length, &self.query, sums);
        let middle = MEAN_MIDDLE * self.sum as f32;
        let docs = docs.chunks_exact(length);
        out.extend(docs.zip(&*sums).map(|(doc, &sum)| self.step * step_of(doc) * (sum as f32 - middle)));
    }

    /// Estimates the passages of a document. `mean` is that of the document, `rows` the record of its passages.
    #[inline]
    pub fn passages(&self, mean: f32, rows: &[u8], out: &mut Estimates) {
        let Estimates { scores, deviations, sums, factors } = out;
        let length = self.layout.row_codes();
        let (codes, halves) = rows.split_at(rows.len() / self.layout.row() * length);
        products::sums::<ROW_BITS>(codes, length, &self.query, sums);
        decode(halves, factors);
        let error = if factors.len() == 1 { ERROR_ALONE } else { ERROR };
        let (middle, variance) = (ROW_MIDDLE * self.sum as f32, (error * self.length).powi(2));
        // One array after the other: so the compiler computes several passages at a time.
        scores.clear();
        let score = |(&sum, factor): (&i32, &f32)| mean + factor * self.step * (sum as f32 - middle);
        scores.extend(sums.iter().zip(&*factors).map(score));
        deviations.clear();
        // If a document has one passage, its residual is short, and the rounding of the query counts, too.
        let deviation = |factor: &f32| (factor * factor * variance + self.rounding).sqrt();
        deviations.extend(factors.iter().map(deviation));
    }
}

/// Estimates of a document's passages, in their order. The memory is reused.
#[derive(Default)]
pub struct Estimates {
    /// The estimated scores.
    pub scores: Vec<f32>,
    /// Standard deviations of the errors of these estimates.
    pub deviations: Vec<f32>,
    sums: Vec<i32>,
    factors: Vec<f32>,
}

/// Half-precision numbers that are decoded together.
const TOGETHER: usize = 8;

fn decode(halves: &[u8], out: &mut Vec<f32>) {
    out.clear();
    out.resize(halves.len() / FACTOR, 0.0);
    let number = |bytes: &[u8]| f16::from_le_bytes([bytes[0], bytes[1]]);
    for (bytes, out) in halves.chunks(TOGETHER * FACTOR).zip(out.chunks_mut(TOGETHER)) {
        if bytes.len() == TOGETHER * FACTOR {
            let halves: [f16; TOGETHER] = std::array::from_fn(|n| number(&bytes[n * FACTOR..]));
            halves.convert_to_f32_slice(out);
        } else {
            out.iter_mut().zip(bytes.chunks_exact(FACTOR)).for_each(|(x, bytes)| *x = number(bytes).to_f32());
        }
    }
}
