//! Independent means over raters: widths, powers and orders in closed form.

use std::sync::Arc;

use hype_core::{PlannedComparisons, PlannedInterval, PlannedPairs};
use hype_stats::StatError;
use hype_stats::bounded::BoundedMean;
use hype_stats::distributions::widening_for_bias;
use hype_stats::equivalence::{EquivalenceRegion, MeanEvidence as _, StudentEstimate};
use hype_stats::orthant::{best_probabilities, order_probability};
use hype_stats::positive::PositiveMean;
use hype_stats::power::{
    PairProcedure, PlannedGroup, SimulatedStudies, count_for, deviation_limit, equivalent, interval_width,
    pairs, percentile_width, t_test, welch,
};
use hype_stats::ttest::Alternative;

use super::assumed_model::AssumedModel;
use super::outlook::{Chance, Outlook};
use super::{Compared, PlanError};

/// Simulated means for the power of all pairs and of equivalence: its standard error is at most 0.008.
const SIMULATED: SimulatedStudies = SimulatedStudies { studies: 4_000, seed: 0x706c_616e };

/// The most models whose pairs are all simulated.
const MOST_MODELS: usize = 40;

/// The power that a difference needs to count as detectable.
pub(super) const DETECTED: f64 = 0.8;

/// A model whose raters' values are taken as normal.
#[derive(Debug, Clone)]
struct Normal {
    name: Arc<str>,
    mean: Option<f64>,
    deviation: f64,
    /// How many independent answers of yes and no a rater's share is worth.
    answers: f64,
}

/// Models whose raters' values are taken as normal.
#[derive(Debug, Clone)]
pub(super) struct Normals {
    /// The best first, if that is known.
    models: Vec<Normal>,
    /// Whether means are known, and the order is one from best to worst.
    ordered: bool,
}

impl Normal {
    /// The width of its interval; of a share whose mean is not known as of any other mean.
    fn width(&self, interval: PlannedInterval, raters: u32, level: f64) -> Result<f64, StatError> {
        let count = f64::from(raters);
        match (interval, self.mean) {
            (PlannedInterval::Share, Some(mean)) => {
                let range =
                    BoundedMean::planned(mean, self.deviation, count, self.answers)?.interval(level)?;
                Ok(range.upper - range.lower)
            }
            // The findings give no interval of equal values.
            _ if self.deviation <= 0.0 => Ok(0.0),
            (PlannedInterval::Times, Some(mean)) => {
                let range = PositiveMean::planned(mean, self.deviation, count)?.interval(level)?;
                Ok(range.upper - range.lower)
            }
            (PlannedInterval::Share | PlannedInterval::Times | PlannedInterval::StudentT, _) => {
                interval_width(self.deviation, count, level)
            }
            (PlannedInterval::Percentile, _) => {
                percentile_width(self.deviation * ((count - 1.0) / count).sqrt(), count, level)
            }
        }
    }

    fn group(&self, raters: u32) -> PlannedGroup {
        PlannedGroup { count: f64::from(raters), standard_deviation: self.deviation }
    }

    /// The probability of being shown to lie within a margin of a reference value.
    fn equivalence(
        &self,
        raters: u32,
        is_share: bool,
        region: EquivalenceRegion,
        alpha: f64,
    ) -> Result<f64, StatError> {
        let count = f64::from(raters);
        let (mean, group) = (self.mean.unwrap_or(region.reference), self.group(raters));
        if is_share {
            let share = |mean: f64, deviation| {
                BoundedMean::planned(mean.clamp(0.0, 1.0), deviation, count, self.answers).map(Some)
            };
            equivalent(mean, group, region, alpha, share, SIMULATED)
        } else {
            let student = |mean, deviation: f64| {
                StudentEstimate::new(mean, deviation / count.sqrt(), count - 1.0).map(Some)
            };
            equivalent(mean, group, region, alpha, student, SIMULATED)
        }
    }
}

impl Normals {
    /// Models with standard deviations, and with their means if these are known.
    pub(super) fn new(models: &[AssumedModel], sign: Option<f64>) -> Self {
        let known = models.iter().all(|model| model.mean.is_some());
        let mut models: Vec<Normal> = models
            .iter()
            .map(|model| Normal {
                name: Arc::clone(&model.model),
                mean: model.mean.filter(|_| known),
                deviation: model.sd,
                answers: model.answers.unwrap_or(f64::INFINITY),
            })
            .collect();
        if let (true, Some(sign)) = (known, sign) {
            let place = |model: &Normal| -sign * model.mean.unwrap_or_default();
            models.sort_by(|a, b| place(a).total_cmp(&place(b)));
        }
        Self { models, ordered: known && sign.is_some() }
    }

    /// The same models, if raters differ as much as the 80 % upper limits of these standard deviations of a pilot.
    pub(super) fn limited(&self, raters: impl Fn(&str) -> f64) -> Result<Self, StatError> {
        let mut models = self.models.clone();
        for model in models.iter_mut().filter(|model| model.deviation > 0.0) {
            model.deviation = deviation_limit(model.deviation, raters(&model.name), DETECTED)?;
        }
        Ok(Self { models, ..*self })
    }

    pub(super) fn name(&self, model: usize) -> Arc<str> {
        Arc::clone(&self.models[model].name)
    }

    pub(super) fn deviation_of(&self, name: &str) -> Option<f64> {
        Some(self.models.iter().find(|one| &*one.name == name)?.deviation)
    }

    /// The means of models in a known order.
    fn means(&self) -> Option<Vec<f64>> {
        self.models.iter().map(|model| model.mean.filter(|_| self.ordered)).collect()
    }

    /// The two models whose difference is the smallest in standard errors, the better one first.
    pub(super) fn closest(&self) -> Option<[usize; 2]> {
        let means = self.means()?;
        let distance = |a: usize, b: usize| {
            (means[a] - means[b]).abs() / self.models[a].deviation.hypot(self.models[b].deviation)
        };
        let all = (0..means.len()).flat_map(|a| (a + 1..means.len()).map(move |b| [a, b]));
        all.min_by(|&[a, b], &[c, d]| distance(a, b).total_cmp(&distance(c, d)))
    }

    /// The width of the widest interval, allowing for the measure's bias as findings do; `None` if there are too few raters for an
    /// interval.
    pub(super) fn width(
        &self,
        comparisons: &PlannedComparisons,
        bias: Option<f64>,
        raters: u32,
    ) -> Result<Option<f64>, StatError> {
        let Some(interval) = comparisons.interval else { return Ok(None) };
        let widths = self.models.iter().map(|model| {
            let width = model.width(interval, raters, comparisons.level)?;
            let Some(bias) = bias.filter(|_| interval != PlannedInterval::Percentile && width > 0.0) else {
                return Ok(width);
            };
            let error = model.deviation / f64::from(raters).sqrt();
            Ok(width * widening_for_bias(bias / error, comparisons.level)?)
        });
        let widths = widths.collect::<Result<Vec<f64>, StatError>>()?;
        Ok(widths.into_iter().max_by(f64::total_cmp))
    }

    /// The power of a t test of the closest pair by itself, or at a share of the error; `None` where raters do not differ.
    fn power_at(&self, [a, b]: [usize; 2], raters: u32, alpha: f64) -> Result<Option<Chance>, StatError> {
        let models = [&self.models[a], &self.models[b]];
        let Some(means) = self.means().filter(|_| models.iter().all(|model| model.deviation > 0.0)) else {
            return Ok(None);
        };
        let groups = models.map(|model| model.group(raters));
        let found = welch(means[a] - means[b], groups, Alternative::TwoSided, alpha)?;
        Ok(Some(Chance::exact(found.power)))
    }

    /// The power of the closest pair and of all pairs, as the study compares them.
    pub(super) fn power(
        &self,
        comparisons: &PlannedComparisons,
        raters: u32,
    ) -> Result<Option<(Chance, Option<Chance>)>, StatError> {
        let (Some(pair), Some(means)) = (self.closest(), self.means()) else { return Ok(None) };
        let alpha = (1.0 - comparisons.level) / f64::from(comparisons.families);
        let models = means.len();
        let number = models * (models - 1) / 2;
        let at_once = match comparisons.pairs {
            PlannedPairs::Welch => None,
            _ if models == 2 => None,
            PlannedPairs::GamesHowell => Some(PairProcedure::GamesHowell),
            PlannedPairs::TukeyKramer => Some(PairProcedure::TukeyKramer),
        };
        let Some(procedure) = at_once else {
            let power = self.power_at(pair, raters, alpha / number as f64)?;
            return Ok(power.map(|power| (power, (number == 1).then_some(power))));
        };
        if models > MOST_MODELS || self.models.iter().any(|model| model.deviation <= 0.0) {
            return Ok(None);
        }
        let groups: Vec<PlannedGroup> = self.models.iter().map(|model| model.group(raters)).collect();
        let found = pairs(&means, &groups, procedure, alpha, SIMULATED)?;
        let [a, b] = pair;
        let place = a * (2 * models - a - 1) / 2 + b - a - 1;
        let chance = |share| Chance::simulated(share, SIMULATED.studies);
        Ok(Some((chance(found.pairs[place]), Some(chance(found.all)))))
    }

    /// The probability of the right order.
    pub(super) fn order(&self, raters: u32) -> Result<Option<f64>, StatError> {
        match self.estimates(raters) {
            Some((means, errors)) => order_probability(&means, &errors).map(Some),
            None => Ok(None),
        }
    }

    /// Means from best to worst, falling, and their standard errors; `None` without means that vary.
    fn estimates(&self, raters: u32) -> Option<(Vec<f64>, Vec<f64>)> {
        let means = self.means().filter(|means| means.len() > 1)?;
        let falls = means.first() >= means.last();
        let means = means.iter().map(|mean| if falls { *mean } else { -mean }).collect();
        let root = f64::from(raters).sqrt();
        let errors: Vec<f64> = self.models.iter().map(|model| model.deviation / root).collect();
        errors.iter().all(|&error| error > 0.0).then_some((means, errors))
    }

    /// The smallest difference of two models with typical deviations that a t test finds with probability 0.8.
    fn detectable(&self, raters: u32, alpha: f64) -> Result<Option<f64>, StatError> {
        let squares: f64 = self.models.iter().map(|model| model.deviation.powi(2)).sum();
        let typical = (squares / self.models.len() as f64).sqrt();
        if self.models.len() < 2 || typical <= 0.0 {
            return Ok(None);
        }
        let group = PlannedGroup { count: f64::from(raters), standard_deviation: typical };
        let found = count_for(DETECTED, 1e-3 * typical, |difference| {
            Ok(welch(difference, [group; 2], Alternative::TwoSided, alpha)?.power)
        })?;
        Ok(Some(found))
    }

    /// The model whose raters differ most.
    fn widest(&self) -> Option<&Normal> {
        self.models
            .iter()
            .max_by(|a, b| a.deviation.total_cmp(&b.deviation))
            .filter(|one| one.deviation > 0.0)
    }

    /// The level of the comparison of each model with the reference value.
    fn reference_alpha(&self, comparisons: &PlannedComparisons) -> f64 {
        let family = self.models.len() as f64 * f64::from(comparisons.reference_families);
        (1.0 - comparisons.level) / family
    }

    /// The smallest margin within which a model at the reference value is shown to be equivalent with probability 0.8, for the model
    /// whose raters differ most.
    ///
    /// Two one-sided tests practically never fail to reject together: each may fail with probability 0.1.
    fn smallest_margin(&self, raters: u32, alpha: f64) -> Result<Option<f64>, StatError> {
        let Some(widest) = self.widest() else { return Ok(None) };
        let count = f64::from(raters);
        let noncentrality = count_for(0.5 * (1.0 + DETECTED), 1e-3, |noncentrality| {
            t_test(noncentrality, count - 1.0, Alternative::Greater, alpha)
        })?;
        Ok(Some(noncentrality * widest.deviation / count.sqrt()))
    }

    /// The model that is the most likely to be equivalent to a reference value: the nearest one, or the one whose raters differ most if
    /// nothing is known about means.
    pub(super) fn nearest(&self, reference: f64) -> Option<Arc<str>> {
        self.nearest_model(reference).map(|model| Arc::clone(&model.name))
    }

    fn nearest_model(&self, reference: f64) -> Option<&Normal> {
        let distance = |model: &Normal| model.mean.map_or(0.0, |mean| (mean - reference).abs());
        let spread = |model: &Normal| -model.deviation;
        let order = |a: &&Normal, b: &&Normal| {
            distance(a).total_cmp(&distance(b)).then(spread(a).total_cmp(&spread(b)))
        };
        self.models.iter().filter(|model| model.deviation > 0.0).min_by(order)
    }

    /// Returns the expected results of this many raters of each model.
    pub(super) fn outlook(&self, compared: &Compared<'_>, raters: u32) -> Result<Outlook, PlanError> {
        let Some(comparisons) = compared.at(raters) else { return Err(PlanError::NoClosedForm) };
        let alpha = 1.0 - comparisons.level;
        let power = self.power(&comparisons, raters)?;
        let estimates = self.estimates(raters);
        let best = estimates.as_ref().map(|(means, errors)| best_probabilities(means, errors)).transpose()?;
        let mut outlook = Outlook {
            width: self.width(&comparisons, compared.measure.bias, raters)?,
            detectable: if compared.sign.is_some() { self.detectable(raters, alpha)? } else { None },
            power_alone: match self.closest() {
                Some(pair) => self.power_at(pair, raters, alpha)?,
                None => None,
            },
            power: power.map(|(power, _)| power),
            all_pairs: power.and_then(|(_, all)| all),
            best: best.and_then(|best| best.first().copied()).map(Chance::exact),
            order: self.order(raters)?.map(Chance::exact),
            ..Outlook::default()
        };
        if let (Some(reference), Some(_)) = (compared.reference, comparisons.interval) {
            let alpha = self.reference_alpha(&comparisons);
            outlook.equivalence = self.smallest_margin(raters, alpha)?;
            if let (Some(margin), Some(model)) = (comparisons.margin, self.nearest_model(reference)) {
                let region = EquivalenceRegion::symmetric(reference, margin);
                let shown = model.equivalence(raters, compared.is_share(), region, alpha)?;
                outlook.within_margin = Some(Chance::simulated(shown, SIMULATED.studies));
            }
        }
        Ok(outlook)
    }
}
