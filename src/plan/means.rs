//! Independent means over raters: widths, powers and orders in closed form.

use std::sync::Arc;

use hype_core::{PlannedComparisons, PlannedInterval, PlannedPairs};
use hype_stats::StatError;
use hype_stats::orthant::{best_probabilities, order_probability};
use hype_stats::power::{
    PairProcedure, PlannedGroup, SimulatedStudies, count_for, deviation_limit, interval_width, pairs,
    percentile_width, t_test, welch,
};
use hype_stats::ttest::Alternative;

use super::outlook::{Chance, Outlook};
use super::{Compared, PlanError};

/// Simulated sets of means for the power of all pairs: its standard error is at most 0.008.
const SIMULATED: SimulatedStudies = SimulatedStudies { studies: 4_000, seed: 0x706c_616e };

/// The most models of which all pairs are simulated.
const MOST_MODELS: usize = 40;

/// The power that a difference needs to count as detectable.
const DETECTED: f64 = 0.8;

/// Models whose raters' values are taken as normal.
#[derive(Debug, Clone)]
pub(super) struct Normals {
    names: Vec<Arc<str>>,
    deviations: Vec<f64>,
    /// Means, the best first if the measure has a better direction; `None` if nothing is assumed about them.
    means: Option<Vec<f64>>,
    /// Whether the order is one from best to worst.
    ordered: bool,
}

impl Normals {
    /// Models by name, with their means if they are known, and standard deviations.
    pub(super) fn new(models: &[(Arc<str>, Option<f64>, f64)], sign: Option<f64>) -> Self {
        let mut models = models.to_vec();
        let known = models.iter().all(|(_, mean, _)| mean.is_some());
        if let (true, Some(sign)) = (known, sign) {
            let place = |mean: Option<f64>| -sign * mean.unwrap_or_default();
            models.sort_by(|(_, a, _), (_, b, _)| place(*a).total_cmp(&place(*b)));
        }
        Self {
            names: models.iter().map(|(name, ..)| Arc::clone(name)).collect(),
            deviations: models.iter().map(|&(.., deviation)| deviation).collect(),
            means: models.iter().map(|&(_, mean, _)| mean).collect(),
            ordered: known && sign.is_some(),
        }
    }

    /// The same models, if raters differ as much as the 80 % upper limits of these standard deviations of a pilot.
    pub(super) fn limited(&self, raters: impl Fn(&str) -> f64) -> Result<Self, StatError> {
        let deviations = self.names.iter().zip(&self.deviations);
        let deviations = deviations
            .map(|(name, &deviation)| {
                if deviation > 0.0 {
                    deviation_limit(deviation, raters(name), DETECTED)
                } else {
                    Ok(deviation)
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { deviations, ..self.clone() })
    }

    pub(super) fn name(&self, model: usize) -> Arc<str> {
        Arc::clone(&self.names[model])
    }

    pub(super) fn deviation_of(&self, name: &str) -> Option<f64> {
        let place = self.names.iter().position(|one| &**one == name)?;
        Some(self.deviations[place])
    }

    /// The two models whose difference is the smallest in standard errors, the better one first.
    pub(super) fn closest(&self) -> Option<[usize; 2]> {
        let means = self.means.as_ref().filter(|_| self.ordered)?;
        let distance =
            |a: usize, b: usize| (means[a] - means[b]).abs() / self.deviations[a].hypot(self.deviations[b]);
        let all = (0..means.len()).flat_map(|a| (a + 1..means.len()).map(move |b| [a, b]));
        all.min_by(|&[a, b], &[c, d]| distance(a, b).total_cmp(&distance(c, d)))
    }

    fn group(&self, model: usize, raters: u32) -> PlannedGroup {
        PlannedGroup { count: f64::from(raters), standard_deviation: self.deviations[model] }
    }

    /// The width of the widest interval.
    pub(super) fn width(&self, comparisons: PlannedComparisons, raters: u32) -> Result<f64, StatError> {
        let widest = self.deviations.iter().copied().fold(0.0, f64::max);
        let count = f64::from(raters);
        match comparisons.interval {
            PlannedInterval::StudentT => interval_width(widest, count, comparisons.level),
            PlannedInterval::Percentile => {
                percentile_width(widest * ((count - 1.0) / count).sqrt(), count, comparisons.level)
            }
        }
    }

    /// The power of a t test of the closest pair by itself, or at a share of the error.
    fn power_at(&self, [a, b]: [usize; 2], raters: u32, alpha: f64) -> Result<f64, StatError> {
        let Some(means) = &self.means else { return Ok(0.0) };
        let groups = [self.group(a, raters), self.group(b, raters)];
        Ok(welch(means[a] - means[b], groups, Alternative::TwoSided, alpha)?.power)
    }

    /// The power of the closest pair and of all pairs, as the study compares them.
    pub(super) fn power(
        &self,
        comparisons: PlannedComparisons,
        raters: u32,
    ) -> Result<Option<(Chance, Option<Chance>)>, StatError> {
        let (Some(pair), Some(means)) = (self.closest(), &self.means) else { return Ok(None) };
        let alpha = 1.0 - comparisons.level;
        let models = means.len();
        let number = models * (models - 1) / 2;
        let at_once = match comparisons.pairs {
            PlannedPairs::Welch => None,
            _ if models == 2 => None,
            PlannedPairs::GamesHowell => Some(PairProcedure::GamesHowell),
            PlannedPairs::TukeyKramer => Some(PairProcedure::TukeyKramer),
        };
        let Some(procedure) = at_once else {
            let power = Chance::exact(self.power_at(pair, raters, alpha / number as f64)?);
            return Ok(Some((power, (number == 1).then_some(power))));
        };
        if models > MOST_MODELS {
            return Ok(None);
        }
        let groups: Vec<PlannedGroup> = (0..models).map(|model| self.group(model, raters)).collect();
        let found = pairs(means, &groups, procedure, alpha, SIMULATED)?;
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

    /// Means from best to worst, falling, and their standard errors.
    fn estimates(&self, raters: u32) -> Option<(Vec<f64>, Vec<f64>)> {
        let means = self.means.as_ref().filter(|means| self.ordered && means.len() > 1)?;
        let falls = means.first() >= means.last();
        let means = means.iter().map(|mean| if falls { *mean } else { -mean }).collect();
        let root = f64::from(raters).sqrt();
        Some((means, self.deviations.iter().map(|deviation| deviation / root).collect()))
    }

    /// The smallest difference of two models with typical deviations that a t test finds with probability 0.8.
    fn detectable(&self, raters: u32, alpha: f64) -> Result<Option<f64>, StatError> {
        let squares: f64 = self.deviations.iter().map(|deviation| deviation.powi(2)).sum();
        let typical = (squares / self.deviations.len() as f64).sqrt();
        if self.names.len() < 2 || typical <= 0.0 {
            return Ok(None);
        }
        let group = PlannedGroup { count: f64::from(raters), standard_deviation: typical };
        let found = count_for(DETECTED, 1e-3 * typical, |difference| {
            Ok(welch(difference, [group; 2], Alternative::TwoSided, alpha)?.power)
        })?;
        Ok(Some(found))
    }

    /// The smallest margin within which a model at the reference value is shown to be equivalent with probability 0.8, for the model
    /// whose raters differ most.
    ///
    /// Two one-sided tests fail to reject together as good as never, so that each may fail with probability 0.1.
    fn equivalence(&self, raters: u32, alpha: f64) -> Result<Option<f64>, StatError> {
        let widest = self.deviations.iter().copied().fold(0.0, f64::max);
        let count = f64::from(raters);
        let noncentrality = count_for(0.5 * (1.0 + DETECTED), 1e-3, |noncentrality| {
            t_test(noncentrality, count - 1.0, Alternative::Greater, alpha)
        })?;
        Ok(Some(noncentrality * widest / count.sqrt()))
    }

    /// What this many raters of each model are expected to show.
    pub(super) fn outlook(&self, compared: &Compared<'_>, raters: u32) -> Result<Outlook, PlanError> {
        let Some(comparisons) = compared.at(raters) else { return Err(PlanError::NoClosedForm) };
        let alpha = 1.0 - comparisons.level;
        let power = self.power(comparisons, raters)?;
        let estimates = self.estimates(raters);
        let best = estimates.as_ref().map(|(means, errors)| best_probabilities(means, errors)).transpose()?;
        Ok(Outlook {
            width: Some(self.width(comparisons, raters)?),
            width_error: None,
            detectable: if compared.sign.is_some() { self.detectable(raters, alpha)? } else { None },
            power_alone: match self.closest() {
                Some(pair) => Some(Chance::exact(self.power_at(pair, raters, alpha)?)),
                None => None,
            },
            power: power.map(|(power, _)| power),
            all_pairs: power.and_then(|(_, all)| all),
            best: best.and_then(|best| best.first().copied()).map(Chance::exact),
            order: self.order(raters)?.map(Chance::exact),
            equivalence: if compared.reference.is_some() { self.equivalence(raters, alpha)? } else { None },
        })
    }
}
