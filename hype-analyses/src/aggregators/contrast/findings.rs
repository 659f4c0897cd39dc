//! Findings from votes: strengths and their pairs.

use std::collections::HashSet;
use std::sync::Arc;

use hype_core::model::findings::{
    Comparison, Effect, Estimate, Exclusion, GeneralizeTo, Interval, MeasureFindings, Note, Test,
    WithExcluded,
};
use hype_core::{AggregateError, Aggregated, Direction, Measure, Streams};
use hype_stats::StatError;
use hype_stats::clustered::{Clustered, ClusteredVariance};
use hype_stats::distributions::{ChiSquared, normal_cdf, normal_quantile};
use hype_stats::multiple::holm;
use hype_stats::preference::{Covariance, PreferenceFit, Replicates};

use super::votes::{LevelledVotes, PreferenceVotes, Sample};
use super::{IntervalKind, PairedPreferences, against};
use crate::aggregators::conclusions::{ranks, resampled_orders};
use crate::aggregators::criteria::{self, Criterion};
use crate::aggregators::evidence::method;
use crate::aggregators::inference::{
    Compared, Difference, check_target, degenerate, differences, family, few_raters, no_intervals,
    no_strengths, not_by_item, only_against, smallest_p, student, target, uneven,
};
use crate::aggregators::many::{are_compared, too_many};
use crate::aggregators::measures::PREFERENCE;
use crate::aggregators::ordering::greatest_first;
use crate::aggregators::resampling::interval;
use crate::aggregators::sides::Sides;
use crate::aggregators::strengths::{explain, pseudo_values};
use crate::aggregators::without_rater::LeaveOneOut;

const INFORMATION: &str = "information matrix, votes independent";

/// Strengths with the source of their intervals.
struct Fitted {
    fit: PreferenceFit,
    spread: Spread,
}

enum Spread {
    Resampled(Replicates),
    Clustered(Box<Clustered>),
    Information(Covariance),
    None,
}

impl PairedPreferences {
    pub(super) fn found(
        &self,
        sums: &PreferenceVotes,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let levels = sums.levels()?;
        let excluded = sums.excluded(exclusions);
        let all_of = |votes: &[LevelledVotes]| {
            Sample::all(votes).map_err(|error| AggregateError::Other(error.to_string()))
        };
        let votes = LevelledVotes::all(sums, &excluded);
        let samples = all_of(&votes)?;
        let with_excluded = match excluded.is_empty() {
            true => Vec::new(),
            false => all_of(&LevelledVotes::all(sums, &HashSet::new()))?,
        };
        let mut found = Aggregated::default();
        let mut strengths = Vec::new();
        for sample in &samples {
            let everyone = with_excluded
                .iter()
                .find(|all| all.measure.name == sample.measure.name)
                .filter(|all| all.votes.table().total() > sample.votes.table().total());
            let own = chance.child("contrast", 0).child(&sample.measure.name, 0);
            found.notes.extend(self.notes(sums, sample));
            strengths.push(self.strengths(sample, everyone, &own, &mut found.notes));
            found.measures.extend(strengths.last().cloned().flatten());
            let tables = match strengths.last() {
                Some(Some(without)) => self.adjusted(sample, without, &mut found.notes),
                _ => Vec::new(),
            };
            found.measures.last_mut().into_iter().for_each(|all| all.tables.extend_from_slice(&tables));
            found.measures.push(self.win_rates(sample, everyone, &own, &mut found.notes));
        }
        found.notes.extend(self.without_rater(
            sums,
            &excluded,
            samples.first().zip(strengths.first()),
            chance,
        ));
        let Some(first) = found.measures.first_mut() else { return Err(sums.no_scores(PREFERENCE)) };
        let criteria: Vec<Criterion<'_>> = samples
            .iter()
            .zip(&strengths)
            .map(|(sample, strengths)| Criterion {
                measure: &sample.measure,
                prefix: PREFERENCE,
                found: strengths.as_ref(),
            })
            .collect();
        first.tables.extend(criteria::tables(&criteria, sums, &excluded, self.confidence()));
        if let Some(levels) = levels {
            self.by_level(levels, &votes, chance, &mut found);
        }
        Ok(found)
    }

    /// A remark on the rater whose removal changes the lead of the strongest model.
    fn without_rater(
        &self,
        sums: &PreferenceVotes,
        excluded: &HashSet<u32>,
        first: Option<(&Sample, &Option<MeasureFindings>)>,
        chance: &Streams,
    ) -> Option<Note> {
        let (Sample { measure, .. }, Some(found)) = first? else { return None };
        let without = |rater| {
            let votes = LevelledVotes::all(sums, &excluded.iter().copied().chain([rater]).collect());
            let samples = Sample::all(&votes).ok()?;
            let sample = samples.first().filter(|sample| sample.measure.name == measure.name)?;
            let chance = chance.child("contrast", 0).child(&measure.name, 0);
            Some(self.strengths(sample, None, &chance, &mut Vec::new())?.comparisons)
        };
        let weights = |models: [&str; 2]| sums.weights(measure, models, excluded);
        let one_out = LeaveOneOut { found, level: self.confidence(), same: None, weights, without };
        one_out.note(|rater| sums.rater(rater))
    }

    /// Strengths with their intervals, of all votes or of those at a level; `None`, with a note on the reason, if they have no finite estimate.
    pub(super) fn strengths(
        &self,
        sample: &Sample,
        everyone: Option<&Sample>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> Option<MeasureFindings> {
        let fitted = match self.fit(sample, chance, notes) {
            Ok(fitted) => fitted,
            Err(error) => {
                notes.push(no_strengths(&strength(&sample.measure).name, &explain(&error, &sample.models)));
                return None;
            }
        };
        let Fitted { fit, spread } = &fitted;
        let with = everyone.and_then(|all| {
            let model = self.fitted_model(has_ties(all), sample.sides);
            let fit = model.and_then(|model| model.fit(all.votes.table())).ok()?;
            Some((all, fit))
        });
        let comparisons = match sample.sides {
            Sides::Confounded => Vec::new(),
            Sides::Ignored | Sides::Allowed => self.comparisons(sample, fit, spread),
        };
        let mut tests = vec![deviance(fit, self.interval_kind() == IntervalKind::Information)];
        if let (Spread::Clustered(_), Some(pair)) = (spread, comparisons.first()) {
            tests.push(smallest_p(&comparisons, &pair.method));
        }
        let mut estimates: Vec<Estimate> = (0..sample.models.len())
            .map(|model| {
                let (range, sd, se) = self.interval_of(model, sample, &fitted);
                Estimate {
                    model: Arc::clone(&sample.models[model]),
                    value: fit.theta[model],
                    interval: range,
                    bootstrap_sd: sd,
                    sd: None,
                    sem: Some(fit.covariance.standard_error(model)),
                    se,
                    raters: raters_of(sample, model),
                    responses: sample.votes.table().record(model).comparisons(),
                    with_excluded: with.as_ref().and_then(|(all, fit)| {
                        let place = all.models.iter().position(|name| *name == sample.models[model])?;
                        Some(WithExcluded { value: fit.theta[place], raters: raters_of(all, place) })
                    }),
                    pseudo_values: match spread {
                        Spread::Clustered(errors) => pseudo_values(fit.theta[model], Some(errors), model),
                        Spread::Resampled(_) | Spread::Information(_) | Spread::None => Vec::new(),
                    },
                }
            })
            .collect();
        estimates.sort_by(greatest_first);
        let mut found = MeasureFindings {
            raters: sample.by_rater.len() as u64,
            items: sample.items,
            responses: sample.votes.table().total(),
            generalize_to: self.generalizes_to(sample),
            family: family(comparisons.iter().filter(|pair| pair.p.is_some()).count(), sample.families),
            estimates,
            tests,
            tables: against::table(sample, &comparisons).into_iter().collect(),
            comparisons,
            ..MeasureFindings::new(strength(&sample.measure))
        };
        self.order(sample, &fitted, &mut found);
        Some(found)
    }

    /// The interval of a model's strength, its standard deviation over resamples, and its standard error.
    fn interval_of(
        &self,
        model: usize,
        sample: &Sample,
        Fitted { fit, spread }: &Fitted,
    ) -> (Option<Interval>, Option<f64>, Option<f64>) {
        let level = self.confidence();
        match spread {
            Spread::Resampled(replicates) => {
                let theta = replicates.theta(model);
                let sd = theta.as_ref().ok().and_then(|theta| theta.standard_deviation().ok());
                let range = theta.and_then(|theta| theta.percentile(level)).ok();
                (range.map(|range| self.resampling().percentile(range, "raters")), sd, None)
            }
            Spread::Clustered(errors) => {
                let least = fit.covariance.of(model, model);
                let variance = errors.of(model).ok().map(|all| all.at_least(least));
                let range = variance
                    .and_then(|all| student(fit.theta[model], &all, level, sample.generalize_to).ok());
                (range, None, variance.map(|all| all.standard_error()))
            }
            Spread::Information(covariance) => {
                let ranges = fit.intervals(covariance, level).ok();
                let range = ranges.map(|ranges| interval(ranges[model], INFORMATION));
                (range, None, Some(covariance.standard_error(model)))
            }
            Spread::None => (None, None, None),
        }
    }

    fn fit(&self, sample: &Sample, chance: &Streams, notes: &mut Vec<Note>) -> Result<Fitted, StatError> {
        let model = self.fitted_model(has_ties(sample), sample.sides)?;
        let fit = model.fit(sample.votes.table())?;
        let spread = match self.interval_kind() {
            _ if sample.sides == Sides::Confounded => Ok(Spread::None),
            IntervalKind::Information => Ok(Spread::Information(fit.covariance.clone())),
            IntervalKind::Clustered => {
                self.clustered(sample, &fit).map(|errors| Spread::Clustered(Box::new(errors)))
            }
            IntervalKind::Bootstrap => model
                .bootstrap(&sample.votes, self.resampling().seeded(chance.seed("strengths")))
                .map(Spread::Resampled),
        };
        let spread = spread.unwrap_or_else(|error| {
            notes.push(no_intervals(&strength(&sample.measure).name, &error));
            Spread::None
        });
        if let Spread::Clustered(errors) = &spread {
            let strength = strength(&sample.measure).name;
            notes.extend(uneven(&strength, errors, sample.models.len(), sample.generalize_to));
        }
        if let Spread::Resampled(replicates) = &spread {
            let [without, all] = [replicates.degenerate(), replicates.resamples()];
            notes.extend(degenerate(&strength(&sample.measure).name, without, all));
        }
        let facts = fit
            .order_effect
            .map(|effect| ("order-effect", format!("the log-odds of standing first are {effect:.4}")))
            .into_iter()
            .chain(fit.log_nu.map(|log_nu| {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "four digits of a finding, which decides no trial"
                )]
                let propensity = log_nu.exp();
                ("davidson", format!("Davidson's propensity to tie is {propensity:.4}"))
            }));
        let strength = strength(&sample.measure).name;
        notes.extend(facts.map(|(code, text)| Note::setting(code, text).about(&strength)));
        Ok(Fitted { fit, spread })
    }

    /// The clustered errors of strengths, over enough raters.
    fn clustered(&self, sample: &Sample, fit: &PreferenceFit) -> Result<Clustered, StatError> {
        check_target(sample.by_rater.len(), || sample.items as usize, sample.generalize_to)?;
        fit.crossed(sample.cells.iter().copied(), target(sample.generalize_to))
    }

    /// Returns the target that the intervals of a sample generalize to; `None` if votes count as independent.
    pub(super) fn generalizes_to(&self, sample: &Sample) -> Option<GeneralizeTo> {
        (self.interval_kind() != IntervalKind::Information).then_some(sample.generalize_to)
    }

    /// Notes on what the votes allow for.
    fn notes(&self, sums: &PreferenceVotes, sample: &Sample) -> Vec<Note> {
        let strength = &strength(&sample.measure).name;
        let mut notes: Vec<Note> = too_many(strength, sample.models.len()).into_iter().collect();
        if sums.generalize_to() != sample.generalize_to {
            notes.push(not_by_item(strength, "votes", sample.generalize_to));
        }
        notes.extend(sample.sides.note(strength, sums.order_is_asked_for()));
        notes.extend(sample.one_of_all.map(|one| only_against(strength, &sample.models[one])));
        if self.interval_kind() == IntervalKind::Bootstrap {
            let remedy =
                "tests find equal models different as often as intervals miss; `intervals: clustered` covers";
            notes.extend(few_raters(strength, sample.by_rater.len() as u64, remedy));
        }
        notes
    }

    /// Adds the findings about the order of models that follow from the strengths.
    fn order(&self, sample: &Sample, Fitted { fit, spread }: &Fitted, into: &mut MeasureFindings) {
        let (method, error_of): (String, Box<dyn Fn(usize, usize) -> Difference + '_>) = match spread {
            Spread::Clustered(errors) => {
                (method(sample.generalize_to), Box::new(strength_differences(fit, errors)))
            }
            Spread::Resampled(_) | Spread::Information(_) => {
                let difference = |a: usize, b: usize| {
                    let error = Self::error(spread, a, b).unwrap_or(0.0);
                    (fit.theta[a] - fit.theta[b], ClusteredVariance::of_error(error, f64::INFINITY))
                };
                let name = match spread {
                    Spread::Resampled(_) => "normal z by the bootstrap standard deviation".to_owned(),
                    _ => format!("normal z by {INFORMATION}"),
                };
                (name, Box::new(difference))
            }
            Spread::None => return,
        };
        let compared = Compared { method, ..self.compared(sample) };
        into.ranks = ranks(&compared, Direction::Higher, &into.estimates, error_of);
        if let Spread::Resampled(replicates) = spread {
            let values = replicates.strengths();
            into.resampled_orders =
                resampled_orders("raters", &sample.models, Direction::Higher, values, &into.estimates);
        }
    }

    fn compared<'e>(&self, sample: &'e Sample) -> Compared<'e> {
        Compared {
            models: &sample.models,
            generalize_to: sample.generalize_to,
            level: self.confidence(),
            method: method(sample.generalize_to),
            families: sample.families,
            one_of_all: sample.one_of_all,
        }
    }

    /// The standard error of the difference of two strengths, where it is not clustered.
    fn error(spread: &Spread, a: usize, b: usize) -> Option<f64> {
        match spread {
            Spread::Resampled(replicates) => replicates.difference(a, b).ok()?.standard_deviation().ok(),
            Spread::Information(covariance) => Some(covariance.difference(a, b)),
            Spread::Clustered(_) | Spread::None => None,
        }
    }

    /// Every pair of models by the difference of their strengths over its standard error.
    fn comparisons(&self, sample: &Sample, fit: &PreferenceFit, spread: &Spread) -> Vec<Comparison> {
        if let Spread::Clustered(errors) = spread {
            return self.compared(sample).pairs(strength_differences(fit, errors));
        }
        if !are_compared(sample.models.len()) {
            return Vec::new();
        }
        let level = self.confidence();
        let deviate = normal_quantile(0.5 * (1.0 + level)).unwrap_or(f64::NAN);
        let correction = match sample.families {
            1 => "Holm".to_owned(),
            several => format!("Holm, Bonferroni over {several} criteria"),
        };
        let method: Arc<str> = match spread {
            Spread::Resampled(_) => format!(
                "difference of strengths over its bootstrap standard deviation, normal z, {correction}"
            )
            .into(),
            _ => format!("difference of strengths, Wald's z by {INFORMATION}, {correction}").into(),
        };
        let mut found: Vec<Comparison> = self
            .compared(sample)
            .places()
            .map(|(a, b)| {
                let difference = fit.theta[a] - fit.theta[b];
                let (error, range) = match spread {
                    Spread::Resampled(replicates) => {
                        let distribution = replicates.difference(a, b).ok();
                        let error = distribution.as_ref().and_then(|all| all.standard_deviation().ok());
                        let range = distribution.and_then(|all| all.percentile(level).ok());
                        (error, range.map(|range| self.resampling().percentile(range, "raters")))
                    }
                    Spread::Information(covariance) => {
                        let error = covariance.difference(a, b);
                        let (low, high) = (difference - deviate * error, difference + deviate * error);
                        (Some(error), Some(Interval::new(low, high, level, INFORMATION)))
                    }
                    Spread::Clustered(_) | Spread::None => (Some(fit.covariance.difference(a, b)), None),
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
                    se: error,
                    df: None,
                    p: z.map(|z| 2.0 * normal_cdf(-z.abs())),
                    undefined: z.is_none().then(|| "the difference has no standard error".into()),
                }
            })
            .collect();
        let raw: Vec<f64> = found.iter().filter_map(|pair| pair.p).collect();
        if let Ok(adjusted) = holm(&raw) {
            let tested = found.iter_mut().filter_map(|pair| pair.p.as_mut());
            let criteria = sample.families as f64;
            tested.zip(adjusted).for_each(|(p, adjusted)| *p = (criteria * adjusted).min(1.0));
        }
        found
    }
}

/// The strength of models by votes of a measure.
pub(super) fn strength(votes: &Measure) -> Measure {
    let suffix = votes.name.strip_prefix(PREFERENCE).unwrap_or_default();
    let label = format!("{}: strength (natural logarithm)", votes.label);
    Measure::new(&format!("strength{suffix}"), &label, "", Direction::Higher)
}

/// The differences of strengths with their clustered errors, which are at least those of independent votes.
fn strength_differences<'e>(
    fit: &'e PreferenceFit,
    errors: &'e Clustered,
) -> impl Fn(usize, usize) -> Difference + 'e {
    let of = differences(&fit.theta, errors);
    move |a, b| {
        let (difference, variance) = of(a, b);
        let independent = fit.covariance.difference(a, b);
        (difference, variance.map(|all| all.at_least(independent * independent)))
    }
}

/// The fit of one strength for each model, against free shares for every pair. It has a p value only where votes count as
/// independent: raters and prompts that differ make any fit look bad.
fn deviance(fit: &PreferenceFit, independent: bool) -> Test {
    let df = fit.degrees_of_freedom as f64;
    let p =
        (df > 0.0 && independent).then(|| ChiSquared::new(df).map(|chi| chi.sf(fit.deviance)).ok()).flatten();
    let undefined = if df <= 0.0 {
        Some("there are no more pairs than strengths")
    } else if independent {
        None
    } else {
        Some("a p value needs independent votes (`intervals: information`)")
    };
    Test {
        name: "deviance from one strength for each model (votes independent)".into(),
        statistic_name: "G2".into(),
        statistic: Some(fit.deviance),
        df: vec![df],
        p,
        p_adjusted: None,
        effects: vec![Effect { name: "log-likelihood".into(), value: fit.log_likelihood }],
        undefined: undefined.map(Into::into),
    }
}

pub(super) fn has_ties(sample: &Sample) -> bool {
    sample.votes.table().has_ties()
}

pub(super) fn raters_of(sample: &Sample, model: usize) -> u64 {
    sample.by_rater.values().filter(|rater| rater[model].1 > 0.0).count() as u64
}
