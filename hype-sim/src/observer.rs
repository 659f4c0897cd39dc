//! Observers: the probability that a rater is right about one model.
//!
//! With a limited exposure t a rater is right with the probability ψ(t) = guess + (1 - guess - lapse) F(slope
//! x(t)), with F by [`Family`] and x by [`TimeScale`] (Wichmann and Hill 2001, equation 1).

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::{Levels, Role};
use hype_stats::StatError;
use hype_stats::psychometric::{Axis, PsychometricFunction, Sigmoid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default threshold of a model, in ms.
const THRESHOLD_MS: f64 = 360.0;

/// The family of a psychometric function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// F(z) = 1 / (1 + exp(-z)); one half at the threshold.
    #[default]
    Logistic,
    /// F(z) = 1 - exp(-exp(z)); 1 - 1/e at the threshold. In log time this is the Weibull function
    /// 1 - exp(-(t / threshold)^slope).
    Weibull,
    /// F(z) = Φ(z), the normal distribution function; one half at the threshold.
    Normal,
}

impl Family {
    fn sigmoid(self) -> Sigmoid {
        match self {
            Self::Logistic => Sigmoid::Logistic,
            Self::Weibull => Sigmoid::Gumbel,
            Self::Normal => Sigmoid::Normal,
        }
    }
}

/// How time enters a psychometric function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TimeScale {
    /// x = ln(t / threshold).
    #[default]
    Log,
    /// x = t / threshold - 1, so that a slope means the same near the threshold as in log time.
    Linear,
}

/// Error rates without a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Untimed {
    /// The share of generated stimuli taken for real ones, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fakes_error: f64,
    /// The share of real stimuli taken for generated ones, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reals_error: f64,
}

/// How well raters recognize the stimuli of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Observer {
    /// The family of the psychometric function: `logistic`, `weibull` or `normal`.
    pub family: Family,
    /// `log` or `linear` time.
    pub time: TimeScale,
    /// The median rater's threshold in ms. The default is 360 for every model, near the 363 ms that Zhou et al. 2019
    /// measured for StyleGAN on FFHQ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub threshold_ms: Option<f64>,
    /// The standard deviation over raters of the natural logarithm of this threshold, if it is not the
    /// population's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub rater_sd: Option<f64>,
    /// The steepness, for each unit of ln(t / threshold) or of t / threshold.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub slope: f64,
    /// The probability of a right answer at no exposure.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub guess: f64,
    /// The probability of a wrong answer at any exposure.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub lapse: f64,
    /// The inclination to answer `real` when guessing, from -1 (always generated) to 1 (always real): with
    /// a limited exposure P(right | real) = ψ + bias min(ψ, 1 - ψ) and P(right | generated) =
    /// ψ - bias min(ψ, 1 - ψ), whose mean is ψ.
    #[schemars(range(min = -1.0, max = 1.0))]
    pub bias: f64,
    /// The median rater's error rates without a time limit. The default is threshold_ms / 900, at most one
    /// half, for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untimed: Option<Untimed>,
    /// The quality of the model's stimuli for questions without a right answer, from 0 (the first option, the least
    /// number) to 1 (the last option, the greatest number). The default is threshold_ms / 600, at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub quality: Option<f64>,
    /// The quality by questions, by the keys of their answers, where it is another one: `{ realism: 0.3 }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {}))]
    pub qualities: BTreeMap<String, f64>,
    /// What is added to the quality for items at a level of a facet, by facet and level: `{ subject: { text: -0.3 } }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {}))]
    pub levels: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Default for Observer {
    fn default() -> Self {
        Self {
            family: Family::default(),
            time: TimeScale::default(),
            threshold_ms: None,
            rater_sd: None,
            slope: 5.0,
            guess: 0.5,
            lapse: 0.02,
            bias: 0.0,
            untimed: None,
            quality: None,
            qualities: BTreeMap::new(),
            levels: BTreeMap::new(),
        }
    }
}

impl Observer {
    /// The observer with every default filled in.
    ///
    /// # Errors
    /// If the threshold or the slope is not positive, or guess and lapse are not rates that sum to less than 1.
    ///
    /// # Examples
    /// ```
    /// use hype_sim::Observer;
    /// let observer = Observer { threshold_ms: Some(300.0), ..Observer::default() };
    /// let right = observer.acuity()?.psychometric.evaluate(300.0);
    /// assert!((right - 0.74).abs() < 1e-12);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn acuity(&self) -> Result<Acuity, StatError> {
        let threshold_ms = self.threshold_ms.unwrap_or(THRESHOLD_MS);
        let error = (threshold_ms / 900.0).min(0.5);
        Ok(Acuity {
            psychometric: self.psychometric(threshold_ms)?,
            rater_sd: self.rater_sd,
            bias: self.bias,
            untimed: self.untimed.unwrap_or(Untimed { fakes_error: error, reals_error: error }),
            quality: self.quality.unwrap_or_else(|| (threshold_ms / 600.0).min(1.0)),
        })
    }

    /// What is added to the quality for an item at these levels of facets.
    pub(crate) fn shift(&self, levels: &Levels) -> f64 {
        let of = |(facet, level): (&Arc<str>, &Arc<str>)| self.levels.get(&**facet)?.get(&**level).copied();
        levels.iter().filter_map(of).sum()
    }

    fn psychometric(&self, threshold_ms: f64) -> Result<PsychometricFunction, StatError> {
        let (axis, location, slope) = match self.time {
            TimeScale::Log => (Axis::Logarithmic, threshold_ms.ln(), self.slope),
            TimeScale::Linear => (Axis::Linear, threshold_ms, self.slope / threshold_ms),
        };
        PsychometricFunction::new(self.family.sigmoid(), axis, location, slope, self.guess, self.lapse)
    }
}

/// An observer with every default filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acuity {
    /// The probability of a right answer with a limited exposure in ms.
    pub psychometric: PsychometricFunction,
    /// The standard deviation over raters of the natural logarithm of the threshold, if it is not the
    /// population's.
    pub rater_sd: Option<f64>,
    /// The inclination to answer `real` when guessing.
    pub bias: f64,
    /// Error rates without a time limit.
    pub untimed: Untimed,
    /// The quality of the model's stimuli for questions without a right answer.
    pub quality: f64,
}

impl Acuity {
    /// The probability of a right answer with a limited exposure, for a class of stimuli or over both, by a rater
    /// whose threshold is `factor` times as high.
    #[must_use]
    pub fn timed(&self, exposure_ms: f64, role: Option<Role>, factor: f64) -> f64 {
        // A threshold that is k times higher is equivalent to an exposure that is k times shorter.
        self.biased(self.psychometric.evaluate(exposure_ms / factor), role)
    }

    /// The probability of a right answer without a time limit, for a class of stimuli or over both, by a rater whose
    /// odds of an error are `factor` times as high.
    #[must_use]
    pub fn untimed(&self, role: Option<Role>, factor: f64) -> f64 {
        let error = match role {
            Some(Role::Real) => self.untimed.reals_error,
            Some(Role::Generated) => self.untimed.fakes_error,
            None => 0.5 * (self.untimed.reals_error + self.untimed.fakes_error),
        };
        1.0 - times_odds(error, factor)
    }

    /// Applies the bias to the probability of a right answer over both classes.
    pub(crate) fn biased(&self, probability: f64, role: Option<Role>) -> f64 {
        let shift = self.bias * probability.min(1.0 - probability);
        match role {
            Some(Role::Real) => probability + shift,
            Some(Role::Generated) => probability - shift,
            None => probability,
        }
    }
}

/// The probability whose odds are `factor` times those of `probability`; 0 and 1 are unchanged.
pub(crate) fn times_odds(probability: f64, factor: f64) -> f64 {
    let scaled = probability * factor;
    scaled / (1.0 - probability + scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, time: TimeScale, exposure_ms: f64, expected: f64) {
        let observer =
            Observer { family, time, threshold_ms: Some(200.0), slope: 2.0, ..Observer::default() };
        let got = observer.acuity().unwrap().timed(exposure_ms, None, 1.0);
        assert!(
            (got - expected).abs() < 1e-12,
            "{family:?} {time:?} at {exposure_ms}: {got}, not {expected}"
        );
    }

    #[test]
    fn families_have_their_published_form() {
        // Closed forms computed by hand: (1/2)^2 / (1 + (1/2)^2) = 0.2, exp(-1/4), and tables of the
        // normal.
        check(Family::Logistic, TimeScale::Log, 200.0, 0.74);
        check(Family::Logistic, TimeScale::Log, 100.0, 0.5 + 0.48 * 0.2);
        check(Family::Logistic, TimeScale::Linear, 300.0, 0.5 + 0.48 * 0.731_058_578_630_004_9);
        check(Family::Weibull, TimeScale::Log, 200.0, 0.5 + 0.48 * 0.632_120_558_828_557_7);
        check(Family::Weibull, TimeScale::Log, 100.0, 0.5 + 0.48 * 0.221_199_216_928_595_13);
        check(Family::Normal, TimeScale::Linear, 200.0, 0.74);
        check(Family::Normal, TimeScale::Linear, 300.0, 0.5 + 0.48 * 0.841_344_746_068_542_9);
    }

    #[test]
    fn no_exposure_leaves_guessing_and_a_long_one_lapses() {
        for family in [Family::Logistic, Family::Weibull, Family::Normal] {
            check(family, TimeScale::Log, 0.0, 0.5);
            for time in [TimeScale::Log, TimeScale::Linear] {
                check(family, time, 1e9, 0.98);
            }
        }
    }

    #[test]
    fn errors_and_quality_follow_from_the_threshold() {
        let acuity = Observer::default().acuity().unwrap();
        assert!((acuity.psychometric.threshold() - 360.0).abs() < 1e-9);
        assert_eq!((acuity.untimed(Some(Role::Real), 1.0), acuity.quality), (0.6, 0.6));
        let named = Observer { threshold_ms: Some(800.0), ..Observer::default() }.acuity().unwrap();
        assert_eq!((named.untimed(None, 1.0), named.quality), (0.5, 1.0));
    }

    #[test]
    fn bias_keeps_the_mean_over_both_classes() {
        for (bias, probability) in [(0.5, 0.75), (-1.0, 0.6), (1.0, 0.3), (0.2, 1.0)] {
            let acuity = Observer { bias, ..Observer::default() }.acuity().unwrap();
            let real = acuity.biased(probability, Some(Role::Real));
            let fake = acuity.biased(probability, Some(Role::Generated));
            assert!((0.5 * (real + fake) - probability).abs() < 1e-12);
            assert!((0.0..=1.0).contains(&real) && (0.0..=1.0).contains(&fake));
            assert_eq!(real >= fake, bias >= 0.0);
        }
    }

    #[test]
    fn what_is_harder_raises_thresholds_and_odds_alike() {
        let observer = Observer { threshold_ms: Some(360.0), ..Observer::default() };
        let acuity = observer.acuity().unwrap();
        assert!((acuity.timed(720.0, None, 2.0) - 0.74).abs() < 1e-12);
        let linear = Observer { time: TimeScale::Linear, ..observer }.acuity().unwrap();
        assert!((linear.timed(720.0, None, 2.0) - 0.74).abs() < 1e-12);
        // The odds of 0.4 are 2/3; doubled they are 4/3, which is a probability of 4/7.
        assert!((acuity.untimed(None, 2.0) - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!((times_odds(0.0, 3.0), times_odds(1.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn impossible_observers_are_refused() {
        let default = Observer::default();
        for observer in [
            Observer { threshold_ms: Some(0.0), ..default.clone() },
            Observer { threshold_ms: Some(-5.0), time: TimeScale::Linear, ..default.clone() },
            Observer { slope: 0.0, ..default.clone() },
            Observer { lapse: 0.5, ..default.clone() },
            Observer { guess: f64::NAN, ..default },
        ] {
            assert!(observer.acuity().is_err(), "{observer:?}");
        }
    }
}
