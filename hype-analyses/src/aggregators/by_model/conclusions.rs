//! Conclusions that readers draw from the estimates of a measure.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::RaterDesign;
use hype_core::Streams;
use hype_core::model::findings::{AgainstReference, Estimate, GeneralizeTo, MeasureFindings};
use hype_stats::bootstrap::{self, Crossed, CrossedResamples, Distribution, Resamples};

use super::comparisons::names;
use super::sums::{ModelSample, Sample};
use super::{IntervalMethod, Plan, errors};
use crate::aggregators::conclusions::{
    against_real, against_reference, ranks, resampled_orders, side_by_side,
};

/// A model with its estimate and, if its interval is by a bootstrap, the distribution of that.
pub(super) type Estimated<'s> = (&'s ModelSample, Estimate, Option<Distribution>);

impl Plan {
    /// Adds what follows from the estimates, whose models are in the order of the findings.
    pub(super) fn conclude(
        &self,
        sample: &Sample,
        models: &[Estimated<'_>],
        design: RaterDesign,
        real: &[Arc<str>],
        chance: &Streams,
        into: &mut MeasureFindings,
    ) {
        into.against_reference = self.reference(sample, models);
        let samples: Vec<&ModelSample> = models.iter().map(|(model, ..)| *model).collect();
        let (names, estimates) = (names(&samples), into.estimates.as_slice());
        let direction = sample.measure.direction;
        let (compared, difference_of) = (self.compared(&names, design), self.differences(&samples, design));
        let found_ranks = ranks(&compared, direction, estimates, &difference_of);
        let margin = self.non_inferiority;
        let found_real = against_real(&compared, direction, real, margin, estimates, &difference_of);
        let orders = self.resamples_of_all(models, design, chance).and_then(|values| {
            resampled_orders(self.generalize_to.units(), &names, direction, &values, estimates)
        });
        (into.ranks, into.against_real, into.resampled_orders) = (found_ranks, found_real, orders);
    }

    fn reference(&self, sample: &Sample, models: &[Estimated<'_>]) -> Option<AgainstReference> {
        let reference = sample.measure.reference.as_ref()?;
        let evidence = |(model, estimate, _): &Estimated<'_>| {
            let clustered = errors::clustered(&[model], &[estimate.value], self.generalize_to);
            let evidence = self.evidence(model, estimate.value, &clustered, &sample.measure.unit);
            (Arc::clone(&model.model), estimate.value, evidence)
        };
        let models = models.iter().map(evidence).collect();
        against_reference(reference, self.equivalence, self.level, self.reference_families, models)
    }

    /// The models' values on the same resamples, one resample after the other, if intervals are by a bootstrap.
    fn resamples_of_all(
        &self,
        models: &[Estimated<'_>],
        design: RaterDesign,
        chance: &Streams,
    ) -> Option<Vec<f64>> {
        if !matches!(self.interval, IntervalMethod::Percentile | IntervalMethod::Bca) || models.len() < 2 {
            return None;
        }
        // Each model has its own raters, so resamples of one can be combined with any of another.
        if self.is_between(design) {
            let own: Option<Vec<&[f64]>> =
                models.iter().map(|(.., drawn)| Some(drawn.as_ref()?.replicates())).collect();
            return side_by_side(&own?);
        }
        // The same seed draws the same raters, and the same items, for every model.
        let (count, seed) = (self.resamples as usize, chance.seed("orders"));
        let drawn: Vec<Distribution> = match self.generalize_to {
            GeneralizeTo::Raters => complete(models)
                .iter()
                .map(|means| bootstrap::mean(means, Resamples::seeded(count, seed)).ok())
                .collect::<Option<_>>()?,
            _ => crossed(models)?
                .iter()
                .map(|cells| cells.bootstrap(CrossedResamples::seeded(count, seed)).ok())
                .collect::<Option<_>>()?,
        };
        let columns: Vec<&[f64]> = drawn.iter().map(Distribution::replicates).collect();
        (drawn.iter().all(|one| one.undefined() == 0)).then(|| side_by_side(&columns)).flatten()
    }
}

/// For each model the means of those raters who judged every model, in the same order.
fn complete(models: &[Estimated<'_>]) -> Vec<Vec<f64>> {
    let own: Vec<HashMap<u32, f64>> = models
        .iter()
        .map(|(model, ..)| model.raters.iter().map(|(rater, cell)| (*rater, cell.mean())).collect())
        .collect();
    let first = models.first().map_or(&[][..], |(model, ..)| &model.raters);
    let raters: Vec<u32> = first
        .iter()
        .map(|(rater, _)| *rater)
        .filter(|rater| own.iter().all(|own| own.contains_key(rater)))
        .collect();
    own.iter().map(|own| raters.iter().filter_map(|rater| own.get(rater).copied()).collect()).collect()
}

/// For each model its responses, by numbers of raters and items that all models have in common.
fn crossed(models: &[Estimated<'_>]) -> Option<Vec<Crossed>> {
    let (mut raters, mut items) = (HashMap::new(), HashMap::new());
    let numbered: Vec<Vec<(usize, usize, f64)>> = models
        .iter()
        .map(|(model, ..)| {
            let number = |&(rater, item, cell): &(u32, u32, super::sums::Cell)| {
                let next = raters.len();
                let rater = *raters.entry(rater).or_insert(next);
                let next = items.len();
                (rater, *items.entry(item).or_insert(next), cell.mean())
            };
            model.responses.iter().map(number).collect()
        })
        .collect();
    numbered
        .into_iter()
        .map(|responses| Crossed::from_responses(raters.len(), items.len(), responses).ok())
        .collect()
}
