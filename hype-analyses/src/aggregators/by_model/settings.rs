//! The settings of `by_model`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An analysis as a paper describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedAnalysis {
    /// Zhou et al. 2019: a percentile bootstrap over raters with 10,000 resamples, one-way ANOVA, and Tukey-Kramer's
    /// comparisons of all pairs, or Student's t for two models.
    #[serde(rename = "hype-2019")]
    Hype2019,
}

/// How an interval is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// The percentiles of a bootstrap distribution. Too narrow with fewer than 30 raters.
    Percentile,
    /// Bias-corrected and accelerated percentiles (Efron 1987). Too narrow with fewer than 30 raters.
    Bca,
    /// The studentized bootstrap (Efron 1979; Hall 1988), for skewed values of ten raters or more.
    BootstrapT,
    /// The standard error with Student's t.
    T,
}

/// How pairs of models are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// The analysis that holds its level. Where raters judged one model each: Games-Howell from ten raters for each model on,
    /// else Welch's t with Bonferroni's correction. Otherwise Student's t of the differences with Bonferroni's correction.
    #[default]
    Auto,
    /// Tukey-Kramer with simultaneous intervals; equal variances.
    TukeyKramer,
    /// Games-Howell with simultaneous intervals; unequal variances.
    GamesHowell,
    /// Welch's t with Holm's correction; unequal variances.
    Welch,
    /// Student's t with Holm's correction; equal variances.
    Student,
    /// Within raters: Wilcoxon's signed ranks with Holm's correction, after Friedman's test. Between raters as `auto`.
    Wilcoxon,
}

/// The comparisons among which p values are adjusted, and over which intervals of differences are simultaneous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestFamily {
    /// All pairs of models on one measure.
    #[default]
    Measure,
    /// All pairs of models on all measures of the rubric that have a better direction.
    Rubric,
}
