//! The expected results of a number of raters.

use schemars::JsonSchema;
use serde::Serialize;

/// A probability, with its Monte-Carlo error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Chance {
    /// The probability.
    pub probability: f64,
    /// Its Monte-Carlo standard error; 0 if it is computed.
    pub standard_error: f64,
}

impl Chance {
    /// A probability that is computed.
    pub(super) const fn exact(probability: f64) -> Self {
        Self { probability, standard_error: 0.0 }
    }

    /// The share of simulated studies.
    pub(super) fn share(of: u32, studies: u32) -> Self {
        let probability = f64::from(of) / f64::from(studies);
        Self::simulated(probability, studies)
    }

    /// A share of simulated studies.
    pub(super) fn simulated(probability: f64, studies: u32) -> Self {
        let variance = probability * (1.0 - probability) / f64::from(studies);
        Self { probability, standard_error: variance.sqrt() }
    }
}

/// The expected results of a number of raters. Absent values are not defined for the study or its assumptions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Outlook {
    /// The width of the interval of the model that is known least well, from end to end: the root of the mean square over studies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The Monte-Carlo standard error of the width; absent if it is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width_error: Option<f64>,
    /// The smallest difference of two models that is found with probability 0.8: by a t test, or in simulated studies as the study compares pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// The probability of telling the closest pair apart by a t test by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_alone: Option<Chance>,
    /// The probability of telling the closest pair apart as the study does, which allows for all pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Chance>,
    /// The probability of telling all pairs apart as the study does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_pairs: Option<Chance>,
    /// The probability that the best model comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Chance>,
    /// The probability that all models come out in the right order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Chance>,
    /// The smallest margin around the measure's reference value within which a model at that value is shown to be equivalent with
    /// probability 0.8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<f64>,
    /// The probability that the model nearest to the measure's reference value is shown to be equivalent to it, within the margin
    /// that the study declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_margin: Option<Chance>,
}
