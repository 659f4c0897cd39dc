//! Findings from rankings: mean ranks, strengths, concordance.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{
    Agreement, Comparison, Effect, Estimate, Exclusion, GeneralizeTo, Interval, MeasureFindings, Note,
    ResampledOrders, Test, WithExcluded,
};
use hype_core::{AggregateError, Aggregated, Direction, Measure, Streams};
use hype_stats::bootstrap::{self, mean as bootstrap_mean};
use hype_stats::clustered::{Clustered, ClusteredVariance};
use hype_stats::preference::{PlackettLuce, RankingFit, Rankings, Replicates};
use hype_stats::repeated::{Blocks, friedman};
use hype_stats::{StatError, describe};

use super::RankingOfModels;
use super::orders::{Order, RankRows, orders};
use super::sample::{Sample, models_of};
use crate::aggregators::by_model::no_test;
use crate::aggregators::conclusions::{ranks, resampled_orders, side_by_side};
use crate::aggregators::evidence::method;
use crate::aggregators::inference::{
    Compared, bounded, check_target, degenerate, differences, family, few_raters, no_intervals, no_strengths,
    not_by_item, smallest_p, student, target, uneven,
};
use crate::aggregators::many::too_many;
use crate::aggregators::measures::RANK;
use crate::aggregators::ordering::greatest_first;
use crate::aggregators::strengths::{explain, pseudo_values};
use crate::aggregators::without_rater::LeaveOneOut;
use crate::score_rows::distinct;

impl RankingOfModels {
    pub(super) fn found(
        &self,
        sums: &RankRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let levels = sums.levels()?;
        let score_rows = sums.rows();
        let excluded = score_rows.excluded(exclusions);
        let mut found = Aggregated::default();
        for (place, measure) in score_rows.measures().iter().enumerate() {
            let sample = |without: &HashSet<u32>| -> Result<Sample<'_>, AggregateError> {
                let orders = orders(score_rows, place, without, levels)?;
                let models = models_of(&orders, score_rows);
                let items = distinct(orders.iter().map(|order| order.unit));
                let by_item = items > 1 && orders.iter().all(|order| !order.item_name.is_empty());
                let wanted = self.target(score_rows.generalize_to());
                let generalize_to = if by_item { wanted } else { GeneralizeTo::Raters };
                Ok(Sample {
                    score_rows,
                    measure: measure.clone(),
                    orders,
                    models,
                    generalize_to,
                    families: 1,
                })
            };
            let own = sample(&excluded)?;
            if own.orders.is_empty() {
                continue;
            }
            let everyone = if excluded.is_empty() { None } else { Some(sample(&HashSet::new())?) };
            let chance = chance.child("ranking", 0).child(&measure.name, 0);
            found.notes.extend(self.notes(&own));
            let mean_ranks = self.mean_ranks(&own, everyone.as_ref(), &chance);
            if place == 0 {
                let without = |rater| {
                    let own = sample(&excluded.iter().copied().chain([rater]).collect()).ok()?;
                    (!own.orders.is_empty()).then(|| self.mean_ranks(&own, None, &chance).comparisons)
                };
                let (level, weights) = (self.resampling().level, |models: [&str; 2]| own.weights(models));
                let one_out = LeaveOneOut { found: &mean_ranks, level, same: None, weights, without };
                found.notes.extend(one_out.note(|rater| score_rows.rater_name(rater)));
            }
            let agreement = vec![self.concordance(&own, &chance)];
            found.measures.push(MeasureFindings { agreement, ..mean_ranks });
            found.measures.extend(self.strengths(&own, everyone.as_ref(), &chance, &mut found.notes));
            if let Some(levels) = levels {
                self.by_level(levels, &own, &chance, &mut found);
            }
        }
        if found.measures.is_empty() {
            let wanted = score_rows.measures().first().map_or(RANK, |measure| &*measure.name);
            return Err(score_rows.no_scores(wanted));
        }
        Ok(found)
    }

    pub(super) fn mean_ranks(
        &self,
        sample: &Sample<'_>,
        everyone: Option<&Sample<'_>>,
        chance: &Streams,
    ) -> MeasureFindings {
        let means = sample.rater_means();
        let of_everyone = everyone.map(Sample::rater_means);
        let values = |means: &BTreeMap<u32, HashMap<u32, f64>>, model: u32| -> Vec<f64> {
            means.values().filter_map(|own| own.get(&model).copied()).collect()
        };
        let mean_ranks = sample.mean_ranks();
        let errors = sample.errors(&mean_ranks);
        let mut estimates: Vec<Estimate> = sample
            .models
            .iter()
            .enumerate()
            .map(|(place, &model)| {
                let name = sample.score_rows.model(model);
                let own = values(&means, model);
                let variance = errors.as_ref().ok().and_then(|errors| errors.of(place).ok());
                let mean = (model, mean_ranks[place]);
                let (range, bootstrap_sd) =
                    self.interval_of_mean(sample, mean, &own, variance, chance.seed(&name));
                let with = of_everyone.as_ref().map(|means| values(means, model));
                Estimate {
                    interval: range,
                    bootstrap_sd,
                    sd: describe::standard_deviation(&own).ok(),
                    sem: describe::standard_error(&own).ok(),
                    se: variance.filter(|_| self.bootstrap.is_none()).map(|all| all.standard_error()),
                    raters: own.len() as u64,
                    responses: sample.counts(model),
                    pseudo_values: Vec::new(),
                    with_excluded: with.filter(|with| with.len() > own.len()).and_then(|with| {
                        Some(WithExcluded { value: describe::mean(&with).ok()?, raters: with.len() as u64 })
                    }),
                    model: name,
                    value: mean_ranks[place],
                }
            })
            .collect();
        estimates.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| a.model.cmp(&b.model)));
        let comparisons = self.pairs(sample, &mean_ranks, errors.as_ref().ok());
        // Raters who rank the same items agree by the qualities of these items, so Friedman's test is about other raters.
        let of_raters = sample.generalize_to == GeneralizeTo::Raters;
        let mut tests: Vec<Test> =
            of_raters.then(|| friedman_over_raters(sample, &means)).into_iter().collect();
        tests.extend(comparisons.first().map(|pair| smallest_p(&comparisons, &pair.method)));
        let mut found = MeasureFindings {
            raters: means.len() as u64,
            items: distinct(sample.orders.iter().map(|order| order.item)),
            responses: sample.orders.len() as u64,
            generalize_to: Some(sample.generalize_to),
            family: family(comparisons.iter().filter(|pair| pair.p.is_some()).count(), sample.families),
            estimates,
            tests,
            comparisons,
            // Imported tables do not name the number of raters.
            ..MeasureFindings::new(Measure { direction: Direction::Lower, ..sample.measure.clone() })
        };
        let names = sample.names();
        if let (None, Ok(errors)) = (self.bootstrap, &errors) {
            let compared = self.compared(sample, &names);
            let difference_of = differences(&mean_ranks, errors);
            found.ranks = ranks(&compared, Direction::Lower, &found.estimates, difference_of);
        }
        if self.bootstrap.is_some() {
            found.resampled_orders = self.orders(sample, &means, &names, &found.estimates, chance);
        }
        found
    }

    /// How often each order of mean ranks came up among resamples of raters.
    fn orders(
        &self,
        sample: &Sample<'_>,
        means: &BTreeMap<u32, HashMap<u32, f64>>,
        names: &[Arc<str>],
        estimates: &[Estimate],
        chance: &Streams,
    ) -> Option<ResampledOrders> {
        let resamples = self.resampling().seeded(chance.seed("orders"));
        let drawn = complete(sample, means)
            .iter()
            .map(|own| bootstrap_mean(own, resamples).ok())
            .collect::<Option<Vec<_>>>()?;
        let columns: Vec<&[f64]> = drawn.iter().map(|one| one.replicates()).collect();
        let values = side_by_side(&columns)?;
        resampled_orders("raters", names, Direction::Lower, &values, estimates)
    }

    /// The interval of a model's mean rank, and the standard deviation over resamples if there are any.
    fn interval_of_mean(
        &self,
        sample: &Sample<'_>,
        (model, mean): (u32, f64),
        own: &[f64],
        variance: Option<ClusteredVariance>,
        seed: u64,
    ) -> (Option<Interval>, Option<f64>) {
        if self.bootstrap.is_some() {
            let resampling = self.resampling();
            let drawn = (own.len() > 1).then(|| bootstrap_mean(own, resampling.seeded(seed)).ok()).flatten();
            let range = drawn.as_ref().and_then(|all| all.percentile(self.level()).ok());
            let sd = drawn.and_then(|all| all.standard_deviation().ok());
            return (range.map(|range| resampling.percentile(range, "raters")), sd);
        }
        let range = variance.and_then(|all| {
            let ends = [1.0, sample.models.len() as f64];
            let units = match sample.generalize_to {
                GeneralizeTo::Items => sample.units_of(model) as usize,
                GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => own.len(),
            };
            bounded(mean, ends, &all, units, "rank", self.level(), sample.generalize_to).ok()
        });
        (range, None)
    }

    fn compared<'e>(&self, sample: &Sample<'_>, names: &'e [Arc<str>]) -> Compared<'e> {
        Compared {
            models: names,
            generalize_to: sample.generalize_to,
            level: self.level(),
            method: method(sample.generalize_to),
            families: sample.families,
            one_of_all: None,
        }
    }

    /// Every pair of models; none with bootstrap intervals.
    fn pairs(&self, sample: &Sample<'_>, values: &[f64], errors: Option<&Clustered>) -> Vec<Comparison> {
        let (None, Some(errors)) = (self.bootstrap, errors) else { return Vec::new() };
        self.compared(sample, &sample.names()).pairs(differences(values, errors))
    }

    /// Notes on what the rankings allow for.
    fn notes(&self, sample: &Sample<'_>) -> Vec<Note> {
        let measure = &*sample.measure.name;
        let mut notes: Vec<Note> = too_many(measure, sample.names().len()).into_iter().collect();
        if self.target(sample.score_rows.generalize_to()) != sample.generalize_to {
            notes.push(not_by_item(measure, "rankings", sample.generalize_to));
        }
        if self.bootstrap.is_some() {
            let raters = distinct(sample.orders.iter().map(|order| order.rater));
            notes.extend(few_raters(measure, raters, "without `bootstrap` they cover"));
        }
        notes
    }

    /// Kendall's W of the raters of each item, averaged over items.
    fn concordance(&self, sample: &Sample<'_>, chance: &Streams) -> Agreement {
        let mut by_item: BTreeMap<u32, Vec<&Order>> = BTreeMap::new();
        for order in &sample.orders {
            by_item.entry(order.item).or_default().push(order);
        }
        let (mut values, mut ratings, mut raters, mut left_out) = (Vec::new(), 0, Vec::new(), 0);
        for own in by_item.values() {
            let before = values.len();
            for orders in of_the_same_models(own) {
                if let Ok(found) = concordance_of(&orders) {
                    values.push(found);
                    ratings += orders.len() as u64;
                    raters.extend(orders.iter().map(|order| order.rater));
                }
            }
            left_out += u64::from(values.len() == before && own.len() > 1);
        }
        let resampling = self.resampling();
        let resamples = resampling.seeded(chance.seed("concordance"));
        let range = (values.len() > 1)
            .then(|| bootstrap_mean(&values, resamples).and_then(|all| all.percentile(self.level())).ok());
        Agreement {
            coefficient: "Kendall's W, mean over items".into(),
            model: None,
            value: describe::mean(&values).ok(),
            interval: range
                .flatten()
                .map(|range: bootstrap::IntervalEstimate| resampling.percentile(range, "items")),
            raters: distinct(raters.into_iter()),
            items: values.len() as u64,
            ratings,
            items_left_out: left_out,
            undefined: values
                .is_empty()
                .then(|| "no item was ranked by two raters with the same models".into()),
        }
    }

    /// Plackett-Luce strengths of the rankings without ties; `None`, with a note, if there are no such rankings.
    pub(super) fn strengths(
        &self,
        sample: &Sample<'_>,
        everyone: Option<&Sample<'_>>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> Option<MeasureFindings> {
        let fitted = self.plackett_luce(sample, chance, notes);
        let (mut estimates, used, spread) = match fitted {
            Ok(found) => found,
            Err(error) => {
                let why = explain(&error, &sample.names());
                notes.push(no_strengths(&strength(&sample.measure).name, &why));
                return None;
            }
        };
        if let Some(all) =
            everyone.and_then(|all| self.fit(all).ok().filter(|fit| fit.used.len() > used.len()))
        {
            for estimate in &mut estimates {
                estimate.with_excluded = all.estimate_of(&estimate.model);
            }
        }
        let measure = strength(&sample.measure);
        let names = sample.names();
        let compared = self.compared(sample, &names);
        let order = spread.as_ref().map(|(theta, spread)| match spread {
            Spread::Clustered(errors) => {
                let difference_of = differences(theta, errors);
                (ranks(&compared, Direction::Higher, &estimates, difference_of), None)
            }
            Spread::Resampled(replicates) => {
                let values = replicates.strengths();
                (None, resampled_orders("raters", &names, Direction::Higher, values, &estimates))
            }
        });
        let (ranks, resampled_orders) = order.unwrap_or_default();
        Some(MeasureFindings {
            raters: distinct(used.iter().map(|order| order.rater)),
            items: distinct(used.iter().map(|order| order.item)),
            responses: used.len() as u64,
            generalize_to: Some(sample.generalize_to),
            ranks,
            resampled_orders,
            estimates,
            ..MeasureFindings::new(measure)
        })
    }

    /// Plackett-Luce strengths.
    pub(super) fn fit<'s>(&self, sample: &'s Sample<'_>) -> Result<Fitted<'s>, StatError> {
        let mut rankings = Rankings::new(sample.models.len())?;
        let mut used = Vec::new();
        for order in &sample.orders {
            let (best_first, tied) = order.best_first();
            let places: Vec<u32> = best_first.into_iter().map(|model| sample.place(model) as u32).collect();
            if rankings.push_tied(&places, &tied).is_ok() {
                used.push(order);
            }
        }
        let model =
            self.ridge.map_or(Ok(PlackettLuce::new()), |alpha| PlackettLuce::new().with_ridge(alpha))?;
        let fit = model.fit(&rankings)?;
        Ok(Fitted { sample, model, rankings, used, fit })
    }

    fn plackett_luce<'s>(
        &self,
        sample: &'s Sample<'_>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> Result<Estimated<'s>, StatError> {
        let fitted = self.fit(sample)?;
        notes.extend(tied(sample, fitted.used.len()));
        let raters: Vec<u32> = fitted.used.iter().map(|order| order.rater).collect();
        let items: Vec<u32> = fitted.used.iter().map(|order| order.unit).collect();
        let resampling = self.resampling();
        let spread = match self.bootstrap {
            Some(_) => {
                let resamples = resampling.seeded(chance.seed("strengths"));
                fitted.model.bootstrap_clusters(&fitted.rankings, &raters, resamples).map(Spread::Resampled)
            }
            None => {
                let count = |of: &[u32]| distinct(of.iter().copied()) as usize;
                check_target(count(&raters), || count(&items), sample.generalize_to)
                    .and_then(|()| {
                        fitted.fit.crossed(&fitted.rankings, &raters, &items, target(sample.generalize_to))
                    })
                    .map(|errors| Spread::Clustered(Box::new(errors)))
            }
        };
        notes.extend(of_spread(sample, &spread));
        let mut estimates: Vec<Estimate> = (0..sample.models.len())
            .map(|model| {
                let own = || fitted.rankings_of(model);
                let value = fitted.fit.theta[model];
                let (range, bootstrap_sd, se) = match &spread {
                    Ok(Spread::Resampled(replicates)) => {
                        let drawn = replicates.theta(model).ok();
                        let range = drawn.as_ref().and_then(|all| all.percentile(self.level()).ok());
                        let sd = drawn.and_then(|all| all.standard_deviation().ok());
                        (range.map(|range| resampling.percentile(range, "raters")), sd, None)
                    }
                    Ok(Spread::Clustered(errors)) => {
                        let variance = errors.of(model).ok();
                        let range = variance
                            .and_then(|all| student(value, &all, self.level(), sample.generalize_to).ok());
                        (range, None, variance.map(|all| all.standard_error()))
                    }
                    Err(_) => (None, None, None),
                };
                Estimate {
                    model: sample.score_rows.model(sample.models[model]),
                    value,
                    interval: range,
                    bootstrap_sd,
                    sd: None,
                    sem: Some(fitted.fit.covariance.standard_error(model)),
                    se,
                    raters: distinct(own().map(|order| order.rater)),
                    responses: own().count() as u64,
                    with_excluded: None,
                    pseudo_values: match &spread {
                        Ok(Spread::Clustered(errors)) => pseudo_values(value, Some(errors), model),
                        Ok(Spread::Resampled(_)) | Err(_) => Vec::new(),
                    },
                }
            })
            .collect();
        estimates.sort_by(greatest_first);
        Ok((estimates, fitted.used, spread.ok().map(|spread| (fitted.fit.theta, spread))))
    }
}

/// Returns a note on the errors of strengths.
fn of_spread(sample: &Sample<'_>, spread: &Result<Spread, StatError>) -> Option<Note> {
    let measure = &strength(&sample.measure).name;
    match spread {
        Err(error) => Some(no_intervals(measure, error)),
        Ok(Spread::Clustered(errors)) => uneven(measure, errors, sample.models.len(), sample.generalize_to),
        Ok(Spread::Resampled(replicates)) => {
            degenerate(measure, replicates.degenerate(), replicates.resamples())
        }
    }
}

/// A remark on how rankings with ties count, with their number.
fn tied(sample: &Sample<'_>, counting: usize) -> Option<Note> {
    let tied = sample.orders.iter().filter(|order| order.best_first().1.contains(&true)).count();
    let all = sample.orders.len();
    let mut text = format!(
        "{tied} of {all} rankings have ties, which count in strengths as all orders of the tied models in equal shares"
    );
    if counting < all {
        text += &format!("; {} with more than ten tied models do not count", all - counting);
    }
    (tied > 0).then(|| Note::setting("tied-rankings", text).about(&strength(&sample.measure).name))
}

/// The strengths of models by ranks of a measure.
pub(super) fn strength(ranks: &Measure) -> Measure {
    let suffix = ranks.name.strip_prefix(RANK).unwrap_or_default();
    let label = format!("{}: Plackett-Luce strength (natural logarithm)", ranks.label);
    Measure::new(&format!("strength{suffix}"), &label, "", Direction::Higher)
}

/// For each model the mean ranks of those raters who ranked every model, in the same order.
fn complete(sample: &Sample<'_>, means: &BTreeMap<u32, HashMap<u32, f64>>) -> Vec<Vec<f64>> {
    let every = || means.values().filter(|own| sample.models.iter().all(|model| own.contains_key(model)));
    sample.models.iter().map(|model| every().filter_map(|own| own.get(model).copied()).collect()).collect()
}

/// Estimates of strengths, the rankings behind them, and the strengths with what is known about their errors.
type Estimated<'s> = (Vec<Estimate>, Vec<&'s Order>, Option<(Vec<f64>, Spread)>);

/// How the errors of strengths are known.
enum Spread {
    Resampled(Replicates),
    Clustered(Box<Clustered>),
}

/// Strengths with the rankings behind them.
pub(super) struct Fitted<'s> {
    sample: &'s Sample<'s>,
    model: PlackettLuce,
    pub(super) rankings: Rankings,
    pub(super) used: Vec<&'s Order>,
    pub(super) fit: RankingFit,
}

impl Fitted<'_> {
    /// The rankings that contain a model, by its position.
    fn rankings_of(&self, place: usize) -> impl Iterator<Item = &Order> {
        let model = self.sample.models[place];
        self.used.iter().copied().filter(move |order| order.ranks.iter().any(|(ranked, _)| *ranked == model))
    }

    fn estimate_of(&self, model: &str) -> Option<WithExcluded> {
        let place = self.sample.names().iter().position(|name| &**name == model)?;
        let raters = distinct(self.rankings_of(place).map(|order| order.rater));
        Some(WithExcluded { value: self.fit.theta[place], raters })
    }
}

/// The rankings of one item, by the models that they rank.
fn of_the_same_models<'s>(orders: &[&'s Order]) -> Vec<Vec<&'s Order>> {
    let mut by_models: BTreeMap<Vec<u32>, Vec<&Order>> = BTreeMap::new();
    for order in orders {
        by_models.entry(order.ranks.iter().map(|(model, _)| *model).collect()).or_default().push(order);
    }
    by_models.into_values().collect()
}

/// Kendall's W of rankings of the same models.
fn concordance_of(orders: &[&Order]) -> Result<f64, StatError> {
    let responses = orders.iter().enumerate().flat_map(|(rater, order)| {
        order.ranks.iter().enumerate().map(move |(model, (_, rank))| (rater, model, *rank))
    });
    Ok(friedman(&Blocks::from_responses(orders[0].ranks.len(), responses)?)?.w)
}

/// Friedman's test over raters, of their mean ranks.
fn friedman_over_raters(sample: &Sample<'_>, means: &BTreeMap<u32, HashMap<u32, f64>>) -> Test {
    let responses = means.iter().flat_map(|(rater, own)| {
        let of = move |(place, model): (usize, &u32)| Some((*rater as usize, place, *own.get(model)?));
        sample.models.iter().enumerate().filter_map(of)
    });
    const NAME: &str = "Friedman's test of raters' mean ranks";
    match Blocks::from_responses(sample.models.len(), responses).and_then(|blocks| friedman(&blocks)) {
        Ok(found) => Test {
            statistic: Some(found.test.statistic),
            df: vec![found.test.degrees_of_freedom],
            p: Some(found.test.p),
            effects: vec![Effect { name: "Kendall's W over raters".into(), value: found.w }],
            ..no_test(NAME, "chi2", None)
        },
        Err(error) => no_test(NAME, "chi2", Some(&error)),
    }
}
