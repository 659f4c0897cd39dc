use super::{Chain, StaircaseError, TheoryError, first_largest};

/// The maximum number of products for a block.
const MOST_STEPS: f64 = 4e9;

/// The exact expectations of a block of a given number of trials.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Block {
    /// Trials in the block.
    pub trials: u32,
    /// Expectation of the mean level over the last half, the longer half if the number is odd.
    pub mean_last_half_ms: f64,
    /// Standard deviation of that mean over blocks.
    pub sd_last_half_ms: f64,
    /// Expected level at the last trial.
    pub mean_last_trial_ms: f64,
    /// The level that is expected to be shown most often, the lowest if tied.
    pub modal_occupancy_ms: u32,
    /// Expected share of correct answers.
    pub accuracy: f64,
    /// Expected number of reversals.
    pub reversals: f64,
    /// Every level that can be shown, ascending.
    pub levels_ms: Vec<u32>,
    /// Expected presentations of each level; they add up to the number of trials.
    pub occupancy: Vec<f64>,
    /// Expected level at each trial.
    pub mean_each_trial_ms: Vec<f64>,
}

impl Block {
    /// Computes a block from a chain and the probability of a correct answer at each of its levels.
    ///
    /// # Method
    /// The distribution over states d is carried forward, d(t+1) = d(t) P from the start. The
    /// variance of the last half's sum S is carried backward by the law of total variance, with M and
    /// V the mean and variance of the remaining sum from a state: V(t) = p V(t+1, correct) + q V(t+1,
    /// wrong) + p q (M(t+1, correct) - M(t+1, wrong))^2. Only means are subtracted, so no digits
    /// cancel. Reversals are counted by carrying the direction of the last step along.
    ///
    /// # Errors
    /// [`StaircaseError::TooShort`] without a trial and [`TheoryError::TooLarge`] beyond 4e9 products
    /// of trials and states.
    pub fn new(chain: &Chain, correct: &[f64], trials: u32) -> Result<Self, TheoryError> {
        if trials == 0 {
            return Err(StaircaseError::TooShort { field: "trials", least: 1, got: 0 }.into());
        }
        let steps = f64::from(trials) * chain.states().len() as f64;
        if steps > MOST_STEPS {
            return Err(TheoryError::TooLarge { quantity: "a block", steps, most: MOST_STEPS });
        }
        let levels_ms = chain.levels_ms();
        let half = trials / 2;
        let mut walk = LevelDistributions::new(chain, correct);
        let mut occupancy = vec![0.0; levels_ms.len()];
        let mut mean_each_trial_ms = Vec::with_capacity(trials as usize);
        let mut right = 0.0;
        let mut at_half = Vec::new();
        for trial in 0..trials {
            if trial == half {
                at_half = walk.state_weights();
            }
            let weights = walk.level_weights();
            mean_each_trial_ms.push(dot(&weights, levels_ms.iter().map(|&level| f64::from(level))));
            right += dot(&weights, correct.iter().copied());
            for (sum, weight) in occupancy.iter_mut().zip(&weights) {
                *sum += weight;
            }
            walk.advance();
        }
        let counted = f64::from(trials - half);
        let (mean, variance) = sum_of_levels(chain, correct, trials - half, &at_half);
        Ok(Self {
            trials,
            mean_last_half_ms: mean / counted,
            sd_last_half_ms: variance.sqrt() / counted,
            mean_last_trial_ms: mean_each_trial_ms[mean_each_trial_ms.len() - 1],
            modal_occupancy_ms: levels_ms[first_largest(&occupancy)],
            accuracy: right / f64::from(trials),
            reversals: walk.reversals,
            levels_ms: levels_ms.to_vec(),
            occupancy,
            mean_each_trial_ms,
        })
    }
}

/// Mean and variance of the sum of `trials` levels from states with these weights.
fn sum_of_levels(chain: &Chain, correct: &[f64], trials: u32, weights: &[f64]) -> (f64, f64) {
    let states = chain.states();
    let mut mean = vec![0.0; states.len()];
    let mut variance = vec![0.0; states.len()];
    let mut earlier_mean = mean.clone();
    let mut earlier_variance = mean.clone();
    for _ in 0..trials {
        for (index, state) in states.iter().enumerate() {
            let p = correct[state.level];
            let q = 1.0 - p;
            let apart = mean[state.correct] - mean[state.wrong];
            earlier_mean[index] =
                f64::from(chain.levels_ms()[state.level]) + p * mean[state.correct] + q * mean[state.wrong];
            earlier_variance[index] =
                p * variance[state.correct] + q * variance[state.wrong] + p * q * apart * apart;
        }
        std::mem::swap(&mut mean, &mut earlier_mean);
        std::mem::swap(&mut variance, &mut earlier_variance);
    }
    let overall = dot(weights, mean.iter().copied());
    let between = mean.iter().map(|mean| (mean - overall).powi(2));
    let total = dot(weights, between) + dot(weights, variance.iter().copied());
    (overall, total)
}

fn dot(weights: &[f64], values: impl Iterator<Item = f64>) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

/// The distribution of the level at each trial, as an endless iterator over trials.
///
/// # Examples
/// ```
/// use hype_stats::staircase::theory::LevelDistributions;
/// use hype_stats::staircase::{Chain, Preset, Range};
/// let chain = Chain::new(Preset::Weighted.rule(), Range::new(100, 200, 150)?)?;
/// let correct = chain.probabilities(|_| 0.75)?;
/// let second = LevelDistributions::new(&chain, &correct).nth(1).unwrap_or_default();
/// let at = |ms| chain.levels_ms().binary_search(&ms).map(|index| second[index]);
/// assert_eq!((at(140), at(180)), (Ok(0.75), Ok(0.25)));
/// # Ok::<(), hype_stats::staircase::StaircaseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LevelDistributions<'a> {
    chain: &'a Chain,
    correct: &'a [f64],
    /// By the direction of the last step (none yet, harder, easier) and the state.
    weights: [Vec<f64>; 3],
    next: [Vec<f64>; 3],
    reversals: f64,
}

impl<'a> LevelDistributions<'a> {
    /// Begins at the chain's start, with the probability of a correct answer at each of its levels.
    #[must_use]
    pub fn new(chain: &'a Chain, correct: &'a [f64]) -> Self {
        let none = || vec![0.0; chain.states().len()];
        let mut weights = [none(), none(), none()];
        weights[0][chain.start()] = 1.0;
        Self { chain, correct, weights, next: [none(), none(), none()], reversals: 0.0 }
    }

    fn state_weights(&self) -> Vec<f64> {
        let [none, harder, easier] = &self.weights;
        none.iter().zip(harder).zip(easier).map(|((a, b), c)| a + b + c).collect()
    }

    fn level_weights(&self) -> Vec<f64> {
        let mut levels = vec![0.0; self.chain.levels_ms().len()];
        for (state, weight) in self.chain.states().iter().zip(self.state_weights()) {
            levels[state.level] += weight;
        }
        levels
    }

    fn advance(&mut self) {
        const HARDER: usize = 1;
        const EASIER: usize = 2;
        for weights in &mut self.next {
            weights.fill(0.0);
        }
        for (last, weights) in self.weights.iter().enumerate() {
            for (state, weight) in self.chain.states().iter().zip(weights) {
                if *weight > 0.0 {
                    let p = self.correct[state.level];
                    let right = weight * p;
                    let wrong = weight * (1.0 - p);
                    self.next[if state.harder { HARDER } else { last }][state.correct] += right;
                    self.next[EASIER][state.wrong] += wrong;
                    if last == HARDER {
                        self.reversals += wrong;
                    } else if last == EASIER && state.harder {
                        self.reversals += right;
                    }
                }
            }
        }
        std::mem::swap(&mut self.weights, &mut self.next);
    }
}

impl Iterator for LevelDistributions<'_> {
    type Item = Vec<f64>;

    fn next(&mut self) -> Option<Self::Item> {
        let levels = self.level_weights();
        self.advance();
        Some(levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::{Counting, Range, Rule, Staircase, mean_last_half, reversals};

    /// Every sequence of answers, weighted by its probability.
    #[test]
    fn short_blocks_agree_with_the_sum_over_all_answers() {
        const TRIALS: u32 = 11;
        let observer = |ms: f64| 0.5 + 0.45 * ms / (ms + 200.0);
        for (n, counting) in [
            (1, Counting::Consecutive),
            (2, Counting::Consecutive),
            (2, Counting::Cumulative),
            (3, Counting::Cumulative),
        ] {
            let rule = Rule::new(n, 40, 25, counting).unwrap();
            let range = Range::new(90, 250, 170).unwrap();
            let mut sums = [0.0; 6];
            for answers in 0..1_u32 << TRIALS {
                let mut machine = Staircase::new(rule, range);
                let mut weight = 1.0;
                let mut levels = Vec::new();
                let mut correct = Vec::new();
                for trial in 0..TRIALS {
                    let right = answers >> trial & 1 == 1;
                    let p = observer(f64::from(machine.level_ms()));
                    weight *= if right { p } else { 1.0 - p };
                    levels.push(machine.level_ms());
                    correct.push(right);
                    machine.answer(right);
                }
                let half = mean_last_half(&levels).unwrap();
                let turns = reversals(rule, &levels, &correct).unwrap().len();
                let right = correct.iter().filter(|answer| **answer).count();
                sums[0] += weight * half;
                sums[1] += weight * half * half;
                sums[2] += weight * f64::from(levels[TRIALS as usize - 1]);
                sums[3] += weight * turns as f64;
                sums[4] += weight * right as f64 / f64::from(TRIALS);
                sums[5] += weight * levels.iter().filter(|level| **level == 170).count() as f64;
            }
            let chain = Chain::new(rule, range).unwrap();
            let correct = chain.probabilities(observer).unwrap();
            let block = Block::new(&chain, &correct, TRIALS).unwrap();
            let middle = chain.levels_ms().binary_search(&170).unwrap();
            let got = [
                block.mean_last_half_ms,
                block.sd_last_half_ms.powi(2) + block.mean_last_half_ms.powi(2),
                block.mean_last_trial_ms,
                block.reversals,
                block.accuracy,
                block.occupancy[middle],
            ];
            for (got, want) in got.into_iter().zip(sums) {
                assert!((got / want - 1.0).abs() < 1e-12, "{n} {counting}: {got} {want}");
            }
        }
    }

    #[test]
    fn one_trial_is_the_start() {
        let rule = Rule::new(1, 10, 30, Counting::Consecutive).unwrap();
        let chain = Chain::new(rule, Range::HYPE).unwrap();
        let correct = chain.probabilities(|_| 0.9).unwrap();
        let block = Block::new(&chain, &correct, 1).unwrap();
        assert_eq!((block.mean_last_half_ms, block.sd_last_half_ms), (500.0, 0.0));
        assert_eq!((block.modal_occupancy_ms, block.accuracy, block.reversals), (500, 0.9, 0.0));
        assert!(Block::new(&chain, &correct, 0).is_err());
        let endless = Block::new(&chain, &correct, u32::MAX);
        assert!(matches!(endless, Err(TheoryError::TooLarge { .. })));
    }
}
