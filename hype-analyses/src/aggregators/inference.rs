//! Intervals, pairs and tests over all models, from estimates with clustered errors.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use hype_core::Facet;
use hype_core::model::findings::{Comparison, FacetLevelFindings, GeneralizeTo, Interval, Note, Test};
use hype_core::model::score::Measure;
use hype_core::words::{counted, first_few};
use hype_stats::StatError;
use hype_stats::bounded::{BoundedMean, Cluster};
use hype_stats::clustered::{Clustered, ClusteredVariance, Target};
use hype_stats::distributions::widening_for_bias;

use super::evidence::Evidence;
use super::many::are_compared;

/// Returns the name that the statistics use for the target of findings.
pub(crate) const fn target(generalize_to: GeneralizeTo) -> Target {
    match generalize_to {
        GeneralizeTo::Raters => Target::Raters,
        GeneralizeTo::RatersAndItems => Target::RatersAndItems,
        GeneralizeTo::Items => Target::Items,
    }
}

/// The interval of an estimate by its clustered error.
///
/// # Errors
/// If the contributions of all units are equal, so their error says nothing.
pub(crate) fn student(
    value: f64,
    variance: &ClusteredVariance,
    level: f64,
    generalize_to: GeneralizeTo,
) -> Result<Interval, StatError> {
    Evidence::student(value, variance, generalize_to)?.finding(level)
}

/// The interval around an estimate with a standard error, wider by as much as the largest bias of the measure's procedure asks for.
///
/// # Errors
/// For an error that is not positive.
pub(crate) fn allowing_for_bias(
    measure: &Measure,
    value: f64,
    error: f64,
    interval: Interval,
) -> Result<Interval, StatError> {
    let Some(bias) = measure.bias else { return Ok(interval) };
    let wider = widening_for_bias(bias / error, interval.level)?;
    Ok(Interval {
        low: value - wider * (value - interval.low),
        high: value + wider * (interval.high - value),
        method: format!("{}, allowing for a bias of {bias} {}", interval.method, measure.unit).into(),
        ..interval
    })
}

/// The interval of a proportion by its clustered error, as [`bounded`].
///
/// # Errors
/// For fewer units than an interval needs.
pub(crate) fn proportion(
    value: f64,
    variance: &ClusteredVariance,
    units: usize,
    answer: &str,
    level: f64,
    generalize_to: GeneralizeTo,
) -> Result<Interval, StatError> {
    bounded(value, [0.0, 1.0], variance, units, answer, level, generalize_to)
}

/// The interval of a mean of bounded values by its clustered error, within the bounds. Where all raters agree, it is as if each
/// had given one `answer`, by whatever name findings call it, however many a rater gave; where only items vary, as if each item
/// had been given one. `units` is the number of raters, or of items where only these vary.
///
/// # Errors
/// For fewer units than an interval needs, and for a value outside the bounds.
pub(crate) fn bounded(
    value: f64,
    bounds: [f64; 2],
    variance: &ClusteredVariance,
    units: usize,
    answer: &str,
    level: f64,
    generalize_to: GeneralizeTo,
) -> Result<Interval, StatError> {
    check_target(units, || units, generalize_to)?;
    Evidence::bounded(value, bounds, variance, units, answer, generalize_to)?.finding(level)
}

/// A note that values do not allow for generalizing to other items.
pub(crate) fn not_by_item(measure: &str, values: &str, generalize_to: GeneralizeTo) -> Note {
    let words = generalize_to.words();
    let text = format!("{values} are not by item: intervals and tests are about {words}");
    Note::setting("not-by-item", text).about(measure)
}

/// A warning that percentile intervals over few raters are too narrow, with how often they cover; `remedy` is what covers as
/// often as stated.
pub(crate) fn few_raters(measure: &str, raters: u64, remedy: &str) -> Option<Note> {
    let covers = percentile_coverage(raters)?;
    let text = format!(
        "percentile intervals over {} at the level 95% cover the truth in about {covers:.0}% of studies; \
         {remedy} in 95%",
        counted(raters, "rater")
    );
    Some(Note::precision("few-raters", text).about(measure))
}

/// A note that models have no interval, with the reason.
pub(crate) fn no_interval<M: AsRef<str>>(measure: &str, models: &[M], why: impl Display) -> Note {
    let text = format!("no interval for {}: {why}", first_few(models));
    Note::precision("no-interval", text).about(measure).on_models(models)
}

/// A note that no estimate of a measure has an interval, with the reason.
pub(crate) fn no_intervals(measure: &str, why: &StatError) -> Note {
    Note::precision("no-interval", format!("no intervals: {why}")).about(measure)
}

/// A note that strengths have no estimates, with the reason.
pub(crate) fn no_strengths(measure: &str, why: &str) -> Note {
    Note::meaning("no-strengths", format!("no strengths can be estimated: {why}")).about(measure)
}

/// A note that some resamples have no strengths; `None` without any.
pub(crate) fn degenerate(measure: &str, without: usize, resamples: usize) -> Option<Note> {
    (without > 0).then(|| {
        let text = format!(
            "{without} of {resamples} resamples of raters have no strengths, as a model never lost or was never compared in them: \
             intervals leave them out and are too narrow; use those without a bootstrap"
        );
        Note::precision("degenerate-resamples", text).about(measure)
    })
}

/// A remark that a few raters gave most of the answers, or a warning that one gave nearly all and there are no intervals.
pub(crate) fn uneven(
    measure: &str,
    errors: &Clustered,
    estimates: usize,
    generalize_to: GeneralizeTo,
) -> Option<Note> {
    let (units, unit) = match generalize_to {
        GeneralizeTo::Items => (errors.items()?, "item"),
        GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => (errors.raters()?, "rater"),
    };
    let mut fewest = units as f64;
    for estimate in 0..estimates {
        match errors.of(estimate) {
            Ok(variance) => fewest = fewest.min(1.0 + variance.degrees_of_freedom()[0]),
            Err(error) => return Some(no_intervals(measure, &error)),
        }
    }
    let text = format!(
        "few of {} have most of the answers: intervals and tests are those of about {fewest:.0}, and are narrower with equal \
         numbers",
        counted(units as u64, unit)
    );
    (2.0 * fewest < units as f64).then(|| Note::setting("uneven-numbers", text).about(measure))
}

/// A warning that few items decide the shares of these models; `None` without any.
pub(crate) fn few_items(measure: &str, models: &[&str]) -> Option<Note> {
    let names = (!models.is_empty()).then(|| first_few(models))?;
    let text = format!(
        "few items have most of the rarer answers about {names}: intervals may cover the share in less than 93% of studies; take more \
         items"
    );
    Some(Note::precision("skewed", text).about(measure).on_models(models))
}

/// Whether most of the rarer answers of two are about few items. Where items vary as well, this matters with more raters
/// than items: with fewer, the items are not what makes an interval wide.
pub(crate) fn is_skewed_over_items(
    shares: impl Iterator<Item = (u32, f64)>,
    raters: usize,
    generalize_to: GeneralizeTo,
) -> bool {
    if generalize_to == GeneralizeTo::Raters {
        return false;
    }
    let mut items: BTreeMap<u32, Cluster> = BTreeMap::new();
    for (item, share) in shares {
        let cluster = items.entry(item).or_default();
        cluster.count += 1;
        cluster.sum += share;
        cluster.squares += share * share;
    }
    if generalize_to == GeneralizeTo::RatersAndItems && raters <= items.len() {
        return false;
    }
    let clusters: Vec<Cluster> = items.into_values().collect();
    BoundedMean::new(&clusters, 0.0, 1.0).is_ok_and(|share| share.is_skewed())
}

/// A difference of two models' estimates, with its error.
pub(crate) type Difference = (f64, Result<ClusteredVariance, StatError>);

/// The differences of estimates that have one covariance.
pub(crate) fn differences<'e>(
    values: &'e [f64],
    errors: &'e Clustered,
) -> impl Fn(usize, usize) -> Difference {
    move |a, b| (values[a] - values[b], errors.difference(a, b))
}

/// The models whose pairs are compared.
pub(crate) struct Compared<'e> {
    pub(crate) models: &'e [Arc<str>],
    pub(crate) generalize_to: GeneralizeTo,
    pub(crate) level: f64,
    /// The name of the method of differences.
    pub(crate) method: String,
    /// The number of families of pairs among which p values are adjusted together.
    pub(crate) families: usize,
    /// The model that is compared with each of the others, where these are not compared with one another.
    pub(crate) one_of_all: Option<usize>,
}

impl Compared<'_> {
    /// The pairs that are compared; the model that is compared with each of the others comes first.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (models, one_of_all) = (self.models.len(), self.one_of_all);
        let all = (0..models).flat_map(move |a| (a + 1..models).map(move |b| (a, b)));
        all.filter(move |&(a, b)| one_of_all.is_none_or(|one| a == one || b == one))
            .map(move |(a, b)| if one_of_all == Some(b) { (b, a) } else { (a, b) })
    }

    /// The number of comparisons among which p values are adjusted.
    fn family(&self) -> f64 {
        (self.places().count() * self.families) as f64
    }

    /// Every pair of models by the t of its difference: p values and intervals by Bonferroni's correction.
    ///
    /// Bonferroni's correction holds for any dependence of the pairs. Corrections that estimate it, such as that by the
    /// greatest |t|, do not with few raters, as the covariance of many pairs has no more than R - 1 degrees of freedom.
    ///
    /// None of [too many](super::many) models.
    pub(crate) fn pairs(&self, difference_of: impl Fn(usize, usize) -> Difference) -> Vec<Comparison> {
        if !are_compared(self.models.len()) {
            return Vec::new();
        }
        let family = self.family();
        let level = 1.0 - (1.0 - self.level) / family;
        let name: Arc<str> = if family > 1.0 {
            format!("{}, Bonferroni", self.method).into()
        } else {
            self.method.as_str().into()
        };
        self.places()
            .map(|(a, b)| {
                let (difference, variance) = difference_of(a, b);
                let bare = Comparison {
                    method: Arc::clone(&name),
                    a: Arc::clone(&self.models[a]),
                    b: Arc::clone(&self.models[b]),
                    difference,
                    interval: None,
                    statistic_name: "t".into(),
                    statistic: None,
                    se: None,
                    df: None,
                    p: None,
                    undefined: None,
                };
                let tested = variance.and_then(|variance| {
                    let p = variance.p(difference)?;
                    let interval = student(difference, &variance, level, self.generalize_to)?;
                    Ok((variance, p, interval))
                });
                match tested {
                    Ok((variance, p, interval)) => Comparison {
                        interval: Some(Interval {
                            level: self.level,
                            method: if family > 1.0 {
                                format!("{name}, simultaneous over the family").into()
                            } else {
                                Arc::clone(&name)
                            },
                            ..interval
                        }),
                        statistic: Some(difference / variance.standard_error()),
                        se: Some(variance.standard_error()),
                        df: variance.degrees_of_freedom().first().copied(),
                        p: Some((family * p).min(1.0)),
                        ..bare
                    },
                    Err(error) => Comparison { undefined: Some(error.to_string().into()), ..bare },
                }
            })
            .collect()
    }
}

/// The name of that test, before the method of the pairs.
pub(crate) const SMALLEST_P: &str = "the smallest p value of all pairs";

/// The test over all models that needs no joint covariance: whether the smallest adjusted p value of the pairs is small.
pub(crate) fn smallest_p(pairs: &[Comparison], method: &str) -> Test {
    let smallest = pairs
        .iter()
        .filter(|pair| pair.p.is_some())
        .min_by(|a, b| a.p.unwrap_or(1.0).total_cmp(&b.p.unwrap_or(1.0)));
    Test {
        name: format!("{SMALLEST_P} ({method})").into(),
        statistic_name: "t".into(),
        statistic: smallest.and_then(|pair| pair.statistic),
        df: smallest.and_then(|pair| pair.df).into_iter().collect(),
        p: smallest.and_then(|pair| pair.p),
        p_adjusted: None,
        effects: Vec::new(),
        undefined: smallest.is_none().then(|| "no pair of models can be compared".into()),
    }
}

/// The fewest raters, or items, for an interval. The difference of two does not estimate how much raters differ: resamples of
/// two raters span no more than their range, and Student's t with one degree of freedom says next to nothing.
const UNITS_FOR_INTERVAL: usize = 3;

/// Refuses intervals over too few raters.
pub(crate) fn check_raters(raters: usize) -> Result<(), StatError> {
    check_units(raters, "raters")
}

/// Refuses intervals over too few of the units that vary: raters, or items where these alone do.
pub(crate) fn check_target(
    raters: usize,
    items: impl FnOnce() -> usize,
    generalize_to: GeneralizeTo,
) -> Result<(), StatError> {
    match generalize_to {
        GeneralizeTo::Items => check_units(items(), "items"),
        GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => check_raters(raters),
    }
}

fn check_units(got: usize, of: &'static str) -> Result<(), StatError> {
    if got >= UNITS_FOR_INTERVAL {
        return Ok(());
    }
    Err(StatError::TooFew { statistic: "an interval", needed: UNITS_FOR_INTERVAL, of, got })
}

/// The words for the comparisons among which p values are adjusted; `None` for a single one.
pub(crate) fn family(pairs: usize, measures: usize) -> Option<Arc<str>> {
    family_of(pairs, ["pair of models", "pairs of models"], measures)
}

/// A note that one model was compared with each of the others, and these never with one another.
pub(crate) fn only_against(measure: &str, model: &str) -> Note {
    let text = format!(
        "every comparison is between {model} and another model: pairs of others are not tested, and their order rests on how each \
         fared against {model}"
    );
    Note::setting("against-one", text).about(measure)
}

/// As [`family`], for other comparisons by the name of one and of several.
pub(crate) fn family_of(count: usize, [one, several]: [&str; 2], measures: usize) -> Option<Arc<str>> {
    match (count, measures) {
        (0, _) | (1, 1) => None,
        (count, 1) => Some(format!("{count} {several}").into()),
        (1, measures) => Some(format!("1 {one} on {measures} measures").into()),
        (count, measures) => Some(format!("{count} {several} on {measures} measures").into()),
    }
}

/// The words for the pairs at all levels of a facet, among which p values are adjusted, followed by what they are `by`; `None`
/// without any.
pub(crate) fn family_of_levels(at: &[FacetLevelFindings], facet: &Facet, by: &str) -> Option<Arc<str>> {
    let has_p = |level: &&FacetLevelFindings| level.comparisons.iter().any(|pair| pair.p.is_some());
    let pairs = at.iter().flat_map(|level| &level.comparisons).filter(|pair| pair.p.is_some()).count();
    let with = at.iter().filter(has_p).count();
    let (pairs, levels) = (counted(pairs, "pair"), counted(with, "level"));
    (with > 0).then(|| format!("{pairs} of models at {levels} of {}{by}", facet.name).into())
}

/// The share of studies, in percent, in which a percentile interval of a mean of so many independent values covers it at
/// the level 95 %, for normal values; `None` where that is not a concern.
fn percentile_coverage(units: u64) -> Option<f64> {
    // The interval is ± z √((n - 1) / n) standard errors; Student's t with n - 1 degrees of freedom has the probability.
    if !(2..30).contains(&units) {
        return None;
    }
    let units = units as f64;
    let z = 1.959_963_984_540_054 * ((units - 1.0) / units).sqrt();
    let t = hype_stats::distributions::StudentT::new(units - 1.0).ok()?;
    Some(100.0 * (1.0 - t.two_sided(z)))
}
