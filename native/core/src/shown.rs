//! Scores as answers show them.

/// Converts inner products to shown scores: the logistic curve of a model's calibration, rounded.
/// `similarity` and `shown` in `src/embed/calibration.ts` are the same function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownScore {
    /// The inner product that is shown as 0.5.
    pub midpoint: f64,
    /// Steepness of the curve, per unit of the inner product.
    pub slope: f64,
    /// Digits after the decimal point.
    pub decimals: u32,
}

/// The tolerance of `ShownScore::least`, as an inner product: more than the rounding errors of both
/// directions, and much less than the error of an estimate.
const TOLERANCE: f64 = 1e-6;

impl ShownScore {
    /// The shown number without the decimal point: 512346 for 0.512346.
    pub fn of(&self, score: f32) -> i64 {
        self.unrounded(score).round() as i64
    }

    /// The rank of an inner product: equal if the shown scores are equal, and higher for the higher
    /// one. Inner products that are shown as 0 keep their own order, because all that a filter
    /// allows may be shown as 0.
    pub fn rank(&self, score: f32) -> f64 {
        match self.unrounded(score) {
            number if number < 0.5 => number,
            number => number.round(),
        }
    }

    /// A lower bound of the inner products that have this rank or a higher one.
    pub fn least(&self, rank: f64) -> f32 {
        let number = if rank < 0.5 { rank } else { rank - 0.5 };
        (self.midpoint - (self.scale() / number - 1.0).ln() / self.slope - TOLERANCE) as f32
    }

    fn unrounded(&self, score: f32) -> f64 {
        self.scale() / (1.0 + (-self.slope * (score as f64 - self.midpoint)).exp())
    }

    fn scale(&self) -> f64 {
        10f64.powi(self.decimals as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_score_is_shown_by_the_curve() {
        let six = ShownScore { midpoint: 0.5, slope: 10.0, decimals: 6 };
        assert_eq!(six.of(0.5), 500_000);
        // 1 / (1 + e⁻¹), and one minus it
        assert_eq!(ShownScore { midpoint: 0.0, slope: 1.0, decimals: 6 }.of(1.0), 731_059);
        assert_eq!(ShownScore { midpoint: 0.0, slope: 1.0, decimals: 6 }.of(-1.0), 268_941);
        assert_eq!((six.of(f32::NEG_INFINITY), six.of(f32::INFINITY)), (0, 1_000_000));
    }

    proptest! {
        #[test]
        fn scores_rank_as_they_are_shown(
            score in -1f32..1.0,
            step in -8i32..8,
            midpoint in -1f64..1.0,
            slope in 0.1f64..80.0,
            decimals in 0u32..7,
        ) {
            let shown = ShownScore { midpoint, slope, decimals };
            // Neighbours are shown alike more often than not, distant scores are not.
            for other in [f32::from_bits((score.to_bits() as i32 + step) as u32), -score] {
                let (lower, higher) = if other < score { (other, score) } else { (score, other) };
                prop_assert!(shown.rank(lower) <= shown.rank(higher));
                if shown.of(higher) > 0 {
                    prop_assert_eq!(shown.rank(lower) == shown.rank(higher), shown.of(lower) == shown.of(higher));
                }
                if shown.rank(score) == shown.rank(lower) {
                    prop_assert!(shown.least(shown.rank(score)) <= lower);
                }
            }
            let least = shown.least(shown.rank(score));
            prop_assert!(shown.rank(least - 1e-5) < shown.rank(score), "{least} is not near to the least");
        }

        #[test]
        fn scores_shown_as_zero_keep_their_order(score in -1f32..0.4, step in 0.0001f32..1.0) {
            let shown = ShownScore { midpoint: 0.8, slope: 40.0, decimals: 6 };
            prop_assert_eq!(shown.of(score), 0);
            prop_assert!(shown.rank(score - step) < shown.rank(score));
        }
    }
}
