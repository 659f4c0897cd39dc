//! The settings of intervals that several aggregators share.

use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_core::{Bounded, Diagnostics, NumberBounds};
use hype_stats::bootstrap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many resamples, and the level of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Resampling {
    /// How many resamples.
    pub resamples: Bounded<100, 1_000_000>,
    /// The confidence level.
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: f64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: Bounded::new(2_000), level: 0.95 }
    }
}

impl Resampling {
    /// The resamples that a seed gives.
    pub(crate) const fn seeded(&self, seed: u64) -> bootstrap::Resamples<'static> {
        bootstrap::Resamples::seeded(self.resamples.get() as usize, seed)
    }

    /// A percentile interval over resampled units.
    pub(crate) fn percentile(&self, found: bootstrap::IntervalEstimate, unit: &str) -> Interval {
        interval(found, &format!("percentile bootstrap over {unit}, {} resamples", self.resamples))
    }

    /// An expanded percentile interval; `units` is the number of resampled units. `None` if there is no distribution or it is too
    /// small for an interval.
    pub(crate) fn expanded(
        &self,
        distribution: Option<&bootstrap::Distribution>,
        units: usize,
        unit: &str,
    ) -> Option<Interval> {
        let found = distribution?.expanded_percentile(self.level, units).ok()?;
        let method = format!("expanded percentile bootstrap over {unit}, {} resamples", self.resamples);
        Some(interval(found, &method))
    }
}

/// Checks the settings of intervals that are by Student's t unless there is a bootstrap over raters.
pub(crate) fn check_intervals(
    bootstrap: Option<&Resampling>,
    generalize_to: Option<GeneralizeTo>,
    at: &mut Diagnostics,
) {
    if bootstrap.is_some() && generalize_to.is_some_and(|wanted| wanted != GeneralizeTo::Raters) {
        at.field("generalize_to")
            .error("no-such-interval", "this bootstrap resamples raters alone")
            .help("leave `bootstrap` out, or use `generalize_to: raters`");
    }
}

/// An interval of findings.
pub(crate) fn interval(found: bootstrap::IntervalEstimate, method: &str) -> Interval {
    Interval::new(found.lower, found.upper, found.level, method)
}
