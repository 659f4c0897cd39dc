//! Answers that were asked for and are missing: whether they are missing more often about one model than about another.
//!
//! Where they are, differences of the models may come from which answers are missing, and findings have neither intervals nor p
//! values of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{
    Column, Comparison, Exclusion, FacetTrend, MeasureFindings, Note, Table, Test,
};
use hype_core::model::score::NO_MODEL;
use hype_core::words::counted;
use hype_core::{Aggregated, ScoreTable};
use hype_stats::stratified::{Counted, equal_shares};
use serde_json::json;

use crate::names::{KnownNames, NameMaps};

/// The p value, adjusted for all pairs and measures of a study, from which on losses differ. Under 5 %, as the test is not exact where
/// raters differ.
const DIFFERENT: f64 = 0.04;
/// The most models at levels whose pairs are all examined.
const MOST_AT_LEVELS: usize = 40;
/// The raters up to which findings list all of them.
const LISTED: usize = 1_000;

/// The numbers of missing answers, by measure, rater and model.
#[derive(Debug, Clone, Default)]
pub(crate) struct MissingAnswers(BTreeMap<[u32; 3], u64>);

/// How the estimates of models depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estimates {
    /// Each is of answers about the model alone.
    Apart,
    /// Strengths and ranks: what is missing about one model changes those of all.
    Relative,
}

/// The answers of one measure, by model and rater.
type ByModel = BTreeMap<u32, BTreeMap<u32, Counted>>;

/// A measure by its name, with the pairs of models that findings compare by it, and its answers.
type Source<'m> = (Arc<str>, Vec<[u32; 2]>, &'m ByModel);

/// Two models whose answers are missing in different shares, the greater first.
struct Unequal {
    models: [Arc<str>; 2],
    shares: [f64; 2],
    p: f64,
}

impl Unequal {
    /// Why there is no difference of the two.
    fn why(&self) -> Arc<str> {
        let [most, least] = &self.models;
        format!("answers about {most} are missing more often than about {least}").into()
    }
}

impl MissingAnswers {
    /// Adds the missing answers of a table, whose names are known.
    pub(crate) fn add(&mut self, scores: &ScoreTable, to: &NameMaps) {
        for one in scores.missing() {
            let against = (one.against != NO_MODEL).then_some(one.against);
            for model in [Some(one.model), against].into_iter().flatten() {
                let key = [to.measures.get(one.measure), to.raters.get(one.rater), to.models.get(model)];
                *self.0.entry(key).or_default() += 1;
            }
        }
    }

    /// Adds what is missing to findings, and takes out intervals and tests of differences that depend on it. `answers` are those that
    /// are there, by measure, rater and model.
    pub(crate) fn withhold(
        &self,
        names: &KnownNames,
        exclusions: &[Exclusion],
        answers: impl Iterator<Item = ([u32; 3], u64)>,
        estimates: Estimates,
        found: &mut Aggregated,
    ) {
        if self.0.is_empty() {
            return;
        }
        let excluded: HashSet<u32> =
            exclusions.iter().filter_map(|exclusion| names.raters.number(&exclusion.rater)).collect();
        let measures = self.by_measure(answers, &excluded);
        let compared = |measure: &u32, models: &ByModel| {
            let name = names.measures.name(*measure).cloned().unwrap_or_default();
            let own =
                found.measures.iter().filter(|found| makes_claims(found) && depends(found, &name, names));
            let pairs = compared_pairs(own, models, names);
            (name, pairs)
        };
        let measures: Vec<Source<'_>> = measures
            .iter()
            .map(|(measure, models)| (compared(measure, models), models))
            .map(|((name, pairs), models)| (name, pairs, models))
            .collect();
        let family = measures.iter().map(|(_, pairs, _)| pairs.len()).sum::<usize>() as f64;
        let mut unequal: Vec<(Arc<str>, Vec<Unequal>)> = Vec::new();
        for (name, pairs, models) in measures {
            let pairs = unequal_pairs(&pairs, models, names, family);
            let own =
                found.measures.iter_mut().filter(|found| makes_claims(found) && depends(found, &name, names));
            let mut measure = None;
            for found in own {
                if measure.is_none() {
                    measure = Some(Arc::clone(&found.measure.name));
                    found.tables.extend(tables(models, names));
                }
                withhold_from(found, &pairs, estimates);
            }
            if let (Some(measure), false) = (measure, pairs.is_empty()) {
                unequal.push((measure, pairs));
            }
        }
        found.notes.extend(note(&unequal));
    }

    /// The answers of raters who count, for each measure with missing answers.
    fn by_measure(
        &self,
        answers: impl Iterator<Item = ([u32; 3], u64)>,
        excluded: &HashSet<u32>,
    ) -> BTreeMap<u32, ByModel> {
        let concerned: BTreeSet<u32> = self.0.keys().map(|key| key[0]).collect();
        let mut measures: BTreeMap<u32, ByModel> = BTreeMap::new();
        let there = answers.map(|(key, count)| (key, count, 0));
        let missing = self.0.iter().map(|(&key, &count)| (key, count, count));
        for ([measure, rater, model], of, hits) in there.chain(missing) {
            if concerned.contains(&measure) && !excluded.contains(&rater) {
                let own =
                    measures.entry(measure).or_default().entry(model).or_default().entry(rater).or_default();
                own.of += of;
                own.hits += hits;
            }
        }
        measures
    }
}

/// Whether findings are about a measure, or derived from it: strengths by a criterion from votes by it.
fn depends(found: &MeasureFindings, source: &str, names: &KnownNames) -> bool {
    let criterion = |name: &str| name.split_once('.').map(|(_, criterion)| criterion.to_owned());
    let name = &*found.measure.name;
    name == source || (names.measures.number(name).is_none() && criterion(name) == criterion(source))
}

fn of_all(raters: &BTreeMap<u32, Counted>) -> Counted {
    raters
        .values()
        .fold(Counted::default(), |sum, one| Counted { hits: sum.hits + one.hits, of: sum.of + one.of })
}

fn share(counted: Counted) -> f64 {
    counted.hits as f64 / counted.of.max(1) as f64
}

/// Whether findings compare models.
fn makes_claims(found: &MeasureFindings) -> bool {
    !(found.comparisons.is_empty() && found.tests.is_empty() && !has_levels(found))
}

/// Whether findings are by level of a facet.
fn has_levels(found: &MeasureFindings) -> bool {
    !(found.facets.is_empty() && found.trends.is_empty())
}

/// The pairs of models that findings compare, by their numbers; all pairs of few models whose levels alone are compared.
fn compared_pairs<'f>(
    found: impl Iterator<Item = &'f MeasureFindings> + Clone,
    models: &ByModel,
    names: &KnownNames,
) -> Vec<[u32; 2]> {
    let number = |name: &str| names.models.number(name).filter(|model| models.contains_key(model));
    let pair = |pair: &Comparison| {
        let (a, b) = (number(&pair.a)?, number(&pair.b)?);
        Some([a.min(b), a.max(b)])
    };
    let pairs: BTreeSet<[u32; 2]> =
        found.clone().flat_map(|found| &found.comparisons).filter_map(pair).collect();
    let has_levels = found.into_iter().any(has_levels);
    if !pairs.is_empty() || !has_levels || models.len() > MOST_AT_LEVELS {
        return pairs.into_iter().collect();
    }
    let all: Vec<u32> = models.keys().copied().collect();
    all.iter().enumerate().flat_map(|(place, &a)| all[place + 1..].iter().map(move |&b| [a, b])).collect()
}

/// Those of some pairs of models whose answers are missing in different shares, with their adjusted p values.
fn unequal_pairs(pairs: &[[u32; 2]], models: &ByModel, names: &KnownNames, family: f64) -> Vec<Unequal> {
    let mut found = Vec::new();
    for [first, second] in pairs {
        if let (Some(of_first), Some(of_second)) = (models.get(first), models.get(second)) {
            let both: Vec<[Counted; 2]> =
                of_first.iter().filter_map(|(rater, own)| Some([*own, *of_second.get(rater)?])).collect();
            let alone = |own: &BTreeMap<u32, Counted>, other: &BTreeMap<u32, Counted>| -> Vec<Counted> {
                own.iter()
                    .filter(|(rater, _)| !other.contains_key(rater))
                    .map(|(_, counts)| *counts)
                    .collect()
            };
            let alone = [alone(of_first, of_second), alone(of_second, of_first)];
            let p = equal_shares(&both, [&alone[0], &alone[1]]).unwrap_or(1.0) * family;
            if p <= DIFFERENT {
                let name = |model: &u32| names.models.name(*model).cloned().unwrap_or_default();
                let shares = [share(of_all(of_first)), share(of_all(of_second))];
                let (models, shares) = if shares[0] >= shares[1] {
                    ([name(first), name(second)], shares)
                } else {
                    ([name(second), name(first)], [shares[1], shares[0]])
                };
                found.push(Unequal { models, shares, p });
            }
        }
    }
    found.sort_by(|a, b| a.p.total_cmp(&b.p).then_with(|| a.models.cmp(&b.models)));
    found
}

/// Takes out what depends on the differences of these pairs.
fn withhold_from(found: &mut MeasureFindings, pairs: &[Unequal], estimates: Estimates) {
    if pairs.is_empty() {
        return;
    }
    let known: HashSet<Arc<str>> =
        found.estimates.iter().map(|estimate| Arc::clone(&estimate.model)).collect();
    let why = |a: &Arc<str>, b: &Arc<str>| -> Option<Arc<str>> {
        let pair = pairs.iter().find(|pair| pair.models.contains(a) && pair.models.contains(b));
        // At levels of models, findings name models without their level.
        let pair = pair.or_else(|| pairs.first().filter(|_| !known.contains(a) || !known.contains(b)))?;
        Some(pair.why())
    };
    let withhold_pair = |pair: &mut Comparison| {
        if let Some(why) = why(&pair.a, &pair.b) {
            (pair.interval, pair.statistic, pair.se, pair.df, pair.p) = (None, None, None, None, None);
            pair.undefined = Some(why);
        }
    };
    let withhold_test = |test: &mut Test| {
        (test.statistic, test.p, test.p_adjusted) = (None, None, None);
        (test.df, test.effects) = (Vec::new(), Vec::new());
        test.undefined = Some(pairs[0].why());
    };
    for estimate in &mut found.estimates {
        if estimates == Estimates::Relative || pairs.iter().any(|pair| pair.models[0] == estimate.model) {
            estimate.interval = None;
        }
    }
    found.comparisons.iter_mut().for_each(withhold_pair);
    found.tests.iter_mut().for_each(withhold_test);
    for level in &mut found.facets {
        level.comparisons.iter_mut().for_each(withhold_pair);
        level.tests.iter_mut().for_each(withhold_test);
    }
    for over in &mut found.interactions {
        over.test.iter_mut().for_each(withhold_test);
        if let Some(weighted) = &mut over.weighted {
            weighted.comparisons.iter_mut().for_each(withhold_pair);
        }
    }
    // Where levels are of models, a trend is over several of them, and is named without a level. Losses at levels of items and raters
    // are not known.
    for trend in found.trends.iter_mut().filter(|trend| !known.contains(&trend.model)) {
        withhold_trend(trend, &pairs[0].why());
    }
    if let Some(real) = &mut found.against_real {
        for one in &mut real.models {
            if let Some(why) = why(&one.model, &one.real) {
                (one.se, one.bound, one.within_margin, one.smallest_margin) = (None, None, None, None);
                one.df.clear();
                one.undefined = Some(why);
            }
        }
    }
    (found.ranks, found.resampled_orders) = (None, None);
}

/// Takes out all of a trend but its slope.
fn withhold_trend(trend: &mut FacetTrend, why: &Arc<str>) {
    (trend.se, trend.interval, trend.t, trend.df) = (None, None, None, None);
    (trend.p, trend.p_adjusted, trend.departure) = (None, None, None);
    trend.undefined = Some(Arc::clone(why));
}

/// How many answers there are and are missing, by model and by rater.
fn tables(models: &ByModel, names: &KnownNames) -> [Table; 2] {
    let mut by_rater: BTreeMap<Arc<str>, Counted> = BTreeMap::new();
    for (rater, one) in models.values().flatten() {
        let own = by_rater.entry(names.raters.name(*rater).cloned().unwrap_or_default()).or_default();
        (own.hits, own.of) = (own.hits + one.hits, own.of + one.of);
    }
    let mut by_model: Vec<(Arc<str>, Counted)> = models
        .iter()
        .map(|(model, raters)| (names.models.name(*model).cloned().unwrap_or_default(), of_all(raters)))
        .collect();
    by_model.sort_by(|(a, _), (b, _)| a.cmp(b));
    let all = by_rater.len() <= LISTED;
    by_rater.retain(|_, one| all || one.hits > 0);
    let table = |unit: &str, counts: Vec<(Arc<str>, Counted)>| Table {
        name: format!("missing_by_{unit}").into(),
        label: format!("answers that are missing, by {unit}").into(),
        columns: vec![
            Column::new(unit, unit, ""),
            Column::new("asked", "asked for", ""),
            Column::new("missing", "missing", ""),
            Column::new("share", "share missing", "proportion"),
        ],
        rows: counts
            .into_iter()
            .map(|(name, one)| vec![json!(name), json!(one.of), json!(one.hits), json!(share(one))])
            .collect(),
    };
    [table("model", by_model), table("rater", by_rater.into_iter().collect())]
}

/// A warning about the pair that differs most, with the number of others.
fn note(unequal: &[(Arc<str>, Vec<Unequal>)]) -> Option<Note> {
    let (measure, pairs) = unequal.iter().min_by(|(_, a), (_, b)| a[0].p.total_cmp(&b[0].p))?;
    let Unequal { models: [most, least], shares: [greater, smaller], p } = &pairs[0];
    let further = unequal.iter().map(|(_, pairs)| pairs.len()).sum::<usize>() - 1;
    let further = match further {
        0 => String::new(),
        some => format!(", as in {}", counted(some, "further pair")),
    };
    let p = if *p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") };
    let text = format!(
        "{:.0}% of the answers about {most} and {:.0}% of those about {least} are missing ({p}){further}: their differences \
         have no intervals and p values until these answers are collected",
        100.0 * greater,
        100.0 * smaller,
    );
    Some(Note::meaning("unequal-losses", text).about(measure).on_models([most, least]))
}
