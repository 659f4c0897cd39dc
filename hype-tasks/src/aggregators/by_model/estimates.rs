//! Estimates and their intervals.

use std::collections::HashMap;

use hype_core::RaterDesign;
use hype_core::Streams;
use hype_core::model::findings::{Estimate, Interval, MeasureFindings, Note, WithExcluded};
use hype_core::model::score::Direction;
use hype_core::words::counted;
use hype_stats::bootstrap::{self, Crossed, CrossedResamples, Distribution, Resamples};
use hype_stats::{StatError, describe};

use super::sums::{ModelSample, Sample};
use super::{Bootstrap, ByModel, IntervalMethod, Pairs};
use crate::aggregators::ordering::best_first;

impl ByModel {
    /// The findings of one measure.
    pub(super) fn measure_findings(
        &self,
        sample: &Sample,
        design: RaterDesign,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let chance = chance.child("by_model", 0).child(&sample.measure.name, 0);
        let mut models: Vec<(&ModelSample, Estimate)> = sample
            .models
            .iter()
            .map(|model| {
                let (estimate, note) = self.estimate(model, &chance.child(&model.model, 0));
                notes.extend(note.map(|why| {
                    let text = format!("{}, {}: no interval: {why}", model.model, sample.measure.label);
                    Note::warning("no-interval", text)
                }));
                let of_raters = describe::mean(&model.rater_means()).unwrap_or(estimate.value);
                if (of_raters - estimate.value).abs() > 1e-9 * of_raters.abs().max(1.0) {
                    let text = format!(
                        "{}, {}: the estimate weighs every response alike; averaging each rater first, as \
                         differences and tests do, gives {of_raters:.6}",
                        model.model, sample.measure.label
                    );
                    notes.push(Note::warning("two-means", text));
                }
                (model, estimate)
            })
            .collect();
        models.sort_by(|(_, a), (_, b)| best_first(sample.measure.direction, a, b));
        let ordered: Vec<&ModelSample> = models.iter().map(|(model, _)| *model).collect();
        let raters: usize = match design {
            RaterDesign::Between => ordered.iter().map(|model| model.raters.len()).sum(),
            RaterDesign::Within => distinct_raters(&ordered),
        };
        MeasureFindings {
            raters: raters as u64,
            items: sample.items,
            responses: models.iter().map(|(_, estimate)| estimate.responses).sum(),
            tests: self.tests(&ordered, design),
            comparisons: self.comparisons(&ordered, design),
            estimates: models.into_iter().map(|(_, estimate)| estimate).collect(),
            ..MeasureFindings::new(sample.measure.clone())
        }
    }

    /// Notes on how the raters' design affects the analysis.
    pub(super) fn design_notes(&self, sample: &Sample, design: RaterDesign) -> Vec<Note> {
        let models: Vec<&ModelSample> = sample.models.iter().collect();
        let judged: usize = models.iter().map(|model| model.raters.len()).sum();
        let all = distinct_raters(&models);
        let label = &sample.measure.label;
        let mut notes = Vec::new();
        match design {
            RaterDesign::Between if all < judged => notes.push(Note::warning(
                "repeated-raters",
                format!(
                    "{label}: some raters judged several models, but the tests take models' raters as independent: \
                     use the within design"
                ),
            )),
            RaterDesign::Within if models.len() > 1 => {
                let incomplete = all - judged_every(&models);
                // Measures of the raters themselves, such as consistency, do not exist for every model.
                if incomplete > 0 && sample.measure.direction != Direction::Neither {
                    let pairs = match self.pairs {
                        Pairs::Wilcoxon => "and pairs leave them out",
                        _ => "omit them, and pairs include only those who judged both",
                    };
                    notes.push(Note::warning(
                        "incomplete-raters",
                        format!(
                            "{label}: {incomplete} of {} did not judge every model: the tests over models {pairs}",
                            counted(all, "rater")
                        ),
                    ));
                }
                if !matches!(self.pairs, Pairs::Auto | Pairs::Wilcoxon) {
                    notes.push(Note::warning(
                        "paired-instead",
                        format!(
                            "{label}: the design is within raters, so pairs are compared by the paired t of the \
                             raters who judged both"
                        ),
                    ));
                }
            }
            _ => {}
        }
        notes
    }

    /// The estimate for a model, and the reason if it has no interval.
    fn estimate(&self, model: &ModelSample, chance: &Streams) -> (Estimate, Option<StatError>) {
        let means = model.rater_means();
        let value = describe::mean(&means).unwrap_or(f64::NAN);
        let settings = &self.bootstrap;
        let (value, distribution, unit) = match crossed(model) {
            Some(Ok(crossed)) => {
                let resamples =
                    CrossedResamples::seeded(settings.resamples.get() as usize, chance.seed("bootstrap"));
                (crossed.estimate(), crossed.bootstrap(resamples), "raters and items")
            }
            Some(Err(error)) => (value, Err(error), "raters and items"),
            None if means.len() < 2 => (
                value,
                Err(StatError::TooFew {
                    statistic: "an interval",
                    needed: RATERS_FOR_INTERVAL,
                    of: "raters",
                    got: means.len(),
                }),
                "raters",
            ),
            None => {
                let resamples =
                    Resamples::seeded(settings.resamples.get() as usize, chance.seed("bootstrap"));
                (value, bootstrap::mean(&means, resamples), "raters")
            }
        };
        let (interval, bootstrap_sd, why) = match distribution {
            Ok(distribution) => {
                let sd = distribution.standard_deviation().ok();
                match check_raters(means.len()).and_then(|()| interval(&distribution, settings, unit)) {
                    Ok(found) => (Some(found), sd, None),
                    Err(error) => (None, sd, Some(error)),
                }
            }
            Err(error) => (None, None, Some(error)),
        };
        let estimate = Estimate {
            model: model.model.clone(),
            value,
            interval,
            bootstrap_sd,
            sd: describe::standard_deviation(&means).ok(),
            sem: describe::standard_error(&means).ok(),
            raters: means.len() as u64,
            responses: model.raters.iter().map(|(_, cell)| cell.count).sum(),
            with_excluded: with_excluded(model, means),
        };
        (estimate, why)
    }
}

/// The responses of a model by rater and item; `None` unless items are resampled and the values have items.
fn crossed(model: &ModelSample) -> Option<Result<Crossed, StatError>> {
    if model.responses.is_empty() {
        return None;
    }
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
    Some(Crossed::from_responses(raters.len(), items.len(), responses))
}

/// The fewest raters for an interval. Resamples of two raters span their two values and no more, so that an interval at
/// any level is their range, which contains the median of the population in half of all studies.
const RATERS_FOR_INTERVAL: usize = 3;

fn check_raters(raters: usize) -> Result<(), StatError> {
    if raters >= RATERS_FOR_INTERVAL {
        return Ok(());
    }
    Err(StatError::TooFew {
        statistic: "an interval",
        needed: RATERS_FOR_INTERVAL,
        of: "raters",
        got: raters,
    })
}

fn interval(distribution: &Distribution, settings: &Bootstrap, unit: &str) -> Result<Interval, StatError> {
    let (found, name) = match settings.interval {
        IntervalMethod::Percentile => (distribution.percentile(settings.level), "percentile"),
        IntervalMethod::Bca => (distribution.bca(settings.level), "BCa"),
    };
    let found = found?;
    Ok(Interval {
        low: found.lower,
        high: found.upper,
        level: settings.level,
        method: format!("{name} bootstrap over {unit}, {} resamples", settings.resamples).into(),
    })
}

fn with_excluded(model: &ModelSample, mut means: Vec<f64>) -> Option<WithExcluded> {
    if model.excluded.is_empty() {
        return None;
    }
    means.extend(model.excluded.iter().map(|cell| cell.mean()));
    Some(WithExcluded { value: describe::mean(&means).ok()?, raters: means.len() as u64 })
}

fn distinct_raters(models: &[&ModelSample]) -> usize {
    let mut raters: Vec<u32> =
        models.iter().flat_map(|model| model.raters.iter().map(|(rater, _)| *rater)).collect();
    raters.sort_unstable();
    raters.dedup();
    raters.len()
}

/// How many raters judged every model.
fn judged_every(models: &[&ModelSample]) -> usize {
    let mut raters: Vec<u32> =
        models.iter().flat_map(|model| model.raters.iter().map(|(rater, _)| *rater)).collect();
    raters.sort_unstable();
    raters.chunk_by(|a, b| a == b).filter(|own| own.len() == models.len()).count()
}
