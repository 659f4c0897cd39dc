//! Warnings that raters' values are skewed, so that intervals cover less than stated.

use hype_core::model::findings::{GeneralizeTo, Note};
use hype_core::model::score::Direction;
use hype_core::words::counted;
use hype_stats::describe;

use super::sums::{ModelSample, Sample};
use super::{IntervalMethod, Plan};
use crate::aggregators::inference::{few_units, is_skewed_over_items};
use crate::aggregators::measures::PROPORTION;

/// The unit of measures that are times.
const TIME: &str = "ms";
/// The raters from which on intervals of times cover at least 93.5 % (docs/COVERAGE.md).
const RATERS_FOR_TIMES: usize = 30;
/// The squared skewness for each rater above which intervals at the level 95 % cover less than 93.5 %: their error is about
/// skewness² / 4 n, by the Edgeworth expansion of Student's t (Hall 1992, "The bootstrap and Edgeworth expansion", section 2.6).
const SKEWED: f64 = 0.06;
/// The standard errors that a skewness is from 0 by chance in one of twenty samples of normal values.
const BEYOND_CHANCE: f64 = 1.96;

impl Plan {
    /// A warning where intervals by Student's t may cover less than stated.
    pub(super) fn skewed(&self, sample: &Sample) -> Option<Note> {
        if self.interval != IntervalMethod::T {
            return None;
        }
        let label = &sample.measure.label;
        if &*sample.measure.unit == PROPORTION {
            let skewed = sample.models.iter().filter(|model| self.is_skewed_share(model));
            let names: Vec<&str> = skewed.map(|model| &*model.model).collect();
            return few_units(label, &names, self.generalize_to);
        }
        let fewest = sample.models.iter().map(|model| model.raters.len()).min()?;
        let instead = if self.generalize_to == GeneralizeTo::Raters && fewest >= 10 {
            "; `interval: bootstrap-t` is for such values"
        } else {
            ""
        };
        let is_time = &*sample.measure.unit == TIME && sample.measure.direction != Direction::Neither;
        let text = if is_time && fewest < RATERS_FOR_TIMES {
            format!(
                "{label}: times are mostly skewed, and intervals by Student's t over {} cover the mean in 92 to 93 % of studies \
                 where raters' times vary by 40 %, and in fewer where they vary more{instead}",
                counted(fewest as u64, "rater")
            )
        } else {
            let skewness = beyond_chance(&sample.models, fewest)
                .or_else(|| is_time.then(|| of_times(&sample.models, fewest)).flatten())?;
            format!(
                "{label}: raters' values are skewed (skewness {skewness:.1}), so that intervals by Student's t may cover the \
                 mean in less than 93 % of studies{instead}"
            )
        };
        Some(Note::warning("skewed", text))
    }

    /// Whether most of the rarer answers of two come from few of the raters or items that vary.
    pub(super) fn is_skewed_share(&self, model: &ModelSample) -> bool {
        if self.generalize_to == GeneralizeTo::Raters {
            return self.share(model).is_some_and(|share| share.is_skewed());
        }
        let responses = model.responses.iter().map(|&(_, item, cell)| (item, cell.mean()));
        is_skewed_over_items(responses, model.raters.len(), self.generalize_to)
    }
}

/// The skewness of log-normal times, averaged over models, where it matters with so many raters.
fn of_times(models: &[ModelSample], fewest: usize) -> Option<f64> {
    let known: Vec<f64> =
        models.iter().filter_map(|model| describe::log_normal_skewness(&model.rater_means()).ok()).collect();
    let skewness = describe::mean(&known).ok()?;
    (skewness * skewness > SKEWED * fewest as f64).then_some(skewness)
}

/// The skewness of raters' values, averaged over models, where it matters with so many raters and is not chance alone.
fn beyond_chance(models: &[ModelSample], fewest: usize) -> Option<f64> {
    let known: Vec<(f64, f64)> = models
        .iter()
        .filter_map(|model| {
            let means = model.rater_means();
            let n = means.len() as f64;
            // The variance of the skewness of n normal values (Fisher 1930).
            let chance = 6.0 * n * (n - 1.0) / ((n - 2.0) * (n + 1.0) * (n + 3.0));
            (means.len() > 2).then_some(())?;
            Some((describe::sample_skewness(&means).ok()?, chance))
        })
        .collect();
    let count = known.len() as f64;
    let skewness = known.iter().map(|(skewness, _)| skewness).sum::<f64>() / count;
    let error = known.iter().map(|(_, chance)| chance).sum::<f64>().sqrt() / count;
    let matters = skewness * skewness > SKEWED * fewest as f64;
    (matters && skewness.abs() > BEYOND_CHANCE * error).then_some(skewness)
}
