use super::theory::Block;
use super::{Chain, Range, Rule, mean_last_half};
use crate::StatError;
use crate::psychometric::{Axis, PsychometricFunction, Sigmoid};

/// The displacement over the last half of a block from which on levels are on their way, in standard deviations of a walk
/// without direction.
const DIRECTED: f64 = 1.5;
/// How far the expected mean of the last half may be from a threshold that is reached: this share of the range, or half a step
/// where steps are large.
const REACHED: f64 = 0.02;
/// The typical observer: the slope in ln time, the guess rate and the lapse rate.
const SLOPE: f64 = 5.0;
const GUESS: f64 = 0.5;
const LAPSE: f64 = 0.02;

/// How a block ended.
///
/// Exhaustive on purpose: levels stay where they are, or are on their way in one of two directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Approach {
    /// The levels have reached the threshold.
    Arrived,
    /// They were on the way to a shorter threshold.
    Falling,
    /// They were on the way to a longer threshold.
    Rising,
}

/// The thresholds that blocks of a staircase reach in their last half.
///
/// # Examples
/// ```
/// use hype_stats::staircase::{Approach, Preset, Range, Reach};
/// let [of_60, of_150] = [60, 150].map(|trials| Reach::new(Preset::Weighted.rule(), Range::HYPE, trials));
/// assert_eq!(of_150.map(|reach| reach.thresholds_ms[0]), Some(100));
/// assert!(of_60.is_some_and(|reach| reach.thresholds_ms[0] > 300 && reach.thresholds_ms[1] < 700));
/// let falls: Vec<u32> = (0..60).map(|trial| 500 - 5 * trial).collect();
/// assert_eq!(of_60.map(|reach| reach.arrival(&falls)), Some(Ok(Approach::Falling)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Reach {
    /// The shortest and the longest threshold that are reached, in milliseconds.
    pub thresholds_ms: [u32; 2],
    /// The means of the last half that are expected at these, in milliseconds.
    means_ms: [f64; 2],
    rule: Rule,
    range: Range,
}

impl Reach {
    /// The reach of blocks of `trials` trials; `None` if not even the start is a threshold that they reach, or it cannot be
    /// computed.
    ///
    /// # Method
    /// A typical observer, whose share of right answers is a logistic function of ln time with slope 5 and 2 % lapses, has a
    /// threshold at the rule's target. It is reached if the exact expectation of the mean of the last half differs from it by at
    /// most 2 % of the range, or half a step. From the start to both sides, the last threshold that is reached is found by
    /// bisection to a millisecond.
    #[must_use]
    pub fn new(rule: Rule, range: Range, trials: u32) -> Option<Self> {
        let chain = Chain::new(rule, range).ok()?;
        let tolerance =
            (REACHED * f64::from(range.ceiling_ms() - range.floor_ms())).max(0.5 * step_deviation(rule));
        let mean = |threshold_ms: u32| -> Option<f64> {
            let observer = typical(f64::from(threshold_ms), rule.target())?;
            let correct = chain.probabilities(|level| observer.evaluate(level)).ok()?;
            let mean = Block::new(&chain, &correct, trials).ok()?.mean_last_half_ms;
            ((mean - f64::from(threshold_ms)).abs() <= tolerance).then_some(mean)
        };
        let start = (range.start_ms(), mean(range.start_ms())?);
        let toward = |end: u32| {
            if let Some(mean) = mean(end) {
                return (end, mean);
            }
            let (mut reached, mut beyond) = (start, end);
            while reached.0.abs_diff(beyond) > 1 {
                let middle = u32::midpoint(reached.0, beyond);
                match mean(middle) {
                    Some(mean) => reached = (middle, mean),
                    None => beyond = middle,
                }
            }
            reached
        };
        let [low, high] = [range.floor_ms(), range.ceiling_ms()].map(toward);
        Some(Self { thresholds_ms: [low.0, high.0], means_ms: [low.1, high.1], rule, range })
    }

    /// Whether a block has arrived at its threshold.
    ///
    /// # Method
    /// A block is on its way if its last half is displaced, from its first level to its last, by more than 1.5 standard
    /// deviations of a walk without direction whose steps are right as often as the rule's target; or if the mean of its last
    /// half lies beyond what is expected at the ends of the reach, unless these are the bounds of the range. The walk of a
    /// staircase at its threshold has a lower variance, as it returns: of blocks of 150 trials with thresholds of 250 to 400 ms
    /// at most 1 % are displaced so far.
    ///
    /// # Errors
    /// [`StatError::TooFew`] without any level.
    pub fn arrival(&self, levels_ms: &[u32]) -> Result<Approach, StatError> {
        let mean = mean_last_half(levels_ms)?;
        let half = &levels_ms[levels_ms.len() / 2..];
        let displaced = f64::from(half[half.len() - 1]) - f64::from(half[0]);
        let walk = DIRECTED * step_deviation(self.rule) * (half.len() as f64 - 1.0).sqrt();
        let [low, high] = self.thresholds_ms;
        let is_under = low > self.range.floor_ms() && mean < self.means_ms[0];
        let is_over = high < self.range.ceiling_ms() && mean > self.means_ms[1];
        Ok(if displaced < -walk || is_under {
            Approach::Falling
        } else if displaced > walk || is_over {
            Approach::Rising
        } else {
            Approach::Arrived
        })
    }
}

/// The standard deviation of a step at the target, in milliseconds: harder steps are as frequent as balances easier ones.
fn step_deviation(rule: Rule) -> f64 {
    let [harder, easier] = [rule.step_harder_ms(), rule.step_easier_ms()].map(f64::from);
    ((1.0 - rule.target()) * easier * (harder + easier)).sqrt()
}

/// The typical observer whose threshold, at the share `target` of right answers, is this; `None` if none has that share.
fn typical(threshold_ms: f64, target: f64) -> Option<PsychometricFunction> {
    let at = |location| {
        PsychometricFunction::new(Sigmoid::Logistic, Axis::Logarithmic, location, SLOPE, GUESS, LAPSE).ok()
    };
    let ratio = at(0.0)?.inverse(target).ok()?;
    at((threshold_ms / ratio).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::Preset;
    use crate::staircase::simulate::Simulator;

    #[test]
    fn a_step_is_as_long_as_the_rule_says() {
        // Three of four trials are 10 ms harder, one is 30 ms easier: (3 * 100 + 900) / 4.
        assert!((step_deviation(Preset::Weighted.rule()) - 300_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn typical_observers_have_their_target_at_the_threshold() {
        let observer = typical(321.0, 0.75).unwrap();
        assert!((observer.evaluate(321.0) - 0.75).abs() < 1e-12);
        assert!(typical(321.0, 0.25).is_none() && typical(321.0, 0.985).is_none());
    }

    #[test]
    fn blocks_within_reach_arrive() {
        let rule = Preset::Weighted.rule();
        let reach = Reach::new(rule, Range::HYPE, 150).unwrap();
        for (threshold, at_most) in [(250.0, 0.02), (325.0, 0.02), (400.0, 0.03)] {
            let observer = typical(threshold, rule.target()).unwrap();
            let simulator = Simulator::new(rule, Range::HYPE, |level| observer.evaluate(level)).unwrap();
            let away = (0..2_000)
                .filter(|&block| {
                    let levels: Vec<u32> =
                        simulator.trace(150, block, 5).into_iter().map(|(level, _)| level).collect();
                    reach.arrival(&levels).unwrap() != Approach::Arrived
                })
                .count();
            assert!(away as f64 <= at_most * 2_000.0, "{threshold}: {away}");
        }
    }

    #[test]
    fn rules_without_a_reach_have_none() {
        assert_eq!(Reach::new(Preset::PaperLiteral.rule(), Range::HYPE, 150), None);
        assert!(Reach::new(Preset::Weighted.rule(), Range::HYPE, 150).unwrap().arrival(&[]).is_err());
    }
}
