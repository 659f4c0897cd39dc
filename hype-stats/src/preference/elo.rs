//! Elo ratings, which depend on the order of the comparisons.

use super::comparisons::{ComparisonOutcome, Comparisons, check_lengths};
use crate::StatError;
use crate::bootstrap::check_units;
use crate::bootstrap::draws::{Bound, Draws};
use crate::describe::Moments;
use crate::parallel;

/// Elo's rating of players by their games, one game after the other.
///
/// For comparison with published leaderboards. Ratings depend on the order of the comparisons and
/// never settle, where [`BradleyTerry`](super::BradleyTerry) estimates the same strengths from all
/// comparisons at once; [`Self::order_averaged`] shows how much the order matters.
///
/// # Method
///
/// Elo (1978): the expected score of the first is 1 / (1 + 10^((`R_b` - `R_a`) / scale)), its score is
/// 1, 1/2 or 0, and K times the difference goes from one rating to the other.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{EloSystem, ComparisonOutcome};
/// let ratings = EloSystem::new(32.0, 1500.0, 400.0)?.ratings(2, &[0], &[1], &[ComparisonOutcome::First])?;
/// assert_eq!(ratings, [1516.0, 1484.0]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloSystem {
    k: f64,
    start: f64,
    scale: f64,
}

/// A rating averaged over orders of the same comparisons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OrderAveraged {
    /// Mean rating.
    pub mean: f64,
    /// Standard deviation (n - 1) of the rating over orders: the effect of the order alone.
    pub standard_deviation: f64,
}

impl EloSystem {
    /// Sets the greatest change of a rating, the rating that all start with, and the difference of
    /// ratings that corresponds to odds of ten to one.
    ///
    /// # Errors
    ///
    /// [`StatError::Parameter`] for values that are not finite, or a K or scale that is not positive.
    pub fn new(k: f64, start: f64, scale: f64) -> Result<Self, StatError> {
        for (parameter, got) in [("K", k), ("scale of ratings", scale)] {
            if !(got > 0.0 && got.is_finite()) {
                return Err(StatError::Parameter { parameter, expected: "positive and finite", got });
            }
        }
        if !start.is_finite() {
            return Err(StatError::Parameter { parameter: "first rating", expected: "finite", got: start });
        }
        Ok(Self { k, start, scale })
    }

    /// Rates `models` models by the comparisons in the given order.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::from_columns`].
    pub fn ratings(
        &self,
        models: usize,
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
    ) -> Result<Vec<f64>, StatError> {
        check(models, first, second, outcomes)?;
        Ok(self.rate(models, (0..first.len()).map(|row| (first[row], second[row], outcomes[row]))))
    }

    /// Rates the models by the comparisons in `orders` random orders, drawn from a seed.
    ///
    /// # Errors
    ///
    /// As [`Self::ratings`], and [`StatError::TooFew`] for fewer than two orders.
    pub fn order_averaged(
        &self,
        models: usize,
        first: &[u32],
        second: &[u32],
        outcomes: &[ComparisonOutcome],
        orders: usize,
        seed: u64,
    ) -> Result<Vec<OrderAveraged>, StatError> {
        check(models, first, second, outcomes)?;
        if orders < 2 {
            return Err(StatError::TooFew {
                statistic: "order-averaged Elo rating",
                needed: 2,
                of: "orders",
                got: orders,
            });
        }
        let rows = check_units(first.len())?;
        let ratings: Vec<Vec<f64>> = parallel::map(orders, |order| {
            let rows = shuffled(rows, &mut Draws::new(seed, order as u64));
            self.rate(
                models,
                rows.iter().map(|&row| (first[row as usize], second[row as usize], outcomes[row as usize])),
            )
        });
        (0..models)
            .map(|model| {
                let moments: Moments = ratings.iter().map(|ratings| ratings[model]).collect();
                Ok(OrderAveraged { mean: moments.mean()?, standard_deviation: moments.standard_deviation()? })
            })
            .collect()
    }

    fn rate(&self, models: usize, games: impl Iterator<Item = (u32, u32, ComparisonOutcome)>) -> Vec<f64> {
        let mut ratings = vec![self.start; models];
        for (first, second, outcome) in games {
            let (first, second) = (first as usize, second as usize);
            let expected = 1.0 / (1.0 + 10_f64.powf((ratings[second] - ratings[first]) / self.scale));
            let score = match outcome {
                ComparisonOutcome::First => 1.0,
                ComparisonOutcome::Second => 0.0,
                ComparisonOutcome::Tie => 0.5,
            };
            let change = self.k * (score - expected);
            ratings[first] += change;
            ratings[second] -= change;
        }
        ratings
    }
}

fn check(
    models: usize,
    first: &[u32],
    second: &[u32],
    outcomes: &[ComparisonOutcome],
) -> Result<(), StatError> {
    check_lengths(first.len(), &[second.len(), outcomes.len()])?;
    Comparisons::new(models)?.check_block(first, second)
}

/// The numbers below `count` in random order (Fisher and Yates 1938; Durstenfeld 1964).
fn shuffled(count: u32, draws: &mut Draws) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    for left in (2..=count).rev() {
        let mut drawn = [0];
        draws.fill_below(Bound::new(left), &mut drawn);
        numbers.swap(left as usize - 1, drawn[0] as usize);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: ([u32; 4], [u32; 4], [ComparisonOutcome; 4]) = (
        [0, 1, 2, 0],
        [1, 2, 0, 2],
        [
            ComparisonOutcome::First,
            ComparisonOutcome::Tie,
            ComparisonOutcome::Second,
            ComparisonOutcome::First,
        ],
    );

    #[test]
    fn two_games_by_hand() {
        // After a win at even ratings the expected score is 1 / (1 + 10^(-32/400)) = 0.545925…
        let elo = EloSystem::new(32.0, 1500.0, 400.0).unwrap();
        let ratings =
            elo.ratings(2, &[0, 0], &[1, 1], &[ComparisonOutcome::First, ComparisonOutcome::Tie]).unwrap();
        let expected = 1.0 / (1.0 + 10_f64.powf(-0.08));
        assert!((ratings[0] - (1516.0 + 32.0 * (0.5 - expected))).abs() < 1e-12);
        assert!((ratings[0] + ratings[1] - 3000.0).abs() < 1e-9);
    }

    #[test]
    fn orders_average_out() {
        let elo = EloSystem::new(16.0, 0.0, 400.0).unwrap();
        let (first, second, outcomes) = GAMES;
        let averaged = elo.order_averaged(3, &first, &second, &outcomes, 400, 5).unwrap();
        assert_eq!(averaged, elo.order_averaged(3, &first, &second, &outcomes, 400, 5).unwrap());
        assert!(averaged.iter().all(|rating| rating.standard_deviation > 0.0));
        // All 24 orders, one by one.
        let mut sums = [0.0; 3];
        let mut orders = 0;
        for code in 0..256_usize {
            let order: Vec<usize> = (0..4).map(|place| code >> (2 * place) & 3).collect();
            if (0..4).all(|row| order.contains(&row)) {
                let column = |values: [u32; 4]| order.iter().map(|&row| values[row]).collect::<Vec<_>>();
                let outcomes: Vec<ComparisonOutcome> = order.iter().map(|&row| outcomes[row]).collect();
                let ratings = elo.ratings(3, &column(first), &column(second), &outcomes).unwrap();
                sums.iter_mut().zip(ratings).for_each(|(sum, rating)| *sum += rating);
                orders += 1;
            }
        }
        assert_eq!(orders, 24);
        for (averaged, sum) in averaged.iter().zip(sums) {
            // Five standard errors of 400 random orders.
            let error = 5.0 * averaged.standard_deviation / 20.0;
            assert!((averaged.mean - sum / 24.0).abs() < error);
        }
    }

    #[test]
    fn shuffles_are_permutations_and_golden() {
        assert_eq!(shuffled(6, &mut Draws::new(3, 0)), GOLDEN);
        let mut numbers = shuffled(1_000, &mut Draws::new(3, 1));
        assert_ne!(numbers[..3], [0, 1, 2]);
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..1_000));
        assert_eq!(shuffled(0, &mut Draws::new(3, 1)), [0_u32; 0]);
    }

    const GOLDEN: [u32; 6] = [4, 0, 1, 5, 3, 2];

    #[test]
    fn bad_input_is_refused() {
        assert!(EloSystem::new(0.0, 1000.0, 400.0).is_err());
        assert!(EloSystem::new(4.0, f64::NAN, 400.0).is_err());
        assert!(EloSystem::new(4.0, 1000.0, f64::INFINITY).is_err());
        let elo = EloSystem::new(4.0, 1000.0, 400.0).unwrap();
        assert!(elo.ratings(2, &[0], &[2], &[ComparisonOutcome::Tie]).is_err());
        assert!(elo.order_averaged(2, &[0], &[1], &[ComparisonOutcome::Tie], 1, 0).is_err());
        assert_eq!(elo.ratings(2, &[], &[], &[]), Ok(vec![1000.0; 2]));
    }
}
