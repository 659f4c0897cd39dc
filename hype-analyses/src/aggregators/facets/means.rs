//! Means of models over the levels of a facet, and differences between them.

use std::collections::HashMap;

use hype_core::Measure;
use hype_core::model::findings::{Comparison, Estimate, Interval};
use hype_core::words::counted;
use hype_stats::facets::{WeightedSum, weighted_sum};
use hype_stats::{StatError, describe};

use super::cells::{Comparability, ModelCells};
use super::contrasts::Contrasts;
use crate::aggregators::by_model::{ModelSample, distinct_raters};
use crate::aggregators::inference::allowing_for_bias;

/// How means over levels are estimated.
pub(super) struct Means<'c> {
    pub(super) contrasts: &'c Contrasts<'c>,
    pub(super) levels_are: Comparability,
    /// The confidence level.
    pub(super) level: f64,
}

impl Means<'_> {
    /// The mean of a model over the levels with these weights; `None` if it has no values at a level.
    pub(super) fn mean(
        &self,
        models: &[ModelCells],
        place: usize,
        weights: &[f64],
        measure: &Measure,
    ) -> Option<Estimate> {
        let model = &models[place];
        let cells = model.complete()?;
        let of_cells: Vec<f64> = cells.iter().map(|cell| describe::mean(cell).ok()).collect::<Option<_>>()?;
        let whole: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
        let products: Vec<f64> = of_cells.iter().zip(&shares).map(|(value, share)| value * share).collect();
        let samples: Vec<&ModelSample> = model.samples.iter().flatten().collect();
        let responses = samples.iter().flat_map(|sample| &sample.raters);
        let bare = Estimate::new(
            &model.model,
            describe::sum(&products),
            distinct_raters(&samples) as u64,
            responses.map(|(_, cell)| cell.count).sum(),
        );
        if self.levels_are == Comparability::InCommon {
            return Some(self.contrasts.mean(place, weights, measure, bare));
        }
        let found = model.check_inferred().and_then(|()| weighted_sum(&cells, &shares, self.level));
        let Ok(found) = found else { return Some(bare) };
        let (value, error) = (found.value, found.standard_error);
        let interval = interval_over_levels(&found, cells.len());
        let interval = allowing_for_bias(measure, value, error, interval).ok();
        Some(Estimate { value, se: Some(error), interval, ..bare })
    }

    /// The difference between the means of two models over all levels with these shares; `bare` has the rest.
    pub(super) fn difference(
        &self,
        models: &[ModelCells],
        [a, b]: [usize; 2],
        shares: &[f64],
        bare: Comparison,
    ) -> Comparison {
        let of_other_raters = match self.levels_are {
            Comparability::OtherRaters => {
                match [a, b].iter().try_for_each(|&place| models[place].check_inferred()) {
                    Ok(()) => difference_over_levels(&models[a], &models[b], shares, self.level),
                    Err(error) => Some(Err(error)),
                }
            }
            Comparability::InCommon => None,
        };
        match of_other_raters {
            None => self.contrasts.difference(a, b, shares, bare),
            Some(Ok(found)) => Comparison {
                difference: found.value,
                statistic: Some(found.value / found.standard_error),
                se: Some(found.standard_error),
                df: Some(found.degrees_of_freedom),
                p: Some(found.p),
                interval: Some(interval_over_levels(&found, shares.len())),
                ..bare
            },
            Some(Err(error)) => {
                let difference = self.contrasts.difference(a, b, shares, bare.clone()).difference;
                Comparison { difference, undefined: Some(error.to_string().into()), ..bare }
            }
        }
    }
}

/// The interval of a weighted sum over levels with other raters each.
pub(super) fn interval_over_levels(found: &WeightedSum, levels: usize) -> Interval {
    let margin = if found.is_banerjee { "Banerjee's margin" } else { "Student's t" };
    let method = format!("{margin} over raters of {}", counted(levels, "level"));
    let range = found.interval;
    Interval {
        df: vec![found.degrees_of_freedom],
        ..Interval::new(range.lower, range.upper, range.level, &method)
    }
}

/// The difference between the means of two models over levels with other raters each, who judged both models or one of them;
/// `None` if some judged one and others both.
pub(super) fn difference_over_levels(
    a: &ModelCells,
    b: &ModelCells,
    shares: &[f64],
    level: f64,
) -> Option<Result<WeightedSum, StatError>> {
    let samples = || a.samples.iter().zip(&b.samples).map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
    let pairs: Vec<(&ModelSample, &ModelSample)> = samples().collect::<Option<_>>()?;
    let raters =
        |(a, b): &(&ModelSample, &ModelSample)| (a.raters.len(), b.raters.len(), distinct_raters(&[*a, *b]));
    if pairs.iter().map(raters).all(|(of_a, of_b, all)| of_a == all && of_b == all) {
        let differences = |(a, b): &(&ModelSample, &ModelSample)| -> Vec<f64> {
            let of_b: HashMap<u32, f64> =
                b.raters.iter().map(|(rater, cell)| (*rater, cell.mean())).collect();
            a.raters.iter().map(|(rater, cell)| cell.mean() - of_b[rater]).collect()
        };
        let cells: Vec<Vec<f64>> = pairs.iter().map(differences).collect();
        return Some(weighted_sum(&cells, shares, level));
    }
    pairs.iter().map(raters).all(|(of_a, of_b, all)| of_a + of_b == all).then(|| {
        let cells: Vec<Vec<f64>> = pairs
            .iter()
            .map(|(a, _)| a.rater_means())
            .chain(pairs.iter().map(|(_, b)| b.rater_means()))
            .collect();
        let weights: Vec<f64> = shares.iter().copied().chain(shares.iter().map(|share| -share)).collect();
        weighted_sum(&cells, &weights, level)
    })
}
