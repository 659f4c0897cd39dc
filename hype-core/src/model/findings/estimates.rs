//! Estimates with their intervals, and tests between models.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An estimate for one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The model.
    pub model: Arc<str>,
    /// The estimate, as the aggregator defines it; for `by_model` the mean over raters.
    pub value: f64,
    /// Its interval; absent if there are too few raters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The standard deviation of the bootstrap distribution ("Std." in HYPE).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap_sd: Option<f64>,
    /// The standard deviation over raters (n - 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// The standard error of the mean: `sd / sqrt(raters)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sem: Option<f64>,
    /// The standard error that the interval uses, if it uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<f64>,
    /// Raters whose values count.
    pub raters: u64,
    /// Values that count.
    pub responses: u64,
    /// The estimate if excluded raters counted; absent if no rater with a value was excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_excluded: Option<WithExcluded>,
    /// The raters' pseudo-values in an estimate that is not a mean over raters, in ascending order: the estimate plus the
    /// number of raters times the contribution of each (infinitesimal jackknife; Jaeckel 1972). Their mean is the estimate, and
    /// their standard deviation over √n its standard error. Of more than 60 raters, 20 quantiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pseudo_values: Vec<f64>,
}

impl Estimate {
    /// An estimate without interval and spread, from the given numbers of raters and values.
    #[must_use]
    pub fn new(model: &str, value: f64, raters: u64, responses: u64) -> Self {
        Self {
            model: model.into(),
            value,
            interval: None,
            bootstrap_sd: None,
            sd: None,
            sem: None,
            se: None,
            raters,
            responses,
            with_excluded: None,
            pseudo_values: Vec::new(),
        }
    }

    /// Sets the interval.
    #[must_use]
    pub fn interval(self, low: f64, high: f64, level: f64, method: &str) -> Self {
        Self { interval: Some(Interval::new(low, high, level, method)), ..self }
    }

    /// Sets the estimate that includes excluded raters.
    #[must_use]
    pub fn with_excluded(self, value: f64, raters: u64) -> Self {
        Self { with_excluded: Some(WithExcluded { value, raters }), ..self }
    }
}

/// An estimate that counts the excluded raters as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WithExcluded {
    /// The estimate.
    pub value: f64,
    /// Raters behind it.
    pub raters: u64,
}

/// An interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence level, such as 0.95.
    pub level: f64,
    /// How it was computed, with the resampled unit if any.
    pub method: Arc<str>,
    /// Degrees of freedom of the quantiles that it uses: of raters, of items, or of raters and then of items. Empty if it
    /// uses none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub df: Vec<f64>,
}

impl Interval {
    /// An interval without degrees of freedom.
    #[must_use]
    pub fn new(low: f64, high: f64, level: f64, method: &str) -> Self {
        Self { low, high, level, method: method.into(), df: Vec::new() }
    }
}

/// A test over all models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// The test's name.
    pub name: Arc<str>,
    /// The statistic's name, such as `F`.
    pub statistic_name: Arc<str>,
    /// The statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// Degrees of freedom, numerator first.
    pub df: Vec<f64>,
    /// The p value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The p value corrected for several tests of one kind; absent for a single test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Effect sizes by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Why the test is not defined for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

/// An effect size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Its name, such as `eta squared`.
    pub name: Arc<str>,
    /// Its value.
    pub value: f64,
}

/// A comparison of two models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The method, such as `Tukey-Kramer`.
    pub method: Arc<str>,
    /// The first model.
    pub a: Arc<str>,
    /// The second model.
    pub b: Arc<str>,
    /// The estimate of `a` minus that of `b`; for a method within raters, over the raters that it
    /// includes.
    pub difference: f64,
    /// The interval of the difference; simultaneous over all pairs if the method is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The statistic's name, such as `q` or `t`.
    pub statistic_name: Arc<str>,
    /// The statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// The standard error of the difference, if the method uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<f64>,
    /// Degrees of freedom; of raters where raters and items vary, whose interval has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// The p value, adjusted for the number of pairs if the method does that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Why the comparison is not defined for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}
