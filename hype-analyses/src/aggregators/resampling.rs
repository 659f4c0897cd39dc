//! The settings of intervals that several aggregators share.

use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_core::{Bounded, Diagnostics};
use hype_stats::bootstrap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bootstrap for intervals, whose level is that of the aggregator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bootstrap {
    /// How many resamples (default: 10,000 of means of models, 2,000 of all else).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resamples: Option<Bounded<100, 1_000_000>>,
}

impl Bootstrap {
    /// As many resamples as are given, or else the default of aggregators other than `by_model`.
    pub(crate) fn resampling(given: Option<Self>, level: Option<f64>) -> Resampling {
        let given = given.and_then(|bootstrap| bootstrap.resamples).unwrap_or(Bounded::new(2_000));
        Resampling { resamples: given.get(), level: level.unwrap_or(LEVEL) }
    }
}

/// The confidence level unless a spec has another.
pub(crate) const LEVEL: f64 = 0.95;

/// How many resamples, and the level of intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Resampling {
    pub(crate) resamples: u32,
    pub(crate) level: f64,
}

impl Resampling {
    /// The resamples that a seed gives.
    pub(crate) const fn seeded(&self, seed: u64) -> bootstrap::Resamples<'static> {
        bootstrap::Resamples::seeded(self.resamples as usize, seed)
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

/// Checks the settings of intervals that are by a bootstrap over raters, or else by Student's t.
pub(crate) fn check_intervals(is_resampled: bool, generalize_to: Option<GeneralizeTo>, at: &mut Diagnostics) {
    if is_resampled && generalize_to.is_some_and(|wanted| wanted != GeneralizeTo::Raters) {
        at.field("generalize_to")
            .error("no-such-interval", "this bootstrap resamples raters alone")
            .help("leave `bootstrap` out, or use `generalize_to: raters`");
    }
}

/// An interval of findings.
pub(crate) fn interval(found: bootstrap::IntervalEstimate, method: &str) -> Interval {
    Interval::new(found.lower, found.upper, found.level, method)
}
