//! A model's estimate and its interval over raters.

use std::collections::{BTreeMap, HashMap};

use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_stats::bootstrap::{self, Distribution};
use hype_stats::clustered::ClusteredVariance;
use hype_stats::{StatError, describe};

use super::part::Analysed;
use super::{AdjustmentRule, OpinionScores, SubjectModel};
use crate::aggregators::inference::{bounded, check_raters, student};
use crate::aggregators::resampling::{Bootstrap, Resampling};

/// The term that annex E of P.910 adds to the variance of each rater.
const LEAST_VARIANCE: f64 = 1e-8;

/// The name of the interval of a model's estimate.
const NAME: &str = "an interval";
/// Relative changes of a mean below this are rounding errors.
const ROUNDING: f64 = 1e-12;

/// How a rater's scores contribute to the means: (score - centre) / scale, with a weight.
#[derive(Clone, Copy)]
struct Use {
    centre: f64,
    scale: f64,
    weight: f64,
    /// The bias, which together with those of the others determines the origin of the scale.
    origin: f64,
}

const AS_GIVEN: Use = Use { centre: 0.0, scale: 1.0, weight: 1.0, origin: 0.0 };

/// One rater's contribution to the means of a model's stimuli.
#[derive(Default)]
struct Share {
    origin: f64,
    /// Position of the stimulus, weighted sum and weight.
    cells: Vec<(usize, f64, f64)>,
}

/// The scores of one stimulus.
#[derive(Clone, Copy, Default)]
struct Pooled {
    sum: f64,
    weight: f64,
    raters: u32,
}

impl Pooled {
    fn mean(self) -> f64 {
        self.sum / self.weight
    }
}

/// An interval with the error that it uses, or the standard deviation of its resamples.
pub(super) struct Range {
    pub(super) interval: Interval,
    pub(super) se: Option<f64>,
    pub(super) bootstrap_sd: Option<f64>,
}

/// The value of a model and the raters behind it.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) value: f64,
    pub(super) raters: u64,
    pub(super) responses: u64,
}

impl Analysed {
    /// The numbers of the included raters, ascending.
    fn counted(&self) -> Result<&[usize], StatError> {
        self.adjusted.as_ref().map(|adjusted| adjusted.ratings.subjects()).map_err(Clone::clone)
    }

    /// The mean over a model's stimuli.
    pub(super) fn value(&self, settings: &OpinionScores, model: usize) -> Result<Value, StatError> {
        let of_model = |stimulus: usize| self.part.stimuli[stimulus].0 == model;
        let values: Vec<f64> = match settings.model {
            SubjectModel::Mos => {
                let opinion = self.opinion.as_ref().map_err(Clone::clone)?;
                opinion.iter().filter(|one| of_model(one.stimulus)).map(|one| one.mos).collect()
            }
            SubjectModel::P910 => {
                let projection = self.counted_projection().as_ref().map_err(Clone::clone)?;
                projection
                    .stimuli
                    .iter()
                    .filter(|one| of_model(one.stimulus))
                    .map(|one| one.quality)
                    .collect()
            }
        };
        let counted = self.counted()?;
        let mut raters: Vec<usize> = Vec::new();
        for (_, rating) in &self.part.rows {
            if rating.model == model && counted.binary_search(&rating.rater).is_ok() {
                raters.push(rating.rater);
            }
        }
        let responses = raters.len() as u64;
        raters.sort_unstable();
        raters.dedup();
        Ok(Value { value: describe::mean(&values)?, raters: raters.len() as u64, responses })
    }

    /// Each included rater's mean score for a model, as z scores if these are averaged.
    pub(super) fn rater_means(&self, settings: &OpinionScores, model: usize) -> Result<Vec<f64>, StatError> {
        let uses = self.uses(settings)?;
        let mut scores: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (_, rating) in self.part.rows.iter().filter(|(_, rating)| rating.model == model) {
            let Some(used) = uses.get(&rating.rater) else { continue };
            let score = match settings.adjust {
                AdjustmentRule::ZScores => (rating.value - used.centre) / used.scale,
                _ => rating.value,
            };
            scores.entry(rating.rater).or_default().push(score);
        }
        scores.values().map(|scores| describe::mean(scores)).collect()
    }

    /// The interval over raters.
    pub(super) fn interval(
        &self,
        settings: &OpinionScores,
        model: usize,
        seed: u64,
    ) -> Result<Range, StatError> {
        let Value { value, raters, .. } = self.value(settings, model)?;
        let raters = raters as usize;
        let held = match (settings.model, settings.adjust) {
            (SubjectModel::P910, _) => Some("their biases and weights held"),
            (_, AdjustmentRule::BiasRemoved) => Some("their biases held"),
            _ => None,
        };
        let Some(bootstrap) = settings.bootstrap else {
            check_raters(raters)?;
            let variance = self.jackknife(settings, model, raters)?;
            let (level, of) = (settings.level(), GeneralizeTo::Raters);
            let found = match settings.bounds(value) {
                Some(bounds) => bounded(value, bounds, &variance, raters, "score", level, of)?,
                None => student(value, &variance, level, of)?,
            };
            let interval = match held {
                Some(held) => Interval { method: format!("{}, {held}", found.method).into(), ..found },
                None => found,
            };
            return Ok(Range { interval, se: Some(variance.standard_error()), bootstrap_sd: None });
        };
        if raters < 2 {
            return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "raters", got: raters });
        }
        let resampling = Bootstrap::resampling(Some(bootstrap), settings.level);
        let distribution = self.distribution(settings, &resampling, model, seed)?;
        let found = distribution.percentile(settings.level())?;
        let unit = held.map_or("raters".into(), |held| format!("raters, {held}"));
        let interval = resampling.percentile(found, &unit);
        Ok(Range { interval, se: None, bootstrap_sd: distribution.standard_deviation().ok() })
    }

    /// The variance of a model's value by the jackknife over its raters.
    ///
    /// Every rater is left out in turn, and only the stimuli that the rater scored are averaged again.
    fn jackknife(
        &self,
        settings: &OpinionScores,
        model: usize,
        raters: usize,
    ) -> Result<ClusteredVariance, StatError> {
        let shares = self.shares(&self.uses(settings)?, model);
        let mut means = vec![Pooled::default(); self.part.stimuli.len()];
        for &(stimulus, sum, weight) in shares.iter().flat_map(|share| &share.cells) {
            means[stimulus].sum += sum;
            means[stimulus].weight += weight;
            means[stimulus].raters += 1;
        }
        let (total, count) = means
            .iter()
            .filter(|pooled| pooled.raters > 0)
            .fold((0.0, 0.0), |(total, count), pooled| (total + pooled.mean(), count + 1.0));
        let origins: f64 = shares.iter().map(|share| share.origin).sum();
        let everyone = shares.len() as f64;
        let squares: f64 = shares
            .iter()
            .map(|share| {
                let (mut total_left, mut count_left) = (total, count);
                for &(stimulus, sum, weight) in &share.cells {
                    let pooled = means[stimulus];
                    total_left -= pooled.mean();
                    if pooled.raters > 1 {
                        total_left += (pooled.sum - sum) / (pooled.weight - weight);
                    } else {
                        count_left -= 1.0;
                    }
                }
                let origin = (origins - share.origin) / (everyone - 1.0) - origins / everyone;
                let moved = total_left / count_left - total / count + origin;
                // The rounding error of a total is not a difference between raters.
                if moved.abs() <= ROUNDING * (1.0 + (total / count).abs()) { 0.0 } else { moved * moved }
            })
            .sum();
        let degrees = raters as f64 - 1.0;
        ClusteredVariance::of_error((degrees / raters as f64 * squares).sqrt(), degrees)
    }

    fn distribution(
        &self,
        settings: &OpinionScores,
        resampling: &Resampling,
        model: usize,
        seed: u64,
    ) -> Result<Distribution, StatError> {
        let shares = self.shares(&self.uses(settings)?, model);
        let origins: Vec<f64> = shares.iter().map(|share| share.origin).collect();
        let origin = describe::mean(&origins)?;
        let stimuli = self.part.stimuli.len();
        bootstrap::statistic(shares.len(), resampling.seeded(seed), |drawn| {
            let mut means = vec![(0.0, 0.0); stimuli];
            let mut moved = 0.0;
            for share in drawn.iter().map(|&place| &shares[place as usize]) {
                moved += share.origin;
                for &(stimulus, sum, weight) in &share.cells {
                    means[stimulus].0 += sum;
                    means[stimulus].1 += weight;
                }
            }
            let (mut total, mut count) = (0.0, 0.0);
            for (sum, weight) in means {
                if weight > 0.0 {
                    total += sum / weight;
                    count += 1.0;
                }
            }
            total / count + moved / drawn.len() as f64 - origin
        })
    }

    /// The contributions of the included raters to a model's means, by number of rater.
    fn shares(&self, uses: &HashMap<usize, Use>, model: usize) -> Vec<Share> {
        let mut shares: BTreeMap<usize, Share> = uses
            .iter()
            .map(|(&rater, used)| (rater, Share { origin: used.origin, cells: Vec::new() }))
            .collect();
        for &(stimulus, rating) in self.part.rows.iter().filter(|(_, rating)| rating.model == model) {
            let (Some(used), Some(share)) = (uses.get(&rating.rater), shares.get_mut(&rating.rater)) else {
                continue;
            };
            let score = used.weight * (rating.value - used.centre) / used.scale;
            match share.cells.last_mut() {
                Some((last, sum, weight)) if *last == stimulus => {
                    *sum += score;
                    *weight += used.weight;
                }
                _ => share.cells.push((stimulus, score, used.weight)),
            }
        }
        shares.into_values().collect()
    }

    /// How the scores of each included rater are used.
    fn uses(&self, settings: &OpinionScores) -> Result<HashMap<usize, Use>, StatError> {
        let biased = |bias: f64| Use { centre: bias, origin: bias, ..AS_GIVEN };
        if settings.model == SubjectModel::P910 {
            let projection = self.counted_projection().as_ref().map_err(Clone::clone)?;
            let weight = |spread: f64| (spread * spread + LEAST_VARIANCE).recip();
            let subjects = projection.subjects.iter();
            return Ok(subjects
                .map(|one| (one.subject, Use { weight: weight(one.inconsistency), ..biased(one.bias) }))
                .collect());
        }
        let counted = self.counted()?;
        if settings.adjust != AdjustmentRule::ZScores {
            let removed = settings.adjust == AdjustmentRule::BiasRemoved;
            let bias = |rater: usize| if removed { self.biases.get(&rater).copied() } else { None };
            return Ok(counted.iter().map(|&rater| (rater, bias(rater).map_or(AS_GIVEN, biased))).collect());
        }
        let mut scores: HashMap<usize, Vec<f64>> = HashMap::new();
        for (_, rating) in &self.part.rows {
            scores.entry(rating.rater).or_default().push(rating.value);
        }
        counted
            .iter()
            .map(|rater| {
                let own = scores.get(rater).map_or(&[][..], Vec::as_slice);
                let (centre, scale) = (describe::mean(own)?, describe::standard_deviation(own)?);
                Ok((*rater, Use { centre, scale, ..AS_GIVEN }))
            })
            .collect()
    }
}
