//! Findings from votes: strengths, win rates, counts.

use std::collections::HashSet;
use std::sync::Arc;

use hype_core::model::findings::{
    Column, Comparison, Effect, Estimate, Exclusion, Interval, MeasureFindings, Note, Table, Test,
    WithExcluded,
};
use hype_core::{AggregateError, Aggregated, Direction, Measure, Streams};
use hype_stats::StatError;
use hype_stats::bootstrap::ratio;
use hype_stats::distributions::{ChiSquared, normal_cdf, normal_quantile};
use hype_stats::multiple::{PValueAdjustment, adjust};
use hype_stats::preference::{ClusterCorrection, Covariance, PreferenceFit, Replicates};
use serde_json::json;

use super::votes::{PreferenceVotes, Sample};
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::measures::PREFERENCE;
use crate::aggregators::ordering::greatest_first;
use crate::aggregators::resampling::interval;
use crate::aggregators::strengths::explain;

const INFORMATION: &str = "information matrix, votes independent";

/// Strengths with the source of their intervals.
struct Fitted {
    fit: PreferenceFit,
    spread: Spread,
}

enum Spread {
    Resampled(Replicates),
    Estimated(Covariance, &'static str),
    None,
}

impl PairedPreferences {
    pub(super) fn found(
        &self,
        sums: &PreferenceVotes,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let excluded = sums.excluded(exclusions);
        let mut found = Aggregated::default();
        for measure in sums.measures() {
            let Some(sample) = sums.sample(measure, &excluded) else { continue };
            let sample = sample.map_err(|error| AggregateError::Other(error.to_string()))?;
            let everyone = (!excluded.is_empty()).then(|| sums.sample(measure, &HashSet::new()));
            let everyone = everyone
                .flatten()
                .and_then(Result::ok)
                .filter(|all| all.votes.table().total() > sample.votes.table().total());
            let own = chance.child("contrast", 0).child(&measure.name, 0);
            found.measures.extend(self.strengths(&sample, everyone.as_ref(), &own, &mut found.notes));
            found.measures.push(self.win_rates(&sample, everyone.as_ref(), &own, &mut found.notes));
        }
        if found.measures.is_empty() {
            let wanted = sums.measures().first().map_or(PREFERENCE, |measure| &*measure.name);
            return Err(AggregateError::NoScores { measure: wanted.to_owned(), known: sums.measured() });
        }
        Ok(found)
    }

    /// Strengths with their intervals; `None`, with a note on the reason, if they have no finite estimate.
    fn strengths(
        &self,
        sample: &Sample,
        everyone: Option<&Sample>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> Option<MeasureFindings> {
        let Fitted { fit, spread } = match self.fit(sample, chance, notes) {
            Ok(fitted) => fitted,
            Err(error) => {
                let text = format!(
                    "{}: no strengths can be estimated: {}",
                    sample.measure.label,
                    explain(&error, &sample.models)
                );
                notes.push(Note::warning("no-strengths", text));
                return None;
            }
        };
        let with = everyone.and_then(|all| {
            let fit = self.fitted_model(has_ties(all)).and_then(|model| model.fit(all.votes.table())).ok()?;
            Some((all, fit))
        });
        let level = self.bootstrap.level;
        let mut estimates: Vec<Estimate> = (0..sample.models.len())
            .map(|model| {
                let (range, sd) = match &spread {
                    Spread::Resampled(replicates) => {
                        let theta = replicates.theta(model);
                        let sd = theta.as_ref().ok().and_then(|theta| theta.standard_deviation().ok());
                        let range = theta.and_then(|theta| theta.percentile(level)).ok();
                        (range.map(|range| self.bootstrap.percentile(range, "raters")), sd)
                    }
                    Spread::Estimated(covariance, method) => {
                        let ranges = fit.intervals(covariance, level).ok();
                        (ranges.map(|ranges| interval(ranges[model], method)), None)
                    }
                    Spread::None => (None, None),
                };
                Estimate {
                    model: Arc::clone(&sample.models[model]),
                    value: fit.theta[model],
                    interval: range,
                    bootstrap_sd: sd,
                    sd: None,
                    sem: Some(fit.covariance.standard_error(model)),
                    raters: raters_of(sample, model),
                    responses: sample.votes.table().record(model).comparisons(),
                    with_excluded: with.as_ref().and_then(|(all, fit)| {
                        let place = all.models.iter().position(|name| *name == sample.models[model])?;
                        Some(WithExcluded { value: fit.theta[place], raters: raters_of(all, place) })
                    }),
                }
            })
            .collect();
        estimates.sort_by(greatest_first);
        let suffix = sample.measure.name.strip_prefix(PREFERENCE).unwrap_or_default();
        let label = format!("{}: strength (natural logarithm)", sample.measure.label);
        let measure = Measure::new(&format!("strength{suffix}"), &label, "", Direction::Higher);
        Some(MeasureFindings {
            raters: sample.by_rater.len() as u64,
            items: sample.items,
            responses: sample.votes.table().total(),
            estimates,
            tests: vec![deviance(&fit)],
            comparisons: self.comparisons(sample, &fit, &spread),
            ..MeasureFindings::new(measure)
        })
    }

    fn fit(&self, sample: &Sample, chance: &Streams, notes: &mut Vec<Note>) -> Result<Fitted, StatError> {
        let model = self.fitted_model(has_ties(sample))?;
        let fit = model.fit(sample.votes.table())?;
        let spread = match self.intervals {
            IntervalKind::Information => Ok(Spread::Estimated(fit.covariance.clone(), INFORMATION)),
            IntervalKind::Clustered => fit
                .clustered(&sample.votes, ClusterCorrection::Clusters)
                .map(|covariance| Spread::Estimated(covariance, "sandwich over raters (CR1)")),
            IntervalKind::Bootstrap => model
                .bootstrap(&sample.votes, self.bootstrap.seeded(chance.seed("strengths")))
                .map(Spread::Resampled),
        };
        let spread = spread.unwrap_or_else(|error| {
            let text = format!("{}: no intervals of strengths: {error}", sample.measure.label);
            notes.push(Note::warning("no-interval", text));
            Spread::None
        });
        if let Spread::Resampled(replicates) = &spread
            && replicates.degenerate() > 0
        {
            notes.push(Note::warning(
                "degenerate-resamples",
                format!(
                    "{}: {} of {} resamples of raters have no strengths, because a model never lost or was never \
                     compared in them; intervals leave them out and are too narrow",
                    sample.measure.label,
                    replicates.degenerate(),
                    replicates.resamples()
                ),
            ));
        }
        let facts = fit
            .order_effect
            .map(|effect| ("order-effect", format!("the log odds of standing first are {effect:.4}")))
            .into_iter()
            .chain(fit.log_nu.map(|log_nu| {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "four digits of a finding, which decides no trial"
                )]
                let propensity = log_nu.exp();
                ("davidson", format!("Davidson's propensity to tie is {propensity:.4}"))
            }));
        notes.extend(
            facts.map(|(code, text)| Note::remark(code, format!("{}: {text}", sample.measure.label))),
        );
        Ok(Fitted { fit, spread })
    }

    /// Every pair of models by the difference of their strengths over its standard error, with Holm's correction.
    fn comparisons(&self, sample: &Sample, fit: &PreferenceFit, spread: &Spread) -> Vec<Comparison> {
        let level = self.bootstrap.level;
        let deviate = normal_quantile(0.5 * (1.0 + level)).unwrap_or(f64::NAN);
        let models = sample.models.len();
        let method: Arc<str> = match spread {
            Spread::Resampled(_) => {
                "difference of strengths over its bootstrap standard deviation, normal z, Holm".into()
            }
            Spread::Estimated(_, method) => {
                format!("difference of strengths, Wald's z by {method}, Holm").into()
            }
            Spread::None => format!("difference of strengths, Wald's z by {INFORMATION}, Holm").into(),
        };
        let mut found: Vec<Comparison> = (0..models)
            .flat_map(|a| (a + 1..models).map(move |b| (a, b)))
            .map(|(a, b)| {
                let difference = fit.theta[a] - fit.theta[b];
                let (error, range) = match spread {
                    Spread::Resampled(replicates) => {
                        let distribution = replicates.difference(a, b).ok();
                        let error = distribution.as_ref().and_then(|all| all.standard_deviation().ok());
                        let range = distribution.and_then(|all| all.percentile(level).ok());
                        (error, range.map(|range| self.bootstrap.percentile(range, "raters")))
                    }
                    Spread::Estimated(covariance, method) => {
                        let error = covariance.difference(a, b);
                        let (low, high) = (difference - deviate * error, difference + deviate * error);
                        (Some(error), Some(Interval { low, high, level, method: (*method).into() }))
                    }
                    Spread::None => (Some(fit.covariance.difference(a, b)), None),
                };
                let z = error.filter(|error| *error > 0.0).map(|error| difference / error);
                Comparison {
                    method: Arc::clone(&method),
                    a: Arc::clone(&sample.models[a]),
                    b: Arc::clone(&sample.models[b]),
                    difference,
                    interval: range,
                    statistic_name: "z".into(),
                    statistic: z,
                    df: None,
                    p: z.map(|z| 2.0 * normal_cdf(-z.abs())),
                    undefined: z.is_none().then(|| "the difference has no standard error".into()),
                }
            })
            .collect();
        let raw: Vec<f64> = found.iter().filter_map(|pair| pair.p).collect();
        if let Ok(adjusted) = adjust(&raw, PValueAdjustment::Holm) {
            let tested = found.iter_mut().filter_map(|pair| pair.p.as_mut());
            tested.zip(adjusted).for_each(|(p, adjusted)| *p = adjusted);
        }
        found
    }

    /// The share of votes that each model won, with ties as half, and the counts of every pair.
    fn win_rates(
        &self,
        sample: &Sample,
        everyone: Option<&Sample>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let table = sample.votes.table();
        let mut estimates: Vec<Estimate> = (0..sample.models.len())
            .filter_map(|model| {
                let record = table.record(model);
                let of_raters =
                    || sample.by_rater.values().map(|rater| rater[model]).filter(|(_, met)| *met > 0.0);
                let (wins, met): (Vec<f64>, Vec<f64>) = of_raters().unzip();
                let seed = chance.child("win rate", 0).seed(&sample.models[model]);
                let distribution = ratio(&wins, &met, self.bootstrap.seeded(seed));
                let range = distribution.as_ref().map_err(ToString::to_string);
                let range = range
                    .and_then(|all| all.percentile(self.bootstrap.level).map_err(|error| error.to_string()));
                if let Err(why) = &range {
                    let text = format!("{}, win rate: no interval: {why}", sample.models[model]);
                    notes.push(Note::warning("no-interval", text));
                }
                Some(Estimate {
                    model: Arc::clone(&sample.models[model]),
                    value: record.win_rate()?,
                    interval: range.ok().map(|range| self.bootstrap.percentile(range, "raters")),
                    bootstrap_sd: distribution.ok().and_then(|all| all.standard_deviation().ok()),
                    sd: None,
                    sem: None,
                    raters: raters_of(sample, model),
                    responses: record.comparisons(),
                    with_excluded: everyone.and_then(|all| {
                        let place = all.models.iter().position(|name| *name == sample.models[model])?;
                        let value = all.votes.table().record(place).win_rate()?;
                        Some(WithExcluded { value, raters: raters_of(all, place) })
                    }),
                })
            })
            .collect();
        estimates.sort_by(greatest_first);
        let suffix = sample.measure.name.strip_prefix(PREFERENCE).unwrap_or_default();
        let label = format!("{}: share of votes won, ties half", sample.measure.label);
        let measure = Measure::new(&format!("win_rate{suffix}"), &label, "proportion", Direction::Higher);
        MeasureFindings {
            raters: sample.by_rater.len() as u64,
            items: sample.items,
            responses: table.total(),
            estimates,
            tables: vec![votes_table(sample)],
            ..MeasureFindings::new(measure)
        }
    }
}

/// The votes of every pair that was compared.
fn votes_table(sample: &Sample) -> Table {
    let table = sample.votes.table();
    let models = sample.models.len();
    let rows = (0..models).flat_map(|a| (a + 1..models).map(move |b| (a, b))).filter_map(|(a, b)| {
        let record = table.record_against(a, b);
        (record.comparisons() > 0).then(|| {
            vec![
                json!(sample.models[a]),
                json!(sample.models[b]),
                json!(record.wins),
                json!(record.ties),
                json!(record.losses),
                json!(record.win_rate()),
                json!(record.wins_per_loss()),
            ]
        })
    });
    Table {
        name: "votes".into(),
        label: "votes of each pair".into(),
        rows: rows.collect(),
        columns: vec![
            Column::new("a", "model", ""),
            Column::new("b", "against", ""),
            Column::new("wins", "wins", ""),
            Column::new("ties", "ties", ""),
            Column::new("losses", "losses", ""),
            Column::new("win_rate", "win rate, ties half", "proportion"),
            Column::new("ratio", "wins for each loss", ""),
        ],
    }
}

/// The fit of one strength for each model, against free shares for every pair.
fn deviance(fit: &PreferenceFit) -> Test {
    let df = fit.degrees_of_freedom as f64;
    let p = (df > 0.0).then(|| ChiSquared::new(df).map(|chi| chi.sf(fit.deviance)).ok()).flatten();
    Test {
        name: "deviance from one strength for each model (votes independent)".into(),
        statistic_name: "G2".into(),
        statistic: Some(fit.deviance),
        df: vec![df],
        p,
        effects: vec![Effect { name: "log-likelihood".into(), value: fit.log_likelihood }],
        undefined: (df <= 0.0).then(|| "there are no more pairs than strengths".into()),
    }
}

fn has_ties(sample: &Sample) -> bool {
    let table = sample.votes.table();
    (0..sample.models.len()).any(|model| table.record(model).ties > 0)
}

fn raters_of(sample: &Sample, model: usize) -> u64 {
    sample.by_rater.values().filter(|rater| rater[model].1 > 0.0).count() as u64
}
