//! A fixed random rotation: a few rounds of random signs and Walsh–Hadamard transforms (Ailon and
//! Chazelle, 2009). A transform needs a power of two: of other numbers of dimensions, the first and
//! then the last power of two are transformed.

/// One round suffices for vectors without structure. Vectors of texts have some.
const ROUNDS: usize = 3;
/// Part of the format.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

pub(super) struct Rotation {
    dimensions: usize,
    /// The greatest power of two within the dimensions.
    power: usize,
    /// 1 or -1, for each round and dimension.
    signs: Vec<f32>,
}

impl Rotation {
    pub(super) fn of(dimensions: usize) -> Self {
        let mut state = SEED;
        let mut sign = || {
            // xorshift64 (Marsaglia, 2003)
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if state >> 63 == 0 {
                1.0
            } else {
                -1.0
            }
        };
        let power = 1 << dimensions.ilog2();
        Rotation { dimensions, power, signs: (0..ROUNDS * dimensions).map(|_| sign()).collect() }
    }

    /// Rotates a vector in place.
    pub(super) fn apply(&self, vector: &mut [f32]) {
        debug_assert_eq!(vector.len(), self.dimensions);
        for signs in self.signs.chunks_exact(self.dimensions) {
            vector.iter_mut().zip(signs).for_each(|(x, sign)| *x *= sign);
            transform(&mut vector[..self.power]);
            if self.power < self.dimensions {
                transform(&mut vector[self.dimensions - self.power..]);
            }
        }
    }
}

/// The orthonormal Walsh–Hadamard transform. The length is a power of two.
fn transform(vector: &mut [f32]) {
    let mut half = 1;
    while half < vector.len() {
        for pair in vector.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (vector.len() as f32).sqrt();
    vector.iter_mut().for_each(|x| *x *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_inner_products() {
        for dimensions in [1, 2, 3, 64, 100, 256, 384] {
            let of = |seed: usize| -> Vec<f32> {
                (0..dimensions).map(|n| ((n * 7919 + seed * 104_729) % 1009) as f32 / 1009.0 - 0.5).collect()
            };
            let (mut a, mut b) = (of(1), of(2));
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a * b) as f64).sum::<f64>();
            let before = (dot(&a, &b), dot(&a, &a));
            let rotation = Rotation::of(dimensions);
            rotation.apply(&mut a);
            rotation.apply(&mut b);
            assert!((dot(&a, &b) - before.0).abs() < 1e-4, "{dimensions} dimensions");
            assert!((dot(&a, &a) - before.1).abs() < 1e-4, "{dimensions} dimensions");
        }
    }

    #[test]
    fn spreads_a_component_over_all() {
        let mut vector = vec![0.0; 384];
        vector[5] = 1.0;
        Rotation::of(384).apply(&mut vector);
        let greatest = vector.iter().fold(0f32, |a, b| a.max(b.abs()));
        assert!(greatest < 0.25, "{greatest}");
    }
}
