//! Means over levels, slopes and interactions as weighted sums of the estimates of models at levels, which may have raters or items
//! in common.

use hype_core::Measure;
use hype_core::model::findings::{Comparison, Estimate, FacetTrend, GeneralizeTo, Test};
use hype_stats::StatError;
use hype_stats::clustered::{Clustered, ClusteredVariance};
use hype_stats::facets::{LineWeights, TrendScale};

use super::cells::ModelCells;
use crate::aggregators::by_model::{
    ModelSample, check_inferred, clustered, distinct_items, distinct_raters, no_test, value,
};
use crate::aggregators::inference::{allowing_for_bias, check_target, proportion, student};
use crate::aggregators::measures::PROPORTION;

/// The estimates of models at levels, with their errors together.
pub(super) struct Contrasts<'c> {
    samples: Vec<&'c ModelSample>,
    /// For each model and level where its sample is, if it has values there.
    places: Vec<Vec<Option<usize>>>,
    values: Vec<f64>,
    errors: Result<Clustered, StatError>,
    generalize_to: GeneralizeTo,
    level: f64,
}

/// A weighted sum, tested against 0.
struct Tested {
    t: f64,
    df: Vec<f64>,
    p: f64,
}

impl<'c> Contrasts<'c> {
    pub(super) fn new(models: &'c [ModelCells], generalize_to: GeneralizeTo, level: f64) -> Self {
        let mut samples = Vec::new();
        let mut places = Vec::new();
        for model in models {
            let mut place = |sample: &'c ModelSample| {
                samples.push(sample);
                samples.len() - 1
            };
            places.push(model.samples.iter().map(|sample| sample.as_ref().map(&mut place)).collect());
        }
        let values: Vec<f64> = samples.iter().map(|sample| value(sample, generalize_to)).collect();
        let errors = clustered(&samples, &values, generalize_to);
        Self { samples, places, values, errors, generalize_to, level }
    }

    /// The weighted sum of these samples' estimates, with its variance.
    fn of(&self, weights: &[(usize, f64)]) -> Result<(f64, ClusteredVariance), StatError> {
        let samples = self.those(weights);
        check_inferred(&samples)?;
        check_target(distinct_raters(&samples), || distinct_items(&samples), self.generalize_to)?;
        let sum = weights.iter().map(|&(place, weight)| weight * self.values[place]).sum();
        Ok((sum, self.errors.as_ref().map_err(Clone::clone)?.contrast(weights)?))
    }

    fn those(&self, weights: &[(usize, f64)]) -> Vec<&'c ModelSample> {
        weights.iter().map(|&(place, _)| self.samples[place]).collect()
    }

    fn tested(&self, weights: &[(usize, f64)]) -> Result<Tested, StatError> {
        let (sum, variance) = self.of(weights)?;
        let p = variance.p(sum)?;
        Ok(Tested { t: sum / variance.standard_error(), df: variance.degrees_of_freedom(), p })
    }

    /// The estimates of a model at all levels, with the share of each in the sum of these weights.
    fn shares(&self, model: usize, weights: &[f64]) -> Vec<(usize, f64)> {
        let whole: f64 = weights.iter().sum();
        let all = self.places[model].iter().zip(weights);
        all.filter_map(|(place, &weight)| Some(((*place)?, weight / whole))).collect()
    }

    /// The difference between the means of two models over all levels with these weights; `bare` has the rest.
    pub(super) fn difference(&self, a: usize, b: usize, weights: &[f64], bare: Comparison) -> Comparison {
        let mut of_both = self.shares(a, weights);
        of_both.extend(self.shares(b, weights).into_iter().map(|(place, share)| (place, -share)));
        let difference = of_both.iter().map(|&(place, weight)| weight * self.values[place]).sum();
        let found = self.of(&of_both).and_then(|(difference, variance)| {
            Ok((
                variance.p(difference)?,
                student(difference, &variance, self.level, self.generalize_to)?,
                variance,
            ))
        });
        match found {
            Ok((p, interval, variance)) => Comparison {
                difference,
                statistic: Some(difference / variance.standard_error()),
                se: Some(variance.standard_error()),
                df: variance.degrees_of_freedom().first().copied(),
                p: Some(p),
                interval: Some(interval),
                ..bare
            },
            Err(error) => Comparison { difference, undefined: Some(error.to_string().into()), ..bare },
        }
    }

    /// The mean of a model over all levels with these weights, with its error and interval; `bare` has the rest.
    pub(super) fn mean(&self, model: usize, weights: &[f64], measure: &Measure, bare: Estimate) -> Estimate {
        let weights = self.shares(model, weights);
        let value = weights.iter().map(|&(place, weight)| weight * self.values[place]).sum();
        let Ok((_, variance)) = self.of(&weights) else { return Estimate { value, ..bare } };
        let samples = self.those(&weights);
        let units = match self.generalize_to {
            GeneralizeTo::Items => distinct_items(&samples),
            GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => distinct_raters(&samples),
        };
        let error = variance.standard_error();
        let interval = match &*measure.unit {
            PROPORTION => proportion(value, &variance, units, "answer", self.level, self.generalize_to),
            _ => student(value, &variance, self.level, self.generalize_to),
        };
        let interval = interval.and_then(|found| allowing_for_bias(measure, value, error, found)).ok();
        Estimate { value, se: Some(error), interval, ..bare }
    }

    /// Whether differences between models are the same at all levels: the smallest p value of the difference of two models at one
    /// level less that at another, adjusted for their number.
    pub(super) fn interaction(&self, name: &str) -> Test {
        let mut all = Vec::new();
        for (place, one) in self.places.iter().enumerate() {
            for other in &self.places[place + 1..] {
                let both: Vec<(usize, usize)> =
                    one.iter().zip(other).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
                for (level, &(a, b)) in both.iter().enumerate() {
                    for &(a_there, b_there) in &both[level + 1..] {
                        all.push(self.tested(&[(a, 1.0), (b, -1.0), (a_there, -1.0), (b_there, 1.0)]));
                    }
                }
            }
        }
        smallest(no_test(&format!("{name} (differences of differences, Bonferroni)"), "t", None), all)
    }

    /// The slope of a model along levels with these numbers, and whether its estimates leave the line; `bare` has the rest.
    pub(super) fn trend(
        &self,
        model: usize,
        numbers: &[f64],
        scale: TrendScale,
        bare: FacetTrend,
    ) -> FacetTrend {
        let (at, places): (Vec<f64>, Vec<usize>) = numbers
            .iter()
            .zip(&self.places[model])
            .filter_map(|(&number, place)| Some((number, (*place)?)))
            .unzip();
        let with = |weights: &[f64]| -> Vec<(usize, f64)> {
            places.iter().copied().zip(weights.iter().copied()).collect()
        };
        let found = LineWeights::new(&at, scale).and_then(|line| {
            let slope = with(&line.slope);
            let (value, variance) = self.of(&slope)?;
            let departures = line.departures.iter().map(|weights| self.tested(&with(weights))).collect();
            Ok((value, variance, self.tested(&slope)?, departures))
        });
        match found {
            Ok((slope, variance, tested, departures)) => FacetTrend {
                slope: Some(slope),
                se: Some(variance.standard_error()),
                interval: student(slope, &variance, self.level, self.generalize_to).ok(),
                t: Some(tested.t),
                df: tested.df.first().copied(),
                p: Some(tested.p),
                departure: (at.len() > 2).then(|| {
                    smallest(
                        no_test("departure from a line (single levels, Bonferroni)", "t", None),
                        departures,
                    )
                }),
                ..bare
            },
            Err(error) => FacetTrend { undefined: Some(error.to_string().into()), ..bare },
        }
    }
}

/// The test with the smallest p value of all, adjusted for their number.
fn smallest(bare: Test, all: Vec<Result<Tested, StatError>>) -> Test {
    let count = all.len() as f64;
    let (mut least, mut why): (Option<Tested>, Option<StatError>) = (None, None);
    for one in all {
        match one {
            Ok(tested) if least.as_ref().is_none_or(|known| tested.p < known.p) => least = Some(tested),
            Ok(_) => {}
            Err(error) => why = why.or(Some(error)),
        }
    }
    match (least, why) {
        (Some(least), _) => {
            Test { statistic: Some(least.t), df: least.df, p: Some((least.p * count).min(1.0)), ..bare }
        }
        (None, Some(error)) => Test { undefined: Some(error.to_string().into()), ..bare },
        (None, None) => {
            Test { undefined: Some("no two models have values at the same two levels".into()), ..bare }
        }
    }
}
