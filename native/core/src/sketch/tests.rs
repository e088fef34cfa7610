use super::write::{SketchBuilder, Sketched};
use super::*;
use crate::vectors::{decode, dot, encode};

/// Numbers of about a standard normal distribution: sums of twelve uniform ones.
struct Normal(u64);

impl Normal {
    fn next(&mut self) -> f32 {
        let mut uniform = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1u64 << 24) as f32
        };
        (0..12).map(|_| uniform()).sum::<f32>() - 6.0
    }

    fn unit(&mut self, dimensions: usize) -> Vec<f32> {
        let vector: Vec<f32> = (0..dimensions).map(|_| self.next()).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.into_iter().map(|x| x / length).collect()
    }

    /// Rows around a mean; residuals have `energy` of 1.
    fn document(&mut self, dimensions: usize, rows: usize, energy: f32) -> Vec<u16> {
        let mean = self.unit(dimensions);
        let mut out = Vec::new();
        for _ in 0..rows {
            let residual = self.unit(dimensions);
            let mixed =
                mean.iter().zip(&residual).map(|(m, r)| (1.0 - energy).sqrt() * m + energy.sqrt() * r);
            encode(&mixed.collect::<Vec<_>>(), &mut out);
        }
        out
    }
}

/// For each passage of some documents: exact score, estimate, and the standard deviation of its error.
fn estimates(dimensions: usize, rows: usize, energy: f32) -> Vec<(f32, f32, f32)> {
    let mut normal = Normal(7);
    let mut builder = SketchBuilder::new(dimensions);
    let mut found = Vec::new();
    for _ in 0..400 {
        let document = normal.document(dimensions, rows, energy);
        let mut made = Sketched::default();
        builder.add(&document, &mut made);
        let sketches = Sketches::new(dimensions, (1, rows), &made.docs, &made.rows).unwrap();
        let query = normal.unit(dimensions);
        let probe = Probe::new(&query);
        let (mut sums, mut means) = (Vec::new(), Vec::new());
        probe.means(sketches.docs(0..1), &mut sums, &mut means);
        let exact: Vec<f32> = document.chunks_exact(dimensions).map(|row| dot(&query, row)).collect();
        let mut made = Estimates::default();
        probe.passages(means[0], sketches.rows(0..rows), &mut made);
        let estimates = made.scores.iter().zip(&made.deviations);
        found.extend(
            exact.iter().zip(estimates).map(|(&exact, (&estimate, &deviation))| (exact, estimate, deviation)),
        );
    }
    found
}

#[test]
fn estimates_have_no_bias_and_the_stated_error() {
    for (dimensions, rows, energy) in [(256, 20, 0.2), (256, 3, 0.4), (384, 20, 0.2), (100, 10, 0.3)] {
        let found = estimates(dimensions, rows, energy);
        let mean =
            |of: &dyn Fn(&(f32, f32, f32)) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
        let bias = mean(&|(exact, estimate, _)| (estimate - exact) as f64);
        let error = mean(&|(exact, estimate, _)| (estimate - exact).powi(2) as f64).sqrt();
        let stated = mean(&|(_, _, deviation)| deviation.powi(2) as f64).sqrt();
        assert!(bias.abs() < error / 10.0, "{dimensions} dimensions: bias {bias}, error {error}");
        assert!((0.85..1.1).contains(&(error / stated)), "{dimensions}: error {error}, stated {stated}");
        // A third of a residual's projection remains unknown.
        let residual = (energy as f64 / dimensions as f64).sqrt();
        assert!(error < 0.45 * residual, "{dimensions}: error {error} of residuals of {residual}");
    }
}

#[test]
fn a_document_of_one_passage_is_estimated_closely() {
    let found = estimates(256, 1, 0.0);
    let squares: f32 = found.iter().map(|(exact, estimate, _)| (exact - estimate).powi(2)).sum();
    let error = (squares / found.len() as f32).sqrt();
    assert!(error < 0.005, "{error}");
}

/// What the codes of a single passage leave out must not point in its direction, or documents near a question would seem farther.
#[test]
fn a_single_passage_is_estimated_without_bias_for_similar_queries() {
    let mut normal = Normal(11);
    let mut builder = SketchBuilder::new(256);
    let mut errors = Vec::new();
    for _ in 0..2_000 {
        let (passage, other) = (normal.unit(256), normal.unit(256));
        let query: Vec<f32> = passage.iter().zip(&other).map(|(x, other)| 0.6 * x + 0.8 * other).collect();
        let (mut row, mut made) = (Vec::new(), Sketched::default());
        encode(&passage, &mut row);
        builder.add(&row, &mut made);
        let sketches = Sketches::new(256, (1, 1), &made.docs, &made.rows).unwrap();
        let probe = Probe::new(&query);
        let (mut sums, mut means) = (Vec::new(), Vec::new());
        probe.means(sketches.docs(0..1), &mut sums, &mut means);
        let mut made = Estimates::default();
        probe.passages(means[0], sketches.rows(0..1), &mut made);
        errors.push(((dot(&query, &row) - made.scores[0]) / made.deviations[0]) as f64);
    }
    let count = errors.len() as f64;
    let bias = errors.iter().sum::<f64>() / count;
    let error = (errors.iter().map(|x| x * x).sum::<f64>() / count).sqrt();
    assert!(bias.abs() < 0.5, "bias of {bias} standard deviations");
    assert!((0.6..1.1).contains(&error), "errors of {error} standard deviations");
}

#[test]
fn vectors_of_zero_and_equal_passages_have_sketches() {
    let mut builder = SketchBuilder::new(3);
    for rows in [vec![0u16; 9], {
        let mut rows = Vec::new();
        (0..4).for_each(|_| encode(&[0.5, -1.5, 2.0], &mut rows));
        rows
    }] {
        let mut made = Sketched::default();
        builder.add(&rows, &mut made);
        let count = rows.len() / 3;
        let sketches = Sketches::new(3, (1, count), &made.docs, &made.rows).unwrap();
        let query = [1.0, 0.25, -0.5];
        let probe = Probe::new(&query);
        let (mut sums, mut means) = (Vec::new(), Vec::new());
        probe.means(sketches.docs(0..1), &mut sums, &mut means);
        let mut first = Vec::new();
        decode(&rows[..3], &mut first);
        let exact: f32 = first.iter().zip(query).map(|(x, q)| x * q).sum();
        let mut made = Estimates::default();
        probe.passages(means[0], sketches.rows(0..count), &mut made);
        assert_eq!(made.scores.len(), count);
        for estimate in made.scores {
            assert!((estimate - exact).abs() < 0.3, "{estimate} for {exact}");
        }
    }
    assert!(Sketches::new(3, (1, 2), &[0; 8], &[]).is_none());
}

#[test]
fn lengths_of_residuals_are_known_by_their_factors() {
    let mut normal = Normal(11);
    for dimensions in [64, 256] {
        let mut builder = SketchBuilder::new(dimensions);
        let mut made = Sketched::default();
        builder.add(&normal.document(dimensions, 40, 0.3), &mut made);
        let sketches = Sketches::new(dimensions, (1, 40), &made.docs, &made.rows).unwrap();
        let lengths = (0..40).map(|n| sketches.length_of(sketches.factor(0..40, n)));
        let squares: f32 = lengths.map(|length| length * length).sum();
        let ratio = (squares / 40.0).sqrt() / sketches.spread(0);
        assert!((0.96..1.04).contains(&ratio), "{dimensions}: {ratio}");
    }
}

#[test]
fn the_spread_is_the_longest_residual_if_one_stands_out() {
    let mut normal = Normal(13);
    let (mean, other) = (normal.unit(128), normal.unit(128));
    let spread = |near: usize, far: usize| {
        let mut rows = Vec::new();
        (0..near).for_each(|_| encode(&mean, &mut rows));
        (0..far).for_each(|_| encode(&other, &mut rows));
        let mut made = Sketched::default();
        SketchBuilder::new(128).add(&rows, &mut made);
        Sketches::new(128, (1, near + far), &made.docs, &made.rows).unwrap().spread(0)
    };
    // Of a hundred, the mean lies .01 of the way to the other.
    let distance = mean.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    assert!((spread(99, 1) - 0.99 * distance).abs() < 0.02, "{} {distance}", spread(99, 1));
    assert!((spread(5, 5) - 0.5 * distance).abs() < 0.02, "{} {distance}", spread(5, 5));
}
