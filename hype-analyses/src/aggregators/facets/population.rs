//! Levels weighted by their shares of a population (post-stratification).

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::facet::NOT_SAID;
use hype_core::model::findings::{Comparison, Estimate, Note, WeightedMeans};
use hype_core::words::{counted, first_few};
use hype_core::{Diagnostics, Facet};
use hype_stats::facets::design_effect;
use hype_stats::multiple::holm;

use super::cells::{FacetSums, ModelCells};
use super::means::Means;

/// The setting.
pub(super) const FIELD: &str = "shares";

/// The number of raters or items at a level from which weighted means with clustered errors hold their level whatever its share
/// (docs/measured/coverage.md).
const ENOUGH: u64 = 4;

/// How far from 1 the sum of declared shares may be, which are rounded.
const ROUNDING: f64 = 0.011;

/// Checks declared shares, at the path of their aggregator.
pub(super) fn check(shares: &BTreeMap<Arc<str>, f64>, at: &mut Diagnostics) {
    let Some(sum) = (!shares.is_empty()).then(|| shares.values().sum::<f64>()) else { return };
    let mut at = at.field(FIELD);
    for (level, share) in shares.iter().filter(|(_, share)| !(**share > 0.0 && share.is_finite())) {
        at.error("out-of-range", format!("the share of {level} is {share}"))
            .help("shares are above 0: join a level without people to another one");
    }
    if sum.is_nan() || (sum - 1.0).abs() > ROUNDING {
        at.error("not-all", format!("the shares sum to {}", (sum * 1e6).round() / 1e6))
            .help("they sum to 1, such as 0.45 and 0.55");
    }
}

/// The shares of the levels of a facet in their order, which sum to 1; `None` if none are declared, and a note if the levels have others.
pub(super) fn along(shares: &BTreeMap<Arc<str>, f64>, facet: &Facet) -> Option<Result<Vec<f64>, Note>> {
    if shares.is_empty() {
        return None;
    }
    // Raters who do not say to which level they belong have no weight.
    let share = |level: &Arc<str>| shares.get(level).copied().or((**level == *NOT_SAID).then_some(0.0));
    let of_levels: Option<Vec<f64>> = facet.levels.iter().map(share).collect();
    let has_all = shares.keys().all(|level| facet.levels.contains(level));
    let Some(of_levels) = of_levels.filter(|_| has_all) else {
        let declared: Vec<&str> = shares.keys().map(|level| &**level).collect();
        let text = format!(
            "shares are declared for {}, and the levels of {} are {}: there are no weighted means",
            first_few(&declared),
            facet.name,
            first_few(&facet.levels)
        );
        return Some(Err(Note::meaning("unweighted", text)));
    };
    let sum: f64 = of_levels.iter().sum();
    Some(Ok(of_levels.into_iter().map(|share| share / sum).collect()))
}

/// Returns the scores of models over levels with these shares.
pub(super) fn weighted(
    sums: &FacetSums,
    means: &Means<'_>,
    models: &[ModelCells],
    shares: &[f64],
    estimates: Vec<Estimate>,
) -> WeightedMeans {
    let comparisons = compared(means, models, shares);
    let tested = comparisons.iter().filter(|pair| pair.p.is_some()).count();
    WeightedMeans {
        shares: shares.to_vec(),
        estimates,
        design_effects: design_effects(sums, models, shares),
        comparisons,
        family: (tested > 1).then(|| format!("{} of weighted means", counted(tested, "pair")).into()),
    }
}

/// A warning that levels have so few raters or items that intervals of weighted means may cover too rarely; `None` without any.
pub(super) fn few_units(
    sums: &FacetSums,
    models: &[ModelCells],
    facet: &Facet,
    measure: &str,
) -> Option<Note> {
    let fewest = |level: usize| {
        models.iter().filter_map(|model| Some(sums.units(model.samples[level].as_ref()?))).min()
    };
    let few: Vec<String> = facet
        .levels
        .iter()
        .enumerate()
        .filter_map(|(number, level)| Some((level, fewest(number).filter(|&count| count < ENOUGH)?)))
        .map(|(level, count)| format!("{level} ({count})"))
        .collect();
    let (units, name) = (sums.unit_words(), &facet.name);
    (!few.is_empty()).then(|| {
        let text = format!(
            "few {units} are at levels of {name}, {}: where a level with a large share has two, 95% intervals of weighted means \
             cover the truth in about 89% of studies, with three in 93%; take {ENOUGH}",
            first_few(&few)
        );
        Note::precision("few-at-level", text).about(measure)
    })
}

/// Kish's design effect for each model that has values at all levels.
fn design_effects(sums: &FacetSums, models: &[ModelCells], shares: &[f64]) -> BTreeMap<Arc<str>, f64> {
    let of_model = |model: &ModelCells| {
        let counts: Option<Vec<u64>> =
            model.samples.iter().map(|sample| Some(sums.units(sample.as_ref()?))).collect();
        Some((Arc::clone(&model.model), design_effect(&counts?, shares).ok()?))
    };
    models.iter().filter_map(of_model).collect()
}

/// The comparisons of the weighted means of all pairs of models that have values at all levels, adjusted by Holm's method.
fn compared(means: &Means<'_>, models: &[ModelCells], shares: &[f64]) -> Vec<Comparison> {
    let known: Vec<usize> =
        (0..models.len()).filter(|&place| models[place].samples.iter().all(Option::is_some)).collect();
    let mut comparisons = Vec::new();
    for (number, &a) in known.iter().enumerate() {
        for &b in &known[number + 1..] {
            let bare = Comparison {
                method: "t of weighted means, Holm".into(),
                a: Arc::clone(&models[a].model),
                b: Arc::clone(&models[b].model),
                difference: 0.0,
                interval: None,
                statistic_name: "t".into(),
                statistic: None,
                se: None,
                df: None,
                p: None,
                undefined: None,
            };
            comparisons.push(means.difference(models, [a, b], shares, bare));
        }
    }
    let mut defined: Vec<&mut Comparison> = comparisons.iter_mut().filter(|pair| pair.p.is_some()).collect();
    let raw: Vec<f64> = defined.iter().filter_map(|pair| pair.p).collect();
    if let Ok(adjusted) = holm(&raw) {
        defined.iter_mut().zip(adjusted).for_each(|(pair, p)| pair.p = Some(p));
    }
    comparisons
}
