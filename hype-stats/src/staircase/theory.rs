//! Exact theory of staircases.
//!
//! A staircase with a given observer is a Markov chain over its levels and counts. [`Theory::new`]
//! computes its behaviour in the long run ([`Stationary`]) and in a block of a given number of trials
//! ([`Block`]), both without simulation. The mode of a block and the mean of its reversals depend on
//! the whole path, so those come from [`simulate_blocks`](super::simulate::simulate_blocks) with their
//! standard errors.
//!
//! Observers are closures from a level in milliseconds to the probability of a correct answer; the
//! psychometric functions of [`crate::psychometric`] fit in.

mod block;
mod stationary;

pub use block::{Block, LevelDistributions};
pub use stationary::Stationary;

use super::{Chain, Range, Rule, StaircaseError};

/// Why the theory of a staircase cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TheoryError {
    /// The rule, the range or the observer is refused; the author has to correct it.
    #[error(transparent)]
    Staircase(#[from] StaircaseError),
    /// The computation would take more steps than are allowed: the author needs a coarser lattice of
    /// levels, a smaller count or fewer trials.
    #[error(
        "{quantity} of this staircase would take about {steps:.1e} steps, more than the allowed {most:.1e}"
    )]
    TooLarge {
        /// The requested quantity.
        quantity: &'static str,
        /// The steps it would take.
        steps: f64,
        /// The maximum.
        most: f64,
    },
    /// Some probabilities are so small that their products vanish in double precision.
    #[error(
        "the long run of this staircase cannot be resolved: the probability of leaving a state is below 1e-308"
    )]
    Unresolved,
}

/// The exact behaviour of a rule with an observer.
///
/// # Examples
/// ```
/// use hype_stats::staircase::theory::Theory;
/// use hype_stats::staircase::{Preset, Range};
/// let observer = |ms: f64| 0.5 + 0.48 / (1.0 + (350.0 / ms).powi(5));
/// let theory = Theory::new(Preset::Weighted.rule(), Range::HYPE, observer, 150)?;
/// assert!((theory.target_level_ms.unwrap_or(0.0) - 355.8857).abs() < 1e-3);
/// assert!(theory.exact.mean_last_half_ms > 300.0);
/// # Ok::<(), hype_stats::staircase::theory::TheoryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Theory {
    /// The rule's target probability of a correct answer.
    pub target: f64,
    /// The level at which the observer has that probability; `None` if there is none.
    pub target_level_ms: Option<f64>,
    /// The level at which the observer answers 75 % correctly; `None` if there is none.
    pub p75_level_ms: Option<f64>,
    /// The long run.
    pub stationary: Stationary,
    /// One block of the requested number of trials.
    pub exact: Block,
}

impl Theory {
    /// Computes the theory of blocks of `trials` trials.
    ///
    /// `observer` gives the probability of a correct answer at a level in milliseconds and must not
    /// fall as the level rises.
    ///
    /// # Errors
    /// [`TheoryError::Staircase`] if the observer gives something other than a probability, there are no trials, or
    /// the rule has too many states; [`TheoryError::TooLarge`]; [`TheoryError::Unresolved`].
    pub fn new(
        rule: Rule,
        range: Range,
        observer: impl Fn(f64) -> f64,
        trials: u32,
    ) -> Result<Self, TheoryError> {
        let chain = Chain::new(rule, range)?;
        let correct = chain.probabilities(&observer)?;
        let target = rule.target();
        Ok(Self {
            target,
            target_level_ms: level_at(&observer, target),
            p75_level_ms: level_at(&observer, 0.75),
            stationary: Stationary::new(&chain, range, &correct)?,
            exact: Block::new(&chain, &correct, trials)?,
        })
    }
}

/// Finds the level at which an observer answers with probability `probability`.
///
/// `None` unless that lies strictly between the observer's lowest and highest probabilities, its guess
/// rate and 1 - lapse.
///
/// # Method
/// Bisection on the logarithm of the level from 1e-300 to 1e300 ms, down to neighbouring numbers; the
/// observer's probability must not fall as the level rises.
#[must_use]
pub fn level_at(observer: impl Fn(f64) -> f64, probability: f64) -> Option<f64> {
    const WIDEST: f64 = 690.0;
    let at = |log_level: f64| observer(log_level.exp());
    let (mut low, mut high) = (-WIDEST, WIDEST);
    if !(at(low) < probability && probability < at(high)) {
        return None;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Some(middle.exp());
        }
        if at(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Weights closer than this, relative to the largest, count as tied.
const TIED: f64 = 1e-12;

/// The first of the largest weights; rounding does not order tied ones.
fn first_largest(weights: &[f64]) -> usize {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().position(|weight| *weight >= largest * (1.0 - TIED)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_invert_the_observer() {
        let observer = |ms: f64| 0.5 + 0.48 * (1.0 - (-(ms / 350.0).powf(3.5)).exp());
        let exact = 350.0 * (-(1.0 - 0.25 / 0.48_f64).ln()).powf(1.0 / 3.5);
        let found = level_at(observer, 0.75).unwrap();
        assert!((found / exact - 1.0).abs() < 1e-12, "{found} {exact}");
        for outside in [0.2, 0.5, 0.98, 1.0, f64::NAN] {
            assert_eq!(level_at(observer, outside), None, "{outside}");
        }
    }

    #[test]
    fn ties_within_rounding_go_to_the_first() {
        assert_eq!(first_largest(&[0.1, 0.3, 0.3 + 1e-16, 0.2]), 1);
        assert_eq!(first_largest(&[0.1, 0.3, 0.3 + 1e-9, 0.2]), 2);
    }
}
