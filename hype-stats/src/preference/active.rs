//! Which pair of models to show next.

use super::comparisons::Comparisons;
use super::matrix::Symmetric;
use crate::StatError;

/// The number of steps of the first search, which approaches the mode from anywhere.
const MINORIZATIONS: usize = 20;
/// The maximum number of steps of the second search, which is exact near the mode.
const NEWTON_STEPS: usize = 500;
/// The step size at which the second search ends.
const TOLERANCE: f64 = 1e-10;
/// The longest step in a logarithm of strengths, which cannot reduce the posterior density.
const LONGEST: f64 = 0.5;
/// Strengths are clamped to this and its inverse.
const STRONGEST: f64 = 1e100;
/// The minimum information of a model, as a share of the maximum, above rounding errors.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 40) as f64;

/// The expected information from one more comparison of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairGain {
    /// Index of the first model.
    pub first: usize,
    /// Index of the second model, larger than the first.
    pub second: usize,
    /// How often the two were compared.
    pub comparisons: u64,
    /// Share g by which the comparison raises the determinant of the information: it is multiplied by
    /// 1 + g.
    pub gain: f64,
}

/// Gains of all pairs, in the order (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
pub struct PairGains {
    pairs: Vec<PairGain>,
}

impl PairGains {
    /// All pairs.
    #[must_use]
    pub fn pairs(&self) -> &[PairGain] {
        &self.pairs
    }
}

/// Computes the expected information about the strengths from one more comparison of each pair.
///
/// # Method
///
/// Strengths are the mode of the posterior of Bradley and Terry's model, with ties as half wins and
/// as prior one comparison of each model with a fixed reference of strength 1, half won. They are
/// therefore finite, and models that were never compared are the least known. With p the probability
/// that the first of a pair wins and V the posterior variance of the difference of logarithms of
/// strengths, both at the mode, one more comparison adds p (1 - p) of information along the
/// difference, and the determinant of the information is multiplied by 1 + p (1 - p) V (the D-optimal
/// choice; Glickman and Jensen 2005, "Adaptive paired comparison design").
///
/// # Numerics
///
/// The choice of the next trial must be the same on every machine for a session to be replayed.
/// Everything here is + - × / and √, which IEEE 754 rounds in one way, in a fixed order, and neither
/// exp nor ln, whose last digits differ between platforms. The mode is found by twenty steps of
/// Hunter's (2004) minorization, then by Newton's method, which changes strengths by the factor
/// (1 + s/2) / (1 - s/2) for a step s in their logarithms: it differs from exp(s) by s³/12, so that
/// the method stays quadratic. Steps are at most 1/2, which the curvature of the logistic function
/// makes safe. V is the square of a difference of two columns of the inverse factor, and loses no
/// digits where models are well known.
///
/// # Errors
///
/// [`StatError::Degenerate`] if the information has no inverse in double precision.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{Comparisons, pair_gains};
/// let table = Comparisons::from_wins(&[[0, 9, 12], [8, 0, 0], [1, 0, 0]], &[])?;
/// let gains = pair_gains(&table)?;
/// let best = gains.pairs().iter().max_by(|a, b| a.gain.total_cmp(&b.gain));
/// assert_eq!(best.map(|pair| (pair.first, pair.second, pair.comparisons)), Some((1, 2, 0)));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn pair_gains(table: &Comparisons) -> Result<PairGains, StatError> {
    let posterior = Posterior::new(table)?;
    let pairs = posterior
        .games
        .iter()
        .map(|game| {
            let (first, second) = (game.first, game.second);
            let [p, q] = posterior.chances(first, second);
            PairGain {
                first,
                second,
                comparisons: game.comparisons,
                gain: p * q * posterior.variance(first, second),
            }
        })
        .collect();
    Ok(PairGains { pairs })
}

fn pairs(models: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..models).flat_map(move |first| (first + 1..models).map(move |second| (first, second)))
}

/// Comparisons of one pair, ties as half wins.
struct Game {
    first: usize,
    second: usize,
    comparisons: u64,
    wins: f64,
    losses: f64,
}

/// Mode and information of the posterior.
struct Posterior {
    games: Vec<Game>,
    strengths: Vec<f64>,
    /// Row for each model of the inverse factor: the covariance is this times its transpose.
    inverse_factor: Vec<f64>,
}

impl Posterior {
    fn new(table: &Comparisons) -> Result<Self, StatError> {
        let games = pairs(table.models())
            .map(|(first, second)| {
                let ties = 0.5 * table.ties(first, second) as f64;
                Game {
                    first,
                    second,
                    comparisons: table.comparisons(first, second),
                    wins: table.wins(first, second) as f64 + ties,
                    losses: table.wins(second, first) as f64 + ties,
                }
            })
            .collect();
        let strengths = vec![1.0; table.models()];
        let mut posterior = Self { games, strengths, inverse_factor: Vec::new() };
        for _ in 0..MINORIZATIONS {
            posterior.minorize();
        }
        for _ in 0..NEWTON_STEPS {
            if posterior.step()? <= TOLERANCE {
                break;
            }
        }
        let factor = posterior.factor()?;
        let models = posterior.strengths.len();
        posterior.inverse_factor = vec![0.0; models * models];
        for (model, row) in posterior.inverse_factor.chunks_exact_mut(models).enumerate() {
            row[model] = 1.0;
            factor.solve_lower(row);
        }
        Ok(posterior)
    }

    /// Probabilities that the first and the second of a pair win.
    fn chances(&self, first: usize, second: usize) -> [f64; 2] {
        chances(self.strengths[first], self.strengths[second])
    }

    /// One step of Hunter's algorithm.
    fn minorize(&mut self) {
        let mut wins = vec![0.5; self.strengths.len()];
        let mut weights: Vec<f64> = self.strengths.iter().map(|strength| 1.0 / (strength + 1.0)).collect();
        for game in &self.games {
            wins[game.first] += game.wins;
            wins[game.second] += game.losses;
            let weight =
                (game.wins + game.losses) / (self.strengths[game.first] + self.strengths[game.second]);
            weights[game.first] += weight;
            weights[game.second] += weight;
        }
        for (strength, (wins, weight)) in self.strengths.iter_mut().zip(wins.iter().zip(weights)) {
            *strength = hold(wins / weight);
        }
    }

    /// One step of Newton's method; returns its length before damping.
    fn step(&mut self) -> Result<f64, StatError> {
        let mut step: Vec<f64> = self
            .strengths
            .iter()
            .map(|&strength| {
                let [p, q] = chances(strength, 1.0);
                0.5 * q - 0.5 * p
            })
            .collect();
        for game in &self.games {
            let [p, q] = self.chances(game.first, game.second);
            let slope = game.wins * q - game.losses * p;
            step[game.first] += slope;
            step[game.second] -= slope;
        }
        self.factor()?.solve(&mut step);
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let share = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        for (strength, step) in self.strengths.iter_mut().zip(step) {
            let half = 0.5 * share * step;
            *strength = hold(*strength * ((1.0 + half) / (1.0 - half)));
        }
        Ok(longest)
    }

    /// Factor of the information.
    fn factor(&self) -> Result<Symmetric, StatError> {
        let models = self.strengths.len();
        let mut information = Symmetric::new(models);
        for (model, &strength) in self.strengths.iter().enumerate() {
            let [p, q] = chances(strength, 1.0);
            information.add(model, model, p * q);
        }
        for game in &self.games {
            let [p, q] = self.chances(game.first, game.second);
            let added = (game.wins + game.losses) * p * q;
            information.add(game.first, game.first, added);
            information.add(game.second, game.second, added);
            information.add(game.first, game.second, -added);
        }
        let greatest =
            (0..models).fold(0.0_f64, |greatest, model| greatest.max(information.at(model, model)));
        for model in 0..models {
            information.add(model, model, LEAST_SHARE * greatest);
        }
        information.factor().map(|()| information).ok_or(StatError::Degenerate {
            statistic: "choice of a pair",
            reason: "the information matrix is singular in double precision",
        })
    }

    /// Variance of the difference of the logarithms of two strengths.
    fn variance(&self, first: usize, second: usize) -> f64 {
        let models = self.strengths.len();
        let row = |model: usize| &self.inverse_factor[model * models..(model + 1) * models];
        row(first).iter().zip(row(second)).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
    }
}

fn chances(a: f64, b: f64) -> [f64; 2] {
    [a / (a + b), b / (a + b)]
}

fn hold(strength: f64) -> f64 {
    strength.clamp(1.0 / STRONGEST, STRONGEST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn choice(gains: &PairGains) -> PairGain {
        *gains.pairs().iter().max_by(|a, b| a.gain.total_cmp(&b.gain)).unwrap()
    }

    fn gains(wins: &[Vec<u64>]) -> PairGains {
        pair_gains(&Comparisons::from_wins(wins, &[]).unwrap()).unwrap()
    }

    fn even(models: usize, each: u64) -> Vec<Vec<u64>> {
        (0..models).map(|a| (0..models).map(|b| if a == b { 0 } else { each }).collect()).collect()
    }

    #[test]
    fn all_pairs_are_equal_without_prior_knowledge() {
        // Each model has the information 1/4 from the prior: V = 8, and p (1 - p) V = 2.
        let gains = gains(&even(4, 0));
        assert!(gains.pairs().iter().all(|pair| (pair.gain - 2.0).abs() < 1e-9));
    }

    #[test]
    fn the_gain_is_the_rise_of_the_determinant() {
        // Two models with c wins each have the information matrix [[1/4 + c/2, -c/2], …]: its
        // determinant is (1 + 4 c) / 16, and one more comparison makes it (1 + 4 c + 2) / 16.
        for wins in [1, 10, 1_000] {
            let gain = choice(&gains(&even(2, wins))).gain;
            assert!((gain / (2.0 / (1.0 + 4.0 * wins as f64)) - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn the_mode_meets_the_counts() {
        // One win of one comparison against a model, which itself is even: the mode satisfies
        // 3/2 = p_ab + p_a0 and 1/2 = p_ba + p_b0, so that π_b = 1 / π_a and with r = π_a
        // r² / (r² + 1) + r / (r + 1) = 3/2, or r³ - r² - r - 3 = 0, where r = 2.1303954…
        let table = Comparisons::from_wins(&[[0, 1], [0, 0]], &[]).unwrap();
        let strengths = Posterior::new(&table).unwrap().strengths;
        let r = strengths[0];
        assert!((r * r * r - r * r - r - 3.0).abs() < 1e-12, "{r}");
        assert!((strengths[1] * r - 1.0).abs() < 1e-12);
    }

    #[test]
    fn golden() {
        let wins = vec![vec![0, 5, 9, 2], vec![3, 0, 7, 0], vec![1, 2, 0, 4], vec![0, 0, 6, 0]];
        let ties = vec![vec![0, 1, 0, 0], vec![1, 0, 0, 3], vec![0, 0, 0, 0], vec![0, 3, 0, 0]];
        let gains = pair_gains(&Comparisons::from_wins(&wins, &ties).unwrap()).unwrap();
        let bits: Vec<u64> = gains.pairs().iter().map(|pair| pair.gain.to_bits()).collect();
        assert_eq!(bits, GOLDEN, "{gains:?}");
        // The pair of the least known model and the one nearest to it.
        assert_eq!((choice(&gains).first, choice(&gains).second), (1, 3));
    }

    /// Bits of the gains, which are the same on every machine.
    const GOLDEN: [u64; 6] = [
        4_590_006_464_450_253_717,
        4_586_711_138_620_679_985,
        4_590_902_787_881_727_863,
        4_588_656_732_291_788_894,
        4_592_059_012_667_786_714,
        4_589_958_450_024_688_459,
    ];

    #[test]
    fn a_pair_never_shown_comes_before_pairs_often_shown() {
        for each in [1, 20, 100_000] {
            let mut wins = even(5, each);
            (wins[1][3], wins[3][1]) = (0, 0);
            let choice = choice(&gains(&wins));
            assert_eq!((choice.first, choice.second, choice.comparisons), (1, 3, 0));
        }
    }

    #[test]
    fn with_many_counts_the_closest_pair_is_chosen() {
        // Strengths of exactly 1, 3, 4 and 20, and the same information c on every pair: then
        // V = 2 / (4 c), and the most even pair is best.
        let strengths = [1_u64, 3, 4, 20];
        for scale in [60_000, 60_000_000_000_000] {
            let won = |a: usize, b: usize| scale * (strengths[a] + strengths[b]) / strengths[b];
            let wins: Vec<Vec<u64>> =
                (0..4).map(|a| (0..4).map(|b| if a == b { 0 } else { won(a, b) }).collect()).collect();
            let gains = gains(&wins);
            assert_eq!((choice(&gains).first, choice(&gains).second), (1, 2));
            for pair in gains.pairs() {
                let [a, b] = [pair.first, pair.second].map(|model| strengths[model] as f64);
                let want = a * b / ((a + b) * (a + b)) / (2.0 * scale as f64);
                assert!((pair.gain / want - 1.0).abs() < 1e-3, "{pair:?}");
            }
        }
    }

    /// Wins of seven models, none against itself.
    fn square(counts: &[u64]) -> Vec<Vec<u64>> {
        (0..7).map(|a| (0..7).map(|b| if a == b { 0 } else { counts[a * 7 + b] }).collect()).collect()
    }

    proptest! {
        #[test]
        fn gains_are_finite_for_any_counts(
            counts in proptest::collection::vec(prop_oneof![Just(0), 0..5_u64, 0..1_u64 << 60], 49),
        ) {
            let found = gains(&square(&counts));
            prop_assert!(found.pairs().iter().all(|pair| pair.gain.is_finite() && pair.gain > 0.0));
        }

        #[test]
        fn only_how_clearly_matters_and_not_who_won(
            counts in proptest::collection::vec(prop_oneof![Just(0), 0..5_u64, 0..1_000_000_u64], 49),
        ) {
            let wins = square(&counts);
            let turned: Vec<Vec<u64>> = (0..7).map(|a| (0..7).map(|b| wins[b][a]).collect()).collect();
            for (left, right) in gains(&wins).pairs().iter().zip(gains(&turned).pairs()) {
                prop_assert!((left.gain / right.gain - 1.0).abs() < 1e-6, "{left:?} {right:?}");
            }
        }

        #[test]
        fn names_do_not_matter(counts in proptest::collection::vec(0..30_u64, 25)) {
            let wins = |swap: bool| -> Vec<Vec<u64>> {
                let place = |model: usize| if swap { 4 - model } else { model };
                (0..5)
                    .map(|a| (0..5).map(|b| if a == b { 0 } else { counts[place(a) * 5 + place(b)] }).collect())
                    .collect()
            };
            let (found, mirrored) = (gains(&wins(false)), gains(&wins(true)));
            for pair in found.pairs() {
                let other = mirrored
                    .pairs()
                    .iter()
                    .find(|other| (other.first, other.second) == (4 - pair.second, 4 - pair.first))
                    .unwrap();
                prop_assert!((pair.gain / other.gain - 1.0).abs() < 1e-8);
            }
        }
    }
}
