//! How intervals are computed, as several aggregators let it be set.

use hype_core::Diagnostics;
use hype_core::model::findings::Interval;
use hype_stats::bootstrap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many resamples, and the level of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Resampling {
    /// How many resamples.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub resamples: u32,
    /// The confidence level.
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub level: f64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: 2_000, level: 0.95 }
    }
}

impl Resampling {
    /// Checks the ranges, at the path of the settings.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        if !(100..=1_000_000).contains(&self.resamples) {
            at.field("resamples")
                .error("out-of-range", format!("{} resamples", self.resamples))
                .help("use a number from 100 to 1000000");
        }
        check_level(self.level, at);
    }

    /// The resamples that a seed gives.
    pub(crate) const fn seeded(&self, seed: u64) -> bootstrap::Resamples<'static> {
        bootstrap::Resamples::seeded(self.resamples as usize, seed)
    }

    /// A percentile interval over resampled units.
    pub(crate) fn percentile(&self, found: bootstrap::Interval, unit: &str) -> Interval {
        interval(found, &format!("percentile bootstrap over {unit}, {} resamples", self.resamples))
    }
}

/// Checks a penalty on strengths, at the path of the settings.
pub(crate) fn check_ridge(ridge: Option<f64>, at: &mut Diagnostics) {
    if let Some(alpha) = ridge.filter(|alpha| !(*alpha > 0.0 && alpha.is_finite())) {
        at.field("ridge")
            .error("out-of-range", format!("{alpha} is no penalty"))
            .help("use a small number above 0, such as 0.1, or leave it out");
    }
}

/// Checks a confidence level, at the path of the settings.
pub(crate) fn check_level(level: f64, at: &mut Diagnostics) {
    if !(0.5..=0.9999).contains(&level) {
        at.field("level")
            .error("out-of-range", format!("{level} is no confidence level"))
            .help("use a share from 0.5 to 0.9999, such as 0.95");
    }
}

/// An interval of findings.
pub(crate) fn interval(found: bootstrap::Interval, method: &str) -> Interval {
    Interval { low: found.lower, high: found.upper, level: found.level, method: method.into() }
}
