//! Estimates and their intervals.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::RaterDesign;
use hype_core::model::findings::{Estimate, GeneralizeTo, Interval, MeasureFindings, Note, WithExcluded};
use hype_core::{Measure, Streams};
use hype_stats::bootstrap::{self, Crossed, CrossedResamples, Distribution, IntervalEstimate, Resamples};
use hype_stats::bounded::{BoundedMean, Cluster};
use hype_stats::clustered::Clustered;
use hype_stats::positive::PositiveMean;
use hype_stats::{StatError, describe};

use super::censored::check_inferred;
use super::conclusions::Estimated;
use super::notes::without_intervals;
use super::sums::{Cell, ModelSample, Sample, distinct_items, distinct_raters};
use super::{IntervalMethod, Plan, errors};
use crate::aggregators::evidence::Evidence;
use crate::aggregators::inference::{allowing_for_bias, check_target, family};
use crate::aggregators::measures::{PROPORTION, TIME};
use crate::aggregators::ordering::best_first;

/// An interval, with the standard deviation of its resamples, and their values, if it has any.
struct Found {
    interval: Interval,
    bootstrap_sd: Option<f64>,
    drawn: Option<Distribution>,
}

impl Plan {
    /// The findings of one measure.
    pub(super) fn measure_findings(
        &self,
        sample: &Sample,
        (design, real): (RaterDesign, &[Arc<str>]),
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let chance = chance.child("by_model", 0).child(&sample.measure.name, 0);
        let mut without_interval = Vec::new();
        let mut models: Vec<Estimated<'_>> = sample
            .models
            .iter()
            .map(|model| {
                let estimated = if sample.measure.descriptive.is_some() {
                    (described(model, self.generalize_to), None, None)
                } else {
                    self.estimate(model, &sample.measure, &chance.child(&model.model, 0))
                };
                let (estimate, drawn, why) = estimated;
                let why = why.filter(|_| model.withheld.is_none());
                without_interval.extend(why.map(|why| (&*model.model, why.to_string())));
                (model, estimate, drawn)
            })
            .collect();
        notes.extend(without_intervals(&sample.measure.name, without_interval));
        models.sort_by(|(_, a, _), (_, b, _)| best_first(sample.measure.direction, a, b));
        let ordered: Vec<&ModelSample> = models.iter().map(|(model, ..)| *model).collect();
        let raters: usize = match design {
            RaterDesign::Between => ordered.iter().map(|model| model.raters.len()).sum(),
            RaterDesign::Within => distinct_raters(&ordered),
        };
        let is_descriptive = sample.measure.descriptive.is_some();
        let inferred: Vec<&ModelSample> =
            ordered.iter().copied().filter(|model| model.withheld.is_none()).collect();
        let comparisons = if is_descriptive { Vec::new() } else { self.comparisons(&inferred, design) };
        let tests = if is_descriptive {
            Vec::new()
        } else {
            self.tests(&inferred, &sample.measure.unit, design, &comparisons)
        };
        let adjusted = if comparisons.iter().any(|pair| pair.p.is_some()) { comparisons.len() } else { 0 };
        let mut found = MeasureFindings {
            raters: raters as u64,
            items: sample.items,
            responses: models.iter().map(|(_, estimate, _)| estimate.responses).sum(),
            generalize_to: (!is_descriptive).then_some(self.generalize_to),
            mean_over: Some(errors::mean_over(self.generalize_to)),
            family: family(adjusted, self.families),
            tests,
            comparisons,
            estimates: models.iter().map(|(_, estimate, _)| estimate.clone()).collect(),
            ..MeasureFindings::new(sample.measure.clone())
        };
        if !is_descriptive {
            self.conclude(sample, &models, design, real, &chance, &mut found);
        }
        found
    }

    /// The estimate for a model, its bootstrap distribution if it has one, and the reason if it has no interval.
    fn estimate(
        &self,
        model: &ModelSample,
        measure: &Measure,
        chance: &Streams,
    ) -> (Estimate, Option<Distribution>, Option<StatError>) {
        let means = model.rater_means();
        let value = errors::value(model, self.generalize_to);
        let clustered = errors::clustered(&[model], &[value], self.generalize_to);
        let found = self.check_model(model).and_then(|()| match self.interval {
            IntervalMethod::T => self.by_error(model, value, &clustered, measure),
            IntervalMethod::BootstrapT => self.studentized(&means, chance),
            IntervalMethod::Percentile | IntervalMethod::Bca => self.resampled(model, &means, chance),
        });
        let (found, why) = match found {
            Ok(found) => (Some(found), None),
            Err(error) => (None, Some(error)),
        };
        let (bootstrap_sd, interval, drawn) =
            found.map_or((None, None, None), |found| (found.bootstrap_sd, Some(found.interval), found.drawn));
        let uses_error = matches!(self.interval, IntervalMethod::T | IntervalMethod::BootstrapT)
            && model.withheld.is_none();
        let error = clustered.ok().and_then(|clustered| clustered.of(0).ok());
        let estimate = Estimate {
            model: Arc::clone(&model.model),
            value,
            bootstrap_sd,
            interval,
            sd: describe::standard_deviation(&means).ok(),
            sem: describe::standard_error(&means).ok(),
            se: error.filter(|_| uses_error).map(|error| error.standard_error()),
            raters: means.len() as u64,
            responses: model.raters.iter().map(|(_, cell)| cell.count).sum(),
            pseudo_values: Vec::new(),
            with_excluded: with_excluded(model, means),
        };
        (estimate, drawn, why)
    }

    /// Refuses models with too few units, and those of whose values too many are bounds.
    fn check_model(&self, model: &ModelSample) -> Result<(), StatError> {
        check_inferred(&[model])?;
        check_target(model.raters.len(), || distinct_items(&[model]), self.generalize_to)
    }

    /// The interval by the standard error. That of a proportion has a positive width and stays within 0 and 1; that of a measure
    /// with a bias is wider by as much as the largest bias asks for.
    fn by_error(
        &self,
        model: &ModelSample,
        value: f64,
        clustered: &Result<Clustered, StatError>,
        measure: &Measure,
    ) -> Result<Found, StatError> {
        let interval = self.evidence(model, value, clustered, &measure.unit)?.finding(self.level)?;
        let error = clustered.as_ref().map_err(Clone::clone)?.of(0)?.standard_error();
        let interval = allowing_for_bias(measure, value, error, interval)?;
        Ok(Found { interval, bootstrap_sd: None, drawn: None })
    }

    /// Returns the evidence of a model's raters about its true value.
    pub(super) fn evidence(
        &self,
        model: &ModelSample,
        value: f64,
        clustered: &Result<Clustered, StatError>,
        unit: &str,
    ) -> Result<Evidence, StatError> {
        self.check_model(model)?;
        let variance = clustered.as_ref().map_err(Clone::clone)?.of(0)?;
        if unit != PROPORTION {
            return match times(model, unit, self.generalize_to) {
                Some(mean) => Ok(Evidence::positive(mean, model.raters.len())),
                None => Evidence::student(value, &variance, self.generalize_to),
            };
        }
        match self.share(model) {
            Some(wilson) if !variance.is_zero() => Ok(Evidence::wilson(wilson)),
            _ => {
                let units = match self.generalize_to {
                    GeneralizeTo::Items => distinct_items(&[model]),
                    GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => model.raters.len(),
                };
                Evidence::proportion(value, &variance, units, "answer", self.generalize_to)
            }
        }
    }

    /// The share of a model over its raters, with what Wilson's interval needs; `None` where items vary too.
    ///
    /// Where raters answered equally often, the variation of a rater's answers is known as well. Where they did not, the
    /// estimate is the mean of the raters' shares, and each share is one value.
    pub(super) fn share(&self, model: &ModelSample) -> Option<BoundedMean> {
        let (_, first) = model.raters.first()?;
        if self.generalize_to != GeneralizeTo::Raters {
            return None;
        }
        let alike = model.raters.iter().all(|(_, cell)| cell.count == first.count);
        let cluster = |cell: &Cell| {
            if alike {
                Cluster { count: cell.count, sum: cell.sum(), squares: cell.squares() }
            } else {
                Cluster::of(&[cell.mean()])
            }
        };
        let clusters: Vec<Cluster> = model.raters.iter().map(|(_, cell)| cluster(cell)).collect();
        BoundedMean::new(&clusters, 0.0, 1.0).ok()
    }

    fn studentized(&self, means: &[f64], chance: &Streams) -> Result<Found, StatError> {
        let resamples = Resamples::seeded(self.resamples as usize, chance.seed("bootstrap"));
        let range = bootstrap::studentized_mean(means, resamples)?.interval(self.level)?;
        let method = format!("bootstrap-t over raters, {} resamples", self.resamples);
        let interval = Interval::new(range.lower, range.upper, self.level, &method);
        Ok(Found { interval, bootstrap_sd: None, drawn: None })
    }

    fn resampled(&self, model: &ModelSample, means: &[f64], chance: &Streams) -> Result<Found, StatError> {
        let (count, seed) = (self.resamples as usize, chance.seed("bootstrap"));
        let distribution = match self.generalize_to {
            GeneralizeTo::Raters => bootstrap::mean(means, Resamples::seeded(count, seed))?,
            _ => crossed(model)?.bootstrap(CrossedResamples::seeded(count, seed))?,
        };
        let (range, name) = self.limits(&distribution)?;
        let units = self.generalize_to.units();
        let method = format!("{name} bootstrap over {units}, {} resamples", self.resamples);
        Ok(Found {
            interval: Interval::new(range.lower, range.upper, self.level, &method),
            bootstrap_sd: distribution.standard_deviation().ok(),
            drawn: Some(distribution),
        })
    }

    fn limits(&self, distribution: &Distribution) -> Result<(IntervalEstimate, &'static str), StatError> {
        if self.interval == IntervalMethod::Bca {
            Ok((distribution.bca(self.level)?, "BCa"))
        } else {
            Ok((distribution.percentile(self.level)?, "percentile"))
        }
    }
}

/// The mean of a model's times over raters; `None` for other values, for times that are all equal or not all positive, and where
/// items vary.
pub(super) fn times(model: &ModelSample, unit: &str, generalize_to: GeneralizeTo) -> Option<PositiveMean> {
    let is_time = unit == TIME && generalize_to == GeneralizeTo::Raters;
    is_time.then(|| PositiveMean::new(&model.rater_means()).ok()).flatten()
}

/// The responses of a model by rater and item.
fn crossed(model: &ModelSample) -> Result<Crossed, StatError> {
    let mut raters = HashMap::new();
    let mut items = HashMap::new();
    let responses: Vec<(usize, usize, f64)> = model
        .responses
        .iter()
        .map(|&(rater, item, cell)| {
            let next = raters.len();
            let rater = *raters.entry(rater).or_insert(next);
            let next = items.len();
            let item = *items.entry(item).or_insert(next);
            (rater, item, cell.mean())
        })
        .collect();
    Crossed::from_responses(raters.len(), items.len(), responses)
}

/// The estimate of a measure that describes the procedure: with the spread over raters, without an interval.
fn described(model: &ModelSample, generalize_to: GeneralizeTo) -> Estimate {
    let means = model.rater_means();
    let responses = model.raters.iter().map(|(_, cell)| cell.count).sum();
    let value = errors::value(model, generalize_to);
    Estimate {
        sd: describe::standard_deviation(&means).ok(),
        sem: describe::standard_error(&means).ok(),
        pseudo_values: Vec::new(),
        with_excluded: with_excluded(model, means.clone()),
        ..Estimate::new(&model.model, value, means.len() as u64, responses)
    }
}

fn with_excluded(model: &ModelSample, mut means: Vec<f64>) -> Option<WithExcluded> {
    if model.excluded.is_empty() {
        return None;
    }
    means.extend(model.excluded.iter().map(|(_, cell)| cell.mean()));
    Some(WithExcluded { value: describe::mean(&means).ok()?, raters: means.len() as u64 })
}
