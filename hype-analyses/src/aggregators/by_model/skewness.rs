//! Warnings that raters' values are skewed or those of two kinds of people, so intervals cover less than stated.

use std::collections::BTreeMap;

use hype_core::model::findings::{GeneralizeTo, Note};
use hype_stats::describe;
use hype_stats::positive::{TwoGroups, logarithms, two_groups};

use super::estimates::times;
use super::sums::{ModelSample, Sample};
use super::{IntervalMethod, Plan};
use crate::aggregators::inference::{few_items, is_skewed_over_items};
use crate::aggregators::measures::PROPORTION;

/// The raters from which on an interval covers a mean over two kinds of them in 93 % of studies (docs/measured/coverage.md).
const FEW_RATERS: usize = 30;
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
        let measure = &*sample.measure.name;
        if &*sample.measure.unit == PROPORTION {
            let skewed = sample.models.iter().filter(|model| self.is_skewed_share(model));
            let names: Vec<&str> = skewed.map(|model| &*model.model).collect();
            // Intervals over raters alone allow for it.
            return (self.generalize_to != GeneralizeTo::Raters)
                .then(|| few_items(measure, &names))
                .flatten();
        }
        let fewest = sample.models.iter().map(|model| model.raters.len()).min()?;
        let has_times = |model| times(model, &sample.measure.unit, self.generalize_to).is_some();
        if sample.models.iter().all(has_times) {
            return two_kinds(sample);
        }
        let instead = if self.generalize_to == GeneralizeTo::Raters && fewest >= 10 {
            "`interval: bootstrap-t` is for such values"
        } else {
            "ask more raters"
        };
        let text = format!(
            "raters' values are skewed: intervals by Student's t may cover the mean in less than 93% of studies; {instead}"
        );
        is_beyond_chance(&sample.models, fewest).then(|| Note::precision("skewed", text).about(measure))
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

/// A warning that the times of few raters fall into two groups, which a mean over raters describes poorly.
fn two_kinds(sample: &Sample) -> Option<Note> {
    // The mean of each rater's logarithms, less those of the models judged.
    let mut of_raters: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut levels = Vec::new();
    for model in &sample.models {
        let own = logarithms(&model.rater_means()).ok()?;
        let level = describe::mean(&own).ok()?;
        levels.push(level);
        for ((rater, _), value) in model.raters.iter().zip(own) {
            of_raters.entry(*rater).or_default().push(value - level);
        }
    }
    let values: Vec<f64> = of_raters.values().map(|own| describe::mean(own).ok()).collect::<Option<_>>()?;
    if values.len() >= FEW_RATERS {
        return None;
    }
    let TwoGroups { counts, means } = two_groups(&values)?;
    let level = describe::mean(&levels).ok()?;
    #[expect(clippy::disallowed_methods, reason = "milliseconds of a note, which decide no trial")]
    let [below, above] = means.map(|mean| (level + mean).exp());
    let text = format!(
        "raters fall into two groups, {} of about {below:.0} ms and {} of about {above:.0}: no interval covers the mean of so few \
         of two kinds; declare a facet of raters, or ask {} or more",
        counts[0], counts[1], FEW_RATERS
    );
    Some(Note::precision("two-groups", text).about(&sample.measure.name))
}

/// Whether the skewness of raters' values, averaged over models, matters with so many raters and is not chance alone.
fn is_beyond_chance(models: &[ModelSample], fewest: usize) -> bool {
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
    matters && skewness.abs() > BEYOND_CHANCE * error
}
