//! Observers: the probability that a rater is right about one model.
//!
//! With a limited exposure t a rater is right with the probability ψ(t) = 1/2 + (1/2 - lapse) F(slope ln(t / threshold)), where
//! F(z) = 1 / (1 + exp(-z)) (Wichmann and Hill 2001, equation 1).

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::{Levels, MediaKind, NumberBounds, Role};
use hype_stats::StatError;
use hype_stats::psychometric::{Axis, PsychometricFunction, Sigmoid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default threshold of a model, in ms.
const THRESHOLD_MS: f64 = 360.0;
/// How many times as long texts take as images, as do the default exposures of `hype_time`.
const TEXTS: f64 = 10.0;
/// The probability of a right answer at no exposure.
const GUESS: f64 = 0.5;

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
    /// The median rater's threshold in ms. The default is 360 for every model, near the 363 ms that Zhou et al. 2019
    /// measured for StyleGAN on FFHQ, and 3,600 for texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub threshold_ms: Option<f64>,
    /// The standard deviation over raters of the natural logarithm of this threshold, if it is not the
    /// population's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub rater_sd: Option<f64>,
    /// The steepness, for each unit of ln(t / threshold).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub slope: f64,
    /// The probability of a wrong answer at any exposure.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 0.5))]
    pub lapse: f64,
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
    #[schemars(extend("default" = {}), transform = NumberBounds::SHARE.schema())]
    pub qualities: BTreeMap<String, f64>,
    /// The effect on the quality of items at a level of a facet, by facet and level: `{ subject: { text: -0.3 } }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {}), transform = NumberBounds::new(-1.0, 1.0, -0.2).schema())]
    pub levels: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Default for Observer {
    fn default() -> Self {
        Self {
            threshold_ms: None,
            rater_sd: None,
            slope: 5.0,
            lapse: 0.02,
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
    /// If the threshold or the slope is not positive, or the lapse rate is not from 0 to under one half.
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
        self.acuity_for(MediaKind::Image)
    }

    /// The observer of a kind of media with every default filled in.
    ///
    /// # Errors
    /// As [`acuity`](Self::acuity).
    pub fn acuity_for(&self, kind: MediaKind) -> Result<Acuity, StatError> {
        let usual = if kind == MediaKind::Text { TEXTS * THRESHOLD_MS } else { THRESHOLD_MS };
        let timed_ms = self.threshold_ms.unwrap_or(usual);
        // Without a limit of time, all kinds have the errors and the quality of images.
        let threshold_ms = self.threshold_ms.unwrap_or(THRESHOLD_MS);
        let error = (threshold_ms / 900.0).min(0.5);
        Ok(Acuity {
            psychometric: self.psychometric(timed_ms)?,
            rater_sd: self.rater_sd,
            untimed: self.untimed.unwrap_or(Untimed { fakes_error: error, reals_error: error }),
            quality: self.quality.unwrap_or_else(|| (threshold_ms / 600.0).min(1.0)),
        })
    }

    /// Returns the amount added to the quality for an item at these levels of facets.
    pub(crate) fn shift(&self, levels: &Levels) -> f64 {
        let of = |(facet, level): (&Arc<str>, &Arc<str>)| self.levels.get(&**facet)?.get(&**level).copied();
        levels.iter().filter_map(of).sum()
    }

    fn psychometric(&self, threshold_ms: f64) -> Result<PsychometricFunction, StatError> {
        let location = threshold_ms.ln();
        PsychometricFunction::new(
            Sigmoid::Logistic,
            Axis::Logarithmic,
            location,
            self.slope,
            GUESS,
            self.lapse,
        )
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
    /// Error rates without a time limit.
    pub untimed: Untimed,
    /// The quality of the model's stimuli for questions without a right answer.
    pub quality: f64,
}

impl Acuity {
    /// The probability of a right answer with a limited exposure, by a rater whose threshold is `factor` times as high.
    #[must_use]
    pub fn timed(&self, exposure_ms: f64, factor: f64) -> f64 {
        // A threshold that is k times higher is equivalent to an exposure that is k times shorter.
        self.psychometric.evaluate(exposure_ms / factor)
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
}

/// The probability whose odds are `factor` times those of `probability`; 0 and 1 are unchanged.
pub(crate) fn times_odds(probability: f64, factor: f64) -> f64 {
    let scaled = probability * factor;
    scaled / (1.0 - probability + scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_has_its_published_form() {
        // Closed forms: F is one half at the threshold, and (1/2)^2 / (1 + (1/2)^2) = 0.2 at half of it.
        let observer = Observer { threshold_ms: Some(200.0), slope: 2.0, ..Observer::default() };
        let acuity = observer.acuity().unwrap();
        for (exposure_ms, expected) in [(0.0, 0.5), (100.0, 0.5 + 0.48 * 0.2), (200.0, 0.74), (1e9, 0.98)] {
            let got = acuity.timed(exposure_ms, 1.0);
            assert!((got - expected).abs() < 1e-12, "at {exposure_ms}: {got}, not {expected}");
        }
    }

    #[test]
    fn errors_and_quality_follow_from_the_threshold() {
        let acuity = Observer::default().acuity().unwrap();
        assert!((acuity.psychometric.threshold() - 360.0).abs() < 1e-9);
        assert_eq!((acuity.untimed(Some(Role::Real), 1.0), acuity.quality), (0.6, 0.6));
        let of_texts = Observer::default().acuity_for(MediaKind::Text).unwrap();
        assert!((of_texts.psychometric.threshold() - 3_600.0).abs() < 1e-9);
        assert_eq!(of_texts.untimed, acuity.untimed);
        let named = Observer { threshold_ms: Some(800.0), ..Observer::default() }.acuity().unwrap();
        assert_eq!((named.untimed(None, 1.0), named.quality), (0.5, 1.0));
    }

    #[test]
    fn difficulty_raises_thresholds_and_odds_equally() {
        let observer = Observer { threshold_ms: Some(360.0), ..Observer::default() };
        let acuity = observer.acuity().unwrap();
        assert!((acuity.timed(720.0, 2.0) - 0.74).abs() < 1e-12);
        // The odds of 0.4 are 2/3; doubled they are 4/3, which is a probability of 4/7.
        assert!((acuity.untimed(None, 2.0) - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!((times_odds(0.0, 3.0), times_odds(1.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn impossible_observers_are_refused() {
        let default = Observer::default();
        for observer in [
            Observer { threshold_ms: Some(0.0), ..default.clone() },
            Observer { threshold_ms: Some(-5.0), ..default.clone() },
            Observer { slope: 0.0, ..default.clone() },
            Observer { lapse: 0.5, ..default.clone() },
            Observer { lapse: f64::NAN, ..default },
        ] {
            assert!(observer.acuity().is_err(), "{observer:?}");
        }
    }
}
